"""How often the intervals of an audit contain the truth, and how wide they are.

    python benchmarks/audit.py [AUDITS] [--out results/audit]

Models are trained on 3,000 documents, of which 0.5 to 5% are of a rare class, and a file of 5,000
is audited AUDITS times (40) with budgets of 30, 60, 120 and 240 documents. Beside it stands a
random audit, which reads as many documents of the whole file. The kinds of files:

* *same*: other documents of the same source;
* *period*: the model knows HuffPost's headlines of 2012 and 2013, the file is of 2016 to 2018;
* *source*: the model knows headlines, the file is of 20 Newsgroups, or the other way round;
* *labels shifted*: the same source, with the class four times as frequent or a quarter as frequent.

The truth is the recall and the precision of the model on the whole file, whose labels are known.
"""

import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import altair as alt
import numpy as np
import polars as pl
from scipy import stats

from huffpost import huffpost_rows
from imbtext import RareTextClassifier
from imbtext.charts import write_chart
from imbtext.datasets import load_20newsgroups, load_reuters
from imbtext.quality._audit import (
    Stratum,
    guaranteed,
    model_assisted,
    reading_order,
    split_budget,
)

N_TRAINING, N_FILE = 3_000, 5_000
BUDGETS = (30, 60, 120, 240)
# kind, source, class, share in training; source of the file, its class and share.
FILES = (
    ("same", "huffpost", "CRIME", 0.01, "huffpost", "CRIME", 0.01),
    ("same", "huffpost", "RELIGION", 0.005, "huffpost", "RELIGION", 0.005),
    ("same", "huffpost", "SPORTS", 0.05, "huffpost", "SPORTS", 0.05),
    ("same", "newsgroups", "sci.space", 0.01, "newsgroups", "sci.space", 0.01),
    ("same", "newsgroups", "rec.sport.hockey", 0.005, "newsgroups", "rec.sport.hockey", 0.002),
    ("same", "reuters", "crude", 0.03, "reuters", "crude", 0.03),
    ("period", "before", "CRIME", 0.01, "after", "CRIME", 0.01),
    ("period", "before", "TECH", 0.005, "after", "TECH", 0.002),
    ("period", "before", "SPORTS", 0.05, "after", "SPORTS", 0.05),
    ("period", "before", "BUSINESS", 0.02, "after", "BUSINESS", 0.02),
    ("period", "before", "SCIENCE", 0.01, "after", "SCIENCE", 0.01),
    ("period", "before", "COMEDY", 0.01, "after", "COMEDY", 0.005),
    ("source", "huffpost", "SPORTS", 0.02, "newsgroups", "rec.sport.hockey", 0.02),
    ("source", "huffpost", "SCIENCE", 0.02, "newsgroups", "sci.space", 0.01),
    ("source", "huffpost", "RELIGION", 0.01, "newsgroups", "soc.religion.christian", 0.05),
    ("source", "newsgroups", "rec.sport.baseball", 0.02, "huffpost", "SPORTS", 0.02),
    ("source", "newsgroups", "sci.space", 0.02, "huffpost", "SCIENCE", 0.01),
    ("source", "newsgroups", "soc.religion.christian", 0.03, "huffpost", "RELIGION", 0.005),
    ("labels shifted", "huffpost", "CRIME", 0.01, "huffpost", "CRIME", 0.04),
    ("labels shifted", "huffpost", "SPORTS", 0.04, "huffpost", "SPORTS", 0.01),
    ("labels shifted", "huffpost", "RELIGION", 0.005, "huffpost", "RELIGION", 0.02),
    ("labels shifted", "newsgroups", "sci.space", 0.01, "newsgroups", "sci.space", 0.04),
    ("labels shifted", "newsgroups", "rec.autos", 0.02, "newsgroups", "rec.autos", 0.005),
    ("labels shifted", "reuters", "crude", 0.02, "reuters", "crude", 0.005),
)


class Source(NamedTuple):
    """Documents with all their labels."""

    texts: np.ndarray
    labels: list[set[str]]


