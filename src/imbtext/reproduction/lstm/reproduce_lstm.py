"""``imbtext reproduce lstm``: run the experiment, write its table, say which set-up it was."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Final

import polars as pl
from rich.console import Console

from imbtext._extras import require
from imbtext._files import write_text
from imbtext.evaluation.signature import signature
from imbtext.evaluation.store import Store
from imbtext.reproduction.averages import only
from imbtext.reproduction.experiments import RATIOS
from imbtext.reproduction.lstm import lstm_table
from imbtext.reproduction.options import Options
from imbtext.reproduction.text_tables import write_csv
from imbtext.reproduction.units import Outcome

if TYPE_CHECKING:
    from imbtext.reproduction.lstm.headlines import LSTMData

PAPER_EMBEDDING: Final = "wiki-news-300d-1M"


def reproduce_lstm(options: Options, console: Console) -> Outcome:
    """Train the networks that the store lacks and write the LSTM table into ``options.out``.

    It goes as ``lstm.csv`` (averages, intervals, published numbers), ``lstm_categories.csv``,
    ``lstm_comparisons.csv`` and ``lstm.md``.
    """
    require("torch", extra="neural")
    from imbtext.neural._device import choose_device
    from imbtext.reproduction.lstm.headlines import LSTM_METHODS, prepare_lstm
    from imbtext.reproduction.lstm.networks import LSTM_REPETITIONS, LSTMPlan, run_lstm

    wanted = [method for method in LSTM_METHODS if method in (options.methods or LSTM_METHODS)]
    if options.methods and not wanted:
        raise ValueError(
            f"the LSTM experiment has none of the methods {', '.join(options.methods)}; "
            f"choose from {', '.join(LSTM_METHODS[1:])}"
        )
    device = choose_device(options.device)
    data = prepare_lstm(options.embedding, data_home=options.data_home)
    plan = LSTMPlan(
        ratios=options.ratios or RATIOS,
        repetitions=options.repetitions or LSTM_REPETITIONS,
        seed=options.seed,
        categories=options.categories,
        methods=("lstm", *(method for method in wanted if method != "lstm")),
    )
    jobs = options.jobs if isinstance(options.jobs, int) else 1  # networks train on this machine
    outcome = run_lstm(
        data, plan, options.store_path, device=device, jobs=jobs, quiet=options.quiet
    )
    with Store(options.store_path) as store:
        units = only(store.frame(), [key for group in plan.units(data) for key in group])
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
    table = write_lstm_tables(units, data, options, line)
    if not options.quiet:
        lstm_table.print_table(table, console, line, setup(data))
    return outcome


def write_lstm_tables(
    units: pl.DataFrame, data: "LSTMData", options: Options, line: str
) -> pl.DataFrame:
    """Write the tables of finished units into ``options.out``; return the averages."""
    scored = lstm_table.scored_units(units, data)
    table = lstm_table.averages(scored, seed=options.seed, comparable=options.comparable)
    write_csv(table, options.out / "lstm.csv")
    write_csv(lstm_table.category_table(scored), options.out / "lstm_categories.csv")
    write_csv(lstm_table.lstm_comparisons(scored), options.out / "lstm_comparisons.csv")
    write_text(lstm_table.lstm_markdown(table, line, setup(data)), options.out / "lstm.md")
    return table


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
