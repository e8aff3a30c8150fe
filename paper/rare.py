"""RareTextClassifier on the paper's splits, beside the best that was published.

One fit per split serves all categories and measures: the categories are trained over the same
documents, terms and folds, as columns of an indicator matrix. Each hard measure is taken at the
operating point that was chosen for it on the training side, as the published cells are each the
best method for their measure.

A module of its own, like everything that ``reproduce`` can be asked for by name.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import polars as pl
from rich.console import Console

from imbtext.metrics import METRIC_TABLE, RANKING_METRICS, binary_scores
from imbtext.rare import RareTextClassifier
from imbtext.store import UnitKey
from imbtext.writing import write_text
from paper.averages import ROW, comparisons, in_the_papers_order, intervals, place
from paper.experiments import EXPERIMENTS, ROW_TITLES, PaperExperiment
from paper.options import Options, Outcome
from paper.published import published_cells
from paper.running import Runs, digest, run_tasks, signature
from paper.splits import Split, prepare
from paper.tables import (
    GROUPS,
    against,
    markdown_rows,
    number,
    say,
    with_interval,
    write_tables,
)

OWN_FEATURES: Final = "rare"
PAPER_FEATURES: Final = "rare(paper's words)"
_FEATURES: Final = {OWN_FEATURES: "own features", PAPER_FEATURES: "the paper's words"}
RARE_METHODS: Final = tuple(_FEATURES)
_OPERATING_POINTS: Final = ("balanced_accuracy", "f1", "f2")
_MEASURES: Final = (*_OPERATING_POINTS, "average_precision")
# Raised when the numbers change, so that stored units are computed anew.
_REVISION: Final = 3
_BASELINES: Final = (
    *("svm", *(f"threshold({metric})" for metric in _OPERATING_POINTS)),
    *("emco(0.1)", "emco(1)"),
)
_TUNED: Final = "tuned threshold"
_COMPARED: Final = ("SVM", _TUNED, "EMCO(0.1)", "EMCO(1)")
_COLUMNS: Final = (*_COMPARED, PAPER_FEATURES, OWN_FEATURES)


def reproduce_rare(options: Options, console: Console) -> Outcome:
    """Run the classifier and what it is compared with on all splits; write the tables.

    They go as ``rare.csv`` (averages, intervals, the best published cells),
    ``rare_categories.csv``, ``rare_comparisons.csv`` and ``rare.md``. ``options.methods`` is not
    used.
    """
    runs = Runs(options)
    for experiment in EXPERIMENTS.values():
        splits, checksum = prepare(experiment, options.data_home)
        runs.run(experiment, _BASELINES, splits, checksum)
        fits = rare_units(experiment, splits, options)
        # A fit with a unit missing is done whole: its folds are those of all categories.
        tasks = [[fit] for fit in fits if fit]
        runs.outcome += run_tasks(fit_and_score, tasks, splits, options, "rare")
        runs.keys += [key for fit in fits for key in fit]
    categories = runs.categories()
    if categories.is_empty():
        return runs.outcome
    table = rare_table(categories, options.seed, comparable=options.comparable)
    compared = rare_comparisons(categories)
    settings = options.settings()
    line = signature({name: settings[name] for name in ("seed", "ratios")}, runs.checksums)
    of_rare = categories.filter(pl.col("method").is_in(RARE_METHODS))
    tables = {"rare": table, "rare_categories": of_rare, "rare_comparisons": compared}
    write_tables(options.out, tables)
    write_text(rare_markdown(table, compared, line), options.out / "rare.md")
    if not options.quiet:
        for sentence in rare_summary(table, compared):
            say(console, sentence)
        say(console, line, style="dim")
    return runs.outcome


def rare_units(
    experiment: PaperExperiment, splits: Sequence[Split], options: Options
) -> list[list[UnitKey]]:
    """List the units of each fit: the categories of one split with one kind of features."""
    fits = []
    for fold, split in enumerate(splits):
        fingerprint = split.fingerprint()
        minority = split.minority_categories(
            max(options.ratios), options.categories, experiment.name
        )
        # Nothing can be learnt of a category that the training half of a slice lacks.
        chosen = [category for category in minority if split.positive(category).any()]
        for method in RARE_METHODS:
            settings = digest(fingerprint, method, _REVISION)
            fits.append(
                [
                    UnitKey(experiment.name, fold, category, 0.0, method, 0, options.seed, settings)
                    for category in chosen
                ]
            )
    return fits


def fit_and_score(splits: Sequence[Split], keys: Sequence[UnitKey]) -> list[dict[str, float]]:
    """Fit the categories of `keys` together; return the scores of each on the test side."""
    split = splits[keys[0].fold]
    columns = [split.categories.index(key.category) for key in keys]
    train: Sequence[str] | Sequence[Sequence[str]]
    test: Sequence[str] | Sequence[Sequence[str]]
    if keys[0].method == OWN_FEATURES:
        train, test, features = split.train_texts, split.test_texts, "auto"
    else:
        train, test = split.data.corpus.tokens(), split.data.encode(split.test_texts).tokens()
        features = "words"
    labels = split.train_labels[:, columns].astype(np.int8)
    model = RareTextClassifier("f2", features=features, random_state=keys[0].seed)
    model.fit(train, labels if len(columns) > 1 else labels.ravel())
    decision = model.decision_function(test).reshape(len(test), -1) + model.thresholds_
    thresholds = {metric: model.at(metric).thresholds_ for metric in _OPERATING_POINTS}
    scores = []
    for k, column in enumerate(columns):
        true, ranked = split.test_labels[:, column], decision[:, k]
        at_own_point = {
            metric: binary_scores(true, ranked > thresholds[metric][k])[metric]
            for metric in _OPERATING_POINTS
        }
        ranking = binary_scores(true, ranked > 0, ranked)
        scores.append(at_own_point | {metric: ranking[metric] for metric in RANKING_METRICS})
    return scores


def by_measure(categories: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Return one measure of every category and method; the tuned threshold is the measure's own.

    Tuning moves the threshold and not the ranking, so average precision has none.
    """
    tuned = f"threshold({metric})"
    return (
        categories.with_columns(pl.col("method").replace(tuned, _TUNED))
        .filter(pl.col("method").is_in(_COLUMNS))
        .select(*ROW, "category", "method", metric)
    )


