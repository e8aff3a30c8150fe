"""The training and test sides of each experiment, from the data sets to prepared vectors."""

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from imbtext.datasets import (
    TextDataset,
    load_20newsgroups,
    load_huffpost,
    load_reuters,
    load_stopwords,
)
from imbtext.documents import Corpus, Documents
from imbtext.methods import PreparedDocuments
from paper.experiments import PaperExperiment, chosen_categories, is_oversampled
from paper.preprocessing import PaperPreprocessor

DataHome = str | os.PathLike[str] | None
Rows = NDArray[np.int64]

_HUFFPOST_SEED: Final = 42


@dataclass(frozen=True, eq=False)
class SplitLabels:
    """Which documents (rows) of the training and the test side belong to which category (column).

    ``shares`` is the relative frequency of each category. It decides whether a category is
    reported, and in which group.
    """

    train_labels: NDArray[np.bool_]
    test_labels: NDArray[np.bool_]
    categories: tuple[str, ...]
    shares: NDArray[np.float64]

    def share(self, category: str) -> float:
        """Return the relative frequency that decides on the category's group."""
        return float(self.shares[self.categories.index(category)])

    def minority_categories(
        self, ratio: float, names: Sequence[str] | None = None, owner: str = "the data set"
    ) -> list[str]:
        """Return the categories that are oversampled at a ratio, of all or of those named."""
        chosen = chosen_categories(names, self.categories, owner)
        return [category for category in chosen if is_oversampled(self.share(category), ratio)]

    def positive(self, category: str) -> NDArray[np.bool_]:
        """Return which training documents belong to the category."""
        return np.ascontiguousarray(self.train_labels[:, self.categories.index(category)])

    def test_positive(self, category: str) -> NDArray[np.bool_]:
        """Return which test documents belong to the category."""
        return np.ascontiguousarray(self.test_labels[:, self.categories.index(category)])


@dataclass(frozen=True, eq=False)
class RawSplit(SplitLabels):
    """A training and a test side as text, with their labels.

    Attributes
    ----------
    train_texts, test_texts : sequence of str
        The documents.
    train_labels, test_labels : ndarray of bool
        Documents by categories.
    categories : tuple of str
        The categories, in the order of the columns.
    shares : ndarray of float64
        The relative frequency of each category.
    """

    train_texts: Sequence[str]
    test_texts: Sequence[str]


@dataclass(frozen=True, eq=False)
class Split(RawSplit):
    """A split that is preprocessed and vectorised as well: what every unit starts from.

    Attributes
    ----------
    data : PreparedDocuments
        The training side, as `imbtext.methods` takes it.
    test : sparse array
        The tf-idf vectors of the test side, on the vocabulary of the training side.
    """

    data: PreparedDocuments
    test: sparse.csr_array

    def fingerprint(self) -> str:
        """Return a digest of the documents as the classifier sees them, labels included."""
        corpus = self.data.corpus
        arrays = (corpus.ids, corpus.offsets, self.test.indices, self.test.indptr)
        return fingerprint(
            [np.asarray(array, dtype=np.int64) for array in arrays],
            (self.train_labels, self.test_labels),
            (*corpus.vocabulary, *self.categories),
        )


def fingerprint(
    arrays: Iterable[NDArray[Any]], labels: Iterable[NDArray[np.bool_]], words: Iterable[str]
) -> str:
    """Return a digest of everything that a classifier reads."""
    digest = hashlib.blake2b(digest_size=8)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    for marks in labels:
        digest.update(np.packbits(marks).tobytes())
    digest.update("\n".join(words).encode())
    return digest.hexdigest()


def prepare(experiment: PaperExperiment, data_home: DataHome = None) -> tuple[list[Split], str]:
    """Load the data of an experiment and prepare its splits as the paper did.

    Use it to run methods of your own on exactly the documents of the paper's tables.

    Parameters
    ----------
    experiment : PaperExperiment
        One of `EXPERIMENTS`.
    data_home : path, default=None
        Folder that holds the data sets; None is ``IMBTEXT_DATA`` or the cache.

    Returns
    -------
    splits : list of Split
        One per fold: texts, labels, the prepared training documents and the test vectors.
    checksum : str
        Of the data set, for the signature of results.

    See Also
    --------
    raw_splits : The same splits as text, without preprocessing.

    Examples
    --------
    >>> from paper.experiments import EXPERIMENTS
    >>> (split,), _ = prepare(EXPERIMENTS["reuters-titles"])  # doctest: +SKIP
    >>> split.data.n_documents, split.positive("tin").sum()  # doctest: +SKIP
    (7769, 18)
    """
    stopwords = sorted(load_stopwords(data_home=data_home))
    raw, checksum = raw_splits(experiment, data_home)
    return [preprocess(split, stopwords) for split in raw], checksum


