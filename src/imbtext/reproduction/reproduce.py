"""The paper from one call: run the experiments, then write every table and figure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Final

import polars as pl
from polars import selectors
from rich.console import Console

from imbtext._files import written_whole
from imbtext.evaluation.signature import signature
from imbtext.evaluation.store import Store, UnitKey
from imbtext.methods import get_method
from imbtext.reproduction import rendering, tables
from imbtext.reproduction.dataset_table import dataset_table
from imbtext.reproduction.extra_tables import extra_markdown, print_extra
from imbtext.reproduction.gamma_figure import gamma_data, write_gamma_figure
from imbtext.reproduction.protocol import (
    EXPERIMENTS,
    EXTRA_METHODS,
    GAMMA_METHODS,
    GAMMA_RATIO,
    METHODS,
    RATIOS,
)
from imbtext.reproduction.runner import Outcome, Plan, run_units
from imbtext.reproduction.splits import prepare

# Experiments besides the SVM tables, as "module:function"; imported only when asked for. The
# function takes Options and a Console and returns an Outcome.
OTHERS: Final[dict[str, str]] = {
    "lstm": "imbtext.reproduction.lstm.reproduction:reproduce_lstm",
    "vocabulary": "imbtext.reproduction.vocabulary.experiment:reproduce_vocabulary",
}

GAMMA: Final = "gamma"
_GAMMA_EXPERIMENTS: Final = ("reuters-titles", "reuters-full")


@dataclass(frozen=True)
class Options:
    """What a run is asked to do.

    Attributes
    ----------
    out : Path
        The folder of the store and of all tables; it is created.
    ratios, methods, categories, repetitions : optional
        None is what the paper did.
    jobs : int
        Number of processes.
    seed : int
        Owns all randomness.
    quiet : bool
        No progress and no tables on the terminal.
    data_home : Path, optional
        Where the data sets are, see `imbtext.datasets`.
    embedding : Path, optional
        Word vectors for the LSTM; None is GloVe.
    device : str
        Where the LSTM is trained.
    """

    out: Path
    ratios: tuple[float, ...] | None = None
    methods: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    repetitions: int | None = None
    jobs: int = 1
    seed: int = 42
    quiet: bool = False
    data_home: Path | None = None
    embedding: Path | None = None
    device: str = "auto"


Reproduction = Callable[[Options, Console], Outcome]


def names() -> list[str]:
    """Return everything that can be reproduced, ``all`` aside.

    Examples
    --------
    >>> "reuters-titles" in names()
    True
    """
    return [*EXPERIMENTS, GAMMA, *OTHERS]


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


@dataclass
class _Gathered:
    """What the runs of several experiments leave for the tables."""

    outcome: Outcome = field(default_factory=Outcome)
    keys: list[UnitKey] = field(default_factory=list)
    shares: dict[tuple[str, str], float] = field(default_factory=dict)
    checksums: dict[str, str] = field(default_factory=dict)


def reproduce(wanted: Iterable[str], options: Options, console: Console) -> Outcome:
    """Run the named experiments and write their tables into ``options.out``.

    Tables hold what was asked for; units of other experiments in the same folder stay in the store
    and are found again when their names are given.

    Returns
    -------
    Outcome
        How many units were computed, found in the store, and failed.
    """
    chosen = resolve(wanted)
    if not chosen:
        raise ValueError(f"name what to reproduce: {', '.join(names())} or all")
    _check(options)
    options.out.mkdir(parents=True, exist_ok=True)
    outcome = Outcome()
    rows = [name for name in chosen if name in EXPERIMENTS]
    if rows:
        outcome += _reproduce_tables(rows, options, console)
    if GAMMA in chosen:
        outcome += _reproduce_gamma(options, console)
    for name in chosen:
        if name in OTHERS:
            module, function = OTHERS[name].split(":")
            run: Reproduction = getattr(import_module(module), function)
            outcome += run(options, console)
    return outcome


def _check(options: Options) -> None:
    for method in options.methods or ():
        get_method(method)
    for ratio in options.ratios or ():
        if not 0 < ratio < 1:
            raise ValueError(f"the ratio is {ratio}; it must lie between 0 and 1, such as 0.2")
    if options.repetitions is not None and options.repetitions < 1:
        raise ValueError(f"repetitions is {options.repetitions}; it must be 1 or more")
    if options.jobs == 0 or options.jobs < -1:
        raise ValueError(f"jobs is {options.jobs}; give a number of processes, or -1 for all cores")


def _run(
    experiments: Sequence[str],
    options: Options,
    methods: tuple[str, ...],
    ratios: tuple[float, ...],
) -> _Gathered:
    gathered = _Gathered()
    for name in experiments:
        experiment = EXPERIMENTS[name]
        splits, checksum = prepare(experiment, options.data_home)
        plan = Plan(
            experiment, methods, ratios, options.seed, options.repetitions, options.categories
        )
        units = [plan.units(fold, split) for fold, split in enumerate(splits)]
        gathered.outcome += run_units(
            splits,
            units,
            options.out / "units.sqlite",
            jobs=options.jobs,
            quiet=options.quiet,
            label=name,
        )
        gathered.keys += [key for keys in units for key in keys]
        gathered.checksums[experiment.dataset.removesuffix("-5fold")] = checksum
        gathered.shares |= {(name, c): splits[0].share(c) for c in splits[0].categories}
    return gathered


def _categories(gathered: _Gathered, options: Options, ratios: tuple[float, ...]) -> pl.DataFrame:
    with Store(options.out / "units.sqlite") as store:
        units = store.frame()
    if units.is_empty():
        return units
    return tables.category_scores(tables.only(units, gathered.keys), gathered.shares, ratios)


def _signature(gathered: _Gathered, options: Options, ratios: tuple[float, ...]) -> str:
    settings = {
        "seed": options.seed,
        "ratios": ",".join(f"{ratio:g}" for ratio in ratios),
        "repetitions": options.repetitions or "paper",
        "categories": ",".join(options.categories) if options.categories else "paper",
    }
    return signature(settings, gathered.checksums)


def _reproduce_tables(rows: Sequence[str], options: Options, console: Console) -> Outcome:
    methods = options.methods or METHODS + EXTRA_METHODS
    ratios = options.ratios or RATIOS
    gathered = _run(rows, options, methods, ratios)
    categories = _categories(gathered, options, ratios)
    if categories.is_empty():
        return gathered.outcome
    line = _signature(gathered, options, ratios)
    table = tables.beside_published(categories)
    averages = tables.intervals(categories, seed=options.seed)
    _write_csv(table, options.out / "tables.csv")
    _write_csv(categories, options.out / "categories.csv")
    _write_csv(averages, options.out / "averages.csv")
    compared = tables.comparisons(categories)
    if not compared.is_empty():
        _write_csv(compared, options.out / "comparisons.csv")
    described = dataset_table(
        {EXPERIMENTS[name].dataset.removesuffix("-5fold") for name in rows}, options.data_home
    )
    _write_csv(described, options.out / "datasets.csv")
    _write_text(rendering.markdown(table, line), options.out / "tables.md")
    _write_text(rendering.latex(table, line), options.out / "tables.tex")
    _write_text(extra_markdown(averages, compared, line), options.out / "extra.md")
    _write_text(line + "\n", options.out / "signature.txt")
    if not options.quiet:
        rendering.print_tables(table, console, line)
        print_extra(averages, compared, console)
        rendering.print_summary(table, console)
    return gathered.outcome


def _reproduce_gamma(options: Options, console: Console) -> Outcome:
    ratios = (GAMMA_RATIO,)
    # The units are those of the tables: what they computed is found, only gamma 0.01 is added.
    gathered = _run(_GAMMA_EXPERIMENTS, replace(options, ratios=ratios), GAMMA_METHODS, ratios)
    categories = _categories(gathered, options, ratios)
    if not categories.is_empty():
        data = gamma_data(categories, GAMMA_RATIO)
        for path in write_gamma_figure(data, options.out):
            if not options.quiet:
                console.print(f"wrote {path}", highlight=False)
    return gathered.outcome


def _write_csv(frame: pl.DataFrame, path: Path) -> None:
    with written_whole(path) as partial:
        frame.with_columns(selectors.float().round_sig_figs(6)).write_csv(partial)


def _write_text(text: str, path: Path) -> None:
    with written_whole(path) as partial:
        partial.write_text(text, encoding="utf-8")