class Scored(NamedTuple):
    """A file that a model has read: its probabilities, its alarms, and the truth."""

    kind: str
    probabilities: np.ndarray
    is_alarm: np.ndarray
    is_class: np.ndarray


def sources():
    rows = huffpost_rows().filter(pl.col("headline").str.len_chars() > 0)
    years = rows["date"].cast(pl.String).str.slice(0, 4)
    parts = {
        "huffpost": rows,
        "before": rows.filter(years <= "2013"),
        "after": rows.filter(years.is_between(pl.lit("2016"), pl.lit("2018"))),
    }
    found = {
        name: Source(
            np.array(part["headline"].to_list(), dtype=object),
            [{label} for label in part["category"].to_list()],
        )
        for name, part in parts.items()
    }
    for name, data in (("newsgroups", load_20newsgroups()), ("reuters", load_reuters())):
        labels = [set(label) if data.multilabel else {label} for label in data.labels]
        found[name] = Source(np.array(data.texts, dtype=object), labels)
    return found


def drawn(source, label, share, n, generator, without=frozenset()):
    """Draw documents so that this share of them is of the class."""
    member = np.array([label in labels for labels in source.labels])
    of_class, others = (
        np.setdiff1d(np.flatnonzero(mask), list(without)) for mask in (member, ~member)
    )
    n_class = min(round(share * n), len(of_class))
    chosen = [
        generator.choice(rows, size, replace=False)
        for rows, size in ((of_class, n_class), (others, min(n - n_class, len(others))))
    ]
    return generator.permutation(np.concatenate(chosen)), member


def scored_files():
    every = sources()
    for number, (kind, learnt, label, share, read, label_there, share_there) in enumerate(FILES):
        generator = np.random.default_rng(number)
        rows, member = drawn(every[learnt], label, share, N_TRAINING, generator)
        model = RareTextClassifier(features="words", pos_label=True, random_state=number)
        model.fit(every[learnt].texts[rows].tolist(), member[rows])
        without = frozenset(rows.tolist()) if learnt == read else frozenset()
        rows, member = drawn(every[read], label_there, share_there, N_FILE, generator, without)
        texts = every[read].texts[rows].tolist()
        yield Scored(
            kind,
            model.predict_proba(texts)[:, 1],
            model.decision_function(texts) > 0,
            member[rows],
        )


def audits_of(file, n_audits):
    """Yield budget, method, measure, and the limits that an audit found."""
    kept = {}
    for audit in range(n_audits):
        orders = reading_order(file.is_alarm, audit)
        shuffled = np.random.default_rng(audit).permutation(len(file.is_class))
        for budget in BUDGETS:
            sizes = split_budget(budget, *map(len, orders))
            parts = [order[:n] for order, n in zip(orders, sizes, strict=True)]
            strata = tuple(
                Stratum(len(order), len(part), int(file.is_class[part].sum()))
                for order, part in zip(orders, parts, strict=True)
            )
            if strata not in kept:
                kept[strata] = guaranteed(*strata)
            read = np.concatenate(parts)
            assisted = model_assisted(
                file.probabilities, file.is_alarm, read, file.is_class[read], audit
            )
            yield budget, "guaranteed", kept[strata].recall, kept[strata].precision
            yield budget, "model-assisted", assisted, None
            yield budget, "random", *random_audit(file, shuffled[:budget])


def random_audit(file, read):
    """Exact binomial limits of recall, and hypergeometric ones of precision."""
    hits = int((file.is_class & file.is_alarm)[read].sum())
    n_class, n_alarms = int(file.is_class[read].sum()), int(file.is_alarm[read].sum())
    lower = stats.beta.ppf(0.025, hits, n_class - hits + 1) if hits else 0.0
    upper = stats.beta.ppf(0.975, hits + 1, n_class - hits) if hits < n_class else 1.0
    recall = type(guaranteed(Stratum(1, 1, 1), Stratum(1, 1, 1)).recall)(
        hits / n_class if n_class else 0.5, lower, upper
    )
    alarms = Stratum(int(file.is_alarm.sum()), n_alarms, hits)
    return recall, guaranteed(alarms, Stratum(0, 0, 0)).precision


