"""The paper's LSTM table: the plain network, EDA and EMCO in front of it, on Reuters headlines.

A unit is one network: a category, a method, a ratio and a repetition. Networks of one method, ratio
and repetition train side by side in groups, and a group is stored the moment it is finished. A
network's random numbers follow from its unit alone, and on the CPU the groups are the same for any
number of processes, so the table is too.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext.metrics import binary_scores
from imbtext.neural._device import choose_device, one_thread
from imbtext.reproduction.lstm.headlines import LSTM_METHODS, LSTMData
from imbtext.reproduction.options import Options
from imbtext.reproduction.units import Outcome, digest, run_tasks, unit_seed
from imbtext.store import UnitKey

LSTM_EXPERIMENT: Final = "reuters-titles-lstm"
LSTM_REPETITIONS: Final = 5
# Raised when the numbers change, so that stored units are computed anew.
REVISION: Final = 1
# So many networks keep one core busy and their numbers in its cache; a GPU takes all at once.
_GROUP_ON_CPU: Final = 22


def lstm_units(
    data: LSTMData, options: Options, methods: Sequence[str] = LSTM_METHODS
) -> list[list[UnitKey]]:
    """List the units in the groups that may train side by side: one setting each."""
    name, seed, ratios = LSTM_EXPERIMENT, options.seed, options.ratios
    settings = {method: digest(data.fingerprint(), REVISION, method) for method in methods}
    sampled = [(method, ratio) for ratio in ratios for method in methods if method != "lstm"]
    if "lstm" in methods:
        sampled.insert(0, ("lstm", 0.0))
    return [
        [
            UnitKey(name, 0, category, ratio, method, repetition, seed, settings[method])
            for category in data.minority_categories(ratio or max(ratios), options.categories, name)
            if data.share(category) > 0
        ]
        for repetition in range(options.repetitions or LSTM_REPETITIONS)
        for method, ratio in sampled
    ]


def run_lstm(data: LSTMData, groups: Sequence[Sequence[UnitKey]], options: Options) -> Outcome:
    """Train the networks that the store lacks, side by side in groups, and store their scores.

    They train on this machine, over processes where there is no GPU.
    """
    where = choose_device(options.device)
    on_cpu = where == "cpu"
    size = _GROUP_ON_CPU if on_cpu else len(data.categories)
    # A group with a unit missing is trained whole: its networks are then what they always are.
    tasks = [
        [group[start : start + size]] for group in groups for start in range(0, len(group), size)
    ]
    jobs = options.jobs if on_cpu and isinstance(options.jobs, int) else 1
    return run_tasks(_group_scores, tasks, (data, where), replace(options, jobs=jobs), "lstm")


def _group_scores(shared: tuple[LSTMData, str], keys: Sequence[UnitKey]) -> list[dict[str, float]]:
    """Train the networks of a group and score their probabilities for the test documents."""
    from imbtext.neural._batched import predict_side_by_side

    data, device = shared
    vectors = data.embedding.matrix()
    with one_thread(device):
        positive, synthetic, seeds = group_inputs(data, keys)
        probabilities = predict_side_by_side(
            data.original, positive, synthetic, data.test_rows, vectors, seeds, device=device
        )
    return [unit_scores(data, key, row) for key, row in zip(keys, probabilities, strict=True)]


def group_inputs(
    data: LSTMData, keys: Sequence[UnitKey]
) -> tuple[NDArray[np.bool_], list[NDArray[np.int32]], list[int]]:
    """Return what the networks of a group do not share: labels, synthetic documents, seeds."""
    columns = [data.categories.index(key.category) for key in keys]
    seeds = [unit_seed(key) for key in keys]
    synthetic = [
        data.synthetic(key.method, key.category, key.ratio, seed)
        for key, seed in zip(keys, seeds, strict=True)
    ]
    return data.train_labels[:, columns], synthetic, seeds


def unit_scores(data: LSTMData, key: UnitKey, probability: NDArray[np.float32]) -> dict[str, float]:
    """Score one network's probabilities; a document belongs where its probability is above 0.5."""
    return binary_scores(data.test_positive(key.category), probability > 0.5, probability)
