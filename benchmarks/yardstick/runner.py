"""Units of work in several processes: a contestant on one class of a set, finished or run again.

Rows are appended to ``OUT/CONTESTANT.csv`` by this process alone, unit by unit, so that a run that
was stopped goes on after the last whole one. Encoders read a set's texts before its contestants are
timed; what that took is added to their processor seconds by the number of texts.
"""

import csv
import importlib
import os
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

import encoding
from protocol import cases, measured, tasks
from sets import HERE, sources

sys.path.append(str(HERE.parent))  # benchmarks/encoder_tuned.py
Unit = tuple[str, str, str]  # contestant, set and class
Rows = list[dict[str, object]]
FIRST = ("set", "label", "size", "n_class", "n_documents", "draw")
# The quick ones first, so that a run that is stopped has whole contestants. These are the last.
SLOW = ("gradient_boosting", "svm_tuned", "eda", "characters", "fine_tuning", "setfit", "prompt")


def contestants() -> list[str]:
    """Return the names of the files in ``contestants/``, the slow ones last."""
    names = sorted(path.stem for path in (HERE / "contestants").glob("*.py"))
    return sorted(names, key=lambda name: SLOW.index(name) if name in SLOW else -1)


def module_of(name: str) -> ModuleType:
    """Return the module of a contestant."""
    return importlib.import_module(f"contestants.{name}")


def usable(names: list[str]) -> Iterator[str]:
    """Yield the contestants that this machine can run, and name the others."""
    for name in names:
        try:
            module_of(name)
        except (ImportError, KeyError) as error:
            print(f"{name} is left out: {type(error).__name__} {error}", flush=True)
        else:
            yield name


def run(data: Path, out: Path, names: list[str], chosen: list[str], jobs: int) -> None:
    """Run contestants on sets, in several processes; go on with what was begun."""
    out.mkdir(parents=True, exist_ok=True)
    # For the processes that are started: an encoder's vectors stay here, and each has one thread.
    os.environ["IMBTEXT_CACHE"] = str((out / "cache").absolute())
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"
    present = [name for name in sources() if (data / f"{name}.csv.gz").exists()]
    titles = [name for name in present if name in chosen] if chosen else present
    units = todo([*usable(names or contestants())], titles, data, out)
    print(f"{len(units)} units (a contestant on a class) are to be run", flush=True)
    behind: dict[tuple[str, str], list[Unit]] = defaultdict(list)
    for unit in units:
        if encoder := getattr(module_of(unit[0]), "ENCODER", None):
            behind[unit[1], encoder].append(unit)
    waiting = {unit for some in behind.values() for unit in some}
    with ProcessPoolExecutor(jobs, get_context("spawn")) as processes:
        running = {
            processes.submit(run_unit, unit, data, 0.0): unit
            for unit in units
            if unit not in waiting
        }
        warming = {processes.submit(warm, *key, data): some for key, some in behind.items()}
        clock = time.perf_counter()
        while warming or running:
            for future in wait([*warming, *running], return_when=FIRST_COMPLETED).done:
                failed = future.exception()
                if future in warming:
                    some = warming.pop(future)
                    if not failed:
                        for unit in some:
                            running[processes.submit(run_unit, unit, data, future.result())] = unit
                    said = f"{len(some)} units wait no longer for an encoder: {some[0][1]}"
                else:
                    unit = running.pop(future)
                    if not failed:
                        append(out / f"{unit[0]}.csv", future.result())
                    said = ", ".join(unit)
                left = len(running) + sum(map(len, warming.values()))
                end = f" failed: {failed!r}" if failed else ""
                print(f"{time.perf_counter() - clock:.0f} s, {left} left: {said}{end}", flush=True)


def run_unit(unit: Unit, data: Path, per_text: float) -> Rows:
    """Return a row per size and draw of one contestant on one class."""
    warnings.simplefilter("ignore")
    name, title, label = unit
    contest, task, rows = module_of(name).contest, tasks(title, data)[label], []
    true = task.is_class[task.tested]
    for size, draw, given in cases(title, task):
        if not rows:
            contest(given)  # what is compiled or opened once is no part of a method's time
        first = (title, label, size or "all", int(given.is_class.sum()), len(given.texts), draw)
        values = measured(contest, given, true)
        values["cpu_seconds"] += per_text * (len(given.texts) + len(given.new))
        shown = {key: format(value, ".4f").rstrip("0").rstrip(".") for key, value in values.items()}
        rows.append(dict(zip(FIRST, first, strict=True)) | shown)
    return rows


def warm(title: str, encoder: str, data: Path) -> float:
    """Encode every text that a set's classes need; return the processor seconds of one text."""
    warnings.simplefilter("ignore")
    given = [each for task in tasks(title, data).values() for _, _, each in cases(title, task)]
    texts = {text for each in given for text in (*each.texts, *each.new)}
    return encoding.seconds_per_text(encoder, texts)


def todo(names: list[str], titles: list[str], data: Path, out: Path) -> list[Unit]:
    """Return the units that are not finished."""
    done = {name: finished(out / f"{name}.csv") for name in names}
    classes = [(title, label) for title in titles for label in tasks(title, data)]
    return [(name, *each) for name in names for each in classes if each not in done[name]]


def finished(path: Path) -> set[tuple[str, str]]:
    """Return the sets and classes that a table of rows has."""
    if not path.exists():
        return set()
    with path.open(newline="", encoding="utf-8") as file:
        return {(row["set"], row["label"]) for row in csv.DictReader(file)}


def append(path: Path, rows: Rows) -> None:
    """Add rows to a table."""
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0]], lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerows(rows)
