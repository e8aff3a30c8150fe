"""The past before the future: documents with a time, cut into periods.

A model of random folds learns from later documents and is tested on earlier ones. Texts change, so
its scores promise more than the next months will bring. :func:`cut_periods` sorts documents by time
instead and cuts them into periods. Each period but the first is scored by a model of the periods
before it. It is the idea of scikit-learn's ``TimeSeriesSplit``, with three differences:

* documents of the same time stay together;
* periods are cut so that each has its part of the rare classes, as far as time allows;
* the model does not learn from documents that share a group with tested ones.

>>> periods = cut_periods(np.arange(12), [np.array([1, 4, 7, 10])], 2)
>>> periods.numbers.tolist()
[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
>>> np.flatnonzero(periods.trained_on(2)).tolist()
[0, 1, 2, 3, 4, 5, 6, 7]
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from numbers import Real
from typing import ClassVar, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import Array, Column, Record
from imbtext.documents._containers import rows_of
from imbtext.documents._tokenization import is_missing

_KINDS: Final = "a list of dates, times or numbers, or a NumPy, pandas, Polars or Arrow column"
_ADVICE: Final = "write dates as 2024-05-31 or 2024-05-31 17:30, or give numbers"
_DAYS: Final = (
    *("%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"),
    *("%d-%b-%Y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y"),
)
_CLOCKS: Final = (*("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p", " %H.%M", " %H.%M.%S"),)
_FORMS_READ: Final = (
    "2024-05-31, 31.05.2024, 31/05/2024, 05/31/2024, 31-05-2024, 31 May 2024 and May 31, 2024, "
    "with 17:30, 17.30 or 5:30 PM behind them"
)
_STANDARDS: Final = (datetime.fromisoformat, parsedate_to_datetime)  # ISO 8601, then e-mails
Time = TypeVar("Time", float, datetime)
# The first period is learnt from and never tested; it is larger, because models of very few
# documents say little about the model of all of them.
_FIRST_SHARE: Final = 1 / 3


@dataclass(frozen=True, eq=False)
class Periods:
    """Documents in periods that follow one another.

    Attributes
    ----------
    numbers : ndarray of int8, or int16 if there are many periods
        The period of each document; documents of period 0 are used for training alone.
    starts : tuple of str
        When each period begins, in words.
    end : str
        The last time, in words.
    groups : ndarray or None
        Documents that share a value are never in training and test at once.
    """

    numbers: NDArray[np.signedinteger]
    starts: tuple[str, ...]
    end: str
    groups: Array | None = None
    in_time: ClassVar[bool] = True

    @property
    def n_tested(self) -> int:
        """The number of periods that are tested, numbered from 1."""
        return len(self.starts) - 1

    @property
    def tested(self) -> list[int]:
        """The numbers of the periods that are tested."""
        return list(range(1, self.n_tested + 1))

    def trained_on(self, period: int) -> NDArray[np.bool_]:
        """Return which documents the model of a tested period learns from."""
        earlier = self.numbers < period
        if self.groups is not None:
            earlier &= ~np.isin(self.groups, self.groups[self.numbers == period])
        return earlier

    def in_words(self) -> str:
        """Return how the documents are tested, in words."""
        periods, each = ("periods", "each") if self.n_tested > 1 else ("period", "which was")
        return (
            f"{self.n_tested} {periods} from {self.starts[1]} to {self.end}, {each} tested with a "
            "model of what came before"
        )


def cut_periods(
    times: Array,
    members: Sequence[NDArray[np.int64]],
    n_tested: int,
    groups: Array | None = None,
    class_share: float = 0.5,
) -> Periods:
    """Cut documents into a first period and `n_tested` others, or fewer if times are few.

    Periods have equal length. Half of that length is the period's share of all documents, the other
    half its share of the documents of the classes. So each period has some documents of a class
    that comes and goes. `class_share` replaces the second half.

    Parameters
    ----------
    times : ndarray
        The time of each document, see :func:`read_times`.
    members : sequence of ndarray
        The documents of each class.
    n_tested : int
        How many periods to test.
    groups : ndarray, optional
        Documents that share a value are never in training and test at once.
    """
    distinct, codes = np.unique(times, return_inverse=True)
    if len(distinct) < 2:
        raise ValueError(
            f"all {len(times):,} documents have the same time, {_in_words(distinct[0])}, so they "
            "cannot be put in order; leave the time out, or give one that tells them apart"
        )
    of_all = np.bincount(codes) / len(codes)
    of_classes = [np.bincount(codes[rows], minlength=len(distinct)) / len(rows) for rows in members]
    length = (1 - class_share) * of_all + class_share * np.mean(of_classes, axis=0)
    # A time belongs to the period that its middle lies in.
    middle = np.cumsum(length) - length / 2
    after_first = (middle - _FIRST_SHARE) / (1 - _FIRST_SHARE)
    numbers = np.clip(np.ceil(after_first * n_tested), 0, n_tested)
    _, firsts, numbers = np.unique(numbers, return_index=True, return_inverse=True)
    if len(firsts) < 2:  # one time has nearly all documents
        firsts, numbers = np.array([0, 1]), np.minimum(np.arange(len(distinct)), 1)
    starts = tuple(_in_words(distinct[first]) for first in firsts)
    kind = np.int8 if n_tested <= np.iinfo(np.int8).max else np.int16
    return Periods(numbers[codes].astype(kind), starts, _in_words(distinct[-1]), groups)


def _in_words(time: float | np.datetime64) -> str:
    if isinstance(time, np.datetime64):
        return str(time.astype("datetime64[D]"))
    return f"{time:.10g}"  # seconds since 1970 have ten digits


def read_times(
    time: Column | None, n_documents: int, name: str = "time", form: str | None = None
) -> Array:
    """Read one date, time or number per document, and return an array that can be sorted.

    Strings may be numbers, dates, or times as e-mails write them. Dates such as 01/02/2024 are
    refused if no other date shows whether the day or the month comes first. `form` says how they
    are written, as ``strptime`` takes it.

    Examples
    --------
    >>> read_times(["2024-05-31", "2024-06-01T12:00"], 2).astype("datetime64[h]").tolist()
    [datetime.datetime(2024, 5, 31, 0, 0), datetime.datetime(2024, 6, 1, 12, 0)]
    >>> read_times([2021, 2022.5], 2).tolist()
    [2021.0, 2022.5]
    >>> read_times(["05/06 2024"], 1, form="%m/%d %Y").astype("datetime64[D]").tolist()
    [datetime.date(2024, 5, 6)]
    """
    rows = rows_of(time, name, _KINDS)
    if len(rows) != n_documents:
        raise ValueError(
            f"X has {n_documents} documents and {name} has {len(rows)} entries; give one time per "
            "document"
        )
    missing = [
        i
        for i, row in enumerate(rows)
        if is_missing(row) or (isinstance(row, str) and not row.strip())
    ]
    if missing:
        more = f" (and {len(missing) - 1:,} more)" if len(missing) > 1 else ""
        raise ValueError(
            f"{name}[{missing[0]}] is missing{more}; each document needs a time: drop the "
            "documents without one, or fill it in"
        )
    if all(isinstance(row, str) for row in rows):
        return _read_strings([row.strip() for row in rows], name, form)
    if all(isinstance(row, Real) and not isinstance(row, bool | np.bool_) for row in rows):
        numbers = np.array([float(row) for row in rows])
        if not np.isfinite(numbers).all():
            raise ValueError(f"{name} holds an infinite number; {_ADVICE}")
        return numbers
    if all(isinstance(row, date | np.datetime64) for row in rows):
        return _array_of([_naive(row) for row in rows])
    odd = next(row for row in rows if not isinstance(row, date))
    kinds = ", ".join(sorted({type(row).__name__ for row in rows}))
    raise TypeError(f"{name} holds {kinds}, such as {odd!r:.40}; give dates, times or numbers")


def _naive(time: date | np.datetime64) -> np.datetime64:
    if isinstance(time, np.datetime64):
        return time
    if isinstance(time, datetime) and time.tzinfo is not None:
        with suppress(OverflowError):  # 0001-01-01T00:00+05:00 would be in the year 0
            time = time.astimezone(UTC)
        time = time.replace(tzinfo=None)
    return np.datetime64(time, "us")


def _array_of(times: Sequence[np.datetime64]) -> NDArray[np.datetime64]:
    return np.array(times, dtype="datetime64[us]")


def _read_strings(strings: Sequence[str], name: str, form: str | None = None) -> Array:
    """Read strings of one kind; times are few where documents are many, so each is read once."""
    distinct = list(dict.fromkeys(strings))
    if form is not None:
        in_form = partial(_read_date, form=form)
        given = {row: _read_all(in_form, [row]) for row in distinct}
        for row, read in given.items():
            if read is None:
                raise ValueError(
                    f"{name} holds {row!r:.40}, which is not written as {form!r}; give the form of "
                    "all times, such as '%d-%m-%Y %H.%M'"
                )
        return _array_of([_naive((given[row] or [])[0]) for row in strings])
    numbers = _read_all(float, distinct)
    if numbers is not None and np.isfinite(numbers).all():
        of_row: Record = dict(zip(distinct, numbers, strict=True))
        return np.array([of_row[row] for row in strings])
    times = next(filter(None, (_read_all(read, distinct) for read in _STANDARDS)), None)
    times = times or _dates(distinct, name)
    of_row = {row: _naive(time) for row, time in zip(distinct, times, strict=True)}
    return _array_of([of_row[row] for row in strings])


def _dates(strings: Sequence[str], name: str) -> list[datetime]:
    """Read dates as people write them, if they can be read in one way only."""
    readings: list[list[datetime]] = []
    forms = [day + clock for day in _DAYS for clock in _CLOCKS]
    for form in forms:
        times = _read_all(partial(_read_date, form=form), strings)
        if times is not None and times not in readings:
            readings.append(times)
    if len(readings) == 1:
        return readings[0]
    if readings:
        raise ValueError(
            f"{name} holds dates such as {strings[0]!r}, in which the day or the month may come "
            f"first; {_ADVICE}"
        )
    readers: list[Callable[[str], datetime]] = [*_STANDARDS]
    readers += [*(partial(_read_date, form=form) for form in forms)]
    unread = (row for row in strings if all(_read_all(read, [row]) is None for read in readers))
    odd = next(unread, None)
    if odd is not None:
        raise ValueError(
            f"{name} holds {odd!r:.40}, which cannot be read as a time; write {_FORMS_READ}. "
            "Or give their form, such as '%d-%m-%Y %H.%M' (--time-format)"
        )
    # Each is a time, but no single form reads all of them.
    first = next(read for read in readers if _read_all(read, strings[:1]) is not None)
    other = next((row for row in strings if _read_all(first, [row]) is None), strings[-1])
    raise ValueError(
        f"{name} writes times in several ways, such as {strings[0]!r:.40} and {other!r:.40}; write "
        f"all of them in one way, such as 2024-05-31"
    )


def _read_date(row: str, form: str) -> datetime:
    return datetime.strptime(row, form)


def _read_all(read: Callable[[str], Time], strings: Sequence[str]) -> list[Time] | None:
    """Read all strings; None if one of them cannot be read so."""
    try:
        return [read(row) for row in strings]
    except (ValueError, OverflowError):  # e-mails may have any number for a year
        return None
