"""Running experiments: what a run is asked to do, its units of work, and computing them.

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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Final, Generic, NamedTuple, TypeVar

import numpy as np
import polars as pl

from imbtext.methods import Request, fit_method
from imbtext.metrics import binary_scores
from imbtext.oversampling import FallbackWarning
from imbtext.parallel import Pool, pool_of
from imbtext.progress import progress_bar
from imbtext.randomness import seed_of_names
from imbtext.reproduction._averages import category_scores
from imbtext.reproduction._experiments import (
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
from imbtext.reproduction._published import DATASET_TABLE
from imbtext.reproduction._splits import Split, prepare
from imbtext.store import Store, UnitKey

# Raised when the numbers of all methods, or of one, change: their stored units are then computed
# anew and all others stay.
PROTOCOL_REVISION: Final = 1
METHOD_REVISIONS: Final[dict[str, int]] = {"eda": 2, "threshold": 1}
# The random stream of every unit: what tells units apart is the seed.
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


@dataclass(frozen=True)
class Options:
    """What `reproduce` runs, and where it writes.

    Parameters
    ----------
    out : path
        Folder for the tables and for finished work; it is created. A later run with the same folder
        continues where this one stopped.
    ratios : tuple of float, default=(0.1, 0.2)
        Sampling ratios: the share that an oversampled category makes up afterwards.
    methods, categories : tuple of str, default=None
        Only these; None is what the paper did. With some categories only, tables leave the
        published values out, because those are averages over all categories.
    repetitions : int, default=None
        How often each unit is repeated with another seed; None is as often as in the paper.
    jobs : int or Pool, default=1
        Number of processes, -1 for one per core; or a pool of your own, such as Dask's.
    seed : int, default=42
        Owns all randomness.
    quiet : bool, default=False
        Show neither progress nor tables on the terminal.
    data_home : Path, default=None
        Folder that holds the data sets; None is ``IMBTEXT_DATA`` or the cache.
    embedding : Path, default=None
        Word vectors for the LSTM; None is GloVe.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Where the LSTM is trained.

    See Also
    --------
    reproduce : Runs experiments with these options.

    Examples
    --------
    >>> options = Options(Path("results"), ratios=(0.2,), methods=("svm", "emco(0.1)"))
    >>> options.store_path.name, options.comparable
    ('units.sqlite', True)
    """

    out: Path
    ratios: tuple[float, ...] = RATIOS
    methods: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    repetitions: int | None = None
    jobs: int | Pool = 1
    seed: int = 42
    quiet: bool = False
    data_home: Path | None = None
    embedding: Path | None = None
    device: str = "auto"

    @property
    def store_path(self) -> Path:
        """The file of finished units."""
        return self.out / "units.sqlite"

    @property
    def pool(self) -> Pool:
        """The processes that `jobs` asks for."""
        return pool_of(self.jobs)

    @property
    def comparable(self) -> bool:
        """Whether averages are over all categories, as the published ones are."""
        return self.categories is None

    def settings(self, repetitions: int | str = "paper") -> dict[str, object]:
        """Return these options as the signature of results shows them.

        `repetitions` is what to show where the user did not choose a number.
        """
        return {
            "seed": self.seed,
            "ratios": ",".join(f"{ratio:g}" for ratio in self.ratios),
            "repetitions": self.repetitions or repetitions,
            "categories": ",".join(self.categories) if self.categories else "paper",
        }

    def __post_init__(self) -> None:
        object.__setattr__(self, "out", Path(self.out))

    def check(self) -> None:
        """Raise if no experiment can do this; called before any data is loaded."""
        for option in ("methods", "categories"):
            if isinstance(getattr(self, option), str):
                raise TypeError(f"{option} is a single str; give a tuple of names")
        for method in self.methods or ():
            method_named(method)
        if not self.ratios:
            raise ValueError("ratios is empty; give one or more, such as (0.1, 0.2)")
        for ratio in self.ratios:
            if not 0 < ratio < 1:
                raise ValueError(f"the ratio is {ratio}; it must be between 0 and 1, such as 0.2")
        if self.repetitions is not None and self.repetitions < 1:
            raise ValueError(f"repetitions is {self.repetitions}; it must be 1 or more")
        if self.embedding is not None and not Path(self.embedding).is_file():
            raise FileNotFoundError(f"there is no file of word vectors at {self.embedding}")
        _ = self.pool


@dataclass(frozen=True)
class Outcome:
    """How many units a run finished, found finished, and saw fail; and which failed."""

    computed: int = 0
    found: int = 0
    failed: int = 0
    failed_units: tuple[UnitKey, ...] = field(default=(), compare=False, repr=False)

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(
            self.computed + other.computed,
            self.found + other.found,
            self.failed + other.failed,
            self.failed_units + other.failed_units,
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
    return method_named(method).works_on != "classifier"


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
            method, Request(split.data, positive, n_new, unit_seed(key), stream=STREAM)
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
        done = store.finished()
    todo = [[group for group in task if not done.issuperset(group)] for task in tasks]
    n_units, n_todo = (sum(len(g) for task in part for g in task) for part in (tasks, todo))
    outcome = Outcome(found=n_units - n_todo)
    pool = options.pool
    with progress_bar(quiet=options.quiet or not n_todo) as bar:
        bar_task = bar.add_task(label, total=n_todo)
        work = _Work(score, shared, options.store_path if pool.writes_results else None)
        for task, results in pool.completed(_run_task, [t for t in todo if t], shared=work):
            if not pool.writes_results:
                _store(results, options.store_path)
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
    """What all tasks of a run share; without a path, the caller stores the results."""

    score: ScoreUnits[Shared]
    shared: Shared
    store_path: Path | None


def _run_task(work: _Work[Shared], groups: Sequence[Sequence[UnitKey]]) -> list[_Result]:
    """Compute groups one after the other and store each as soon as it is finished."""
    score, shared, store_path = work
    results = []
    for keys in groups:
        # Another run on this store may have finished them since the tasks were dealt out.
        new = keys if store_path is None else _unfinished(keys, store_path)
        if not new:
            continue
        start = time.perf_counter()
        scores, failure = {}, ""
        try:
            scores = dict(zip(keys, score(shared, keys), strict=True))
        except Exception:
            failure = traceback.format_exc()
        seconds = (time.perf_counter() - start) / len(keys)
        of_group = [_Result(key, seconds, scores.get(key), failure) for key in new]
        if store_path is not None:
            _store(of_group, store_path)
        results += of_group
    return results


def _unfinished(keys: Sequence[UnitKey], store_path: Path) -> list[UnitKey]:
    with Store(store_path) as store:
        done = store.finished(keys)
    return [key for key in keys if key not in done]


def _store(results: Sequence[_Result], store_path: Path) -> None:
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
        """Describe the whole data sets beside the paper's table, even where slices were run."""
        rows = {}
        for experiment in (EXPERIMENTS[name] for name in names):
            dataset, text = key = experiment.described_as
            if key not in self.described:
                uncut = replace(experiment, dataset=dataset, folds=1)
                (split,), _ = prepare(uncut, self.options.data_home)
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
