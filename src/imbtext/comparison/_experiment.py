"""Training and testing every method on every fold.

Everything that learns from documents (vocabulary, idf, resampling, threshold) sees the training
side of a fold alone. The random numbers of a unit follow from its key, so the results depend
neither on the number of processes nor on what was found finished.
"""

import base64
import ctypes
import hashlib
import json
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from imbtext.classification._sources import ReadDocuments
from imbtext.comparison._documents import ComparedDocuments
from imbtext.comparison._folds import Folds
from imbtext.comparison.inspection import FoldWords
from imbtext.evaluation.bootstrap import bootstrap_scores
from imbtext.evaluation.metrics import binary_scores
from imbtext.evaluation.store import Store, UnitKey
from imbtext.methods import FittedMethod, Request, TrainingData, fit_method, get_method
from imbtext.methods._features import Matrix
from imbtext.methods._fitting import with_best_features
from imbtext.oversampling import minority_share

N_BOOTSTRAP: Final = 200


@dataclass(frozen=True)
class Unit:
    """One method, trained and tested on one fold of one class."""

    name: str
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
    # In the first repeat: how strongly each tested document is put into the class (32-bit floats,
    # above 0 where it is), so that a report shows the very scores that were compared.
    decision: str = ""
    # In the first repeat: the words that spoke for and against, see `FoldWords`.
    words: str = ""

    @property
    def place(self) -> tuple[str, str, tuple[int, int]]:
        """Class, method and round."""
        return self.name, self.method, (self.repeat, self.fold)

    @property
    def decisions(self) -> NDArray[np.float32]:
        """The decision for each tested document, in their order; empty but for the first repeat."""
        return np.frombuffer(base64.b64decode(self.decision), dtype="<f4")


@dataclass(frozen=True)
class Fold:
    """One fold of one class, with the methods still to run on it."""

    name: str
    repeat: int
    fold: int
    methods: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PreparedFold:
    """A fold as all classes see it.

    Attributes
    ----------
    train, test : ndarray of int64
        Its documents among all.
    data : TrainingData
        The training documents, with what methods derive from them.
    vectors : csr_array or ndarray
        The test documents as classifiers of vectors see them.
    unseen : ReadDocuments
        The test documents as classifiers of documents see them.
    """

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    data: TrainingData
    vectors: Matrix
    unseen: ReadDocuments


