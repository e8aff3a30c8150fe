"""The paper's network: its sizes, its layers, its random numbers and its optimiser.

``lstm_classifier.py`` trains one :class:`LSTMNetwork`, ``side_by_side.py`` trains many at once.
Both take their weights, their order of documents, their dropout and their optimiser from here, so
the same seed gives the same network in both.

This module needs torch and NumPy only, so that it runs on a GPU machine on which nothing else is
installed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from imbtext.randomness import keyed_generator

Weights = dict[str, NDArray[np.float32]]

BATCH_SIZE = 32
DROPOUT = 0.4
EPOCHS = 3
LEARNING_RATE = 1e-3
UNITS = 32

# Keras' defaults. Its epsilon stands inside the root, unlike torch's, and with the small gradients
# of a rare class that difference shows after three epochs.
RMSPROP_DECAY = 0.9
RMSPROP_EPSILON = 1e-7


@dataclass(frozen=True)
class NetworkShape:
    """The sizes of one network: word vector -> bidirectional LSTM -> dense ReLU -> outputs."""

    n_dimensions: int
    units: int = UNITS
    dense_units: int = UNITS
    n_outputs: int = 1

    @classmethod
    def of(cls, n_dimensions: int, units: int, dense_units: int, n_classes: int) -> Self:
        """Return the shape of a network for `n_classes`; two classes need one output."""
        return cls(n_dimensions, units, dense_units, 1 if n_classes == 2 else n_classes)

    @property
    def weights(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array of weights; those of the LSTM begin with its two directions."""
        gates = 4 * self.units
        return {
            "kernel": (2, self.n_dimensions, gates),
            "recurrent": (2, self.units, gates),
            "bias": (2, gates),
            "dense_kernel": (2 * self.units, self.dense_units),
            "dense_bias": (self.dense_units,),
            "output_kernel": (self.dense_units, self.n_outputs),
            "output_bias": (self.n_outputs,),
        }


