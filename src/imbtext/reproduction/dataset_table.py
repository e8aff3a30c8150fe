"""The paper's table of data sets: how long documents are, how small the minority vocabularies."""

from typing import Final

import numpy as np
import polars as pl

from imbtext.reproduction.protocol import RATIOS, Experiment, Split, is_oversampled
from imbtext.reproduction.published import DATASET_TABLE
from imbtext.reproduction.splits import DataHome, prepare

# The paper describes the whole HuffPost set for both kinds of text, also where only its five
# slices are classified.
_DESCRIBED: Final = (
    Experiment("reuters-titles", "reuters", "titles", repetitions=1),
    Experiment("reuters-full", "reuters", "full", repetitions=1),
    Experiment("huffpost-titles", "huffpost", "titles", repetitions=1),
    Experiment("huffpost-full", "huffpost", "full", repetitions=1),
    Experiment("20newsgroups", "20newsgroups", "full", repetitions=1),
)


def describe(split: Split) -> tuple[float, float]:
    """Return the mean training length and the mean share of the minority vocabularies.

    The minority classes are those that the larger of the paper's ratios oversamples.
    """
    shares = []
    for category in split.categories:
        if is_oversampled(split.share(category), max(RATIOS)):
            minority = split.data.corpus.select(split.positive(category))
            shares.append(np.unique(minority.ids).size / split.data.corpus.n_words)
    return float(split.data.corpus.lengths.mean()), float(np.mean(shares))


def dataset_table(datasets: set[str], data_home: DataHome = None) -> pl.DataFrame:
    """Describe the named data sets (``reuters``, ``huffpost``, ``20newsgroups``) beside print."""
    published = {(row.dataset, row.text): row for row in DATASET_TABLE}
    rows = []
    for experiment in _DESCRIBED:
        if experiment.dataset not in datasets:
            continue
        splits, _ = prepare(experiment, data_home)
        length, share = describe(splits[0])
        row = published[experiment.dataset, experiment.text]
        rows.append(
            {
                "dataset": experiment.dataset,
                "text": experiment.text,
                "n_train": splits[0].data.n_documents,
                "n_test": splits[0].test.shape[0],
                "n_words": splits[0].data.corpus.n_words,
                "mean_length": length,
                "published_mean_length": row.mean_length,
                "minority_vocabulary_share": share,
                "published_minority_vocabulary_share": row.minority_vocabulary_share,
            }
        )
    return pl.DataFrame(rows)
