"""The paper's LSTM table: the plain network, EDA and EMCO in front of it, on Reuters headlines.

A unit is one network: a category, a method, a ratio and a repetition. Networks of one method, ratio
and repetition train side by side in groups, and a group is stored the moment it is finished. A
network's random numbers follow from its unit alone, and on the CPU the groups are the same for any
number of processes, so the table is too.
"""

import hashlib
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext._progress import progress_bar
from imbtext.evaluation.metrics import binary_scores
from imbtext.evaluation.pool import ProcessPool
from imbtext.evaluation.store import Store, UnitKey
from imbtext.neural._device import choose_device
from imbtext.reproduction.experiments import RATIOS, is_oversampled
from imbtext.reproduction.lstm.headlines import LSTM_METHODS, LSTMData
from imbtext.reproduction.units import Outcome, unit_seed

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
                    _network_digest(fingerprint, method),
                )
                for category in self.selected(data, ratio or max(self.ratios))
            ]
            for repetition in range(self.repetitions)
            for method, ratio in settings
        ]

    def selected(self, data: LSTMData, ratio: float) -> list[str]:
        """Return the wanted categories that are minority classes at the ratio."""
        unknown = sorted(set(self.categories or ()) - set(data.categories))
        if unknown:
            raise ValueError(
                f"there is no category {unknown[0]!r}; choose from {', '.join(data.categories)}"
            )
        return [
            category
            for category, share in zip(data.categories, data.shares.tolist(), strict=True)
            if share > 0
            and is_oversampled(share, ratio)
            and (self.categories is None or category in self.categories)
        ]


def _network_digest(fingerprint: str, method: str) -> str:
    return hashlib.blake2b(
        repr((fingerprint, REVISION, method)).encode(), digest_size=6
    ).hexdigest()


def run_lstm(
    data: LSTMData,
    plan: LSTMPlan,
    store_path: Path,
    *,
    device: str = "auto",
    jobs: int = 1,
    quiet: bool = False,
) -> Outcome:
    """Train the networks that the store lacks, and store their scores.

    Parameters
    ----------
    data : LSTMData
        The documents.
    plan : LSTMPlan
        What to run.
    store_path : Path
        Where finished units are and go.
    device : str, default="auto"
        A torch device; a GPU is used where there is one.
    jobs : int, default=1
        Number of processes on the CPU; -1 takes one per core.
    quiet : bool, default=False
        Show no progress.

    Returns
    -------
    Outcome
        How many units were computed, found in the store, and failed.
    """
    where = choose_device(device)
    on_cpu = where == "cpu"
    size = _GROUP_ON_CPU if on_cpu else len(data.categories)
    groups = [
        setting[start : start + size]
        for setting in plan.units(data)
        for start in range(0, len(setting), size)
    ]
    with Store(store_path) as store:
        done = store.finished()
    # A group with a unit missing is trained whole: its networks are then what they always are.
    todo = [group for group in groups if any(key not in done for key in group)]
    n_units = sum(map(len, groups))
    n_todo = sum(map(len, todo))
    outcome = Outcome(found=n_units - n_todo)
    if not todo:
        return outcome
    pool = ProcessPool(jobs if on_cpu else 1)
    with progress_bar(quiet=quiet) as bar:
        task = bar.add_task("lstm", total=n_todo)
        for _, result in pool.completed(_run_group, todo, shared=(data, store_path, where)):
            outcome += result
            bar.advance(task, result.total)
    return outcome


def _run_group(shared: tuple[LSTMData, Path, str], keys: list[UnitKey]) -> Outcome:
    """Train the networks of one group side by side, predict the test side, score and store."""
    data, store_path, device = shared
    outcome = Outcome()
    start = time.perf_counter()
    with Store(store_path) as store, _one_thread(device):
        try:
            probabilities = group_probabilities(data, keys, device)
        except Exception:
            seconds = (time.perf_counter() - start) / len(keys)
            for key in keys:
                store.add_failure(key, traceback.format_exc(), seconds)
            return Outcome(failed=len(keys))
        seconds = (time.perf_counter() - start) / len(keys)
        for key, probability in zip(keys, probabilities, strict=True):
            added = store.add(key, unit_scores(data, key, probability), seconds)
            outcome += Outcome(computed=int(added), found=int(not added))
    return outcome


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
    advance: Callable[[int], None] | None = None,
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
        advance=advance,
    )


def unit_scores(data: LSTMData, key: UnitKey, probability: NDArray[np.float32]) -> dict[str, float]:
    """Score one network's probabilities; a document belongs where its probability is above 0.5."""
    true = data.test_labels[:, data.categories.index(key.category)]
    return binary_scores(true, probability > 0.5, probability)


@contextmanager
def _one_thread(device: str) -> Iterator[None]:
    """Keep torch to one thread on the CPU: the processes share the cores, and sums stay equal."""
    import torch

    before = torch.get_num_threads()
    if device == "cpu":
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