def rare_table(categories: pl.DataFrame, seed: int = 0, *, comparable: bool = True) -> pl.DataFrame:
    """Average over categories: one row per measure, row of the paper's tables and method.

    ``value`` has its bootstrap interval over categories, and beside it the largest published cell
    of the row with its method, where there is one and the categories are all (`comparable`).
    """
    best = (
        published_cells("svm")
        .filter(pl.col("value").is_not_null() & comparable)
        .sort("value", descending=True, maintain_order=True)
        .group_by("metric", *ROW, maintain_order=True)
        .agg(pl.col("value").first().alias("best_published"), pl.col("method").first().alias("by"))
    )
    averages = pl.concat([intervals(by_measure(categories, metric), seed) for metric in _MEASURES])
    return in_the_papers_order(averages.join(best, on=["metric", *ROW], how="left"), _COLUMNS)


def rare_comparisons(categories: pl.DataFrame) -> pl.DataFrame:
    """Test both kinds of features against each method, category by category, Holm over the two."""
    tests = [
        comparisons(
            measured.filter(pl.col("method").is_in((*RARE_METHODS, reference))), [reference]
        )
        for measured in (by_measure(categories, metric) for metric in _MEASURES)
        for reference in _COMPARED
    ]
    return pl.concat([test for test in tests if test.height]).sort(
        place(pl.col("metric"), _MEASURES),
        *ROW,
        place(pl.col("reference"), _COMPARED),
        maintain_order=True,
    )


