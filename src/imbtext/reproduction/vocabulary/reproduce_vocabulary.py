"""``imbtext reproduce vocabulary``: sections 4.1 and 7 of the paper, beside what we get."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import polars as pl
from rich.console import Console

from imbtext._extras import require
from imbtext._files import write_text
from imbtext._progress import progress_bar
from imbtext.datasets import load_reuters, load_stopwords
from imbtext.evaluation.signature import signature
from imbtext.randomness import keyed_generator
from imbtext.reporting.charts import write_chart
from imbtext.reproduction.experiments import EXPERIMENTS
from imbtext.reproduction.options import Options
from imbtext.reproduction.published_values import HEAPS, TRADE
from imbtext.reproduction.splits import Split, prepare
from imbtext.reproduction.text_tables import print_rows, write_csv
from imbtext.reproduction.units import Outcome
from imbtext.reproduction.vocabulary import vocabulary_figures
from imbtext.reproduction.vocabulary.heaps_growth import (
    growth_rows,
    heaps_fit,
    heaps_fits,
    heaps_table,
)
from imbtext.reproduction.vocabulary.synthetic_words import (
    EXPANDING,
    RATIO,
    expansion_reports,
    minority_categories,
    vocabulary_table,
)
from imbtext.reproduction.vocabulary.trade import TradeFigure, trade_figure, trade_table
from imbtext.vocabulary import HeapsFit

VOCABULARY_REPETITIONS: Final = 5
N_CATEGORIES: Final = 10
GROWING: Final = {**EXPANDING, "MCO": "mco", "ROS": "ros"}
RATES: Final = ("recall", "tnr", "balanced_accuracy")

Row = TypeVar("Row")


def reproduce_vocabulary(options: Options, console: Console) -> Outcome:
    """Write Figure 1, the table of synthetic vocabularies and the figure on Heaps' law.

    ``options.ratios`` is not used: this part of the paper is at 20 %. ``options.methods`` narrows
    the methods, by their names in the registry.
    """
    require("altair")
    stopwords = load_stopwords(data_home=options.data_home)
    titles = load_reuters("titles", data_home=options.data_home)
    articles = load_reuters("full", data_home=options.data_home)
    (titles_split,), checksum = prepare(EXPERIMENTS["reuters-titles"], options.data_home)
    (full_split,), _ = prepare(EXPERIMENTS["reuters-full"], options.data_home)

    trade = trade_figure(titles, stopwords, options.seed)
    repetitions = options.repetitions or VOCABULARY_REPETITIONS
    expanding = _chosen(EXPANDING, options.methods)
    categories = minority_categories(titles_split, options.categories)
    reports = _over_categories(
        partial(
            expansion_reports,
            methods=list(expanding.values()),
            repetitions=repetitions,
            seed=options.seed,
        ),
        titles_split,
        categories,
        options,
    )
    vocabulary = vocabulary_table(
        reports,
        expanding,
        titles_split.data.corpus.n_words,
        comparable=options.comparable,
    )

    fit = heaps_fit(full_split)
    train = len(full_split.train_labels)
    fits = heaps_fits(
        {"titles": titles.texts[:train], "full": articles.texts[:train]}, stopwords, options.seed
    )
    growth = _over_categories(
        partial(growth_rows, methods=_chosen(GROWING, options.methods), seed=options.seed),
        full_split,
        _ten(minority_categories(full_split, options.categories), options.seed),
        options,
    )
    heaps = heaps_table(growth, fit)

    settings = {
        "seed": options.seed,
        "ratio": RATIO,
        "repetitions": repetitions,
        "categories": len(categories),
    }
    line = signature(settings, {"reuters": checksum})
    write_csv(vocabulary, options.out / "vocabulary.csv")
    write_csv(heaps, options.out / "heaps.csv")
    write_csv(fits, options.out / "heaps_fits.csv")
    write_csv(trade_table(trade), options.out / "trade.csv")
    _write_charts(options.out, vocabulary, heaps, fit, trade)
    write_text(line + "\n", options.out / "signature.txt")
    if not options.quiet:
        _print(console, vocabulary, fit, trade, line)
    sets = heaps.select("category", "method").n_unique()
    return Outcome(computed=len(reports) + sets)


def _chosen(methods: Mapping[str, str], wanted: Sequence[str] | None) -> dict[str, str]:
    if wanted is None:
        return dict(methods)
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
    n = min(N_CATEGORIES, len(categories))
    random = keyed_generator(seed, 0)
    return sorted(random.choice(list(categories), size=n, replace=False).tolist())


def _over_categories(
    function: Callable[[Split, str], list[Row]],
    split: Split,
    categories: Sequence[str],
    options: Options,
) -> list[Row]:
    """Call a function for every category, over the pool; rows come in the order of categories."""
    with progress_bar(quiet=options.quiet) as bar:
        found = options.pool.completed(function, categories, shared=split)
        rows = dict(bar.track(found, total=len(categories), description="vocabulary"))
    return [row for category in categories for row in rows[category]]


def _write_charts(
    out: Path,
    vocabulary: pl.DataFrame,
    heaps: pl.DataFrame,
    fit: HeapsFit,
    trade: TradeFigure,
) -> None:
    alt = require("altair")
    charts = {
        "trade": vocabulary_figures.trade_chart(trade),
        "vocabulary": vocabulary_figures.expansion_chart(vocabulary),
        "heaps": vocabulary_figures.heaps_chart(heaps, fit),
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
    trade: TradeFigure,
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
    columns = (*RATES, "new_words")
    rows = [
        [
            row["method"],
            *(
                _beside(row[name], row[f"{name}_published"], 1 if name == "new_words" else 3)
                for name in columns
            ),
        ]
        for row in vocabulary.to_dicts()
    ]
    title = "Synthetic vocabularies, Reuters headlines, 20 % (in parentheses: published)"
    print_rows(console, title, [name.replace("_", " ") for name in columns], rows)
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
