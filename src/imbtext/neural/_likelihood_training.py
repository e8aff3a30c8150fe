"""Likelihood training of a language model, with documents held back.

This module needs torch and NumPy only; the samplers and ``benchmarks/generators.py`` train with it,
the latter on a GPU machine on which nothing else is installed.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from imbtext.neural._language_model import END, LanguageModel, counted
from imbtext.neural._training_stage import Log, Parts, TrainingStage

_LARGEST_GRADIENT = 5.0
_PATIENCE = 3
_SCORED_AT_ONCE = 512
# A class of fewer documents than this has none to hold back and is tuned for a fixed time.
_FEWEST_TO_CHOOSE = 20
_FIXED_EPOCHS = 4
_HELD_BACK_TO_CHOOSE = 0.25


@dataclass(frozen=True)
class LikelihoodTraining:
    """How a language model is trained on documents: with Adam, for `epochs` epochs at most.

    If a share of the documents is `held_back`, training stops when their likelihood no longer
    grows, and the best weights are kept. `dropout` is the share of word vectors and states that is
    set to 0.
    """

    epochs: int
    learning_rate: float
    batch_size: int = 64
    dropout: float = 0.3
    held_back: float = 0.0

    def run(self, model: LanguageModel, rows: NDArray[np.integer], stage: TrainingStage) -> Log:
        """Train `model` in place; return the losses of each epoch, per word."""
        best = model.copied()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        documents = torch.from_numpy(np.asarray(rows, dtype=np.int64)).to(model.device)
        order = torch.randperm(len(documents), generator=stage.generator(0))
        n_held_back = int(self.held_back * len(documents))
        held_back, training = documents[order[:n_held_back]], documents[order[n_held_back:]]

        def train(step: int, log: Log) -> dict[str, float]:
            record = {"loss": self._epoch(model, optimiser, training, stage.generator(1 + step))}
            if n_held_back:
                record["held_back_loss"] = -mean_log_likelihood(model, held_back)
            if all(record["held_back_loss"] <= before for before in _held_back_losses(log)):
                best.load_state_dict(model.state_dict())
            return record

        parts: Parts = {"model": model, "best": best, "adam": optimiser}
        log = stage.run(parts, self.epochs, train, is_finished=_no_longer_grows)
        model.load_state_dict(best.state_dict())
        return log

    def tune(self, model: LanguageModel, rows: NDArray[np.integer], stage: TrainingStage) -> Log:
        """Train a model of all documents in place on the few of a class; return the losses.

        The model soon knows a few documents by heart. So a trial run holds back a quarter of them
        and counts the epochs until the model finds those likeliest; then the model is trained on
        all of them for that many epochs.
        """
        epochs = min(_FIXED_EPOCHS, self.epochs)
        if len(rows) >= _FEWEST_TO_CHOOSE:
            trial = replace(self, held_back=_HELD_BACK_TO_CHOOSE)
            log = trial.run(model.copied(), rows, TrainingStage(stage.seed, stage.number))
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
