"""Running an experiment fold by fold, and keeping what is fair when time runs out.

Each fold is run for all classes before the next, since they share what is prepared for it. A time
limit shall leave whole classes, though, the first before the last: then the first repeat is run for
one class, for the next two, and so on, never for more than are likely to be finished.
"""

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from imbtext._messages import listed
from imbtext.comparison._experiment import (
    Experiment,
    Fold,
    Unit,
    give_back_memory,
    keep_units,
    kept_units,
    run_fold,
)
from imbtext.comparison._result import Settings
from imbtext.comparison._scores import FairPart
from imbtext.parallel import Pool, pool_of
from imbtext.progress import progress_bar

PLAIN: Final = "svm"

Round = tuple[int, int]


def run(experiment: Experiment, settings: Settings, jobs: int | Pool, verbose: bool) -> list[Unit]:
    """Run what is not finished yet, and return all units."""
    pool, found = pool_of(jobs), kept_units(experiment)
    units: list[Unit] = []
    tasks: dict[tuple[str, Round], Fold] = {}
    for name in settings.classes:
        for repeat, fold in settings.rounds:
            places = {method: (name, method, (repeat, fold)) for method in settings.methods}
            units += [found[place] for place in places.values() if place in found]
            missing = tuple(method for method, place in places.items() if place not in found)
            if missing:
                tasks[name, (repeat, fold)] = Fold(name, repeat, fold, missing)
    start = settings.classes[0], settings.rounds[0]
    if experiment.deadline is not None and not units:
        # The plain classifier on the first fold runs whatever the limit: without it there is
        # nothing to say.
        first = tasks[start]
        units += run_fold(replace(experiment, deadline=None), replace(first, methods=(PLAIN,)))
        tasks[start] = replace(first, methods=tuple(m for m in first.methods if m != PLAIN))
    total = len(settings.classes) * len(settings.methods) * len(settings.rounds)
    with progress_bar(quiet=not verbose, lines=True) as bar:
        shown = bar.add_task("comparing", total=total, completed=len(units))
        remote = None if pool.writes_results else replace(experiment, kept=None)
        for some in _batches(settings, experiment.deadline):
            batch = [tasks[key] for key in some if key in tasks]
            for task, done in pool.completed(run_fold, batch, shared=remote or experiment):
                units += done
                if remote is not None:
                    keep_units(experiment, done)
                where = f"{task.name[:30]}, repeat {task.repeat + 1}, fold {task.fold + 1}"
                bar.update(shown, advance=len(done), description=where)
    experiment.latest.clear()
    give_back_memory()
    # In one order, whatever was finished first or found: notes are made and words averaged in it.
    every = product(settings.rounds, settings.classes, settings.methods)
    order = {(name, method, round_): i for i, (round_, name, method) in enumerate(every)}
    return sorted(units, key=lambda unit: order[unit.place])


def _batches(settings: Settings, deadline: float | None) -> Iterator[list[tuple[str, Round]]]:
    """Yield what to run next, looking at how long the last took."""
    if deadline is None:
        yield [(name, r) for r in settings.rounds for name in settings.classes]
        return
    left, n = list(settings.classes), 1
    while left and time.time() < deadline:
        names, left = left[:n], left[n:]
        begun = time.time()
        yield [(name, r) for r in settings.rounds if r[0] == 0 for name in names]
        per_class = max(time.time() - begun, 1e-3) / n
        # The next classes are larger, hence slower, and a batch that is cut short is lost whole.
        n = max(1, int(min(2 * n, 0.7 * (deadline - time.time()) / per_class)))
    yield [(name, r) for r in settings.rounds if r[0] > 0 for name in settings.classes]


def fair_part(units: Sequence[Unit], settings: Settings) -> FairPart:
    """Find the part of a comparison that is fair, which is all of it unless time ran out."""
    methods, classes, rounds = list(settings.methods), list(settings.classes), settings.rounds
    done: dict[tuple[str, Round], set[str]] = {}
    for unit in units:
        done.setdefault((unit.name, (unit.repeat, unit.fold)), set()).add(unit.method)
    complete = {key for key, found in done.items() if len(found) == len(methods)}
    first_repeat = [r for r in rounds if r[0] == 0]
    covered = [name for name in classes if all((name, r) in complete for r in first_repeat)]
    if covered:
        whole = [r for r in rounds if all((name, r) in complete for name in covered)]
    else:
        covered = [max(classes, key=lambda name: sum((name, r) in complete for r in rounds))]
        whole = [r for r in rounds if (covered[0], r) in complete]
        if not whole:
            covered, whole = classes[:1], rounds[:1]
            tried = done.get((covered[0], whole[0]), set())
            methods = [method for method in methods if method in tried]
    notes = []
    if len(whole) < len(rounds):
        notes.append(
            f"The time limit ended the comparison after {len(whole)} of {len(rounds)} rounds."
        )
    if len(covered) < len(classes):
        notes.append(
            f"The time limit left {len(covered)} of {len(classes)} classes; the advice is for "
            f"those alone. Not covered: {listed([n for n in classes if n not in covered])}."
        )
    if len(methods) < len(settings.methods):
        notes.append(
            f"Not tried in time: {', '.join(m for m in settings.methods if m not in methods)}."
        )
    return FairPart(covered, _not_failed(units, methods), whole, notes)


def _not_failed(units: Sequence[Unit], methods: list[str]) -> list[str]:
    """Leave out methods that failed on every fold they were tried on."""
    worked = {unit.method for unit in units if not unit.error}
    if PLAIN not in worked:
        errors = [unit.error for unit in units if unit.method == PLAIN] or ["it was not run"]
        raise ValueError(f"the classifier cannot be trained on these documents: {errors[-1]}")
    return [method for method in methods if method in worked]


def unit_notes(units: Sequence[Unit]) -> list[str]:
    """Say which methods failed or warned, and on how many folds."""
    failed = Counter((unit.method, _on_one_line(unit.error)) for unit in units if unit.error)
    caught: dict[tuple[str, str], dict[str, int]] = {}
    for unit in units:
        for message in unit.caught:
            # Warnings that differ in numbers or classes alone are one note.
            kind = re.sub(r"\d+", "0", message.replace(repr(unit.name), "the class"))
            alike = caught.setdefault((unit.method, kind), Counter())
            alike[_on_one_line(message)[:300]] += 1
    notes = [
        f"{method} failed on {n} of the folds and is not judged there: {error}"
        for (method, error), n in failed.items()
    ]
    others = "classes or numbers" if len({unit.name for unit in units}) > 1 else "numbers"
    return notes + [
        f"{method}, on {sum(said.values())} of the folds: {next(iter(said))}"
        + (f" (or other {others})" if len(said) > 1 else "")
        for (method, _), said in list(caught.items())[:10]
    ]


def _on_one_line(message: str) -> str:
    return " ".join(message.split())
