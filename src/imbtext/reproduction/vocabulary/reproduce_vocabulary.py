"""``imbtext reproduce vocabulary``: sections 4.1 and 7 of the paper, beside what we get."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import polars as pl
from rich.console import Console

from imbtext._extras import require
from imbtext.charts import write_chart
from imbtext.datasets import load_reuters, load_stopwords
from imbtext.progress import progress_bar
from imbtext.randomness import keyed_generator
from imbtext.reproduction.experiments import EXPERIMENTS
from imbtext.reproduction.options import Options
from imbtext.reproduction.published_values import HEAPS, TRADE
from imbtext.reproduction.signature import signature
from imbtext.reproduction.splits import Split, prepare
from imbtext.reproduction.text_tables import print_rows, say, write_tables
from imbtext.reproduction.units import Outcome
from imbtext.reproduction.vocabulary import measured, vocabulary_figures
from imbtext.reproduction.vocabulary.measured import EXPANDING, MEASURES, RATIO
from imbtext.vocabulary import FamiliarShare, HeapsFit, fit_heaps, growth_curve
from imbtext.writing import write_text

VOCABULARY_REPETITIONS: Final = 5
N_CATEGORIES: Final = 10
GROWING: Final = {**EXPANDING, "MCO": "mco", "ROS": "ros"}

Row = TypeVar("Row")


def reproduce_vocabulary(options: Options, console: Console) -> Outcome:
    """Write Figure 1, the table of synthetic vocabularies and the figure on Heaps' law.

    ``options.ratios`` is not used: this part of the paper is at 20 %. ``options.methods`` narrows
    the methods, by their names in the registry.
    """
    alt = require("altair")
    seed, home = options.seed, options.data_home
    stopwords = load_stopwords(data_home=home)
    titles, articles = (load_reuters(text, data_home=home) for text in ("titles", "full"))
    (titles_split,), checksum = prepare(EXPERIMENTS["reuters-titles"], home)
    (full_split,), _ = prepare(EXPERIMENTS["reuters-full"], home)

    curve, halves = measured.trade_growth(titles, stopwords, seed)
    repetitions = options.repetitions or VOCABULARY_REPETITIONS
    expanding = _chosen(EXPANDING, options.methods)
    categories = titles_split.minority_categories(RATIO, options.categories, "Reuters")
    judge = partial(
        measured.expansion_reports,
        methods=list(expanding.values()),
        repetitions=repetitions,
        seed=seed,
    )
    reports = _over_categories(judge, titles_split, categories, options)
    n_words = titles_split.data.corpus.n_words
    vocabulary = measured.vocabulary_table(
        reports, expanding, n_words, comparable=options.comparable
    )

    # As the paper fitted it: the training documents as they come, one point per document.
    fit = fit_heaps(growth_curve(full_split.data.corpus, shuffles=0))
    train = len(full_split.train_labels)
    texts = {"titles": titles.texts[:train], "full": articles.texts[:train]}
    ten = _ten(full_split.minority_categories(RATIO, options.categories), seed)
    grow = partial(measured.growth_rows, methods=_chosen(GROWING, options.methods), seed=seed)
    heaps = measured.heaps_table(_over_categories(grow, full_split, ten, options), fit)

    settings = {
        "seed": seed,
        "ratio": RATIO,
        "repetitions": repetitions,
        "categories": len(categories),
    }
    line = signature(settings, {"reuters": checksum})
    tables = {
        "vocabulary": vocabulary,
        "heaps": heaps,
        "heaps_fits": measured.heaps_fits(texts, stopwords, seed),
        "trade": measured.trade_table(halves),
    }
    write_tables(options.out, tables)
    charts = {
        "trade": vocabulary_figures.trade_chart(curve, halves),
        "vocabulary": vocabulary_figures.expansion_chart(vocabulary),
        "heaps": vocabulary_figures.heaps_chart(heaps, fit),
    }
    for name, chart in charts.items():
        for kind in ("svg", "png"):
            write_chart(chart, options.out / f"{name}.{kind}")
    page = alt.vconcat(*charts.values()).resolve_scale(color="independent", shape="independent")
    write_chart(page, options.out / "vocabulary.html")
    write_text(line + "\n", options.out / "signature.txt")
    if not options.quiet:
        _print(console, vocabulary, fit, halves, len(curve))
        say(console, line, style="dim")
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


def _print(
    console: Console,
    vocabulary: pl.DataFrame,
    fit: HeapsFit,
    halves: FamiliarShare,
    n_documents: int,
) -> None:
    new, (published, familiar) = halves.new_words, TRADE.values()
    say(
        console,
        f'"trade": {new.mean():.0f} new words from half to all of {n_documents} headlines '
        f"({new.min()} to {new.max()} over {len(new)} halves), {halves.share:.0%} of them "
        f"familiar; published: {published}, {familiar / published:.0%}",
    )
    rows = [
        [row["method"], *(_beside(row, name) for name in MEASURES)] for row in vocabulary.to_dicts()
    ]
    title = "Synthetic vocabularies, Reuters headlines, 20 % (in parentheses: published)"
    print_rows(console, title, [name.replace("_", " ") for name in MEASURES], rows)
    say(
        console,
        f"Heaps' law on the full training articles: k {fit.k:.1f} (95 % interval "
        f"{fit.k_interval[0]:.1f} to {fit.k_interval[1]:.1f}), theta {fit.theta:.3f} "
        f"({fit.theta_interval[0]:.3f} to {fit.theta_interval[1]:.3f}); published: {HEAPS.k:.0f}, "
        f"{HEAPS.theta}",
    )


def _beside(row: dict[str, Any], name: str) -> str:
    published = row[f"{name}_published"]
    value = f"{row[name]:.{1 if name == 'new_words' else 3}f}"
    return value if published is None else f"{value} ({published:g})"
