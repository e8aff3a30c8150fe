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
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from imbtext.comparison._bootstrap import bootstrap_scores
from imbtext.comparison._documents import ComparedDocuments
from imbtext.comparison.inspection import FoldWords
from imbtext.documents import Documents, Folds
from imbtext.methods import FittedMethod, Request, TrainingData, fit_method, get_method
from imbtext.methods._features import Matrix
from imbtext.methods._fitting import with_best_features
from imbtext.metrics import binary_scores
from imbtext.oversampling import minority_share
from imbtext.store import Store, UnitKey

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
    caught: Sequence[str] = ()
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
    """A fold as all classes see it: the rows of its documents, and what is derived from them."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    data: TrainingData
    # The test documents as classifiers of vectors, and of documents, see them.
    vectors: Matrix
    unseen: Documents


@dataclass(frozen=True, eq=False)
class Experiment:
    """All that a unit needs to know."""

    documents: ComparedDocuments
    data: TrainingData
    # Whether features are chosen, in each fold, on its training documents.
    choose_features: bool
    members: dict[str, NDArray[np.bool_]]
    # None with a test set of its own.
    folds: Folds | None
    # Documents that share a number are never split up, in the tuning of thresholds either.
    groups: NDArray[np.int64] | None
    classifier: Any
    share: float
    seed: int
    # Of the data and everything else that decides the numbers.
    digest: str
    # The store of finished units.
    kept: Path | None = None
    # The time after which no fit is begun.
    deadline: float | None = None
    # The fold that was prepared last, for the next class that shares it.
    latest: dict[Any, PreparedFold] = field(default_factory=dict, repr=False)

    def split(self, name: str, repeat: int, fold: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the training and the test documents of a fold."""
        if self.folds is None:
            rows = np.arange(self.data.n_documents)
            return rows[: self.documents.n_train], rows[self.documents.n_train :]
        tested = self.folds.tested(name, repeat, fold)
        return np.flatnonzero(~tested), np.flatnonzero(tested)

    @contextmanager
    def prepared(self, name: str, repeat: int, fold: int) -> Iterator[PreparedFold]:
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
            unseen = Documents.of([self.documents.rows[i] for i in test.tolist()])
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
        amount = minority_share(self.share).missing
        return Request.of(data, members, amount, random_state=seed, label=name)


def give_back_memory() -> None:
    """Hand what was freed back to the system, which the C library would keep for itself."""
    with suppress(AttributeError, OSError, TypeError):  # where it is not glibc
        ctypes.CDLL(None).malloc_trim(0)


def fold_seed(seed: int, name: str, repeat: int, fold: int) -> int:
    """Derive the seed of a fold; methods share it, so that they differ in nothing else."""
    raw = f"{seed}|{repeat}|{fold}|{name}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=4).digest()) >> 1


def run_fold(experiment: Experiment, task: Fold) -> list[Unit]:
    """Train and test the methods of a fold, one after the other, until the deadline.

    Each unit is kept in the experiment's store the moment it is finished.
    """

    def time_is_over() -> bool:
        return experiment.deadline is not None and time.time() > experiment.deadline

    units: list[Unit] = []
    if time_is_over():
        return units
    with experiment.prepared(task.name, task.repeat, task.fold) as ready:
        if any(get_method(method).works_on == "tokens" for method in task.methods):
            # Shared by all of them, so charged to none.
            ready.data.transitions()
        for method in task.methods:
            if time_is_over():
                break
            units.append(_run_method(experiment, task, method, ready))
            keep_units(experiment, units[-1:])
    return units


def _run_method(experiment: Experiment, task: Fold, method: str, ready: PreparedFold) -> Unit:
    unit = Unit(task.name, method, task.repeat, task.fold)
    seed = fold_seed(experiment.seed, task.name, task.repeat, task.fold)
    groups = None if experiment.groups is None else experiment.groups[ready.train]
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            request = experiment.request(ready.data, ready.train, task.name, seed)
            fitted = fit_method(method, request, classifier=experiment.classifier, groups=groups)
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
    shown: dict[str, Any] = {}
    if not task.repeat:
        said = _words(fitted, ready, members, decision)
        shown = {
            "decision": base64.b64encode(decision.astype("<f4").tobytes()).decode("ascii"),
            "words": "" if said is None else said.pack(),
        }
    return replace(
        unit,
        scores=binary_scores(members, decision > 0, decision),
        rows_added=fitted.n_added,
        seconds=seconds,
        caught=sorted({f"{w.category.__name__}: {w.message}" for w in caught}),
        spread=spread,
        **shown,
    )


def _words(
    fitted: FittedMethod,
    ready: PreparedFold,
    members: NDArray[np.bool_],
    decision: NDArray[np.float64],
) -> FoldWords | None:
    if fitted.reads_documents:
        documents = ready.unseen.rows
        return FoldWords.of_documents(fitted.classifier, documents, members, decision)
    features = ready.data.features
    names = ready.data.corpus.vocabulary if features is None else features.names()
    if names is None:
        return None
    return FoldWords.of(fitted, ready.vectors, names, members, decision)


def keep_units(experiment: Experiment, units: Sequence[Unit]) -> None:
    """Store finished units, where there is a store."""
    if experiment.kept is None:
        return
    own = experiment.seed, experiment.digest
    with Store(experiment.kept) as store:
        for unit in units:
            place = unit.fold, unit.name, experiment.share, unit.method, unit.repeat
            key = UnitKey("compare", *place, *own)
            if unit.error:
                store.add_failure(key, unit.error, unit.seconds)
            else:
                store.add(key, {"unit": json.dumps(asdict(unit))}, unit.seconds)


def kept_units(experiment: Experiment) -> dict[Any, Unit]:
    """Return the finished units of this very experiment from its store, by their places."""
    if experiment.kept is None:
        return {}
    with Store(experiment.kept) as store:
        rows = store.frame().to_dicts()
    own = experiment.share, experiment.seed, experiment.digest
    found = [
        Unit(**json.loads(row["unit"]))
        for row in rows
        if (row["ratio"], row["seed"], row["settings"]) == own
    ]
    return {unit.place: unit for unit in found}
