"""Training that survives a kill: the whole state of a stage in one file, written whole.

A file carries the key of its stage: a digest of everything that determines the result. Since every
step draws from a generator keyed by its number, a stage that continues ends as one that never
stopped.
"""

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from imbtext._archive import read_archive, write_archive

Log = list[dict[str, float]]
Advance = Callable[[int], None]

SECONDS_BETWEEN = 5.0
_KIND, _VERSION = "checkpoint of a generator", 1


def digest(*parts: Any) -> str:
    """Return a digest of numbers, texts and arrays.

    Examples
    --------
    >>> digest("oil", 3) == digest("oil", 3), digest("oil", 3) == digest("oil", 4)
    (True, False)
    """
    sum_ = hashlib.blake2b(digest_size=12)
    for part in parts:
        if isinstance(part, np.ndarray):
            sum_.update(repr((part.shape, part.dtype.str)).encode())
            sum_.update(np.ascontiguousarray(part).tobytes())
        else:
            sum_.update(repr(part).encode())
    return sum_.hexdigest()


@dataclass
class Checkpoint:
    """Where one stage of training keeps its state; without a path it keeps none.

    Parameters
    ----------
    path : Path or None
        The file.
    key : str
        What the stage's result depends on, as a digest.
    """

    path: Path | None
    key: str
    _saved_at: float = field(default_factory=time.monotonic, repr=False)

    def carry_on(
        self,
        networks: Mapping[str, nn.Module],
        optimisers: Mapping[str, torch.optim.Optimizer],
        n: int,
        train: Callable[[int, Log], dict[str, float]],
        *,
        enough: Callable[[Log], bool] = lambda _: False,
        advance: Advance | None = None,
    ) -> Log:
        """Train `n` times, or on to there from the stored state; return a record of each.

        Parameters
        ----------
        networks, optimisers : mappings
            All that the training changes.
        n : int
            How often `train` is called, at most.
        train : callable
            From the number of the step, from 0, and the log so far to the record of the step.
        enough : callable
            From the log to whether it is time to stop.
        advance : callable, optional
            Told of every step.
        """
        done, log = self.restore(networks, optimisers)
        for step in range(done, n):
            if enough(log):
                break
            log.append(train(step, log))
            self.save(len(log), log, networks, optimisers)
            if advance is not None:
                advance(1)
        if len(log) > done:
            self.save(len(log), log, networks, optimisers, last=True)
        return log

    def restore(
        self, networks: Mapping[str, nn.Module], optimisers: Mapping[str, torch.optim.Optimizer]
    ) -> tuple[int, Log]:
        """Put the stored state into place; return the steps done and their log."""
        if self.path is None or not self.path.exists():
            return 0, []
        about, arrays = read_archive(
            self.path, _KIND, _VERSION, lambda about, arrays: (about, arrays)
        )
        if about["key"] != self.key:
            raise ValueError(
                f"{self.path} belongs to another training: other documents, parameters or seed; "
                "remove it, or name another folder"
            )
        for name, network in networks.items():
            network.load_state_dict(_tensors(arrays, f"{name}/"))
        for name, optimiser in optimisers.items():
            _restore_optimiser(optimiser, _tensors(arrays, f"{name}/"))
        return about["step"], about["log"]

    def save(
        self,
        step: int,
        log: Log,
        networks: Mapping[str, nn.Module],
        optimisers: Mapping[str, torch.optim.Optimizer],
        *,
        last: bool = False,
    ) -> None:
        """Write the state, at most every few seconds, and at the end of the stage."""
        if self.path is None or (not last and time.monotonic() - self._saved_at < SECONDS_BETWEEN):
            return
        arrays: dict[str, NDArray[Any]] = {}
        for name, network in networks.items():
            arrays |= _arrays(network.state_dict(), f"{name}/")
        for name, optimiser in optimisers.items():
            arrays |= _arrays(_memory(optimiser), f"{name}/")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        about = {"key": self.key, "step": step, "log": log}
        write_archive(self.path, _KIND, _VERSION, about, arrays)
        self._saved_at = time.monotonic()


def _arrays(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, NDArray[Any]]:
    return {prefix + name: value.detach().cpu().numpy() for name, value in tensors.items()}


def _tensors(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): torch.from_numpy(array)
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _memory(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return the optimiser's memory by parameter number and name, such as ``0.exp_avg``."""
    state = optimiser.state_dict()["state"]
    return {f"{i}.{name}": value for i, memory in state.items() for name, value in memory.items()}


def _restore_optimiser(optimiser: torch.optim.Optimizer, flat: dict[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in flat.items():
        number, _, what = name.partition(".")
        state.setdefault(int(number), {})[what] = value
    optimiser.load_state_dict({**optimiser.state_dict(), "state": state})
