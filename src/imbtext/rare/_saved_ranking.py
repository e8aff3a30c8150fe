"""How a ranking is stored: its features and weights, checked when read.

What can be computed is not stored: weights of terms, and what makes the length of a document. A
callable is not stored either; a file keeps its name, and whoever loads the model gives it back.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from imbtext._messages import listed
from imbtext._typing import FeaturesLike, Label, Matrix
from imbtext.documents._labels import OneVsRest, label_array
from imbtext.features._columns import ColumnFeatures, ColumnReader, ColumnTerms
from imbtext.features._features import NO_TERM, Features
from imbtext.features._own_features import Centring, OwnFeatures
from imbtext.features._side_by_side import SideBySide
from imbtext.features._sources import NamedSource, is_named, named_source
from imbtext.features._terms import Alphabet, GramBlock, WordBlock
from imbtext.features._text_features import TextFeatures
from imbtext.rare._ranking import (
    BLEND,
    MOST_CLASSES,
    LinearRanking,
    Rankings,
    side_by_side,
    squared_gains,
)
from imbtext.records import Rank, checked_counts, label_kind, rising

Words = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class ClassesRecord:
    """How the classes of a model are stored."""

    form: Literal["binary", "multiclass", "sets", "indicator"]
    labels: tuple[Label, ...]
    modelled: NDArray[np.int64]

    @classmethod
    def of(cls, classes: OneVsRest) -> "ClassesRecord":
        """Take the classes; raise if a file cannot hold their labels."""
        label_kind(classes.classes)
        return cls(classes.form, tuple(classes.classes.tolist()), classes.modelled)

    def restored(self) -> OneVsRest:
        """Return the classes again."""
        if len(set(map(type, self.labels))) != 1:
            raise ValueError("its labels are of several types, or there are none")
        modelled = rising(self.modelled, np.int64, len(self.labels))
        return OneVsRest(self.form, label_array(list(self.labels)), modelled)


@dataclass(frozen=True, eq=False)
class TextRecord:
    """How the terms of the text are stored: words, neighbours by their numbers, and grams."""

    kind: Literal["auto", "words", "words+pairs", "characters"]
    language: str | None
    reads_tokens: bool
    columns: tuple[str | int, ...]
    words: Words | None
    spelt: Words | None
    pairs: NDArray[np.int64] | None
    alphabet: NDArray[np.uint32] | None
    grams: NDArray[np.uint64] | None

    @classmethod
    def of(cls, source: TextFeatures) -> "TextRecord":
        """Take the features that were learnt."""
        parts: dict[str, Any] = dict.fromkeys(("words", "spelt", "pairs", "alphabet", "grams"))
        for block in source.blocks:
            if isinstance(block, WordBlock):
                parts |= {"words": block.words, "spelt": block.spelt, "pairs": block.pairs}
            else:
                parts |= {"alphabet": block.alphabet.characters, "grams": block.grams}
        return cls(
            source.kind, source.language, source.reads_tokens, tuple(source.columns), **parts
        )

    def restored(self) -> TextFeatures:
        """Return the features again, not weighed yet."""
        features = TextFeatures(self.kind, self.language, self.columns)
        features.reads_tokens = self.reads_tokens
        for block in features.blocks:
            if isinstance(block, WordBlock):
                self._fill_words(block)
            else:
                self._fill_grams(block)
        return features

    def _fill_words(self, block: WordBlock) -> None:
        if self.words is None or self.spelt is None or self.pairs is None:
            raise ValueError("it has no words")
        block.words, block.spelt = self.words, self.spelt
        if len(block.spelt) != len(block.words) or (block.words[:-1] >= block.words[1:]).any():
            raise ValueError("its words are not in order")
        block.pairs = rising(self.pairs, np.int64, len(block.words) ** 2)
        if len(block.pairs) and not block.with_pairs:
            raise ValueError("it has pairs of words, which its features lack")

    def _fill_grams(self, block: GramBlock) -> None:
        if self.alphabet is None or self.grams is None:
            raise ValueError("it has no grams")
        block.alphabet = Alphabet(rising(self.alphabet, np.uint32, 2**32))
        block.grams = rising(self.grams, np.uint64, 2**64)
        # Each gram is four numbers of characters.
        numbers = block.grams.astype("<u8").view("<u2")
        if int(numbers.max(initial=0)) > len(block.alphabet.characters):
            raise ValueError("a gram has a character outside its alphabet")


@dataclass(frozen=True, eq=False)
class OwnRecord:
    """How features of the user's own are stored: the name and the width of a callable."""

    name: str
    width: int
    beside: bool
    mean: NDArray[np.float32] | None
    scale: float | None
    vectors: str | None

    @classmethod
    def of(cls, source: OwnFeatures) -> "OwnRecord":
        """Take the features that were learnt; raise if they are code that learns."""
        if source.learns:
            raise ValueError(
                f"features={source.source!r:.60} is code, and a model file holds none; use "
                "features of this package or a callable, or pickle the model for people who trust "
                "you"
            )
        centring = source.centring
        return cls(
            name=source.name,
            width=source.n_columns or 0,
            beside=source.beside,
            mean=None if centring is None else centring.mean,
            scale=None if centring is None else float(centring.scale),
            vectors=source.source.version if is_named(source.source) else None,
        )

    def restored(self) -> OwnFeatures:
        """Return the features again, without their callable."""
        source = OwnFeatures(self.vectors, self.name, beside=self.beside)
        source.n_columns = self.width
        if self.mean is not None and self.scale is not None:
            if len(self.mean) != self.width:
                raise ValueError(f"{self.name!r:.40} has a mean of another width")
            source.centring = Centring(self.mean, self.scale)
        return source


