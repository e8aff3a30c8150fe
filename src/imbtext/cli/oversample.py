"""``imbtext oversample``: a file of documents in, the same with synthetic documents out."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from imbtext.cli import app

if TYPE_CHECKING:
    from rich.progress import TaskID

    from imbtext.tabular import Layout


@app.command()
def oversample(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="The file to read; - is standard input.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="OUT", help="Where to write; - is stdout.")
    ],
    text: Annotated[str, typer.Option(metavar="COL", help="The column of the documents.")],
    label: Annotated[str, typer.Option(metavar="COL", help="The column of the classes.")],
    method: Annotated[str, typer.Option(help="emco, mco, ros or eda.")] = "emco",
    gamma: Annotated[
        str | None,
        typer.Option(help="EMCO's weight of the other classes, or 'heaps'. [default: 1.0]"),
    ] = None,
    order: Annotated[
        int, typer.Option(min=1, help="How many last words predict the next (emco, mco).")
    ] = 1,
    share: Annotated[
        float | None,
        typer.Option(help="Share of all documents that the rare class shall make up."),
    ] = None,
    ratio: Annotated[
        float | None, typer.Option(help="Size of the classes relative to the largest class.")
    ] = None,
    count: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL=N",
            help="Documents that a class shall have, originals included; may be repeated.",
        ),
    ] = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class", metavar="LABEL", help="Only this class, with --share or --ratio; repeatable."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same output.")] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; -1 is one a core.")] = 1,
    input_format: Annotated[
        str | None,
        typer.Option("--format", help="Of IN: csv, tsv, jsonl or parquet. Default: by its name."),
    ] = None,
    output_format: Annotated[
        str | None, typer.Option(help="Of OUT. Default: by its name, else as IN.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="What separates cells: ';', 'tab', ... Default: by format.")
    ] = None,
    quotes: Annotated[
        bool, typer.Option(help="Whether quotation marks enclose cells (CSV and TSV).")
    ] = True,
    encoding: Annotated[
        str, typer.Option(help="Of IN, such as cp1252; OUT is always UTF-8.")
    ] = "utf-8",
    synthetic_column: Annotated[
        str, typer.Option(metavar="NAME", help="Name of the column that marks synthetic rows.")
    ] = "synthetic",
    no_synthetic_column: Annotated[
        bool, typer.Option("--no-synthetic-column", help="Write no such column.")
    ] = False,
    keep_empty: Annotated[
        bool, typer.Option("--keep-empty", help="Keep missing texts as documents without words.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but problems.")] = False,
) -> None:
    """Write the documents of IN to OUT, with synthetic documents of rare classes behind them.

    Every row of IN is kept as it is; synthetic rows have a text, a label and nothing else. Without
    --share, --ratio or --count every class is brought to the size of the largest.

    CSV, TSV and JSON lines may be larger than memory, except that ros and eda hold the texts of
    the classes they oversample. Names ending in .gz, .bz2, .xz or .zst are compressed files.

    Synthetic texts of emco, mco and eda consist of words and spaces, so none can be taken for a
    formula by a spreadsheet; originals, and their copies by ros, are not changed.
    """
    from imbtext.bulk.files import Task, oversample_file
    from imbtext.bulk.plan import Plan, parse_count
    from imbtext.bulk.streaming import METHODS
    from imbtext.tabular import input_file, layout_of

    if method not in METHODS:
        raise ValueError(
            f"the method {method!r} is not known; the methods that make documents are "
            f"{', '.join(METHODS)}"
        )
    if gamma is not None and method != "emco":
        raise ValueError(f"--gamma is a setting of emco; {method} has none")
    if order != 1 and method not in ("emco", "mco"):
        raise ValueError(f"--order is a setting of emco and mco; {method} has none")
    plan = Plan(share, ratio, _counts([parse_count(item) for item in count or ()]), _once(classes))
    with _Progress(quiet=quiet) as progress, input_file(source) as file:
        layout = layout_of(
            file, input_format, delimiter, quotes=quotes, encoding=encoding, name=source
        )
        done = oversample_file(
            file,
            layout,
            out,
            _target_layout(out, output_format, layout),
            Task(
                text=text,
                label=label,
                plan=plan,
                mark=None if no_synthetic_column else synthetic_column,
                keep_empty=keep_empty,
                method=method,
                gamma=_gamma(gamma),
                order=order,
                seed=seed,
                n_jobs=jobs,
                tell=progress.tell,
            ),
            name=str(source) if str(source) != "-" else "standard input",
        )
    if not quiet:
        made = ", ".join(f"{n:,} of {name}" for name, n in done.n_synthetic.items()) or "none"
        typer.echo(f"{out}: {done.n_originals:,} originals, synthetic: {made}", err=True)


def _counts(pairs: list[tuple[str, int]]) -> dict[str, int]:
    counts = dict(pairs)
    if len(counts) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"--count is given twice for {twice!r}; give it once")
    return counts


def _once(classes: list[str] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(classes or ()))


def _gamma(given: str | None) -> float | str:
    if given is None or given == "heaps":
        return given or 1.0
    try:
        gamma = float(given)
    except ValueError:
        gamma = -1.0
    if not 0 <= gamma < float("inf"):
        raise ValueError(f"gamma is {given!r}; expected a number from 0 up, or 'heaps'")
    return gamma


def _target_layout(out: Path, given: str | None, source: "Layout") -> "Layout":
    """Settle the format of the output: as told, by its name, else as the input's."""
    from imbtext.tabular import Layout, layout_of
    from imbtext.tabular.formats import format_by_name

    kind = given or format_by_name(out) or source.format
    layout = layout_of(out, kind)
    if layout.format == source.format:
        return Layout(layout.format, source.delimiter, source.quotes)
    return layout


class _Progress:
    """Shows the stages of the work, each with the rows done so far."""

    def __init__(self, *, quiet: bool) -> None:
        from imbtext._progress import progress_bar

        self.bar = progress_bar(quiet=quiet)
        self.tasks: dict[str, TaskID] = {}
        self.n_rows: dict[str, int] = {}

    def __enter__(self) -> Self:
        self.bar.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        self.bar.__exit__(*raised)

    def tell(self, stage: str, n_rows: int) -> None:
        """Note that a stage is `n_rows` further."""
        if stage not in self.tasks:
            # What is learned from is what was read, so that much is known of the second stage.
            total = self.n_rows.get("reading") if stage == "learning" else None
            self.tasks[stage] = self.bar.add_task(stage, total=total)
        self.n_rows[stage] = self.n_rows.get(stage, 0) + n_rows
        self.bar.advance(self.tasks[stage], n_rows)
