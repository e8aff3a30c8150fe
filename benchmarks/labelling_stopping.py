"""When to stop and what is left, on the reviews that benchmarks/labelling_reviews.py recorded.

`labelling_report.py` calls `tables`, and `about` for the text. "Today's rule" is the careful rule
without near-duplicates, which was the only one before.
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext.charts import PALETTE, altair
from imbtext.labelling import _stopping
from imbtext.labelling._remaining import documents_left
from imbtext.labelling._stopping import ESTIMATE, READINESS, Reading
from labelling_reviews import KINDS, N_SEEDS, STEP, pools

TARGETS = (0.95, 0.8)
# Kinds of pools that are read with an encoder, and were recorded again when the loop had one.
WITH_ENCODER = ("news", "reviews")
READINESSES = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5)
IN_A_ROW = (50, 200)
GROWTH = 1.2
FIRST_MOMENT = 5
SHARES = (0.8, 0.95)
_THEIRS = "asreview_reviews"
_FOLDER = Path(__file__).parents[1] / "results" / "labelling"
_SAID = {True: "met", False: "missed"}
# An estimate is good within a factor of two, or three documents.
FACTOR, NEAR = 2, 3
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Review:
    """A recorded review: the documents of a pool in the order of reading."""

    kind: str
    task: str
    half: str
    seed: int
    came: NDArray[np.bool_]
    groups: NDArray[np.int64]

    def reading(self, n: int, *, careful: bool = False, copies: bool = True) -> Reading:
        """Return what is known after some documents; the first two were known before."""
        groups = self.groups if copies else np.arange(len(self.came))
        by_rank = np.arange(n) >= 2
        return Reading.of(np.arange(n), self.came[:n], by_rank, groups, careful=careful)

    def stop(self, target: float = 0.95, *, careful: bool = False, copies: bool = True) -> int:
        """Return after how many documents the rule says to stop, looked at after each 3 %."""
        n = 3
        while n < len(self.came):
            if self.reading(n, careful=careful, copies=copies).may_stop(target):
                break
            n += max(1, int(n * STEP))
        return min(n, len(self.came))

    def recall(self, n: int) -> float:
        """Return the share of the class that was found."""
        return round(float(self.came[:n].sum() / self.came.sum()), 4)


def reviews(runs: Path, kind: str) -> Iterator[Review]:
    """Return the recorded reviews of a kind."""
    for pool in pools(kind):
        half = "development" if pool.development else "reported"
        for path in sorted((runs / kind).glob(f"{pool.file_name}.*.json")):
            yield recorded(path, kind, pool.title, half)


def recorded(path: Path, kind: str, task: str, half: str) -> Review:
    """Return the review of a file."""
    run = json.loads(path.read_text())
    came = np.zeros(run["n"], bool)
    came[run["found"]] = True
    return Review(kind, task, half, int(path.suffixes[-2][1:]), came, np.array(run["groups"]))


def tables(runs: Path) -> dict[str, Rows]:
    """Return the tables: stops, published rules, what is left, and the careful rule's number."""
    every = [one for kind in KINDS for one in reviews(runs, kind)]
    stops = [_stop(one) for one in every]
    return {
        "stopping": stops,
        "published": _published(runs, every),
        "left": [_left(one, row["read"]) for one, row in zip(every, stops, strict=True)],
        "readiness": _readiness(every),
    }


def _row(one: Review) -> dict[str, Any]:
    row = {"kind": one.kind, "task": one.task, "half": one.half, "seed": one.seed}
    return row | {"n": len(one.came), "class": int(one.came.sum())}


def _stop(one: Review) -> dict[str, Any]:
    finds = np.flatnonzero(one.came)
    row = _row(one) | {"needed": int(finds[math.ceil(0.95 * len(finds)) - 1]) + 1}
    for name, n_read in {
        "": one.stop(),
        "_careful": one.stop(careful=True),
        "_today": one.stop(careful=True, copies=False),
        "_0.8": one.stop(0.8),
        "_today_0.8": one.stop(0.8, careful=True, copies=False),
        **{f"_{length}_in_a_row": _in_a_row(one.came, length) for length in IN_A_ROW},
    }.items():
        row |= {f"read{name}": n_read, f"recall{name}": one.recall(n_read)}
    return row


