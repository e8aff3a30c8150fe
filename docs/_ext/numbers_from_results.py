"""Numbers that the pages state, computed from committed results when the site is built.

A page writes ``{{ mean_difference }}`` and never a figure of its own.
"""

import re
from pathlib import Path

import polars as pl

ROW = ["dataset", "text", "frequency", "ratio"]


def numbers(root: Path) -> dict[str, str]:
    """Return the numbers by name, as they are to be printed."""
    paper = root / "paper" / "results"
    return {**_closeness(paper), **_winners(paper), **_rare(paper), **_halves(root / "results")}


def _closeness(results: Path) -> dict[str, str]:
    cells = pl.read_csv(results / "tables.csv").drop_nulls("difference")
    differences = cells["difference"].abs()
    return {
        "n_cells": f"{len(cells):,}",
        "mean_difference": _share(differences.mean(), 4),
        "largest_difference": _share(differences.max(), 3),
    }


def _winners(results: Path) -> dict[str, str]:
    averages = pl.read_csv(results / "averages.csv")
    oversamplers = ["ADASYN", "DECOM", "DRO", "EDA", "EMCO(1)", "EMCO(0.1)", "MCO", "ROS", "SMOTE"]

    def rows_won(metric: str, method: str, against: list[str]) -> int:
        wide = averages.filter(pl.col("metric") == metric).pivot(
            on="method", index=ROW, values="value"
        )
        return int((wide[method] >= wide.select(pl.max_horizontal(against)).to_series()).sum())

    n_rows = averages.select(ROW).unique().height
    very_low = averages.filter(pl.col("frequency") == "very_low")
    mean = {
        (metric, method): float(value)
        for metric, method, value in very_low.group_by("metric", "method")
        .agg(pl.col("value").mean())
        .rows()
    }
    return {
        "n_rows": str(n_rows),
        "svm_first_by_ap": str(rows_won("average_precision", "SVM", oversamplers)),
        "threshold_ba_wins": str(
            rows_won("balanced_accuracy", "threshold(balanced_accuracy)", oversamplers)
        ),
        "threshold_f2_wins": str(rows_won("f2", "threshold(f2)", oversamplers)),
        "emco_recall_very_low": _share(mean["recall", "EMCO(1)"], 2),
        "svm_recall_very_low": _share(mean["recall", "SVM"], 2),
        "emco_precision_very_low": _share(mean["precision", "EMCO(1)"], 2),
        "svm_precision_very_low": _share(mean["precision", "SVM"], 2),
        "threshold_f2_very_low": _share(mean["f2", "threshold(f2)"], 2),
        "emco_f2_very_low": _share(mean["f2", "EMCO(1)"], 2),
        "svm_f2_very_low": _share(mean["f2", "SVM"], 2),
    }


def _rare(results: Path) -> dict[str, str]:
    rows = pl.read_csv(results / "rare" / "rare.csv")
    cells = rows.filter(pl.col("method") == "rare").drop_nulls("best_published")
    ap = rows.filter(pl.col("metric") == "average_precision").pivot(
        on="method", index=ROW, values="value"
    )
    gain = ap["rare"] - ap["SVM"]
    very_low = rows.filter((pl.col("frequency") == "very_low") & (pl.col("metric") == "f2"))
    f2 = dict(very_low.group_by("method").agg(pl.col("value").mean()).rows())
    return {
        "n_rare_cells": str(len(cells)),
        "rare_cells_reached": str((cells["value"].round(3) >= cells["best_published"]).sum()),
        "rare_first_by_ap": str((gain > 0).sum()),
        "rare_ap_gain": _share(gain.mean(), 3),
        "rare_f2_very_low": _share(f2["rare"], 2),
    }


def _halves(results: Path) -> dict[str, str]:
    rows = pl.read_csv(results / "held_out_halves" / "held_out_halves.csv")
    ours = "RareTextClassifier"

    def of_sets(metric: str) -> pl.DataFrame:
        means = rows.group_by("dataset", "contestant").agg(pl.col(metric).mean())
        return means.pivot(on="contestant", index="dataset", values=metric)

    def first(metric: str) -> str:
        wide = of_sets(metric)
        others = wide.select(pl.max_horizontal(pl.exclude("dataset", ours))).to_series()
        return str((wide[ours] >= others).sum())

    ranked = of_sets("average_precision")
    text = (results / "held_out_halves" / "README.md").read_text(encoding="utf-8")
    said = re.search(
        r"from (\d+) sources. Over these, ours less its is \+([\d.]+) \(\+([\d.]+) to \+([\d.]+)",
        text,
    )
    assert said is not None
    ahead = dict(zip(("sources", "ahead", "ahead_low", "ahead_high"), said.groups(), strict=True))
    return {
        **{f"halves_{name}": value for name, value in ahead.items()},
        "halves_sets": str(len(ranked)),
        "halves_first": first("average_precision"),
        "halves_first_f1": first("f1"),
        "halves_first_f2": first("f2"),
        "halves_rare": _share(ranked[ours].mean(), 3),
        "halves_characters": _share(ranked["LinearSVC, words and characters"].mean(), 3),
        "halves_svm": _share(ranked["LinearSVC"].mean(), 3),
    }


def _share(value: object, digits: int) -> str:
    return f"{float(str(value)):.{digits}f}"
