"""The paper's table of data sets: how long documents are, how small the minority vocabularies."""

from dataclasses import asdict, dataclass, replace
from typing import Self

import numpy as np
import polars as pl

from imbtext.reproduction.experiments import RATIOS, PaperExperiment, is_oversampled
from imbtext.reproduction.published_values import DATASET_TABLE
from imbtext.reproduction.splits import DataHome, Split, prepare


@dataclass(frozen=True)
class DatasetDescription:
    """What the paper's table says of a data set.

    ``minority_vocabulary_share`` is the mean over the classes that the larger of the paper's ratios
    oversamples.
    """

    n_train: int
    n_test: int
    n_words: int
    mean_length: float
    minority_vocabulary_share: float

    @classmethod
    def of(cls, split: Split) -> Self:
        """Describe a prepared split."""
        corpus = split.data.corpus
        shares = [
            np.unique(corpus.select(split.positive(category)).ids).size / corpus.n_words
            for category in split.categories
            if is_oversampled(split.share(category), max(RATIOS))
        ]
        return cls(
            split.data.n_documents,
            split.test.shape[0],
            corpus.n_words,
            float(corpus.lengths.mean()),
            float(np.mean(shares)),
        )


Described = dict[tuple[str, str], DatasetDescription]


def described_dataset(experiment: PaperExperiment) -> tuple[str, str]:
    """Return the data set and kind of text under which the paper describes an experiment.

    Examples
    --------
    >>> from imbtext.reproduction.experiments import EXPERIMENTS
    >>> described_dataset(EXPERIMENTS["huffpost-full-5fold"])
    ('huffpost', 'full')
    """
    return experiment.dataset.removesuffix("-5fold"), experiment.text


def describe_whole(experiment: PaperExperiment, data_home: DataHome = None) -> DatasetDescription:
    """Describe the whole of a data set, as the paper does even where it classifies five slices."""
    dataset, _ = described_dataset(experiment)
    (split,), _ = prepare(replace(experiment, dataset=dataset, folds=1), data_home)
    return DatasetDescription.of(split)


def dataset_table(described: Described) -> pl.DataFrame:
    """Put descriptions beside the published values, in the paper's order."""
    ours = pl.DataFrame(
        [{"dataset": name, "text": text, **asdict(own)} for (name, text), own in described.items()]
    )
    return DATASET_TABLE.join(ours, on=["dataset", "text"], maintain_order="left").select(
        *("dataset", "text", "n_train", "n_test", "n_words"),
        *("mean_length", "published_mean_length"),
        *("minority_vocabulary_share", "published_minority_vocabulary_share"),
    )
