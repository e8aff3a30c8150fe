"""The features of a model file: how they are written, read, checked and given back their callables.

They stand apart from the rest of the file (``_saved.py``), because features come in four kinds and
everything else in one.
"""

import os
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imbtext._archive import Arrays, checked, checked_counts, checked_numbers, rising, word_array
from imbtext._messages import listed
from imbtext._typing import ColumnName, Matrix, Record
from imbtext.features import (
    COLUMN_KINDS,
    COMMA_USES,
    NO_TERM,
    Alphabet,
    Centring,
    ColumnFeatures,
    ColumnReader,
    ColumnTerms,
    Features,
    GramBlock,
    Meaning,
    OwnFeatures,
    SideBySide,
    TextFeatures,
    WordBlock,
    feature_sources,
)

if TYPE_CHECKING:
    from imbtext.rare._classifier import RareTextClassifier


def features_about(model: "RareTextClassifier") -> tuple[Record, Arrays]:
    """Return what a file holds of the features: of a callable, its name and its width."""
    sources = _sources_of(model._features)
    texts = [source for source in sources if isinstance(source, TextFeatures)]
    first = texts[0] if texts else None
    about: Record = {
        "features": "+".join(text.kind for text in texts) or None,
        "language": model.language if first is None else first.language,
        "tokens": first is not None and first.reads_tokens,
        "documents": model.learnt_from_.n_documents if first is None else first.n_documents,
    }
    arrays: Arrays = {}
    frequencies: list[NDArray[np.int64]] = []
    own: list[Record] = []
    for source, share in zip(sources, _shares_of(model._features), strict=True):
        if isinstance(source, OwnFeatures):
            own.append(_own_about(source))
            if source.centring is None:
                frequencies.append(np.zeros(source.n_columns or 0, np.int64))
            else:
                arrays[f"mean_{len(own)}"] = source.centring.mean
        elif isinstance(source, ColumnFeatures):
            frequencies.append(source.frequencies)
            about["columns"] = [_column_about(column) for column in source.columns]
            about["columns_share"] = share
        elif isinstance(source, TextFeatures):
            frequencies.append(source.frequencies)
            words, of_blocks = _blocks_about(source)
            about |= words
            arrays |= of_blocks
    if own:
        about["own"] = own
    if model._rankings[0].inside is not None:
        counts = np.concatenate(frequencies)
        inside = np.vstack([batch.inside for batch in model._rankings if batch.inside is not None])
        # Columns that need not be terms are not counted.
        arrays = {"inside": np.where(counts > 0, inside, 0), "frequencies": counts} | arrays
    return about, arrays


def _blocks_about(source: TextFeatures) -> tuple[Record, Arrays]:
    """Return the words of the text, and the numbers of its pairs and grams."""
    about: Record = {}
    arrays: Arrays = {}
    for block in source.blocks:
        if isinstance(block, WordBlock):
            about |= {"words": block.words.tolist(), "spelt": block.spelt.tolist()}
            arrays["pairs"] = block.pairs
        else:
            arrays["alphabet"] = block.alphabet.characters
            arrays["grams"] = block.grams
    return about, arrays


def _sources_of(features: Features) -> list[Features]:
    return features.sources if isinstance(features, SideBySide) else [features]


def _shares_of(features: Features) -> list[float]:
    return features.shares if isinstance(features, SideBySide) else [1.0]


def _own_about(source: OwnFeatures) -> Record:
    if source.learns:
        raise ValueError(
            f"features={source.source!r:.60} is code, and a model file holds none; use features "
            "of this package or a callable, or pickle the model for people who trust you"
        )
    centring = source.centring
    return {
        "name": source.name,
        "width": source.n_columns,
        "beside": source.beside,
        "scale": None if centring is None else centring.scale,
        "vectors": source.source.version if isinstance(source.source, Meaning) else None,
    }


def _column_about(column: ColumnTerms) -> Record:
    return {
        "name": column.reader.name,
        "kind": column.reader.kind,
        "date_format": column.reader.date_format,
        "comma": column.reader.comma,
        "limits": [limits.tolist() for limits in column.limits],
        "values": column.values.tolist(),
    }


def read_sources(about: Record, arrays: Arrays, fields: tuple[ColumnName, ...]) -> list[Features]:
    """Return the features, not weighed yet and without the callables."""
    sources: list[Features] = []
    if about["features"] is not None:
        kinds = feature_sources(checked(about["features"], str))
        sources += [_text_features(kind, about, arrays, fields) for kind in kinds]
    for number, one in enumerate(about.get("own", []), start=1):
        vectors = one["vectors"]
        source = OwnFeatures(
            None if vectors is None else checked(vectors, str),
            checked(one["name"], str),
            beside=checked(one["beside"], bool),
        )
        source.n_columns = checked(one["width"], int)
        if not 0 <= source.n_columns <= arrays["weights"].shape[1]:
            raise ValueError(f"{source.name!r:.40} has more columns than weights, or fewer than 0")
        if one["scale"] is not None:
            mean = checked_numbers(arrays[f"mean_{number}"], (source.n_columns,))
            (scale,) = checked_numbers(np.array([one["scale"]]), (1,))
            source.centring = Centring(mean.astype(np.float32), float(scale))
        sources.append(source)
    if about.get("columns"):
        sources.append(_columns(about["columns"]))
    if not sources:
        raise ValueError("it has no features")
    return sources