def raw_splits(
    experiment: PaperExperiment, data_home: DataHome = None
) -> tuple[Iterator[RawSplit], str]:
    """Load the data of an experiment and cut it into training and test sides, as text.

    Returns the splits, one per fold, and the checksum of the data set, like `prepare`.
    """
    dataset = _load(experiment, data_home)
    if experiment.dataset == "20newsgroups":
        stopwords = sorted(load_stopwords(data_home=data_home))
        train, test = official_rows(dataset)
        # Only training documents lose their stopwords, so a test document of nothing else stays.
        sides = [
            (
                train[not_empty([dataset.texts[row] for row in train], stopwords)],
                test[not_empty([dataset.texts[row] for row in test], ())],
            )
        ]
    elif experiment.dataset == "reuters":
        sides = [official_rows(dataset)]
    else:
        sides = list(huffpost_rows(len(dataset), experiment.folds))
    membership = np.column_stack([dataset.in_class(name) for name in dataset.classes])
    # HuffPost's frequencies are those of all documents; elsewhere those of the training side.
    overall = membership.mean(axis=0) if experiment.dataset.startswith("huffpost") else None
    raw = (
        RawSplit(
            train_texts=[dataset.texts[row] for row in train],
            test_texts=[dataset.texts[row] for row in test],
            train_labels=membership[train],
            test_labels=membership[test],
            categories=dataset.classes,
            shares=membership[train].mean(axis=0) if overall is None else overall,
        )
        for train, test in sides
    )
    return raw, dataset.checksum


def preprocess(raw: RawSplit, stopwords: Sequence[str]) -> Split:
    """Stem, remove stopwords and rare words, and weight by tf-idf.

    Vocabulary and idf come from the training side. A training document left with no words stays as
    an empty row.
    """
    preprocessor = PaperPreprocessor(stopwords)
    corpus = preprocessor.fit_transform(raw.train_texts)
    data = PreparedDocuments(Documents.of(raw.train_texts), preprocessor.clean, corpus=corpus)
    return Split(**vars(raw), data=data, test=data.vectorize_documents(raw.test_texts))


def huffpost_rows(n: int, folds: int) -> Iterator[tuple[Rows, Rows]]:
    """Shuffle `n` rows, cut them into `folds` consecutive slices, split each into halves.

    The shuffle is the one of pandas' ``sample(frac=1, random_state=42)``.

    Examples
    --------
    >>> [(len(train), len(test)) for train, test in huffpost_rows(23, folds=5)]
    [(2, 3), (2, 3), (2, 3), (2, 3), (1, 2)]
    """
    order = check_random_state(_HUFFPOST_SEED).permutation(n)
    size = round(n / folds)
    for fold in range(folds):
        rows = order[fold * size : (fold + 1) * size]
        train, test = train_test_split(rows, train_size=0.5, random_state=_HUFFPOST_SEED)
        yield train, test


def not_empty(texts: Sequence[str], stopwords: Sequence[str]) -> NDArray[np.bool_]:
    """Return which texts keep a token after all steps but the removal of rare words."""
    corpus: Corpus = PaperPreprocessor(stopwords).clean(texts)
    return corpus.lengths > 0


def _load(experiment: PaperExperiment, data_home: DataHome) -> TextDataset:
    if experiment.dataset == "reuters":
        return load_reuters(experiment.text, data_home=data_home)
    if experiment.dataset == "20newsgroups":
        return load_20newsgroups(data_home=data_home)
    return load_huffpost(experiment.text, data_home=data_home)


def official_rows(dataset: TextDataset) -> tuple[Rows, Rows]:
    """Return the training and the test documents of the official split."""
    if dataset.train is None or dataset.test is None:
        raise ValueError(f"{dataset.name} has no official split")
    return dataset.train.astype(np.int64), dataset.test.astype(np.int64)
