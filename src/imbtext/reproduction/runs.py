"""Running whole experiments, and what their runs leave for the tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from imbtext.reproduction.averages import category_scores
from imbtext.reproduction.experiments import (
    EXPERIMENTS,
    RATIOS,
    PaperExperiment,
)
from imbtext.reproduction.options import Options
from imbtext.reproduction.published_values import DATASET_TABLE
from imbtext.reproduction.signature import signature
from imbtext.reproduction.splits import Split, prepare
from imbtext.reproduction.units import Outcome, experiment_units, finished_units, run_units
from imbtext.store import UnitKey


@dataclass
class Runs:
    """Experiments run one after the other, and what they leave for the tables."""

    options: Options
    outcome: Outcome = field(default_factory=Outcome)
    keys: list[UnitKey] = field(default_factory=list)
    shares: dict[tuple[str, str], float] = field(default_factory=dict)
    checksums: dict[str, str] = field(default_factory=dict)
    described: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)

    def run(
        self,
        experiment: PaperExperiment,
        methods: Sequence[str],
        splits: Sequence[Split],
        checksum: str,
    ) -> None:
        """Compute the units of an experiment that the store lacks."""
        units = experiment_units(experiment, splits, methods, self.options)
        self.outcome += run_units(splits, units, self.options, experiment.name)
        self.keys += units
        first = splits[0]
        self.shares |= {(experiment.name, c): first.share(c) for c in first.categories}
        self.checksums[experiment.described_as[0]] = checksum
        if len(splits) == 1:
            self.described[experiment.described_as] = _described(first)

    def categories(self) -> pl.DataFrame:
        """Return the finished units of these runs, averaged by category."""
        units = finished_units(self.keys, self.options)
        if units.is_empty():
            return units
        return category_scores(units, self.shares, self.options.ratios)

    def signature(self) -> str:
        """Return the line that goes under the tables."""
        return signature(self.options.settings(), self.checksums)

    def dataset_table(self, names: Iterable[str]) -> pl.DataFrame:
        """Describe the data sets beside the paper's table: whole, even where slices are run."""
        rows = {}
        for experiment in (EXPERIMENTS[name] for name in names):
            dataset, text = key = experiment.described_as
            if key not in self.described:
                whole = replace(experiment, dataset=dataset, folds=1)
                (split,), _ = prepare(whole, self.options.data_home)
                self.described[key] = _described(split)
            rows[key] = {"dataset": dataset, "text": text, **self.described[key]}
        ours = pl.DataFrame(list(rows.values()))
        return DATASET_TABLE.join(ours, on=["dataset", "text"], maintain_order="left").select(
            *("dataset", "text", "n_train", "n_test", "n_words"),
            *("mean_length", "published_mean_length"),
            *("minority_vocabulary_share", "published_minority_vocabulary_share"),
        )


def run_experiments(names: Iterable[str], options: Options, methods: Sequence[str]) -> Runs:
    """Run experiments one after the other."""
    runs = Runs(options)
    for name in names:
        runs.run(EXPERIMENTS[name], methods, *prepare(EXPERIMENTS[name], options.data_home))
    return runs


def _described(split: Split) -> dict[str, float]:
    """Describe a data set; the share is the mean over what the paper's larger ratio oversamples."""
    corpus = split.data.corpus
    shares = [
        np.unique(corpus.select(split.positive(category)).ids).size / corpus.n_words
        for category in split.minority_categories(max(RATIOS))
    ]
    return {
        "n_train": split.data.n_documents,
        "n_test": split.test.shape[0],
        "n_words": corpus.n_words,
        "mean_length": float(corpus.lengths.mean()),
        "minority_vocabulary_share": float(np.mean(shares)),
    }