def _columns(saved: list[Record]) -> ColumnFeatures:
    """Return the columns beside the text, how they are read and their terms."""
    columns = ColumnFeatures()
    for one in saved:
        date_format = one["date_format"]
        if one["kind"] not in COLUMN_KINDS:
            raise ValueError(f"{one['kind']!r:.40} is not a kind of column")
        if one.get("comma", "decimal") not in COMMA_USES:
            raise ValueError(f"{one['comma']!r:.40} is not a known use of a comma")
        reader = ColumnReader(
            checked(one["name"], str),
            one["kind"],
            None if date_format is None else checked(date_format, str),
            one.get("comma", "decimal"),
        )
        column = ColumnTerms(reader)
        column.limits = [checked_numbers(np.array(x, float), (len(x),)) for x in one["limits"]]
        column.values = word_array(one["values"])
        rising_limits = all((np.diff(limits) > 0).all() for limits in column.limits)
        if not rising_limits or (column.values[:-1] >= column.values[1:]).any():
            raise ValueError("the terms of a column are not in order")
        columns.columns.append(column)
    columns.readers = [column.reader for column in columns.columns]
    return columns


def _text_features(
    kind: Any, about: Record, arrays: Arrays, fields: tuple[ColumnName, ...]
) -> TextFeatures:
    """Return the terms of the text, not weighed yet."""
    features = TextFeatures(kind, about["language"], fields)
    features.reads_tokens = checked(about["tokens"], bool)
    for block in features.blocks:
        if isinstance(block, WordBlock):
            _fill_words(block, about, arrays)
        else:
            _fill_grams(block, arrays)
    return features


def _fill_words(block: WordBlock, about: Record, arrays: Arrays) -> None:
    block.words = word_array(about["words"])
    block.spelt = word_array(about["spelt"])
    if len(block.spelt) != len(block.words) or (block.words[:-1] >= block.words[1:]).any():
        raise ValueError("its words are not in order")
    block.pairs = rising(arrays["pairs"], np.int64, len(block.words) ** 2)
    if len(block.pairs) and not block.with_pairs:
        raise ValueError("it has pairs of words, which its features lack")


def _fill_grams(block: GramBlock, arrays: Arrays) -> None:
    block.alphabet = Alphabet(rising(arrays["alphabet"], np.uint32, 2**32))
    block.grams = rising(arrays["grams"], np.uint64, 2**64)
    # Each gram is four numbers of characters.
    numbers = block.grams.astype("<u8").view("<u2")
    if int(numbers.max(initial=0)) > len(block.alphabet.characters):
        raise ValueError("a gram has a character outside its alphabet")


def weigh_sources(
    sources: list[Features], n_documents: int, arrays: Arrays
) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Weigh the terms of all sources; return the weights, and how many documents have each."""
    own = [source for source in sources if isinstance(source, OwnFeatures)]
    widths = list(map(_n_terms, sources))
    if len(own) == len(sources):
        return np.ones(sum(widths)), None
    frequencies = checked_counts(arrays["frequencies"], (sum(widths),))
    if int(frequencies.max(initial=0)) > n_documents:
        raise ValueError("a term is in more documents than there are")
    idf, ends = [], np.cumsum([0, *widths])
    for source, (first, end) in zip(sources, pairwise(ends), strict=True):
        if isinstance(source, TextFeatures | ColumnFeatures):
            source.weigh(frequencies[first:end], n_documents)
            idf.append(source.weights)
        else:
            frequencies[first:end] = NO_TERM
            idf.append(np.ones(end - first))
    return np.concatenate(idf), frequencies


def _n_terms(source: Features) -> int:
    if isinstance(source, OwnFeatures):
        return 0 if source.vectors_beside else source.n_columns or 0
    if isinstance(source, ColumnFeatures):
        return sum(source.widths)
    assert isinstance(source, TextFeatures)
    return len(source.least)


def give_back_callables(
    model: "RareTextClassifier",
    path: str | os.PathLike[str],
    callables: Mapping[str, Callable[..., Matrix]],
) -> None:
    """Give the callables back that a model was trained with; the vectors of words load alone."""
    sources = _sources_of(model._features)
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
            _check_vectors(source, path)
        source.source = callables.get(source.name) or Meaning()
    kinds = [source.kind for source in sources if isinstance(source, TextFeatures)]
    features = [
        *kinds,
        *(s.name if isinstance(s.source, Meaning) else s.source for s in user_sources),
    ]
    model.features = features[0] if len(features) == 1 else features


def _check_vectors(source: OwnFeatures, path: str | os.PathLike[str]) -> None:
    """Refuse a model of other vectors than those that are installed."""
    installed = Meaning()
    if source.source != installed.version:
        raise ValueError(
            f"{Path(path)} was trained with word vectors {source.source}, but the installed "
            f"{installed.package} has {installed.version}; install the version that it was trained "
            "with, or train it again"
        )
