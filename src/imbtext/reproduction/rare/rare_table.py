"""RareTextClassifier beside the best published cell, plain SVM, tuned thresholds and EMCO."""

from typing import Any, Final

import polars as pl

from imbtext.evaluation.metrics import METRIC_TABLE
from imbtext.reproduction.averages import ROW, comparisons, in_the_papers_order, intervals, place
from imbtext.reproduction.extra_tables import against
from imbtext.reproduction.paper_tables import GROUPS, NAMES
from imbtext.reproduction.published_values import published_svm
from imbtext.reproduction.rare.rankings import (
    OPERATING_POINTS,
    OWN_FEATURES,
    PAPER_FEATURES,
    RARE_METHODS,
)
from imbtext.reproduction.text_tables import markdown_rows, number, with_interval

SHOWN: Final = (*OPERATING_POINTS, "average_precision")
TUNED: Final = "tuned threshold"
COMPARED: Final = ("SVM", TUNED, "EMCO(0.1)", "EMCO(1)")
_COLUMNS: Final = (*COMPARED, PAPER_FEATURES, OWN_FEATURES)
_WORDS: Final = {OWN_FEATURES: "own features", PAPER_FEATURES: "the paper's words"}
BASELINES: Final = ("svm", "threshold(balanced_accuracy)", "threshold(f1)", "threshold(f2)")


def by_measure(categories: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Return one measure of every category and method; the tuned threshold is the measure's own.

    Tuning moves the threshold and not the ranking, so average precision has none.
    """
    tuned = f"threshold({metric})"
    return (
        categories.with_columns(pl.col("method").replace(tuned, TUNED))
        .filter(pl.col("method").is_in(_COLUMNS))
        .select(*ROW, "category", "method", metric)
    )


def rare_table(categories: pl.DataFrame, seed: int = 0, *, comparable: bool = True) -> pl.DataFrame:
    """Average over categories: one row per measure, row of the paper's tables and method.

    Returns
    -------
    polars.DataFrame
        ``value`` with its bootstrap interval over categories, and the largest published cell of the
        row with its method, where there is one and the categories are all (`comparable`).
    """
    best = (
        published_svm()
        .filter(pl.col("value").is_not_null() & comparable)
        .sort("value", descending=True, maintain_order=True)
        .group_by("metric", *ROW, maintain_order=True)
        .agg(pl.col("value").first().alias("best_published"), pl.col("method").first().alias("by"))
    )
    averages = pl.concat([intervals(by_measure(categories, metric), seed) for metric in SHOWN])
    return in_the_papers_order(averages.join(best, on=["metric", *ROW], how="left"), _COLUMNS)


def rare_comparisons(categories: pl.DataFrame) -> pl.DataFrame:
    """Test both kinds of features against each method, category by category, Holm over the two."""
    tests = [
        comparisons(
            measured.filter(pl.col("method").is_in((*RARE_METHODS, reference))), [reference]
        )
        for measured in (by_measure(categories, metric) for metric in SHOWN)
        for reference in COMPARED
    ]
    return pl.concat([found for found in tests if found.height]).sort(
        place(pl.col("metric"), SHOWN),
        *ROW,
        place(pl.col("reference"), COMPARED),
        maintain_order=True,
    )


def rare_summary(table: pl.DataFrame, compared: pl.DataFrame) -> list[str]:
    """Say in plain words what the numbers show, one sentence per kind of features and rival."""
    lines = []
    for method, words in _WORDS.items():
        ours = table.filter(method=method)
        if ours.is_empty():
            continue
        cells = ours.filter(pl.col("best_published").is_not_null())
        if cells.height:
            reached = (cells["value"] >= cells["best_published"]).sum()
            gap = float((cells["value"] - cells["best_published"]).to_numpy().mean())
            lines.append(
                f"With {words} it reaches the best published cell in {reached} of {cells.height}; "
                f"on average it is {number(gap, signed=True)} from it."
            )
        for reference in COMPARED:
            gaps = against(table, compared, method, reference, SHOWN)
            lines.append(f"With {words} against {reference}: {'; '.join(gaps)}.")
    return lines


def losses(table: pl.DataFrame, method: str) -> pl.DataFrame:
    """Return every cell where something else, published or ours, is ahead of the method."""
    wide = table.pivot("method", index=["metric", *ROW, "best_published"], values="value")
    names = [name for name in COMPARED if name in wide.columns]
    rivals = wide.rename({"best_published": "best published"}).unpivot(
        on=["best published", *names], index=["metric", *ROW, method], variable_name="ahead"
    )
    return (
        rivals.filter(pl.col("value") > pl.col(method))
        .sort("value", descending=True, maintain_order=True)
        .unique(["metric", *ROW], keep="first", maintain_order=True)
        .rename({"value": "best_other", method: "ours"})
        .sort("metric", *ROW)
    )


def rare_markdown(table: pl.DataFrame, compared: pl.DataFrame, signature: str) -> str:
    """Return what was found, where it loses, then every table, as Markdown."""
    lines = ["# RareTextClassifier on the paper's splits", ""]
    lines += [f"* {said}" for said in rare_summary(table, compared)] + ["", "## Where it loses", ""]
    for method, words in _WORDS.items():
        n_cells = table.filter(method=method).height
        behind = losses(table, method) if n_cells else pl.DataFrame()
        if n_cells:
            lines += ["", f"With {words}, something else is ahead in {behind.height} of {n_cells}:"]
            lines += ["", *map(_loss, behind.iter_rows(named=True))] if behind.height else ["none."]
    lines += [
        "",
        "In brackets: bootstrap 95 % interval of the average over categories. Tests are Wilcoxon's "
        "over the categories of a row, Holm-corrected for the two kinds of features, at 5 %. Each "
        "measure is taken at the operating point chosen for it on training documents; the tuned "
        "threshold is plain SVM's, tuned for the same measure. Tuning leaves the ranking as it is.",
        "",
    ]
    for metric in SHOWN:
        part = table.filter(metric=metric)
        columns = [name for name in _COLUMNS if name in part["method"].to_list()]
        published = part["best_published"].is_not_null().any()
        heads = [*(["best published"] if published else []), *columns]
        title = METRIC_TABLE[metric].title
        rows = []
        for _, group in part.group_by(*ROW, maintain_order=True):
            first = group.row(0, named=True)
            cells = {row["method"]: with_interval(row) for row in group.iter_rows(named=True)}
            shown = [_published(first)] if published else []
            rows.append([_row_name(first), *shown, *(cells.get(name, "") for name in columns)])
        lines += [f"## {title[0].upper()}{title[1:]}", "", *markdown_rows(heads, rows)]
    return "\n".join([*lines, f"`{signature}`", ""])


def _loss(row: dict[str, Any]) -> str:
    return (
        f"* {METRIC_TABLE[row['metric']].title}, {_row_name(row)}: {number(row['ours'])}, "
        f"{row['ahead']} {number(row['best_other'])}"
    )


def _row_name(row: dict[str, object]) -> str:
    name = NAMES[str(row["dataset"]), str(row["text"])].replace("*", r"\*")
    group = GROUPS[str(row["frequency"])].lower().removesuffix(" categories")
    return f"{name}, {group}, {row['ratio']:.0%}"


def _published(row: dict[str, object]) -> str:
    value = row["best_published"]
    return "" if value is None else f"{number(float(str(value)))} ({row['by']})"