def measured(n_audits):
    """Return a table: how often the truth was covered, how wide the limits and how far the mean."""
    rows = []
    for number, file in enumerate(scored_files()):
        found = int((file.is_class & file.is_alarm).sum())
        truth = {
            "recall": found / file.is_class.sum(),
            "precision": found / max(file.is_alarm.sum(), 1),
        }
        print(
            f"{number:2} {file.kind:15} {file.is_class.sum():4} of the class, "
            f"{file.is_alarm.sum():4} alarms, recall {truth['recall']:.2f}, "
            f"precision {truth['precision']:.2f}",
            flush=True,
        )
        sums = defaultdict(list)
        for budget, method, recall, precision in audits_of(file, n_audits):
            for measure, limits in (("recall", recall), ("precision", precision)):
                if limits is None:  # by the model's probabilities there is recall alone
                    continue
                true = truth[measure]
                covered = limits.lower - 1e-9 <= true <= limits.upper + 1e-9
                mean = 0.5 if np.isnan(limits.mean) else limits.mean
                sums[budget, method, measure].append(
                    (covered, limits.upper - limits.lower, abs(mean - true))
                )
        for (budget, method, measure), values in sums.items():
            coverage, width, error = np.mean(values, axis=0).tolist()
            rows.append((file.kind, number, budget, method, measure, coverage, width, error))
    names = ["kind", "file", "budget", "method", "measure", "coverage", "width", "error"]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(
        pl.col("coverage", "width", "error").round(4)
    )


def chart(table):
    """Width against coverage, one point per kind and budget."""
    shown = table.group_by("kind", "budget", "method", "measure").agg(
        pl.col("coverage", "width").mean()
    )
    return (
        alt.Chart(shown)
        .mark_point(filled=True, size=70)
        .encode(
            x=alt.X("width:Q", title="mean width of the interval"),
            y=alt.Y("coverage:Q", title="truth covered", scale=alt.Scale(zero=False)),
            color=alt.Color("method:N"),
            shape=alt.Shape("budget:O"),
            column=alt.Column("measure:N", title=None),
        )
        .properties(width=280, height=220)
    )


def summary(table):
    """Print coverage by kind, and widths by budget, as they stand in the results."""
    ours = table.filter(pl.col("method") != "random")
    print("\n| kind | method | recall covered | worst | precision covered | worst |")
    print("|---|---|--:|--:|--:|--:|")
    for (method, kind), part in ours.group_by("method", "kind", maintain_order=True):
        recall, precision = (part.filter(measure=name) for name in ("recall", "precision"))
        print(
            f"| {kind} | {method} | {recall['coverage'].mean():.3f} | "
            f"{recall['coverage'].min():.2f} | {_shown(precision['coverage'].mean(), 3)} | "
            f"{_shown(precision['coverage'].min(), 2)} |"
        )
    print("\n| budget | method | width of recall | of precision | error of recall |")
    print("|--:|---|--:|--:|--:|")
    for (budget, method), part in table.group_by("budget", "method", maintain_order=True):
        recall, precision = (part.filter(measure=name) for name in ("recall", "precision"))
        print(
            f"| {budget} | {method} | {recall['width'].mean():.2f} | "
            f"{_shown(precision['width'].mean(), 2)} | {recall['error'].mean():.2f} |"
        )


def _shown(number, digits):
    return "" if number is None else f"{number:.{digits}f}"


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--out"]
    out = Path(arguments.pop()) if "--out" in sys.argv else None
    found = measured(int(arguments[0]) if arguments else 40)
    summary(found)
    if out is not None:
        out.mkdir(exist_ok=True)
        found.write_csv(out / "audit.csv")
        write_chart(chart(found), out / "audit.svg")
