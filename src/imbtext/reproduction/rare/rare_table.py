"""RareTextClassifier beside the best published cell, plain SVM, tuned thresholds and EMCO."""

from dataclasses import asdict
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext.evaluation.metrics import METRIC_TABLE
from imbtext.evaluation.statistics import mean_interval, paired_tests
from imbtext.reproduction.averages import ROW
from imbtext.reproduction.paper_tables import GROUPS, NAMES, number
from imbtext.reproduction.published_values import ROWS, published_svm
from imbtext.reproduction.rare.rankings import OPERATING_POINTS, OWN_FEATURES, PAPER_FEATURES

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
        .select(*ROW, "category", "method", pl.col(metric).alias("value"))
    )


def rare_table(categories: pl.DataFrame, seed: int = 0, *, comparable: bool = True) -> pl.DataFrame:
    """Average over categories: one row per measure, row of the paper's tables and method.

    Returns
    -------
    polars.DataFrame
        ``value`` with its bootstrap interval over categories, and the largest published cell of the
        row with its method, where there is one and the categories are all (`comparable`).
    """
    rows = []
    for metric in SHOWN:
        measured = by_measure(categories, metric)
        for key, group in measured.sort(*ROW, "method", "category").group_by(
            *ROW, "method", maintain_order=True
        ):
            interval = mean_interval(group["value"].to_numpy(), seed=seed)
            rows.append(
                {
                    "metric": metric,
                    **dict(zip((*ROW, "method"), key, strict=True)),
                    "value": interval.mean,
                    "lower": interval.lower,
                    "upper": interval.upper,
                    "n_categories": group.height,
                }
            )
    best = (
        published_svm()
        .filter(pl.col("value").is_not_null() & comparable)
        .sort("value", descending=True, maintain_order=True)
        .group_by("metric", *ROW, maintain_order=True)
        .agg(pl.col("value").first().alias("best_published"), pl.col("method").first().alias("by"))
    )
    places = {f"{dataset}/{text}": i for i, (dataset, text) in enumerate(ROWS)}
    return (
        pl.DataFrame(rows)
        .join(best, on=["metric", *ROW], how="left")
        .with_columns(
            pl.col("metric")
            .replace_strict(dict(zip(SHOWN, range(9), strict=False)), return_dtype=pl.Int64)
            .alias("_metric"),
            pl.format("{}/{}", "dataset", "text")
            .replace_strict(places, return_dtype=pl.Int64)
            .alias("_row"),
            pl.col("method")
            .replace_strict(dict(zip(_COLUMNS, range(9), strict=False)), return_dtype=pl.Int64)
            .alias("_method"),
            (pl.col("frequency") == "low").alias("_group"),
        )
        .sort("_metric", "_group", "ratio", "_row", "_method")
        .select(pl.exclude("_metric", "_row", "_method", "_group"))
    )


def rare_comparisons(categories: pl.DataFrame) -> pl.DataFrame:
    """Test both kinds of features against each method, category by category, Holm over the two."""
    rows = []
    for metric in SHOWN:
        measured = by_measure(categories, metric)
        for key, group in measured.sort(*ROW).group_by(*ROW, maintain_order=True):
            wide = group.pivot("method", index="category", values="value").sort("category")
            scores = {
                name: wide[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
                for name in wide.columns[1:]
            }
            for reference in (name for name in COMPARED if name in scores):
                ours = [name for name in (OWN_FEATURES, PAPER_FEATURES) if name in scores]
                family: dict[str, NDArray[np.float64]] = {
                    name: scores[name] for name in (reference, *ours)
                }
                rows += [
                    {
                        "metric": metric,
                        **dict(zip(ROW, key, strict=True)),
                        **asdict(test),
                    }
                    for test in paired_tests(family, reference)
                ]
    return pl.DataFrame(rows, infer_schema_length=None)


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
            lines.append(
                f"With {words} it reaches the best published cell in {reached} of {cells.height}; "
                f"on average it is {number(_gap(cells, 'best_published'), signed=True)} from it."
            )
        for reference in COMPARED:
            gaps = _against(ours, table, compared, reference)
            lines.append(f"With {words} against {reference}: {'; '.join(gaps)}.")
    return lines


def _gap(cells: pl.DataFrame, column: str) -> float:
    return float((cells["value"] - cells[column]).to_numpy().mean())


def _against(
    ours: pl.DataFrame, table: pl.DataFrame, compared: pl.DataFrame, reference: str
) -> list[str]:
    """Return a phrase per measure: mean gap, rows ahead, rows where the test is sure, and lost."""
    method = ours["method"][0]
    other = table.filter(method=reference).select("metric", *ROW, pl.col("value").alias("other"))
    both = ours.join(other, on=["metric", *ROW])
    phrases = []
    for metric in SHOWN:
        part = both.filter(metric=metric)
        if part.is_empty():
            continue
        tests = compared.filter(metric=metric, method=method, reference=reference)
        sure = tests.filter(pl.col("p_holm") < 0.05)["mean_difference"]
        phrases.append(
            f"{METRIC_TABLE[metric].title} {number(_gap(part, 'other'), signed=True)}, ahead in "
            f"{(part['value'] > part['other']).sum()} of {part.height} rows "
            f"(by the paired test ahead in {(sure > 0).sum()}, behind in {(sure < 0).sum()})"
        )
    return phrases


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
        lines += [f"## {title[0].upper()}{title[1:]}", "", f"| | {' | '.join(heads)} |"]
        lines.append(f"|---|{'---:|' * len(heads)}")
        for _, group in part.group_by(*ROW, maintain_order=True):
            cells = {row["method"]: row for row in group.iter_rows(named=True)}
            first = next(iter(cells.values()))
            shown = [_published(first)] if published else []
            shown += [_cell(cells.get(name)) for name in columns]
            lines.append(f"| {_row_name(first)} | {' | '.join(shown)} |")
        lines.append("")
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


def _cell(row: dict[str, float] | None) -> str:
    if row is None:
        return ""
    return f"{number(row['value'])} [{number(row['lower'])}, {number(row['upper'])}]"