def _in_a_row(came: NDArray[np.bool_], length: int) -> int:
    finds = np.concatenate([[1], np.flatnonzero(came[2:]) + 2, [len(came)]])
    gaps = np.flatnonzero(np.diff(finds) > length)
    return int(finds[gaps[0]]) + length + 1 if len(gaps) else len(came)


def _published(runs: Path, every: Sequence[Review]) -> Rows:
    rows = []
    by_file = {(pool.kind, pool.title): pool.file_name for kind in KINDS for pool in pools(kind)}
    for one in every:
        name = f"{one.kind}.{by_file[one.kind, one.task]}.{one.seed}.json"
        path = runs / "published" / name
        if path.exists():
            stops = json.loads(path.read_text())
            rows += [
                _row(one) | {"rule": rule, "read": n_read, "recall": one.recall(n_read)}
                for rule, n_read in stops.items()
            ]
    return rows


def _left(one: Review, stop: int) -> dict[str, Any]:
    """Look at the estimate from time to time, until the rule says to stop."""
    n, n_class = FIRST_MOMENT, int(one.came.sum())
    good, covered, today = [], [], []
    n_moments, by_half = 0, False
    while n <= stop and n < len(one.came):
        reading, n_found = one.reading(n), int(one.came[:n].sum())
        said, is_early = documents_left(reading, reading.left(ESTIMATE), len(one.came) - n)
        left, n_moments = n_class - n_found, n_moments + 1
        today.append(_is_good(_most_remaining(one.reading(n, careful=True, copies=False)), left))
        if not is_early:
            by_half |= n_found <= math.ceil(n_class / 2)
            good.append(_is_good(said.mean, left))
            covered.append(said.lower <= left <= said.upper)
        n = max(n + 1, int(n * GROWTH))
    return _row(one) | {
        "moments": n_moments,
        "shown": len(good),
        "good": sum(good),
        "covered": sum(covered),
        "shown_by_half": bool(by_half),
        "good_today": sum(today),
    }


def _is_good(said: float, left: int) -> bool:
    return abs(said - left) <= NEAR or left / FACTOR <= said <= left * FACTOR


def _most_remaining(reading: Reading) -> int:
    """Return the estimate of before: the largest number that the careful rule finds likely."""
    low, high = 0, reading.n_unread
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if reading.surprise(middle) > 0.5 else (low, middle - 1)
    return low


def _readiness(every: Sequence[Review]) -> Rows:
    """How often the careful rule keeps its promise if other things are assumed."""
    rows = []
    some = [one for one in every if one.kind == "words" and one.half == "development"]
    for readiness in READINESSES:
        _stopping.READINESS = readiness
        stops = [one.stop(careful=True, copies=False) for one in some]
        kept = [one.recall(n) >= 0.9499 for one, n in zip(some, stops, strict=True)]
        shares = [n / len(one.came) for one, n in zip(some, stops, strict=True)]
        rows.append(
            {
                "readiness": readiness,
                "kept": round(float(np.mean(kept)), 4),
                "read": round(float(np.mean(shares)), 4),
                "reviews": len(some),
            }
        )
    _stopping.READINESS = READINESS
    return rows


def with_encoder(runs: Path) -> Rows:
    """Return stops and estimates of the pools that were recorded with the encoder.

    What was not run stays as the last runs left it.
    """
    before = pl.read_csv(_FOLDER / "stopping_encoder.csv")
    rows = []
    for kind in WITH_ENCODER:
        by_task = {pool.title: before.filter(kind=kind, task=pool.title) for pool in pools(kind)}
        recorded_now = {task: table.to_dicts() for task, table in by_task.items()}
        recorded_now |= {one.task: [] for one in reviews(runs, kind)}
        for one in reviews(runs, kind):
            recorded_now[one.task].append(_with_encoder(one))
        rows += [row for of_task in recorded_now.values() for row in of_task]
    return rows


