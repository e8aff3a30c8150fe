"""Documents of which a model knows nothing, and the score they get.

No metric puts them into a class to find. A text that is empty, gibberish or in another script has
no word that the training documents had. The constant of the ranking alone would score it, which a
low threshold can lie below. Its score is below that of every held-out document instead. Of
exclusive classes it gets the most frequent one.

Where most words of held-out documents are unknown, as where words are written together, words do
not decide. There a document must have no known term at all, such as a gram of characters. So must
one whose columns are read, too. With an encoder, nothing is known of a text only if it is blank.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import Array
from imbtext.documents._corpus import offsets_of
from imbtext.documents._documents import Documents
from imbtext.features._features import Features
from imbtext.features._terms import Vectors
from imbtext.features.encoders import Encoder
from imbtext.thresholds._expectation import KnownWords
from imbtext.thresholds._held_out import HeldOut

# If fewer words of held-out documents are known on average, an unknown word says little.
LEAST_KNOWN: Final = 0.5


def nothing_known(
    features: Features,
    documents: Documents,
    vectors: Vectors,
    known_words: KnownWords,
) -> NDArray[np.bool_]:
    """Return whether no word of a new document is known, nor anything else but its meaning."""
    if features.text_terms is None:
        return np.zeros(len(documents), bool)
    shares, terms = vectors.known_shares, vectors.terms
    if shares is not None and features.text_terms is features and known_words.mean >= LEAST_KNOWN:
        nothing = ~(shares > 0)
    else:
        is_known = vectors.weights[terms.indices] > 0
        nothing = np.diff(offsets_of(is_known)[terms.indptr[:: terms.n_blocks]]) == 0
    return np.asarray(nothing & ~vectors.dense.any(axis=1))


def held_out_lowered(
    held_out: HeldOut,
    features: Features,
    documents: Documents,
    known_shares: NDArray[np.float64] | None,
    encoders: Sequence[Encoder],
) -> HeldOut:
    """Return held-out scores, the lowest for documents without a word of the other folds."""
    words_decide = KnownWords.of(known_shares).mean >= LEAST_KNOWN
    if known_shares is None or features.text_terms is not features or not words_decide:
        return held_out
    nothing = without_meaning(~(known_shares > 0), documents, encoders)
    lowest = np.fmin.reduce(held_out.scores, axis=0)
    fallback = int(np.argmax(held_out.class_sizes)) if held_out.exclusive else None
    return replace(held_out, scores=lowered(held_out.scores, nothing, lowest, fallback))


def without_meaning(
    nothing: NDArray[np.bool_], documents: Documents, encoders: Sequence[Encoder]
) -> NDArray[np.bool_]:
    """Return for which of these documents encoders do not help: blank ones, or without a vector."""
    indices = np.flatnonzero(nothing)
    if not encoders or not len(indices):
        return nothing
    some = documents.select(indices)
    is_blank = np.array([not text.strip() for text in some.strings()])
    has_vector = np.array([encoder.of_documents(some).any(axis=1) for encoder in encoders])
    without = nothing.copy()
    without[indices] = is_blank | ~has_vector.any(axis=0)
    return without


def lowered(
    scores: NDArray[np.floating],
    nothing: NDArray[np.bool_],
    lowest: NDArray[np.floating],
    fallback: int | None,
) -> Array:
    """Return scores in which those of documents of which nothing is known are `lowest`.

    `fallback` is the class, among exclusive ones, that such a document gets; it keeps its score.
    """
    if not nothing.any():
        return scores
    # Where a class has no held-out score, it stays without one.
    below = np.where(nothing[:, None], np.minimum(scores, lowest), scores).astype(scores.dtype)
    if fallback is not None:
        below[:, fallback] = scores[:, fallback]
    return below
