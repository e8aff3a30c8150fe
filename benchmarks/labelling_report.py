"""Writes results/labelling/ from the runs of benchmarks/labelling.py, which calls it.

Runs become tables (CSV) first. The README is made of the tables alone, so that
tests/results/test_labelling.py can check every number in it.
"""

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import labelling_deciding
import labelling_stopping
from imbtext.charts import PALETTE, altair, write_chart
from labelling_reviews import KINDS
from labelling_stopping import markdown_table, mean_ratio
from labelling_tasks import Task, tasks

FOLDER = Path(__file__).parents[1] / "results" / "labelling"
SHARES = (0.8, 0.95)
HALVES = ("reported", "development")
MOST = 3000
# The shares of ASReview's reading that we wanted to reach.
GOALS = {0.8: 0.45, 0.95: 0.5}
Rows = list[dict[str, Any]]


def report(runs: Path) -> None:
    """Write tables, charts and the README."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if (runs / "asreview").exists():
        _write_table("asreview", _asreview(runs))
        _write_table("asreview_finds", _asreview_finds(runs))
    # Tables of stages that were not run stay as they are.
    stages = {
        "reading": ("reading", _reading),
        "starting": ("starting", _starting),
        "speed": ("speed.json", _speed),
    }
    for name, (run, make) in stages.items():
        if (runs / run).exists():
            _write_table(name, make(runs))
    if (runs / "deciding").exists():
        _write_table("deciding", labelling_deciding.table(runs))
    if (runs / "deciding_encoder").exists():
        rows = labelling_deciding.table(runs, "deciding_encoder")
        _write_table("deciding_encoder", rows)
    if (runs / "reading_reviews").exists():
        _write_table("reviews", labelling_stopping.against_asreview(runs))
    if all((runs / kind).exists() for kind in KINDS):
        of_reviews = labelling_stopping.tables(runs)
        for name, rows in of_reviews.items():
            _write_table(name, rows)
        write_chart(labelling_stopping.chart(of_reviews["stopping"]), FOLDER / "stopping.svg")
    else:
        _write_table("stopping_encoder", labelling_stopping.with_encoder(runs))
    write_chart(
        _ratio_chart(pl.read_csv(FOLDER / "reading.csv").to_dicts()), FOLDER / "reading.svg"
    )
    if all((runs / "reading" / f"{task.file_name}.0.json").exists() for task in tasks("reported")):
        write_chart(_curve_chart(runs), FOLDER / "curves.svg")
    (FOLDER / "README.md").write_text(readme(FOLDER), encoding="utf-8")


def _write_table(name: str, rows: Rows) -> None:
    with (FOLDER / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def readme(folder: Path) -> str:
    """Return the README that the tables of a folder make."""
    of_reviews = ("stopping", "published", "left", "readiness")
    names = ("reading", "reviews", "starting", *of_reviews, "deciding", "speed")
    tables = {name: pl.read_csv(folder / f"{name}.csv") for name in names}
    parts = [
        _about_reading(tables["reading"]),
        labelling_stopping.about_reviews(tables["reviews"]),
        _about_starting(tables["starting"]),
        labelling_stopping.about(*(tables[name] for name in of_reviews)),
        labelling_stopping.about_encoder(pl.read_csv(folder / "stopping_encoder.csv")),
        labelling_deciding.about(tables["deciding"]),
        labelling_deciding.about_encoder(pl.read_csv(folder / "deciding_encoder.csv")),
        _about_speed(tables["speed"].row(0, named=True), tables["reading"]),
        _COMMAND,
    ]
    return "\n".join(parts)


def _asreview(runs: Path) -> Rows:
    """What ASReview read, task by task: geometric and plain means over pairs, and its seconds."""
    rows = []
    for task in tasks():
        both = [
            [_run(runs / side / f"{task.file_name}.{k}.json") for side in ("asreview", "own")]
            for k in range(3)
        ]
        theirs = [pair[0] for pair in both if pair[0]]
        row = {"task": task.title, "pairs": len(theirs)}
        n = {share: [_n_read(task, one["rows"], share) for one in theirs] for share in SHARES}
        row |= {f"read_{share:g}": round(mean_ratio(pl.Series(n[share])), 1) for share in n}
        row |= {f"mean_{share:g}": round(float(np.mean(n[share])), 1) for share in n}
        # By ASReview's own `Simulate`, from the first pair.
        own = round(both[0][1]["seconds"], 2) if both[0][1] else None
        seconds = round(sum(one["seconds"] for one in theirs), 2)
        rows += [row | {"seconds": seconds, "simulate_seconds": own}] if theirs else []
    return rows


def _asreview_finds(runs: Path) -> Rows:
    """After how many documents ASReview found each of the class, from the first pair."""
    return [
        {"task": task.title, "found": k + 1, "read": int(place) + 1}
        for task in tasks("reported")
        if (run := _run(runs / "asreview" / f"{task.file_name}.0.json"))
        for k, place in enumerate(np.flatnonzero(task.is_class[run["rows"]]))
    ]


def _theirs() -> dict[str, dict[str, Any]]:
    """ASReview's numbers by task, as its last runs left them here: they take half an hour."""
    table = pl.read_csv(FOLDER / "asreview.csv")
    return {row["task"]: row for row in table.iter_rows(named=True)}