def _with_encoder(one: Review) -> dict[str, Any]:
    finds = np.flatnonzero(one.came)
    row = _row(one) | {"needed": int(finds[math.ceil(0.95 * len(finds)) - 1]) + 1}
    for name, careful in (("", False), ("_careful", True)):
        n_read = one.stop(careful=careful)
        row |= {f"read{name}": n_read, f"recall{name}": one.recall(n_read)}
    return row | {k: v for k, v in _left(one, row["read"]).items() if k not in row}


def about_encoder(table: pl.DataFrame) -> str:
    """Return the text about the reviews that were recorded with the encoder."""
    rows = []
    for half, kind in product(("reported", "development"), WITH_ENCODER):
        some = table.filter(half=half, kind=kind)
        if not len(some):
            continue
        shown = some["shown"].sum()
        kept = [f"{(some[f'recall{mode}'] >= 0.9499).mean():.1%}" for mode in ("", "_careful")]
        cells = [half, kind, some["task"].n_unique(), len(some), *kept]
        cells.append(f"{(some['read'] / some['n']).mean():.0%}")
        cells.append(f"{mean_ratio(some['read'] / some['needed']):.1f}")
        cells += [f"{some[name].sum() / shown:.0%}" for name in ("good", "covered")]
        rows.append([*cells, f"{some['shown_by_half'].mean():.0%}"])
    head = ["half", "pools", "tasks", "reviews", "kept", "careful mode", "share read", "÷ needed"]
    head += ["left: good", "covered", "shown by half"]
    broken = table.filter(pl.col("recall") < 0.9499).group_by("half", "task")
    broken = broken.agg(pl.col("recall").min()).sort("task")
    named = ", ".join(
        f"{task} ({half}, {recall:.1%} found)" for half, task, recall in broken.rows()
    )
    reported = table.filter(half="reported")
    met = ", ".join(
        f"{_met((some['recall'] >= 0.9499).mean(), 0.96, most=False)} of `{kind}`"
        for (kind,), some in reported.group_by("kind", maintain_order=True)
    )
    said = (
        f"On the reported half, the promise is kept in {met}. It was broken in: "
        f"{named or 'none'}.\n"
    )
    return "\n".join([_ENCODER, markdown_table(head, rows), said, _why_broken(table)])


def _why_broken(table: pl.DataFrame) -> str:
    """Say why the promise was broken on the reported half, and whether a rule could have known."""
    news = table.filter(kind="news")
    reported, other = (news.filter(half=half) for half in ("reported", "development"))
    one = reported.filter(pl.col("recall") < 0.9499).row(0, named=True)
    assert one["read"] == one["read_careful"]
    n_tasks = reported["task"].n_unique()
    return _WHY_BROKEN.format(
        task=one["task"],
        needed=f"{one['needed'] / one['n']:.0%}",
        b=READINESS,
        kept=f"{(other['recall_careful'] >= 0.9499).sum()} of {len(other)}",
        n=n_tasks,
        chance=f"{1 - 0.95**n_tasks:.0%}",
    )


def against_asreview(runs: Path) -> Rows:
    """Return what both read of the systematic reviews until 80 and 95 % are found.

    What was not run stays as the last runs left it; `meaning` says what ours saw beside words.
    """
    before = {
        (row["task"], row["seed"], row["share"]): {"meaning": "wordllama"} | row
        for row in pl.read_csv(_FOLDER / "reviews.csv").iter_rows(named=True)
    }
    rows = []
    for pool in pools("reviews"):
        of_pool = {
            "task": pool.title,
            "half": "development" if pool.development else "reported",
            "n": len(pool.is_class),
            "class": int(pool.is_class.sum()),
        }
        for seed in range(N_SEEDS):
            for share in SHARES:
                row = before[pool.title, seed, share]
                for name, folder in (("imbtext", "reading_reviews"), ("asreview", _THEIRS)):
                    path = runs / folder / f"{pool.file_name}.{seed}.json"
                    if path.exists():
                        found = np.cumsum(pool.is_class[json.loads(path.read_text())["rows"]])
                        wanted = math.ceil(share * of_pool["class"])
                        row[name] = int(np.searchsorted(found, wanted)) + 1
                        row |= {"meaning": pool.encoder} if name == "imbtext" else {}
                numbers = {name: row[name] for name in ("imbtext", "asreview", "meaning")}
                rows.append(of_pool | {"seed": seed, "share": share} | numbers)
    return rows


