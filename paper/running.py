"""Running experiments: their units of work, and computing them.

A unit is one training and scoring: a category of a split oversampled to a ratio by a method, once.
The units of one category are one task of the pool: what its methods, ratios and repetitions share
(neighbours, a topic model, transition counts) is then found in one process and computed once. Each
unit is stored the moment it is finished.

The random numbers of a unit follow from its key alone. So results do not depend on the number of
workers, on the order of the tasks, or on how often the run was interrupted.

`Runs` runs whole experiments and keeps what the tables need. `run_tasks` below it computes any
units, those of the LSTM and of RareTextClassifier too.
"""

import hashlib
import platform
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from functools import partial
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Final, Generic, NamedTuple, TypeVar

import numpy as np
import polars as pl

from imbtext.methods import Problem, fit_method
from imbtext.metrics import binary_scores
from imbtext.oversampling import FallbackWarning
from imbtext.parallel import completed_units
from imbtext.progress import progress_bar
from imbtext.randomness import seed_of_names
from imbtext.store import Store, UnitKey
from paper.averages import category_scores
from paper.experiments import (
    AS_IN_THE_PAPER,
    EXPERIMENTS,
    PAPER_METHODS,
    RATIOS,
    PaperExperiment,
    chosen_categories,
    is_oversampled,
    method_named,
    n_synthetic,
)
from paper.options import Options, Outcome
from paper.published import DATASET_TABLE
from paper.splits import Split, prepare

# Raised when the numbers of all methods, or of one, change: their stored units are then computed
# anew and all others stay.
PROTOCOL_REVISION: Final = 1
METHOD_REVISIONS: Final[dict[str, int]] = {"eda": 2, "threshold": 1}
# The random stream of every unit: units differ by their seed.
STREAM: Final = 0

# What all tasks of a run share.
Shared = TypeVar("Shared")
# From what all tasks share and the keys of units computed together to the scores of each.
ScoreUnits = Callable[[Shared, Sequence[UnitKey]], list[dict[str, float]]]
# Their versions go under every table.
_PACKAGES: Final = (
    "imbalanced-text",
    "numpy",
    "scipy",
    "scikit-learn",
    "imbalanced-learn",
    "numba",
    "polars",
    "PyStemmer",
)


def signature(settings: Mapping[str, object], checksums: Mapping[str, str]) -> str:
    """Return the line that stands under every table, so that its numbers can be traced.

    It names the versions of the packages that compute, then settings, then data checksums.

    Examples
    --------
    >>> line = signature({"seed": 42}, {"reuters": "0123456789abcdef"})
    >>> line.split("|")[-2:]
    ['seed:42', 'data.reuters:0123456789ab']
    """
    parts = [f"{package}:{version(package)}" for package in _PACKAGES]
    parts.append(f"python:{platform.python_version()}")
    parts += [f"{name}:{value}" for name, value in settings.items()]
    parts += [f"data.{name}:{checksum[:12]}" for name, checksum in sorted(checksums.items())]
    return "|".join(parts)


def experiment_units(
    experiment: PaperExperiment, splits: Sequence[Split], methods: Sequence[str], options: Options
) -> list[UnitKey]:
    """List the units of an experiment, those that share work next to each other."""
    name, seed = experiment.name, options.seed
    keys = []
    for fold, split in enumerate(splits):
        fingerprint = split.fingerprint()
        for category in _largest_first(split, options.categories, name):
            sampled = [r for r in options.ratios if is_oversampled(split.share(category), r)]
            for method in methods:
                settings = unit_digest(fingerprint, method)
                repetitions = options.repetitions or experiment.repetitions
                if not oversamples(method) and method not in PAPER_METHODS:
                    repetitions = 1  # we added it, and it draws nothing
                keys += [
                    UnitKey(name, fold, category, ratio, method, repetition, seed, settings)
                    for repetition in range(repetitions)
                    for ratio in (sampled if oversamples(method) else [0.0] if sampled else [])
                ]
    return keys