def rare_summary(table: pl.DataFrame, compared: pl.DataFrame) -> list[str]:
    """Return what the numbers show in words: a sentence per kind of features and reference."""
    lines = []
    for method, features in _FEATURES.items():
        ours = table.filter(method=method)
        if ours.is_empty():
            continue
        cells = ours.filter(pl.col("best_published").is_not_null())
        if cells.height:
            reached = (cells["value"] >= cells["best_published"]).sum()
            gap = float((cells["value"] - cells["best_published"]).to_numpy().mean())
            lines.append(
                f"With {features} it reaches the best published cell in {reached} of "
                f"{cells.height}; "
                f"on average it is {number(gap, signed=True)} from it."
            )
        for reference in _COMPARED:
            gaps = against(table, compared, method, reference, _MEASURES)
            lines.append(f"With {features} against {reference}: {'; '.join(gaps)}.")
    return lines


def losses(table: pl.DataFrame, method: str) -> pl.DataFrame:
    """Return every cell where a published value or another method of ours is ahead of `method`."""
    wide = table.pivot("method", index=["metric", *ROW, "best_published"], values="value")
    names = [name for name in _COMPARED if name in wide.columns]
    others = wide.rename({"best_published": "best published"}).unpivot(
        on=["best published", *names], index=["metric", *ROW, method], variable_name="ahead"
    )
    return (
        others.filter(pl.col("value") > pl.col(method))
        .sort("value", descending=True, maintain_order=True)
        .unique(["metric", *ROW], keep="first", maintain_order=True)
        .rename({"value": "best_other", method: "ours"})
        .sort("metric", *ROW)
    )


def rare_markdown(table: pl.DataFrame, compared: pl.DataFrame, signature: str) -> str:
    """Return what was found, where it loses, then every table, as Markdown."""
    lines = ["# RareTextClassifier on the paper's splits", ""]
    lines += [f"* {sentence}" for sentence in rare_summary(table, compared)]
    lines += ["", "## Where it loses", ""]
    for method, features in _FEATURES.items():
        n_cells = table.filter(method=method).height
        if n_cells:
            behind = losses(table, method)
            lines += [
                "",
                f"With {features}, something else is ahead in {behind.height} of {n_cells}:",
            ]
            lines += ["", *map(_loss, behind.iter_rows(named=True))] if behind.height else ["none."]
    lines += [
        "",
        "In brackets: bootstrap 95% interval of the average over categories. Tests are Wilcoxon's "
        "over the categories of a row, Holm-corrected for the two kinds of features, at 5%. Each "
        "measure is taken at the operating point chosen for it on training documents; the tuned "
        "threshold is plain SVM's, tuned for the same measure. Tuning leaves the ranking as it is.",
        "",
    ]
    for metric in _MEASURES:
        part = table.filter(metric=metric)
        columns = [name for name in _COLUMNS if name in part["method"].to_list()]
        published = part["best_published"].is_not_null().any()
        heads = [*(["best published"] if published else []), *columns]
        title = METRIC_TABLE[metric].title
        rows = []
        for _, group in part.group_by(*ROW, maintain_order=True):
            first = group.row(0, named=True)
            cells = {row["method"]: with_interval(row) for row in group.iter_rows(named=True)}
            best = [_published(first)] if published else []
            rows.append([_row_name(first), *best, *(cells.get(name, "") for name in columns)])
        lines += [f"## {title[0].upper()}{title[1:]}", "", *markdown_rows(heads, rows)]
    return "\n".join([*lines, f"`{signature}`", ""])


def _loss(row: dict[str, Any]) -> str:
    return (
        f"* {METRIC_TABLE[row['metric']].title}, {_row_name(row)}: {number(row['ours'])}, "
        f"{row['ahead']} {number(row['best_other'])}"
    )


def _row_name(row: dict[str, object]) -> str:
    name = ROW_TITLES[str(row["dataset"]), str(row["text"])].replace("*", r"\*")
    group = GROUPS[str(row["frequency"])].lower().removesuffix(" categories")
    return f"{name}, {group}, {row['ratio']:.0%}"


def _published(row: dict[str, object]) -> str:
    value = row["best_published"]
    return "" if value is None else f"{number(float(str(value)))} ({row['by']})"
