"""Where vectors come from: the features of this package, or whatever the user brings.

`RareTextClassifier`, `MethodClassifier` and `compare` ask a :class:`Features` for vectors and need
not know what is behind it: :class:`TextFeatures` are words, pairs of words and character grams,
:class:`OwnFeatures` a scikit-learn vectorizer or a callable such as a sentence encoder.
:func:`get_features` reads what a user typed.

Vectors come in two forms. Classifiers of scikit-learn take a matrix (:meth:`Features.fit_transform`
and :meth:`Features.transform`). `RareTextClassifier` takes :class:`Vectors` and asks for those of
all training documents again and again, each time as somebody would make them who has seen only some
of them, which is what cross-validation needs (:meth:`Features.learn`).

Features do not keep the documents they learnt from; what :meth:`Features.learn` returns does.
Another kind of source, such as the columns beside a text, is another subclass. Several side by side
are :class:`imbtext.features._side_by_side.SideBySide`.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from inspect import isclass
from typing import Any, Final, Literal, NamedTuple, Protocol, Self, get_args

import numpy as np
from joblib import wrap_non_picklable_objects
from numpy.typing import DTypeLike, NDArray
from scipy import sparse
from sklearn.base import clone

from imbtext._messages import did_you_mean, listed
from imbtext._svm import for_liblinear
from imbtext._typing import Document, DocumentsLike, FeaturesLike, Label, Matrix
from imbtext.documents import WITHOUT_STEMS, Documents, languages_found
from imbtext.features._terms import (
    GramBlock,
    TermInWords,
    Terms,
    Vectors,
    WordBlock,
    documents_languages,
    idf_weights,
    languages,
)

Kind = Literal["auto", "words", "words+pairs", "characters"]
FEATURES: Final[tuple[Kind, ...]] = get_args(Kind)
# The frequency of a column that need not be a term, where others are terms.
NO_TERM: Final = -1
# The vectors of words, see `imbtext.features._meaning`.
MEANING: Final = "meaning"
_NAMES: Final = (*FEATURES, MEANING)
# How long vectors are, beside terms of length 1: the root of their mean squared length.
VECTOR_LENGTH: Final = 0.5


class WeighedVectors(NamedTuple):
    """Vectors, and how many of the documents that were seen have each term (None: no terms)."""

    vectors: Vectors
    frequencies: NDArray[np.int64] | None


class TrainingVectors(Protocol):
    """The training documents as vectors, for any choice of those that may be looked at."""

    def seen_by(self, rows: NDArray[np.int64] | None = None) -> WeighedVectors:
        """Return the vectors of all training documents if only `rows` were seen (None: all)."""
        ...

    def known_shares(
        self, folds: NDArray[np.integer], *, in_time: bool = False
    ) -> NDArray[np.float64] | None:
        """Return which share of each document's words the documents of other folds have.

        If folds follow one another `in_time`, the others are those before. It is not a number where
        there are no words or no other folds. None where the features have no words.
        """
        ...


class Features(ABC):
    """A source of vectors.

    Attributes
    ----------
    learns : bool
        Whether vectors depend on the documents that were learnt from.
    named : bool
        Whether the columns have names that mean something.
    """

    learns: bool = True
    named: bool = True

    @property
    def text_terms(self) -> "TextFeatures | None":
        """The words of the text, where they are among the vectors; their terms come first."""
        return None

    @property
    def vectors_beside(self) -> dict[str, int]:
        """How many columns each source of vectors beside the terms has, by its name in lists."""
        return {}

    @property
    @abstractmethod
    def about(self) -> str:
        """What the vectors are, in words."""

    @abstractmethod
    def fresh(self) -> "Features":
        """Return the same features, not fitted."""

    @abstractmethod
    def learn(self, documents: Documents) -> TrainingVectors:
        """Learn from documents, and return their vectors for any choice of them."""

    @abstractmethod
    def read(self, documents: Documents) -> Vectors:
        """Return the vectors of new documents."""

    @abstractmethod
    def fit_transform(self, X: DocumentsLike) -> Matrix:
        """Learn from documents, and return their vectors as a matrix."""

    @abstractmethod
    def transform(self, X: DocumentsLike) -> Matrix:
        """Return the vectors of documents as a matrix."""

    @abstractmethod
    def names(self, *, spelt: bool = False) -> NDArray[np.object_]:
        """Return the name of each column; `spelt`, words as training documents write them."""

    def find(self, documents: Documents) -> list[list[TermInWords]] | None:  # noqa: ARG002
        """Return the terms in each document and the words they stand in; None without terms."""
        return None

    def ask_once(self, documents: Sequence[Document]) -> Self:  # noqa: ARG002
        """Compute what will be asked for again and again, where that is possible beforehand."""
        return self

    def without_documents(self) -> "Features":
        """Return the same features, fitted, without any documents that they remember."""
        return self


class TextFeatures(Features):
    """Sublinear tf-idf vectors in one or two blocks.

    Words are runs of two letters or more, stemmed; neighbours become pairs. Character grams have
    four characters within what stands between white space. A pair must be in two documents. Each
    block has unit length, and so have two blocks together.

    Parameters
    ----------
    kind : {"auto", "words", "words+pairs", "characters"}, default="auto"
        The blocks; ``auto`` is words and pairs in one, characters in the other.
    language : str or None, default="english"
        Whose stems; None takes words as they are. ``"english+german"`` finds the language of each
        document among these, and ``"auto"`` finds the languages when it learns. Token lists are
        taken as they are.
    columns : tuple of names, default=()
        The text columns, where documents are rows of a table with several. They share their terms,
        as if they were one text; only pairs of words end where a column does. On training documents
        that ranked as well as terms of each column's own, or both (benchmarks/text_columns.py).

    Examples
    --------
    >>> features = TextFeatures("words")
    >>> features.fit_transform(["Oil prices", "OIL price", "rain"]).toarray().round(3).tolist()
    [[0.707, 0.707, 0.0], [0.707, 0.707, 0.0], [0.0, 0.0, 1.0]]
    >>> features.names().tolist()
    ['oil', 'price', 'rain']
    """

    def __init__(
        self,
        kind: Kind = "auto",
        language: str | None = "english",
        columns: tuple[str | int, ...] = (),
    ) -> None:
        if kind not in FEATURES:
            raise ValueError(
                f"features is {kind!r}; choose one of {', '.join(FEATURES)}"
                f"{did_you_mean(kind, FEATURES)}"
            )
        _check_language(language)
        self.kind = kind
        self.language = self._asked_language = language
        self.reads_tokens = False
        self.blocks: list[WordBlock | GramBlock] = []
        if kind != "characters":
            self.blocks.append(WordBlock(language, pairs=kind != "words"))
        if kind in ("auto", "characters"):
            self.blocks.append(GramBlock())
        self.columns = columns

    @property
    def text_terms(self) -> "TextFeatures":
        return self

    @property
    def about(self) -> str:
        terms = {
            "auto": "words and pairs of words, and grams of four characters",
            "words+pairs": "words and pairs of words",
            "characters": "grams of four characters",
        }.get(self.kind, "words")
        form = "words as they are written" if self.language is None else f"{self.language} stems"
        if self.language is not None and "+" in self.language:
            form = f"stems of each document's language ({self.language})"
        if self.reads_tokens:
            form = "tokens as they were given"
        if self.columns:
            form += f", shared by {listed(self.columns)}"
        return f"{terms}, {form}: {len(self.weights):,} terms"

    @property
    def least(self) -> NDArray[np.int64]:
        """How many documents must have each term for it to be known."""
        return np.concatenate([block.least for block in self.blocks])

    def fresh(self) -> "TextFeatures":
        return TextFeatures(self.kind, self._asked_language, self.columns)

    def learn(self, documents: Documents) -> "TrainingTerms":
        self.reads_tokens = documents.is_tokens
        if self._asked_language == "auto":
            self.language = languages_found(documents)
            for block in self.blocks:
                if isinstance(block, WordBlock):
                    block.language = self.language
        terms = Terms.of_blocks([block.learn(documents) for block in self.blocks])
        self.weigh(terms.frequencies(), terms.n_documents)
        return TrainingTerms(self, terms)

    def weigh(self, frequencies: NDArray[np.int64], n_documents: int) -> None:
        """Take the weights of the terms from the number of documents that have each."""
        self.frequencies = frequencies
        self.n_documents = n_documents
        self.weights = idf_weights(frequencies, n_documents, self.least)

    def read(self, documents: Documents) -> Vectors:
        if documents.is_tokens != self.reads_tokens and len(documents):
            kinds = ("token lists", "text") if documents.is_tokens else ("text", "token lists")
            raise TypeError(f"X contains {kinds[0]}, but the model was fitted on {kinds[1]}")
        occurrences = [block.read(documents) for block in self.blocks]
        vectors = Terms.of_blocks(occurrences).vectors(self.weights)
        first = self.blocks[0]
        if not isinstance(first, WordBlock):
            return vectors
        return replace(vectors, known_shares=first.known_shares(occurrences[0]))

    def fit(self, X: DocumentsLike) -> Self:
        """Learn terms and idf from documents."""
        self.learn(Documents.of(X))
        return self

    def fit_transform(self, X: DocumentsLike) -> Matrix:
        return for_liblinear(self.learn(Documents.of(X)).seen_by().vectors.matrix())

    def transform(self, X: DocumentsLike) -> Matrix:
        return for_liblinear(self.read(Documents.of(X)).matrix())

    def names(self, *, spelt: bool = False) -> NDArray[np.object_]:
        names = [name for block in self.blocks for name in block.names(spelt=spelt)]
        return np.array(names, dtype=object)

    def find(self, documents: Documents) -> list[list[TermInWords]]:
        occurrences: list[list[TermInWords]] = [[] for _ in range(len(documents))]
        spoken = None
        if self.language is not None and "+" in self.language:
            spoken = documents_languages(documents, self.language)
        read = {f"{column}: ": documents.field(column) for column in self.columns}
        for title, texts in (read or {"": documents}).items():
            first = 0
            for block in self.blocks:
                found = (
                    block.find(texts.rows, spoken)
                    if isinstance(block, WordBlock)
                    else block.find(texts.rows)
                )
                for document, more in zip(occurrences, found, strict=True):
                    document += [(first + term, title + words) for term, words in more]
                first += len(block.least)
        return occurrences


@dataclass(frozen=True, eq=False)
class TrainingTerms:
    """The training documents of `TextFeatures`: folds share one set of counts."""

    features: TextFeatures
    terms: Terms

    def seen_by(self, rows: NDArray[np.int64] | None = None) -> WeighedVectors:
        features = self.features
        if rows is None:
            return WeighedVectors(self.terms.vectors(features.weights), features.frequencies)
        frequencies = self.terms.frequencies(rows)
        weights = idf_weights(frequencies, len(rows), features.least)
        return WeighedVectors(self.terms.vectors(weights), frequencies)

    def known_shares(
        self, folds: NDArray[np.integer], *, in_time: bool = False
    ) -> NDArray[np.float64] | None:
        block, terms = self.features.blocks[0], self.terms
        if not isinstance(block, WordBlock):
            return None
        n_entries = np.diff(terms.indptr)
        # Words are the first terms of the first block; pairs and grams have higher numbers.
        is_word = terms.indices < len(block.words)
        words = terms.indices[is_word]
        documents = np.repeat(np.arange(len(n_entries)) // terms.n_blocks, n_entries)[is_word]
        n_times = np.rint(np.exp(terms.values[is_word] - 1))
        is_known = np.zeros(len(words), bool)
        for fold in np.unique(folds):
            inside = folds[documents] == fold
            unknown = folds >= fold if in_time else folds == fold
            elsewhere = self.features.frequencies - terms.frequencies(np.flatnonzero(unknown))
            is_known[inside] = elsewhere[words[inside]] > 0
        n_words = np.bincount(documents, n_times, terms.n_documents)
        if in_time:  # nobody else to know the words
            n_words[folds == folds.min()] = 0
        elif len(np.unique(folds)) < 2:
            n_words[:] = 0
        n_known = np.bincount(documents, n_times * is_known, terms.n_documents)
        shares = np.full(len(n_words), np.nan)
        np.divide(n_known, n_words, out=shares, where=n_words > 0)
        return shares


class OwnFeatures(Features):
    """The user's own features: a vectorizer, a pipeline on text, or a callable.

    What learns from documents is fitted anew on every set of training documents. A callable learns
    nothing, so it is asked once for each document, however many folds the document is in.

    Parameters
    ----------
    source : estimator or callable
        A scikit-learn vectorizer or pipeline on text; or a callable from a list of documents to one
        row of numbers per document.
    name : str, default=None
        What lists call them; None takes the name of the function or of its class.
    beside : bool, default=False
        Whether they stand beside other features. Dense rows are then given unit length, less their
        mean, and scaled to the length that serves beside terms, see :class:`Centring`.

    Examples
    --------
    >>> features = OwnFeatures(lambda texts: np.array([[len(t), 1.0] for t in texts]))
    >>> features.fit_transform(["oil", "rain"]).tolist()
    [[3.0, 1.0], [4.0, 1.0]]
    """

    def __init__(self, source: Any, name: str | None = None, *, beside: bool = False) -> None:
        self.source = source
        self.beside = beside
        self.name = name or str(getattr(source, "__name__", type(source).__name__))
        self.fitted: Any = None
        self.n_columns: int | None = None
        # Of dense rows beside terms, once they were learnt.
        self.centring: Centring | None = None
        # Of a callable: the rows that it returned, by document.
        self._row_of: dict[Label, int] = {}
        self._rows: Matrix = None

    @property
    def learns(self) -> bool:  # type: ignore[override]
        return is_vectorizer(self.source)

    @property
    def named(self) -> bool:  # type: ignore[override]
        return hasattr(self.fitted, "get_feature_names_out")

    @property
    def vectors_beside(self) -> dict[str, int]:
        return {} if self.centring is None else {f"({self.name})": self.n_columns or 0}

    @property
    def about(self) -> str:
        return f"{self.n_columns:,} columns of {self.source!r:.60}"

    def fresh(self) -> "OwnFeatures":
        """Return the same features, not fitted; a callable keeps what it was asked."""
        if self.learns:
            return OwnFeatures(self.source, self.name, beside=self.beside)
        # Folds of a comparison learn in turn, each a centre of its own.
        return copy.copy(self) if self.beside else self

    def without_documents(self) -> "OwnFeatures":
        light = OwnFeatures(self.source, self.name, beside=self.beside)
        light.fitted, light.n_columns, light.centring = self.fitted, self.n_columns, self.centring
        return light

    def learn(self, documents: Documents) -> "TrainingMatrix":
        rows = list(documents.rows)
        if self.learns:
            self.fitted, self.n_columns = clone(self.source).fit(rows), None
        matrix = self._matrix(rows)
        self.centring = None
        if self.beside and not sparse.issparse(matrix):
            matrix = of_unit_length(matrix)
            self.centring = Centring.of(matrix)
        return TrainingMatrix(self, rows, matrix, self._vectors(matrix))

    def read(self, documents: Documents) -> Vectors:
        matrix = self._matrix(list(documents.rows))
        if self.centring is not None:
            rows: Any = matrix
            matrix = of_unit_length(rows.toarray() if sparse.issparse(matrix) else rows)
        return self._vectors(matrix)

    def fit_transform(self, X: DocumentsLike) -> Matrix:
        if not self.learns:
            return self.transform(X)
        self.fitted, self.n_columns = clone(self.source), None
        return self._checked(self.fitted.fit_transform(list(X)), len(X))

    def transform(self, X: DocumentsLike) -> Matrix:
        return self._matrix(list(X), np.float64)

    def ask_once(self, documents: Sequence[Document]) -> Self:
        """Ask a callable for all documents that it will be asked for again and again."""
        if not self.learns:
            unique = list({_key(document): document for document in documents}.values())
            self._rows = self._checked(self.source(unique), len(unique))
            self._row_of = {_key(document): row for row, document in enumerate(unique)}
        return self

    def names(self, *, spelt: bool = False) -> NDArray[np.object_]:  # noqa: ARG002
        if self.named:
            return np.asarray(self.fitted.get_feature_names_out(), dtype=object)
        title = f"({self.name})" if self.beside else "column"
        return np.array([f"{title} {j}" for j in range(self.n_columns or 0)], dtype=object)

    def find(self, documents: Documents) -> list[list[TermInWords]] | None:
        if not self.beside:
            return None
        if self.centring is not None:  # every column is in every document, and they are one thing
            whole = [(j, f"({self.name})") for j in range(self.n_columns or 0)]
            return [whole for _ in range(len(documents))]
        terms = self.read(documents).terms
        names = self.names() if self.named else np.full(terms.n_terms, f"({self.name})", object)
        return terms.named(names)

    def _matrix(self, rows: list[Document], dtype: DTypeLike = np.float32) -> Matrix:
        """Return what the source makes of documents, or made of them before."""
        if self.learns:
            return self._checked(self.fitted.transform(rows), len(rows), dtype)
        known = [self._row_of.get(_key(document), -1) for document in rows] if self._row_of else []
        if known and min(known) >= 0:
            return self._rows[np.array(known)].astype(dtype, copy=False)
        return self._checked(self.source(rows), len(rows), dtype)

    def _vectors(self, matrix: Matrix) -> Vectors:
        if self.centring is not None:
            nothing = Terms.of_matrix(np.empty((len(matrix), 0), np.float32))
            return replace(nothing.vectors(np.empty(0)), dense=self.centring.applied_to(matrix))
        terms = Terms.of_matrix(matrix)
        return terms.vectors(np.ones(terms.n_terms))

    def _checked(self, matrix: Any, n: int, dtype: DTypeLike = np.float64) -> Matrix:
        """Return what the source made of `n` documents: sparse rows or an array of numbers."""
        name = f"features={self.source!r:.60}"
        if not sparse.issparse(matrix):
            matrix = np.asarray(matrix)
            if matrix.ndim != 2 or matrix.dtype.kind not in "fiub":
                raise ValueError(
                    f"{name} returned an array of shape {matrix.shape} and type {matrix.dtype}; "
                    "expected numbers, one row per document"
                )
        if matrix.shape[0] != n:
            raise ValueError(
                f"{name} returned {matrix.shape[0]} rows for {n} documents; expected one row per "
                "document"
            )
        if self.n_columns is None:
            self.n_columns = int(matrix.shape[1])
        elif matrix.shape[1] != self.n_columns:
            raise ValueError(
                f"{name} returned {matrix.shape[1]} columns, and {self.n_columns} when the model "
                "was fitted; features must return the same columns for any documents"
            )
        rows: Any = for_liblinear(matrix) if sparse.issparse(matrix) else matrix
        rows = rows.astype(dtype, copy=False)
        if not np.isfinite(rows.data if sparse.issparse(matrix) else rows).all():
            raise ValueError(f"{name} returned values that are infinite or no numbers")
        return rows

    def __getstate__(self) -> dict[str, object]:
        # A function defined on the spot reaches other processes too.
        source = wrap_non_picklable_objects(self.source, keep_wrapper=False)
        return {**self.__dict__, "source": source}


@dataclass(frozen=True, eq=False)
class TrainingMatrix:
    """The training documents of `OwnFeatures`: a vectorizer is fitted anew on what was seen.

    `matrix` has their rows, of unit length where they stand beside terms and are dense.
    """

    features: OwnFeatures
    documents: list[Document]
    matrix: Matrix
    vectors: Vectors

    def seen_by(self, rows: NDArray[np.int64] | None = None) -> WeighedVectors:
        features, matrix = self.features, self.matrix
        if rows is None or not (features.learns or features.centring is not None):
            return WeighedVectors(self.vectors, None)
        part = features.without_documents()
        if part.learns:
            part.fitted = clone(part.source).fit([self.documents[i] for i in rows.tolist()])
            part.n_columns = None
            matrix = part._matrix(self.documents)
        if part.centring is not None:
            matrix = of_unit_length(matrix) if part.learns else matrix
            part.centring = Centring.of(matrix[rows])
        return WeighedVectors(part._vectors(matrix), None)

    def known_shares(self, folds: NDArray[np.integer], *, in_time: bool = False) -> None:  # noqa: ARG002  no words to know
        return None


@dataclass(frozen=True, eq=False)
class Centring:
    """How dense rows of unit length become vectors beside terms: less their mean, then scaled.

    Without the mean, rows of one source are much alike, and the classifier would spend its weights
    on what they share. Their length says how much they may tell beside the terms. A row of zeros,
    such as that of a document without words, stays one.
    """

    mean: NDArray[np.float32]
    scale: float

    @classmethod
    def of(cls, rows: NDArray[np.float32]) -> "Centring":
        """Learn the mean of rows, and the scale that gives them `VECTOR_LENGTH`."""
        told = rows[rows.any(axis=1)].astype(np.float64)
        mean = told.mean(axis=0) if len(told) else np.zeros(rows.shape[1])
        length = float(np.sqrt(np.mean(((told - mean) ** 2).sum(axis=1)))) if len(told) else 0.0
        return cls(mean.astype(np.float32), VECTOR_LENGTH / length if length > 1e-6 else 0.0)

    def applied_to(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the vectors of rows of unit length."""
        centred = (rows - self.mean) * np.float32(self.scale)
        centred[~rows.any(axis=1)] = 0.0
        return np.ascontiguousarray(centred, np.float32)


