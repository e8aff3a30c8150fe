"""Running a comparison in rounds, and keeping what is fair when time runs out."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import polars as pl
from rich.markup import escape

from imbtext._progress import progress_bar
from imbtext.comparison._cross_validation import Task, Unit, Workload, found_units, run_tasks
from imbtext.comparison._result import Settings
from imbtext.comparison._scores import SHOWN_METRICS

PLAIN: Final = "svm"

Round = tuple[int, int]


def run_rounds(
    workload: Workload,
    settings: Settings,
    jobs: int,
    deadline: float | None,
    out: str | Path | None,
    quiet: bool,
) -> tuple[list[Unit], list[Round]]:
    """Run what is not finished yet; return all units and the rounds that were planned."""
    rounds = [(r, f) for r in range(settings.repeats) for f in range(settings.folds)]
    store_path, found = None, {}
    if out is not None:
        folder = Path(out)
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(
                f"cannot keep finished work in {folder}: it is a file; name a folder"
            )
        folder.mkdir(parents=True, exist_ok=True)
        store_path = folder / "comparison.sqlite"
        try:
            found = found_units(workload, store_path)
        except sqlite3.Error as error:
            raise OSError(f"cannot keep finished work in {folder}: {error}") from error
    units, tasks = [], []
    for repeat, fold in rounds:
        for target in settings.classes:
            keys = {m: workload.key(target, m, repeat, fold) for m in settings.methods}
            units += [found[key] for key in keys.values() if key in found]
            missing = tuple(method for method, key in keys.items() if key not in found)
            if missing:
                tasks.append(Task(repeat, fold, target, missing))
    total = sum(len(task.methods) for task in tasks)
    # The plain classifier on the first fold runs whatever the limit: without it there is nothing.
    if tasks and deadline is not None and PLAIN in tasks[0].methods and not units:
        first = tasks[0]
        plain = Task(first.repeat, first.fold, first.target, (PLAIN,))
        rest = tuple(method for method in first.methods if method != PLAIN)
        units += run_tasks(workload, [plain], store_path=store_path)
        tasks[0] = Task(first.repeat, first.fold, first.target, rest)
    with progress_bar(quiet=quiet) as bar:
        shown = bar.add_task(
            "comparing", total=total, completed=total - sum(len(t.methods) for t in tasks)
        )
        try:
            for unit in run_tasks(
                workload, tasks, jobs=jobs, deadline=deadline, store_path=store_path
            ):
                units.append(unit)
                where = f"{unit.target[:30]}, repeat {unit.repeat + 1}, fold {unit.fold + 1}"
                bar.update(shown, advance=1, description=escape(f"{unit.method} on {where}"))
        except sqlite3.Error as error:
            raise OSError(f"cannot keep finished work in {store_path}: {error}") from error
    return units, rounds


def fair_part(
    units: Sequence[Unit], settings: Settings, rounds: list[Round]
) -> tuple[list[str], list[str], list[Round], list[str]]:
    """Return the methods, classes and rounds that make up a fair comparison, and what was cut.

    Fair: every method was tried on the same folds of the same classes.
    """
    methods, classes = list(settings.methods), list(settings.classes)
    done: dict[tuple[str, Round], set[str]] = {}
    for unit in units:
        done.setdefault((unit.target, (unit.repeat, unit.fold)), set()).add(unit.method)
    complete = {key for key, found in done.items() if len(found) == len(methods)}
    whole = [r for r in rounds if all((name, r) in complete for name in classes)]
    if len(whole) == len(rounds):
        return _not_failed(units, methods), classes, rounds, []
    if whole:
        cut = f"The time limit ended the comparison after {len(whole)} of {len(rounds)} rounds."
        return _not_failed(units, methods), classes, whole, [cut]
    first = rounds[0]
    finished = [name for name in classes if (name, first) in complete]
    if finished:
        cut = (
            f"The time limit ended the comparison within its first fold; it covers "
            f"{len(finished)} of {len(classes)} classes."
        )
        return _not_failed(units, methods), finished, [first], [cut]
    tried = done.get((classes[0], first), set())
    kept = [method for method in methods if method in tried]
    cut = (
        "The time limit ended the comparison within its first fold; not tried: "
        f"{', '.join(method for method in methods if method not in tried)}."
    )
    return _not_failed(units, kept), classes[:1], [first], [cut]


def _not_failed(units: Sequence[Unit], methods: list[str]) -> list[str]:
    """Leave out methods that failed on every fold they were tried on."""
    worked = {unit.method for unit in units if not unit.error}
    failed = {unit.method: unit for unit in units if unit.error}
    if PLAIN not in worked:
        error = failed[PLAIN].error if PLAIN in failed else "it was not run"
        raise ValueError(f"the classifier cannot be trained on these documents: {error}")
    return [method for method in methods if method in worked]


def score_frame(
    units: Sequence[Unit],
    classes: Sequence[str],
    methods: Sequence[str],
    rounds: Sequence[Round],
) -> pl.DataFrame:
    """Return the scores as a table, in the order of classes, methods and rounds."""
    order = {
        (name, method, r): i
        for i, (name, method, r) in enumerate(
            (name, method, r) for name in classes for method in methods for r in rounds
        )
    }
    kept = [
        (order[key], unit)
        for unit in units
        if (key := (unit.target, unit.method, (unit.repeat, unit.fold))) in order and not unit.error
    ]
    return pl.DataFrame(
        [
            {
                "class": unit.target,
                "method": unit.method,
                "repeat": unit.repeat,
                "fold": unit.fold,
                **{metric: unit.scores[metric] for metric in SHOWN_METRICS},
                "rows_added": unit.rows_added,
                "seconds": unit.seconds,
            }
            for _, unit in sorted(kept, key=lambda item: item[0])
        ],
        infer_schema_length=None,
    )
