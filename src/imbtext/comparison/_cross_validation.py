"""Training and testing every method on every fold, in rounds that stay fair when time runs out.

A task is one fold of one class: its training documents are prepared once and all methods are
trained on them. A round is the same fold for all classes; the next round begins when tasks of the
last have been dealt out, so that at any moment all methods have been tested on the same documents.

Everything that learns from documents (vocabulary, idf, resampling, threshold) sees the training
side of the fold alone. The random numbers of a unit follow from its key, so the results depend
neither on the number of processes nor on what was found finished.
"""

import hashlib
import json
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from imbtext.corpus import Corpus
from imbtext.evaluation.bootstrap import bootstrap_scores
from imbtext.evaluation.metrics import binary_scores
from imbtext.evaluation.store import Store, UnitKey
from imbtext.methods import TrainingData, fit_method, get_method, n_for_share
from imbtext.tokenization import Tokenizer, encode_texts

N_BOOTSTRAP = 200


@dataclass(frozen=True)
class Unit:
    """One method, trained and tested on one fold of one class."""

    target: str
    method: str
    repeat: int
    fold: int
    scores: dict[str, float] = field(default_factory=dict)
    rows_added: int = 0
    seconds: float = 0.0
    error: str = ""
    caught: tuple[str, ...] = ()
    # With a test set of its own: each measure on resampled test documents.
    spread: dict[str, list[float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """One fold of one class, with the methods still to run on it."""

    repeat: int
    fold: int
    target: str
    methods: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Workload:
    """All that a worker needs to know.

    Attributes
    ----------
    corpus : Corpus
        All documents; with a test set of its own, the training documents and then those.
    texts : sequence or None
        The documents as they were given, for methods that work on text.
    positives : dict of str to ndarray of bool
        For each class, its documents.
    folds : dict of str to ndarray of int16
        For each class, the fold in which a document is tested, once a repeat; empty with a test
        set of its own.
    n_train : int
        The documents from here on are the test set; -1 where there is none.
    classifier : estimator
        Cloned for every fit.
    share : float
        The share that oversampling brings a class to.
    seed : int
        Owns all randomness.
    settings : str
        Digest of the data and everything else that decides the results.
    tokenizer : callable or None
        How texts become words.
    groups : ndarray of int64 or None
        Documents that share a number are never split up, in the tuning of thresholds either.
    """

    corpus: Corpus
    texts: Sequence[Any] | None
    positives: dict[str, NDArray[np.bool_]]
    folds: dict[str, NDArray[np.int16]]
    n_train: int
    classifier: Any
    share: float
    seed: int
    settings: str
    tokenizer: Tokenizer | None = None
    groups: NDArray[np.int64] | None = None

    def rows(self, target: str, repeat: int, fold: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the training and the test documents of a fold."""
        if self.n_train >= 0:
            rows = np.arange(self.corpus.n_documents)
            return rows[: self.n_train], rows[self.n_train :]
        tested = self.folds[target][repeat] == fold
        return np.flatnonzero(~tested), np.flatnonzero(tested)

    def prepare(self, train: NDArray[Any], test: NDArray[Any]) -> tuple[TrainingData, Corpus]:
        """Return the training documents on their own vocabulary, and the test documents on it."""
        corpus = self.corpus.select(train)
        known = corpus.word_counts() > 0
        texts = None if self.texts is None else [self.texts[i] for i in train.tolist()]
        data = TrainingData(corpus.keep_words(known), texts, _Encoder(self.tokenizer))
        held_out = self.corpus.select(test).keep_words(known)
        return data, Corpus(held_out.ids, held_out.offsets, data.corpus.vocabulary)

    def key(self, target: str, method: str, repeat: int, fold: int) -> UnitKey:
        """Return what a unit is stored under."""
        return UnitKey(
            "compare", fold, target, self.share, method, repeat, self.seed, self.settings
        )


@dataclass(frozen=True)
class _Encoder:
    """Tokenisation as a value: functions defined on the spot do not reach other processes."""

    tokenizer: Tokenizer | None

    def __call__(self, documents: Sequence[Any]) -> Corpus:
        if len(documents) and not isinstance(documents[0], str):
            return Corpus.from_tokens(documents)
        return encode_texts(list(documents), self.tokenizer)


def unit_seed(seed: int, target: str, repeat: int, fold: int) -> int:
    """Derive the seed of a fold; methods share it, so that they differ in nothing else.

    Examples
    --------
    >>> unit_seed(0, "oil", 0, 1) == unit_seed(0, "oil", 0, 1) != unit_seed(0, "oil", 0, 2)
    True
    """
    text = f"{seed}|{repeat}|{fold}|{target}"
    raw = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=4).digest()) >> 1


def run_task(
    workload: Workload, task: Task, deadline: float | None = None, store: Store | None = None
) -> Iterator[Unit]:
    """Train and test the methods of a task, one after the other, until the deadline."""
    if deadline is not None and time.time() > deadline:
        return
    train, test = workload.rows(task.target, task.repeat, task.fold)
    positive = workload.positives[task.target]
    data, held_out = workload.prepare(train, test)
    vectors = data.vectorize(held_out)
    n_new = n_for_share(len(train), int(positive[train].sum()), workload.share)
    seed = unit_seed(workload.seed, task.target, task.repeat, task.fold)
    if any(get_method(method).works_on == "tokens" for method in task.methods):
        # Shared by all of them, so charged to none.
        data.transitions  # noqa: B018
    for method in task.methods:
        if deadline is not None and time.time() > deadline:
            return
        name = (task.target, method, task.repeat, task.fold)
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                fitted = fit_method(
                    method,
                    data,
                    positive[train],
                    n_new,
                    seed,
                    classifier=workload.classifier,
                    groups=None if workload.groups is None else workload.groups[train],
                )
                decision = fitted.decision_function(vectors) - fitted.threshold
            except Exception as error:
                message = f"{type(error).__name__}: {' '.join(str(error).split())}"
                unit = Unit(*name, error=message, seconds=time.perf_counter() - start)
                if store is not None:
                    store.add_failure(workload.key(*name), message, unit.seconds)
                yield unit
                continue
        seconds = time.perf_counter() - start
        added = 0 if fitted.resampled is None else fitted.resampled.X.shape[0] - len(train)
        unit = Unit(
            *name,
            scores=binary_scores(positive[test], decision > 0, decision),
            rows_added=added,
            seconds=seconds,
            caught=tuple(sorted({f"{w.category.__name__}: {w.message}" for w in caught})),
            spread=bootstrap_scores(positive[test], decision, N_BOOTSTRAP, seed)
            if workload.n_train >= 0
            else {},
        )
        if store is not None:
            store.add(workload.key(*name), {"unit": json.dumps(asdict(unit))}, seconds)  # type: ignore[dict-item]
        yield unit


def found_units(workload: Workload, path: Path) -> dict[UnitKey, Unit]:
    """Return the finished units of this very comparison from a store."""
    with Store(path) as store:
        frame = store.frame()
    units = {}
    for row in frame.to_dicts():
        if row["experiment"] != "compare" or row["settings"] != workload.settings:
            continue
        key = UnitKey(**{part.name: row[part.name] for part in fields(UnitKey)})
        if key.seed == workload.seed and key.ratio == workload.share:
            unit = Unit(**json.loads(row["unit"]))
            units[key] = replace(unit, caught=tuple(unit.caught))
    return units


def run_tasks(
    workload: Workload,
    tasks: Sequence[Task],
    *,
    jobs: int = 1,
    deadline: float | None = None,
    store_path: Path | None = None,
) -> Iterator[Unit]:
    """Run tasks in their order on `jobs` processes and yield units as they are finished."""
    if jobs == 1:
        store = None if store_path is None else Store(store_path)
        try:
            with threadpool_limits(limits=1):
                for task in tasks:
                    yield from run_task(workload, task, deadline, store)
        finally:
            if store is not None:
                store.close()
        return
    with tempfile.TemporaryDirectory(prefix="imbtext-") as folder:
        path = Path(folder) / "workload.joblib"
        # One file that all workers map into memory, instead of a copy with every task.
        joblib.dump(workload, path)
        with joblib.parallel_config("loky", inner_max_num_threads=1):
            parallel = joblib.Parallel(
                n_jobs=jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="all"
            )
            for units in parallel(
                joblib.delayed(_worker)(str(path), task, deadline, store_path) for task in tasks
            ):
                yield from units


def _worker(path: str, task: Task, deadline: float | None, store_path: Path | None) -> list[Unit]:
    store = None if store_path is None else Store(store_path)
    try:
        return list(run_task(_load(path), task, deadline, store))
    finally:
        if store is not None:
            store.close()


@lru_cache(maxsize=1)
def _load(path: str) -> Workload:
    return joblib.load(path, mmap_mode="r")
