"""The paper from one call: run the experiments, then write every table and figure."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from rich.console import Console

from imbtext._files import write_text
from imbtext.reproduction import averages, paper_tables
from imbtext.reproduction.dataset_table import dataset_table, describe_whole, described_dataset
from imbtext.reproduction.experiments import (
    EXPERIMENTS,
    EXTRA_METHODS,
    GAMMA_EXPERIMENTS,
    GAMMA_METHODS,
    GAMMA_RATIO,
    PAPER_METHODS,
    RATIOS,
)
from imbtext.reproduction.extra_tables import extra_markdown, print_extra
from imbtext.reproduction.gamma_figure import gamma_data, write_gamma_figure
from imbtext.reproduction.lstm.reproduce_lstm import reproduce_lstm
from imbtext.reproduction.options import Options
from imbtext.reproduction.rare.reproduce_rare import reproduce_rare
from imbtext.reproduction.runs import run_experiments
from imbtext.reproduction.text_tables import write_csv
from imbtext.reproduction.units import Outcome
from imbtext.reproduction.variants import (
    VARIANT_EXPERIMENTS,
    VARIANT_METHODS,
    VARIANTS,
    variant_tests,
    variants_markdown,
    variants_summary,
)
from imbtext.reproduction.vocabulary.reproduce_vocabulary import reproduce_vocabulary

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
    ratios = options.ratios or RATIOS
    runs = run_experiments(rows, options, options.methods or PAPER_METHODS + EXTRA_METHODS, ratios)
    categories = runs.categories(options, ratios)
    if categories.is_empty():
        return runs.outcome
    for name in rows:
        described = described_dataset(EXPERIMENTS[name])
        if described not in runs.described:
            runs.described[described] = describe_whole(EXPERIMENTS[name], options.data_home)
    line = runs.signature(options, ratios)
    table = averages.beside_published(categories, comparable=options.comparable)
    means = averages.intervals(categories, seed=options.seed)
    compared = averages.comparisons(categories)
    write_csv(table, options.out / "tables.csv")
    write_csv(categories, options.out / "categories.csv")
    write_csv(means, options.out / "averages.csv")
    write_csv(compared, options.out / "comparisons.csv")
    write_csv(dataset_table(runs.described), options.out / "datasets.csv")
    write_text(paper_tables.paper_markdown(table, line), options.out / "tables.md")
    write_text(paper_tables.latex(table, line), options.out / "tables.tex")
    write_text(extra_markdown(means, compared, line), options.out / "extra.md")
    write_text(line + "\n", options.out / "signature.txt")
    if not options.quiet:
        paper_tables.print_tables(table, console, line)
        print_extra(means, compared, console)
        paper_tables.print_summary(table, console)
    return runs.outcome


def _reproduce_gamma(options: Options, console: Console) -> Outcome:
    # The units are those of the tables: what they computed is found, only gamma 0.01 is added.
    runs = run_experiments(GAMMA_EXPERIMENTS, options, GAMMA_METHODS, (GAMMA_RATIO,))
    categories = runs.categories(options, (GAMMA_RATIO,))
    if not categories.is_empty():
        for path in write_gamma_figure(gamma_data(categories, GAMMA_RATIO), options.out):
            if not options.quiet:
                console.print(f"wrote {path}", highlight=False)
    return runs.outcome


def _reproduce_variants(options: Options, console: Console) -> Outcome:
    ratios = options.ratios or RATIOS
    runs = run_experiments(VARIANT_EXPERIMENTS, options, VARIANT_METHODS, ratios)
    categories = runs.categories(options, ratios)
    if categories.is_empty():
        return runs.outcome
    means = averages.intervals(categories, seed=options.seed)
    compared = variant_tests(averages.comparisons(categories))
    line = runs.signature(options, ratios)
    write_csv(means, options.out / "variants.csv")
    own = categories.filter(categories["method"].is_in(list(VARIANTS)))
    write_csv(own, options.out / "variants_categories.csv")
    write_csv(compared, options.out / "variants_comparisons.csv")
    write_text(variants_markdown(means, compared, line), options.out / "variants.md")
    if not options.quiet:
        for said in variants_summary(means, compared):
            console.print(said, highlight=False, soft_wrap=True)
    return runs.outcome


# What there is besides the rows of the SVM tables.
_BESIDES: Final[dict[str, Reproduction]] = {
    "gamma": _reproduce_gamma,
    "variants": _reproduce_variants,
    "rare": reproduce_rare,
    "lstm": reproduce_lstm,
    "vocabulary": reproduce_vocabulary,
}
