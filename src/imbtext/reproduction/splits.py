"""The training and test sides of each experiment, from the data sets to prepared vectors."""

import os
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from imbtext.datasets import (
    TextDataset,
    load_20newsgroups,
    load_huffpost,
    load_reuters,
    load_stopwords,
)
from imbtext.reproduction.protocol import (
    Documents,
    Experiment,
    Split,
    huffpost_rows,
    not_empty,
    preprocess,
)

DataHome = str | os.PathLike[str] | None
Rows = NDArray[np.int64]


def prepare(experiment: Experiment, data_home: DataHome = None) -> tuple[list[Split], str]:
    """Load the data of an experiment and prepare its splits.

    Returns
    -------
    splits : list of Split
        One a fold.
    checksum : str
        The data set's own checksum, for the signature of the results.
    """
    stopwords = sorted(load_stopwords(data_home=data_home))
    dataset = _load(experiment, data_home)
    if experiment.dataset == "20newsgroups":
        train, test = _official(dataset)
        # Only training documents lose their stopwords, so a test document of nothing else stays.
        sides = [
            (
                train[not_empty([dataset.texts[row] for row in train], stopwords)],
                test[not_empty([dataset.texts[row] for row in test], ())],
            )
        ]
    elif experiment.dataset == "reuters":
        sides = [_official(dataset)]
    else:
        sides = list(huffpost_rows(len(dataset), experiment.folds))
    membership = _membership(dataset)
    # HuffPost's frequencies are those of the whole set; elsewhere those of the training side.
    whole = membership.mean(axis=0) if experiment.dataset.startswith("huffpost") else None
    splits = [
        preprocess(documents, stopwords)
        for documents in _documents(dataset, membership, sides, whole)
    ]
    return splits, dataset.checksum


def _load(experiment: Experiment, data_home: DataHome) -> TextDataset:
    if experiment.dataset == "reuters":
        return load_reuters(experiment.text, data_home=data_home)
    if experiment.dataset == "20newsgroups":
        return load_20newsgroups(data_home=data_home)
    return load_huffpost(experiment.text, data_home=data_home)


def _official(dataset: TextDataset) -> tuple[Rows, Rows]:
    if dataset.train is None or dataset.test is None:
        raise ValueError(f"{dataset.name} has no official split")
    return dataset.train.astype(np.int64), dataset.test.astype(np.int64)


def _membership(dataset: TextDataset) -> NDArray[np.bool_]:
    return np.column_stack([dataset.is_category(category) for category in dataset.categories])


def _documents(
    dataset: TextDataset,
    membership: NDArray[np.bool_],
    sides: list[tuple[Rows, Rows]],
    shares: NDArray[np.float64] | None,
) -> Iterator[Documents]:
    for train, test in sides:
        yield Documents(
            train_texts=[dataset.texts[row] for row in train],
            test_texts=[dataset.texts[row] for row in test],
            train_labels=membership[train],
            test_labels=membership[test],
            categories=dataset.categories,
            shares=membership[train].mean(axis=0) if shares is None else shares,
        )
