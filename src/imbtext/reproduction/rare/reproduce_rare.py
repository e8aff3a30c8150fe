"""``imbtext reproduce rare``: what the rare classifier gives where the paper's methods were run."""

import polars as pl
from rich.console import Console

from imbtext._files import write_text
from imbtext.datasets import load_stopwords
from imbtext.evaluation.signature import signature
from imbtext.evaluation.store import Store, UnitKey
from imbtext.reproduction import averages
from imbtext.reproduction.experiments import EXPERIMENTS, RATIOS
from imbtext.reproduction.options import Options
from imbtext.reproduction.rare import rare_table
from imbtext.reproduction.rare.rankings import RARE_METHODS, RarePlan, run_rare
from imbtext.reproduction.result_files import write_csv
from imbtext.reproduction.splits import preprocess, raw_splits
from imbtext.reproduction.units import ExperimentPlan, Outcome, run_units

_BASELINES = (*rare_table.BASELINES, "emco(0.1)", "emco(1)")


def reproduce_rare(options: Options, console: Console) -> Outcome:
    """Run the classifier and what it is compared with on all splits; write the tables.

    They go as ``rare.csv`` (averages, intervals, the best published cells),
    ``rare_categories.csv``, ``rare_comparisons.csv`` and ``rare.md``. ``options.methods`` is not
    used.
    """
    ratios = options.ratios or RATIOS
    outcome = Outcome()
    keys: list[UnitKey] = []
    shares: dict[tuple[str, str], float] = {}
    checksums: dict[str, str] = {}
    stopwords = sorted(load_stopwords(data_home=options.data_home))
    for name, experiment in EXPERIMENTS.items():
        raw, checksum = raw_splits(experiment, options.data_home)
        as_text = list(raw)
        splits = [preprocess(split, stopwords) for split in as_text]
        baselines = ExperimentPlan(
            experiment, _BASELINES, ratios, options.seed, options.repetitions, options.categories
        )
        compared = [baselines.units(fold, split) for fold, split in enumerate(splits)]
        outcome += run_units(
            splits, compared, options.store_path, options.pool, quiet=options.quiet, label=name
        )
        plan = RarePlan(experiment, ratios, options.seed, options.categories)
        ours = [
            (fold, units)
            for fold, split in enumerate(splits)
            for method in RARE_METHODS
            if (units := plan.units(fold, split, method))
        ]
        outcome += run_rare(
            as_text, ours, stopwords, options.store_path, options.pool, quiet=options.quiet
        )
        keys += [key for units in compared for key in units] + [k for _, unit in ours for k in unit]
        shares |= {(name, c): splits[0].share(c) for c in splits[0].categories}
        checksums[experiment.dataset.removesuffix("-5fold")] = checksum
    _write(keys, shares, checksums, options, console)
    return outcome


def _write(
    keys: list[UnitKey],
    shares: dict[tuple[str, str], float],
    checksums: dict[str, str],
    options: Options,
    console: Console,
) -> None:
    ratios = options.ratios or RATIOS
    with Store(options.store_path) as store:
        units = averages.only(store.frame(), keys)
    if units.is_empty():
        return
    categories = averages.category_scores(units, shares, ratios)
    table = rare_table.rare_table(categories, options.seed, comparable=options.comparable)
    compared = rare_table.rare_comparisons(categories)
    line = signature(
        {"seed": options.seed, "ratios": ",".join(f"{ratio:g}" for ratio in ratios)}, checksums
    )
    write_csv(table, options.out / "rare.csv")
    write_csv(
        categories.filter(pl.col("method").is_in(RARE_METHODS)),
        options.out / "rare_categories.csv",
    )
    write_csv(compared, options.out / "rare_comparisons.csv")
    write_text(rare_table.rare_markdown(table, compared, line), options.out / "rare.md")
    if not options.quiet:
        for said in rare_table.rare_summary(table, compared):
            console.print(said, highlight=False, soft_wrap=True)
        console.print(line, style="dim", highlight=False, soft_wrap=True)
