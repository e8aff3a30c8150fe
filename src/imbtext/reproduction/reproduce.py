"""The paper from one call: run the experiments, then write every table and figure."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from rich.console import Console

from imbtext.reproduction import averages, paper_tables
from imbtext.reproduction.experiments import EXPERIMENTS, EXTRA_METHODS, PAPER_METHODS
from imbtext.reproduction.extra_tables import extra_markdown, print_extra
from imbtext.reproduction.gamma_figure import reproduce_gamma
from imbtext.reproduction.lstm.lstm_table import reproduce_lstm
from imbtext.reproduction.options import Options
from imbtext.reproduction.rare import reproduce_rare
from imbtext.reproduction.runs import run_experiments
from imbtext.reproduction.text_tables import write_tables
from imbtext.reproduction.units import Outcome
from imbtext.reproduction.variants import reproduce_variants
from imbtext.reproduction.vocabulary.reproduce_vocabulary import reproduce_vocabulary
from imbtext.writing import write_text

Reproduction = Callable[[Options, Console], Outcome]


def reproduce(wanted: Iterable[str], options: Options, console: Console) -> Outcome:
    """Run the named experiments and write their tables into ``options.out``.

    Tables hold what was asked for; units of other experiments in the same folder stay in the store
    and are found again when their names are given.
    """
    chosen = resolve(wanted)
    if not chosen:
        raise ValueError(f"name what to reproduce: {', '.join(names())} or all")
    options.check()
    options.out.mkdir(parents=True, exist_ok=True)
    outcome = Outcome()
    rows = [name for name in chosen if name in EXPERIMENTS]
    if rows:
        outcome += _reproduce_tables(rows, options, console)
    for name in chosen:
        if name in _BESIDES:
            outcome += _BESIDES[name](options, console)
    return outcome


def names() -> list[str]:
    """Return everything that can be reproduced, ``all`` aside.

    Examples
    --------
    >>> "reuters-titles" in names()
    True
    """
    return [*EXPERIMENTS, *_BESIDES]


def resolve(wanted: Iterable[str]) -> list[str]:
    """Check names, spell out ``all`` and drop repetitions, keeping the order of `names`.

    Examples
    --------
    >>> resolve(["gamma", "reuters-full"])
    ['reuters-full', 'gamma']
    """
    asked = set(wanted)
    if "all" in asked:
        asked = asked - {"all"} | set(names())
    unknown = sorted(asked - set(names()))
    if unknown:
        raise ValueError(
            f"there is no experiment {unknown[0]!r}; choose from {', '.join(names())} or all"
        )
    return [name for name in names() if name in asked]


def _reproduce_tables(rows: Sequence[str], options: Options, console: Console) -> Outcome:
    methods = options.methods or PAPER_METHODS + EXTRA_METHODS
    runs = run_experiments(rows, options, methods)
    categories = runs.categories()
    if categories.is_empty():
        return runs.outcome
    line = runs.signature()
    table = averages.beside_published(categories, comparable=options.comparable)
    means = averages.intervals(categories, seed=options.seed)
    compared = averages.comparisons(categories)
    tables = {
        "tables": table,
        "categories": categories,
        "averages": means,
        "comparisons": compared,
        "datasets": runs.dataset_table(rows),
    }
    write_tables(options.out, tables)
    write_text(paper_tables.paper_markdown(table, line), options.out / "tables.md")
    write_text(paper_tables.latex(table, line), options.out / "tables.tex")
    write_text(extra_markdown(means, compared, line), options.out / "extra.md")
    write_text(line + "\n", options.out / "signature.txt")
    if not options.quiet:
        paper_tables.print_tables(table, console, line)
        print_extra(means, compared, console)
        paper_tables.print_summary(table, console)
    return runs.outcome


# What there is besides the rows of the SVM tables.
_BESIDES: Final[dict[str, Reproduction]] = {
    "gamma": reproduce_gamma,
    "variants": reproduce_variants,
    "rare": reproduce_rare,
    "lstm": reproduce_lstm,
    "vocabulary": reproduce_vocabulary,
}
