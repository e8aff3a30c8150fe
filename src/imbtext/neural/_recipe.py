"""The paper's network: its sizes, what is random about it, and how it learns.

The classifier and the networks that train side by side follow the same recipe, so that the same
seed gives the same network in both. Like :mod:`imbtext.neural._batched`, this needs torch and
NumPy only.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from imbtext.randomness import keyed_generator

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
        """Return the shape of a network for so many classes; of two, one output tells both."""
        return cls(n_dimensions, units, dense_units, 1 if n_classes == 2 else n_classes)

    @property
    def weights(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array of weights; the LSTM's have an axis for its two directions."""
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
    """All that is random about one network, drawn from one stream in a fixed order.

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

    def weights(self, shape: NetworkShape) -> dict[str, NDArray[np.float32]]:
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
