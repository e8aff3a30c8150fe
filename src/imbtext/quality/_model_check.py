"""The result of a check: comparisons, words that rose and fell, a page.

The check itself is in ``_check.py``. This is what it returns, what notebooks show and what
``imbtext check --report`` writes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Final

from imbtext.pages._page import Chart, Page, Section, Table
from imbtext.thresholds._expectation import Expectation
from imbtext.thresholds._plot import period_chart
from imbtext.writing import write_text

# How often a file of the same source may be called drifted.
LEVEL: Final = 0.04
_MOST_SENTENCES: Final = 4


@dataclass(frozen=True)
class Finding:
    """One thing that was compared: what it was here, what was expected, and whether it is far.

    `numbers` are those of a chart: what was counted, and the least and the most that was expected.
    `day` is the first day of a period.
    """

    what: str
    here: str
    expected: str
    is_far: bool = False
    sentence: str = ""
    numbers: tuple[int, int, int] | None = None
    day: str = ""


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
    """

    n_documents: int
    findings: tuple[Finding, ...]
    rose: tuple[WordChange, ...] = ()
    fell: tuple[WordChange, ...] = ()
    periods: tuple[Finding, ...] = ()
    realised: tuple[Expectation, ...] = field(default=(), repr=False)

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

    def _far_sentences(self) -> list[str]:
        return [finding.sentence for finding in (*self.findings, *self.periods) if finding.is_far]

    def page(self) -> Page:
        """Return everything as a page: text, Markdown or HTML."""
        sections = [Section("What was compared", table=_table(self.findings))]
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
                    f"By design, at most {100 * LEVEL:.0f}% of the files from the same source are "
                    "called drifted. A drift says that the model's promises may not hold here. It "
                    "does not say why: the class may have become more frequent, or the text may be "
                    "of another kind. Label some of these documents, or train again."
                ],
            )
        )
        title = "Drifted" if self.drifted else "As expected"
        if self.drifted:
            title += f": {self._far_sentences()[0]}"
        figures = [(f"{self.n_documents:,}", "documents looked at")]
        return Page("a check of new documents", title, figures, sections)

    def _time_section(self) -> Section:
        note = "Alarms and known words of each period."
        drawn = [
            (period.day, *period.numbers, period.is_far)
            for period in self.periods
            if period.numbers
        ]
        chart = None
        if len(drawn) > 1 and len({day for day, *_ in drawn}) == len(drawn):  # one class
            label = "The alarms of each period, with the range that was expected"
            chart = Chart(lambda: period_chart(drawn), label)
            note += " The band of the chart is what was expected."
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
