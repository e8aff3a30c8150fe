"""The paper's LSTM table: the plain network, EDA and EMCO in front of it, on Reuters headlines.

A unit is one network: a category, a method, a ratio and a repetition. Networks of one method, ratio
and repetition train side by side in groups, and a group is stored the moment it is finished. A
network's random numbers follow from its unit alone, and on the CPU the groups are the same for any
number of processes, so the table is too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext.evaluation.metrics import binary_scores
from imbtext.evaluation.pool import ProcessPool
from imbtext.evaluation.store import UnitKey
from imbtext.neural._device import choose_device, one_thread
from imbtext.reproduction.experiments import RATIOS, chosen_categories, is_oversampled
from imbtext.reproduction.lstm.headlines import LSTM_METHODS, LSTMData
from imbtext.reproduction.units import Outcome, digest, run_tasks, unit_seed

LSTM_EXPERIMENT: Final = "reuters-titles-lstm"
LSTM_REPETITIONS: Final = 5
# Raised when the numbers change, so that stored units are computed anew.
REVISION: Final = 1
# So many networks keep one core busy and their numbers in its cache; a GPU takes all at once.
_GROUP_ON_CPU: Final = 22


@dataclass(frozen=True)
class LSTMPlan:
    """What to run of the LSTM experiment."""

    ratios: tuple[float, ...] = RATIOS
    repetitions: int = LSTM_REPETITIONS
    seed: int = 42
    categories: tuple[str, ...] | None = None
    methods: tuple[str, ...] = LSTM_METHODS

    def units(self, data: LSTMData) -> list[list[UnitKey]]:
        """List the units in the groups that may train side by side: one setting each."""
        fingerprint = data.fingerprint()
        settings = [(m, r) for r in self.ratios for m in self.methods if m != "lstm"]
        if "lstm" in self.methods:
            settings.insert(0, ("lstm", 0.0))
        return [
            [
                UnitKey(
                    LSTM_EXPERIMENT,
                    0,
                    category,
                    ratio,
                    method,
                    repetition,
                    self.seed,
                    digest(fingerprint, REVISION, method),
                )
                for category in self.selected(data, ratio or max(self.ratios))
            ]
            for repetition in range(self.repetitions)
            for method, ratio in settings
        ]

    def selected(self, data: LSTMData, ratio: float) -> list[str]:
        """Return the wanted categories that are minority classes at the ratio."""
        shares = dict(zip(data.categories, data.shares.tolist(), strict=True))
        return [
            category
            for category in chosen_categories(self.categories, data.categories, LSTM_EXPERIMENT)
            if shares[category] > 0 and is_oversampled(shares[category], ratio)
        ]


def run_lstm(
    data: LSTMData,
    plan: LSTMPlan,
    store_path: Path,
    *,
    device: str = "auto",
    jobs: int = 1,
    quiet: bool = False,
) -> Outcome:
    """Train the networks that the store lacks, side by side in groups, and store their scores.

    `device` is a torch device ("auto" takes a GPU where there is one), `jobs` the number of
    processes on the CPU.
    """
    where = choose_device(device)
    on_cpu = where == "cpu"
    size = _GROUP_ON_CPU if on_cpu else len(data.categories)
    # A group with a unit missing is trained whole: its networks are then what they always are.
    tasks = [
        [setting[start : start + size]]
        for setting in plan.units(data)
        for start in range(0, len(setting), size)
    ]
    pool = ProcessPool(jobs if on_cpu else 1)
    return run_tasks(
        _group_scores, tasks, (data, where), store_path, pool, quiet=quiet, label="lstm"
    )


def _group_scores(shared: tuple[LSTMData, str], keys: Sequence[UnitKey]) -> list[dict[str, float]]:
    data, device = shared
    with one_thread(device):
        probabilities = group_probabilities(data, keys, device)
    return [unit_scores(data, key, row) for key, row in zip(keys, probabilities, strict=True)]


def group_inputs(
    data: LSTMData, keys: Sequence[UnitKey]
) -> tuple[NDArray[np.bool_], list[NDArray[np.int32]], list[int]]:
    """Return what the networks of a group do not share: labels, synthetic documents, seeds."""
    columns = [data.categories.index(key.category) for key in keys]
    seeds = [unit_seed(key) for key in keys]
    synthetic = [
        data.synthetic(key.method, column, key.ratio, seed)
        for key, column, seed in zip(keys, columns, seeds, strict=True)
    ]
    return data.train_labels[:, columns], synthetic, seeds


def group_probabilities(
    data: LSTMData,
    keys: Sequence[UnitKey],
    device: str,
) -> NDArray[np.float32]:
    """Train the networks of a group and return their probabilities for the test documents."""
    from imbtext.neural._batched import predict_side_by_side

    positive, synthetic, seeds = group_inputs(data, keys)
    return predict_side_by_side(
        data.original,
        positive,
        synthetic,
        data.test_rows,
        data.embedding.matrix(),
        seeds,
        device=device,
    )


def unit_scores(data: LSTMData, key: UnitKey, probability: NDArray[np.float32]) -> dict[str, float]:
    """Score one network's probabilities; a document belongs where its probability is above 0.5."""
    true = data.test_labels[:, data.categories.index(key.category)]
    return binary_scores(true, probability > 0.5, probability)
