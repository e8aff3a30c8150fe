"""Which features a user asked for: names, objects, or a list of them.

:func:`get_features` reads what a user typed and returns where the vectors come from: words, pairs
and character grams (``_text_features.py``), features of the user's own (``_own_features.py``), or
several side by side (``_side_by_side.py``).
"""

from inspect import isclass
from typing import Any, Final, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from imbtext._messages import did_you_mean
from imbtext._typing import ColumnName, FeaturesLike, FeatureSource
from imbtext.features._features import Features
from imbtext.features._meaning import MEANING, Meaning
from imbtext.features._own_features import OwnFeatures, is_vectorizer
from imbtext.features._side_by_side import SideBySide
from imbtext.features._text_features import FEATURES, Kind, TextFeatures


class NamedSource(Protocol):
    """A source of features that a name stands for, and that a saved model therefore finds again."""

    @property
    def package(self) -> str:
        """The package that the vectors come from, and its version."""

    @property
    def version(self) -> str:
        """What a saved model compares: others give other vectors."""

    def __call__(self, documents: Any) -> NDArray[np.floating]:
        """Return a row of numbers for each document."""


_NAMED: Final[dict[str, type[NamedSource]]] = {
    MEANING: Meaning,
}
_NAMES: Final = (*FEATURES, *_NAMED)


def get_features(
    features: FeaturesLike, language: str | None = "english", columns: tuple[ColumnName, ...] = ()
) -> Features:
    """Return the features that a user asked for; raise if they are not recognised.

    `columns` names the text columns if there are several.

    Examples
    --------
    >>> get_features("words+pairs").kind
    'words+pairs'
    >>> get_features(["auto", len]).sources[1].name
    'len'
    >>> get_features("wrds")
    Traceback (most recent call last):
    ...
    ValueError: features is 'wrds'; choose one of auto, words, words+pairs, characters, meaning, \
or give a scikit-learn vectorizer, a pipeline on text, a callable that returns vectors, or a list \
of these; did you mean 'words'?
    """
    sources = feature_sources(features)
    kinds = [source for source in sources if _is_kind(source)]
    own_sources = [_source(source) for source in sources if not _is_kind(source)]
    # Words first: other packages find them by their numbers.
    kinds.sort(key=lambda kind: kind == "characters")
    texts = [TextFeatures(kind, language, columns) for kind in kinds]
    if len(sources) == 1:
        return texts[0] if texts else OwnFeatures(*own_sources[0])
    names: list[str | None] = [name for _, name in own_sources]
    for k, (source, _) in enumerate(own_sources):
        name = OwnFeatures(source, names[k]).name
        names[k] = name if name not in names[:k] else f"{name} {k + 1}"
    beside = [
        OwnFeatures(source, name, beside=True)
        for (source, _), name in zip(own_sources, names, strict=True)
    ]
    return SideBySide((*texts, *beside))


def feature_sources(features: object) -> "list[str | FeatureSource]":
    """Return the sources of features that a user asked for; raise if one is not recognised.

    The user gives a list, or names joined by plus signs, as in the names of methods.

    Examples
    --------
    >>> feature_sources("words+pairs+meaning"), feature_sources(["auto"])
    (['words+pairs', 'meaning'], ['auto'])
    """
    sources: list[str | FeatureSource] = []
    for source in features if isinstance(features, list | tuple) else [features]:
        if not isinstance(source, str):
            sources.append(source)
            continue
        joined = source.replace("words+pairs", "words&pairs").split("+")
        names = [name.strip().replace("&", "+") for name in joined]
        sources += names if all(name in _NAMES for name in names) else [source]
    for source in sources:
        _check_source(source)
    kinds = [source for source in sources if _is_kind(source)]
    for blocks in ({"auto", "words", "words+pairs"}, {"auto", "characters"}):
        same = [kind for kind in kinds if kind in blocks]
        if len(same) > 1:
            raise ValueError(
                f"features lists {' and '.join(map(repr, same))}, which have terms in common; list "
                "one of them"
            )
    if not sources or any(sources.count(name) > 1 for name in _NAMED):
        raise ValueError(f"features is {features!r:.60}; list one source or more, each once")
    return sources


def name_of_features(features: object) -> str | None:
    """Return features as one name, as in the names of methods; None if not all are names.

    Examples
    --------
    >>> name_of_features(["auto", "meaning"]), name_of_features("words"), name_of_features([len])
    ('auto+meaning', 'words', None)
    """
    sources = features if isinstance(features, list | tuple) else [features]
    names = [source for source in sources if isinstance(source, str)]
    return "+".join(names) if len(names) == len(sources) else None


def _check_source(source: object) -> None:
    if isinstance(source, str):
        is_known = source in _NAMES
    else:  # a class is callable, but does not return vectors
        is_known = (callable(source) or is_vectorizer(source)) and not isclass(source)
    if not is_known:
        hint = did_you_mean(source, _NAMES) if isinstance(source, str) else ""
        raise ValueError(
            f"features is {source!r:.60}; choose one of {', '.join(_NAMES)}, or give a "
            "scikit-learn vectorizer, a pipeline on text, a callable that returns vectors, or a "
            f"list of these{hint}"
        )


def _is_kind(source: object) -> TypeGuard[Kind]:
    return isinstance(source, str) and source in FEATURES


def _source(source: "str | FeatureSource") -> tuple[FeatureSource, str | None]:
    """Return what makes vectors, and the name to show if it is not the function's own."""
    return (_NAMED[source](), source) if isinstance(source, str) else (source, None)


def is_named(source: object) -> TypeGuard[NamedSource]:
    """Return whether a name stands for a source of features."""
    return isinstance(source, tuple(_NAMED.values()))


def named_source(name: str) -> NamedSource:
    """Return the source of features that a name stands for; a second one has a number behind it."""
    kind = _NAMED.get(name.partition(" ")[0])
    if kind is None:
        raise ValueError(f"there is no source of features {name!r:.40} here; there are {_NAMES}")
    return kind()
