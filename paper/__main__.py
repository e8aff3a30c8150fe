"""``python -m paper``: the paper's experiments beside what this machine gets."""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from imbtext.distributed import DaskPool
from imbtext.store import Store, UnitKey
from paper.experiments import RATIOS
from paper.options import Options
from paper.reproduce import all_names, reproduce


def main() -> int:
    """Run what the command line names; a mistake of the user's is one line and exit code 2."""
    arguments = parser().parse_args()
    try:
        outcome = reproduce(arguments.names, options := _options(arguments))
    except (ValueError, TypeError, OSError, ImportError) as error:
        print(f"paper: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command resumes", file=sys.stderr)
        return 130
    if not options.quiet:
        print(
            f"{outcome.computed} units computed, {outcome.found} found finished, "
            f"{outcome.failed} failed; results in {options.out}"
        )
    for line in _failures(options.store_path, outcome.failed_units):
        print(line, file=sys.stderr)
    return min(outcome.failed, 1)


def parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    reader = argparse.ArgumentParser(
        prog="python -m paper",
        description="Run the paper's experiments, and put the results beside the published ones. "
        "Finished work is kept, so a stopped run resumes where it was.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = reader.add_argument
    add("names", nargs="+", metavar="NAME", help=f"{', '.join(all_names())}, or all")
    add("--ratio", type=_ratios, default=RATIOS, metavar="NUMBERS", help="sampling ratios")
    add("--methods", type=_names, help="such as 'svm,emco(0.1)'; else the paper's and our three")
    add("--categories", type=_names, help="only these, such as oil,gas; else all that are rare")
    add("--repetitions", type=int, help="repetitions of a category; else as in the paper")
    add("--out", type=Path, default=Path("paper-results"), help="folder for results")
    add("--jobs", type=int, default=-1, help="processes; -1 is one per core")
    add("--dask", nargs="?", const="local", metavar="ADDRESS", help="use a Dask cluster instead")
    add("--seed", type=int, default=Options.seed, help="the same seed gives the same result")
    add("--quiet", action="store_true", help="print nothing but problems")
    add("--data-home", type=Path, help="folder of the data sets; else IMBTEXT_DATA or the cache")
    add("--embedding", type=Path, help="word vectors for lstm, such as wiki-news-300d-1M.vec")
    add("--device", default=Options.device, help="where lstm trains: auto, cpu or cuda")
    return reader


def _names(text: str) -> tuple[str, ...]:
    """Split names at the commas outside parentheses.

    Examples
    --------
    >>> _names("ros, threshold(emco(0.1), f2),svm")
    ('ros', 'threshold(emco(0.1), f2)', 'svm')
    """
    return tuple(re.split(r"\s*,\s*(?![^()]*\))", text.strip()))


def _ratios(text: str) -> tuple[float, ...]:
    return tuple(sorted({float(number) for number in text.split(",")}))


def _options(arguments: argparse.Namespace) -> Options:
    if arguments.out.is_file():
        raise NotADirectoryError(f"cannot write to {arguments.out}: it is a file; name a folder")
    return Options(
        out=arguments.out,
        ratios=arguments.ratio,
        methods=arguments.methods,
        categories=arguments.categories,
        repetitions=arguments.repetitions,
        jobs=DaskPool(arguments.dask) if arguments.dask else arguments.jobs,
        seed=arguments.seed,
        quiet=arguments.quiet,
        data_home=arguments.data_home,
        embedding=arguments.embedding,
        device=arguments.device,
    )


def _failures(store_path: Path, units: Sequence[UnitKey]) -> Iterator[str]:
    """Describe the units that failed in this run; the store may hold failures of other runs."""
    if not units:
        return
    failed = frozenset(units)
    with Store(store_path) as store:
        failures = [(key, traceback) for key, traceback in store.failures() if key in failed]
    yield f"paper: {len(failures)} units failed; their tracebacks are in the store:"
    for key, traceback in failures[:10]:
        reason = traceback.strip().splitlines()[-1]
        yield (
            f"  {key.experiment} {key.category} fold {key.fold} ratio {key.ratio:g} "
            f"{key.method} repetition {key.repetition}: {reason}"
        )
    if len(failures) > 10:
        yield f"  and {len(failures) - 10} more"


if __name__ == "__main__":
    sys.exit(main())
