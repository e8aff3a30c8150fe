"""``imbtext vocabulary``: how the words of each class grow, and would by oversampling."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imbtext._messages import visible
from imbtext.cli import _options as options
from imbtext.cli import _terminal as terminal
from imbtext.cli import _values as values
from imbtext.cli import app

if TYPE_CHECKING:
    from imbtext._typing import Record
    from imbtext.documents import Corpus
    from imbtext.vocabulary import ClassOutlook, GrowthCurve, HeapsFit

# More lines than this in one chart cannot be told apart.
_DRAWN = 12
_SENTENCES = 5


@app.command()
def vocabulary(
    source: options.SourcesOrEmbedded = None,
    text: options.TextColumnOfFile = None,
    label: options.LabelColumnOfFile = None,
    share: Annotated[
        float, typer.Option(help="The share of all documents that a class would make up.")
    ] = 0.2,
    classes: Annotated[
        list[str] | None,
        typer.Option("--class", metavar="LABEL", help="Show only this class; repeatable."),
    ] = None,
    unlabelled: options.Unlabelled = "skip",
    ignore_label: options.IgnoreLabel = None,
    many_classes: options.ManyClasses = False,
    chart: Annotated[
        Path | None,
        typer.Option(
            callback=options.chart_file, help="Write a chart; the name ends in .html, .svg or .png."
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(
            help="Write the table as CSV; cells that look like formulas get an apostrophe."
        ),
    ] = None,
    seed: options.Seed = 0,
    input_format: options.InputFormat = None,
    delimiter: options.Delimiter = None,
    quotes: options.Quotes = True,
    encoding: options.Encoding = "utf-8",
) -> None:
    """Show how many words each class uses, and how many more it would use if it were larger.

    The prediction is Heaps' law, fitted on all documents and started at the class. What EMCO would
    add follows from its Markov chain. The command generates no documents.
    """
    import numpy as np
    import polars as pl

    from imbtext.documents import encode_texts
    from imbtext.markov import TransitionCounts
    from imbtext.oversampling import minority_share
    from imbtext.tables import Layout
    from imbtext.vocabulary import class_outlook, fit_heaps, growth_curve
    from imbtext.writing import check_outputs, write_text

    check_outputs([chart, csv], values.files_of(source))
    rules = values.label_rules(unlabelled, ignore_label, many_classes=many_classes or bool(classes))
    columns = None
    if source is None:
        values.refuse_columns(text, label)
    else:
        columns = values.document_columns(source, text, label, rules=rules)
    layout = Layout(input_format, delimiter, quotes, encoding)
    documents = values.documents_of_source(source, columns, layout)
    corpus, labels = encode_texts(documents.texts), np.array(documents.labels, dtype=object)
    if not corpus.n_tokens:
        raise ValueError(f"none of the {corpus.n_documents} documents has a word in it")
    sizes = dict(sorted(Counter(map(str, labels)).items()))
    chosen_classes = _chosen_classes(classes, sizes, share)
    total = TransitionCounts.of(corpus)
    missing = minority_share(share).missing
    outlooks = [
        class_outlook(corpus, total, labels == name, name, missing(len(labels), sizes[name]))
        for name in chosen_classes
    ]
    curve = growth_curve(corpus, random_state=seed)
    fit = fit_heaps(curve) if len(np.unique(curve.tokens[curve.tokens > 0])) >= 3 else None
    _print(outlooks, corpus, fit, share, all_of=len(sizes))
    if csv is not None:
        write_text(pl.DataFrame(_rows(outlooks), infer_schema_length=None).write_csv(), csv)
    if chart is not None:
        largest_first = sorted(outlooks, key=lambda outlook: -outlook.tokens)
        drawn = [outlook for outlook in largest_first if outlook.tokens][:_DRAWN]
        corpora = {str(outlook.label): corpus.select(labels == outlook.label) for outlook in drawn}
        curves = {name: growth_curve(words, random_state=seed) for name, words in corpora.items()}
        _write_chart(drawn, {"all documents": curve} | curves, fit, chart)


def _chosen_classes(classes: list[str] | None, sizes: dict[str, int], share: float) -> list[str]:
    from imbtext.tables import label_named
    from imbtext.vocabulary import percent

    if not 0 < share < 1:
        raise ValueError(f"--share is {share}; give a number between 0 and 1, such as 0.2")
    if classes:
        return list(dict.fromkeys(label_named(name, sizes) for name in classes))
    n = sum(sizes.values())
    rare = [name for name, size in sizes.items() if size < share * n]
    if not rare:
        raise ValueError(
            f"every class already makes up {percent(share)} of the documents; "
            "choose a larger --share, or a class with --class"
        )
    return sorted(rare, key=lambda name: (sizes[name], name))


def _rows(outlooks: "list[ClassOutlook]") -> "list[Record]":
    from imbtext.tables import without_formula

    return [
        {
            "class": without_formula(str(outlook.label)),
            "documents": outlook.documents,
            "tokens": outlook.tokens,
            "words": outlook.words,
            "synthetic_documents": outlook.synthetic_documents,
            "new_by_heaps": round(outlook.new_by_heaps, 1),
            **{
                f"new_by_emco_{gamma:g}": round(new, 1)
                for gamma, new in outlook.new_by_emco.items()
            },
            "gamma_heaps": float(f"{outlook.gamma:.4g}"),
            "new_by_emco_heaps": round(outlook.new_by_gamma, 1),
        }
        for outlook in outlooks
    ]


def _print(
    outlooks: "list[ClassOutlook]",
    corpus: "Corpus",
    fit: "HeapsFit | None",
    share: float,
    all_of: int,
) -> None:
    from rich.table import Table
    from rich.text import Text

    from imbtext.vocabulary import percent

    console = terminal.console()
    n_words = len(set(corpus.ids.tolist()))
    console.print(
        f"{corpus.n_documents:,} documents in {all_of} classes, {corpus.n_tokens:,} tokens, "
        f"{n_words:,} words",
        highlight=False,
    )
    if fit is not None:
        console.print(
            f"Heaps' law: words = {fit.k:.1f} * tokens ^ {fit.theta:.3f} (95% intervals "
            f"{fit.k_interval[0]:.1f} to {fit.k_interval[1]:.1f} and {fit.theta_interval[0]:.3f} "
            f"to {fit.theta_interval[1]:.3f}; it is off by {fit.rmse:.0%} on average)",
            highlight=False,
            soft_wrap=True,
        )
    grid = Table(title=f"More words at a share of {percent(share)}", title_justify="left")
    grid.add_column("class", overflow="fold", min_width=12)
    columns = ("docs", "words", "Heaps", "EMCO(0.1)", "EMCO(1)", "gamma")
    for name in columns:
        grid.add_column(name, justify="right", no_wrap=True)
    for outlook in outlooks:
        new = [outlook.new_by_heaps, *outlook.new_by_emco.values()]
        grid.add_row(
            Text(visible(repr(str(outlook.label)))),
            f"{outlook.documents:,}",
            f"{outlook.words:,}",
            *(f"{value:,.0f}" for value in new),
            f"{outlook.gamma:.3g}",
        )
    console.print(grid)
    for outlook in outlooks[:_SENTENCES]:
        console.print(Text(visible(outlook.sentence(share))), soft_wrap=True)
    if len(outlooks) > _SENTENCES:
        console.print(
            f"and {len(outlooks) - _SENTENCES} more classes in the table", highlight=False
        )


def _write_chart(
    outlooks: "list[ClassOutlook]",
    curves: "dict[str, GrowthCurve]",
    fit: "HeapsFit | None",
    path: Path,
) -> None:
    from imbtext.charts import write_chart
    from imbtext.vocabulary import growth_chart

    predictions = []
    for outlook in outlooks:
        kinds = {"Heaps' law": outlook.new_by_heaps}
        kinds |= {f"EMCO({gamma:g})": new for gamma, new in outlook.new_by_emco.items()}
        point = {"class": str(outlook.label), "tokens": outlook.tokens_after}
        if outlook.synthetic_documents:
            predictions += [
                point | {"words": outlook.words + new, "kind": kind} for kind, new in kinds.items()
            ]
    chart = growth_chart(
        curves,
        fit.law if fit else None,
        title="Words against tokens: lines as they are, marks after oversampling",
        predictions=predictions,
    )
    write_chart(chart, path)
