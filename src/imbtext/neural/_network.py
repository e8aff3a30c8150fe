"""One network: frozen word vectors, a bidirectional LSTM, a dense layer, dropout, the outputs."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from imbtext.neural._recipe import NetworkShape

Weights = dict[str, NDArray[np.float32]]


class LSTMNetwork(nn.Module):
    """The paper's network for one classifier, with any number of outputs.

    Padding is a zero vector like any other input, as in the paper: it is not masked. Row 0 of the
    frozen `embedding` is padding.

    Examples
    --------
    >>> from imbtext.neural._recipe import NetworkRandomness
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
        """Give the logits of documents, of shape (n_documents, n_outputs).

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
        """Take over weights as :meth:`NetworkRandomness.weights` lays them out."""
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
