"""The model file: enough to score documents, and none of them.

It holds one :class:`FittedModel`, whose type hints are the format (:mod:`imbtext.records`). Terms
are part of the model, so the file contains the words of the training documents, and which words are
neighbours in two or more of them. Held-out scores are sorted by score: they carry no text, no id
and nothing of the documents' order. A callable is not stored: the file keeps its name, and whoever
loads the model gives it back (:func:`restore_callables`).
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from imbtext._messages import listed
from imbtext._typing import FeaturesLike, Matrix
from imbtext.features._features import Features
from imbtext.features._own_features import OwnFeatures
from imbtext.features._side_by_side import SideBySide
from imbtext.features._sources import NamedSource, is_named, named_source
from imbtext.features._text_features import TextFeatures
from imbtext.rare._fitted import FittedModel
from imbtext.records import load, save

_KIND: Final = "RareTextClassifier"
_VERSION: Final = 12


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


def restore_callables(
    features: Features,
    path: str | os.PathLike[str],
    callables: Mapping[str, Callable[..., Matrix]],
) -> FeaturesLike:
    """Give the callables back that a model was trained with; return its parameter `features`.

    Sources that have a name load alone.
    """
    sources = features.sources if isinstance(features, SideBySide) else (features,)
    user_sources = [source for source in sources if isinstance(source, OwnFeatures)]
    lacking = {source.name: source for source in user_sources if not source.source}
    for name in callables:
        if name not in lacking:
            raise ValueError(
                f"features names {name!r}, but {Path(path)} was trained with "
                f"{listed(list(lacking)) if lacking else 'no callable'}"
            )
    for name, source in lacking.items():
        if not callable(callables.get(name)):
            raise ValueError(
                f"{Path(path)} was trained with the callable {name!r}, which returns "
                f"{source.n_columns:,} columns. A file holds no code, so pass the callable: "
                f"RareTextClassifier.load(path, features={{{name!r}: ...}})"
            )
    for source in user_sources:
        if source.source:
            source.source = _installed(source, path)
        else:
            source.source = callables[source.name]
    kinds = [source.kind for source in sources if isinstance(source, TextFeatures)]
    given: list[Any] = [
        *kinds,
        *(s.name if is_named(s.source) else s.source for s in user_sources),
    ]
    return given[0] if len(given) == 1 else given


def _installed(source: OwnFeatures, path: str | os.PathLike[str]) -> NamedSource:
    """Return the source of this name; refuse a model of other vectors than those installed."""
    installed = named_source(source.name)
    if source.source != installed.version:
        raise ValueError(
            f"{Path(path)} was trained with vectors {source.source}, but the installed "
            f"{installed.package} has {installed.version}; install the version that it was trained "
            "with, or train it again"
        )
    return installed
