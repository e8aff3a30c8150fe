"""What the latent features stand for: training documents, words or topics.

Latent space oversampling (Moreo, Esuli and Sebastiani 2016) needs, for each word, a distribution
over latent features, and nothing else; its authors fill it in with the training documents and call
that DRO. Two others are offered beside it. With *words*, a word leads to the words that stand in
the same documents. With *topics*, it leads to the parts of a non-negative factorisation of the
documents, so that the latent space stays small however many documents there are.
"""

import warnings
from typing import Final, Literal, get_args

import numpy as np
from scipy import sparse

from imbtext.latent.space import WordColumns

Latent = Literal["documents", "words", "topics"]
LATENTS: Final = get_args(Latent)
N_TOPICS: Final = 50
_STEPS: Final = 200


def latent_columns(tfidf: sparse.csr_array, latent: Latent) -> WordColumns:
    """Return each word's distribution over the latent features.

    Examples
    --------
    >>> tfidf = sparse.csr_array(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]))
    >>> [latent_columns(tfidf, latent).n_documents for latent in LATENTS]
    [3, 3, 2]
    >>> columns = latent_columns(tfidf, "words")  # the first word meets itself and the second
    >>> columns.documents[: columns.indptr[1]].tolist()
    [0, 1]
    """
    if latent == "documents":
        return WordColumns.of(tfidf)
    return WordColumns.of(_companions(tfidf) if latent == "words" else _topics(tfidf))


def _companions(tfidf: sparse.csr_array) -> sparse.csr_array:
    """Return words by words: the ways from a word to a document of it, and to a word of that."""
    sums = np.asarray(tfidf.sum(axis=1)).ravel()
    shares = sparse.diags_array(1.0 / np.where(sums > 0, sums, 1.0)) @ tfidf
    return sparse.csr_array(shares.T @ tfidf)


def _topics(tfidf: sparse.csr_array) -> sparse.csr_array:
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning

    n = max(1, min(N_TOPICS, min(tfidf.shape) - 1))
    # Started from the singular vectors, so nothing is random; a few words in each topic.
    model = NMF(n, init="nndsvd", max_iter=_STEPS, tol=1e-3, random_state=0)
    with warnings.catch_warnings():
        # Parts that are nearly settled serve as well.
        warnings.simplefilter("ignore", ConvergenceWarning)
        weights = model.fit(tfidf).components_ if tfidf.nnz else np.ones((1, tfidf.shape[1]))
    # A word of no topic belongs to all of them alike.
    weights[:, weights.sum(axis=0) == 0] = 1.0
    return sparse.csr_array(weights)