def of_unit_length(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return dense rows at length 1; those of zeros stay as they are.

    Examples
    --------
    >>> of_unit_length(np.array([[0.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def get_features(
    features: FeaturesLike, language: str | None = "english", columns: tuple[str | int, ...] = ()
) -> Features:
    """Return the features that a user asked for, and refuse what is none.

    `columns` names the text columns where there are several.

    Examples
    --------
    >>> get_features("words+pairs").kind
    'words+pairs'
    >>> get_features(["auto", "meaning"]).sources[1].name
    'meaning'
    >>> get_features("wrds")
    Traceback (most recent call last):
    ...
    ValueError: features is 'wrds'; choose one of auto, words, words+pairs, characters, meaning, \
or give a scikit-learn vectorizer, a pipeline on text, a callable that returns vectors, or a list \
of these; did you mean 'words'?
    """
    sources = feature_sources(features)
    kinds = [source for source in sources if _is_kind(source)]
    own = [_source(source) for source in sources if not _is_kind(source)]
    # Words first: whoever looks for them finds them by their numbers.
    kinds.sort(key=lambda kind: kind == "characters")
    texts = [TextFeatures(kind, language, columns) for kind in kinds]
    if len(sources) == 1:
        return texts[0] if texts else OwnFeatures(*own[0])
    from imbtext.features._side_by_side import SideBySide

    names: list[str | None] = [name for _, name in own]
    for k, (source, _) in enumerate(own):
        name = OwnFeatures(source, names[k]).name
        names[k] = name if name not in names[:k] else f"{name} {k + 1}"
    beside = [
        OwnFeatures(source, name, beside=True) for (source, _), name in zip(own, names, strict=True)
    ]
    return SideBySide([*texts, *beside])


def feature_sources(features: object) -> list[Any]:
    """Return the sources of features that a user asked for, and refuse what is none.

    They are in a list, or names joined by plus signs, as in the names of methods.

    Examples
    --------
    >>> feature_sources("words+pairs+meaning"), feature_sources(["auto"])
    (['words+pairs', 'meaning'], ['auto'])
    """
    given = list(features) if isinstance(features, list | tuple) else [features]
    sources: list[Any] = []
    for source in given:
        if not isinstance(source, str):
            sources.append(source)
            continue
        joined = source.replace("words+pairs", "words&pairs").split("+")
        names = [name.strip().replace("&", "+") for name in joined]
        sources += names if all(name in _NAMES for name in names) else [source]
    for source in sources:
        _check_source(source)
    kinds = [source for source in sources if _is_kind(source)]
    for blocks in ({"auto", "words", "words+pairs"}, {"auto", "characters"}):
        same = [kind for kind in kinds if kind in blocks]
        if len(same) > 1:
            raise ValueError(
                f"features lists {' and '.join(map(repr, same))}, which have terms in common; list "
                "one of them"
            )
    if not sources or sources.count(MEANING) > 1:
        raise ValueError(f"features is {features!r:.60}; list one source or more, each once")
    return sources


def name_of_features(features: object) -> str | None:
    """Return features as one name, as methods have it; None if not all of them are names.

    Examples
    --------
    >>> name_of_features(["auto", "meaning"]), name_of_features("words"), name_of_features([len])
    ('auto+meaning', 'words', None)
    """
    sources = features if isinstance(features, list | tuple) else [features]
    names = [source for source in sources if isinstance(source, str)]
    return "+".join(names) if len(names) == len(sources) else None


def check_features(features: object) -> None:
    """Raise immediately if `features` is not recognised."""
    feature_sources(features)


def _check_source(source: object) -> None:
    if isinstance(source, str):
        known = source in _NAMES
    else:  # a class is callable, and returns no vectors
        known = (callable(source) or is_vectorizer(source)) and not isclass(source)
    if not known:
        hint = did_you_mean(source, _NAMES) if isinstance(source, str) else ""
        raise ValueError(
            f"features is {source!r:.60}; choose one of {', '.join(_NAMES)}, or give a "
            "scikit-learn vectorizer, a pipeline on text, a callable that returns vectors, or a "
            f"list of these{hint}"
        )


def _check_language(language: str | None) -> None:
    if language is None or language == "auto" or language in languages():
        return
    names = language.split("+")
    known = [*languages(), *WITHOUT_STEMS]
    if len(names) < 2 or any(name not in known for name in names) or len({*names}) < len(names):
        raise ValueError(
            f"language is {language!r}, whose stems are not known; choose one of "
            f"{', '.join(languages())}, several such as english+german, auto to find them, or None "
            f"for words as they are"
        )


def _is_kind(source: object) -> bool:
    return isinstance(source, str) and source in FEATURES


def _source(source: object) -> tuple[Any, str | None]:
    """Return what makes vectors, and its name where it has one of its own."""
    if not isinstance(source, str):
        return source, None
    from imbtext.features._meaning import Meaning

    return Meaning(), MEANING


def is_vectorizer(features: object) -> bool:
    """Say whether features are learnt from documents, and are not a function of one document."""
    return hasattr(features, "fit") and hasattr(features, "transform")


def _key(document: Document) -> Hashable:
    return document if isinstance(document, str) else tuple(document)
