"""``imbtext reproduce vocabulary``: sections 4.1 and 7 of the paper, beside what we get."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from polars import selectors
from rich.console import Console
from rich.table import Table

from imbtext._extras import require
from imbtext._files import written_whole
from imbtext._progress import progress_bar
from imbtext.datasets import load_reuters, load_stopwords
from imbtext.evaluation.signature import signature
from imbtext.randomness import keyed_generator
from imbtext.reporting.charts import write_chart
from imbtext.reproduction.protocol import EXPERIMENTS, Split
from imbtext.reproduction.published import HEAPS, TRADE
from imbtext.reproduction.reproduce import Options
from imbtext.reproduction.runner import Outcome
from imbtext.reproduction.splits import prepare
from imbtext.reproduction.vocabulary import figures, tables
from imbtext.vocabulary import HeapsFit


def reproduce_vocabulary(options: Options, console: Console) -> Outcome:
    """Write Figure 1, the table of synthetic vocabularies and the figure on Heaps' law.

    ``options.ratios`` is not used: this part of the paper is at 20 %. ``options.methods`` narrows
    the methods, by their names in the registry.
    """
    require("altair", extra="report")
    stopwords = load_stopwords(data_home=options.data_home)
    titles = load_reuters("titles", data_home=options.data_home)
    articles = load_reuters("full", data_home=options.data_home)
    (titles_split,), checksum = prepare(EXPERIMENTS["reuters-titles"], options.data_home)
    (full_split,), _ = prepare(EXPERIMENTS["reuters-full"], options.data_home)

    trade = tables.trade_figure(titles, stopwords, options.seed)
    repetitions = options.repetitions or tables.REPETITIONS
    categories = tables.minority_categories(titles_split, options.categories)
    expanding = _chosen(tables.EXPANDING, options.methods)
    reports = list(
        _over_categories(
            "expansion_reports",
            titles_split,
            categories,
            (list(expanding.values()), repetitions, options.seed),
            options,
        )
    )
    vocabulary = tables.vocabulary_table(reports, expanding, titles_split.data.corpus.n_words)

    fit = tables.heaps_fit(full_split)
    train = len(full_split.train_labels)
    fits = tables.heaps_fits(
        {"titles": titles.texts[:train], "full": articles.texts[:train]}, stopwords, options.seed
    )
    growth = list(
        _over_categories(
            "growth_rows",
            full_split,
            _ten(tables.minority_categories(full_split, options.categories), options.seed),
            (_chosen(tables.GROWING, options.methods), options.seed),
            options,
        )
    )
    heaps = tables.heaps_table(growth, fit)

    settings = {
        "seed": options.seed,
        "ratio": tables.RATIO,
        "repetitions": repetitions,
        "categories": len(categories),
    }
    line = signature(settings, {"reuters": checksum})
    _write_all(options.out, vocabulary, heaps, fits, trade)
    _write_charts(options.out, vocabulary, heaps, fit, trade)
    with written_whole(options.out / "signature.txt") as partial:
        partial.write_text(line + "\n", encoding="utf-8")
    if not options.quiet:
        _print(console, vocabulary, fit, trade, line)
    sets = heaps.select("category", "method").n_unique()
    return Outcome(computed=len(reports) + sets)


def _chosen(methods: dict[str, str], wanted: Sequence[str] | None) -> dict[str, str]:
    if wanted is None:
        return methods
    chosen = {
        shown: name
        for shown, name in methods.items()
        if name in wanted or shown.lower() in {method.lower() for method in wanted}
    }
    if not chosen:
        raise ValueError(
            f"none of {', '.join(wanted)} adds documents made of words here; "
            f"choose from {', '.join(methods.values())}"
        )
    return chosen


def _ten(categories: Sequence[str], seed: int) -> list[str]:
    """Choose the categories of the figure at random, as the paper did."""
    n = min(tables.N_CATEGORIES, len(categories))
    random = keyed_generator(seed, 0)
    return sorted(random.choice(list(categories), size=n, replace=False).tolist())


def _over_categories(
    function: str,
    split: Split,
    categories: Sequence[str],
    arguments: tuple[object, ...],
    options: Options,
) -> Iterator[Any]:
    with progress_bar(quiet=options.quiet) as bar:
        found = tables.each_category(function, split, categories, arguments, options.jobs)
        for rows in bar.track(found, total=len(categories), description="vocabulary"):
            yield from rows


def _write_all(
    out: Path,
    vocabulary: pl.DataFrame,
    heaps: pl.DataFrame,
    fits: pl.DataFrame,
    trade: tables.TradeFigure,
) -> None:
    frames = {
        "vocabulary": vocabulary,
        "heaps": heaps,
        "heaps_fits": fits,
        "trade": tables.trade_table(trade),
    }
    for name, frame in frames.items():
        with written_whole(out / f"{name}.csv") as partial:
            frame.with_columns(selectors.float().round_sig_figs(6)).write_csv(partial)


def _write_charts(
    out: Path,
    vocabulary: pl.DataFrame,
    heaps: pl.DataFrame,
    fit: HeapsFit,
    trade: tables.TradeFigure,
) -> None:
    alt = require("altair", extra="report")
    charts = {
        "trade": figures.trade_chart(trade),
        "vocabulary": figures.expansion_chart(vocabulary),
        "heaps": figures.heaps_chart(heaps, fit),
    }
    for name, chart in charts.items():
        for kind in ("svg", "png"):
            write_chart(chart, out / f"{name}.{kind}")
    page = alt.vconcat(*charts.values()).resolve_scale(color="independent", shape="independent")
    write_chart(page, out / "vocabulary.html")


def _print(
    console: Console,
    vocabulary: pl.DataFrame,
    fit: HeapsFit,
    trade: tables.TradeFigure,
    line: str,
) -> None:
    halves = trade.halves
    console.print(
        f'"trade": {halves.new_words.mean():.0f} new words from half to all of '
        f"{trade.n_documents} headlines ({halves.new_words.min()} to {halves.new_words.max()} over "
        f"{len(halves.new_words)} halves), {halves.share:.0%} of them familiar; published: "
        f"{TRADE.new_words}, {TRADE.new_words_in_rest / TRADE.new_words:.0%}",
        highlight=False,
        soft_wrap=True,
    )
    grid = Table(
        title="Synthetic vocabularies, Reuters headlines, 20 % (in parentheses: published)",
        title_justify="left",
    )
    grid.add_column("")
    columns = (*tables.RATES, "new_words")
    for name in columns:
        grid.add_column(name.replace("_", " "), justify="right")
    for row in vocabulary.to_dicts():
        cells = [
            _beside(row[name], row[f"{name}_published"], 1 if name == "new_words" else 3)
            for name in columns
        ]
        grid.add_row(row["method"], *cells)
    console.print(grid)
    console.print(
        f"Heaps' law on the full training articles: k {fit.k:.1f} (95 % interval "
        f"{fit.k_interval[0]:.1f} to {fit.k_interval[1]:.1f}), theta {fit.theta:.3f} "
        f"({fit.theta_interval[0]:.3f} to {fit.theta_interval[1]:.3f}); published: {HEAPS.k:.0f}, "
        f"{HEAPS.theta}",
        highlight=False,
        soft_wrap=True,
    )
    console.print(line, style="dim", highlight=False, soft_wrap=True)


def _beside(value: float, published: float | None, digits: int) -> str:
    return f"{value:.{digits}f}" + ("" if published is None else f" ({published:g})")