def _largest_first(split: Split, names: Sequence[str] | None, owner: str) -> list[str]:
    """Return the named categories (None is all), the largest and slowest first."""
    counts = dict(zip(split.categories, split.train_labels.sum(axis=0), strict=True))
    chosen = chosen_categories(names, split.categories, owner)
    # Nothing can be learnt of a category that the training half of a slice lacks.
    return sorted((c for c in chosen if counts[c] > 0), key=lambda c: (-counts[c], c))


def oversamples(method: str) -> bool:
    """Say whether the method adds documents, so that the sampling ratio matters to it.

    Examples
    --------
    >>> oversamples("emco(0.1)"), oversamples("svm")
    (True, False)
    """
    definition = method_named(method)
    return definition.sampler is not None or definition.estimator is not None


def unit_digest(fingerprint: str, name: str) -> str:
    """Digest what a result depends on besides its key: data, protocol and method."""
    method = method_named(name)
    revision = METHOD_REVISIONS.get("threshold" if method.scoring else method.family, 0)
    return digest(fingerprint, AS_IN_THE_PAPER.get(name, name), PROTOCOL_REVISION, revision)


def digest(*settings: object) -> str:
    """Return the digest of settings that a key of the store carries."""
    return hashlib.blake2b(repr(settings).encode(), digest_size=6).hexdigest()


def unit_seed(key: UnitKey) -> int:
    """Derive the seed of a unit from its key.

    Methods and ratios of one repetition share the seed, so that what they have in common (a topic
    model, the first documents of a chain) is the same and needs computing once.

    Examples
    --------
    >>> key = UnitKey("reuters-titles", 0, "tin", 0.1, "ros", 0, 42, "abc")
    >>> unit_seed(key)
    1252818676
    """
    return seed_of_names(key.seed, key.experiment, key.fold, key.category, key.repetition)


def score_unit(split: Split, key: UnitKey) -> dict[str, float]:
    """Compute the scores of one unit: oversample one category, train, predict the test side."""
    positive = split.positive(key.category)
    m = int(positive.sum())
    method = method_named(AS_IN_THE_PAPER.get(key.method, key.method))
    if method.scoring is not None and m < 2:
        # One document cannot be cross-validated: the threshold stays where the classifier put it.
        method = replace(method, scoring=None)
    n_new = n_synthetic(len(positive), m, key.ratio) if key.ratio else 0
    with warnings.catch_warnings():
        # The paper's own fallbacks for tiny classes; hundreds of units would repeat the message.
        warnings.simplefilter("ignore", FallbackWarning)
        fitted = fit_method(
            method, Problem(split.data, positive, n_new, unit_seed(key), stream=STREAM)
        )
    decision = fitted.decision_function(split.test)
    return binary_scores(split.test_positive(key.category), decision > fitted.threshold, decision)


def run_units(
    splits: Sequence[Split], units: Iterable[UnitKey], options: Options, label: str = "units"
) -> Outcome:
    """Compute the units that the store lacks, those of one category of a fold in one task."""
    tasks = [
        [[key] for key in keys]
        for _, keys in groupby(units, key=lambda key: (key.fold, key.category))
    ]
    return run_tasks(_score_alone, tasks, splits, options, label)


def _score_alone(splits: Sequence[Split], keys: Sequence[UnitKey]) -> list[dict[str, float]]:
    return [score_unit(splits[key.fold], key) for key in keys]