@dataclass(frozen=True, eq=False)
class Experiment:
    """All that a unit needs to know.

    Attributes
    ----------
    documents : ComparedDocuments
        Training documents and, behind them, those of a test set of its own.
    data : TrainingData
        The same, with what makes words and vectors of them.
    choose_features : bool
        Whether the features are chosen, in each fold, on its training documents.
    members : dict of str to ndarray of bool
        For each class by name, its documents.
    folds : Folds or None
        The fold in which a document is tested; None with a test set of its own.
    groups : ndarray of int64 or None
        Documents that share a number are never split up, in the tuning of thresholds either.
    classifier : estimator
        Cloned for every fit.
    share : float
        The share that oversampling brings a class to.
    seed : int
        Owns all randomness.
    digest : str
        Of the data and everything else that decides the numbers.
    kept : Path or None
        The store of finished units.
    deadline : float or None
        The time after which no fit is begun.
    latest : dict
        The fold that was prepared last, for the next class that shares it.
    """

    documents: ComparedDocuments
    data: TrainingData
    choose_features: bool
    members: dict[str, NDArray[np.bool_]]
    folds: Folds | None
    groups: NDArray[np.int64] | None
    classifier: Any
    share: float
    seed: int
    digest: str
    kept: Path | None = None
    deadline: float | None = None
    latest: dict[Any, "PreparedFold"] = field(default_factory=dict, repr=False)

    def split(self, name: str, repeat: int, fold: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the training and the test documents of a fold."""
        if self.folds is None:
            rows = np.arange(self.data.n_documents)
            return rows[: self.documents.n_train], rows[self.documents.n_train :]
        tested = self.folds.tested(name, repeat, fold)
        return np.flatnonzero(~tested), np.flatnonzero(tested)

    @contextmanager
    def prepared(self, name: str, repeat: int, fold: int) -> "Iterator[PreparedFold]":
        """Lend a fold, as it was left by another class that shares it, or prepared anew.

        Only the latest is kept, and no two threads have the same.
        """
        layout = None if self.folds is None else (self.folds.layout_of[name], repeat, fold)
        key = (name if self.choose_features else "", layout)
        ready = self.latest.pop(key, None)
        if ready is None:
            self.latest.clear()
            train, test = self.split(name, repeat, fold)
            data = self.data.select(train)
            if self.choose_features:
                seed = fold_seed(self.seed, name, repeat, fold)
                data = with_best_features(data, self.members[name][train], self.classifier, seed)
            unseen = ReadDocuments([self.documents.rows[i] for i in test.tolist()])
            ready = PreparedFold(train, test, data, data.vectors_of(self.data, test), unseen)
        yield ready
        ready.data.forget()
        self.latest.clear()
        self.latest[key] = ready
        give_back_memory()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "latest": {}}

    def request(self, data: TrainingData, train: NDArray[Any], name: str, seed: int) -> Request:
        """Return what methods are asked for on the training side of a fold of a class."""
        members = self.members[name][train]
        return Request.of(data, members, minority_share(self.share).missing, random_state=seed)

    def fit(
        self, method: str, data: TrainingData, train: NDArray[Any], name: str, seed: int
    ) -> FittedMethod:
        """Fit a method on the training side of a fold of a class."""
        return fit_method(
            method,
            self.request(data, train, name, seed),
            classifier=self.classifier,
            groups=None if self.groups is None else self.groups[train],
        )

    def key(self, name: str, method: str, repeat: int, fold: int) -> UnitKey:
        """Return what a unit is stored under."""
        return UnitKey("compare", fold, name, self.share, method, repeat, self.seed, self.digest)


def give_back_memory() -> None:
    """Hand what was freed back to the system, which the C library would keep for itself."""
    with suppress(AttributeError, OSError, TypeError):  # where it is not glibc
        ctypes.CDLL(None).malloc_trim(0)


def fold_seed(seed: int, name: str, repeat: int, fold: int) -> int:
    """Derive the seed of a fold; methods share it, so that they differ in nothing else.

    Examples
    --------
    >>> fold_seed(0, "oil", 0, 1) == fold_seed(0, "oil", 0, 1) != fold_seed(0, "oil", 0, 2)
    True
    """
    text = f"{seed}|{repeat}|{fold}|{name}"
    raw = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=4).digest()) >> 1


def run_fold(experiment: Experiment, task: Fold) -> list[Unit]:
    """Train and test the methods of a fold, one after the other, until the deadline.

    Each unit is kept in the experiment's store the moment it is finished.
    """
    deadline = experiment.deadline
    if deadline is not None and time.time() > deadline:
        return []
    units: list[Unit] = []
    with ExitStack() as opened:
        ready = opened.enter_context(experiment.prepared(task.name, task.repeat, task.fold))
        if any(get_method(method).works_on == "tokens" for method in task.methods):
            # Shared by all of them, so charged to none.
            ready.data.transitions()
        store = None if experiment.kept is None else opened.enter_context(Store(experiment.kept))
        for method in task.methods:
            if deadline is not None and time.time() > deadline:
                break
            units.append(_run_method(experiment, task, method, ready))
            if store is not None:
                _keep(store, experiment, units[-1])
    return units


def _run_method(experiment: Experiment, task: Fold, method: str, ready: PreparedFold) -> Unit:
    data = ready.data
    unit = Unit(task.name, method, task.repeat, task.fold)
    seed = fold_seed(experiment.seed, task.name, task.repeat, task.fold)
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fitted = experiment.fit(method, data, ready.train, task.name, seed)
            seen = ready.unseen if fitted.reads_documents else ready.vectors
            decision = fitted.decision_function(seen) - fitted.threshold
        except Exception as error:
            message = f"{type(error).__name__}: {' '.join(str(error).split())}"
            return replace(unit, error=message, seconds=time.perf_counter() - start)
    seconds = time.perf_counter() - start
    members = experiment.members[task.name][ready.test]
    spread: dict[str, list[float]] = {}
    if experiment.documents.n_test:
        # The same resamples for every repeat: repeats tell nothing of other test documents.
        resampling = fold_seed(experiment.seed, task.name, 0, 0)
        spread = bootstrap_scores(members, decision, N_BOOTSTRAP, resampling)
    unit = replace(
        unit,
        scores=binary_scores(members, decision > 0, decision),
        rows_added=fitted.n_added,
        seconds=seconds,
        caught=tuple(sorted({f"{w.category.__name__}: {w.message}" for w in caught})),
        spread=spread,
    )
    if task.repeat:
        return unit
    said: FoldWords | None = None
    names = data.corpus.vocabulary if data.features is None else data.features.names()
    if fitted.reads_documents:
        documents = ready.unseen.documents.rows
        said = FoldWords.of_documents(fitted.classifier, documents, members, decision)
    elif names is not None:
        said = FoldWords.of(fitted, ready.vectors, names, members, decision)
    return replace(
        unit,
        decision=base64.b64encode(decision.astype("<f4").tobytes()).decode("ascii"),
        words="" if said is None else said.pack(),
    )


def _keep(store: Store, experiment: Experiment, unit: Unit) -> None:
    key = experiment.key(unit.name, unit.method, unit.repeat, unit.fold)
    if unit.error:
        store.add_failure(key, unit.error, unit.seconds)
    else:
        store.add(key, {"unit": json.dumps(asdict(unit))}, unit.seconds)  # type: ignore[dict-item]


def keep_units(experiment: Experiment, units: Sequence[Unit]) -> None:
    """Store units that were computed where the store is not."""
    if experiment.kept is not None:
        with Store(experiment.kept) as store:
            for unit in units:
                _keep(store, experiment, unit)


def kept_units(experiment: Experiment) -> dict[UnitKey, Unit]:
    """Return the finished units of this very experiment from its store."""
    if experiment.kept is None:
        return {}
    with Store(experiment.kept) as store:
        frame = store.frame()
    units = {}
    for row in frame.to_dicts():
        if row["experiment"] != "compare" or row["settings"] != experiment.digest:
            continue
        key = UnitKey(**{part.name: row[part.name] for part in fields(UnitKey)})
        if key.seed == experiment.seed and key.ratio == experiment.share:
            unit = Unit(**json.loads(row["unit"]))
            units[key] = replace(unit, caught=tuple(unit.caught))
    return units