def about_reviews(table: pl.DataFrame) -> str:
    """Return the text about systematic reviews."""
    rows = []
    ratios = table.with_columns(ratio=(pl.col("imbtext") / pl.col("asreview")).log())
    tasks = ratios.group_by("task", "half", "share", "meaning").agg(pl.col("ratio").mean().exp())
    for half in ("reported", "development"):
        for meaning in ("minilm", "wordllama"):
            for share in SHARES:
                some = tasks.filter(half=half, share=share, meaning=meaning)["ratio"]
                if len(some):
                    ahead = f"{(some < 1).sum()} of {len(some)}"
                    cells = [f"{share:.0%}", f"{mean_ratio(some):.2f}", ahead, f"{some.max():.2f}"]
                    rows.append([half, meaning, *cells])
    head = ["half", "words and", "found", "ours / ASReview's", "ahead", "worst"]
    text = _REVIEWS.format(meaning="" if (tasks["meaning"] == "minilm").all() else _NOT_ENCODED)
    return "\n".join([text, markdown_table(head, rows), _goal_of_reviews(tasks)])


def chart(stops: Rows) -> Any:
    """Draw what the rule reads against the careful one, a point per pool."""
    alt = altair()
    table = pl.DataFrame(stops).group_by("kind", "task", "half", maintain_order=True)
    means = table.agg(
        (pl.col("read") / pl.col("n")).mean(),
        pl.col("recall").mean(),
        today=(pl.col("read_today") / pl.col("n")).mean(),
    )
    points = (
        alt.Chart(alt.Data(values=means.to_dicts()))
        .mark_point(filled=True, size=50)
        .encode(
            alt.X("today:Q", title="share read by the rule of before"),
            alt.Y("read:Q", title="share read"),
            alt.Color("kind:N", title=None, scale=alt.Scale(domain=KINDS, range=PALETTE[:5])),
            alt.Shape("half:N", title=None),
            tooltip=["task:N", "read:Q", "today:Q"],
        )
    )
    ends = [{"today": 0, "read": 0}, {"today": 1, "read": 1}]
    same = alt.Chart(alt.Data(values=ends)).mark_line(strokeDash=[4, 4], color="gray")
    line = same.encode(alt.X("today:Q"), alt.Y("read:Q"))
    return alt.layer(points, line).properties(width=420, height=320)


def about(
    stops: pl.DataFrame, published: pl.DataFrame, left: pl.DataFrame, readiness: pl.DataFrame
) -> str:
    """Return the text of both sections."""
    parts = [
        _STOP.format(n=len(stops), n_seeds=stops["seed"].n_unique(), ideal=_ideal(stops)),
        _stops_by_kind(stops),
        _goal_of_stops(stops),
        _broken(stops),
        "![what the rule reads](stopping.svg)\n",
        _RULES,
        _rules(stops, published),
        _READINESS.format(b=READINESS, n=readiness["reviews"][0]),
        markdown_table(
            ["times as readily", "kept", "mean share read"],
            [
                [f"{row['readiness']:g}", f"{row['kept']:.1%}", f"{row['read']:.1%}"]
                for row in readiness.iter_rows(named=True)
            ],
        ),
        _LEFT,
        _left_by_kind(left),
        _goal_of_left(left),
    ]
    return "\n".join(parts)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return rows as Markdown has them."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n"


def mean_ratio(ratios: pl.Series) -> float:
    """Return the geometric mean."""
    return math.exp(float(np.log(ratios.to_numpy()).mean()))


def _met(reached: float, goal: float, *, most: bool) -> str:
    """Say a number, the goal for it, and whether it is met."""
    is_met = reached <= goal if most else reached >= goal
    return f"{reached:.2f} (goal {'at most' if most else 'at least'} {goal:.2f}: {_SAID[is_met]})"


