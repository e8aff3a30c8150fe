"""Running a comparison: every method on every fold.

A unit is one method on one fold of one class. Everything that learns from documents (vocabulary,
idf, resampling, threshold) sees the training side of the fold alone. The random numbers of a unit
follow from its name. So the results depend neither on the number of processes nor on which units
were finished by an earlier run (``_kept_work.py``).

Each fold is run for all classes before the next, because the classes share what is prepared for it.
With a time limit whole classes matter more. The first repeat is then run for one class, for the
next two, and so on, never for more than will probably be finished. `coverage_of` says afterwards
what can be compared.
"""

import re
import time
import warnings
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext._messages import listed
from imbtext._typing import Array, Matrix
from imbtext.comparison._documents import ComparedDocuments
from imbtext.comparison._kept_work import KeptWork
from imbtext.comparison._scores import Coverage, ResampledScores, Unit
from imbtext.comparison._settings import PLAIN, Place, Round, Settings
from imbtext.comparison._words import FoldWords
from imbtext.documents._documents import Documents
from imbtext.documents._folds import Folds
from imbtext.methods._characters import CharacterClassifier
from imbtext.methods._documents import PreparedDocuments
from imbtext.methods._fitting import FittedMethod, fit_method, with_best_features
from imbtext.methods._method import Request
from imbtext.methods._registry import get_method
from imbtext.metrics import Confusion, binary_scores, get_goal
from imbtext.oversampling._counting import CountingSampler
from imbtext.oversampling._strategy import minority_share
from imbtext.parallel import Pool, ProcessPool, completed_units, pool_of
from imbtext.progress import progress_bar
from imbtext.randomness import seed_of_names

_MOST_NOTES: Final = 10