@dataclass(frozen=True, eq=False)
class ColumnRecord:
    """How the terms of one column beside the text are stored."""

    reader: ColumnReader
    limits: tuple[NDArray[np.float64], ...]
    values: Words

    def __post_init__(self) -> None:
        rising_limits = all((np.diff(limits) > 0).all() for limits in self.limits)
        if not rising_limits or (self.values[:-1] >= self.values[1:]).any():
            raise ValueError("the terms of a column are not in order")


@dataclass(frozen=True, eq=False)
class ColumnsRecord:
    """How the columns beside the text are stored, with the length of their block."""

    columns: tuple[ColumnRecord, ...]
    share: float

    @classmethod
    def of(cls, source: ColumnFeatures, share: float) -> "ColumnsRecord":
        """Take the features that were learnt."""
        columns = (ColumnRecord(c.reader, tuple(c.limits), c.values) for c in source.columns)
        return cls(tuple(columns), share)

    def restored(self) -> ColumnFeatures:
        """Return the features again, not weighed yet."""
        features = ColumnFeatures()
        for one in self.columns:
            column = ColumnTerms(one.reader)
            column.limits, column.values = list(one.limits), one.values
            features.columns.append(column)
        features.readers = [column.reader for column in features.columns]
        return features


@dataclass(frozen=True, eq=False)
class RankingRecord:
    """How a ranking is stored: its features, and the weights of all classes.

    `n_documents` is how many documents the terms were counted in, `frequencies` how many of them
    have each term, and `inside` how many documents of each class have it.
    """

    sources: tuple[TextRecord | OwnRecord | ColumnsRecord, ...]
    n_documents: int
    blend: float
    frequencies: NDArray[np.int64] | None
    inside: Annotated[NDArray[np.int64], Rank(2)] | None
    weights: Annotated[NDArray[np.float32], Rank(2)]
    constants: NDArray[np.float64]

    @classmethod
    def of(cls, ranking: LinearRanking) -> "RankingRecord":
        """Take a ranking that was trained."""
        features, batches = ranking.features, ranking.batches
        sources = sources_of(features)
        shares = features.shares if isinstance(features, SideBySide) else [1.0]
        weighed = [s for s in sources if isinstance(s, TextFeatures | ColumnFeatures)]
        frequencies = inside = None
        if batches[0].inside is not None:
            frequencies = np.concatenate(
                [
                    s.frequencies
                    if isinstance(s, TextFeatures | ColumnFeatures)
                    else np.zeros(_n_terms(s), np.int64)
                    for s in sources
                ]
            )
            inside = np.vstack([batch.inside for batch in batches if batch.inside is not None])
            # Columns that need not be terms are not counted.
            inside = np.where(frequencies > 0, inside, 0)
        return cls(
            sources=tuple(_record_of(*of) for of in zip(sources, shares, strict=True)),
            n_documents=weighed[0].n_documents if weighed else 0,
            blend=BLEND,
            frequencies=frequencies,
            inside=inside,
            weights=np.vstack([batch.weights[:, : len(batch.constants)].T for batch in batches]),
            constants=np.concatenate([batch.constants for batch in batches]),
        )

    def restored(self) -> LinearRanking:
        """Return the ranking again."""
        sources: list[Features] = [source.restored() for source in self.sources]
        shares = [s.share if isinstance(s, ColumnsRecord) else 1.0 for s in self.sources]
        if not sources or not 0 < self.blend <= 1:
            raise ValueError("it has no features, or the share that terms keep is not a share")
        for source in sources:
            if isinstance(source, OwnFeatures):
                n_weights = self.weights.shape[1]
                if source.n_columns is None or not 0 <= source.n_columns <= n_weights:
                    raise ValueError(f"{source.name!r:.40} has more columns than weights")
        idf, frequencies = self._weigh(sources)
        features = sources[0] if len(sources) == 1 else SideBySide(sources, shares)
        k, n_dense = len(self.constants), sum(features.vectors_beside.values())
        if self.weights.shape != (k, len(idf) + n_dense) or not k:
            raise ValueError("the number of its weights is not that of its classes and terms")
        return LinearRanking(features, tuple(self._batches(idf, frequencies)))

    def _batches(
        self, idf: NDArray[np.float64], frequencies: NDArray[np.int64] | None
    ) -> list[Rankings]:
        k = len(self.constants)
        inside = None if frequencies is None else self._checked_inside(frequencies)
        batches = []
        for first in range(0, k, MOST_CLASSES):
            some = slice(first, first + MOST_CLASSES)
            counts = [None] * len(self.constants[some]) if inside is None else list(inside[some])
            batches.append(
                Rankings(
                    side_by_side(list(self.weights[some])),
                    side_by_side([squared_gains(idf, frequencies, n, self.blend) for n in counts]),
                    None if inside is None else inside[some],
                    self.constants[some],
                )
            )
        return batches

    def _checked_inside(self, frequencies: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many documents of each class have each term."""
        if self.inside is None:
            raise ValueError("it does not say how many documents of a class have a term")
        inside = checked_counts(self.inside, (len(self.constants), len(frequencies)))
        if (inside > np.maximum(frequencies, 0)).any():
            raise ValueError("a term is in more documents of a class than there are")
        return inside

    def _weigh(
        self, sources: list[Features]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
        """Weigh the terms of all sources; return the weights, and how many documents have each."""
        widths = list(map(_n_terms, sources))
        if all(isinstance(source, OwnFeatures) for source in sources):
            return np.ones(sum(widths)), None
        if self.frequencies is None:
            raise ValueError("it does not say how many documents have a term")
        frequencies = checked_counts(self.frequencies, (sum(widths),))
        if int(frequencies.max(initial=0)) > self.n_documents or self.n_documents > 2**53:
            raise ValueError("a term is in more documents than there are")
        idf, ends = [], np.cumsum([0, *widths])
        for source, (first, end) in zip(sources, pairwise(ends), strict=True):
            if isinstance(source, TextFeatures | ColumnFeatures):
                source.weigh(frequencies[first:end], self.n_documents)
                idf.append(source.weights)
            else:
                frequencies[first:end] = NO_TERM
                idf.append(np.ones(end - first))
        return np.concatenate(idf), frequencies


def sources_of(features: Features) -> list[Features]:
    """Return the sources that stand side by side, or the only one."""
    return features.sources if isinstance(features, SideBySide) else [features]


def _record_of(source: Features, share: float) -> TextRecord | OwnRecord | ColumnsRecord:
    if isinstance(source, OwnFeatures):
        return OwnRecord.of(source)
    if isinstance(source, ColumnFeatures):
        return ColumnsRecord.of(source, share)
    assert isinstance(source, TextFeatures)
    return TextRecord.of(source)


def _n_terms(source: Features) -> int:
    if isinstance(source, OwnFeatures):
        return 0 if source.vectors_beside else source.n_columns or 0
    if isinstance(source, ColumnFeatures):
        return sum(source.widths)
    assert isinstance(source, TextFeatures)
    return len(source.least)


def restore_callables(
    features: Features,
    path: str | os.PathLike[str],
    callables: Mapping[str, Callable[..., Matrix]],
) -> FeaturesLike:
    """Give the callables back that a model was trained with; return its parameter `features`.

    Sources that have a name load alone.
    """
    sources = sources_of(features)
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
