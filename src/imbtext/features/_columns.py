"""Columns beside the text as terms: numbers, categories, dates and short strings.

A fraud team's row has an amount, a country, a channel, a date. skrub's `TableVectorizer` decides
what each column is: a number (also one written as a string), a date and its format, a category, or
a string with many different values. The model keeps only this decision, two words per column. No
object of skrub enters the model, so a saved model contains no code and predicts without skrub.

Each cell then becomes a few terms, as a text becomes words:

* a number becomes the interval it lies in, once among few and once among many intervals, which
  hold equal shares of the training rows; if nearly all rows have the least value, such as 0, all
  others are one interval;
* a category becomes its value;
* a date becomes its interval as a number, its month, its weekday and, if it has one, its hour;
* a string becomes its whole value and each of its words;
* a missing cell becomes the term "missing".

So a linear classifier can learn any function of a column, explanations name the column and its
value ("amount: 900 to 2500"), and a model file holds values and limits. Terms have the weights of
words (idf), because a rare value says more.

Terms and intervals are learnt from the rows that a fold may see (:meth:`TrainingColumns.seen_by`),
so nothing of its held-out rows leaks into it.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Final, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._extras import require
from imbtext.documents._corpus import offsets_of
from imbtext.documents._documents import Documents
from imbtext.features._features import Features, WeighedVectors
from imbtext.features._terms import (
    Occurrences,
    TermInWords,
    Terms,
    Vectors,
    idf_weights,
    positions,
)
from imbtext.records import checked_counts

ColumnKind = Literal["number", "date", "category", "string"]
# What a comma in a number separates: the fraction, or thousands.
CommaUse = Literal["decimal", "thousands"]

# How many intervals a number is cut into, each holding an equal share of the rows.
_INTERVALS: Final = (5, 20)
# Values of a category, and words of strings, that fewer rows have do not become terms.
_LEAST_ROWS: Final = 2
# Strings with more different values are not categories.
_MOST_CATEGORIES: Final = 40
# skrub sees at most this many rows to decide what a column is.
_MOST_ROWS: Final = 20_000
# What people write into an empty cell.
_NOTHING: Final = ("", "?", "-", "--", "...", "n/a", "na", "nan", "nat", "none", "null", "#n/a")
# A column of strings is one of numbers if all but this share of its cells are.
_OTHER_THAN_NUMBERS: Final = 0.02
_MISSING: Final = "missing"
# Characters around or inside numbers that do not change them.
_AROUND_NUMBERS: Final = r"(?i)[\s\u00a0\u202f_'$€£¥%]|^(eur|usd|gbp|chf)|(eur|usd|gbp|chf)$"
_WORDS: Final = r"[\p{L}\p{N}]+"
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True)
class ColumnReader:
    """How one column is read: its kind, and the format of its dates (None if they are dates)."""

    name: str
    kind: ColumnKind
    date_format: str | None = None
    comma: CommaUse = "decimal"

    def numbers(self, column: pl.Series) -> NDArray[np.float64]:
        """Return the column as numbers, NaN for a cell that is missing or not a number.

        Dates are days since 1970.
        """
        if self.kind == "date":
            seconds = self.dates(column).dt.epoch("s").cast(pl.Float64)
            return (seconds / 86_400).fill_null(np.nan).to_numpy()
        if column.dtype == pl.String:  # true and false of another file, where they are numbers
            lowered = column.str.to_lowercase().str.strip_chars()
            column = lowered.replace(["true", "false"], ["1", "0"])
        return _as_numbers(column, self.comma).fill_null(np.nan).to_numpy()

    def dates(self, column: pl.Series) -> pl.Series:
        """Return the column as points in time, null for a cell that is missing or not a date.

        Times with a time zone are in UTC, as in ``time=``. So the same moment is the same however
        a file writes it; a string with an offset keeps no other zone.
        """
        if column.dtype == pl.String:
            # Without a format, Polars finds one, and raises an error if the cells have none.
            with suppress(pl.exceptions.ComputeError):
                text = column.str.strip_chars()
                column = text.str.to_datetime(self.date_format, strict=False, time_unit="us")
        if column.dtype == pl.Datetime:
            in_utc = column.dt.convert_time_zone("UTC")
            return in_utc.dt.replace_time_zone(None).dt.cast_time_unit("us")
        if column.dtype == pl.Date:
            return column.cast(pl.Datetime("us"))
        return pl.Series(column.name, [None] * len(column), pl.Datetime("us"))

    def strings(self, column: pl.Series) -> pl.Series:
        """Return the column as lower-case strings without outer spaces, null if missing."""
        text = _as_strings(column).str.strip_chars().str.to_lowercase()
        return text.set(text.is_in(_NOTHING), None)


def comma_use(column: pl.Series) -> CommaUse:
    """Return what a comma in the numbers of a column means, judged by those that leave no doubt.

    In 1,234.50 and 1,234,567 it separates thousands. In 12,5 it separates the fraction, as in much
    of Europe.
    """
    if column.dtype != pl.String:
        return "decimal"
    text = column.str.replace_all(_AROUND_NUMBERS, "")
    thousands = text.str.contains(r"^[+-]?\d{1,3}(,\d{3})+\.\d+$|^[+-]?\d{1,3}(,\d{3}){2,}$")
    return "thousands" if int(thousands.sum()) else "decimal"


def _as_numbers(column: pl.Series, comma: CommaUse) -> pl.Series:
    """Return a column as numbers; strings may have commas, spaces and signs of money.

    A length of time is its seconds.
    """
    if column.dtype == pl.String:
        text = column.str.replace_all(_AROUND_NUMBERS, "")
        plain = text.cast(pl.Float64, strict=False)
        if comma == "thousands":
            grouped = text.str.contains(r"^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$")
            read = text.str.replace_all(",", "", literal=True)
        else:  # much of Europe writes 1234.5 as 1.234,50
            grouped = text.str.contains(r"^[+-]?\d{1,3}(\.\d{3})*,\d+$|^[+-]?\d+,\d+$")
            read = text.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
        numbers = plain.zip_with(~grouped.fill_null(False), read.cast(pl.Float64, strict=False))
    elif column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null):
        numbers = column.cast(pl.Float64)
    elif column.dtype == pl.Duration:
        numbers = column.dt.total_microseconds() / 1e6
    else:
        numbers = pl.Series(column.name, [None] * len(column), pl.Float64)
    return numbers.set(numbers.is_infinite().fill_null(False), None)


def _as_strings(column: pl.Series) -> pl.Series:
    if column.dtype.is_float():  # one file has 7.0 where another has 7
        values = column.to_list()
        shown = [None if v is None or math.isnan(v) else f"{v:.15g}" for v in values]
        return pl.Series(column.name, shown, pl.String)
    if column.dtype.is_nested() or column.dtype in (pl.Object, pl.Binary):
        return pl.Series(column.name, list(map(_spelt, column.to_list())), pl.String)
    return column.cast(pl.String)


def _spelt(value: object) -> str | None:
    return None if value is None else str(value)


def column_readers(table: pl.DataFrame) -> list[ColumnReader]:
    """Let skrub decide what each column is; raise for a column of lists, records or bytes."""
    skrub = require("skrub", "tables")
    require("pandas", "tables")
    sample = table
    if table.height > _MOST_ROWS:
        sample = table.gather_every(-(-table.height // _MOST_ROWS))
    for name, dtype in table.schema.items():
        if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
            raise TypeError(
                f"column {name!r} holds {str(dtype).lower()} values; columns beside the text must "
                "be numbers, strings, dates or true and false: leave it out or convert it"
            )
    vectorizer = skrub.TableVectorizer(
        cardinality_threshold=_MOST_CATEGORIES,
        numeric="passthrough",
        datetime="passthrough",
        low_cardinality="passthrough",
        high_cardinality="passthrough",
        drop_null_fraction=None,
    ).fit(pl.DataFrame([_prepared(sample[name]) for name in sample.columns]).to_pandas())
    kinds: dict[str, ColumnKind] = {
        "numeric": "number",
        "datetime": "date",
        "low_cardinality": "category",
        "high_cardinality": "string",
    }
    readers = []
    for name in table.columns:
        kind = kinds[vectorizer.column_to_kind_[name]]
        formats = [
            getattr(step, "format_", None) for step in vectorizer.all_processing_steps_[name]
        ]
        date_format = next((f for f in formats if f is not None), None) if kind == "date" else None
        comma = comma_use(sample[name]) if kind == "number" else "decimal"
        readers.append(ColumnReader(name, kind, date_format, comma))
    return readers


def _prepared(column: pl.Series) -> pl.Series:
    """Return a column for skrub: placeholders become null, and odd cells among numbers too."""
    if column.dtype != pl.String:
        return column
    known = ColumnReader(column.name, "string").strings(column).drop_nulls()
    comma = comma_use(known)
    n_numbers = len(_as_numbers(known, comma).drop_nulls())
    if len(known) and n_numbers >= (1 - _OTHER_THAN_NUMBERS) * len(known):
        return _as_numbers(column, comma)
    return column.set(ColumnReader(column.name, "string").strings(column).is_null(), None)


@dataclass(eq=False)
class ColumnTerms:
    """The terms of one column: where its intervals end, and which values it has.

    Numbers and dates have `limits` between few and between many intervals.
    """

    reader: ColumnReader
    limits: tuple[NDArray[np.float64], ...] = ()
    values: NDArray[np.object_] = field(default_factory=lambda: np.empty(0, dtype=object))

    def __post_init__(self) -> None:
        rising_limits = all((np.diff(limits) > 0).all() for limits in self.limits)
        if not rising_limits or (self.values[:-1] >= self.values[1:]).any():
            raise ValueError("the terms of a column are not in order")

    def learn(self, column: pl.Series) -> None:
        """Learn intervals and values from some rows."""
        if self.reader.kind in ("number", "date"):
            numbers = self.reader.numbers(column)
            known = numbers[~np.isnan(numbers)]
            shares = [np.arange(1, n) / n for n in _INTERVALS]
            cuts = [np.unique(np.quantile(known, s)) if len(known) else s[:0] for s in shares]
            # A value that all rows share does not separate anything.
            limits = [c[(c > known.min()) & (c <= known.max())] if len(c) else c for c in cuts]
            if len(known) and not len(limits[-1]):  # nearly all rows have the least value
                others = known[known > known.min()]
                if len(others) >= _LEAST_ROWS:
                    limits[-1] = others.min(keepdims=True)
            self.limits = tuple(limits)
        counts: dict[str, int] = {}
        for values in self._cell_values(column):
            for value in values:
                counts[value] = counts.get(value, 0) + 1
        kept = sorted(value for value, n in counts.items() if n >= _LEAST_ROWS)
        self.values = np.array(kept, dtype=object)

    def _cell_values(self, column: pl.Series) -> Iterator[set[str]]:
        """Return the values of each cell, without its intervals."""
        reader = self.reader
        if reader.kind == "number":
            missing = np.isnan(reader.numbers(column))
            yield from ({_MISSING} if is_missing else set() for is_missing in missing.tolist())
        elif reader.kind == "date":
            yield from map(_date_values, reader.dates(column).to_list())
        elif reader.kind == "category":
            yield from ({_MISSING if v is None else v} for v in reader.strings(column).to_list())
        else:
            strings = reader.strings(column)
            words = strings.str.extract_all(_WORDS).to_list()
            for string, string_words in zip(strings.to_list(), words, strict=True):
                yield {_MISSING} if string is None else {string, *string_words}

    def read(self, column: pl.Series) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the terms of all cells one after the other, and how many each cell has."""
        cell_values = list(self._cell_values(column))
        n_values = np.fromiter(map(len, cell_values), np.int64, len(cell_values))
        flat = np.array([value for values in cell_values for value in sorted(values)], dtype=object)
        places = positions(self.values, flat)
        first = sum(len(limits) + 1 for limits in self.limits)
        terms = np.where(places >= 0, places + first, -1).astype(np.int32)
        if not self.limits:
            return terms, n_values
        numbers = self.reader.numbers(column)
        intervals = np.empty((len(numbers), len(self.limits)), np.int32)
        begin = 0
        for k, limits in enumerate(self.limits):
            place = np.searchsorted(limits, numbers, side="right") + begin
            intervals[:, k] = np.where(np.isnan(numbers), -1, place)
            begin += len(limits) + 1
        n_intervals = np.full(len(numbers), len(self.limits))
        return _row_by_row([(terms, n_values), (intervals.ravel(), n_intervals)])

    def is_unread(self, column: pl.Series) -> NDArray[np.bool_]:
        """Return which cells are missing, unreadable, or of a category that was never seen."""
        if self.reader.kind in ("number", "date"):
            return np.isnan(self.reader.numbers(column))
        strings = self.reader.strings(column)
        if self.reader.kind == "category":
            strings = strings.set(~strings.is_in(self.values.tolist()).fill_null(False), None)
        return strings.is_null().to_numpy()

    def names(self) -> list[str]:
        """Return each term as text."""
        names = []
        for limits in self.limits:
            shown = [self._shown(limit) for limit in limits.tolist()]
            if not shown:
                names.append("any value")
                continue
            names.append(f"below {shown[0]}")
            names += [f"{low} to {high}" for low, high in pairwise(shown)]
            names.append(f"{shown[-1]} or more")
        return [f"{self.reader.name}: {name}" for name in (*names, *self.values)]

    def _shown(self, limit: float) -> str:
        if self.reader.kind == "number":
            return f"{limit:.6g}"
        moment = np.datetime64(0, "s") + np.timedelta64(int(limit * 86_400), "s")
        return str(moment.astype("datetime64[D]"))


