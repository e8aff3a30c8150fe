"""The tables of a report: all methods, and all classes where there are several."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from imbtext.advice import simple_baselines, titled
from imbtext.comparison._result import Comparison
from imbtext.comparison._scores import MEAN_OF_CLASSES, METRIC_NAMES
from imbtext.comparison.report import _charts


@dataclass(frozen=True)
class Cell:
    """One cell: what it shows, the value it is sorted by, and a note in small print."""

    text: str
    value: float | None = None
    note: str = ""

    @classmethod
    def of(cls, value: float, lower: float = math.nan, upper: float = math.nan) -> "Cell":
        """Show a score with its interval."""
        if math.isnan(value):
            return cls("\u2013")
        note = "" if math.isnan(lower) else f"{lower:.3f}\u2013{upper:.3f}"
        return cls(f"{value:.3f}", value, note)


def method_table(comparison: Comparison) -> dict[str, Any]:
    """Return all measures of all methods."""
    metric = comparison.settings.metric
    others = [name for name in METRIC_NAMES if name != metric]
    heads = [
        ("method", False),
        *((name, True) for name in (METRIC_NAMES[metric], "gain over plain")),
        *((METRIC_NAMES[name], True) for name in others),
        *((name, True) for name in ("rows added", "seconds per fit")),
    ]
    gains = _gains(comparison, metric)
    rows = []
    for row in comparison.table().to_dicts():
        score = {
            name: Cell.of(row[name], row[f"{name}_lower"], row[f"{name}_upper"])
            for name in METRIC_NAMES
        }
        rows.append(
            {
                "method": comparison.title(row["method"]),
                "kind": _charts.kind_of(row["method"]),
                "chosen": row["method"] == comparison.recommendation.method,
                "cells": [
                    score[metric],
                    gains.get(row["method"], Cell("\u2013", 0.0)),
                    *(score[name] for name in others),
                    Cell(f"{row['rows_added']:,.0f}", row["rows_added"]),
                    Cell(f"{row['seconds']:.2f}", row["seconds"]),
                ],
            }
        )
    what = (
        "Means over classes and folds"
        if comparison.overall == MEAN_OF_CLASSES
        else "Means over folds"
        if not comparison.settings.n_test
        else "Scores on the test documents"
    )
    return {
        "heads": heads,
        "rows": rows,
        "what": what,
        "metric": METRIC_NAMES[metric],
        "note": _baseline_note(comparison),
    }


def class_table(comparison: Comparison) -> dict[str, Any]:
    """Return a row per class where there are several, their average among them; else nothing."""
    if comparison.overall != MEAN_OF_CLASSES:
        return {}
    metric = METRIC_NAMES[comparison.settings.metric]
    heads = [
        ("class", False),
        ("documents", True),
        ("use", False),
        ("gain", False),
        (f"{metric}, plain", True),
        (metric, True),
        ("recall", True),
        ("precision", True),
    ]
    names = sorted(comparison.settings.classes, key=lambda name: comparison.balance.get(name, 0))
    return {
        "heads": heads,
        "rows": [_class_row(comparison, name) for name in [*names, MEAN_OF_CLASSES]],
    }


def _class_row(comparison: Comparison, name: str) -> Mapping[str, Any]:
    """Return what to use for a class and what to expect of it, or the same of the average."""
    found, settings = comparison.recommendations[name], comparison.settings
    rows = {row["method"]: row for row in comparison.table(name).to_dicts()}
    chosen, metric = rows[found.method], settings.metric
    average = name == MEAN_OF_CLASSES
    counts = [comparison.balance.get(each, 0) for each in settings.classes]
    count = sum(counts) / len(counts) if average else comparison.balance.get(name, 0)
    look = list(comparison.inspection)
    return {
        "name": f"average of {len(counts)} classes" if average else name,
        "average": average,
        "look": look.index(name) if name in look else None,
        "method": comparison.title(found.method),
        "kind": _charts.kind_of(found.method),
        "title": titled(found.method),
        "strength": found.strength,
        "count": Cell(f"{count:,.0f}", count),
        "scores": [
            Cell.of(rows[settings.methods[0]][metric]),
            *(
                Cell.of(chosen[measure], chosen[f"{measure}_lower"], chosen[f"{measure}_upper"])
                for measure in (metric, "recall", "precision")
            ),
        ],
    }


def _gains(comparison: Comparison, metric: str) -> dict[str, Cell]:
    plain = comparison.settings.methods[0]
    rows = comparison.tests.filter(
        (pl.col("class") == comparison.overall)
        & (pl.col("metric") == metric)
        & (pl.col("reference") == plain)
    )
    cells = {}
    for row in rows.to_dicts():
        p = row["p_holm"]
        note = "" if math.isnan(p) else "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
        cells[row["method"]] = Cell(f"{row['difference']:+.3f}", row["difference"], note)
    return cells


def _baseline_note(comparison: Comparison) -> str:
    """Say how the best oversampler stands against the best simple remedy."""
    metric = comparison.settings.metric
    means = {row["method"]: row[metric] for row in comparison.table().to_dicts()}
    simple = simple_baselines(list(means))
    others = [m for m in means if m not in simple and _charts.kind_of(m) == "oversampling"]
    if not simple or not others:
        return ""
    baseline, best = max(simple, key=means.__getitem__), max(others, key=means.__getitem__)
    rows = comparison.tests.filter(
        (pl.col("class") == comparison.overall)
        & (pl.col("metric") == metric)
        & (pl.col("reference") == baseline)
        & (pl.col("method") == best)
    ).to_dicts()
    if not rows or math.isnan(rows[0]["p_holm"]):
        return ""
    found = rows[0]
    return (
        f"Against the best simple remedy ({titled(baseline)}), the best of the other methods "
        f"({titled(best)}) changes {METRIC_NAMES[metric]} by {found['difference']:+.3f} "
        f"(95 % interval {found['lower']:+.3f} to {found['upper']:+.3f}, p = {found['p_holm']:.2g} "
        "after Holm's correction)."
    )