class NetworkRandomness:
    """The random numbers of one network, drawn from one stream in a fixed order.

    Examples
    --------
    >>> weights = NetworkRandomness(seed=0).weights(NetworkShape(n_dimensions=3, units=2))
    >>> weights["kernel"].shape
    (2, 3, 8)
    >>> order, kept = NetworkRandomness(seed=0).epoch(5, n_units=4, dropout=0.5)
    >>> sorted(order.tolist()), kept.shape
    ([0, 1, 2, 3, 4], (5, 4))
    """

    def __init__(self, seed: int) -> None:
        self._generator = keyed_generator(seed, 0)

    def weights(self, shape: NetworkShape) -> Weights:
        """Draw initial weights as Keras does; gates in the order input, forget, cell, output."""
        units, sizes = shape.units, shape.weights
        drawn = {name: np.zeros(size, dtype=np.float32) for name, size in sizes.items()}
        # Adding one to the forget gate lets memory through before anything is learned.
        drawn["bias"][:, units : 2 * units] = 1.0
        drawn["kernel"] = self._glorot(sizes["kernel"])
        drawn["recurrent"] = np.stack([self._orthogonal(units, 4 * units) for _ in range(2)])
        drawn["dense_kernel"] = self._glorot(sizes["dense_kernel"])
        drawn["output_kernel"] = self._glorot(sizes["output_kernel"])
        return drawn

    def epoch(
        self, n_documents: int, n_units: int, dropout: float
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Draw the order of the documents and, for each in that order, the units that stay."""
        order = self._generator.permutation(n_documents)
        kept = self._generator.random((n_documents, n_units), dtype=np.float32) >= dropout
        return order, kept

    def _glorot(self, size: tuple[int, ...]) -> NDArray[np.float32]:
        limit = math.sqrt(6.0 / sum(size[-2:]))
        return self._generator.uniform(-limit, limit, size).astype(np.float32)

    def _orthogonal(self, rows: int, columns: int) -> NDArray[np.float32]:
        q, r = np.linalg.qr(self._generator.standard_normal((columns, rows)))
        # Without the signs of R the orthogonal matrices would not be drawn uniformly.
        return np.ascontiguousarray((q * np.sign(np.diag(r))).T, dtype=np.float32)


def rmsprop_step(
    parameters: Sequence[Tensor], gradients: Sequence[Tensor], squares: list[Tensor], rate: float
) -> None:
    """Move `parameters` one step in place as Keras' RMSprop does; `squares` is its memory."""
    with torch.no_grad():
        for parameter, gradient, square in zip(parameters, gradients, squares, strict=True):
            square.mul_(RMSPROP_DECAY).addcmul_(gradient, gradient, value=1.0 - RMSPROP_DECAY)
            parameter.addcdiv_(gradient, (square + RMSPROP_EPSILON).sqrt_(), value=-rate)


class LSTMNetwork(nn.Module):
    """The paper's network for one classifier, with any number of outputs.

    Padding is a zero vector like any other input, as in the paper: it is not masked. Row 0 of the
    frozen `embedding` is padding.

    Examples
    --------
    >>> shape = NetworkShape(n_dimensions=2)
    >>> network = LSTMNetwork(np.zeros((3, 2), dtype=np.float32), shape)
    >>> network.set_weights(NetworkRandomness(seed=0).weights(shape))
    >>> network(torch.tensor([[1, 2, 0]])).shape
    torch.Size([1, 1])
    """

    embedding: Tensor

    def __init__(self, embedding: NDArray[np.float32], shape: NetworkShape) -> None:
        super().__init__()
        # torch fills new layers from its global generator; nothing of that is kept, and skipping
        # it leaves the global state as it was.
        with torch.device("meta"):
            self.lstm = nn.LSTM(
                shape.n_dimensions, shape.units, bidirectional=True, batch_first=True
            )
            self.dense = nn.Linear(2 * shape.units, shape.dense_units)
            self.output = nn.Linear(shape.dense_units, shape.n_outputs)
        self.to_empty(device="cpu")
        self.register_buffer("embedding", torch.from_numpy(np.array(embedding, dtype=np.float32)))
        # torch has a second bias for the recurrent product; one is enough, and a second one would
        # double every step of the first.
        for name, parameter in self.lstm.named_parameters():
            if name.startswith("bias_hh"):
                nn.init.zeros_(parameter)
                parameter.requires_grad_(False)

    def forward(self, documents: Tensor, kept: Tensor | None = None) -> Tensor:
        """Return the logits of documents, of shape (n_documents, n_outputs).

        `kept`, given in training, holds the factors of the dropout.
        """
        _, (hidden, _) = self.lstm(self.embedding[documents])
        dense = torch.relu(self.dense(torch.cat([hidden[0], hidden[1]], dim=1)))
        if kept is not None:
            dense = dense * kept
        outputs: Tensor = self.output(dense)
        return outputs

    def trainable(self) -> list[Tensor]:
        """Return the parameters that learn."""
        return [parameter for parameter in self.parameters() if parameter.requires_grad]

    def set_weights(self, weights: Weights) -> None:
        """Set weights in the layout of :meth:`NetworkRandomness.weights`."""
        with torch.no_grad():
            for name, parts in self._named().items():
                values = weights[name] if len(parts) > 1 else weights[name][np.newaxis]
                for part, value in zip(parts, values, strict=True):
                    # torch keeps its matrices the other way round
                    part.copy_(torch.from_numpy(np.array(value.T, order="C")))

    def get_weights(self) -> Weights:
        """Return the weights in the layout of :meth:`NetworkRandomness.weights`."""
        weights: Weights = {}
        for name, parts in self._named().items():
            values = [np.ascontiguousarray(part.detach().cpu().numpy().T) for part in parts]
            weights[name] = np.stack(values) if len(parts) > 1 else values[0].copy()
        return weights

    def _named(self) -> dict[str, list[Tensor]]:
        lstm = dict(self.lstm.named_parameters())
        return {
            "kernel": [lstm["weight_ih_l0"], lstm["weight_ih_l0_reverse"]],
            "recurrent": [lstm["weight_hh_l0"], lstm["weight_hh_l0_reverse"]],
            "bias": [lstm["bias_ih_l0"], lstm["bias_ih_l0_reverse"]],
            "dense_kernel": [self.dense.weight],
            "dense_bias": [self.dense.bias],
            "output_kernel": [self.output.weight],
            "output_bias": [self.output.bias],
        }
