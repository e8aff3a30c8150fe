"""The paper's LSTM experiment: its documents as the networks read them, and the networks.

It stands apart from the table in `lstm`, because this needs PyTorch and the table does not.

Reuters headlines are stemmed as everywhere in the paper, but stopwords and rare words stay. Words
without a vector are dropped, and so are documents left with none, in training and in test. The
stems that have vectors are what both methods start from: EMCO estimates its chain on them, and EDA
replaces them by synonyms that have vectors themselves. What the text of the paper leaves out
follows the behaviour of the authors' code.

A unit is one network: a category, a method, a ratio and a repetition. Networks of one method, ratio
and repetition train side by side in groups, and a group is stored the moment it is finished. A
network's random numbers follow from its unit alone. On the CPU the groups are the same for any
number of processes, so the table is too.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from imbtext.datasets import TextDataset, load_reuters
from imbtext.documents import Corpus, Documents
from imbtext.markov import MarkovChain, TransitionCounts
from imbtext.metrics import binary_scores
from imbtext.neural import choose_device, padded
from imbtext.oversampling import EDA, Request, synonym_lookup
from imbtext.store import UnitKey
from paper.embeddings import Embedding, load_embedding
from paper.experiments import LSTM_NAMES, eda_copies, n_synthetic
from paper.lstm_classifier import common_length
from paper.options import Options, Outcome
from paper.preprocessing import PaperPreprocessor
from paper.running import digest, run_tasks, unit_seed
from paper.side_by_side import predict_side_by_side
from paper.splits import SplitLabels, fingerprint, official_rows

LSTM_METHODS: Final = tuple(LSTM_NAMES)
_GAMMA: Final = 0.1
LSTM_EXPERIMENT: Final = "reuters-titles-lstm"
LSTM_REPETITIONS: Final = 5
# Raised when the numbers change, so that stored units are computed anew.
_REVISION: Final = 1
# So many networks keep one core busy and their numbers in its cache; a GPU takes all at once.
_GROUP_ON_CPU: Final = 22
# A word of one letter is not a token here, be it a stem or a part of a synonym.
_SHORTEST_WORD: Final = 2


@dataclass(frozen=True, eq=False)
class LSTMData(SplitLabels):
    """Both sides of the experiment: the documents that have words with vectors.

    Both corpora are on ``embedding.words``: every word that a document or a synonym may hold.
    Shares are those of all training documents, and `coverage` is the share of the training tokens
    that have a vector.
    """

    train: Corpus
    test: Corpus
    embedding: Embedding
    coverage: float
    synonyms: Mapping[str, Sequence[str]]
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
        """Return the documents that a method adds to a category, cut and padded.

        The method "lstm" adds nothing.
        """
        members = np.flatnonzero(self.positive(category))
        if method == "lstm" or not len(members):
            return np.zeros((0, self.length), dtype=np.int32)
        n, m = self.train.n_documents, len(members)
        if method == "eda":
            documents = self.train.select(members).tokens()
            eda, n_new = EDA(synonyms=self.synonyms), m * eda_copies(n, m, ratio)
            request = Request(Documents.of(documents), np.arange(m), n_new, seed, stream=0)
            new = Corpus.from_tokens(eda.draw(request).documents, self.embedding.words)
        elif method == "emco(0.1)":
            of_category = TransitionCounts.of(self.train.select(members))
            emco = MarkovChain.extrapolate(self._transitions, of_category, _GAMMA)
            new = emco.draw(self.train.vocabulary, n_synthetic(n, m, ratio), seed=seed)
        else:
            raise ValueError(
                f"method is {method!r}; the LSTM experiment has {', '.join(LSTM_METHODS)}"
            )
        return padded(new, self.length)


def prepare_lstm(
    embedding: str | os.PathLike[str] | Mapping[str, ArrayLike] | None = None,
    *,
    data_home: str | os.PathLike[str] | None = None,
    synonyms: Mapping[str, Sequence[str]] | None = None,
    dataset: TextDataset | None = None,
) -> LSTMData:
    """Read the headlines, the word vectors and WordNet, and bring them onto one vocabulary.

    Tests pass documents of their own with an official split as `dataset`, and synonyms of their own
    instead of WordNet's.
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
    synonyms_of = {word: list(lookup(word)) for word in train.vocabulary}
    needed = {*train.vocabulary, *test.vocabulary}
    needed |= {part for synonym in chain(*synonyms_of.values()) for part in synonym.split()}
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
        synonyms=synonyms_of,
        checksum=dataset.checksum,
    )


