"""A fitted LSTM classifier as a file. Every shape is checked before a network is made of it."""

import os
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from imbtext._archive import Arrays, label_kind, read_archive, word_array, write_archive
from imbtext.neural._embeddings import Embedding
from imbtext.neural._network import Weights
from imbtext.neural._recipe import NetworkShape
from imbtext.neural._sequences import LONGEST

if TYPE_CHECKING:
    from imbtext.neural._lstm import LSTMClassifier

Content = tuple[dict[str, Any], dict[str, Any], Weights, bool]

_FORMAT: Final = ("LSTM classifier", 2)
_WEIGHTS: Final = "weights."
_NOT_SAVED: Final = ("embedding", "tokenizer", "random_state")


def write_classifier(classifier: "LSTMClassifier", path: str | os.PathLike[str]) -> None:
    """Write what is needed to predict, whole or not at all."""
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


def read_classifier(path: str | os.PathLike[str]) -> Content:
    """Read and check a file; whatever is wrong with it is a ValueError.

    Returns the parameters, what fitting sets, the weights, and whether there was a tokenizer.
    """
    return read_archive(path, *_FORMAT, _checked)


def _checked(about: dict[str, Any], arrays: Arrays) -> Content:
    words, vectors = about["words"], arrays.pop("vectors")
    if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) != len(words):
        raise ValueError("its words and its vectors do not belong together")
    vocabulary = word_array(words)
    if len(set(words)) != len(words):
        raise ValueError("its words are not distinct")
    classes = np.array(about["classes"], dtype=np.dtype(about["type_of_classes"]))
    if len(classes) < 2 or np.unique(classes).tolist() != about["classes"]:
        raise ValueError("its classes are not two or more, distinct and in order")
    if not isinstance(about["length"], int) or not 1 <= about["length"] <= LONGEST:
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
