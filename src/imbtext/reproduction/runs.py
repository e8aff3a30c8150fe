"""Running whole experiments, and what their runs leave for the tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import polars as pl

from imbtext.evaluation.signature import signature
from imbtext.evaluation.store import Store, UnitKey
from imbtext.reproduction.averages import category_scores, only
from imbtext.reproduction.dataset_table import DatasetDescription, Described, described_dataset
from imbtext.reproduction.experiments import EXPERIMENTS
from imbtext.reproduction.options import Options
from imbtext.reproduction.splits import Split, prepare
from imbtext.reproduction.units import ExperimentPlan, Outcome, run_units


@dataclass
class Runs:
    """What the runs of several experiments leave for the tables."""

    outcome: Outcome = field(default_factory=Outcome)
    keys: list[UnitKey] = field(default_factory=list)
    shares: dict[tuple[str, str], float] = field(default_factory=dict)
    checksums: dict[str, str] = field(default_factory=dict)
    described: Described = field(default_factory=dict)

    def run(
        self,
        name: str,
        options: Options,
        methods: tuple[str, ...],
        ratios: tuple[float, ...],
        splits: Sequence[Split],
        checksum: str,
    ) -> None:
        """Compute the units of an experiment that the store lacks."""
        experiment = EXPERIMENTS[name]
        plan = ExperimentPlan(
            experiment, methods, ratios, options.seed, options.repetitions, options.categories
        )
        units = [key for fold, split in enumerate(splits) for key in plan.units(fold, split)]
        self.outcome += run_units(
            splits, units, options.store_path, options.pool, quiet=options.quiet, label=name
        )
        self.keys += units
        self.shares |= {(name, c): splits[0].share(c) for c in splits[0].categories}
        dataset, text = described_dataset(experiment)
        self.checksums[dataset] = checksum
        if len(splits) == 1:
            self.described[dataset, text] = DatasetDescription.of(splits[0])

    def categories(self, options: Options, ratios: tuple[float, ...]) -> pl.DataFrame:
        """Return the finished units of these runs, averaged by category."""
        with Store(options.store_path) as store:
            units = only(store.frame(), self.keys)
        return units if units.is_empty() else category_scores(units, self.shares, ratios)

    def signature(self, options: Options, ratios: tuple[float, ...]) -> str:
        """Return the line that goes under the tables."""
        settings = {
            "seed": options.seed,
            "ratios": ",".join(f"{ratio:g}" for ratio in ratios),
            "repetitions": options.repetitions or "paper",
            "categories": ",".join(options.categories) if options.categories else "paper",
        }
        return signature(settings, self.checksums)


def run_experiments(
    names: Iterable[str], options: Options, methods: tuple[str, ...], ratios: tuple[float, ...]
) -> Runs:
    """Run experiments one after the other."""
    runs = Runs()
    for name in names:
        splits, checksum = prepare(EXPERIMENTS[name], options.data_home)
        runs.run(name, options, methods, ratios, splits, checksum)
    return runs
