"""The audit of a model: which documents to read, and what they say."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike, NDArray

from imbtext._typing import Column, Label, RandomState
from imbtext.documents._periods import read_times
from imbtext.pages._page import Chart, Page, Section, Table
from imbtext.quality._audit import (
    AuditEstimates,
    Stratum,
    guaranteed,
    model_assisted,
    reading_order,
    split_budget,
)
from imbtext.quality._model_check import days_of
from imbtext.randomness import draw_seed
from imbtext.statistics import Interval
from imbtext.thresholds._plot import PeriodSeries, period_chart
from imbtext.thresholds._prevalence import Prevalence
from imbtext.writing import write_text

# With fewer labels, what the model-assisted interval says is mostly the model's own word.
_ENOUGH_LABELS = 120


class Audit:
    """An audit of a model: a few documents to read, drawn at random from its alarms and the others.

    :meth:`imbtext.RareTextClassifier.audit` makes it.

    Parameters
    ----------
    probabilities, is_alarm : ndarray of shape (n_documents,)
        The probability of the class for each document, and whether the model puts it there.
    budget : int
        How many documents to read.
    label : label
        The class that the model finds.
    random_state : int, RandomState or None, default=0
        What decides which documents are read. An audit with the same number and a larger budget
        names the same documents and more.
    prevalence : Prevalence, optional
        How many of the documents are of the class, by their scores alone.

    Attributes
    ----------
    rows : ndarray of shape (budget,)
        The documents to read, alarms and others mixed, so that nobody who reads them knows which
        is which. An audit with a larger budget begins with other rows, but has these, too.
    """

    def __init__(
        self,
        probabilities: NDArray[np.float64],
        is_alarm: NDArray[np.bool_],
        budget: int,
        label: Label,
        random_state: RandomState = 0,
        prevalence: Prevalence | None = None,
    ) -> None:
        self.probabilities, self.is_alarm = probabilities, is_alarm
        self.label, self.budget, self.prevalence = label, budget, prevalence
        self._seed = draw_seed(random_state)
        self._orders = reading_order(is_alarm, self._seed)
        sizes = split_budget(budget, *map(len, self._orders))
        self._parts = [order[:n] for order, n in zip(self._orders, sizes, strict=True)]
        self.rows: NDArray[np.int64] = np.sort(np.concatenate(self._parts))

    def __repr__(self) -> str:
        return f"Audit({self.label!r}: {len(self.rows):,} of {len(self.is_alarm):,} documents)"

    def result(
        self, is_class: ArrayLike, time: Column | None = None, every: str = "week"
    ) -> "AuditResult":
        """Return what the labels say.

        Parameters
        ----------
        is_class : array-like of bool
            Whether each document of `rows` is of the class, in the same order.
        time : array-like, default=None
            One date for each of all documents, read or not. The result then has recall in each
            period, too.
        every : {"day", "week", "month"}, default="week"
            How long a period is.
        """
        answers = np.asarray(is_class)
        if answers.shape != self.rows.shape or answers.dtype != bool:
            raise ValueError(
                f"is_class has {answers.size} entries of {answers.dtype}; give True or False for "
                f"each of the {len(self.rows)} documents of rows"
            )
        everything = np.ones(len(self.is_alarm), bool)
        alarms, others = self._strata(answers, everything)
        days = None if time is None else days_of(read_times(time, len(everything)), every)
        return AuditResult(
            self.label,
            alarms,
            others,
            guaranteed(alarms, others),
            self._assisted(answers),
            () if days is None else tuple(self._periods(answers, days)),
            self.prevalence,
        )

    def _strata(
        self, answers: NDArray[np.bool_], within: NDArray[np.bool_]
    ) -> tuple[Stratum, Stratum]:
        """Return the alarms and the other documents among some; what was read is drawn of them."""
        strata = []
        for order, part in zip(self._orders, self._parts, strict=True):
            here = within[self.rows] & np.isin(self.rows, part)
            n_documents = int(within[order].sum())
            strata.append(Stratum(n_documents, int(here.sum()), int(answers[here].sum())))
        alarms, others = strata
        return alarms, others

    def _periods(
        self, answers: NDArray[np.bool_], days: NDArray[np.str_]
    ) -> "Iterator[AuditedPeriod]":
        for day in np.unique(days).tolist():
            here = days == day
            assured = guaranteed(*self._strata(answers, here))
            yield AuditedPeriod(day, assured, self._assisted(answers, here))

    def _assisted(
        self, answers: NDArray[np.bool_], within: NDArray[np.bool_] | None = None
    ) -> Interval:
        return model_assisted(
            *(self.probabilities, self.is_alarm, self.rows, answers, self._seed), within=within
        )


@dataclass(frozen=True)
class AuditedPeriod:
    """What an audit found in a day, week or month, which begins on `day`."""

    day: str
    guaranteed: AuditEstimates
    model_assisted: Interval


@dataclass(frozen=True, repr=False)
class AuditResult:
    """What an audit found.

    Attributes
    ----------
    label : label
        The class that the model finds.
    alarms, others : Stratum
        The documents that the model puts into the class, and the others: how many there are, how
        many were read, and how many of these are of the class.
    guaranteed : AuditEstimates
        Recall and precision on all documents, and how many of these are of the class (`n_class`),
        with 95% limits that assume nothing but that the labels are right.
    model_assisted : Interval
        Recall with the narrower limits that also use the model's probabilities, recalibrated by the
        labels.
    periods : tuple of AuditedPeriod
        The same for each period, if times were given. Few documents of a period are read, so these
        limits are wide.
    prevalence : Prevalence or None
        How many of the documents are of the class, by their scores alone.
    """

    label: Label
    alarms: Stratum
    others: Stratum
    guaranteed: AuditEstimates
    model_assisted: Interval
    periods: tuple[AuditedPeriod, ...] = ()
    prevalence: Prevalence | None = None

    def sentences(self) -> list[str]:
        """Return what was found in words."""
        alarms, others = self.alarms, self.others
        n_read = alarms.n_read + others.n_read
        lines = [
            f"{n_read:,} of {alarms.n_documents + others.n_documents:,} documents were read: "
            f"{alarms.n_class} of {alarms.n_read} alarms and {others.n_class} of {others.n_read} "
            f"others are {self.label}.",
            f"Alarms that are right: {_in_words(self.guaranteed.precision)} of 100.",
            f"Found of 100, guaranteed: {_in_words(self.guaranteed.recall)}.",
            f"Found of 100, by the model's probabilities: {_in_words(self.model_assisted)}.",
        ]
        if n_read < _ENOUGH_LABELS:
            lines.append(
                f"With fewer than {_ENOUGH_LABELS} labels, it is mostly the model's own word."
            )
        lines += self._why_wide() + self._cost_of_a_bound()
        number = self.guaranteed.n_class
        lines.append(
            f"About {number.mean:,.0f} of all documents are {self.label}, guaranteed between "
            f"{number.lower:,.0f} and {number.upper:,.0f}."
        )
        return lines + self._by_scores()

    def _why_wide(self) -> list[str]:
        """Return why the guaranteed range is wide: each of the others stands for many."""
        others = self.others
        if not others.n_unread:
            return []
        return [
            "The guaranteed range is wide because each of the others that was read stands for "
            f"{others.n_documents / others.n_read:,.0f}: one find more would change much."
        ]

    def _by_scores(self) -> list[str]:
        """Return how many there would be by the scores alone, and whether labels contradict."""
        expected, number = self.prevalence, self.guaranteed.n_class
        if expected is None or not expected.is_known:
            return []
        lines = [
            "By the scores alone, if documents still look as in training: "
            f"{' '.join(expected.sentences())}"
        ]
        n_class = expected.n_class
        if n_class.lower > number.upper or n_class.upper < number.lower:
            lines.append("The labels contradict this: documents no longer look as in training.")
        return lines

    def _cost_of_a_bound(self) -> list[str]:
        """Return how many others to read without a find, to be sure of half of the class."""
        found, others = self.alarms.estimate(), self.others
        if others.n_class or not others.n_unread or not found > 0:
            return []
        # A lower limit L of recall with no find needs n >= 3.7 N L / (TP (1 - L)).
        needed = int(np.ceil(3.7 * others.n_documents * 0.5 / (found * 0.5)))
        if needed <= others.n_read:
            return []
        some = f"some {needed:,}" if needed < others.n_documents else f"all {others.n_documents:,}"
        return [
            f"To guarantee that it finds more than half, read {some} of the others without "
            "finding any of the class there."
        ]

    def page(self) -> Page:
        """Return everything as a page: text, Markdown or HTML."""
        found = self.guaranteed.recall
        n_read = self.alarms.n_read + self.others.n_read
        figures = [
            (f"{n_read:,}", "documents read"),
            (_in_words(self.guaranteed.precision), "of 100 alarms right"),
            (_in_words(found), "of 100 found, guaranteed"),
            (_in_words(self.model_assisted), "of 100 found, by the model's probabilities"),
        ]
        note = (
            "Ranges are 95% intervals. Guaranteed limits assume nothing but that the labels are "
            "right. The others also use the model's probabilities, recalibrated by the labels."
        )
        sections = [Section("How much it finds now", self.sentences(), note=note)]
        if self.periods:
            sections.append(self._time_section())
        return Page(
            "an audit of a model", f'How much it finds of "{self.label}"', figures, sections
        )

    def _time_section(self) -> Section:
        """Show recall and precision of each period, with their limits."""
        rows = [
            [
                period.day,
                _in_words(period.guaranteed.precision),
                _in_words(period.guaranteed.recall),
                _in_words(period.model_assisted),
            ]
            for period in self.periods
        ]
        series = [
            _series("found of 100, by probabilities", self.periods, lambda p: p.model_assisted),
            _series("found of 100, guaranteed", self.periods, lambda p: p.guaranteed.recall),
        ]
        chart = None
        if len(self.periods) > 1:
            label = "The share of the class that is found in each period, with its limits"
            chart = Chart(lambda: period_chart(series), label)
        columns = ["period from", "alarms right of 100", "found of 100", "by probabilities"]
        note = (
            "Few documents of a period were read, so the limits are wide. Where none of the class "
            "was found, guaranteed limits stand alone."
        )
        return Section("Over time", table=Table(columns, rows), chart=chart, note=note)

    def report(self, path: str | PathLike[str]) -> None:
        """Write the page as one HTML file."""
        write_text(self.page().html(), path)

    def __repr__(self) -> str:
        return "\n".join(self.sentences())

    def _repr_html_(self) -> str:
        return self.page().notebook_html()


def _series(
    what: str, periods: Sequence[AuditedPeriod], limits: Callable[[AuditedPeriod], Interval]
) -> PeriodSeries:
    """Return an interval of each period for a chart."""
    points = []
    for period in periods:
        mean, lower, upper = (100 * number for number in astuple(limits(period)))
        points.append((period.day, mean, np.fmin(lower, mean), np.fmax(upper, mean), False))
    return PeriodSeries(what, tuple(points))


def _in_words(limits: Interval) -> str:
    if np.isnan(limits.mean):
        return f"? ({100 * limits.lower:.0f} to {100 * limits.upper:.0f})"
    return f"{100 * limits.mean:.0f} ({100 * limits.lower:.0f} to {100 * limits.upper:.0f})"
