"""``imbtext reproduce lstm``: run the experiment, write its table, say which set-up it was."""

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl
from polars import selectors
from rich.console import Console

from imbtext._extras import require
from imbtext._files import written_whole
from imbtext.evaluation.signature import signature
from imbtext.evaluation.store import Store
from imbtext.reproduction import tables
from imbtext.reproduction.lstm import report as lstm_report
from imbtext.reproduction.protocol import RATIOS
from imbtext.reproduction.runner import Outcome

if TYPE_CHECKING:
    from imbtext.reproduction.lstm.data import LSTMData
    from imbtext.reproduction.reproduce import Options

PAPER_EMBEDDING: Final = "wiki-news-300d-1M"


def reproduce_lstm(options: "Options", console: Console) -> Outcome:
    """Train the networks that the store lacks and write the LSTM table into ``options.out``.

    It goes as ``lstm.csv`` (averages, intervals, published numbers), ``lstm_categories.csv``,
    ``lstm_comparisons.csv`` and ``lstm.md``.
    """
    require("torch", extra="neural")
    from imbtext.neural._device import choose_device
    from imbtext.reproduction.lstm.data import METHODS, prepare_lstm
    from imbtext.reproduction.lstm.experiment import REPETITIONS, LSTMPlan, run_lstm

    wanted = [method for method in METHODS if method in (options.methods or METHODS)]
    if options.methods and not wanted:
        raise ValueError(
            f"the LSTM experiment has none of the methods {', '.join(options.methods)}; "
            f"choose from {', '.join(METHODS[1:])}"
        )
    device = choose_device(options.device)
    data = prepare_lstm(options.embedding, data_home=options.data_home)
    plan = LSTMPlan(
        ratios=options.ratios or RATIOS,
        repetitions=options.repetitions or REPETITIONS,
        seed=options.seed,
        categories=options.categories,
        methods=("lstm", *(method for method in wanted if method != "lstm")),
    )
    store_path = options.out / "units.sqlite"
    outcome = run_lstm(
        data, plan, store_path, device=device, jobs=options.jobs, quiet=options.quiet
    )
    with Store(store_path) as store:
        units = store.frame()
    if units.is_empty():
        return outcome
    units = tables.only(units, [key for group in plan.units(data) for key in group])
    if units.is_empty():
        return outcome
    line = signature(
        {
            # Units found in the store may have been trained elsewhere.
            "torch": version("torch") if outcome.computed else "as-stored",
            "device": device if outcome.computed else "as-stored",
            "seed": plan.seed,
            "ratios": ",".join(f"{ratio:g}" for ratio in plan.ratios),
            "repetitions": plan.repetitions,
            "categories": ",".join(plan.categories) if plan.categories else "paper",
            "embedding": f"{data.embedding.name}({data.embedding.n_dimensions})",
        },
        {"reuters": data.checksum, "lstm": data.fingerprint()},
    )
    write_report(units, data, options.out, line, seed=plan.seed)
    if not options.quiet:
        table = lstm_report.averages(lstm_report.scored_units(units, data), seed=plan.seed)
        lstm_report.print_table(table, console, line, setup(data))
    return outcome


def write_report(
    units: pl.DataFrame, data: "LSTMData", out: Path, line: str, *, seed: int = 0
) -> None:
    """Write the tables of finished units into a folder."""
    scored = lstm_report.scored_units(units, data)
    table = lstm_report.averages(scored, seed=seed)
    frames = {
        "lstm.csv": table,
        "lstm_categories.csv": lstm_report.category_table(scored),
        "lstm_comparisons.csv": lstm_report.comparisons(scored),
    }
    for name, frame in frames.items():
        if not frame.is_empty():
            with written_whole(out / name) as partial:
                frame.with_columns(selectors.float().round_sig_figs(6)).write_csv(partial)
    with written_whole(out / "lstm.md") as partial:
        partial.write_text(lstm_report.markdown(table, line, setup(data)), encoding="utf-8")


def setup(data: "LSTMData") -> str:
    """Say in a sentence whether this was the paper's set-up or ours."""
    name = data.embedding.name
    vectors = f"{name} ({data.embedding.n_dimensions} dimensions)"
    if name == PAPER_EMBEDDING and data.embedding.n_dimensions == 300:
        first = f"The paper's set-up: the word vectors are fastText's {vectors}."
    else:
        first = (
            f"Our set-up, not the paper's: the word vectors are {vectors} where the paper has "
            f"fastText's {PAPER_EMBEDDING} (300 dimensions), so the levels may differ from the "
            "published ones."
        )
    return (
        f"{first} {data.coverage:.1%} of the training tokens have a vector; documents are cut at "
        f"{data.length} words."
    )
