"""Training a language model to make the documents likely, with documents held back."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from imbtext.neural.generation._checkpoints import Advance, Checkpoint, Log
from imbtext.neural.generation._language_model import (
    END,
    LanguageModel,
    counted,
    generator_for,
)

_LARGEST_GRADIENT = 5.0
_PATIENCE = 3
_SCORED_AT_ONCE = 512


@dataclass(frozen=True)
class LikelihoodTraining:
    """How a language model is trained on documents.

    Attributes
    ----------
    epochs : int
        Passes over the documents, at most.
    learning_rate : float
        Adam's.
    batch_size : int
        Documents a step.
    dropout : float
        The share of the word vectors and states set to 0 at each step.
    held_back : float
        The share of the documents held back; training stops when their likelihood no longer grows
        and the best weights stay. 0 trains for all epochs.
    """

    epochs: int
    learning_rate: float
    batch_size: int = 64
    dropout: float = 0.3
    held_back: float = 0.0

    def run(
        self,
        model: LanguageModel,
        rows: NDArray[np.integer],
        seed: int,
        stage: int,
        checkpoint: Checkpoint,
        advance: Advance | None = None,
    ) -> Log:
        """Train `model` in place; return the losses of each epoch, per word."""
        best = model.copied()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        there = torch.from_numpy(np.asarray(rows, dtype=np.int64)).to(model.device)
        order = torch.randperm(len(there), generator=generator_for(seed, stage, 0))
        n_held = int(self.held_back * len(there))
        held, trained = there[order[:n_held]], there[order[n_held:]]

        def train(step: int, log: Log) -> dict[str, float]:
            record = {"loss": self._epoch(model, optimiser, trained, seed, stage, 1 + step)}
            if n_held:
                record["held_back_loss"] = -mean_log_likelihood(model, held)
            measured = "held_back_loss" if n_held else None
            if measured is None or all(record[measured] <= before[measured] for before in log):
                best.load_state_dict(model.state_dict())
            return record

        log = checkpoint.carry_on(
            {"model": model, "best": best},
            {"adam": optimiser},
            self.epochs,
            train,
            enough=_no_longer_grows if n_held else lambda _: False,
            advance=advance,
        )
        model.load_state_dict(best.state_dict())
        return log

    def _epoch(
        self,
        model: LanguageModel,
        optimiser: torch.optim.Optimizer,
        rows: Tensor,
        seed: int,
        stage: int,
        epoch: int,
    ) -> float:
        generator = generator_for(seed, stage, epoch)
        order = torch.randperm(len(rows), generator=generator).to(rows.device)
        total, n_words = torch.zeros((), device=rows.device), 0
        for batch in torch.split(order, self.batch_size):
            documents = trimmed(rows[batch])
            likelihood = model.log_likelihood(documents, self.dropout, generator)
            n = int(counted(documents).sum())
            loss = -likelihood.sum() / n
            descend(model, optimiser, loss)
            total -= likelihood.detach().sum()
            n_words += n
        return float(total) / max(n_words, 1)


@torch.no_grad()
def mean_log_likelihood(model: LanguageModel, rows: Tensor) -> float:
    """Return the mean log-probability per word, the ends of documents counted as words."""
    total = n_words = 0.0
    for part in torch.split(rows, _SCORED_AT_ONCE):
        documents = trimmed(part)
        total += float(model.log_likelihood(documents).double().sum())
        n_words += int(counted(documents).sum())
    return total / max(n_words, 1.0)


def trimmed(rows: Tensor) -> Tensor:
    """Cut off the columns behind the longest document, but for the place of its end."""
    longest = int((rows != END).sum(dim=1).max())
    return rows[:, : longest + 1]


def descend(network: nn.Module, optimiser: torch.optim.Optimizer, loss: Tensor) -> None:
    """Make one step down the gradient, which is cut where it is too steep."""
    optimiser.zero_grad()
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_(network.parameters(), _LARGEST_GRADIENT)
    optimiser.step()


def _no_longer_grows(log: Log) -> bool:
    losses = [record["held_back_loss"] for record in log]
    return len(losses) - 1 - int(np.argmin(losses)) >= _PATIENCE if losses else False