def _reading(runs: Path) -> Rows:
    """What both read, task by task; what was not run stays as the last runs left it."""
    rows, theirs = [], _theirs()
    before = pl.read_csv(FOLDER / "reading.csv")
    for task in tasks():
        if task.title not in theirs:
            continue
        them = theirs[task.title]
        ours, by_words = (
            [
                run
                for k in range(them["pairs"])
                if (run := _run(runs / folder / f"{task.file_name}.{k}.json"))
            ]
            for folder in ("reading", "reading_words")
        )
        if not ours:
            rows += before.filter(task=task.title).to_dicts()
            continue
        for share in SHARES:
            n, n_words = (
                mean_ratio(pl.Series([_n_read(task, run["rows"], share) for run in some]))
                if some
                else None
                for some in (ours, by_words)
            )
            read = them[f"read_{share:g}"]
            rows.append(
                {
                    "task": task.title,
                    "half": _half(task),
                    "class": int(task.is_class.sum()),
                    "documents": len(task.rows),
                    "share": share,
                    "pairs": them["pairs"],
                    "imbtext": round(n, 1),
                    "words_alone": None if n_words is None else round(n_words, 1),
                    "asreview": read,
                    "ratio": round(n / read, 3),
                    "ratio_words_alone": None if n_words is None else round(n_words / read, 3),
                    "imbtext_seconds": round(sum(run["seconds"] for run in ours), 2),
                    "asreview_seconds": them["seconds"],
                    # Once by ASReview's own `Simulate`, and ours of the same review.
                    "simulate_seconds": them["simulate_seconds"],
                    "imbtext_seconds_of_it": round(ours[0]["seconds"], 2),
                }
            )
    return rows


def _run(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text()) if path.exists() else {}


def _half(task: Task) -> str:
    return "development" if task.development else "reported"


def _n_read(task: Task, rows: list[int], share: float) -> int:
    wanted = math.ceil(share * int(task.is_class.sum()))
    return int(np.searchsorted(np.cumsum(task.is_class[rows]), wanted)) + 1


def _starting(runs: Path) -> Rows:
    """Our reading from words, and ASReview's in the order of the file until the first find.

    After that its reading is that from the first documents it was given.
    """
    rows, theirs = [], _theirs()
    for task in tasks():
        run = _run(runs / "starting" / f"{task.file_name}.json")
        them = theirs.get(task.title)
        if not run:
            continue
        first = int(np.flatnonzero(task.is_class)[0]) + 1
        row = {
            "task": task.title,
            "half": _half(task),
            "words": run["words"],
            "first_by_words": int(np.flatnonzero(task.is_class[run["rows"]])[0]) + 1,
            "first_in_file_order": first,
            "first_at_random": round((len(task.rows) + 1) / (task.is_class.sum() + 1), 1),
            # In a smaller pool of MOST documents, on the development half.
            "first_far_apart": round(float(np.mean(run["far"])), 1) if "far" in run else None,
            "first_at_random_there": round((MOST + 1) / (task.is_class.sum() + 1), 1),
        }
        for share in SHARES:
            after = None if them is None else them[f"mean_{share:g}"] - 2
            row[f"imbtext_{share:g}"] = _n_read(task, run["rows"], share)
            row[f"asreview_{share:g}"] = None if after is None else round(first + after, 1)
        rows.append(row)
    return rows


