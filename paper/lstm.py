"""``python -m paper lstm``: averages with two kinds of interval, beside the published numbers.

The paper trained each network once. Five repetitions here give an interval over seeds, which says
how far one run of the experiment may stray; the interval over categories says how far the average
would move with other categories of the same kind.

A module of its own, like everything that ``reproduce`` can be asked for by name. It can be imported
without PyTorch; the documents and networks in `_lstm_networks` cannot.
"""

from collections.abc import Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl
from rich.console import Console

from imbtext.metrics import METRICS
from imbtext.writing import write_text
from paper.averages import category_tests, intervals_over, metrics_in, place
from paper.experiments import LSTM_NAMES, PLAIN_LSTM, frequency_group
from paper.options import Options, Outcome
from paper.published import published_cells
from paper.running import finished_units, signature
from paper.tables import (
    GROUPS,
    distance,
    has_published,
    markdown_rows,
    number,
    print_rows,
    say,
    write_tables,
)

if TYPE_CHECKING:
    from paper.lstm_networks import LSTMData

PAPER_EMBEDDING: Final = "wiki-news-300d-1M"
_HEADS: Final = {
    "balanced_accuracy": "BA",
    "f1": "F1",
    "f2": "F2",
    "recall": "TPR",
    "tnr": "TNR",
    "precision": "Precision",
}
# As in the published table, the plain network (which has no ratio) first.
_ORDER: Final = (
    pl.col("frequency") == "low",
    pl.col("ratio"),
    place(pl.col("method"), LSTM_NAMES.values()),
)


def reproduce_lstm(options: Options, console: Console) -> Outcome:
    """Train the networks that the store lacks and write the LSTM table into ``options.out``.

    It goes as ``lstm.csv`` (averages, intervals, published numbers), ``lstm_categories.csv``,
    ``lstm_comparisons.csv`` and ``lstm.md``.
    """
    device, methods = check_lstm(options)
    from paper.lstm_networks import (
        LSTM_REPETITIONS,
        lstm_units,
        prepare_lstm,
        run_lstm,
    )

    data = prepare_lstm(options.embedding, data_home=options.data_home)
    groups = lstm_units(data, options, methods)
    outcome = run_lstm(data, groups, options)
    units = finished_units([key for group in groups for key in group], options)
    if units.is_empty():
        return outcome
    line = signature(
        {
            # Units found in the store may have been trained elsewhere.
            "torch": version("torch") if outcome.computed else "as-stored",
            "device": device if outcome.computed else "as-stored",
            **options.settings(LSTM_REPETITIONS),
            "embedding": f"{data.embedding.name}({data.embedding.n_dimensions})",
        },
        {"reuters": data.checksum, "lstm": data.fingerprint()},
    )
    scored = scored_units(units, data)
    table = averages(scored, seed=options.seed, comparable=options.comparable)
    tables = {
        "lstm": table,
        "lstm_categories": category_table(scored),
        "lstm_comparisons": lstm_comparisons(scored),
    }
    write_tables(options.out, tables)
    write_text(lstm_markdown(table, line, setup(data)), options.out / "lstm.md")
    if not options.quiet:
        print_table(table, console, line, setup(data))
    return outcome


def check_lstm(options: Options) -> tuple[str, list[str]]:
    """Return the device and the methods, the plain network first; raise if one cannot be had.

    `reproduce` asks before it runs anything, because the networks are trained last.
    """
    from imbtext.neural import choose_device

    plain, *sampled = LSTM_NAMES
    methods = [name for name in LSTM_NAMES if name in (options.methods or LSTM_NAMES)]
    if not methods:
        raise ValueError(
            f"the LSTM experiment has none of the methods {', '.join(options.methods or ())}; "
            f"choose from {', '.join(sampled)}"
        )
    return choose_device(options.device), list(dict.fromkeys([plain, *methods]))


def setup(data: "LSTMData") -> str:
    """Say in a sentence whether this was the paper's set-up or ours."""
    name = data.embedding.name
    vectors = f"{name} ({data.embedding.n_dimensions} dimensions)"
    if name == PAPER_EMBEDDING and data.embedding.n_dimensions == 300:
        origin = f"The paper's set-up: the word vectors are fastText's {vectors}."
    else:
        origin = (
            f"Our set-up, not the paper's: the word vectors are {vectors} where the paper has "
            f"fastText's {PAPER_EMBEDDING} (300 dimensions), so the levels may differ from the "
            "published ones."
        )
    return (
        f"{origin} {data.coverage:.1%} of the training tokens have a vector; documents are cut at "
        f"{data.length} words."
    )


def scored_units(units: pl.DataFrame, data: "LSTMData") -> pl.DataFrame:
    """Name methods and groups of finished units as the published table does."""
    return units.select(
        pl.col("category")
        .map_elements(lambda name: frequency_group(data.share(name)), return_dtype=pl.String)
        .alias("frequency"),
        pl.when(pl.col("ratio") > 0).then(pl.col("ratio")).alias("ratio"),
        pl.col("method").replace_strict(LSTM_NAMES, return_dtype=pl.String),
        "category",
        "repetition",
        pl.col(metrics_in(units)).cast(pl.Float64).fill_nan(None),
    )


