"""The documents of the paper's LSTM experiment, as the networks read them.

Reuters headlines are stemmed as everywhere in the paper, but stopwords and rare words stay. Words
without a vector are dropped, and so are documents left with none, in training and in test. The
stems that have vectors are what both methods start from: EMCO estimates its chain on them, and EDA
replaces them by synonyms that have vectors themselves. What the text of the paper leaves out
follows the behaviour of the authors' code.
"""

import os
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from imbtext.datasets import TextDataset, load_reuters
from imbtext.documents import Corpus, PaperPreprocessor
from imbtext.markov import ClassCounts, MarkovChain, TransitionCounts
from imbtext.neural._embeddings import Embedding, EmbeddingSource, load_embedding
from imbtext.neural._sequences import common_length, padded
from imbtext.oversampling import (
    ENGLISH_STOPWORDS,
    Rates,
    Synonyms,
    SynonymTable,
    augment,
    synonym_lookup,
)
from imbtext.reproduction.experiments import eda_copies, n_synthetic
from imbtext.reproduction.splits import Sides, fingerprint, official_rows

GAMMA = 0.1
LSTM_METHODS = ("lstm", "eda", "emco(0.1)")
# A word of one letter is no token here, be it a stem or a part of a synonym.
_SHORTEST_WORD = 2


@dataclass(frozen=True, eq=False)
class LSTMData(Sides):
    """Both sides of the experiment: the documents that have words with vectors.

    Both corpora are on ``embedding.words``: every word that a document or a synonym may hold.
    Shares are those of all training documents, and `coverage` is the share of the training tokens
    that have a vector.
    """

    train: Corpus
    test: Corpus
    embedding: Embedding
    coverage: float
    synonyms: SynonymTable
    checksum: str

    @cached_property
    def length(self) -> int:
        """The number of words at which a document is cut."""
        return common_length(self.train)

    @cached_property
    def original(self) -> NDArray[np.int32]:
        """The training documents, cut and padded."""
        return padded(self.train, self.length)

    @cached_property
    def test_rows(self) -> NDArray[np.int32]:
        """The test documents, cut and padded."""
        return padded(self.test, self.length)

    @cached_property
    def _transitions(self) -> TransitionCounts:
        return TransitionCounts.of(self.train)

    def fingerprint(self) -> str:
        """Return a digest of all that the networks read: documents, labels and vectors."""
        return fingerprint(
            (self.original, self.test_rows, self.embedding.vectors),
            (self.train_labels, self.test_labels),
            (*self.embedding.words, *self.categories),
        )

    def synthetic(self, method: str, category: str, ratio: float, seed: int) -> NDArray[np.int32]:
        """Return the documents a method adds to a category, cut and padded; "lstm" adds nothing."""
        members = np.flatnonzero(self.positive(category))
        if method == "lstm" or not len(members):
            return np.zeros((0, self.length), dtype=np.int32)
        n, m = self.train.n_documents, len(members)
        if method == "eda":
            copies = eda_copies(n, m, ratio)
            new, _ = augment(self.train.select(members), self.synonyms, copies, Rates(), seed=seed)
            new = new.with_vocabulary(self.embedding.words)
        elif method == "emco(0.1)":
            counts = ClassCounts.of(self.train, members)
            chain = MarkovChain.extrapolate(
                self._transitions, counts.counts, GAMMA, counts.word_ids
            )
            new = chain.draw(self.train.vocabulary, n_synthetic(n, m, ratio), seed=seed)
        else:
            raise ValueError(
                f"method is {method!r}; the LSTM experiment has {', '.join(LSTM_METHODS)}"
            )
        return padded(new, self.length)


def prepare_lstm(
    embedding: EmbeddingSource = None,
    *,
    data_home: str | os.PathLike[str] | None = None,
    synonyms: Synonyms = None,
    dataset: TextDataset | None = None,
) -> LSTMData:
    """Read the headlines, the word vectors and WordNet, and bring them onto one vocabulary.

    `dataset` is other documents with an official split instead of the Reuters headlines, `synonyms`
    other synonyms for EDA than WordNet's.
    """
    if dataset is None:
        dataset = load_reuters("titles", data_home=data_home)
    train_rows, test_rows = official_rows(dataset)
    preprocessor = PaperPreprocessor(stopwords=(), min_count=1)
    train = preprocessor.clean([dataset.texts[row] for row in train_rows])
    test = preprocessor.clean([dataset.texts[row] for row in test_rows])
    labels = np.column_stack([dataset.in_class(name) for name in dataset.classes])

    lookup = synonym_lookup(synonyms)
    # Looked up before it is known which stems have vectors, so that one pass over the file of
    # vectors is enough; the synonyms of the others are never used.
    table = SynonymTable.of(train.vocabulary, lookup, ENGLISH_STOPWORDS)
    needed = {*train.vocabulary, *test.vocabulary, *table.vocabulary}
    vectors = load_embedding(embedding, {w for w in needed if len(w) >= _SHORTEST_WORD})
    coverage = vectors.coverage(train)
    vectors.warn_low_coverage(coverage)

    train, train_labels = _with_words(train, labels[train_rows], vectors)
    test, test_labels = _with_words(test, labels[test_rows], vectors)
    return LSTMData(
        train=train,
        test=test,
        train_labels=train_labels,
        test_labels=test_labels,
        categories=dataset.classes,
        shares=labels[train_rows].mean(axis=0),
        embedding=vectors,
        coverage=coverage,
        synonyms=SynonymTable.of(vectors.words, lookup, ENGLISH_STOPWORDS, train.word_counts() > 0),
        checksum=dataset.checksum,
    )


def _with_words(
    corpus: Corpus, labels: NDArray[np.bool_], vectors: Embedding
) -> tuple[Corpus, NDArray[np.bool_]]:
    known = corpus.with_vocabulary(vectors.words)
    kept = known.lengths > 0
    return known.select(kept), labels[kept]
