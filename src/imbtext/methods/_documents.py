"""Training documents prepared once for every method and repetition.

What takes time (encoding, counting, weighting, transition counts) depends only on the documents,
not on the class. It is done here, on first use, and kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from joblib import wrap_non_picklable_objects
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from imbtext._svm import for_liblinear
from imbtext._typing import Array, Document, DocumentsLike, Matrix
from imbtext.documents._cache import Cache
from imbtext.documents._corpus import Corpus
from imbtext.documents._documents import Documents
from imbtext.documents._tokenization import Tokenizer
from imbtext.features._features import Features
from imbtext.features._sources import feature_sources, get_features
from imbtext.markov._counts import TransitionCounts
from imbtext.oversampling._counting import all_transitions

# From documents such as the training documents, texts or token lists, to a corpus.
Preprocess = Callable[[Any], Corpus]


@dataclass(frozen=True)
class Encode:
    """Turns documents into a corpus; an object, so that fitted classifiers can be pickled."""

    tokenizer: Tokenizer | None

    def __call__(self, documents: DocumentsLike) -> Corpus:
        return Documents.of(documents).corpus(self.tokenizer)

    def __reduce__(self) -> tuple[object, ...]:
        # A function defined on the spot reaches other processes too.
        return Encode, (wrap_non_picklable_objects(self.tokenizer, keep_wrapper=False),)


def own_features(features: object) -> Features | None:
    """Return the features that a user asked for; None is tf-idf of words.

    Words suit linear classifiers and oversamplers, so ``"auto"`` means words here. ``"best"`` is
    chosen later, see `with_best_features`.

    Examples
    --------
    >>> own_features("words") is None, own_features("characters").kind
    (True, 'characters')
    """
    if features is None or (isinstance(features, str) and features in ("words", "auto", "best")):
        return None
    sources = [
        "words" if isinstance(source, str) and source == "auto" else source
        for source in feature_sources(features)
    ]
    return get_features(sources)


class PreparedDocuments:
    """Training documents as methods take them: their words, the weights and the vectors.

    Parameters
    ----------
    documents : Documents
        The training documents.
    preprocess : callable, default=None
        Turns such documents into a corpus; None encodes their words. Words of new documents that
        are not in the training vocabulary are dropped afterwards.
    features : Features, default=None
        What makes the vectors; None is tf-idf of words.
    corpus : Corpus, default=None
        The documents preprocessed, if that took more than `preprocess`: in the paper, rare words of
        the training documents are left out.

    Notes
    -----
    The object is never changed, apart from filling its caches, so scikit-learn's `clone` shares it.

    Examples
    --------
    >>> data = PreparedDocuments.of(["oil price up", "rain", "oil up up"])
    >>> data.counts.toarray().tolist()
    [[1, 1, 0, 1], [0, 0, 1, 0], [1, 0, 0, 2]]
    >>> data.vectorize(data.corpus.select([1])).toarray().tolist()
    [[0.0, 0.0, 1.0, 0.0]]
    """

    def __init__(
        self,
        documents: Documents,
        preprocess: Preprocess | None = None,
        features: Features | None = None,
        corpus: Corpus | None = None,
    ) -> None:
        self.documents = documents
        self.preprocess = Encode(None) if preprocess is None else preprocess
        self.features = None if features is None else features.fresh()
        self.corpus = self.preprocess(documents) if corpus is None else corpus
        if len(documents) != self.corpus.n_documents:
            raise ValueError(
                f"got {len(documents)} documents for a corpus of {self.corpus.n_documents}; "
                "pass the documents that the corpus was made from"
            )
        # Of a selection: the vocabulary it was selected from, and which of those words it has.
        self._kept_words: tuple[Array, NDArray[np.bool_]] | None = None
        # What methods compute of these words and vectors; `documents` keep what is theirs alone.
        self.cache = Cache()

    @classmethod
    def of(
        cls,
        X: DocumentsLike,
        tokenizer: Tokenizer | None = None,
        features: Features | None = None,
    ) -> Self:
        """Take documents in any container (see `imbtext.documents.Documents`)."""
        return cls(Documents.of(X), Encode(tokenizer), features)

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The tokenizer that splits the documents; None is the default."""
        return self.preprocess.tokenizer if isinstance(self.preprocess, Encode) else None

    @property
    def n_documents(self) -> int:
        """Number of training documents."""
        return self.corpus.n_documents

    @cached_property
    def counts(self) -> sparse.csr_array:
        """Bag of words: documents by words."""
        return self.corpus.counts()

    @cached_property
    def weighting(self) -> TfidfTransformer:
        """The idf weights and L2 norm, fitted on these documents."""
        if not self.corpus.n_words:
            raise ValueError(
                f"none of the {self.n_documents} documents has a word in it, so there is nothing "
                "to learn from; check the documents and the tokenizer"
            )
        return TfidfTransformer().fit(self.counts)

    @cached_property
    def tfidf(self) -> sparse.csr_array:
        """The tf-idf vectors of the documents, of unit length."""
        return self.weigh(self.counts)

    @cached_property
    def vectors(self) -> Matrix:
        """The vectors that classifiers are trained on: tf-idf, or the user's own features."""
        return self.tfidf if self.features is None else self.features.fit_transform(self.documents)

    @property
    def word_counts(self) -> sparse.csr_array | None:
        """The bag of words, if the vectors are made of it."""
        return self.counts if self.features is None else None

    def refuse_own_features(self, method: str) -> None:
        """Raise unless vectors are tf-idf of words, as `method` needs them."""
        if self.features is not None:
            raise ValueError(
                f"{method} makes counts or weights of words, and other features need text; leave "
                f"{method} out, or use features='words'"
            )

    def transitions(self) -> TransitionCounts:
        """Return the transition counts of all documents."""
        return all_transitions(self.corpus, self.cache)

    def weigh(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Turn counts on the training vocabulary into tf-idf with the idf of these documents."""
        if not counts.shape[0]:
            # A class that has its share adds none, and scikit-learn refuses to transform none.
            return sparse.csr_array(counts.shape, dtype=np.float64)
        return for_liblinear(self.weighting.transform(counts.astype(np.float64)))

    def vectorize(self, corpus: Corpus) -> Matrix:
        """Return the vectors of documents that are known by their words alone."""
        return self.vectors_and_counts(corpus)[0]

    def vectorize_documents(self, X: DocumentsLike) -> Matrix:
        """Return the vectors of documents in any container."""
        if self.features is None:
            return self.vectorize(self.encode(X))
        vectors = self.vectors  # fitted first
        documents = Documents.of(X)
        return self.features.transform(documents) if len(documents) else vectors[:0]

    def vectors_of(self, other: "PreparedDocuments", indices: NDArray[np.integer]) -> Matrix:
        """Return the vectors that this training data gives to documents of another."""
        if self.features is not None:
            return self.vectorize_documents(other.documents.select(indices))
        unseen = other.corpus.select(indices)
        if self._kept_words is not None and self._kept_words[0] is unseen.vocabulary:
            # Words are dropped by number, without looking any of them up.
            kept = unseen.keep_words(self._kept_words[1])
            unseen = Corpus(kept.ids, kept.offsets, self.corpus.vocabulary)
        return self.vectorize(unseen)

    def vectors_and_counts(
        self, new: Corpus | Sequence[Document]
    ) -> tuple[Matrix, sparse.csr_array | None]:
        """Return vectors of new documents, and their counts if vectors are tf-idf.

        The new documents are a corpus, or texts or token lists like the training documents.
        """
        if self.features is None:
            corpus = self.on_vocabulary(new) if isinstance(new, Corpus) else self.encode(new)
            counts = corpus.counts()
            return self.weigh(counts), counts
        documents = new.tokens() if isinstance(new, Corpus) else new
        if not self.documents.is_tokens:
            documents = [row if isinstance(row, str) else " ".join(row) for row in documents]
        return self.vectorize_documents(documents), None

    def encode(self, documents: DocumentsLike) -> Corpus:
        """Preprocess documents like the training documents, onto the training vocabulary."""
        return self.on_vocabulary(self.preprocess(documents))

    def on_vocabulary(self, corpus: Corpus) -> Corpus:
        """Re-express a corpus on the training vocabulary, unless it already is."""
        if corpus.vocabulary is self.corpus.vocabulary:
            return corpus
        return corpus.with_vocabulary(self.corpus.vocabulary)

    def select(self, indices: ArrayLike) -> "PreparedDocuments":
        """Return the documents at `indices` as training data with their own vocabulary and idf."""
        indices = np.asarray(indices)
        indices = np.flatnonzero(indices) if indices.dtype == bool else indices
        corpus = self.corpus.select(indices)
        kept = corpus.word_counts() > 0
        part = PreparedDocuments(
            self.documents.select(indices), self.preprocess, self.features, corpus.keep_words(kept)
        )
        part._kept_words = (self.corpus.vocabulary, kept)
        return part

    def without_documents(self) -> "PreparedDocuments":
        """Return a copy that can make vectors of new documents and holds none of these."""
        nothing = self.corpus.select(np.empty(0, int))
        light = PreparedDocuments(Documents.of([]), self.preprocess, corpus=nothing)
        if self.features is None:
            light.weighting = self.weighting
        else:
            light.features = self.features.without_documents()
            light.vectors = self.vectors[:0]
        return light

    def with_features(self, features: Features | None) -> "PreparedDocuments":
        """Return the same documents with other vectors."""
        return PreparedDocuments(self.documents, self.preprocess, features, self.corpus)

    def forget_class(self) -> None:
        """Drop what methods have computed for a class; the next class shares the rest."""
        self.cache.forget_classes()
        self.documents.forget_classes()
        self.__dict__.pop("counts", None)

    def forget(self) -> None:
        """Drop what methods have computed of the documents, and their counts."""
        self.cache = Cache()
        self.__dict__.pop("counts", None)

    def __sklearn_clone__(self) -> Self:
        return self