def _goal_of_stops(stops: pl.DataFrame) -> str:
    some = stops.filter(half="reported")
    kept = min(
        (some.filter(kind=kind)["recall"] >= 0.9499).mean() for kind in some["kind"].unique()
    )
    total = some["read"].sum() / some["read_today"].sum()
    ratio = mean_ratio(some["read"] / some["read_today"])
    return (
        f"On the reported half, the promise is kept in {_met(kept, 0.96, most=False)} of each "
        f"kind at least. Against the rule of before, it reads {_met(ratio, 0.55, most=True)} as a "
        f"geometric mean and {_met(total, 0.75, most=True)} in total.\n"
    )


def _goal_of_left(left: pl.DataFrame) -> str:
    some = left.filter(half="reported")
    shown = some["shown"].sum()
    good, covered = some["good"].sum() / shown, some["covered"].sum() / shown
    return (
        f"On the reported half, it is good in {_met(good, 0.75, most=False)} of the moments shown, "
        f"covers in {_met(covered, 0.95, most=False)}, and is shown by half of the class in "
        f"{_met(some['shown_by_half'].mean(), 0.6, most=False)} of the reviews.\n"
    )


def _goal_of_reviews(tasks: pl.DataFrame) -> str:
    said = []
    for share in SHARES:
        some = tasks.filter(half="reported", share=share)["ratio"]
        said.append(
            f"until {share:.0%}, {_met(mean_ratio(some), 1.0, most=True)}, the worst "
            f"{_met(some.max(), 1.2, most=True)}"
        )
    return f"On the reported half: {'; '.join(said)}.\n"


def _ideal(stops: pl.DataFrame) -> str:
    some = stops.filter(kind="reviews")
    return f"{some['needed'].sum() / some['read_today'].sum():.2f}"


