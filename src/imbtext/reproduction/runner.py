"""Running the units of work over all cores, each stored the moment it is finished.

A task is one category of one split: what its methods, ratios and repetitions share (neighbours, a
topic model, transition counts) is then found in one process and computed once. The prepared split
lies in a file that the workers map into memory, so that it exists once however many they are.

The random numbers of a unit follow from its key alone. So results do not depend on the number of
workers, on the order of the tasks, or on how often the run was interrupted.
"""

import hashlib
import signal
import tempfile
import threading
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

import joblib
from joblib.externals.loky import get_reusable_executor
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from imbtext._progress import progress_bar
from imbtext.evaluation.store import Store, UnitKey
from imbtext.methods import get_method
from imbtext.reproduction.protocol import (
    AS_IN_THE_PAPER,
    EXTRA_METHODS,
    Experiment,
    Split,
    is_oversampled,
)
from imbtext.reproduction.scoring import METHOD_REVISIONS, PROTOCOL_REVISION, score_unit


@dataclass(frozen=True)
class Plan:
    """What to run of one experiment."""

    experiment: Experiment
    methods: tuple[str, ...]
    ratios: tuple[float, ...]
    seed: int
    repetitions: int | None = None
    categories: tuple[str, ...] | None = None

    def units(self, fold: int, split: Split) -> list[UnitKey]:
        """List the units of one split, those that share work next to each other."""
        fingerprint = split.fingerprint()
        keys = []
        for category in self.selected(split):
            ratios = [r for r in self.ratios if is_oversampled(split.share(category), r)]
            for method in self.methods:
                settings = settings_digest(fingerprint, method)
                for repetition in range(self.n_repetitions(method)):
                    keys += [
                        UnitKey(
                            self.experiment.name,
                            fold,
                            category,
                            ratio,
                            method,
                            repetition,
                            self.seed,
                            settings,
                        )
                        for ratio in (ratios if oversamples(method) else [0.0] if ratios else [])
                    ]
        return keys

    def n_repetitions(self, method: str) -> int:
        """Return how often a method is repeated: our extra ones once, they draw no documents."""
        if method in EXTRA_METHODS:
            return 1
        return self.repetitions or self.experiment.repetitions

    def selected(self, split: Split) -> list[str]:
        """Return the wanted categories, the largest (and slowest) first."""
        if self.categories is not None:
            unknown = sorted(set(self.categories) - set(split.categories))
            if unknown:
                raise ValueError(
                    f"{self.experiment.name} has no category {unknown[0]!r}; its categories are "
                    f"{', '.join(split.categories)}"
                )
        wanted = self.categories or split.categories
        counts = dict(zip(split.categories, split.train_labels.sum(axis=0), strict=True))
        # A category that the training half of a slice lacks has nothing to be learnt from.
        return sorted((c for c in wanted if counts[c] > 0), key=lambda c: (-counts[c], c))


def oversamples(method: str) -> bool:
    """Say whether the method adds documents, so that the sampling ratio matters to it.

    Examples
    --------
    >>> oversamples("emco(0.1)"), oversamples("svm")
    (True, False)
    """
    return get_method(method).works_on != "classifier"


def settings_digest(fingerprint: str, method: str) -> str:
    """Digest what a result depends on besides its key: the data, the protocol, the method."""
    as_run = AS_IN_THE_PAPER.get(method, method)
    base = method.split("(", maxsplit=1)[0]
    settings = (fingerprint, as_run, PROTOCOL_REVISION, METHOD_REVISIONS.get(base, 0))
    return hashlib.blake2b(repr(settings).encode(), digest_size=6).hexdigest()


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
    splits: Sequence[Split],
    units: Sequence[Sequence[UnitKey]],
    store_path: Path,
    *,
    jobs: int = 1,
    quiet: bool = False,
    label: str = "",
) -> Outcome:
    """Compute the units that the store lacks.

    Parameters
    ----------
    splits : sequence of Split
        The folds of the experiment.
    units : sequence of sequence of UnitKey
        For each split its units.
    store_path : Path
        Where finished units are and go.
    jobs : int, default=1
        Number of processes; -1 takes one a core.
    quiet : bool, default=False
        Show no progress.
    label : str, default=""
        What the progress bar calls this work.

    Returns
    -------
    Outcome
        The counts; failures are in the store with their tracebacks.
    """
    wanted = [list(keys) for keys in units]
    with Store(store_path) as store:
        done = store.finished()
    missing = [[key for key in keys if key not in done] for keys in wanted]
    n_missing = sum(map(len, missing))
    outcome = Outcome(found=sum(map(len, wanted)) - n_missing)
    if not n_missing:
        return outcome
    with (
        tempfile.TemporaryDirectory(prefix="imbtext-") as folder,
        progress_bar(quiet=quiet) as bar,
    ):
        bar_task = bar.add_task(label or "units", total=n_missing)
        tasks = []
        for fold, (split, keys) in enumerate(zip(splits, missing, strict=True)):
            if not keys:
                continue
            path = Path(folder) / f"split-{fold}.joblib"
            joblib.dump(split, path)
            tasks += [
                (str(path), list(group), str(store_path))
                for _, group in groupby(keys, key=lambda key: key.category)
            ]
        for result in _parallel(tasks, jobs):
            outcome += result
            bar.advance(bar_task, result.computed + result.found + result.failed)
    return outcome


def _parallel(tasks: list[tuple[str, list[UnitKey], str]], jobs: int) -> Iterator[Outcome]:
    if jobs == 1:
        for task in tasks:
            yield run_task(*task)
        _load_split.cache_clear()
        return
    with workers_end_with_us(), joblib.parallel_config("loky", inner_max_num_threads=1):
        yield from joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)(
            joblib.delayed(_worker)(*task) for task in tasks
        )


@contextmanager
def workers_end_with_us() -> Iterator[None]:
    """Stop the workers at once when the run is interrupted: what they finished is stored."""
    try:
        yield
    except BaseException:
        get_reusable_executor().shutdown(wait=True, kill_workers=True)
        raise


def _worker(split_path: str, keys: list[UnitKey], store_path: str) -> Outcome:
    # Ctrl-C reaches every process of the terminal; the parent alone decides what it means.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return run_task(split_path, keys, store_path)


def run_task(split_path: str, keys: Iterable[UnitKey], store_path: str) -> Outcome:
    """Compute the units of one category, one after the other, and store each."""
    split = _load_split(split_path)
    outcome = Outcome()
    with threadpool_limits(limits=1), Store(store_path) as store:
        for key in keys:
            # Another run on this store may have finished it since the tasks were dealt out.
            if store.finished([key]):
                outcome += Outcome(found=1)
                continue
            start = time.perf_counter()
            try:
                scores = score_unit(split, key)
            except Exception:
                store.add_failure(key, traceback.format_exc(), time.perf_counter() - start)
                outcome += Outcome(failed=1)
            else:
                store.add(key, scores, time.perf_counter() - start)
                outcome += Outcome(computed=1)
    return outcome


@lru_cache(maxsize=1)
def _load_split(path: str) -> Split:
    return joblib.load(path, mmap_mode="r")