def _row_by_row(
    parts: Sequence[tuple[NDArray[np.int32], NDArray[np.int64]]],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Join terms of the same rows; a part has its terms, and how many of them each row has."""
    rows = np.concatenate([np.repeat(np.arange(len(n_terms)), n_terms) for _, n_terms in parts])
    terms = np.concatenate([terms for terms, _ in parts])
    return terms[np.argsort(rows, kind="stable")], np.sum([n_terms for _, n_terms in parts], axis=0)


def _date_values(moment: datetime | None) -> set[str]:
    if moment is None:
        return {_MISSING}
    values = {f"month {moment.month}", _WEEKDAYS[moment.weekday()]}
    if moment.hour or moment.minute:
        values.add(f"{moment.hour} o'clock")
    return values


@dataclass(eq=False)
class ColumnFeatures(Features):
    """The columns beside the text as one block of terms.

    Parameters
    ----------
    columns : tuple of ColumnTerms, default=()
        The terms of each column. If empty, skrub decides during learning how each is read.
    frequencies : ndarray of int64
        How many rows have each term.
    n_documents : int
        How many rows it learnt from.
    """

    columns: tuple[ColumnTerms, ...] = ()
    frequencies: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    n_documents: int = 0
    weights: NDArray[np.float64] = field(init=False, default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        if self.n_documents:
            checked_counts(self.frequencies, (sum(self.widths),))
            if int(self.frequencies.max(initial=0)) > self.n_documents:
                raise ValueError("a term is in more rows than there are")
            self.weigh(self.frequencies, self.n_documents)

    @property
    def about(self) -> str:
        readers = (column.reader for column in self.columns)
        kinds = ", ".join(f"{reader.name} ({reader.kind})" for reader in readers)
        return f"{kinds}: {len(self.weights):,} terms"

    @property
    def names_of_columns(self) -> list[str]:
        """The columns that are read."""
        return [column.reader.name for column in self.columns]

    @property
    def widths(self) -> list[int]:
        """How many terms each column has."""
        return [len(column.names()) for column in self.columns]

    def unread(self, documents: Documents) -> dict[str, tuple[int, float]]:
        """Return how many cells of each column are uninformative, and the share that was missing.

        The share is that of the training rows; `ColumnTerms.is_unread` defines it.
        """
        table, found = _table_of(documents), {}
        known = dict(zip(self.names().tolist(), self.frequencies.tolist(), strict=True))
        for column in self.columns:
            name = column.reader.name
            share = known.get(f"{name}: {_MISSING}", 0) / max(self.n_documents, 1)
            found[name] = int(column.is_unread(table[name]).sum()), share
        return found

    def fresh(self) -> "ColumnFeatures":
        return ColumnFeatures(tuple(ColumnTerms(column.reader) for column in self.columns))

    def learn(self, documents: Documents) -> "TrainingColumns":
        table = _table_of(documents)
        if not self.columns:
            self.columns = tuple(map(ColumnTerms, column_readers(table)))
        self.weigh(*self.learn_terms(table))
        return TrainingColumns(self, table)

    def learn_terms(self, table: pl.DataFrame) -> tuple[NDArray[np.int64], int]:
        """Learn the terms of rows; return how many rows have each, and the number of rows."""
        for column in self.columns:
            column.learn(table[column.reader.name])
        return self.read_table(table).frequencies(), table.height

    def weigh(self, frequencies: NDArray[np.int64], n_documents: int) -> None:
        """Take the weights of the terms from the number of rows that have each."""
        self.frequencies, self.n_documents = frequencies, n_documents
        self.weights = idf_weights(frequencies, n_documents)

    def read_table(self, table: pl.DataFrame) -> Terms:
        """Return the terms of rows."""
        parts, first = [], 0
        for column, width in zip(self.columns, self.widths, strict=True):
            terms, n_terms = column.read(table[column.reader.name])
            moved = np.where(terms >= 0, terms + first, -1).astype(np.int32)
            parts.append((moved, n_terms))
            first += width
        terms, n_terms = _row_by_row(parts)
        return Terms.of_blocks([Occurrences.of_terms(terms, offsets_of(n_terms), first)])

    def read(self, documents: Documents) -> Vectors:
        return self.read_table(_table_of(documents)).vectors(self.weights)

    def names(self, *, spelt: bool = False) -> NDArray[np.object_]:  # noqa: ARG002  as they are
        names = [name for column in self.columns for name in column.names()]
        return np.array(names, dtype=object)

    def find(self, documents: Documents) -> list[list[TermInWords]]:
        return self.read(documents).terms.named(self.names())


@dataclass(frozen=True, eq=False)
class TrainingColumns:
    """The training rows of `ColumnFeatures`: each fold learns its own intervals and values."""

    features: ColumnFeatures
    table: pl.DataFrame

    def fitted_on(self, indices: NDArray[np.int64] | None = None) -> ColumnFeatures:
        """Return the features as learnt from the rows at `indices` alone (None: all)."""
        if indices is None:
            return self.features
        part = self.features.fresh()
        part.weigh(*part.learn_terms(self.table[indices]))
        return part

    def seen_by(self, indices: NDArray[np.int64] | None = None) -> WeighedVectors:
        part = self.fitted_on(indices)
        return WeighedVectors(part.read_table(self.table).vectors(part.weights), part.frequencies)

    def known_shares(self, folds: NDArray[np.integer], *, in_time: bool = False) -> None:  # noqa: ARG002  no words to know
        return None


def _table_of(documents: Documents) -> pl.DataFrame:
    if documents.columns is None:
        raise ValueError(
            "the model reads columns beside the text, but the documents have none; pass a table"
        )
    return documents.columns
