"""A fitted LSTM classifier as a file. Every shape is checked before a network is made of it."""

import os
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from imbtext._archive import Arrays, read_archive, word_array, write_archive
from imbtext.neural._embeddings import Embedding
from imbtext.neural._recipe import NetworkShape
from imbtext.neural._sequences import LONGEST

_FORMAT: Final = ("LSTM classifier", 2)
_WEIGHTS: Final = "weights."


@dataclass(frozen=True, eq=False)
class SavedClassifier:
    """What is needed to predict: settings, classes, word vectors and weights."""

    parameters: dict[str, Any]
    has_tokenizer: bool
    coverage: float
    length: int
    losses: list[float]
    validation_losses: list[float]
    classes: NDArray[Any]
    embedding: Embedding
    weights: dict[str, NDArray[np.float32]]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all."""
        labels = self.classes.tolist()
        if self.classes.dtype.kind not in "biufUO" or not all(
            isinstance(label, str | bool | int | float) for label in labels
        ):
            raise ValueError(
                f"the classes are {labels!r:.80}; only strings, numbers and booleans can be saved "
                "without pickle"
            )
        about = {
            "parameters": self.parameters,
            "has_tokenizer": self.has_tokenizer,
            "length": self.length,
            "classes": labels,
            "type_of_classes": self.classes.dtype.str,
            "embedding": self.embedding.name,
            "words": self.embedding.words.tolist(),
        }
        arrays = {
            "coverage": np.array(self.coverage),
            "losses": np.array(self.losses, dtype=np.float64),
            "validation_losses": np.array(self.validation_losses, dtype=np.float64),
            "vectors": self.embedding.vectors,
            **{f"{_WEIGHTS}{name}": values for name, values in self.weights.items()},
        }
        write_archive(path, *_FORMAT, about, arrays)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read and check a file; whatever is wrong with it is a ValueError."""
        return read_archive(path, *_FORMAT, cls._of)

    @classmethod
    def _of(cls, about: dict[str, Any], arrays: Arrays) -> Self:
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
        saved = cls(
            parameters=dict(about["parameters"]),
            has_tokenizer=bool(about["has_tokenizer"]),
            coverage=float(arrays.pop("coverage")),
            length=about["length"],
            losses=arrays.pop("losses").tolist(),
            validation_losses=arrays.pop("validation_losses").tolist(),
            classes=classes,
            embedding=Embedding(str(about["embedding"]), vocabulary, vectors),
            weights={name.removeprefix(_WEIGHTS): values for name, values in arrays.items()},
        )
        saved._check_weights()
        return saved

    def _check_weights(self) -> None:
        shape = NetworkShape(
            self.embedding.n_dimensions,
            self.parameters["units"],
            self.parameters["dense_units"],
            1 if len(self.classes) == 2 else len(self.classes),
        )
        given = {name: values.shape for name, values in self.weights.items()}
        if given != shape.weights:
            raise ValueError("its weights are not those of the network that it describes")
        if not all(v.dtype == np.float32 and np.isfinite(v).all() for v in self.weights.values()):
            raise ValueError("its weights are not all finite numbers")
