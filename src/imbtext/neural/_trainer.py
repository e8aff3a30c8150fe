"""Training one network: batches in the network's own order, dropout of its own, Keras' RMSprop."""

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import TensorDataset

from imbtext.neural._network import LSTMNetwork, Weights
from imbtext.neural._recipe import NetworkRandomness, rmsprop_step
from imbtext.progress import progress_bar


@dataclass
class EarlyStopping:
    """Examples held back, and what they say of the network so far.

    `patience` is the number of epochs without a lower loss after which training stops.
    """

    held: TensorDataset
    patience: int
    losses: list[float] = field(default_factory=list)
    best: Weights | None = None

    def stops(self, network: LSTMNetwork, loss: float) -> bool:
        """Take note of the loss after an epoch; say whether to stop."""
        if not self.losses or loss < min(self.losses):
            self.best = network.get_weights()
        self.losses.append(loss)
        return len(self.losses) - 1 - int(np.argmin(self.losses)) >= self.patience


def train_network(
    network: LSTMNetwork,
    randomness: NetworkRandomness,
    examples: TensorDataset,
    *,
    epochs: int,
    batch_size: int,
    learning_rate: float,
    dropout: float,
    quiet: bool,
    stopping: EarlyStopping | None = None,
) -> list[float]:
    """Train for some epochs on examples (documents, classes, weights); return their mean losses."""
    n, device = len(examples), examples.tensors[0].device
    parameters = network.trainable()
    squares = [torch.zeros_like(parameter) for parameter in parameters]
    losses = []
    with progress_bar(quiet=quiet) as bar:
        for _ in bar.track(range(epochs), description="epochs"):
            order, kept = randomness.epoch(n, network.dense.out_features, dropout)
            where = torch.from_numpy(order).to(device)
            factor = torch.from_numpy(kept).to(device).float() / (1.0 - dropout)
            total = torch.zeros((), device=device)
            for batch, stay in zip(
                torch.split(where, batch_size), torch.split(factor, batch_size), strict=True
            ):
                loss = _loss(network, examples[batch], stay)
                gradients = torch.autograd.grad(loss, parameters)
                rmsprop_step(parameters, gradients, squares, learning_rate)
                total += loss.detach() * len(batch)
            losses.append(float(total) / n)
            if stopping is not None:
                with torch.no_grad():
                    held_loss = float(_loss(network, stopping.held.tensors))
                if stopping.stops(network, held_loss):
                    break
    if stopping is not None and stopping.best is not None:
        network.set_weights(stopping.best)
    return losses


def _loss(network: LSTMNetwork, examples: tuple[Tensor, ...], kept: Tensor | None = None) -> Tensor:
    documents, classes, weights = examples
    logits = network(documents, kept)
    if logits.shape[1] == 1:
        losses = functional.binary_cross_entropy_with_logits(
            logits[:, 0], classes.to(logits.dtype), reduction="none"
        )
    else:
        losses = functional.cross_entropy(logits, classes, reduction="none")
    return (losses * weights).mean()