def _speed(runs: Path) -> Rows:
    return [json.loads((runs / "speed.json").read_text())]


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
    found = pl.read_csv(FOLDER / "asreview_finds.csv").select("task", "found", "read")
    ours = [
        (task.title, k + 1, int(place) + 1)
        for task in tasks("reported")
        if (run := _run(runs / "reading" / f"{task.file_name}.0.json"))
        for k, place in enumerate(np.flatnonzero(task.is_class[run["rows"]]))
    ]
    n_class = {task.title: int(task.is_class.sum()) for task in tasks("reported")}
    values = [
        {"task": task, "by": name, "read": read, "found": k / n_class[task]}
        for name, finds in (("imbtext", ours), ("ASReview", found.rows()))
        for task, k, read in finds
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


def _about_reading(table: pl.DataFrame) -> str:
    rows = []
    kinds = [(half, half, "ratio") for half in HALVES]
    for name, half, column in [*kinds, ("reported, words alone", "reported", "ratio_words_alone")]:
        for share in SHARES:
            ratios = table.filter(half=half, share=share)[column]
            ahead = f"{(ratios < 1).sum()} of {len(ratios)}"
            mean, worst = f"{mean_ratio(ratios):.2f}", f"{ratios.max():.2f}"
            rows.append([name, f"{share:.0%}", mean, ahead, worst])
    summary = markdown_table(["half", "found", "ours / ASReview's", "ahead", "worst"], rows)
    cells = []
    for (task, n_class, n), part in table.filter(half="reported").group_by(
        "task", "class", "documents", maintain_order=True
    ):
        of_shares = [
            f"{r['imbtext']:.0f}, {r['asreview']:.0f}, {r['ratio']:.2f}"
            for r in part.iter_rows(named=True)
        ]
        cells.append([task, n_class, n, *of_shares])
    head = ["reported task", "class", "documents", "80%: ours, theirs, ratio", "95%"]
    pairs = table.filter(half="development")["pairs"].max()
    return "\n".join(
        [
            _HEAD.format(
                pairs=pairs,
                n_reported=table.filter(half="reported")["task"].n_unique(),
                n_development=table.filter(half="development")["task"].n_unique(),
                goal=_goal(table),
            ),
            summary,
            markdown_table(head, cells),
            _READING_CHARTS,
        ]
    )


def _goal(table: pl.DataFrame) -> str:
    """Say whether the goal is met."""
    said = []
    for share in SHARES:
        part = table.filter(half="reported", share=share)
        ratio, above = mean_ratio(part["ratio"]), part.filter(pl.col("ratio") > 1)
        met = "met" if ratio <= GOALS[share] else "missed"
        named = ", ".join(f"{row['task']} ({row['ratio']:.2f})" for row in above.to_dicts())
        each = f"missed on {named}" if named else "met on all"
        said.append(f"At {share:.0%} it is {met} ({ratio:.2f}), and that of each task is {each}.")
    return " ".join(said)


def _about_starting(table: pl.DataFrame) -> str:
    known = table.filter(pl.col("asreview_0.8").is_not_null())
    ratios = {
        f"r{share * 100:.0f}": mean_ratio(
            known[f"imbtext_{share:g}"] / known[f"asreview_{share:g}"]
        )
        for share in SHARES
    }
    far = (table["first_far_apart"] / table["first_at_random_there"]).drop_nulls()
    text = _START.format(
        n=len(table),
        n_known=len(known),
        words=table["first_by_words"].median(),
        file_order=table["first_in_file_order"].median(),
        random=table["first_at_random"].median(),
        late=(table["first_by_words"] > table["first_in_file_order"]).sum(),
        **ratios,
    )
    if len(far):
        text += "\n" + _FAR.format(far=mean_ratio(far), far_sooner=(far < 1).sum(), n_far=len(far))
    return text


def _about_speed(speed: dict[str, Any], table: pl.DataFrame) -> str:
    once = table.filter(share=0.95)
    ratios = once["asreview_seconds"] / once["imbtext_seconds"]
    own = once.filter(pl.col("simulate_seconds").is_not_null())
    of_own = own["simulate_seconds"] / own["imbtext_seconds_of_it"]
    return _SPEED.format(
        **speed,
        ours=once["imbtext_seconds"].sum(),
        theirs=once["asreview_seconds"].sum(),
        ratio=once["asreview_seconds"].sum() / once["imbtext_seconds"].sum(),
        median=ratios.median(),
        n_own=len(own),
        own_median=of_own.median(),
        own_least=of_own.min(),
        own_most=of_own.max(),
    )


_HEAD = """# The labelling loop

`benchmarks/labelling_report.py` writes this file. `benchmarks/labelling_tasks.py` drew the tasks,
the halves and the first documents before anything was measured. Constants were compared only on
the development half and on 28 tasks of other classes.

The extra `label` brings the sentence encoder minilm, which the ranking sees beside the words. The
numbers against ASReview and those of speed are with it, except those of "words alone". Earlier, the
ranking saw the meanings of single words (wordllama): the reviews under "When to stop" and "From
nothing" were recorded with these.

## Against ASReview 3.0.8, its default model, from the same two first documents

How many documents are read until a share of the class is found, ours divided by theirs: geometric
means over pairs of first documents (three for a reported task, {pairs} for another), then over
tasks. `labelling_asreview.py` drives ASReview's own model. We compared its loop with ASReview's
`Simulate` in eight runs, and both read the same documents in the same order each time.
`asreview.csv` and `asreview_finds.csv` keep what it read; `report` writes them again if
`RUNS/asreview` exists. The raw runs were lost: `asreview_finds.csv` was read back from an earlier
chart, which is exact to the document.

How words and meaning are mixed was laid down before these tasks were read with an encoder: the mean
of both scores, each divided by its deviation, with the same support vector machine for both. A
study had chosen that on other tasks. We compared four weights and lengths of the vectors on five
development tasks, and kept these. The reported half was then read once. Earlier versions had been
read on the same half: words alone, and wordllama's meanings (0.59 and 0.57, 1.30 at worst). The
table has the tasks that we had time to encode: {n_reported} of 15 and {n_development} of 15.

The goal was 0.45 at 80% and 0.50 at 95%, with no task above 1.0. {goal}

ASReview has two heavier models, which are not compared here: ELAS l2 reads with
multilingual-e5-large, and ELAS h3 with mxbai-embed-large-v1. The weights of both come from Hugging
Face, which our machine could not reach.
"""
_READING_CHARTS = """![ratios](reading.svg)

![curves](curves.svg)
"""
_START = """## From nothing

The same tasks without any label; {n} of 30 were run. Ours starts from the name of the class as
words, such as "coffee" or "world news". Without known documents, ASReview reads in the order of
the file until the first find. In the median task the first find is document number {words:.0f} by
words, number {file_order:.0f} in the order of the file, and number {random:.0f} at random on
average. On {late} of the tasks, the words found it later than the order of the file did.

Until 80 and 95% of the class are found, ours reads {r80:.2f} and {r95:.2f} times what ASReview
reads (geometric means over {n_known} tasks). ASReview's reading counts the order of the file
until the first find, and from there the runs with given first documents, as above.
"""
_FAR = """Without words, documents come in a random order. We also tried documents far from each
other, drawn as k-means++ draws them. They reached the first find after {far:.2f} times what a
random order takes (geometric mean; sooner on {far_sooner} of the {n_far} development tasks that
were run, three draws each).
"""
_SPEED = """## Speed and memory

The pool has {n:,} documents of {words:.0f} words and {n_terms:,} terms, and {n_labels:,} labels.
In processor time of one thread, choosing the next document takes {ms_after_another:.0f} ms after
a "no" and {ms_after_a_find:.0f} ms after a find (medians with {n_found:,} found; {ms_most:.0f} ms
at most). The ranking is trained again each time. In a harder case nearly all labels are finds,
and a "no" is any document instead of the one offered; there it takes {dense_ms_after_another:.0f}
and {dense_ms_after_a_find:.0f} ms. With an encoder's vectors beside the terms (drawn at random, as
many as minilm's), it takes {encoder_ms_after_another:.0f} and {encoder_ms_after_a_find:.0f} ms, and
{encoder_ms_most:.0f} ms at most. Reading the documents in takes {seconds_to_build:.0f} s once,
with {gib:.1f} GiB at the peak.

On a busy machine, all reviews above took {ours:.0f} seconds of processor time with ours, and
{theirs:.0f} with ASReview's model in a short loop of our own ({ratio:.1f} times; {median:.1f}
times in the median task). ASReview's own `Simulate` was timed on {n_own} of the reviews. It takes
{own_median:.1f} times as long as ours in the median, {own_least:.1f} at least and {own_most:.0f}
at most. All times include reading the documents in, and not the encoder. ASReview's times are from
an earlier day on the same kind of machine.
"""
_COMMAND = """## The command

```
python benchmarks/labelling_tasks.py RUNS/tasks
PYTHON_WITH_ASREVIEW benchmarks/labelling_asreview.py RUNS/tasks RUNS/asreview
PYTHON_WITH_ASREVIEW benchmarks/labelling_asreview.py RUNS/tasks RUNS/own --own
python benchmarks/labelling_reviews.py RUNS
python benchmarks/labelling_reviews.py RUNS against
PYTHON_WITH_ASREVIEW benchmarks/labelling_asreview.py RUNS/review_tasks RUNS/asreview_reviews
PYTHON_WITH_THE_RULES benchmarks/labelling_published.py RUNS
python benchmarks/labelling_deciding.py RUNS
python benchmarks/labelling.py RUNS reading words starting speed report
```
"""
