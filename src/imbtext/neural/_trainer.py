"""Training one network: batches in the network's own order, dropout of its own, Keras' RMSprop."""

from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from imbtext._progress import progress_bar
from imbtext.neural._network import LSTMNetwork, Weights
from imbtext.neural._recipe import NetworkRandomness, rmsprop_step


@dataclass
class EarlyStopping:
    """Documents held back, with their classes and weights, and what they say of the network so far.

    `patience` is the number of epochs without a lower loss after which training stops.
    """

    rows: NDArray[np.int32]
    targets: NDArray[np.intp]
    weights: NDArray[np.float32]
    patience: int
    losses: list[float] = field(default_factory=list)
    best: Weights | None = None

    def stops(self, network: LSTMNetwork, loss: float) -> bool:
        """Take note of the loss after an epoch; say whether to stop."""
        if not self.losses or loss < min(self.losses):
            self.best = network.get_weights()
        self.losses.append(loss)
        return len(self.losses) - 1 - int(np.argmin(self.losses)) >= self.patience


@dataclass
class Trainer:
    """How a network is trained."""

    network: LSTMNetwork
    randomness: NetworkRandomness
    batch_size: int
    learning_rate: float
    dropout: float
    device: str
    quiet: bool

    def train(
        self,
        rows: NDArray[np.int32],
        targets: NDArray[np.intp],
        weights: NDArray[np.float32],
        epochs: int,
        stopping: EarlyStopping | None = None,
    ) -> list[float]:
        """Train for some epochs; return the mean loss of each."""
        network = self.network.to(self.device)
        documents, classes, factors = self._there(rows, targets, weights)
        parameters = network.trainable()
        squares = [torch.zeros_like(parameter) for parameter in parameters]
        losses = []
        with progress_bar(quiet=self.quiet) as bar:
            task = bar.add_task("epochs", total=epochs)
            for _ in range(epochs):
                order, kept = self.randomness.epoch(
                    len(rows), self.network.dense.out_features, self.dropout
                )
                where = torch.from_numpy(order).to(self.device)
                factor = torch.from_numpy(kept).to(self.device).float() / (1.0 - self.dropout)
                total = torch.zeros((), device=self.device)
                for start in range(0, len(rows), self.batch_size):
                    batch = where[start : start + self.batch_size]
                    logits = network(documents[batch], factor[start : start + self.batch_size])
                    loss = (_losses(logits, classes[batch]) * factors[batch]).mean()
                    gradients = torch.autograd.grad(loss, parameters)
                    rmsprop_step(parameters, gradients, squares, self.learning_rate)
                    total += loss.detach() * len(batch)
                losses.append(float(total) / len(rows))
                bar.advance(task)
                if stopping is not None and stopping.stops(network, self._loss(stopping)):
                    break
        if stopping is not None and stopping.best is not None:
            network.set_weights(stopping.best)
        return losses

    def _loss(self, held: EarlyStopping) -> float:
        documents, classes, factors = self._there(held.rows, held.targets, held.weights)
        with torch.no_grad():
            return float((_losses(self.network(documents), classes) * factors).mean())

    def _there(
        self,
        rows: NDArray[np.int32],
        targets: NDArray[np.intp],
        weights: NDArray[np.float32],
    ) -> tuple[Tensor, Tensor, Tensor]:
        return (
            torch.from_numpy(rows).to(self.device),
            torch.from_numpy(np.asarray(targets, dtype=np.int64)).to(self.device),
            torch.from_numpy(weights).to(self.device),
        )


def _losses(logits: Tensor, classes: Tensor) -> Tensor:
    if logits.shape[1] == 1:
        return functional.binary_cross_entropy_with_logits(
            logits[:, 0], classes.to(logits.dtype), reduction="none"
        )
    return functional.cross_entropy(logits, classes, reduction="none")
