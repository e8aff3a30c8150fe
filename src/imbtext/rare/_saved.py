"""The model file: enough to score documents, and none of them.

It holds one :class:`FittedModel`, whose type hints are the format (:mod:`imbtext.records`). Terms
are part of the model, so the file contains the words of the training documents, and which words are
neighbours in two or more of them. Held-out scores are sorted by score: they carry no text, no id
and nothing of the documents' order.

The file is a contract with readers of other versions, so it stands apart from the estimator.
"""

import os
from typing import Final

import numpy as np

from imbtext.rare._fitted import FittedModel
from imbtext.records import load, save

_KIND: Final = "RareTextClassifier"
_VERSION: Final = 11


def save_model(path: str | os.PathLike[str], model: FittedModel) -> None:
    """Write a fitted model."""
    for name in model.text_columns:
        if not isinstance(name, str | int | np.integer):
            raise TypeError(
                f"the text column {name!r:.60} has a name of the type {type(name).__name__}, which "
                "a model file cannot hold; rename the column to a string and train again"
            )
    save(path, _KIND, _VERSION, model)


def load_model(path: str | os.PathLike[str]) -> FittedModel:
    """Read a fitted model and check that every part of it fits the others."""
    return load(path, _KIND, {_VERSION: FittedModel})
