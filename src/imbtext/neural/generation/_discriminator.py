"""SeqGAN's discriminator: a convolutional network that tells real documents from written ones."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from imbtext.neural.generation._language_model import N_SPECIAL, dropped

# Windows and numbers of filters as published (Yu et al. 2017, for sentences of 20 words); windows
# longer than the documents are left out.
_WIDTHS = (*range(1, 11), 15, 20)
_NUMBERS = (100, 200, 200, 200, 200, 100, 100, 100, 100, 100, 160, 160)
FILTERS = dict(zip(_WIDTHS, _NUMBERS, strict=True))
_DIMENSIONS = 64
_DROPOUT = 0.25
_PENALTY = 0.2


class Discriminator(nn.Module):
    """Word vectors -> windows of several widths -> their maxima -> highway layer -> one score.

    Examples
    --------
    >>> network = Discriminator(n_words=5, length=4)
    >>> network.initialise(torch.Generator().manual_seed(0))
    >>> network(torch.tensor([[2, 3, 0, 0], [2, 2, 2, 2]])).shape
    torch.Size([2])
    """

    def __init__(self, n_words: int, length: int) -> None:
        super().__init__()
        windows = {width: n for width, n in FILTERS.items() if width <= max(length, 1)}
        n_features = sum(windows.values())
        # Filled by initialise alone: torch would fill them from its global generator.
        with torch.device("meta"):
            self.embedding = nn.Embedding(n_words + N_SPECIAL, _DIMENSIONS)
            self.convolutions = nn.ModuleList(
                nn.Conv1d(_DIMENSIONS, n, width) for width, n in windows.items()
            )
            self.highway = nn.Linear(n_features, n_features)
            self.gate = nn.Linear(n_features, n_features)
            self.output = nn.Linear(n_features, 1)
        self.to_empty(device="cpu")

    def initialise(self, generator: torch.Generator) -> None:
        """Draw the weights."""
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if parameter.dim() == 1:
                    # A highway opens closed (Srivastava et al. 2015): it first passes on its input.
                    parameter.fill_(-2.0 if name == "gate.bias" else 0.0)
                elif name == "embedding.weight":
                    parameter.normal_(0.0, 0.1, generator=generator)
                else:
                    bound = math.sqrt(3.0 / parameter[0].numel())
                    parameter.uniform_(-bound, bound, generator=generator)

    def forward(self, rows: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """Give the score of each row, above 0 where it seems real; with dropout in training."""
        words = self.embedding(rows).transpose(1, 2)
        features = torch.cat(
            [functional.relu(window(words)).amax(dim=2) for window in self.convolutions], dim=1
        )
        gate = torch.sigmoid(self.gate(features))
        features = gate * functional.relu(self.highway(features)) + (1.0 - gate) * features
        return self.output(dropped(features, _DROPOUT, generator))[:, 0]

    def penalty(self) -> Tensor:
        """Return what the size of the output's weights adds to the loss, as published."""
        weights, bias = self.output.weight, self.output.bias
        return _PENALTY / 2 * (weights.square().sum() + bias.square().sum())