def category_table(scored: pl.DataFrame) -> pl.DataFrame:
    """Average each category over the repetitions."""
    table = scored.group_by("frequency", "ratio", "method", "category").agg(
        pl.col(metrics_in(scored)).mean(), n_repetitions=pl.len()
    )
    return table.sort(*_ORDER, "category")


def averages(scored: pl.DataFrame, seed: int = 0, *, comparable: bool = True) -> pl.DataFrame:
    """Average over categories, with both intervals and the published value.

    ``seeds_lower`` and ``seeds_upper`` are Student's t over the averages of the repetitions,
    ``lower`` and ``upper`` the bootstrap over categories. ``published`` is left empty where the
    scores are not those of all categories and so not `comparable`.
    """
    key = ("frequency", "ratio", "method")
    by_seed = scored.group_by(*key, "repetition").agg(pl.col(metrics_in(scored)).mean())
    # Student's t does not know that every measure lies between 0 and 1.
    seeds = intervals_over("repetition", by_seed, key, method="t").select(
        *("metric", *key),
        seeds_lower=pl.col("lower").clip(0, 1),
        seeds_upper=pl.col("upper").clip(0, 1),
        n_repetitions="n_categories",
    )
    published = published_cells("lstm").rename({"value": "published"}).drop("dataset", "text")
    if not comparable:
        published = published.clear()
    cell = ["metric", *key]
    return (
        intervals_over("category", category_table(scored), key, seed=seed)
        .join(seeds, on=cell, nulls_equal=True)
        .join(published, on=cell, how="left", nulls_equal=True)
        .with_columns(difference=pl.col("value") - pl.col("published"))
        .select(
            *("metric", *key, "value", "seeds_lower", "seeds_upper", "lower", "upper"),
            *("n_categories", "n_repetitions", "published", "difference"),
        )
        .sort(*_ORDER, place(pl.col("metric"), METRICS))
    )


def lstm_comparisons(scored: pl.DataFrame) -> pl.DataFrame:
    """Compare EDA and EMCO with the plain network and each other, category by category."""
    categories = category_table(scored)
    plain = categories.filter(method=PLAIN_LSTM)
    rows = []
    for (frequency, ratio), group in (
        categories.filter(pl.col("method") != PLAIN_LSTM)
        .sort("frequency", "ratio", descending=[True, False])
        .group_by("frequency", "ratio", maintain_order=True)
    ):
        paired = group.select("category").unique()
        with_plain = pl.concat([plain.join(paired, on="category", how="semi"), group])
        rows += [
            {"metric": metric, "frequency": frequency, "ratio": ratio, **test}
            for metric in metrics_in(scored)
            for test in category_tests(with_plain, metric, (PLAIN_LSTM, "EDA"))
            if test["method"] != PLAIN_LSTM
        ]
    return pl.DataFrame(rows, infer_schema_length=None)


def lstm_markdown(table: pl.DataFrame, signature: str, setup: str) -> str:
    """Return the table as Markdown: ours, its interval over seeds, and the published numbers."""
    lines = ["## The LSTM table (Reuters headlines)", "", setup, ""]
    for title, n, block in _blocks(table):
        rows = []
        for name, cells in block:
            rows.append([name, *map(_with_seeds, cells)])
            if has_published(table):
                rows.append(["*published*", *(number(cell["published"]) for cell in cells)])
        lines += [f"**{title}** ({n} {'category' if n == 1 else 'categories'})", ""]
        lines += markdown_rows(list(_HEADS.values()), rows)
    note = "In parentheses: 95% interval over the repetitions (Student's t)."
    return "\n".join([*lines, note, "", f"`{signature}`", ""])


def print_table(table: pl.DataFrame, console: Console, signature: str, setup: str) -> None:
    """Print the table to the terminal."""
    for title, _, block in _blocks(table):
        rows = []
        for name, cells in block:
            rows += [[], [name, *(f"[bold]{number(cell['value'])}[/]" for cell in cells)]]
            if has_published(table):
                rows.append(["  published", *(number(cell["published"]) for cell in cells)])
                rows.append(["  difference", *(distance(cell["difference"]) for cell in cells)])
        print_rows(console, f"LSTM, Reuters headlines: {title.lower()}", _HEADS.values(), rows)
    say(console, setup)
    say(console, signature, style="dim")


def _blocks(
    table: pl.DataFrame,
) -> Iterator[tuple[str, int, list[tuple[str, list[dict[str, Any]]]]]]:
    """Yield the title, the number of categories and the rows of each group."""
    for frequency, title in GROUPS.items():
        part = table.filter(frequency=frequency)
        rows = []
        for (ratio, method), group in part.group_by("ratio", "method", maintain_order=True):
            cells = {row["metric"]: row for row in group.iter_rows(named=True)}
            name = f"{method}" if ratio is None else f"{method}, {ratio:.0%}"
            rows.append((name, [cells[metric] for metric in _HEADS]))
        if rows:
            yield title, int(part["n_categories"].to_numpy().max()), rows


def _with_seeds(cell: dict[str, Any]) -> str:
    lower, upper = cell["seeds_lower"], cell["seeds_upper"]
    if lower is None or np.isnan(lower):
        return number(cell["value"])
    return f"{number(cell['value'])} ({number(lower)} to {number(upper)})"
