"""``imbtext counts``: what EMCO learns from, as files that add up."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imbtext.cli import _options as options
from imbtext.cli import _values as values
from imbtext.cli import app
from imbtext.cli._terminal import CommandLine, say
from imbtext.cli.oversample import MOST_DOCUMENTS, read_gamma

if TYPE_CHECKING:
    from imbtext.markov import CorpusCounts

commands = CommandLine(
    help="Count documents once, add up the counts of many files, and draw documents from them."
)
app.add_typer(commands, name="counts")

Out = Annotated[
    Path,
    typer.Option(
        "--out", "-o", metavar="OUT", callback=options.named_file, help="The file to write."
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LABEL", help="Keep this class whole; repeatable. Default: all but the largest."
    ),
]


@commands.command()
def make(
    source: options.Sources,
    out: Out,
    text: options.TextColumn,
    label: options.LabelColumn,
    unlabelled: options.Unlabelled = "skip",
    ignore_label: options.IgnoreLabel = None,
    many_classes: options.ManyClasses = False,
    order: Annotated[int, typer.Option(min=1, help="How many words predict the next one.")] = 1,
    surface: Annotated[
        bool,
        typer.Option(
            "--surface", help="Also count how words are written, so that draw can write them so."
        ),
    ] = False,
    input_format: options.InputFormat = None,
    delimiter: options.Delimiter = None,
    quotes: options.Quotes = True,
    encoding: options.Encoding = "utf-8",
    min_count: options.MinCount = 1,
    max_words: options.MaxWords = None,
    keep: Keep = None,
    dask: options.Dask = None,
    quiet: options.Quiet = False,
) -> None:
    """Count the documents of IN, and write the counts to OUT without the documents."""
    from imbtext.files import count_files
    from imbtext.tables import Layout
    from imbtext.writing import check_outputs

    check_outputs([out], values.files_of(source))
    counts = count_files(
        source,
        text=text,
        label=label,
        order=order,
        surface=surface,
        rules=values.label_rules(unlabelled, ignore_label, many_classes=many_classes),
        layout=Layout(input_format, delimiter, quotes, encoding),
        dask=dask,
        quiet=quiet,
    )
    values.warn_of_labels(_names(counts))
    _write(counts, out, min_count, max_words, keep, quiet=quiet)


@commands.command()
def merge(
    sources: Annotated[list[Path], typer.Argument(metavar="IN", help="Files of counts.")],
    out: Out,
    min_count: options.MinCount = 1,
    max_words: options.MaxWords = None,
    keep: Keep = None,
    quiet: options.Quiet = False,
) -> None:
    """Add the counts of several files into one file."""
    from imbtext.markov import CountsAccumulator, load_counts
    from imbtext.writing import check_outputs

    check_outputs([out], [])
    accumulator = CountsAccumulator.of(load_counts(sources[0]))
    for source in sources[1:]:
        accumulator.merge(load_counts(source))
    _write(accumulator.result(), out, min_count, max_words, keep, quiet=quiet)


@commands.command()
def show(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A file of counts.")],
) -> None:
    """Print what a file of counts holds."""
    from imbtext.markov import load_counts
    from imbtext.tables import label_name

    counts = load_counts(source)
    say(_described(counts))
    for label in sorted(counts.sizes):  # type: ignore[type-var]
        class_counts = counts.classes[label]
        say(
            f"  {label_name(label)!r}: {counts.sizes[label]:,} documents, "
            f"{len(class_counts.word_ids):,} words, {class_counts.n_transitions:,} transitions"
        )


@commands.command()
def draw(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A file of counts.")],
    out: options.OutFile,
    label: Annotated[str, typer.Option("--class", metavar="LABEL", help="The class to draw.")],
    number: Annotated[
        int, typer.Option("--number", "-n", min=1, max=MOST_DOCUMENTS, help="How many to draw.")
    ],
    gamma: Annotated[
        str,
        typer.Option(
            metavar="NUMBER",
            help="How much to borrow from other classes: 0 or more, or heaps. 0 is the same as "
            "mco.",
        ),
    ] = "1.0",
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
) -> None:
    """Draw synthetic documents of a class, as a table of texts and labels."""
    from imbtext import EMCO
    from imbtext.files import write_documents
    from imbtext.markov import load_counts
    from imbtext.randomness import draw_seed
    from imbtext.tables import label_named
    from imbtext.writing import check_outputs

    check_outputs([out], [source])
    counts = load_counts(source)
    sampler = EMCO(read_gamma(gamma), order=counts.order, surface=counts.surface is not None)
    chosen = label_named(label, counts.sizes)
    documents = sampler.fit_counts(counts).synthetic_documents(chosen, number, draw_seed(seed))
    write_documents(documents, out)
    if not quiet:
        say(f"{out}: {number:,} documents of {label!r}", err=True)


def _write(
    counts: "CorpusCounts",
    out: Path,
    min_count: int,
    max_words: int | None,
    keep: list[str] | None,
    *,
    quiet: bool,
) -> None:
    from imbtext.markov import prune, save_counts
    from imbtext.tables import label_named

    if min_count > 1 or max_words is not None:
        kept = None if keep is None else [label_named(name, counts.sizes) for name in keep]
        counts, pruned = prune(counts, min_count=min_count, max_words=max_words, keep=kept)
        say(f"imbtext: {pruned}", err=True)  # an error is never silent, not even when quiet
    elif keep:
        raise ValueError("--keep goes with --min-count or --max-words")
    save_counts(counts, out)
    if not quiet:
        say(f"{out}: {_described(counts)}", err=True)


def _names(counts: "CorpusCounts") -> dict[str, int]:
    from imbtext.tables import label_name

    return {label_name(label): n for label, n in counts.sizes.items()}


def _described(counts: "CorpusCounts") -> str:
    return (
        f"{sum(counts.sizes.values()):,} documents of {len(counts.sizes)} classes, "
        f"{len(counts.vocabulary):,} words, {counts.n_transitions:,} transitions, "
        f"order {counts.order}"
        f"{'' if counts.surface is None else ', with surface forms'}"
    )
