"""Many one-vs-rest networks trained side by side, for the paper's LSTM table.

A network of the paper is tiny (about 25,000 weights), so a processor spends its time starting
operations, not doing them. Here the weights of K networks are stacked along a leading axis and
every operation serves all K: one table of the paper is a handful of calls instead of thousands.

The arithmetic is that of `LSTMClassifier`: the same initial weights, the same order of documents,
the same dropout and the same optimiser from the same seed; a test holds the two together. A
network's random stream is its own, so its training does not depend on the networks beside it.

This module needs torch and NumPy only, so that it runs on a GPU machine on which nothing else is
installed (see ``benchmarks/lstm_device.py``).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from imbtext.neural.device import one_thread
from paper.network import (
    BATCH_SIZE,
    DROPOUT,
    EPOCHS,
    LEARNING_RATE,
    NetworkRandomness,
    NetworkShape,
    Weights,
    rmsprop_step,
)


@dataclass(frozen=True)
class TrainingSet:
    """What one network is trained on: rows of a shared pool of documents, their labels, a seed."""

    rows: NDArray[np.int64]
    is_class: NDArray[np.bool_]
    seed: int


class SideBySideNetworks:
    """Binary networks of one shape with stacked weights, on one device.

    `embedding` holds the frozen word vectors; row 0 is padding and must be zero. `weights` has one
    dictionary of :meth:`NetworkRandomness.weights` for each network.

    Examples
    --------
    >>> shape = NetworkShape(n_dimensions=2)
    >>> weights = [NetworkRandomness(seed).weights(shape) for seed in range(3)]
    >>> embedding = np.array([[0, 0], [1, 0], [0, 1]], dtype=np.float32)
    >>> networks = SideBySideNetworks(embedding, weights)
    >>> networks.predict_proba(np.array([[1, 2], [2, 0]])).shape
    (3, 2)
    """

    def __init__(
        self,
        embedding: NDArray[np.float32],
        weights: Sequence[Weights],
        device: str = "cpu",
    ) -> None:
        self.device = torch.device(device)
        self.embedding = torch.from_numpy(np.array(embedding, dtype=np.float32)).to(self.device)
        self.parameters = {
            name: torch.from_numpy(np.stack([one[name] for one in weights])).to(self.device)
            for name in weights[0]
        }

    @property
    def n_networks(self) -> int:
        """The number of networks."""
        return len(self.parameters["bias"])

    def logits(self, documents: Tensor, kept: Tensor | None = None) -> Tensor:
        """Return the logit of each document, of shape (n_networks, n_documents).

        `documents` has shape (n_networks, n_documents, length); `kept`, given in training, holds
        the factors of the dropout, of shape (n_networks, n_documents, dense_units).
        """
        weights = self.parameters
        n_networks, n_documents, length = documents.shape
        units = weights["recurrent"].shape[2]
        words = self.embedding[documents.reshape(n_networks, -1)]
        # Both directions share one product; then the backward one is turned round in time, so
        # that the loop below walks 2K independent sequences.
        kernel = weights["kernel"].permute(0, 2, 1, 3).reshape(n_networks, -1, 8 * units)
        inputs = torch.baddbmm(weights["bias"].reshape(n_networks, 1, -1), words, kernel)
        inputs = inputs.view(n_networks, n_documents, length, 2, 4 * units)
        inputs = torch.stack([inputs[:, :, :, 0], inputs[:, :, :, 1].flip(2)], dim=1)
        inputs = inputs.view(2 * n_networks, n_documents, length, 4 * units)
        recurrent = weights["recurrent"].reshape(2 * n_networks, units, 4 * units)
        hidden = self._last_state(inputs.permute(2, 0, 1, 3).contiguous(), recurrent)
        hidden = hidden.view(n_networks, 2, n_documents, units).permute(0, 2, 1, 3)
        hidden = hidden.reshape(n_networks, n_documents, 2 * units)
        dense = torch.relu(
            torch.baddbmm(weights["dense_bias"].unsqueeze(1), hidden, weights["dense_kernel"])
        )
        if kept is not None:
            dense = dense * kept
        outputs = torch.baddbmm(
            weights["output_bias"].unsqueeze(1), dense, weights["output_kernel"]
        )
        return outputs.squeeze(-1)

    @staticmethod
    def _last_state(inputs: Tensor, recurrent: Tensor) -> Tensor:
        gates = inputs[0]
        memory: Tensor | None = None
        hidden = inputs.new_zeros(())
        for step in range(len(inputs)):
            if memory is not None:
                gates = torch.baddbmm(inputs[step], hidden, recurrent)
            entry, forget, cell, output = gates.chunk(4, dim=-1)
            new = torch.sigmoid(entry) * torch.tanh(cell)
            memory = new if memory is None else torch.sigmoid(forget) * memory + new
            hidden = torch.sigmoid(output) * torch.tanh(memory)
        return hidden

    def predict_proba(
        self, documents: NDArray[np.integer], batch_size: int = 512
    ) -> NDArray[np.float32]:
        """Return the probability of the class, of shape (n_networks, n_documents)."""
        ids = torch.from_numpy(np.array(documents, dtype=np.int32)).to(self.device)
        with torch.no_grad():
            parts = [
                torch.sigmoid(self.logits(part.expand(self.n_networks, *part.shape)))
                for part in torch.split(ids, batch_size)
            ]
        return np.asarray(torch.cat(parts, dim=1).cpu().numpy())


def _schedule(
    trainings: Sequence[TrainingSet],
    randomness: Sequence[NetworkRandomness],
    n_units: int,
    epochs: int,
) -> tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.bool_]]:
    """Lay out each network's batches: the rows of its documents, their labels, the units that stay.

    The last batch of an epoch may be short and some networks take fewer steps than others; the
    places left over hold -1.
    """
    per_epoch = [math.ceil(len(one.rows) / BATCH_SIZE) for one in trainings]
    rows = np.full((len(trainings), epochs * max(per_epoch), BATCH_SIZE), -1, dtype=np.int32)
    is_class = np.zeros(rows.shape, dtype=np.bool_)
    kept = np.zeros((*rows.shape, n_units), dtype=np.bool_)
    for k, (training, source) in enumerate(zip(trainings, randomness, strict=True)):
        for epoch in range(epochs):
            order, stay = source.epoch(len(training.rows), n_units, DROPOUT)
            start = epoch * per_epoch[k] * BATCH_SIZE
            places = slice(start, start + len(order))
            rows[k].reshape(-1)[places] = training.rows[order]
            is_class[k].reshape(-1)[places] = training.is_class[order]
            kept[k].reshape(-1, n_units)[places] = stay
    return rows, is_class, kept


def train_side_by_side(
    pool: NDArray[np.integer],
    embedding: NDArray[np.float32],
    trainings: Sequence[TrainingSet],
    *,
    epochs: int = EPOCHS,
    device: str = "cpu",
) -> SideBySideNetworks:
    """Train one network for each training set, all of them at once.

    `pool` holds every document of every training set, once, as rows of `embedding`, 0 where padded.

    Examples
    --------
    >>> pool = np.array([[1, 0], [2, 0], [1, 1], [2, 2]])
    >>> embedding = np.array([[0, 0], [1, 0], [0, 1]], dtype=np.float32)
    >>> trainings = [TrainingSet(np.arange(4), np.array([True, False, True, False]), seed=0)]
    >>> networks = train_side_by_side(pool, embedding, trainings, epochs=200)
    >>> (networks.predict_proba(pool) > 0.5).tolist()
    [[True, False, True, False]]
    """
    shape = NetworkShape(n_dimensions=embedding.shape[1])
    randomness = [NetworkRandomness(one.seed) for one in trainings]
    networks = SideBySideNetworks(embedding, [one.weights(shape) for one in randomness], device)
    schedule = _schedule(trainings, randomness, shape.dense_units, epochs)
    rows, is_class, kept = (torch.from_numpy(part).to(networks.device) for part in schedule)
    documents = torch.from_numpy(np.array(pool, dtype=np.int32)).to(networks.device)
    parameters = list(networks.parameters.values())
    squares = [torch.zeros_like(parameter) for parameter in parameters]
    scale = 1.0 / (1.0 - DROPOUT)
    for parameter in parameters:
        parameter.requires_grad_(True)
    for step in range(rows.shape[1]):
        row = rows[:, step].long()
        real = (row >= 0).float()
        logits = networks.logits(documents[row.clamp(min=0)], kept[:, step].float() * scale)
        losses = torch.nn.functional.binary_cross_entropy_with_logits(
            logits, is_class[:, step].float(), reduction="none"
        )
        # The networks share no weight, so the gradient of the sum is each one's own gradient. One
        # that has finished has no real document left and a gradient of zero: it stays as it is.
        means = (losses * real).sum(dim=1) / real.sum(dim=1).clamp(min=1.0)
        gradients = torch.autograd.grad(means.sum(), parameters)
        rmsprop_step(parameters, gradients, squares, LEARNING_RATE)
    for parameter in parameters:
        parameter.requires_grad_(False)
    return networks


def predict_side_by_side(
    original: NDArray[np.integer],
    is_class: NDArray[np.bool_],
    synthetic: Sequence[NDArray[np.integer]],
    test: NDArray[np.integer],
    embedding: NDArray[np.float32],
    seeds: Sequence[int],
    *,
    device: str = "cpu",
    epochs: int = EPOCHS,
) -> NDArray[np.float32]:
    """Train one network per class on the same documents and predict the same test documents.

    A document is a row of word numbers, which are rows of `embedding`; 0 is padding. `is_class` has
    a row per document and a column per class, `synthetic` the documents that oversampling added to
    each class, and `seeds` the seed of each network. Returns the probabilities, of shape
    (n_classes, n_test).

    Examples
    --------
    >>> original = np.array([[1, 0], [2, 0]])
    >>> embedding = np.array([[0, 0], [1, 0], [0, 1]], dtype=np.float32)
    >>> new = [original[:0], original[1:]]
    >>> predict_side_by_side(
    ...     original, np.eye(2, dtype=bool), new, original, embedding, seeds=[0, 1]
    ... ).shape
    (2, 2)
    """
    if not is_class.shape[1] == len(synthetic) == len(seeds):
        raise ValueError(
            f"is_class has {is_class.shape[1]} classes, synthetic {len(synthetic)} and seeds "
            f"{len(seeds)}; give one column, one array and one seed per class"
        )
    pool = np.concatenate([original, *synthetic])
    starts = len(original) + np.cumsum([0, *map(len, synthetic)])
    trainings = [
        TrainingSet(
            rows=np.concatenate([np.arange(len(original)), np.arange(start, start + len(new))]),
            is_class=np.concatenate([is_class[:, k], np.ones(len(new), dtype=bool)]),
            seed=seed,
        )
        for k, (new, start, seed) in enumerate(zip(synthetic, starts[:-1], seeds, strict=True))
    ]
    with one_thread(device):
        networks = train_side_by_side(pool, embedding, trainings, epochs=epochs, device=device)
        return networks.predict_proba(test)