def _with_words(
    corpus: Corpus, labels: NDArray[np.bool_], vectors: Embedding
) -> tuple[Corpus, NDArray[np.bool_]]:
    known = corpus.with_vocabulary(vectors.words)
    kept = known.lengths > 0
    return known.select(kept), labels[kept]


def lstm_units(
    data: LSTMData, options: Options, methods: Sequence[str] = LSTM_METHODS
) -> list[list[UnitKey]]:
    """List the units in the groups that may train side by side: one setting each."""
    name, seed, ratios = LSTM_EXPERIMENT, options.seed, options.ratios
    settings = {method: digest(data.fingerprint(), _REVISION, method) for method in methods}
    sampled = [(method, ratio) for ratio in ratios for method in methods if method != "lstm"]
    if "lstm" in methods:
        sampled.insert(0, ("lstm", 0.0))
    return [
        [
            UnitKey(name, 0, category, ratio, method, repetition, seed, settings[method])
            for category in data.minority_categories(ratio or max(ratios), options.categories, name)
            if data.share(category) > 0
        ]
        for repetition in range(options.repetitions or LSTM_REPETITIONS)
        for method, ratio in sampled
    ]


def run_lstm(data: LSTMData, groups: Sequence[Sequence[UnitKey]], options: Options) -> Outcome:
    """Train the networks that the store lacks, side by side in groups, and store their scores.

    They train on this machine, over processes where there is no GPU.
    """
    where = choose_device(options.device)
    on_cpu = where == "cpu"
    size = _GROUP_ON_CPU if on_cpu else len(data.categories)
    # A group with a unit missing is trained whole: its networks are then what they always are.
    tasks = [
        [group[start : start + size]] for group in groups for start in range(0, len(group), size)
    ]
    jobs = options.jobs if on_cpu and isinstance(options.jobs, int) else 1
    return run_tasks(_group_scores, tasks, (data, where), replace(options, jobs=jobs), "lstm")


def _group_scores(shared: tuple[LSTMData, str], keys: Sequence[UnitKey]) -> list[dict[str, float]]:
    """Train the networks of a group and score their probabilities for the test documents."""
    data, device = shared
    vectors = data.embedding.matrix()
    positive, synthetic, seeds = group_inputs(data, keys)
    probabilities = predict_side_by_side(
        data.original, positive, synthetic, data.test_rows, vectors, seeds, device=device
    )
    return [unit_scores(data, key, row) for key, row in zip(keys, probabilities, strict=True)]


def group_inputs(
    data: LSTMData, keys: Sequence[UnitKey]
) -> tuple[NDArray[np.bool_], list[NDArray[np.int32]], list[int]]:
    """Return what the networks of a group do not share: labels, synthetic documents, seeds."""
    columns = [data.categories.index(key.category) for key in keys]
    seeds = [unit_seed(key) for key in keys]
    synthetic = [
        data.synthetic(key.method, key.category, key.ratio, seed)
        for key, seed in zip(keys, seeds, strict=True)
    ]
    return data.train_labels[:, columns], synthetic, seeds


def unit_scores(data: LSTMData, key: UnitKey, probability: NDArray[np.float32]) -> dict[str, float]:
    """Score one network's probabilities; a document belongs where its probability is above 0.5."""
    return binary_scores(data.test_positive(key.category), probability > 0.5, probability)
