"""Training a language model to make the documents likely, with documents held back."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from imbtext.neural.generation._language_model import END, LanguageModel, counted
from imbtext.neural.generation._stages import Log, Parts, Stage

_LARGEST_GRADIENT = 5.0
_PATIENCE = 3
_SCORED_AT_ONCE = 512
# A class of fewer documents than this has none to hold back and is tuned for a fixed time.
_FEWEST_TO_CHOOSE = 20
_FIXED_EPOCHS = 4
_HELD_BACK_TO_CHOOSE = 0.25


@dataclass(frozen=True)
class LikelihoodTraining:
    """How a language model is trained on documents: with Adam, for so many epochs at most.

    With a share of the documents `held_back`, training stops when their likelihood no longer grows
    and the best weights stay. `dropout` is the share of word vectors and states set to 0.
    """

    epochs: int
    learning_rate: float
    batch_size: int = 64
    dropout: float = 0.3
    held_back: float = 0.0

    def run(self, model: LanguageModel, rows: NDArray[np.integer], stage: Stage) -> Log:
        """Train `model` in place; return the losses of each epoch, per word."""
        best = model.copied()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        there = torch.from_numpy(np.asarray(rows, dtype=np.int64)).to(model.device)
        order = torch.randperm(len(there), generator=stage.generator(0))
        n_held = int(self.held_back * len(there))
        held, trained = there[order[:n_held]], there[order[n_held:]]

        def train(step: int, log: Log) -> dict[str, float]:
            record = {"loss": self._epoch(model, optimiser, trained, stage.generator(1 + step))}
            if n_held:
                record["held_back_loss"] = -mean_log_likelihood(model, held)
            if all(record["held_back_loss"] <= before for before in _held_back_losses(log)):
                best.load_state_dict(model.state_dict())
            return record

        parts: Parts = {"model": model, "best": best, "adam": optimiser}
        log = stage.carry_on(parts, self.epochs, train, enough=_no_longer_grows)
        model.load_state_dict(best.state_dict())
        return log

    def tune(self, model: LanguageModel, rows: NDArray[np.integer], stage: Stage) -> Log:
        """Train a model of all documents in place on the few of a class; return the losses.

        A few documents are soon known by heart. So a trial run holds a quarter of them back and
        counts the epochs until those are likeliest; the model is then trained on all of them for
        as long.
        """
        epochs = min(_FIXED_EPOCHS, self.epochs)
        if len(rows) >= _FEWEST_TO_CHOOSE:
            trial = replace(self, held_back=_HELD_BACK_TO_CHOOSE)
            log = trial.run(model.copied(), rows, Stage(stage.seed, stage.number))
            epochs = 1 + int(np.argmin(_held_back_losses(log)))
        return replace(self, epochs=epochs, held_back=0.0).run(model, rows, stage)

    def _epoch(
        self,
        model: LanguageModel,
        optimiser: torch.optim.Optimizer,
        rows: Tensor,
        generator: torch.Generator,
    ) -> float:
        order = torch.randperm(len(rows), generator=generator).to(rows.device)
        total, n_words = torch.zeros((), device=rows.device), 0
        for batch in torch.split(order, self.batch_size):
            documents = trimmed(rows[batch])
            likelihood = model.log_likelihood(documents, self.dropout, generator)
            n = int(counted(documents).sum())
            descend(model, optimiser, -likelihood.sum() / n)
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


def _held_back_losses(log: Log) -> list[float]:
    return [record["held_back_loss"] for record in log if "held_back_loss" in record]


def _no_longer_grows(log: Log) -> bool:
    losses = _held_back_losses(log)
    return bool(losses) and len(losses) - 1 - int(np.argmin(losses)) >= _PATIENCE
