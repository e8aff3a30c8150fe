"""``imbtext reproduce``: the paper's experiments beside what this machine gets."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imbtext.cli import app
from imbtext.cli._options import Dask, Jobs, Quiet, Seed
from imbtext.cli._terminal import say
from imbtext.cli._values import split_names, workers

if TYPE_CHECKING:
    from imbtext.store import UnitKey


@app.command()
def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAMES",
            help="What to run: reuters-titles, reuters-full, huffpost-titles, "
            "huffpost-titles-5fold, huffpost-full-5fold, 20newsgroups, gamma, variants, rare, "
            "lstm, vocabulary, or all.",
        ),
    ],
    ratio: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NUMBERS", help="Sampling ratios; repeatable. Default: the paper's, 0.1,0.2."
        ),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Methods, such as 'svm,ros,emco(0.1)'; repeatable. Default: the paper's ten and "
            "our three.",
        ),
    ] = None,
    categories: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Only these categories, such as 'oil,gas'; repeatable."),
    ] = None,
    repetitions: Annotated[
        int | None, typer.Option(help="Repetitions per category. Default: as in the paper.")
    ] = None,
    jobs: Jobs = -1,
    dask: Dask = None,
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="The folder for finished work and tables; a later run resumes there.",
        ),
    ] = Path("imbtext-results"),
    seed: Seed = 42,
    quiet: Quiet = False,
    data_home: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The folder that holds the data sets. Default: IMBTEXT_DATA or the cache.",
        ),
    ] = None,
    embedding: Annotated[
        Path | None,
        typer.Option(
            help="Word vectors for lstm; the paper's are wiki-news-300d-1M.vec. Default: GloVe."
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="Where lstm trains: auto, cpu or cuda.")] = "auto",
) -> None:
    """Run the paper's experiments, and put the results beside the published ones.

    Finished work is kept, so a stopped run resumes where it was.
    """
    from imbtext.reproduction import Options
    from imbtext.reproduction import reproduce as run

    if out.is_file():
        raise NotADirectoryError(f"cannot write to {out}: it is a file; name a folder")
    options = Options(
        out=out,
        ratios=_ratios(split_names(ratio)) or Options.ratios,
        methods=_tuple(split_names(methods)),
        categories=_tuple(split_names(categories)),
        repetitions=repetitions,
        jobs=workers(jobs, dask),
        seed=seed,
        quiet=quiet,
        data_home=data_home,
        embedding=embedding,
        device=device,
    )
    outcome = run(names, options)
    if not quiet:
        say(
            f"{outcome.computed} units computed, {outcome.found} found finished, "
            f"{outcome.failed} failed; results in {out}"
        )
    if outcome.failed:
        for line in _failures(options.store_path, outcome.failed_units):
            say(line, err=True)
        raise typer.Exit(1)


def _tuple(names: list[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


def _ratios(texts: list[str] | None) -> tuple[float, ...]:
    try:
        return tuple(sorted({float(text) for text in texts or ()}))
    except ValueError as error:
        raise ValueError(f"--ratio takes numbers such as 0.1 ({error})") from error


def _failures(store_path: Path, units: "Sequence[UnitKey]") -> Iterator[str]:
    """Describe the units that failed in this run; the store may hold failures of other runs."""
    from imbtext.store import Store

    failed = frozenset(units)
    with Store(store_path) as store:
        failures = [(key, traceback) for key, traceback in store.failures() if key in failed]
    yield f"imbtext: {len(failures)} units failed; their tracebacks are in the store:"
    for key, traceback in failures[:10]:
        reason = traceback.strip().splitlines()[-1]
        yield (
            f"  {key.experiment} {key.category} fold {key.fold} ratio {key.ratio:g} "
            f"{key.method} repetition {key.repetition}: {reason}"
        )
    if len(failures) > 10:
        yield f"  and {len(failures) - 10} more"