@dataclass(frozen=True)
class FoldTask:
    """One fold of one class, with the methods still to run on it."""

    class_name: str
    repeat: int
    fold: int
    methods: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PreparedFold:
    """A fold as all classes see it: the rows of its documents, and what is derived from them."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    data: PreparedDocuments
    # The test documents, for classifiers of vectors and for classifiers of documents.
    test_vectors: Matrix
    test_documents: Documents


@dataclass(frozen=True, eq=False)
class Experiment:
    """The settings of a comparison with its documents and folds: all that a unit needs.

    Attributes
    ----------
    settings : Settings
        What was asked for.
    documents : ComparedDocuments
        Training documents and, behind them, those of a separate test set.
    data : PreparedDocuments
        The same documents encoded, with what makes vectors of them.
    members : dict of str to bool array
        Which documents belong to each class.
    folds : Folds or None
        None with a separate test set.
    groups : array or None
        Documents that share a number are never split up, not even to tune a threshold.
    drawn_together : array
        Documents that share a number are drawn together in the bootstrap of tested documents:
        groups and near-duplicates.
    kept : KeptWork or None
        Where finished units are kept.
    deadline : float or None
        The time after which no fit begins.
    """

    settings: Settings
    documents: ComparedDocuments
    data: PreparedDocuments
    members: dict[str, NDArray[np.bool_]]
    folds: Folds | None
    groups: NDArray[np.int64] | None
    drawn_together: NDArray[np.int64]
    kept: KeptWork | None = None
    deadline: float | None = None
    # The fold that was prepared last, for the next class that shares it.
    latest: dict[Hashable, PreparedFold] = field(default_factory=dict, repr=False)

    def split(self, class_name: str, repeat: int, fold: int) -> tuple[Array, Array]:
        """Return the training and the test documents of a fold."""
        if self.folds is None:
            rows = np.arange(self.data.n_documents)
            return rows[: self.documents.n_train], rows[self.documents.n_train :]
        return self.folds.split(class_name, repeat, fold)

    def seed(self, class_name: str, repeat: int, fold: int) -> int:
        """Return the seed of a fold; methods share it, so that they differ in nothing else."""
        return seed_of_names(self.settings.random_state, repeat, fold, class_name)

    @contextmanager
    def prepared(self, class_name: str, repeat: int, fold: int) -> Iterator[PreparedFold]:
        """Lend a fold. A class that shares it with the one before need not prepare it again.

        Only the latest fold is kept, and two threads never have the same one.
        """
        choose_features = self.settings.features == "best"
        layout = None if self.folds is None else (self.folds.layout_of[class_name], repeat, fold)
        key = (class_name if choose_features else "", layout)
        prepared = self.latest.pop(key, None)
        if prepared is None:
            self.latest.clear()
            train, test = self.split(class_name, repeat, fold)
            data = self.data.select(train)
            if choose_features:
                seed = self.seed(class_name, repeat, fold)
                members = self.members[class_name][train]
                data = with_best_features(data, members, self.settings.estimator, seed)
            documents = Documents.of([self.documents.rows[i] for i in test.tolist()])
            vectors = data.vectors_of(self.data, test)
            prepared = PreparedFold(train, test, data, vectors, documents)
        yield prepared
        prepared.data.forget()
        self.latest.clear()
        self.latest[key] = prepared

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "latest": {}}

    def request(self, data: PreparedDocuments, train: Array, class_name: str, seed: int) -> Request:
        """Return the request to the methods: the training side of a fold, and the class."""
        members = self.members[class_name][train]
        n_missing = minority_share(self.settings.share).missing
        return Request.of(data, members, n_missing, random_state=seed, label=class_name)


def run(experiment: Experiment, n_jobs: int | Pool, verbose: bool) -> list[Unit]:
    """Run the units that are not finished yet, and return all of them."""
    settings, pool = experiment.settings, pool_of(n_jobs)
    finished, keep = {}, None
    if experiment.kept is not None:
        finished, keep = experiment.kept.units(settings), partial(experiment.kept.add, settings)
    units = list(finished.values())
    tasks = _unfinished_tasks(settings, finished)
    start = settings.classes[0], settings.rounds[0]
    first_task = tasks.get(start)
    if experiment.deadline is not None and first_task is not None and PLAIN in first_task.methods:
        # The plain classifier on the first fold runs whatever the limit: without it there is
        # nothing to say.
        plain_task = replace(first_task, methods=(PLAIN,))
        patient = replace(experiment, deadline=None)
        for _, plain_units in completed_units(
            ProcessPool(1), run_fold, [plain_task], patient, keep
        ):
            units += plain_units
        others = tuple(method for method in first_task.methods if method != PLAIN)
        tasks[start] = replace(first_task, methods=others)
    total = len(settings.classes) * len(settings.methods) * len(settings.rounds)
    with progress_bar(quiet=not verbose, lines=True) as bar:
        bar_task = bar.add_task("comparing", total=total, completed=len(units))
        for keys in _batches(settings, experiment.deadline):
            batch = [tasks[key] for key in keys if key in tasks]
            for task, new_units in completed_units(pool, run_fold, batch, experiment, keep):
                units += new_units
                where = f"{task.class_name[:30]}, repeat {task.repeat + 1}, fold {task.fold + 1}"
                bar.update(bar_task, advance=len(new_units), description=where)
    experiment.latest.clear()
    # Always in the same order, whatever was finished first or taken from the store: notes and
    # averages of words depend on it.
    places_in_order = product(settings.rounds, settings.classes, settings.methods)
    order = {(name, method, round_): i for i, (round_, name, method) in enumerate(places_in_order)}
    return sorted(units, key=lambda unit: order[unit.place])


def _unfinished_tasks(
    settings: Settings, finished: Collection[Place]
) -> dict[tuple[str, Round], FoldTask]:
    """Return, by class and round, the methods that are still to run."""
    tasks = {}
    for name, round_ in product(settings.classes, settings.rounds):
        methods = tuple(m for m in settings.methods if (name, m, round_) not in finished)
        if methods:
            tasks[name, round_] = FoldTask(name, *round_, methods)
    return tasks


def _batches(settings: Settings, deadline: float | None) -> Iterator[list[tuple[str, Round]]]:
    """Yield the folds to run next. How many depends on how long the last ones took."""
    if deadline is None:
        yield [(name, r) for r in settings.rounds for name in settings.classes]
        return
    remaining, n = list(settings.classes), 1
    while remaining and time.time() < deadline:
        names, remaining = remaining[:n], remaining[n:]
        begun = time.time()
        yield [(name, r) for r in settings.rounds if r[0] == 0 for name in names]
        per_class = max(time.time() - begun, 1e-3) / n
        # The next classes are larger, so they take longer; a batch that is cut short is lost.
        n = max(1, int(min(2 * n, 0.7 * (deadline - time.time()) / per_class)))
    yield [(name, r) for r in settings.rounds if r[0] > 0 for name in settings.classes]


def run_fold(experiment: Experiment, task: FoldTask) -> Iterator[Unit]:
    """Train and test the methods of a fold, one after the other, until the deadline."""

    def time_is_over() -> bool:
        return experiment.deadline is not None and time.time() > experiment.deadline

    if time_is_over():
        return
    with experiment.prepared(task.class_name, task.repeat, task.fold) as prepared:
        if any(isinstance(get_method(m).sampler, CountingSampler) for m in task.methods):
            # All of them share it, so none is charged for it.
            prepared.data.transitions()
        for method in task.methods:
            if time_is_over():
                break
            yield _run_method(experiment, task, method, prepared)


def _run_method(
    experiment: Experiment, task: FoldTask, method: str, prepared: PreparedFold
) -> Unit:
    settings, name = experiment.settings, task.class_name
    unit = Unit(name, method, task.repeat, task.fold)
    seed = experiment.seed(name, task.repeat, task.fold)
    members = experiment.members[name][prepared.test]
    groups = None if experiment.groups is None else experiment.groups[prepared.train]
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            request = experiment.request(prepared.data, prepared.train, name, seed)
            times = experiment.documents.times
            fitted = fit_method(
                method,
                request,
                classifier=settings.estimator,
                groups=groups,
                times=None if times is None else times[prepared.train],
            )
            tested = prepared.test_documents if fitted.reads_documents else prepared.test_vectors
            decision = fitted.decision_function(tested) - fitted.threshold
            seconds = time.perf_counter() - start
            # A classifier of the user's own may give scores that no measure takes.
            scores = binary_scores(members, decision > 0, decision)
        except Exception as error:
            message = f"{type(error).__name__}: {_on_one_line(str(error))}"
            return replace(unit, error=message, seconds=time.perf_counter() - start)
    deciding = settings.scored_metrics[settings.metric]
    if deciding.of_confusion is not None:
        scores[deciding.name] = float(deciding.of_confusion(Confusion.of(members, decision > 0)))
    return replace(
        unit,
        scores=scores,
        rows_added=fitted.n_added,
        seconds=seconds,
        messages=sorted({f"{w.category.__name__}: {w.message}" for w in caught}),
        decisions=decision.astype(np.float32),
        threshold=fitted.chosen_threshold,
        # The report shows words of one pass through the folds, and they take most of the room.
        words=None if task.repeat else _words(fitted, prepared, members, decision),
    )


def _words(
    fitted: FittedMethod,
    prepared: PreparedFold,
    members: NDArray[np.bool_],
    decision: NDArray[np.float64],
) -> FoldWords | None:
    if isinstance(fitted.classifier, CharacterClassifier):
        vectors = fitted.classifier.vectors(prepared.test_documents.to_list())
        svm, names = FittedMethod(fitted.classifier.svm, 0.0), fitted.classifier.names()
        return FoldWords.of_vectors(svm, vectors, names, members, decision)
    if fitted.reads_documents:
        documents = prepared.test_documents.to_list()
        return FoldWords.of_documents(fitted.classifier, documents, members, decision)
    features = prepared.data.features
    if features is not None and not features.named:
        return None
    names = prepared.data.corpus.vocabulary if features is None else features.names()
    return FoldWords.of_vectors(fitted, prepared.test_vectors, names, members, decision)


def coverage_of(units: Sequence[Unit], settings: Settings) -> Coverage:
    """Say what can be compared: everything, unless time ran out or a method always failed."""
    methods, classes, rounds = list(settings.methods), list(settings.classes), settings.rounds
    tried: dict[tuple[str, Round], set[str]] = {}
    for unit in units:
        tried.setdefault((unit.class_name, (unit.repeat, unit.fold)), set()).add(unit.method)
    complete = {key for key, names in tried.items() if len(names) == len(methods)}
    first_repeat = [r for r in rounds if r[0] == 0]
    covered = [name for name in classes if all((name, r) in complete for r in first_repeat)]
    if covered:
        finished = [r for r in rounds if all((name, r) in complete for name in covered)]
    else:
        covered = [max(classes, key=lambda name: sum((name, r) in complete for r in rounds))]
        finished = [r for r in rounds if (covered[0], r) in complete]
        if not finished:
            covered, finished = classes[:1], rounds[:1]
            names = tried.get((covered[0], finished[0]), set())
            methods = [method for method in methods if method in names]
    notes = []
    if len(finished) < len(rounds):
        notes.append(
            f"The time limit ended the comparison after {len(finished)} of {len(rounds)} rounds."
        )
    if len(covered) < len(classes):
        left_out = listed([name for name in classes if name not in covered])
        notes.append(
            f"The time limit allowed for {len(covered)} of {len(classes)} classes; the advice is "
            f"for these alone. Not covered: {left_out}."
        )
    if len(methods) < len(settings.methods):
        notes.append(
            f"Not tried in time: {', '.join(m for m in settings.methods if m not in methods)}."
        )
    coverage = Coverage(covered, methods, finished, notes)
    return replace(coverage, methods=_not_failed(coverage.covered(units), methods))


def _not_failed(units: Sequence[Unit], methods: list[str]) -> list[str]:
    """Leave out methods that failed on every fold they were tried on."""
    worked = {unit.method for unit in units if not unit.error}
    if PLAIN not in worked:
        errors = [unit.error for unit in units if unit.method == PLAIN] or ["it was not run"]
        raise ValueError(f"the classifier cannot be trained on these documents: {errors[-1]}")
    return [method for method in methods if method in worked]


def pass_counts(
    experiment: Experiment, units: Sequence[Unit], passes: Sequence[int]
) -> dict[str, dict[str, Confusion]]:
    """Count, by class and method, what one pass through all folds finds; averaged over passes.

    The units are the covered ones. Methods that failed on a fold are left out, so all counts of a
    class are of the same documents.
    """
    in_passes = [unit for unit in units if unit.repeat in passes]
    failed = {(unit.class_name, unit.method) for unit in in_passes if unit.error}
    decisions: dict[tuple[str, str], list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]] = {}
    for unit in in_passes:
        if (unit.class_name, unit.method) not in failed:
            _, test = experiment.split(unit.class_name, unit.repeat, unit.fold)
            members = experiment.members[unit.class_name][test]
            pairs = decisions.setdefault((unit.class_name, unit.method), [])
            pairs.append((members, unit.decisions > 0))
    counts: dict[str, dict[str, Confusion]] = {}
    for (name, method), pairs in decisions.items():
        true, flagged = (np.concatenate(arrays) for arrays in zip(*pairs, strict=True))
        counts.setdefault(name, {})[method] = Confusion.of(true, flagged).divided(len(passes))
    return counts


def resample_units(
    experiment: Experiment, units: Sequence[Unit], coverage: Coverage
) -> ResampledScores:
    """Score the covered units on resampled test documents."""
    settings = experiment.settings
    tested = []
    for unit in units:
        name, method, round_ = unit.place
        if method in coverage.methods and not unit.error:
            _, rows = experiment.split(name, *round_)
            tested.append((unit, rows, experiment.members[name][rows]))
    metrics = {name: settings.scored_metrics[name] for name in settings.metric_titles}
    tuned_for = {method: get_method(method).scoring for method in coverage.methods}
    return ResampledScores.of(
        tested,
        experiment.drawn_together,
        metrics,
        settings.random_state,
        {method: get_goal(scoring) for method, scoring in tuned_for.items() if scoring},
        in_time=settings.in_time,
    )


def unit_notes(units: Sequence[Unit]) -> list[str]:
    """Say which methods failed or warned, and on how many folds."""
    failed = Counter((unit.method, _on_one_line(unit.error)) for unit in units if unit.error)
    warned: dict[tuple[str, str], dict[str, int]] = {}
    for unit in units:
        for message in unit.messages:
            # Warnings that differ only in numbers or classes are one note.
            kind = re.sub(r"\d+", "0", message.replace(repr(unit.class_name), "the class"))
            alike = warned.setdefault((unit.method, kind), Counter())
            alike[_on_one_line(message)[:300]] += 1
    notes = [
        f"{method} failed on {n} of the folds and is not judged there: {error}"
        for (method, error), n in failed.items()
    ]
    others = "classes or numbers" if len({unit.class_name for unit in units}) > 1 else "numbers"
    return notes + [
        f"{method}, on {sum(alike.values())} of the folds: {next(iter(alike))}"
        + (f" (or other {others})" if len(alike) > 1 else "")
        for (method, _), alike in list(warned.items())[:_MOST_NOTES]
    ]


def _on_one_line(message: str) -> str:
    # An address in memory tells nobody anything, and would make a note of every fold.
    return " ".join(re.sub(r" at 0x[0-9a-fA-F]+", "", message).split())
