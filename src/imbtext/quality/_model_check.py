"""The result of a check: comparisons, words that rose and fell, a page.

The check itself is in ``_check.py``. This is what it returns, what notebooks show and what
``imbtext check --report`` writes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import Array
from imbtext.pages._page import Chart, Page, Section, Table
from imbtext.thresholds._expectation import Expectation
from imbtext.thresholds._plot import PeriodSeries, period_chart
from imbtext.thresholds._prevalence import Prevalence
from imbtext.writing import write_text

# How often a file of the same source may be called drifted.
LEVEL: Final = 0.04
_MOST_SENTENCES: Final = 4
PERIODS: Final = ("day", "week", "month")


@dataclass(frozen=True)
class Finding:
    """One thing that was compared: what it was here, what was expected, and whether it is far.

    `is_text` says whether it is the text that was compared, and not how frequent the class is.
    """

    what: str
    here: str
    expected: str
    is_far: bool = False
    sentence: str = ""
    is_text: bool = False


@dataclass(frozen=True)
class WordChange:
    """A word and the share of documents that had it in training and that have it here."""

    word: str
    before: float
    here: float


@dataclass(frozen=True, repr=False)
class ModelCheck:
    """What a check found.

    Attributes
    ----------
    n_documents : int
        How many documents were looked at.
    findings : tuple of Finding
        What was compared, and how far it is from what was expected.
    rose, fell : tuple of WordChange
        The words that became more and less frequent, the most surprising first.
    periods : tuple of Finding
        The alarms of each day, week or month, where times were given.
    realised : tuple of Expectation
        What came true, by class, where labels were given.
    prevalence : tuple of Prevalence
        How many documents are of each class, estimated without labels.
    n_trained_on : int
        About how many of the documents the model was trained on; 0 if they may all be new.
    over_time : tuple of PeriodSeries
        Alarms, known words, the documents of the class and, with labels, the share of them that is
        found, by period; for a model of one class.
    """

    n_documents: int
    findings: tuple[Finding, ...]
    rose: tuple[WordChange, ...] = ()
    fell: tuple[WordChange, ...] = ()
    periods: tuple[Finding, ...] = ()
    realised: tuple[Expectation, ...] = field(default=(), repr=False)
    prevalence: tuple[Prevalence, ...] = ()
    n_trained_on: int = 0
    over_time: tuple[PeriodSeries, ...] = ()

    @property
    def drifted(self) -> bool:
        """Whether something is further from the expected than chance explains."""
        return any(finding.is_far for finding in (*self.findings, *self.periods))

    @property
    def sentence(self) -> str:
        """The result in one line."""
        if not self.drifted:
            return f"{self.n_documents:,} documents, as expected"
        sentences = self._far_sentences()
        n_more = len(sentences) - _MOST_SENTENCES
        more = f"; and {n_more} more" if n_more > 0 else ""
        shown = "; ".join(sentences[:_MOST_SENTENCES])
        return f"{self.n_documents:,} documents, drifted: {shown}{more}"

    @property
    def sentences(self) -> list[str]:
        """The result, and how many documents are of each class, as far as that can be known.

        If the model finds several classes, only those are named that have become more or less
        frequent.
        """
        lines = [self.sentence]
        if self.n_trained_on:
            lines.append(
                f"The model seems to have been trained on about {self.n_trained_on:,} of these "
                "documents, so their scores are too good."
            )
        of_one_class = len(self.prevalence) == 1
        shown = [one for one in self.prevalence if one.is_known and (of_one_class or one.moved)]
        # Labels may say something else: the estimate does not look at them.
        source = "By the scores alone: " if self.realised else ""
        lines += [source + " ".join(one.sentences()) for one in shown]
        if shown and self._has_other_text:
            lines.append(
                "The text itself has changed, so this number may be far off: imbtext check "
                "--budget measures what the model finds now."
            )
        return lines

    @property
    def _has_other_text(self) -> bool:
        return any(finding.is_far for finding in self.findings if finding.is_text)

    def _far_sentences(self) -> list[str]:
        return [finding.sentence for finding in (*self.findings, *self.periods) if finding.is_far]

    def page(self) -> Page:
        """Return everything as a page: text, Markdown or HTML."""
        sections = [Section("What was compared", table=_table(self.findings))]
        if self.prevalence:
            sections.append(self._prevalence_section())
        if self.periods:
            sections.append(self._time_section())
        words = [
            (f"{change.word}", f"{100 * change.before:.1f}%", f"{100 * change.here:.1f}%")
            for change in (*self.rose, *self.fell)
        ]
        if words:
            columns = ["word", "documents in training", "documents here"]
            note = "First the words that rose, then those that fell, the most surprising first."
            sections.append(
                Section("Words that rose and fell", table=Table(columns, words), note=note)
            )
        sections.append(
            Section(
                "How far to trust this",
                [
                    f"At most {100 * LEVEL:.0f}% of unchanged files are reported as drifted. A "
                    "drift says that the model's promises may not hold here. It does not say why: "
                    "the class may have become more frequent, or the text may be of another kind. "
                    "Label some of these documents, or train again."
                ],
            )
        )
        title = "Drifted" if self.drifted else "As expected"
        if self.drifted:
            title += f": {self._far_sentences()[0]}"
        figures = [(f"{self.n_documents:,}", "documents looked at")]
        return Page("a check of new documents", title, figures, sections)

    def _prevalence_section(self) -> Section:
        """Return how many documents are of each class, and when that cannot be relied on."""
        items = [" ".join(one.sentences()) for one in self.prevalence]
        note = (
            "An estimate from the scores, with 95% limits. It holds if the documents of a class "
            "still look as in training, however frequent the class is now."
        )
        if self._has_other_text:
            note += (
                " Here the text itself has changed, so it may be far off: imbtext check --budget "
                "measures what the model finds now."
            )
        return Section("How many there are", items=items, note=note)

    def _time_section(self) -> Section:
        note = "Alarms and known words of each period."
        chart = None
        if self.over_time:
            shown = ", ".join(series.what for series in self.over_time)
            label = f"By period: {shown}, with their limits"
            chart = Chart(lambda: period_chart(self.over_time), label)
            note += (
                " In the chart, the bands of alarms and known words are what was expected. The "
                "other bands are 95% intervals."
            )
        return Section("Over time", table=_table(self.periods), note=note, chart=chart)

    def report(self, path: str | PathLike[str]) -> None:
        """Write the page as one HTML file."""
        write_text(self.page().html(), path)

    def __repr__(self) -> str:
        return self.page().text()

    def _repr_html_(self) -> str:
        return self.page().notebook_html()


def _table(findings: Sequence[Finding]) -> Table:
    rows = [
        [f.what, f.here, f.expected, "far off" if f.is_far else "as expected"] for f in findings
    ]
    return Table(["", "here", "expected", ""], rows)


def check_period(every: str) -> None:
    """Raise if `every` is not a day, week or month."""
    if every not in PERIODS:
        raise ValueError(f"every is {every!r:.40}; choose from {', '.join(PERIODS)}")


def days_of(times: Array, every: str) -> NDArray[np.str_]:
    """Return the first day of each time's day, week (from Monday) or month.

    Examples
    --------
    >>> days_of(np.array(["2024-05-31"], "datetime64[D]"), "week").tolist()
    ['2024-05-27']
    """
    check_period(every)
    if times.dtype.kind != "M":
        raise ValueError("periods need dates, such as 2024-05-31")
    days = times.astype("datetime64[D]")
    if every == "month":
        days = days.astype("datetime64[M]").astype("datetime64[D]")
    elif every == "week":
        days = days - (days.astype(np.int64) + 3) % 7  # 1970-01-01 was a Thursday
    return np.datetime_as_string(days, "D")