def _parts(table: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    for half in ("reported", "development"):
        of_half = table.filter(half=half)
        for kind in KINDS:
            yield half, kind, of_half.filter(kind=kind)
        yield half, "all", of_half


def _stops_by_kind(stops: pl.DataFrame) -> str:
    rows = []
    for half, kind, some in _parts(stops):
        ratios = some["read"] / some["read_today"]
        rows.append(
            [
                half,
                kind,
                len(some),
                *(_share(some[f"recall{rule}"] >= 0.9499) for rule in ("", "_careful", "_today")),
                f"{(some['read'] / some['n']).mean():.0%}",
                f"{mean_ratio(ratios):.2f}",
                f"{some['read'].sum() / some['read_today'].sum():.2f}",
                f"{mean_ratio(some['read'] / some['needed']):.1f}",
            ]
        )
    head = ["half", "pools", "reviews", "kept", "careful mode", "before", "share read"]
    return markdown_table([*head, "÷ before", "÷ before, total", "÷ needed"], rows)


def _broken(stops: pl.DataFrame) -> str:
    broken = stops.filter(pl.col("recall") < 0.9499)
    counts = broken.group_by("kind", "task").len().sort("kind", "task")
    named = ", ".join(f"{task} in {kind} ({n})" for kind, task, n in counts.rows()) or "none"
    easier = (stops["recall_0.8"] >= 0.7999).mean()
    share = (stops["read_0.8"] / stops["n"]).mean()
    return (
        f"The promise was broken in: {named}. The lowest recall at a stop was "
        f"{stops['recall'].min():.0%}. With a target of 80%, {easier:.1%} of the reviews kept the "
        f"promise after {share:.0%} of the reading on average.\n"
    )


def _rules(stops: pl.DataFrame, published: pl.DataFrame) -> str:
    some = stops.filter(pl.col("kind").is_in(published["kind"].unique().to_list()), seed=0)
    names = {"ours": "", "ours, careful": "_careful"}
    names |= {f"{length} in a row": f"_{length}_in_a_row" for length in IN_A_ROW}
    rows = [
        [name, some[f"recall{rule}"], some[f"read{rule}"] / some["n"]]
        for name, rule in names.items()
    ]
    for (rule,), theirs in published.group_by("rule", maintain_order=True):
        rows.append([rule, theirs["recall"], theirs["read"] / theirs["n"]])
    return markdown_table(
        ["rule", "reviews", "kept", "mean recall", "lowest recall", "mean share read"],
        [
            [
                name,
                len(recall),
                _share(recall >= 0.9499),
                f"{recall.mean():.1%}",
                f"{recall.min():.0%}",
                f"{shares.mean():.0%}",
            ]
            for name, recall, shares in rows
        ],
    )


def _left_by_kind(left: pl.DataFrame) -> str:
    rows = []
    for half, kind, some in _parts(left):
        shown = some["shown"].sum()
        rows.append(
            [half, kind, f"{shown:,} of {some['moments'].sum():,}"]
            + [f"{some[name].sum() / shown:.0%}" for name in ("good", "covered")]
            + [_share(some["shown_by_half"])]
            + [f"{some['good_today'].sum() / some['moments'].sum():.0%}"]
        )
    head = ["half", "pools", "moments shown", "good", "covered", "shown by half of the class"]
    return markdown_table([*head, "good before"], rows)


def _share(yes: pl.Series) -> str:
    return f"{yes.mean():.1%}"


_REVIEWS = """## Systematic reviews, against ASReview

People use such a loop for systematic reviews above all: scattered classes that a few words do not
mark. These are sixteen tasks of published reviews, from two pairs of first documents each, the same
for both. Means and "ahead" are over tasks. {meaning}Nobody knows how to be clearly better here.
"""
_NOT_ENCODED = """Tasks that we had no time to encode are as they were
read before, with wordllama's meanings of words. """
_STOP = """## When to stop

We recorded {n} reviews to the last document ({n_seeds} pairs of first documents for each pool), of
five kinds: `news` is the tasks above in pools of 3,000, `words` the same by words alone, `copies`
pools in which every document stands two to four times, `small` pools of 300 to 800, and `reviews`
the sixteen tasks of published systematic reviews. A promise is kept if 95% of the class is found
when the rule says stop. Reviews of one pool read nearly the same documents, so the sample is the
pools. Nothing was chosen on the reported half.

"Before" is the rule that was the only one until now; it does not know near-duplicates. The careful
mode is the same rule with them. In the systematic reviews a tenth to a half of all documents is of
the class, and 95% of it is found late: who knows all labels would still read {ideal} of what the
rule of before reads.
"""
_ENCODER = """## Stopping with the encoder

The reviews above were recorded before the loop had an encoder. These are the pools of `news` and
`reviews`, recorded again with minilm. Neither the rule nor the estimate was changed for them.
"""
_WHY_BROKEN = """The class {task} hides: its ranking is little better than chance, and 95% of it
takes {needed} of the reading. The careful rule expects its documents to come up {b:g} times as
readily as others, and stopped at the same document. So no setting of the shorter rule would have
kept the promise. On the development half, the careful rule kept {kept}: nothing there speaks
for a stricter one, and we left both rules as they were. Luck is enough to explain it: a promise
with 95% confidence is broken on at least one of {n} tasks with a probability of {chance}.
"""
_RULES = """### Beside published rules

One review of each pool of `reviews` and `words`, both halves, and each rule as its own package has
it: Buscar (Callaghan and Müller-Hansen 2020) from `buscarpy` 0.0.2; the knee and the budget of
Cormack and Grossman (2016) and the heuristic of Callaghan and Müller-Hansen from `tarexp` 0.1.4.
All promise 95% but the knee and the budget, whose authors meant 70%.
"""
_READINESS = """### What the careful rule assumes

An unread document of the class comes up at least {b:g} times as readily as another. These are the
{n} reviews of the development half by words alone. We chose {b:g} on an earlier sample of them,
and knew by then that 2 broke the promise on a task of the reported half.
"""
_LEFT = """## What is left

The estimate is shown from five finds on, if its upper limit is at most five times what was found.
We look at it after each fifth more of reading, until the rule says stop. It is good if it is
within a factor of two of the truth, or within three documents. Its interval should cover the truth
in 95%. "Good before" is the estimate of before, which was shown at every moment. The number counts
single documents, near-duplicates included.
"""