def run_tasks(
    score: ScoreUnits[Shared],
    tasks: Sequence[Sequence[Sequence[UnitKey]]],
    shared: Shared,
    options: Options,
    label: str,
) -> Outcome:
    """Compute and store what the store lacks.

    A task is a list of groups that one process computes one by one. ``score(shared, group)``
    returns the scores of a group's units. A group is computed whole if one of its units is missing.
    Failures are stored with their tracebacks. `label` is the name of this work on the progress bar.
    """
    with Store(options.store_path) as store:
        finished = store.finished()
    todo = [[group for group in task if not finished.issuperset(group)] for task in tasks]
    n_units, n_todo = (sum(len(g) for task in part for g in task) for part in (tasks, todo))
    outcome = Outcome(found=n_units - n_todo)
    pool = options.pool
    with progress_bar(quiet=options.quiet or not n_todo) as bar:
        bar_task = bar.add_task(label, total=n_todo)
        work = _Work(score, shared, options.store_path if pool.writes_results else None)
        keep = partial(_store, options.store_path)
        for task, results in completed_units(pool, _run_task, [t for t in todo if t], work, keep):
            n_task = sum(map(len, task))
            failed = tuple(result.key for result in results if result.scores is None)
            outcome += Outcome(
                len(results) - len(failed), n_task - len(results), len(failed), failed
            )
            bar.advance(bar_task, n_task)
    return outcome


def finished_units(keys: Iterable[UnitKey], options: Options) -> pl.DataFrame:
    """Return those of the units that are finished, one row each.

    Other units in the store, of other seeds and settings, are left out.
    """
    with Store(options.store_path) as store:
        units = store.frame()
    if units.is_empty():
        return units
    columns = [field.name for field in fields(UnitKey)]
    schema = {name: units.schema[name] for name in columns}
    of_keys = pl.DataFrame([astuple(key) for key in keys], schema=schema, orient="row")
    return units.join(of_keys, on=columns, how="semi")


@dataclass(frozen=True)
class _Result:
    """What became of a unit: its scores, or the traceback of a failure."""

    key: UnitKey
    seconds: float
    scores: dict[str, float] | None
    failure: str = ""


class _Work(NamedTuple, Generic[Shared]):
    """What all tasks of a run share; workers elsewhere have no path to the store."""

    score: ScoreUnits[Shared]
    shared: Shared
    store_path: Path | None


def _run_task(work: _Work[Shared], groups: Sequence[Sequence[UnitKey]]) -> Iterator[_Result]:
    """Compute groups one after the other."""
    score, shared, store_path = work
    for keys in groups:
        # Another run on this store may have finished them since the tasks were dealt out.
        missing = keys if store_path is None else _unfinished(keys, store_path)
        if not missing:
            continue
        start = time.perf_counter()
        scores, failure = {}, ""
        try:
            scores = dict(zip(keys, score(shared, keys), strict=True))
        except Exception:
            failure = traceback.format_exc()
        seconds = (time.perf_counter() - start) / len(keys)
        for key in missing:
            yield _Result(key, seconds, scores.get(key), failure)


def _unfinished(keys: Sequence[UnitKey], store_path: Path) -> list[UnitKey]:
    with Store(store_path) as store:
        finished = store.finished(keys)
    return [key for key in keys if key not in finished]


def _store(store_path: Path, results: Sequence[_Result]) -> None:
    with Store(store_path) as store:
        for result in results:
            if result.scores is not None:
                store.add(result.key, result.scores, result.seconds)
            else:
                store.add_failure(result.key, result.failure, result.seconds)


@dataclass
class Runs:
    """Experiments run one after the other, and what they leave for the tables."""

    options: Options
    outcome: Outcome = field(default_factory=Outcome)
    keys: list[UnitKey] = field(default_factory=list)
    shares: dict[tuple[str, str], float] = field(default_factory=dict)
    checksums: dict[str, str] = field(default_factory=dict)
    descriptions: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)

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
            self.descriptions[experiment.described_as] = _description(first)

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
        """Describe the whole data sets beside the paper's table, even where slices were run."""
        rows = {}
        for experiment in (EXPERIMENTS[name] for name in names):
            dataset, text = key = experiment.described_as
            if key not in self.descriptions:
                uncut = replace(experiment, dataset=dataset, folds=1)
                (split,), _ = prepare(uncut, self.options.data_home)
                self.descriptions[key] = _description(split)
            rows[key] = {"dataset": dataset, "text": text, **self.descriptions[key]}
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


def _description(split: Split) -> dict[str, float]:
    """Describe a data set as the paper does.

    The vocabulary share is the mean over the categories that its larger ratio oversamples.
    """
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
