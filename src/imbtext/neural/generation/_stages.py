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
from imbtext.neural.generation._language_model import generator_for

Log = list[dict[str, float]]
Parts = Mapping[str, nn.Module | torch.optim.Optimizer]

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
class Stage:
    """One stage of training: its randomness, the file of its state, and who hears of each step.

    Without a path no state is kept; `key` is a digest of all that the result depends on.
    """

    seed: int
    number: int
    path: Path | None = None
    key: str = ""
    advance: Callable[[int], None] = lambda _: None
    _saved_at: float = field(default_factory=time.monotonic)

    def generator(self, *key: int) -> torch.Generator:
        """Return a generator of its own for a step of the stage."""
        return generator_for(self.seed, self.number, *key)

    def carry_on(
        self,
        parts: Parts,
        n: int,
        train: Callable[[int, Log], dict[str, float]],
        enough: Callable[[Log], bool] = lambda _: False,
    ) -> Log:
        """Call `train` `n` times, or on to there from the stored state; return its records.

        `parts` is all that the training changes. `train` is given the number of the step, from 0,
        and the log so far; `enough` says of the log whether it is time to stop.
        """
        log = self._restored(parts)
        done = len(log)
        for step in range(done, n):
            if enough(log):
                break
            log.append(train(step, log))
            if time.monotonic() - self._saved_at >= SECONDS_BETWEEN:
                self.save(log, parts)
            self.advance(1)
        if len(log) > done:
            self.save(log, parts)
        return log

    def save(self, log: Log, parts: Parts) -> None:
        """Write the state."""
        if self.path is None:
            return
        arrays: dict[str, NDArray[Any]] = {
            f"{name}/{place}": value.detach().cpu().numpy()
            for name, part in parts.items()
            for place, value in _tensors(part).items()
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_archive(self.path, _KIND, _VERSION, {"key": self.key, "log": log}, arrays)
        self._saved_at = time.monotonic()

    def _restored(self, parts: Parts) -> Log:
        """Put the stored state into place; return the log of the steps done."""
        if self.path is None or not self.path.exists():
            return []
        about, arrays = read_archive(
            self.path, _KIND, _VERSION, lambda about, arrays: (about, arrays)
        )
        if about["key"] != self.key:
            raise ValueError(
                f"{self.path} belongs to another training: other documents, parameters or seed; "
                "remove it, or name another folder"
            )
        for name, part in parts.items():
            stored = {
                place.removeprefix(f"{name}/"): torch.from_numpy(array)
                for place, array in arrays.items()
                if place.startswith(f"{name}/")
            }
            if isinstance(part, nn.Module):
                part.load_state_dict(stored)
            else:
                _restore_optimiser(part, stored)
        log: Log = about["log"]
        return log


def _tensors(part: nn.Module | torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return weights by name, an optimiser's memory by parameter and name (``0.exp_avg``)."""
    if isinstance(part, nn.Module):
        return part.state_dict()
    state = part.state_dict()["state"]
    return {f"{i}.{name}": value for i, memory in state.items() for name, value in memory.items()}


def _restore_optimiser(optimiser: torch.optim.Optimizer, flat: dict[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in flat.items():
        number, _, what = name.partition(".")
        state.setdefault(int(number), {})[what] = value
    optimiser.load_state_dict({**optimiser.state_dict(), "state": state})
