"""``imbtext vocabulary``: how the words of each class grow, and would by oversampling."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from imbtext.cli import app

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from imbtext.corpus import Corpus
    from imbtext.vocabulary import ClassOutlook, HeapsFit

# More lines than this in one chart cannot be told apart.
_DRAWN = 12
_SENTENCES = 5


@app.command()
def vocabulary(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="CSV, TSV, JSON lines or Parquet; - is standard input. "
            "Default: the embedded corpus of docstrings.",
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option(metavar="COL", help="The column of the documents.")
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="COL", help="The column of the classes.")
    ] = None,
    share: Annotated[
        float, typer.Option(help="Share of all documents that a class shall make up.")
    ] = 0.2,
    classes: Annotated[
        list[str] | None,
        typer.Option("--class", metavar="LABEL", help="Only this class; may be repeated."),
    ] = None,
    chart: Annotated[
        Path | None, typer.Option(help="Write a chart there; ends in .html, .svg or .png.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the table there as CSV.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Owns the shuffles of the curves.")] = 0,
    delimiter: Annotated[
        str | None, typer.Option(help="What separates cells: ';', 'tab', ... Default: by format.")
    ] = None,
    encoding: Annotated[str, typer.Option(help="Of FILE, such as cp1252.")] = "utf-8",
) -> None:
    """Show how the words of each class grow, and how many more it would use if it were larger.

    The prediction is Heaps' law, fitted on all documents and started at the class; what EMCO adds
    is expected from its Markov chain. No document is generated.
    """
    import numpy as np

    from imbtext.markov import TransitionCounts
    from imbtext.methods import n_for_share
    from imbtext.vocabulary import class_outlook, fit_heaps, growth_curve

    for output in (chart, csv):
        if output is not None and source is not None and _same_file(source, output):
            raise ValueError(f"{output} is the input itself; name another file for the output")
    corpus, labels = _documents(source, text, label, delimiter, encoding)
    if not corpus.n_tokens:
        raise ValueError(f"none of the {corpus.n_documents} documents has a word in it")
    sizes = {
        str(name): int(n) for name, n in zip(*np.unique(labels, return_counts=True), strict=True)
    }
    chosen = _chosen(classes, sizes, share)
    total = TransitionCounts.of(corpus)
    outlooks = [
        class_outlook(
            corpus, total, labels == name, name, n_for_share(len(labels), sizes[name], share)
        )
        for name in chosen
    ]
    curve = growth_curve(corpus, random_state=seed)
    fit = fit_heaps(curve) if len(np.unique(curve.tokens[curve.tokens > 0])) >= 3 else None
    _print(outlooks, corpus, fit, share, all_of=len(sizes))
    if csv is not None:
        _write_csv(outlooks, csv)
    if chart is not None:
        _write_chart(outlooks, corpus, labels, fit, chart, seed)


def _same_file(source: Path, output: Path) -> bool:
    return source.exists() and output.exists() and output.samefile(source)


def _documents(
    source: Path | None, text: str | None, label: str | None, delimiter: str | None, encoding: str
) -> "tuple[Corpus, NDArray[np.object_]]":
    import numpy as np
    import polars as pl

    from imbtext.tokenization import encode_texts

    if source is None:
        if text is not None or label is not None:
            raise ValueError("--text and --label name columns of a file; name the file too")
        from imbtext.datasets import load_docstrings

        data = load_docstrings()
        return encode_texts(data.texts), np.array(data.labels, dtype=object)
    if text is None or label is None:
        raise ValueError(
            f"say which columns of {source} hold the documents and their classes: "
            "--text COL --label COL"
        )
    if text == label:
        raise ValueError(f"--text and --label are both {text!r}; name two columns")
    from imbtext.tabular import read_table

    frame = read_table(source, [text, label], delimiter=delimiter, encoding=encoding)
    if frame.is_empty():
        raise ValueError(f"{source} has no rows")
    words = (pl.String, pl.Categorical, pl.Enum, pl.Null)
    if frame.schema[text] not in words:
        raise ValueError(
            f"column {text!r} of {source} holds {frame.schema[text]}; texts must be strings"
        )
    if frame.schema[label].is_nested():
        raise ValueError(
            f"column {label!r} of {source} holds {frame.schema[label]}; a label must be a string "
            "or a number"
        )
    texts = frame[text].cast(pl.String).fill_null("")
    labels = frame[label].cast(pl.String)
    missing = labels.fill_null("") == ""
    if missing.any():
        raise ValueError(
            f"row {missing.arg_max() + 1} of {source} has no label in column {label!r}; "  # type: ignore[operator]
            "give it one or drop the row"
        )
    return encode_texts(texts), labels.to_numpy()


def _chosen(classes: list[str] | None, sizes: dict[str, int], share: float) -> list[str]:
    from imbtext.vocabulary._outlook import percent

    if not 0 < share < 1:
        raise ValueError(f"--share is {share}; give a number between 0 and 1, such as 0.2")
    if classes:
        for name in classes:
            if name not in sizes:
                known = ", ".join(map(repr, list(sizes)[:10]))
                raise ValueError(f"there is no class {name!r}; the classes are {known}")
        return list(dict.fromkeys(classes))
    if len(sizes) < 2:
        raise ValueError(
            f"all documents are of the one class {next(iter(sizes))!r}; there is nothing to "
            "oversample it from"
        )
    n = sum(sizes.values())
    rare = [name for name, size in sizes.items() if size < share * n]
    if not rare:
        raise ValueError(
            f"every class already makes up {percent(share)} of the documents; "
            "choose a larger --share, or a class with --class"
        )
    return sorted(rare, key=lambda name: (sizes[name], name))


def _rows(outlooks: "list[ClassOutlook]") -> list[dict[str, Any]]:
    return [
        {
            "class": outlook.label,
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
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from imbtext.vocabulary._outlook import percent

    console = Console()
    n_words = len(set(corpus.ids.tolist()))
    console.print(
        f"{corpus.n_documents:,} documents in {all_of} classes, {corpus.n_tokens:,} tokens, "
        f"{n_words:,} words",
        highlight=False,
    )
    if fit is not None:
        console.print(
            f"Heaps' law: words = {fit.k:.1f} * tokens ^ {fit.theta:.3f} (95 % intervals "
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
            Text(str(outlook.label)),
            f"{outlook.documents:,}",
            f"{outlook.words:,}",
            *(f"{value:,.0f}" for value in new),
            f"{outlook.gamma:.3g}",
        )
    console.print(grid)
    for outlook in outlooks[:_SENTENCES]:
        console.print(Text(outlook.sentence(share)), soft_wrap=True)
    if len(outlooks) > _SENTENCES:
        console.print(
            f"and {len(outlooks) - _SENTENCES} more classes in the table", highlight=False
        )


def _write_csv(outlooks: "list[ClassOutlook]", path: Path) -> None:
    import polars as pl

    from imbtext._files import written_whole

    with written_whole(path) as partial:
        pl.DataFrame(_rows(outlooks), infer_schema_length=None).write_csv(partial)


def _write_chart(
    outlooks: "list[ClassOutlook]",
    corpus: "Corpus",
    labels: "NDArray[np.object_]",
    fit: "HeapsFit | None",
    path: Path,
    seed: int,
) -> None:
    from imbtext.reporting.charts import write_chart
    from imbtext.vocabulary import growth_curve
    from imbtext.vocabulary._charts import growth_chart

    drawn = sorted((o for o in outlooks if o.tokens), key=lambda o: -o.tokens)[:_DRAWN]
    curves = {"all documents": growth_curve(corpus, random_state=seed)}
    predictions = []
    for outlook in drawn:
        name = str(outlook.label)
        own = corpus.select(labels == name)
        curves[name] = growth_curve(own, random_state=seed)
        if outlook.synthetic_documents:
            kinds = {"Heaps' law": outlook.new_by_heaps} | {
                f"EMCO({gamma:g})": new for gamma, new in outlook.new_by_emco.items()
            }
            predictions += [
                {
                    "class": name,
                    "tokens": outlook.tokens_after,
                    "words": outlook.words + new,
                    "kind": kind,
                }
                for kind, new in kinds.items()
            ]
    chart = growth_chart(
        curves,
        fit.law if fit else None,
        title="Words against tokens: lines as they are, marks after oversampling",
        predictions=predictions,
    )
    write_chart(chart, path)
