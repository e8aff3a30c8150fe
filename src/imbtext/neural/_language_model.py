"""A recurrent language model on rows of word ids.

A row holds the words of a document as numbers from 2, and is filled up with 0. The number 0 ends a
document and begins the next one. The number 1 stands for any word that the model does not know: the
model reads it and never writes it. All randomness comes from generators of the caller. This module
needs only torch and NumPy.
"""

import copy
import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

END = 0
UNKNOWN = 1
N_SPECIAL = 2

# Documents written at a time; fixed, so that a document does not depend on the memory at hand.
WRITTEN_AT_ONCE = 1024
# Scores divided by less would overflow; the likeliest word is certain long before.
_LOWEST_TEMPERATURE = 1e-6


def generator_for(seed: int, *key: int) -> torch.Generator:
    """Return a generator of its own for a seed and a key, such as (stage, epoch).

    Examples
    --------
    >>> first, again = generator_for(7, 1, 2), generator_for(7, 1, 2)
    >>> bool(torch.rand(1, generator=first) == torch.rand(1, generator=again))
    True
    """
    state = np.random.SeedSequence([seed, *key]).generate_state(1, np.uint64)[0]
    return torch.Generator().manual_seed(int(state >> np.uint64(1)))


class LanguageModel(nn.Module):
    """Word vector -> LSTM -> the next word; the two special numbers do not count among `n_words`.

    Examples
    --------
    >>> model = LanguageModel(n_words=3, n_dimensions=4, n_units=4)
    >>> model.initialise(np.array([[2, 3, 0], [2, 4, 4]]), generator_for(0))
    >>> model.log_likelihood(torch.tensor([[2, 3, 0]])).shape
    torch.Size([1, 4])
    >>> model.write(2, length=5, generator=generator_for(1)).shape
    torch.Size([2, 5])
    """

    def __init__(self, n_words: int, n_dimensions: int, n_units: int) -> None:
        super().__init__()
        size = n_words + N_SPECIAL
        # Filled by initialise alone: torch would fill them from its global generator.
        with torch.device("meta"):
            self.embedding = nn.Embedding(size, n_dimensions)
            self.lstm = nn.LSTM(n_dimensions, n_units, batch_first=True)
            self.output = nn.Linear(n_units, size)
        self.to_empty(device="cpu")

    def initialise(self, rows: NDArray[np.integer], generator: torch.Generator) -> None:
        """Draw the weights; the output begins as the frequencies of the words in `rows`."""
        bound = 1.0 / math.sqrt(self.lstm.hidden_size)
        counts = np.bincount(rows[rows > END], minlength=self.output.out_features).astype(float)
        counts[END] = len(rows)
        counts[UNKNOWN] += 1.0
        with torch.no_grad():
            self.embedding.weight.normal_(0.0, 0.1, generator=generator)
            for parameter in self.lstm.parameters():
                parameter.uniform_(-bound, bound, generator=generator)
            self.output.weight.uniform_(-bound, bound, generator=generator)
            smoothed = (counts + 0.1) / (counts + 0.1).sum()
            self.output.bias.copy_(torch.from_numpy(np.log(smoothed)))

    def copied(self) -> "LanguageModel":
        """Return a copy that shares nothing, its weights laid out as a GPU wants them."""
        model = copy.deepcopy(self)
        model.lstm.flatten_parameters()
        return model

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.output.weight.device

    def log_likelihood(
        self, rows: Tensor, dropout: float = 0.0, generator: torch.Generator | None = None
    ) -> Tensor:
        """Return the log-probability of each word and of the end; 0 behind the end.

        A row that fills its whole width was cut, so its end is not counted.
        """
        edge = rows.new_full((len(rows), 1), END)
        words = self.embedding(torch.cat([edge, rows], dim=1))
        states, _ = self.lstm(dropped(words, dropout, generator))
        # The output is by far the most work: only where a word counts.
        counts = counted(rows)
        logits = self.output(dropped(states, dropout, generator)[counts])
        targets = torch.cat([rows, edge], dim=1)[counts]
        likelihoods: Tensor = logits.new_zeros(counts.shape)
        likelihoods[counts] = -functional.cross_entropy(logits, targets, reduction="none")
        return likelihoods

    def write(
        self,
        n: int,
        length: int,
        generator: torch.Generator,
        *,
        temperature: float = 1.0,
        begun: Tensor | None = None,
    ) -> Tensor:
        """Write `n` rows of at most `length` words, none of them empty.

        With `begun`, rows of shape (n, k), each document continues its first k words; one that has
        ended stays as it is.
        """
        if begun is None:
            begun = torch.empty((n, 0), dtype=torch.int64, device=self.device)
        chance = torch.rand((n, max(length - begun.shape[1], 1)), generator=generator)
        pieces = zip(
            torch.split(begun, WRITTEN_AT_ONCE),
            torch.split(chance.to(self.device), WRITTEN_AT_ONCE),
            strict=True,
        )
        return torch.cat([self._write(*piece, length, temperature) for piece in pieces])

    @torch.no_grad()
    def _write(self, begun: Tensor, chance: Tensor, length: int, temperature: float) -> Tensor:
        n, start = begun.shape
        rows = torch.full((n, length), END, device=self.device)
        rows[:, :start] = begun
        read = torch.cat([rows.new_full((n, 1), END), begun], dim=1)
        last, state = read[:, -1:], None
        ended = torch.zeros(n, dtype=torch.bool, device=self.device)
        if start:
            _, state = self.lstm(self.embedding(read[:, :-1]))
            ended = last[:, 0] == END
        for place in range(start, length):
            states, state = self.lstm(self.embedding(last), state)
            scores = self.output(states[:, 0]) / max(temperature, _LOWEST_TEMPERATURE)
            scores[:, UNKNOWN] = -math.inf
            if place == 0:
                scores[:, END] = -math.inf
            words = _drawn(scores, chance[:, place - start])
            words = torch.where(ended, END, words)
            rows[:, place] = words
            ended |= words == END
            if ended.all():
                break
            last = words[:, None]
        return rows


def counted(rows: Tensor) -> Tensor:
    """Mark the places whose words count: those of the document, and its end unless it was cut."""
    lengths = (rows != END).sum(dim=1, keepdim=True)
    places = torch.arange(rows.shape[1] + 1, device=rows.device)
    return (places <= lengths) & (places < rows.shape[1] + (lengths < rows.shape[1]))


def dropped(values: Tensor, dropout: float, generator: torch.Generator | None) -> Tensor:
    """Set a share of the values to 0 at random, in training; without a generator, none."""
    if not dropout or generator is None:
        return values
    kept = torch.rand(values.shape, generator=generator) >= dropout
    return values * kept.to(values.device) / (1.0 - dropout)


def _drawn(scores: Tensor, chance: Tensor) -> Tensor:
    """Draw one word per row: the first whose cumulative probability passes the chance."""
    cumulative = torch.softmax(scores, dim=1).double().cumsum(dim=1)
    # Scaled by the last sum, which rounding leaves a little off 1.
    passed = cumulative > (chance.double() * cumulative[:, -1])[:, None]
    return passed.to(torch.uint8).argmax(dim=1)
