"""Running a comparison: every method on every fold.

A fit is one method on one fold of one class. Everything that learns from documents (vocabulary,
idf, resampling, threshold) sees the training side of the fold alone. The random numbers of a fit
follow from its name. So the results depend neither on the number of processes nor on which fits
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
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext._messages import listed
from imbtext.comparison._plan import Plan, PreparedFold
from imbtext.comparison._scores import Coverage, ResampledScores, ScoredFit
from imbtext.comparison._settings import PLAIN, FitKey, Round
from imbtext.comparison._words import FoldWords
from imbtext.documents._documents import Documents
from imbtext.features.encoders import get_encoders
from imbtext.methods._characters import CharacterClassifier
from imbtext.methods._fitting import FittedMethod, fit_method
from imbtext.methods._registry import get_method
from imbtext.metrics import Confusion, binary_scores, get_goal
from imbtext.oversampling._counting import CountingSampler
from imbtext.parallel import Pool, ProcessPool, completed_units, pool_of
from imbtext.progress import progress_bar
from imbtext.rare._mixture import vectors_of_meaning

_MOST_NOTES: Final = 10


@dataclass(frozen=True)
class FoldTask:
    """One fold of one class, with the methods still to run on it."""

    class_name: str
    repeat: int
    fold: int
    methods: tuple[str, ...]


def run(plan: Plan, n_jobs: int | Pool, verbose: bool) -> list[ScoredFit]:
    """Run the fits that are not finished yet, and return all of them."""
    pool = pool_of(n_jobs)
    finished, keep = {}, None
    if plan.kept is not None:
        finished = plan.kept.fits(
            product(plan.classes, plan.methods, plan.rounds), plan.scored_metrics
        )
        keep = plan.kept.add
    fits = list(finished.values())
    tasks = _unfinished_tasks(plan, finished)
    start = plan.classes[0], plan.rounds[0]
    first_task = tasks.get(start)
    if plan.deadline is not None and first_task is not None and PLAIN in first_task.methods:
        # The plain classifier on the first fold runs whatever the limit: without it there is
        # nothing to say.
        plain_task = replace(first_task, methods=(PLAIN,))
        patient = replace(plan, deadline=None)
        for _, plain_fits in completed_units(ProcessPool(1), run_fold, [plain_task], patient, keep):
            fits += plain_fits
        others = tuple(method for method in first_task.methods if method != PLAIN)
        tasks[start] = replace(first_task, methods=others)
    total = len(plan.classes) * len(plan.methods) * len(plan.rounds)
    with progress_bar(quiet=not verbose, lines=True) as bar:
        bar_task = bar.add_task("comparing", total=total, completed=len(fits))
        for keys in _batches(plan, plan.deadline):
            batch = [tasks[key] for key in keys if key in tasks]
            for task, new_fits in completed_units(pool, run_fold, batch, plan, keep):
                fits += new_fits
                where = f"{task.class_name[:30]}, repeat {task.repeat + 1}, fold {task.fold + 1}"
                bar.update(bar_task, advance=len(new_fits), description=where)
    plan.latest.clear()
    # Always in the same order, whatever was finished first or taken from the store: notes and
    # averages of words depend on it.
    in_order = product(plan.rounds, plan.classes, plan.methods)
    order = {(name, method, round_): i for i, (round_, name, method) in enumerate(in_order)}
    return sorted(fits, key=lambda fit: order[fit.key])


def encode_ahead(methods: Sequence[str], documents: Documents, *, verbose: bool) -> list[str]:
    """Encode all texts for the methods that need it, and return notes on what it cost.

    So each text is encoded once, and the time is measured apart from that of the fits.
    """
    names = [get_method(method).parameters.get("encoder") for method in methods]
    notes = []
    for name in dict.fromkeys(filter(None, names)):
        encoders = [one for one in get_encoders(name) if one.digest is not None]
        if encoders:
            start = time.perf_counter()
            suited = [one.suited_to(documents) for one in encoders]
            vectors_of_meaning(suited, documents, verbose=verbose)
            seconds = time.perf_counter() - start
            n_texts = len(set(documents.strings()))
            notes.append(
                f"It took {seconds:,.0f} seconds to encode {n_texts:,} texts with {name}, or to "
                "find their vectors of an earlier run."
            )
    return notes


def _unfinished_tasks(
    plan: Plan, finished: Collection[FitKey]
) -> dict[tuple[str, Round], FoldTask]:
    """Return, by class and round, the methods that are still to run."""
    tasks = {}
    for name, round_ in product(plan.classes, plan.rounds):
        methods = tuple(m for m in plan.methods if (name, m, round_) not in finished)
        if methods:
            tasks[name, round_] = FoldTask(name, *round_, methods)
    return tasks


def _batches(plan: Plan, deadline: float | None) -> Iterator[list[tuple[str, Round]]]:
    """Yield the folds to run next. How many depends on how long the last ones took."""
    if deadline is None:
        yield [(name, r) for r in plan.rounds for name in plan.classes]
        return
    remaining, n = list(plan.classes), 1
    while remaining and time.time() < deadline:
        names, remaining = remaining[:n], remaining[n:]
        begun = time.time()
        yield [(name, r) for r in plan.rounds if r[0] == 0 for name in names]
        per_class = max(time.time() - begun, 1e-3) / n
        # The next classes are larger, so they take longer; a batch that is cut short is lost.
        n = max(1, int(min(2 * n, 0.7 * (deadline - time.time()) / per_class)))
    yield [(name, r) for r in plan.rounds if r[0] > 0 for name in plan.classes]


def run_fold(plan: Plan, task: FoldTask) -> Iterator[ScoredFit]:
    """Train and test the methods of a fold, one after the other, until the deadline."""

    def time_is_over() -> bool:
        return plan.deadline is not None and time.time() > plan.deadline

    if time_is_over():
        return
    with plan.fold(task.class_name, task.repeat, task.fold) as prepared:
        if any(isinstance(get_method(m).sampler, CountingSampler) for m in task.methods):
            # All of them share it, so none is charged for it.
            prepared.data.transitions()
        for method in task.methods:
            if time_is_over():
                break
            yield _run_method(plan, task, method, prepared)


def _run_method(plan: Plan, task: FoldTask, method: str, prepared: PreparedFold) -> ScoredFit:
    name = task.class_name
    fit = ScoredFit(name, method, task.repeat, task.fold)
    seed = plan.seed(name, task.repeat, task.fold)
    is_class = plan.is_class[name][prepared.test]
    groups = None if plan.kept_together is None else plan.kept_together[prepared.train]
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            problem = plan.problem(prepared.data, prepared.train, name, seed)
            times = plan.times
            fitted = fit_method(
                method,
                problem,
                classifier=plan.estimator,
                groups=groups,
                times=None if times is None else times[prepared.train],
            )
            tested = prepared.test_documents if fitted.reads_documents else prepared.test_vectors
            decision = fitted.decision_function(tested) - fitted.threshold
            seconds = time.perf_counter() - start
            # A classifier of the user's own may give scores that no measure takes.
            scores = binary_scores(is_class, decision > 0, decision)
        except Exception as error:
            message = f"{type(error).__name__}: {_on_one_line(str(error))}"
            return replace(fit, error=message, seconds=time.perf_counter() - start)
    deciding = plan.scored_metrics[plan.metric]
    if deciding.of_confusion is not None:
        scores[deciding.name] = float(deciding.of_confusion(Confusion.of(is_class, decision > 0)))
    return replace(
        fit,
        scores=scores,
        rows_added=fitted.n_added,
        seconds=seconds,
        messages=sorted({f"{w.category.__name__}: {w.message}" for w in caught}),
        decisions=decision.astype(np.float32),
        threshold=fitted.chosen_threshold,
        # The report shows words of one pass through the folds, and they take most of the space.
        words=None if task.repeat else _words(fitted, prepared, is_class, decision),
    )


def _words(
    fitted: FittedMethod,
    prepared: PreparedFold,
    is_class: NDArray[np.bool_],
    decision: NDArray[np.float64],
) -> FoldWords | None:
    if isinstance(fitted.classifier, CharacterClassifier):
        vectors = fitted.classifier.vectors(prepared.test_documents.to_list())
        svm, names = FittedMethod(fitted.classifier.svm, 0.0), fitted.classifier.names()
        return FoldWords.of_vectors(svm, vectors, names, is_class, decision)
    if fitted.reads_documents:
        documents = prepared.test_documents.to_list()
        return FoldWords.of_documents(fitted.classifier, documents, is_class, decision)
    features = prepared.data.features
    if features is not None and not features.named:
        return None
    names = prepared.data.corpus.vocabulary if features is None else features.names()
    return FoldWords.of_vectors(fitted, prepared.test_vectors, names, is_class, decision)


def coverage_of(fits: Sequence[ScoredFit], plan: Plan) -> Coverage:
    """Return what can be compared: all of it, unless time ran out or a method always failed."""
    methods, classes, rounds = list(plan.methods), list(plan.classes), plan.rounds
    tried: dict[tuple[str, Round], set[str]] = {}
    for fit in fits:
        tried.setdefault((fit.class_name, (fit.repeat, fit.fold)), set()).add(fit.method)
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
    if len(methods) < len(plan.methods):
        notes.append(
            f"Not tried in time: {', '.join(m for m in plan.methods if m not in methods)}."
        )
    coverage = Coverage(covered, methods, finished, notes)
    return replace(coverage, methods=_not_failed(coverage.covered(fits), methods))


def _not_failed(fits: Sequence[ScoredFit], methods: list[str]) -> list[str]:
    """Leave out methods that failed on every fold they were tried on."""
    worked = {fit.method for fit in fits if not fit.error}
    if PLAIN not in worked:
        errors = [fit.error for fit in fits if fit.method == PLAIN] or ["it was not run"]
        raise ValueError(f"the classifier cannot be trained on these documents: {errors[-1]}")
    return [method for method in methods if method in worked]


def pass_counts(
    plan: Plan, fits: Sequence[ScoredFit], passes: Sequence[int]
) -> dict[str, dict[str, Confusion]]:
    """Count, by class and method, what one pass through all folds finds; averaged over passes.

    The fits are the covered ones. Methods that failed on a fold are left out, so all counts of a
    class are of the same documents.
    """
    in_passes = [fit for fit in fits if fit.repeat in passes]
    failed = {(fit.class_name, fit.method) for fit in in_passes if fit.error}
    decisions: dict[tuple[str, str], list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]] = {}
    for fit in in_passes:
        if (fit.class_name, fit.method) not in failed:
            pairs = decisions.setdefault((fit.class_name, fit.method), [])
            pairs.append((plan.tested(fit).is_class, fit.decisions > 0))
    counts: dict[str, dict[str, Confusion]] = {}
    for (name, method), pairs in decisions.items():
        true, flagged = (np.concatenate(arrays) for arrays in zip(*pairs, strict=True))
        counts.setdefault(name, {})[method] = Confusion.of(true, flagged).divided(len(passes))
    return counts


def resampled_fits(plan: Plan, fits: Sequence[ScoredFit], coverage: Coverage) -> ResampledScores:
    """Score the covered fits on resampled test documents."""
    tested = [plan.tested(fit) for fit in fits if fit.method in coverage.methods and not fit.error]
    metrics = {name: plan.scored_metrics[name] for name in plan.metric_titles}
    tuned_for = {method: get_method(method).scoring for method in coverage.methods}
    return ResampledScores.of(
        tested,
        plan.drawn_together,
        metrics,
        plan.random_state,
        {method: get_goal(scoring) for method, scoring in tuned_for.items() if scoring},
        in_time=plan.in_time,
    )


def notes_of_fits(fits: Sequence[ScoredFit]) -> list[str]:
    """Return notes on the methods that failed or warned, and on how many folds."""
    failed = Counter((fit.method, _on_one_line(fit.error)) for fit in fits if fit.error)
    warned: dict[tuple[str, str], dict[str, int]] = {}
    for fit in fits:
        for message in fit.messages:
            # Warnings that differ only in numbers or classes are one note.
            kind = re.sub(r"\d+", "0", message.replace(repr(fit.class_name), "the class"))
            alike = warned.setdefault((fit.method, kind), Counter())
            alike[_on_one_line(message)[:300]] += 1
    notes = [
        f"{method} failed on {n} of the folds and is not judged there: {error}"
        for (method, error), n in failed.items()
    ]
    others = "classes or numbers" if len({fit.class_name for fit in fits}) > 1 else "numbers"
    return notes + [
        f"{method}, on {sum(alike.values())} of the folds: {next(iter(alike))}"
        + (f" (or other {others})" if len(alike) > 1 else "")
        for (method, _), alike in list(warned.items())[:_MOST_NOTES]
    ]


def _on_one_line(message: str) -> str:
    # An address in memory is of no use to anybody, and would make a note of every fold.
    return " ".join(re.sub(r" at 0x[0-9a-fA-F]+", "", message).split())
