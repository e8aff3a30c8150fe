"""The paper from one call: run the experiments, then write every table and figure."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from rich.console import Console

from imbtext.writing import write_text
from paper.averages import beside_published, comparisons, intervals
from paper.experiments import EXPERIMENTS, EXTRA_METHODS, PAPER_METHODS, stored_name
from paper.gamma import reproduce_gamma
from paper.lstm import check_lstm, reproduce_lstm
from paper.options import Options, Outcome
from paper.rare import reproduce_rare
from paper.running import run_experiments
from paper.tables import (
    extra_markdown,
    latex,
    paper_markdown,
    print_extra,
    print_summary,
    print_tables,
    write_tables,
)
from paper.variants import reproduce_variants
from paper.vocabulary import reproduce_vocabulary

Reproduction = Callable[[Options, Console], Outcome]


def reproduce(
    names: str | Iterable[str], options: Options, console: Console | None = None
) -> Outcome:
    """Run experiments by name and write their tables and figures into ``options.out``.

    Every finished unit of work is stored there at once. A run that was stopped resumes where it
    was; units of other experiments in the same folder stay, and are found again when they are asked
    for.

    Parameters
    ----------
    names : str or iterable of str
        Rows of the paper's tables (see `EXPERIMENTS`), ``"gamma"``, ``"variants"``, ``"rare"``,
        ``"lstm"``, ``"vocabulary"``, or ``"all"``.
    options : Options
        What to run of these, and where to write.
    console : rich.console.Console, default=None
        Where the tables are printed; None is the terminal, at least 130 columns wide.

    Returns
    -------
    Outcome
        How many units were computed, found finished, and failed.

    See Also
    --------
    prepare : The splits alone, for experiments of your own.

    Examples
    --------
    >>> from pathlib import Path
    >>> options = Options(Path("results"), methods=("svm", "emco(0.1)"), jobs=-1)
    >>> outcome = reproduce(["reuters-titles"], options)  # doctest: +SKIP
    """
    if console is None:
        console = Console()
        # The widest table needs this much; on a narrower terminal lines wrap and lose no figures.
        console.width = max(console.width, 130)
    chosen = resolve(names)
    if not chosen:
        raise ValueError(f"name what to reproduce: {', '.join(all_names())} or all")
    options.check()
    if "lstm" in chosen:
        check_lstm(options)
    options.out.mkdir(parents=True, exist_ok=True)
    outcome = Outcome()
    rows = [name for name in chosen if name in EXPERIMENTS]
    if rows:
        outcome += _reproduce_tables(rows, options, console)
    for name in chosen:
        if name in _OTHER_REPRODUCTIONS:
            outcome += _OTHER_REPRODUCTIONS[name](options, console)
    if outcome == Outcome():
        raise ValueError(
            f"there is nothing to run: {', '.join(options.categories or ['no category'])} must be "
            f"rarer to be oversampled to a ratio of {max(options.ratios):g}"
        )
    return outcome


def all_names() -> list[str]:
    """Return everything that can be reproduced, ``all`` aside.

    Examples
    --------
    >>> "reuters-titles" in all_names()
    True
    """
    return [*EXPERIMENTS, *_OTHER_REPRODUCTIONS]


def resolve(names: str | Iterable[str]) -> list[str]:
    """Check names, spell out ``all`` and drop repetitions, in the order of `all_names`.

    Examples
    --------
    >>> resolve(["gamma", "reuters-full"])
    ['reuters-full', 'gamma']
    """
    chosen = {names} if isinstance(names, str) else set(names)
    if "all" in chosen:
        chosen = chosen - {"all"} | set(all_names())
    unknown = sorted(chosen - set(all_names()))
    if unknown:
        raise ValueError(
            f"there is no experiment {unknown[0]!r}; choose from {', '.join(all_names())} or all"
        )
    return [name for name in all_names() if name in chosen]


def _reproduce_tables(rows: Sequence[str], options: Options, console: Console) -> Outcome:
    names = options.methods or PAPER_METHODS + EXTRA_METHODS
    methods = list(dict.fromkeys(map(stored_name, names)))
    runs = run_experiments(rows, options, methods)
    categories = runs.categories()
    if categories.is_empty():
        return runs.outcome
    line = runs.signature()
    table = beside_published(categories, comparable=options.comparable)
    means = intervals(categories, seed=options.seed)
    compared = comparisons(categories)
    tables = {
        "tables": table,
        "categories": categories,
        "averages": means,
        "comparisons": compared,
        "datasets": runs.dataset_table(rows),
    }
    write_tables(options.out, tables)
    write_text(paper_markdown(table, line), options.out / "tables.md")
    write_text(latex(table, line), options.out / "tables.tex")
    write_text(extra_markdown(means, compared, line), options.out / "extra.md")
    write_text(line + "\n", options.out / "signature.txt")
    if not options.quiet:
        print_tables(table, console, line)
        print_extra(means, compared, console)
        print_summary(table, console)
    return runs.outcome


# What can be reproduced besides the rows of the SVM tables.
_OTHER_REPRODUCTIONS: Final[dict[str, Reproduction]] = {
    "gamma": reproduce_gamma,
    "variants": reproduce_variants,
    "rare": reproduce_rare,
    "lstm": reproduce_lstm,
    "vocabulary": reproduce_vocabulary,
}
