"""``imbtext reproduce rare``: what the rare classifier gives where the paper's methods were run."""

import polars as pl
from rich.console import Console

from imbtext._files import write_text
from imbtext.datasets import load_stopwords
from imbtext.evaluation.signature import signature
from imbtext.reproduction.experiments import EXPERIMENTS, RATIOS
from imbtext.reproduction.options import Options
from imbtext.reproduction.rare import rare_table
from imbtext.reproduction.rare.rankings import RARE_METHODS, RarePlan, run_rare
from imbtext.reproduction.runs import Runs
from imbtext.reproduction.splits import preprocess, raw_splits
from imbtext.reproduction.text_tables import write_csv
from imbtext.reproduction.units import Outcome

_BASELINES = (*rare_table.BASELINES, "emco(0.1)", "emco(1)")


def reproduce_rare(options: Options, console: Console) -> Outcome:
    """Run the classifier and what it is compared with on all splits; write the tables.

    They go as ``rare.csv`` (averages, intervals, the best published cells),
    ``rare_categories.csv``, ``rare_comparisons.csv`` and ``rare.md``. ``options.methods`` is not
    used.
    """
    ratios = options.ratios or RATIOS
    runs = Runs()
    stopwords = sorted(load_stopwords(data_home=options.data_home))
    for name, experiment in EXPERIMENTS.items():
        raw, checksum = raw_splits(experiment, options.data_home)
        as_text = list(raw)
        splits = [preprocess(split, stopwords) for split in as_text]
        runs.run(name, options, _BASELINES, ratios, splits, checksum)
        plan = RarePlan(experiment, ratios, options.seed, options.categories)
        fits = [
            plan.units(fold, split, method)
            for fold, split in enumerate(splits)
            for method in RARE_METHODS
        ]
        runs.outcome += run_rare(
            as_text, fits, stopwords, options.store_path, options.pool, quiet=options.quiet
        )
        runs.keys += [key for fit in fits for key in fit]
    categories = runs.categories(options, ratios)
    if not categories.is_empty():
        _write(categories, runs.checksums, options, console)
    return runs.outcome


def _write(
    categories: pl.DataFrame, checksums: dict[str, str], options: Options, console: Console
) -> None:
    table = rare_table.rare_table(categories, options.seed, comparable=options.comparable)
    compared = rare_table.rare_comparisons(categories)
    ratios = ",".join(f"{ratio:g}" for ratio in options.ratios or RATIOS)
    line = signature({"seed": options.seed, "ratios": ratios}, checksums)
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
