"""What oversampling a class would do to its vocabulary, before a document is generated."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imbtext.documents import Corpus
from imbtext.markov import MarkovChain, TransitionCounts
from imbtext.vocabulary._expected import expected_vocabulary
from imbtext.vocabulary._gamma import gamma_by_heaps, words_by_heaps


@dataclass(frozen=True)
class ClassOutlook:
    """The vocabulary of a class now and as it would be.

    Attributes
    ----------
    label : object
        The class.
    documents, tokens, words : int
        What it has.
    synthetic_documents : int
        Documents to be added.
    tokens_after : float
        Tokens expected then.
    new_by_heaps : float
        More words that Heaps' law expects of the class at that size.
    new_by_emco : dict of float to float
        More words that EMCO is expected to add, by gamma.
    gamma : float
        The gamma that ``EMCO(gamma="heaps")`` would choose.
    new_by_gamma : float
        More words that it would add.
    """

    label: Hashable
    documents: int
    tokens: int
    words: int
    synthetic_documents: int
    tokens_after: float
    new_by_heaps: float
    new_by_emco: dict[float, float]
    gamma: float
    new_by_gamma: float

    def sentence(self, share: float) -> str:
        """Say it in plain words."""
        if not self.synthetic_documents:
            return f"class {self.label} already makes up {percent(share)} of the documents"
        if not self.tokens:
            return f"class {self.label} has no words, so nothing can be said of its vocabulary"
        added = " and ".join(
            f"EMCO({gamma:g}) adds {new:,.0f}" for gamma, new in self.new_by_emco.items()
        )
        return (
            f"at {percent(share)} share, class {self.label} would be expected to use about "
            f"{self.new_by_heaps:,.0f} more words; {added}"
        )


def percent(share: float) -> str:
    """Return a share in percent, to as many digits as it was given with.

    Examples
    --------
    >>> percent(0.2), percent(0.025), percent(0.001)
    ('20%', '2.5%', '0.1%')
    """
    return f"{100 * share:.4g}%"


def class_outlook(
    corpus: Corpus,
    total: TransitionCounts,
    rows: NDArray[Any],
    label: Hashable,
    n_new: int,
    gammas: tuple[float, ...] = (0.1, 1.0),
) -> ClassOutlook:
    """Look at one class of a corpus.

    Parameters
    ----------
    corpus : Corpus
        All documents.
    total : TransitionCounts
        Their counts.
    rows : ndarray
        The documents of the class, as indices or a mask.
    label : object
        What the class is called.
    n_new : int
        Synthetic documents to be added to it.
    gammas : tuple of float, default=(0.1, 1.0)
        The gammas of EMCO to look at.

    Examples
    --------
    >>> corpus = Corpus.from_tokens([["oil", "up"], ["oil", "price", "up"], ["gold", "up"]])
    >>> outlook = class_outlook(corpus, TransitionCounts.of(corpus), np.array([0]), "oil", 100)
    >>> outlook.words, round(outlook.new_by_emco[1.0], 3)
    (2, 1.0)
    """
    own = corpus.select(rows)
    minority = TransitionCounts.of(own)
    words = int(np.count_nonzero(minority.words))
    grows = bool(own.n_tokens and n_new)

    def new_words(gamma: float) -> float:
        chain = MarkovChain.extrapolate(total, minority, gamma)
        return expected_vocabulary(chain, n_new) - words

    gamma = gamma_by_heaps(total, minority, n_new) if grows else 0.0
    return ClassOutlook(
        label=label,
        documents=own.n_documents,
        tokens=own.n_tokens,
        words=words,
        synthetic_documents=n_new,
        tokens_after=own.n_tokens * (1 + n_new / max(1, minority.n_documents)),
        new_by_heaps=words_by_heaps(total, minority, n_new) - words if grows else 0.0,
        new_by_emco={value: new_words(value) if grows else 0.0 for value in gammas},
        gamma=gamma,
        new_by_gamma=new_words(gamma) if grows else 0.0,
    )
