"""``imbtext reproduce``: the paper's experiments beside what this machine gets."""

from pathlib import Path
from typing import Annotated

import typer

from imbtext.cli import app


@app.command()
def reproduce(
    names: Annotated[
        list[str],
        typer.Argument(
            help="reuters-titles, reuters-full, huffpost-titles, huffpost-titles-5fold, "
            "huffpost-full-5fold, 20newsgroups, gamma, lstm, vocabulary, or all."
        ),
    ],
    ratio: Annotated[
        list[float] | None,
        typer.Option(help="Sampling ratio; may be repeated. The paper: 0.1 and 0.2."),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            help="Methods, such as 'svm,ros,emco(0.1)'. Default: the paper's ten and our three."
        ),
    ] = None,
    categories: Annotated[
        str | None, typer.Option(help="Only these categories, separated by commas.")
    ] = None,
    repetitions: Annotated[
        int | None, typer.Option(help="Repetitions per category. Default: as in the paper.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Number of processes; -1 is one per core.")] = -1,
    out: Annotated[
        Path, typer.Option(help="Folder for finished work and tables; a later run goes on there.")
    ] = Path("imbtext-results"),
    seed: Annotated[int, typer.Option(help="The seed; the same seed gives the same tables.")] = 42,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but problems.")] = False,
    data_home: Annotated[
        Path | None,
        typer.Option(help="Folder that holds the data sets. Default: IMBTEXT_DATA or the cache."),
    ] = None,
    embedding: Annotated[
        Path | None,
        typer.Option(
            help="Word vectors for lstm; the paper's are wiki-news-300d-1M.vec. Default: GloVe."
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="Where lstm trains: auto, cpu or cuda.")] = "auto",
) -> None:
    """Run the paper's experiments; every finished piece is kept, so a stopped run goes on."""
    from rich.console import Console

    from imbtext.reproduction.options import Options
    from imbtext.reproduction.reproduce import reproduce as run

    options = Options(
        out=out,
        ratios=tuple(sorted(set(ratio))) if ratio else None,
        methods=_listed(methods),
        categories=_listed(categories),
        repetitions=repetitions,
        jobs=jobs,
        seed=seed,
        quiet=quiet,
        data_home=data_home,
        embedding=embedding,
        device=device,
    )
    # The widest table needs this much; on a narrower terminal lines wrap rather than lose figures.
    console = Console()
    console.width = max(console.width, 130)
    outcome = run(names, options, console)
    if not quiet:
        typer.echo(
            f"{outcome.computed} units computed, {outcome.found} found finished, "
            f"{outcome.failed} failed; results in {out}"
        )
    if outcome.failed:
        typer.echo(_failures(out), err=True)
        raise typer.Exit(1)


def _listed(text: str | None) -> tuple[str, ...] | None:
    """Split at the commas that stand outside parentheses."""
    if text is None:
        return None
    parts: list[str] = [""]
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def _failures(out: Path) -> str:
    from imbtext.evaluation.store import Store

    with Store(out / "units.sqlite") as store:
        failures = store.failures()
    lines = [f"imbtext: {len(failures)} units failed; their tracebacks are in the store:"]
    for key, traceback in failures[:10]:
        reason = traceback.strip().splitlines()[-1]
        lines.append(
            f"  {key.experiment} {key.category} fold {key.fold} ratio {key.ratio:g} "
            f"{key.method} repetition {key.repetition}: {reason}"
        )
    if len(failures) > 10:
        lines.append(f"  and {len(failures) - 10} more")
    return "\n".join(lines)
