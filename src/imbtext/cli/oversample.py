"""``imbtext oversample``: a file with synthetic documents behind its own."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from imbtext.cli import _groups as groups
from imbtext.cli import _learning as learning
from imbtext.cli import _options as options
from imbtext.cli import app
from imbtext.cli._terminal import named_output, say

if TYPE_CHECKING:
    from imbtext._typing import Record
    from imbtext.oversampling._sampler import Sampler

# More documents than any file has. Libraries fail on numbers that are longer than 64 bits.
MOST_DOCUMENTS: Final = 10**12
# The samplers that make documents from a file in batches.
_METHODS: Final = ("emco", "mco", "ros", "eda")


@app.command()
def oversample(
    source: options.Sources,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="OUT",
            callback=options.writable,
            help="The file to write, a folder (ending in /), or - for standard output. With --dask "
            "always a folder.",
        ),
    ],
    text: options.TextColumn,
    label: options.LabelColumn,
    kept: groups.LabelOptions,
    file: groups.FileOptions,
    run: groups.RunOptions,
    method: Annotated[
        str, typer.Option(help="How to make documents: emco, mco, ros or eda.")
    ] = "emco",
    gamma: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="How much emco borrows from other classes: 0 or more, or heaps.",
            show_default="1.0",
        ),
    ] = None,
    surface: Annotated[
        bool,
        typer.Option(
            "--surface",
            help="Write words as the documents do, with case and punctuation (emco, mco).",
        ),
    ] = False,
    share: Annotated[
        float | None,
        typer.Option(help="Bring the rare class to this share of all documents."),
    ] = None,
    ratio: Annotated[
        float | None,
        typer.Option(help="Bring classes to this size, relative to the largest class."),
    ] = None,
    count: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL=N",
            help="Bring a class to N documents, originals included; repeatable.",
        ),
    ] = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="LABEL",
            help="Oversample only this class, with --share or --ratio; repeatable.",
        ),
    ] = None,
    output_format: options.OutputFormat = None,
    synthetic_column: Annotated[
        str, typer.Option(metavar="NAME", help="The column that marks synthetic rows.")
    ] = "synthetic",
    no_synthetic_column: Annotated[
        bool, typer.Option("--no-synthetic-column", help="Leave that column out.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the contents of the folder OUT.")
    ] = False,
    dask: options.Dask = None,
) -> None:
    """Add synthetic documents of the rare classes to a training file.

    OUT has every row of IN as it is, followed by the synthetic rows, which have only a text and a
    label. Rows without a text or a label, or with a label to ignore, are kept, and the chain does
    not learn from them. Without --share, --ratio or --count every class grows to the size of the
    largest.

    IN may be larger than memory, except that ros and eda hold the texts of the classes they
    oversample. Files whose names end in .gz, .bz2, .xz or .zst are compressed. A folder OUT gets
    one file for each file of IN, and others for synthetic rows.

    Synthetic texts of emco, mco and eda consist of words and spaces, so a spreadsheet takes none of
    them for a formula. With --surface they begin as the texts of IN do. Originals, and their copies
    by ros, are not changed.
    """
    from imbtext.files._oversampling import oversample_files
    from imbtext.files._sizes import ClassSizes

    sampler_class = _sampler_class(method)
    if gamma is not None and method != "emco":
        raise ValueError(f"--gamma works with --method emco, not with {method}")
    if surface and method not in ("emco", "mco"):
        raise ValueError(f"--surface works with --method emco and mco, not with {method}")
    settings: Record = {
        "sampling_strategy": ClassSizes(
            share, ratio, _counts(count or []), tuple(dict.fromkeys(classes or ()))
        ),
        "random_state": run.seed,
    }
    if method != "ros":
        settings["n_jobs"] = run.jobs
    if method in ("emco", "mco"):
        settings["surface"] = surface
    if method == "emco":
        settings["gamma"] = read_gamma(gamma)
    originals, synthetic, n_left_out = oversample_files(
        source,
        out,
        text=text,
        label=label,
        sampler=sampler_class(**settings),
        synthetic_column=None if no_synthetic_column else synthetic_column,
        rules=kept.rules(classes_are_named=bool(classes or count), several=False),
        layout=file.layout(),
        output_format=output_format,
        pool=groups.cluster(dask),
        overwrite=overwrite,
        quiet=run.quiet,
    )
    learning.warn_of_labels(originals)
    if not run.quiet:
        listed = ", ".join(f"{n:,} of {name}" for name, n in synthetic.items()) or "none"
        copied = f"{sum(originals.values()) + n_left_out:,} originals"
        copied += f" ({n_left_out:,} of them not learnt from)" if n_left_out else ""
        say(f"{named_output(out)}: {copied}, synthetic: {listed}", err=True)


def _sampler_class(method: str) -> "type[Sampler]":
    from imbtext.oversampling._names import SAMPLERS

    if method not in _METHODS:
        raise ValueError(
            f"the method {method!r} is not known; the methods that make documents are "
            f"{', '.join(_METHODS)}"
        )
    sampler: type[Sampler] = SAMPLERS[method].load()
    return sampler


def parse_count(text: str) -> tuple[str, int]:
    """Split ``LABEL=N`` at its last equals sign, so that a label may contain some.

    Examples
    --------
    >>> parse_count("a=b, c=20")
    ('a=b, c', 20)
    """
    label, equals, number = text.rpartition("=")
    if not equals or not number.strip().isdecimal():
        raise ValueError(
            f"cannot read the count {text!r}; write LABEL=N, such as sport=500, where N is the "
            f"number of documents to bring the class to"
        )
    if len(number) > len(str(MOST_DOCUMENTS)) or int(number) > MOST_DOCUMENTS:
        raise ValueError(f"the count {text!r:.60} is too large; N is at most {MOST_DOCUMENTS:,}")
    return label, int(number)


def _counts(texts: list[str]) -> dict[str, int]:
    pairs = [parse_count(item) for item in texts]
    counts = dict(pairs)
    if len(counts) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"--count is given twice for {twice!r}; give it once")
    return counts


def read_gamma(text: str | None) -> float | str:
    """Return the gamma that was typed: a number from 0 up, or 'heaps'."""
    if text is None or text == "heaps":
        return text or 1.0
    try:
        gamma = float(text)
    except ValueError:
        gamma = -1.0
    if not 0 <= gamma < float("inf"):
        raise ValueError(f"gamma is {text!r}; expected a number from 0 up, or 'heaps'")
    return gamma
