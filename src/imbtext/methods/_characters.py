"""A linear SVM on words and characters: the strong rival that costs nothing.

It is what a good engineer would try first, so a comparison runs it by default. Two blocks of
sublinear tf-idf stand side by side, each of unit length: words, and grams of three to five
characters that do not cross white space. They are those of scikit-learn's ``TfidfVectorizer`` with
``sublinear_tf=True``, and with ``analyzer="char_wb", ngram_range=(3, 5)``; a test compares the two.
The grams of a document are those of its words between white space, so each distinct word is cut
once, and all classes and all folds that tune a threshold share the counts.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.svm import LinearSVC

from imbtext._svm import for_liblinear
from imbtext._typing import Array, Column, DocumentsLike, Matrix
from imbtext.documents._documents import Documents
from imbtext.features._terms import idf_weights, read_runs
from imbtext.methods._documents import PreparedDocuments
from imbtext.methods._fitting import tune_threshold
from imbtext.methods._method import Problem
from imbtext.randomness import keyed_random_state


@dataclass(frozen=True, eq=False)
class WordsAndGrams:
    """The words and the grams of the training documents, without these documents."""

    words: PreparedDocuments
    grams: CountVectorizer

    @classmethod
    def learn(cls, data: PreparedDocuments) -> "tuple[WordsAndGrams, list[sparse.csr_array]]":
        """Return the terms of training documents, and how often each document has them."""
        grams = CountVectorizer(analyzer="char_wb", ngram_range=(3, 5))
        runs = read_runs(data.documents)
        of_runs = grams.fit_transform(runs.vocabulary)
        blocks = [_sublinear(data.counts), _sublinear(runs.counts() @ of_runs)]
        return cls(data.without_documents(), grams), blocks

    def count(self, documents: DocumentsLike) -> list[sparse.csr_array]:
        """Return how often other documents have the terms."""
        runs = read_runs(Documents.of(documents))
        of_runs = self.grams.transform(runs.vocabulary)
        words = self.words.encode(documents).counts()
        return [_sublinear(words), _sublinear(runs.counts() @ of_runs)]


def _sublinear(counts: Matrix) -> sparse.csr_array:
    logged: sparse.csr_array = sparse.csr_array(counts).astype(np.float64)
    logged.data = 1 + np.log(logged.data)
    return logged


def learn_idf(
    blocks: list[sparse.csr_array], indices: NDArray[np.int64]
) -> list[NDArray[np.float64]]:
    """Return the idf of each block in the documents at `indices`; a term that none has weighs 0."""
    frequencies = [np.bincount(b[indices].indices, minlength=b.shape[1]) for b in blocks]
    return [idf_weights(frequency, len(indices)) for frequency in frequencies]


def weigh(blocks: list[sparse.csr_array], idf: list[NDArray[np.float64]]) -> sparse.csr_array:
    """Return tf-idf vectors: each block has unit length."""
    weighed = []
    for block, of_block in zip(blocks, idf, strict=True):
        values = block.data * of_block[block.indices]
        row = np.repeat(np.arange(block.shape[0]), np.diff(block.indptr))
        lengths = np.sqrt(np.bincount(row, values**2, minlength=block.shape[0]))
        values /= np.where(lengths == 0, 1.0, lengths)[row]
        weighed.append(sparse.csr_array((values, block.indices, block.indptr), block.shape))
    return for_liblinear(sparse.hstack(weighed, format="csr"))


class _SvmOfIndices(ClassifierMixin, BaseEstimator):
    """The SVM as an estimator whose X holds indices of the training documents."""

    def __init__(self, blocks: list[sparse.csr_array], seed: int, stream: int) -> None:
        self.blocks = blocks
        self.seed = seed
        self.stream = stream

    def fit(self, X: NDArray[np.int64], y: NDArray[np.int64]) -> "_SvmOfIndices":
        indices = X[:, 0]
        self.classes_ = np.array([0, 1])
        self.idf_ = learn_idf(self.blocks, indices)
        random_state = keyed_random_state(self.seed, 2**63 + self.stream)
        self.svm_ = LinearSVC(random_state=random_state)
        self.svm_.fit(self._vectors(indices), y)
        return self

    def decision_function(self, X: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(self.svm_.decision_function(self._vectors(X[:, 0])), dtype=np.float64)

    def _vectors(self, indices: NDArray[np.int64]) -> sparse.csr_array:
        return weigh([block[indices] for block in self.blocks], self.idf_)

    def __sklearn_clone__(self) -> "_SvmOfIndices":
        return _SvmOfIndices(self.blocks, self.seed, self.stream)  # without copying the counts


class CharacterClassifier(ClassifierMixin, BaseEstimator):
    """The fitted SVM, for documents; scores above 0 are in the class."""

    def __init__(
        self, terms: WordsAndGrams, idf: list[NDArray[np.float64]], svm: LinearSVC, threshold: float
    ) -> None:
        self.terms = terms
        self.idf = idf
        self.svm = svm
        self.thresholds_ = np.array([threshold])

    def decision_function(self, X: DocumentsLike) -> NDArray[np.float64]:
        """Return how far the score of each document is above the threshold."""
        scores: NDArray[np.float64] = self.svm.decision_function(self.vectors(X))
        return scores - float(self.thresholds_[0])

    def vectors(self, X: DocumentsLike) -> sparse.csr_array:
        """Return what the SVM sees of documents: a column for each of `names`."""
        return weigh(self.terms.count(X), self.idf)

    def names(self) -> Array:
        """Return the words, then the grams."""
        words, grams = self.terms.words.corpus.vocabulary, self.terms.grams
        return np.concatenate([words, grams.get_feature_names_out().astype(object)])


@dataclass(frozen=True)
class CharacterDocuments:
    """Fits the SVM and tunes its threshold for a measure, as `threshold` does for the plain one."""

    metric: str

    def __call__(
        self,
        problem: Problem,
        groups: Column | None = None,
        times: Column | None = None,  # noqa: ARG002  the folds are random
    ) -> CharacterClassifier:
        data = problem.data
        terms, blocks = data.cache.of_all("characters", lambda: WordsAndGrams.learn(data))
        untuned = _SvmOfIndices(blocks, problem.seed, problem.stream)
        codes = None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
        fitted, threshold = tune_threshold(untuned, problem, self.metric, "characters", codes)
        return CharacterClassifier(terms, fitted.idf_, fitted.svm_, threshold)
