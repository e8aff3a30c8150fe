"""The units of work: what they are, how one is computed, and running all of them.

A unit is one training and scoring: a category of a split oversampled to a ratio by a method, once.
The units of one category are one task of the pool: what its methods, ratios and repetitions share
(neighbours, a topic model, transition counts) is then found in one process and computed once. Each
unit is stored the moment it is finished.

The random numbers of a unit follow from its key alone. So results do not depend on the number of
workers, on the order of the tasks, or on how often the run was interrupted.
"""

import hashlib
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import polars as pl

from imbtext.methods import Request, fit_method, get_method
from imbtext.metrics import binary_scores
from imbtext.oversampling import FallbackWarning
from imbtext.progress import progress_bar
from imbtext.reproduction.experiments import (
    AS_IN_THE_PAPER,
    PAPER_METHODS,
    PaperExperiment,
    chosen_categories,
    is_oversampled,
    n_synthetic,
)
from imbtext.reproduction.options import Options
from imbtext.reproduction.splits import Split
from imbtext.store import Store, UnitKey

# Raised when the numbers of all methods, or of one, change: their stored units are then computed
# anew and all others stay.
PROTOCOL_REVISION: Final = 1
METHOD_REVISIONS: Final[dict[str, int]] = {"eda": 2, "threshold": 1}
# The random stream of every unit: what tells units apart is the seed.
STREAM: Final = 0

# From what all tasks share and the keys of units computed together to the scores of each.
ScoreUnits = Callable[[Any, Sequence[UnitKey]], list[dict[str, float]]]


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


def _largest_first(split: Split, wanted: Sequence[str] | None, owner: str) -> list[str]:
    """Return the wanted categories, the largest (and slowest) first."""
    counts = dict(zip(split.categories, split.train_labels.sum(axis=0), strict=True))
    chosen = chosen_categories(wanted, split.categories, owner)
    # A category that the training half of a slice lacks has nothing to be learnt from.
    return sorted((c for c in chosen if counts[c] > 0), key=lambda c: (-counts[c], c))


def oversamples(method: str) -> bool:
    """Say whether the method adds documents, so that the sampling ratio matters to it.

    Examples
    --------
    >>> oversamples("emco(0.1)"), oversamples("svm")
    (True, False)
    """
    return get_method(method).works_on != "classifier"


def unit_digest(fingerprint: str, name: str) -> str:
    """Digest what a result depends on besides its key: the data, the protocol, the method."""
    method = get_method(name)
    revision = METHOD_REVISIONS.get("threshold" if method.scoring else method.family, 0)
    return digest(fingerprint, AS_IN_THE_PAPER.get(name, name), PROTOCOL_REVISION, revision)


def digest(*settings: object) -> str:
    """Digest settings as a key of the store carries them."""
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
    text = "|".join(map(str, (key.seed, key.experiment, key.fold, key.category, key.repetition)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest()) >> 1


def score_unit(split: Split, key: UnitKey) -> dict[str, float]:
    """Compute the scores of one unit: oversample one category, train, predict the test side."""
    positive = split.positive(key.category)
    m = int(positive.sum())
    method = get_method(AS_IN_THE_PAPER.get(key.method, key.method))
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


@dataclass(frozen=True)
class Outcome:
    """How many units a run finished, found finished, and saw fail."""

    computed: int = 0
    found: int = 0
    failed: int = 0

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(
            self.computed + other.computed, self.found + other.found, self.failed + other.failed
        )


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
    score: ScoreUnits,
    tasks: Sequence[Sequence[Sequence[UnitKey]]],
    shared: object,
    options: Options,
    label: str,
) -> Outcome:
    """Compute and store what the store lacks.

    A task is groups of units that one process computes one by one. ``score(shared, group)`` returns
    the scores of a group's units; a group with a unit missing is computed whole. Failures
    are stored with their tracebacks. `label` is what the progress bar calls this work.
    """
    with Store(options.store_path) as store:
        done = store.finished()
    todo = [[group for group in task if not done.issuperset(group)] for task in tasks]
    n_units, n_todo = (sum(len(g) for task in part for g in task) for part in (tasks, todo))
    outcome = Outcome(found=n_units - n_todo)
    pool = options.pool
    with progress_bar(quiet=options.quiet or not n_todo) as bar:
        bar_task = bar.add_task(label, total=n_todo)
        everything = (score, shared, options.store_path if pool.writes_results else None)
        for task, results in pool.completed(_run_task, [t for t in todo if t], shared=everything):
            if not pool.writes_results:
                _store(results, options.store_path)
            n_task, failed = sum(map(len, task)), sum(r.scores is None for r in results)
            outcome += Outcome(len(results) - failed, n_task - len(results), failed)
            bar.advance(bar_task, n_task)
    return outcome


def finished_units(keys: Iterable[UnitKey], options: Options) -> pl.DataFrame:
    """Return the finished of these units: the store may hold those of other seeds and settings."""
    with Store(options.store_path) as store:
        units = store.frame()
    if units.is_empty():
        return units
    columns = [field.name for field in fields(UnitKey)]
    schema = {name: units.schema[name] for name in columns}
    wanted = pl.DataFrame([astuple(key) for key in keys], schema=schema, orient="row")
    return units.join(wanted, on=columns, how="semi")


@dataclass(frozen=True)
class _Result:
    """What became of a unit: its scores, or the traceback of a failure."""

    key: UnitKey
    seconds: float
    scores: dict[str, float] | None
    failure: str = ""


def _run_task(
    everything: tuple[ScoreUnits, Any, Path | None], groups: Sequence[Sequence[UnitKey]]
) -> list[_Result]:
    """Compute groups one after the other; store each, given a store."""
    score, shared, store_path = everything
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
        found = [_Result(key, seconds, scores.get(key), failure) for key in new]
        if store_path is not None:
            _store(found, store_path)
        results += found
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
