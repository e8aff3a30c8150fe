"""Training that survives a kill: a stage, and the file of its state.

A generator is trained in stages: on all documents, on those of a class, against a discriminator.
Every few seconds, a stage writes its whole state to one file. The file has a key, a digest of
everything that the result depends on, so the state of another training is never used by mistake.
Every step draws from a generator keyed by its number, so a stage that continues from its file ends
exactly like one that never stopped.
"""

import hashlib
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from imbtext.neural._language_model import generator_for
from imbtext.records import Rank, load, save

Log = list[dict[str, float]]
AnyArray = Annotated[NDArray[np.number], Rank(None)]
Parts = Mapping[str, nn.Module | torch.optim.Optimizer]

SECONDS_BETWEEN = 5.0
_KIND, _VERSION = "checkpoint of a generator", 2


def digest(*parts: object) -> str:
    """Return a digest of numbers, texts and arrays.

    Examples
    --------
    >>> digest("oil", 3) == digest("oil", 3), digest("oil", 3) == digest("oil", 4)
    (True, False)
    """
    content = hashlib.blake2b(digest_size=12)
    for part in parts:
        if isinstance(part, np.ndarray):
            content.update(repr((part.shape, part.dtype.str)).encode())
            content.update(np.ascontiguousarray(part).tobytes())
        else:
            content.update(repr(part).encode())
    return content.hexdigest()


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state of a stage: what it depends on, the records of its steps, and its tensors."""

    key: str
    log: tuple[dict[str, float], ...]
    arrays: dict[str, dict[str, AnyArray]]


@dataclass
class TrainingStage:
    """One stage of training: its random numbers, the file of its state, and its progress.

    Attributes
    ----------
    seed, number : int
        All random numbers of the stage follow from these.
    path : Path or None
        The file of its state; None keeps no state.
    key : str
        A digest of everything that the result depends on.
    advance : callable
        Called with 1 after each step, to show progress.
    """

    seed: int
    number: int
    path: Path | None = None
    key: str = ""
    advance: Callable[[int], None] = lambda _: None
    _saved_at: float = field(default_factory=time.monotonic)

    def generator(self, *key: int) -> torch.Generator:
        """Return the random generator of one step of the stage."""
        return generator_for(self.seed, self.number, *key)

    def run(
        self,
        parts: Parts,
        n_steps: int,
        train: Callable[[int, Log], dict[str, float]],
        is_finished: Callable[[Log], bool] = lambda _: False,
    ) -> Log:
        """Call `train` for each step that the stored state has not seen; return all records.

        Parameters
        ----------
        parts : mapping of modules and optimisers
            Everything that the training changes.
        n_steps : int
            The number of steps, those of the stored state included.
        train : callable
            Trains one step. It gets the number of the step, from 0, and the log so far, and
            returns the record of the step.
        is_finished : callable, optional
            Gets the log, and returns whether to stop before the last step.
        """
        log = self._restored(parts)
        n_done = len(log)
        for step in range(n_done, n_steps):
            if is_finished(log):
                break
            record = train(step, log)
            if not all(map(math.isfinite, record.values())):
                raise ValueError(
                    f"the training diverged in step {step + 1} ({record}); lower the learning rate"
                )
            log.append(record)
            if time.monotonic() - self._saved_at >= SECONDS_BETWEEN:
                self.save(log, parts)
            self.advance(1)
        if len(log) > n_done:
            self.save(log, parts)
        return log

    def save(self, log: Log, parts: Parts) -> None:
        """Write the state."""
        if self.path is None:
            return
        arrays = {
            name: {place: value.detach().cpu().numpy() for place, value in _tensors(part).items()}
            for name, part in parts.items()
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        save(self.path, _KIND, _VERSION, Checkpoint(self.key, tuple(log), arrays))
        self._saved_at = time.monotonic()

    def _restored(self, parts: Parts) -> Log:
        """Load the stored state into `parts`; return the log of the steps done."""
        if self.path is None or not self.path.exists():
            return []
        stored = load(self.path, _KIND, {_VERSION: Checkpoint})
        if stored.key != self.key:
            raise ValueError(
                f"{self.path} belongs to another training, with other documents, parameters or "
                "seed; remove it, or name another folder"
            )
        for name, part in parts.items():
            tensors = {
                place: torch.from_numpy(array) for place, array in stored.arrays[name].items()
            }
            if isinstance(part, nn.Module):
                part.load_state_dict(tensors)
            else:
                _restore_optimiser(part, tensors)
        return list(stored.log)


def _tensors(part: nn.Module | torch.optim.Optimizer) -> dict[str, Tensor]:
    """Return weights by name, an optimiser's memory by parameter and name (``0.exp_avg``)."""
    if isinstance(part, nn.Module):
        weights: dict[str, Tensor] = part.state_dict()
        return weights
    state = part.state_dict()["state"]
    return {f"{i}.{name}": value for i, memory in state.items() for name, value in memory.items()}


def _restore_optimiser(optimiser: torch.optim.Optimizer, flat: dict[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in flat.items():
        number, _, quantity = name.partition(".")
        state.setdefault(int(number), {})[quantity] = value
    optimiser.load_state_dict({**optimiser.state_dict(), "state": state})
