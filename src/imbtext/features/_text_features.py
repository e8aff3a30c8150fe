"""Words, pairs of words and character grams: the features of this package."""

from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Final, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from imbtext._messages import did_you_mean, listed
from imbtext._typing import ColumnName, DocumentsLike
from imbtext.documents._documents import Documents
from imbtext.documents._languages import WITHOUT_STEMS, languages_found, languages_with_stems
from imbtext.features._features import Features, WeighedVectors
from imbtext.features._terms import (
    GramBlock,
    TermInWords,
    Terms,
    Vectors,
    WordBlock,
    documents_languages,
    idf_weights,
)
from imbtext.records import checked_counts

Kind = Literal["auto", "words", "words+pairs", "characters"]
FEATURES: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(eq=False, repr=False)
class TextFeatures(Features):
    """Sublinear tf-idf vectors in one or two blocks.

    Words are runs of two letters or more, stemmed, and neighbours become pairs. Character grams
    have four characters and do not cross white space. A pair must occur in two documents. Each
    block has unit length, and so have two blocks together.

    Parameters
    ----------
    kind : {"auto", "words", "words+pairs", "characters"}, default="auto"
        The blocks; ``auto`` has words and pairs in one block and characters in the other.
    language : str or None, default="english"
        The language of the stems. None takes words as they are, ``"english+german"`` finds the
        language of each document among these two, and ``"auto"`` finds the languages during
        learning. Token lists are taken as they are.
    columns : tuple of names, default=()
        The text columns, if documents are rows of a table with several. They share their terms, as
        if they were one text, but pairs of words end where a column ends. On training documents
        this ranked as well as separate terms for each column, or both (benchmarks/text_columns.py).

    Attributes
    ----------
    reads_tokens : bool
        Whether it learnt from token lists.
    blocks : tuple of WordBlock and GramBlock
        The terms.
    frequencies : ndarray of int64
        How many documents have each term.
    n_documents : int
        How many documents it learnt from.

    Examples
    --------
    >>> features = TextFeatures("words")
    >>> features.fit_transform(["Oil prices", "OIL price", "rain"]).toarray().round(3).tolist()
    [[0.707, 0.707, 0.0], [0.707, 0.707, 0.0], [0.0, 0.0, 1.0]]
    >>> features.names().tolist()
    ['oil', 'price', 'rain']
    """

    kind: Kind = "auto"
    language: str | None = "english"
    columns: tuple[ColumnName, ...] = ()
    _: KW_ONLY
    reads_tokens: bool = False
    blocks: tuple[WordBlock | GramBlock, ...] = ()
    frequencies: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    n_documents: int = 0

    def __post_init__(self) -> None:
        if self.kind not in FEATURES:
            raise ValueError(
                f"features is {self.kind!r}; choose one of {', '.join(FEATURES)}"
                f"{did_you_mean(self.kind, FEATURES)}"
            )
        _check_language(self.language)
        self._asked_language = self.language
        has_words, has_grams = self.kind != "characters", self.kind in ("auto", "characters")
        words = WordBlock(self.language, with_pairs=self.kind != "words")
        if not self.blocks:
            self.blocks = (*[words] * has_words, *[GramBlock()] * has_grams)
            return
        first = self.blocks[0]
        kinds = [type(block) for block in self.blocks]
        if kinds != [WordBlock] * has_words + [GramBlock] * has_grams or (
            isinstance(first, WordBlock)
            and (first.language, first.with_pairs) != (words.language, words.with_pairs)
        ):
            raise ValueError("its terms are not those of its features")
        checked_counts(self.frequencies, self.least.shape)
        if int(self.frequencies.max(initial=0)) > self.n_documents or self.n_documents > 2**53:
            raise ValueError("a term is in more documents than there are")
        self.weigh(self.frequencies, self.n_documents)

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
        """Compute the weights of the terms from the number of documents that have each."""
        self.frequencies = frequencies
        self.n_documents = n_documents
        self.weights = idf_weights(frequencies, n_documents, self.least)

    def read(self, documents: Documents) -> Vectors:
        if not hasattr(self, "weights"):
            raise NotFittedError("these features have not learnt any terms yet; call fit first")
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

    def names(self, *, spelt: bool = False) -> NDArray[np.object_]:
        names = [name for block in self.blocks for name in block.names(spelt=spelt)]
        return np.array(names, dtype=object)

    def find(self, documents: Documents) -> list[list[TermInWords]]:
        occurrences: list[list[TermInWords]] = [[] for _ in range(len(documents))]
        languages = None
        if self.language is not None and "+" in self.language:
            languages = documents_languages(documents, self.language)
        read = {f"{column}: ": documents.field(column) for column in self.columns}
        for title, texts in (read or {"": documents}).items():
            first = 0
            for block in self.blocks:
                block_terms = (
                    block.find(texts.to_list(), languages)
                    if isinstance(block, WordBlock)
                    else block.find(texts.to_list())
                )
                for document, more in zip(occurrences, block_terms, strict=True):
                    document += [(first + term, title + words) for term, words in more]
                first += len(block.least)
        return occurrences


@dataclass(frozen=True, eq=False)
class TrainingTerms:
    """The training documents of `TextFeatures`: folds share one set of counts."""

    features: TextFeatures
    terms: Terms

    def seen_by(self, indices: NDArray[np.int64] | None = None) -> WeighedVectors:
        features = self.features
        if indices is None:
            return WeighedVectors(self.terms.vectors(features.weights), features.frequencies)
        frequencies = self.terms.frequencies(indices)
        weights = idf_weights(frequencies, len(indices), features.least)
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
        if in_time:  # no earlier documents
            n_words[folds == folds.min()] = 0
        elif len(np.unique(folds)) < 2:
            n_words[:] = 0
        n_known = np.bincount(documents, n_times * is_known, terms.n_documents)
        shares = np.full(len(n_words), np.nan)
        np.divide(n_known, n_words, out=shares, where=n_words > 0)
        return shares


def _check_language(language: str | None) -> None:
    with_stems = languages_with_stems()
    if language is None or language == "auto" or language in with_stems:
        return
    names = str(language).split("+")
    known = [*with_stems, *WITHOUT_STEMS]
    if len(names) < 2 or any(name not in known for name in names) or len({*names}) < len(names):
        raise ValueError(
            f"language is {language!r}, whose stems are not known; choose one of "
            f"{', '.join(with_stems)}, several such as english+german, auto to find them, or None "
            f"(--language none) for words as they are"
        )
