"""Writes results/labelling/ from the runs of benchmarks/labelling.py, which calls it."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from imbtext.charts import PALETTE, altair, write_chart
from imbtext.labelling._remaining import ReadingEvidence
from labelling_tasks import Task, tasks

FOLDER = Path(__file__).parents[1] / "results" / "labelling"
SHARES = (0.8, 0.95)
HALVES = ("reported", "development")
MOMENTS = (50, 100, 200, 400, 800, 1600)
IN_A_ROW = (50, 200)
Rows = list[dict[str, Any]]


def report(runs: Path) -> None:
    """Write tables, charts and the README."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    read, stopped, expected = _reading(runs), _stopping(runs), _expecting(runs)
    for name, rows in (("reading", read), ("stopping", stopped), ("expecting", expected)):
        with (FOLDER / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    speed = json.loads((runs / "speed.json").read_text())
    write_chart(_ratio_chart(read), FOLDER / "reading.svg")
    write_chart(_curve_chart(runs), FOLDER / "curves.svg")
    text = "\n".join([*_about_reading(read), *_about_stopping(stopped, runs)])
    text += "\n" + "\n".join([*_about_expecting(expected), *_about_speed(speed, read), _COMMAND])
    (FOLDER / "README.md").write_text(text, encoding="utf-8")


def _reading(runs: Path) -> Rows:
    rows = []
    for task in tasks():
        both = [
            [
                json.loads((runs / side / f"{task.file_name}.{k}.json").read_text())
                for side in _SIDES
            ]
            for k in range(3)
            if all((runs / side / f"{task.file_name}.{k}.json").exists() for side in _SIDES)
        ]
        for share in SHARES if both else ():
            n = np.array([[_n_read(task, one["rows"], share) for one in pair] for pair in both])
            ours, theirs = np.exp(np.log(n).mean(axis=0))
            rows.append(
                {
                    "task": task.title,
                    "half": _half(task),
                    "class": int(task.is_class.sum()),
                    "documents": len(task.rows),
                    "share": share,
                    "pairs": len(both),
                    "imbtext": round(ours, 1),
                    "asreview": round(theirs, 1),
                    "ratio": round(ours / theirs, 3),
                    "imbtext_seconds": round(sum(pair[0]["seconds"] for pair in both), 1),
                    "asreview_seconds": round(sum(pair[1]["seconds"] for pair in both), 1),
                }
            )
    return rows


_SIDES = ("reading", "asreview")


def _half(task: Task) -> str:
    return "development" if task.development else "reported"


def _n_read(task: Task, rows: list[int], share: float) -> int:
    wanted = math.ceil(share * int(task.is_class.sum()))
    return int(np.searchsorted(np.cumsum(task.is_class[rows]), wanted)) + 1


def _stopping(runs: Path) -> Rows:
    rows = []
    for task in tasks():
        for path in sorted((runs / "stopping").glob(f"{task.file_name}.*.json")):
            run = json.loads(path.read_text())
            came = np.zeros(run["n"], bool)
            came[run["found"]] = True
            row = {"task": task.title, "half": _half(task), "seed": path.suffixes[-2][1:]}
            for target in (0.95, 0.8):
                n_read = _stop(came, target)
                row[f"read_{target:g}"] = n_read
                row[f"needed_{target:g}"] = run["found"][math.ceil(target * came.sum()) - 1] + 1
                row[f"recall_{target:g}"] = round(float(came[:n_read].sum() / came.sum()), 4)
            for length in IN_A_ROW:
                n_read = _in_a_row(came, length)
                row[f"recall_{length}_in_a_row"] = round(
                    float(came[:n_read].mean() * n_read / came.sum()), 4
                )
            for moment in MOMENTS:
                left = ReadingEvidence(came[2:moment], len(came) - moment, None).most_remaining(
                    0.05
                )
                row[f"upper_{moment}"] = left
                row[f"left_{moment}"] = int(came[moment:].sum())
            rows.append(row)
    return rows


def _stop(came: np.ndarray, target: float) -> int:
    n_read = 3
    while n_read < len(came):
        evidence = ReadingEvidence(came[2:n_read], len(came) - n_read, None)
        if evidence.confidence(int(came[:n_read].sum()), target) >= 0.95:
            break
        n_read += max(1, int(n_read * 0.03))
    return min(n_read, len(came))


def _in_a_row(came: np.ndarray, length: int) -> int:
    finds = np.concatenate([[1], np.flatnonzero(came[2:]) + 2, [len(came)]])
    gaps = np.flatnonzero(np.diff(finds) > length)
    return int(finds[gaps[0]]) + length + 1 if len(gaps) else len(came)


def _expecting(runs: Path) -> Rows:
    rows = []
    for task in tasks():
        for path in sorted((runs / "expecting").glob(f"{task.file_name}.*.json")):
            run = json.loads(path.read_text())
            row = {"task": task.title, "half": _half(task), "seed": path.suffixes[-2][1:]}
            for name in ("recall", "precision", "alarms"):
                mean, lower, upper, truth = run[name]
                row |= {name: mean, f"{name}_lower": lower, f"{name}_upper": upper}
                row[f"{name}_on_new"] = truth
            rows.append(row | {"n_class_new": run["n_test"], "n_alarms_new": run["n_alarms"]})
    return rows


def _ratio_chart(rows: Rows) -> Any:
    alt = altair()
    values = [row | {"level": f"{row['share']:.0%} found"} for row in rows]
    points = (
        alt.Chart(alt.Data(values=values))
        .mark_point(filled=True, size=60)
        .encode(
            alt.X(
                "ratio:Q",
                title="documents read, divided by ASReview's",
                scale=alt.Scale(type="log"),
            ),
            alt.Y("task:N", title=None, sort=None),
            alt.Color("level:N", title=None, scale=alt.Scale(range=PALETTE[:2])),
            alt.Shape("half:N", title=None),
        )
    )
    one = alt.Chart(alt.Data(values=[{"x": 1}])).mark_rule(strokeDash=[4, 4]).encode(alt.X("x:Q"))
    return alt.layer(points, one).properties(width=460)


def _curve_chart(runs: Path) -> Any:
    alt = altair()
    values = []
    for task in tasks("reported"):
        for side, name in zip(_SIDES, ("imbtext", "ASReview"), strict=True):
            path = runs / side / f"{task.file_name}.0.json"
            if path.exists():
                found = np.cumsum(task.is_class[json.loads(path.read_text())["rows"]])
                steps = np.unique(np.searchsorted(found, np.arange(1, found[-1] + 1)))
                values += [
                    {
                        "task": task.title,
                        "by": name,
                        "read": int(k) + 1,
                        "found": float(found[k] / task.is_class.sum()),
                    }
                    for k in steps
                ]
    lines = (
        alt.Chart(alt.Data(values=values))
        .mark_line(interpolate="step-after")
        .encode(
            alt.X("read:Q", title="documents read", scale=alt.Scale(type="log")),
            alt.Y("found:Q", title="share found"),
            alt.Color("by:N", title=None, scale=alt.Scale(range=PALETTE[:2])),
        )
        .properties(width=150, height=110)
    )
    return lines.facet(alt.Facet("task:N", title=None), columns=4)


def _about_reading(rows: Rows) -> list[str]:
    lines = [
        _HEAD,
        "| half | found | tasks | ours / ASReview's | ahead | worst |",
        "|---|---|---|---|---|---|",
    ]
    for half in HALVES:
        for share in SHARES:
            ratios = np.array(
                [r["ratio"] for r in rows if r["half"] == half and r["share"] == share]
            )
            if len(ratios):
                mean = math.exp(np.log(ratios).mean())
                lines.append(
                    f"| {half} | {share:.0%} | {len(ratios)} | {mean:.2f} | "
                    f"{(ratios < 1).sum()} of "
                    f"{len(ratios)} | {ratios.max():.2f} |"
                )
    lines += [
        "",
        "| reported task | class | documents | 80 %: ours, theirs, ratio | 95 % |",
        "|---|---|---|---|---|",
    ]
    cells: dict[str, list[Any]] = {}
    for r in rows:
        if r["half"] == "reported":
            cell = cells.setdefault(r["task"], [r["class"], r["documents"]])
            cell.append(f"{r['imbtext']:.0f}, {r['asreview']:.0f}, {r['ratio']:.2f}")
    lines += [f"| {task} | {' | '.join(map(str, cell))} |" for task, cell in cells.items()]
    return [*lines, "", "![ratios](reading.svg)", "", "![curves](curves.svg)", ""]


def _about_stopping(rows: Rows, runs: Path) -> list[str]:
    lines = [_STOP.format(n=len(rows), seeds=len({r["seed"] for r in rows}))]
    lines += [
        "| half | target | kept | mean share read | times the needed reading |",
        "|---|---|---|---|---|",
    ]
    for half in (*HALVES, "all"):
        some = [r for r in rows if half in (r["half"], "all")]
        for target in ("0.95", "0.8"):
            kept = np.mean([r[f"recall_{target}"] >= float(target) - 1e-4 for r in some])
            share = np.mean([r[f"read_{target}"] / _n(r, runs) for r in some])
            times = math.exp(
                np.mean([math.log(r[f"read_{target}"] / r[f"needed_{target}"]) for r in some])
            )
            lines.append(
                f"| {half} | {float(target):.0%} | {kept:.1%} of {len(some)} | {share:.0%} | "
                f"{times:.1f} |"
            )
    broken = sorted({r["task"] for r in rows if r["recall_0.95"] < 0.9499})
    least = min(r["recall_0.95"] for r in rows)
    lines += [
        "",
        f"The promise of 95 % was broken on: {', '.join(broken) or 'no task'}; the lowest recall "
        f"at a stop was {least:.0%}.",
    ]
    for length in IN_A_ROW:
        kept = np.mean([r[f"recall_{length}_in_a_row"] >= 0.9499 for r in rows])
        lines.append(
            f'"{length} documents in a row without a find" reached 95 % in {kept:.0%} of the same '
            "runs."
        )
    covered = [r[f"upper_{m}"] >= r[f"left_{m}"] for r in rows for m in MOMENTS]
    by_moment = [
        f"{np.mean([r[f'upper_{m}'] >= r[f'left_{m}'] for r in rows]):.0%}" for m in MOMENTS
    ]
    lines += [
        "",
        f"The interval of what is left, after {', '.join(map(str, MOMENTS))} documents, held the "
        "truth in "
        f"{', '.join(by_moment)} of the runs ({np.mean(covered):.1%} together).",
        "",
    ]
    return lines


def _n(row: dict[str, Any], runs: Path) -> int:
    name = "".join(c if c.isalnum() else "-" for c in row["task"].lower())
    return int(json.loads((runs / "stopping" / f"{name}.{row['seed']}.json").read_text())["n"])


def _about_expecting(rows: Rows) -> list[str]:
    lines = [
        _EXPECT.format(n=len(rows)),
        "| number | interval holds what new documents showed |",
        "|---|---|",
    ]
    for name in ("recall", "precision", "alarms"):
        some = [
            r
            for r in rows
            if r[f"{name}_on_new"] is not None and not math.isnan(r[f"{name}_lower"])
        ]
        held = [
            r[f"{name}_lower"] - 1e-9 <= r[f"{name}_on_new"] <= r[f"{name}_upper"] + 1e-9
            for r in some
        ]
        lines.append(f"| {name} | {sum(held)} of {len(held)} ({np.mean(held):.0%}) |")
    return [*lines, ""]


def _about_speed(speed: dict[str, Any], rows: Rows) -> list[str]:
    ours = sum(r["imbtext_seconds"] for r in rows if r["share"] == 0.95)
    theirs = sum(r["asreview_seconds"] for r in rows if r["share"] == 0.95)
    ratios = [
        r["asreview_seconds"] / max(r["imbtext_seconds"], 0.1) for r in rows if r["share"] == 0.95
    ]
    return [
        _SPEED.format(
            **speed, ours=ours, theirs=theirs, ratio=theirs / ours, median=np.median(ratios)
        ),
        "",
    ]


_HEAD = """# The labelling loop

This file is written by `benchmarks/labelling_report.py`. Tasks, halves and first documents are
those of `benchmarks/labelling_tasks.py`, drawn before anything was measured. Constants were
looked at on the development half alone; those of the study in the issue stayed, since no other
was better there.

## Against ASReview 3.0.8, its default model, from the same two first documents

Documents read until a share of the class is found, ours divided by theirs: geometric means over
three pairs of first documents, then over tasks. `labelling_asreview.py` drives ASReview's own
model; its loop was compared with ASReview's `Simulate`, and read the same documents in the same
order in each of the eight runs compared.
"""
_STOP = """## When to stop

{n} simulated reviews (30 tasks, {seeds} pairs of first documents so far), read to the last
document. A promise is kept if the share that was promised is found when the rule says stop. It
assumes that an unread document of the class comes up at least twice as readily as another. Runs
of one task end up reading the same documents in nearly the same order, so the tasks, not the
runs, are the sample.
"""
_EXPECT = """## What the trained model promises

{n} models, each trained after the rule had stopped, tested on documents that were not in its
pool. What new documents show is an estimate too, so even perfect intervals would hold a little
less than 95 %.
"""
_SPEED = """## Speed and memory

{n:,} documents of {words:.0f} words, {n_labels:,} labels, {n_terms:,} terms. In processor time, one
thread: choosing the next document takes {ms_after_another:.0f} ms after a label "no" and
{ms_after_a_find:.0f} ms after a find (medians; retrained each time). Reading the documents in
takes {seconds_to_build:.0f} s once; {gib:.1f} GiB at the peak of that.

All reviews above, in seconds of processor time: {ours:.0f} for ours, {theirs:.0f} for ASReview's
model in our loop without its tables ({ratio:.1f} times; {median:.1f} times in the median task).
Both include reading the documents in.
"""
_COMMAND = """## The command

```
python benchmarks/labelling_tasks.py RUNS/tasks
PYTHON_WITH_ASREVIEW benchmarks/labelling_asreview.py RUNS/tasks RUNS/asreview
python benchmarks/labelling.py RUNS reading stopping expecting speed report
```
"""
