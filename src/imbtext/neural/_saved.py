"""A fitted classifier in a file: arrays and JSON in an ``.npz`` archive, and no pickle."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from imbtext._files import written_whole
from imbtext.neural._embeddings import Embedding

_FORMAT = "imbtext.LSTMClassifier/1"


@dataclass(frozen=True)
class SavedClassifier:
    """What is needed to predict: settings, classes, word vectors and weights."""

    settings: dict[str, Any]
    classes: NDArray[Any]
    embedding: Embedding
    weights: dict[str, NDArray[np.float32]]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all."""
        classes = self.classes
        if classes.dtype == object:
            if not all(isinstance(label, str) for label in classes):
                raise ValueError(
                    f"the classes are {classes.tolist()!r:.80}; only strings, numbers and booleans "
                    "can be saved without pickle"
                )
            classes = classes.astype(str)
        header = {
            "format": _FORMAT,
            "settings": self.settings,
            "classes_are_objects": self.classes.dtype == object,
            "embedding": self.embedding.name,
        }
        arrays = {
            "header": _bytes(json.dumps(header)),
            "classes": classes,
            # A word holds no line break: it was a token, or stood on a line of a file.
            "words": _bytes("\n".join(self.embedding.words)),
            "vectors": self.embedding.vectors,
            **{f"weights.{name}": value for name, value in self.weights.items()},
        }
        with written_whole(path) as partial, partial.open("wb") as stream:
            np.savez(stream, allow_pickle=False, **arrays)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> "SavedClassifier":
        """Read a file that :meth:`write` wrote; anything else is refused."""
        if not Path(path).is_file():
            raise FileNotFoundError(f"there is no saved classifier at {Path(path)}")
        try:
            with np.load(path, allow_pickle=False) as content:
                header = json.loads(content["header"].tobytes())
                if header["format"] != _FORMAT:
                    raise ValueError(f"its format is {header['format']!r}, not {_FORMAT!r}")
                words = content["words"].tobytes().decode().split("\n")
                vectors = content["vectors"]
                classes = content["classes"]
                weights = {
                    name.removeprefix("weights."): content[name]
                    for name in content.files
                    if name.startswith("weights.")
                }
        except (KeyError, ValueError, BadZipFile, EOFError) as error:
            raise ValueError(
                f"{Path(path)} is not a classifier saved by LSTMClassifier.save: {error}"
            ) from error
        embedding = Embedding(
            header["embedding"], np.array(words if len(vectors) else [], dtype=object), vectors
        )
        if header["classes_are_objects"]:
            classes = classes.astype(object)
        return cls(header["settings"], classes, embedding, weights)


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)
