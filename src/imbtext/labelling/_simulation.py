"""Simulation: how much reading the loop would have saved.

The loop runs as it would for a person: it learns each label only when the document is read. Two
other ways of reading are compared with it: in the order of the file, and at random, whose expected
numbers are known exactly.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from imbtext._messages import did_you_mean, listed
from imbtext._typing import (
    DocumentsLike,
    FeaturesLike,
    Label,
    LabelsLike,
    RandomState,
    Record,
)
from imbtext.charts import PALETTE, altair
from imbtext.documents._labels import Labels
from imbtext.features.encoders import EncoderLike
from imbtext.labelling._decisions import NO
from imbtext.labelling._labelling import Labelling, QueriesLike
from imbtext.labelling._stopping import TARGET, check_target

if TYPE_CHECKING:
    from altair import LayerChart

# Shares of the class at which tables say what had to be read.
SHARES: Final = (0.5, 0.8, 0.95, 1.0)
_N_POINTS: Final = 200
_LABEL: Final = "class"


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """A review of documents whose labels are known; printed, it says in words what was saved.

    Attributes
    ----------
    label : object
        The class to find.
    rows : ndarray of int64
        The rows in the order they were read.
    is_class : ndarray of bool
        For each row of the documents, whether it is of the class.
    stopped_after : int or None
        How many documents were read when the rule first said to stop; None if it never did before
        the end.

    Examples
    --------
    >>> texts = ["oil price", "crude oil", "rain", "sun", "ice", "more rain"] * 4
    >>> simulation = simulate(texts, ["oil" in text for text in texts], words="oil")
    >>> simulation.n_read(1.0), simulation.n_read_in_file_order(1.0)
    (8, 20)
    """

    label: Label
    rows: NDArray[np.int64]
    is_class: NDArray[np.bool_]
    stopped_after: int | None

    def __repr__(self) -> str:
        return "\n".join(self.sentences())

    @property
    def curve(self) -> NDArray[np.int64]:
        """Documents of the class found after each document that was read."""
        return np.cumsum(self.is_class[self.rows])

    def n_read(self, share: float) -> int:
        """Return how many documents were read until a share of the class was found."""
        return int(np.searchsorted(self.curve, self._n_wanted(share))) + 1

    def n_read_in_file_order(self, share: float) -> int:
        """Return how many documents reading in the order of the file would have taken."""
        return int(np.searchsorted(np.cumsum(self.is_class), self._n_wanted(share))) + 1

    def n_read_at_random(self, share: float) -> float:
        """Return how many documents reading at random would have taken on average."""
        n, n_class = len(self.is_class), int(self.is_class.sum())
        return self._n_wanted(share) * (n + 1) / (n_class + 1)

    def _n_wanted(self, share: float) -> int:
        return max(1, math.ceil(share * int(self.is_class.sum()) - 1e-9))

    @property
    def recall_when_stopped(self) -> float:
        """The share of the class that was found when the rule said to stop, or at the end."""
        n_read = len(self.rows) if self.stopped_after is None else self.stopped_after
        return float(self.curve[n_read - 1] / self.is_class.sum())

    def table(self) -> list[Record]:
        """Return what had to be read for each share of the class, one dict per share."""
        return [
            {
                "share": share,
                "read": self.n_read(share),
                "in_file_order": self.n_read_in_file_order(share),
                "at_random": round(self.n_read_at_random(share)),
                "saved": 1 - self.n_read(share) / self.n_read_at_random(share),
            }
            for share in SHARES
        ]

    def sentences(self) -> list[str]:
        """Return what the simulation shows, in plain words."""
        n, n_class = len(self.is_class), int(self.is_class.sum())
        lines = [f'{n_class:,} of {n:,} documents are "{self.label}".']
        for row in self.table():
            lines.append(
                f"{row['share']:.0%} of them are found after reading {row['read']:,} documents; in "
                f"the order of the file after {row['in_file_order']:,}, at random after about "
                f"{row['at_random']:,}."
            )
        if self.stopped_after is None:
            lines.append("The rule did not say to stop before everything was read.")
        else:
            lines.append(
                f"The rule said to stop after {self.stopped_after:,} documents, when "
                f"{self.recall_when_stopped:.0%} were found: that saves "
                f"{1 - self.stopped_after / n:.0%} of the reading."
            )
        return lines

    def chart(self) -> "LayerChart":
        """Draw what was found against what was read, for the loop and the two other ways."""
        alt = altair()
        n, n_class = len(self.is_class), int(self.is_class.sum())
        places = np.unique(np.linspace(0, n, min(n, _N_POINTS) + 1).astype(int))
        # Most happens at the start, so every document there is a point.
        places = np.unique(np.concatenate([places, np.arange(min(n, _N_POINTS) + 1)]))
        in_file_order = np.concatenate([[0], np.cumsum(self.is_class)])
        by_loop = np.concatenate([[0], self.curve])
        curves = {
            "the loop": by_loop,
            "in file order": in_file_order,
            "at random": np.arange(n + 1) * n_class / n,
        }
        points = [
            {"way": way, "read": int(place), "found": float(curve[place])}
            for way, curve in curves.items()
            for place in places
        ]
        lines = (
            alt.Chart(alt.Data(values=points))
            .mark_line()
            .encode(
                alt.X("read:Q", title="documents read"),
                alt.Y("found:Q", title=f'found of {n_class:,} "{self.label}"'),
                alt.Color(
                    "way:N",
                    title=None,
                    scale=alt.Scale(domain=list(curves), range=PALETTE[:3]),
                ),
                tooltip=["way:N", "read:Q", "found:Q"],
            )
        )
        layers = [lines]
        if self.stopped_after is not None:
            stop = alt.Chart(
                alt.Data(values=[{"read": self.stopped_after, "rule": "the rule to stop"}])
            ).encode(alt.X("read:Q"), tooltip=["rule:N", "read:Q"])
            is_late = self.stopped_after > n / 2
            name = stop.mark_text(align="right" if is_late else "left", dx=-6 if is_late else 6)
            layers += [
                stop.mark_rule(strokeDash=[4, 4]),
                name.encode(alt.Text("rule:N"), y=alt.value(300)),
            ]
        chart: LayerChart = alt.layer(*layers).properties(width=560, height=320)
        return chart


def simulate(
    texts: DocumentsLike,
    labels: LabelsLike,
    label: Label = None,
    *,
    words: QueriesLike = None,
    examples: QueriesLike = None,
    encoder: "EncoderLike | None" = None,
    features: "FeaturesLike | None" = None,
    language: str | None = "english",
    target: float = TARGET,
    careful: bool = False,
    first: Sequence[int] = (),
    until: float = 1.0,
    step: float = 0.01,
    random_state: RandomState = 0,
    advance: Callable[[int], object] = lambda _: None,
) -> Simulation:
    """Run a labelling loop on documents whose labels are known.

    Parameters
    ----------
    texts, labels : documents and labels
        All documents, and a label for each.
    label : label, default=None
        The class to find; None means the rarer of two.
    words, examples, encoder, features, language, random_state
        As for `Labelling`. Without words and examples, documents are read at random until the first
        of the class is found.
    target : float, default=0.95
        The share of the class that the rule waits for before it says to stop.
    careful : bool, default=False
        Whether the rule assumes less of the ranking, as for `Labelling.progress`.
    first : rows, default=()
        Documents whose labels are known before the reading begins.
    until : float, default=1.0
        Read until this share of the class is found and the rule says to stop; 1 reads everything.
    step : float, default=0.01
        How many documents are chosen at a time, as a share of those read so far; at least one.
    advance : callable, default=do nothing
        Called with the number of documents that were just read.

    See Also
    --------
    imbtext.Labelling : The loop.

    Examples
    --------
    >>> texts = ["oil price", "crude oil", "rain", "sun", "ice", "wind"] * 3
    >>> labels = ["oil", "oil", "weather", "weather", "weather", "weather"] * 3
    >>> print(simulate(texts, labels, words="oil").sentences()[0])
    6 of 18 documents are "oil".
    """
    check_target(target)
    name, is_class = _class_to_find(Labels.of(labels, len(texts), "labels", several=True), label)
    known = np.full(len(is_class), None, dtype=object)
    known[list(first)] = [_LABEL if is_class[row] else NO for row in first]
    loop = Labelling(
        texts,
        known,
        classes=[_LABEL],
        words=words,
        examples=examples,
        encoder=encoder,
        features=features,
        language=language,
        random_state=random_state,
    )
    stopped_after = None
    n_found = int(is_class[list(first)].sum())
    while rows := loop.next(max(1, int(len(loop.read) * step))):
        loop.add(rows, [_LABEL if is_class[row] else NO for row in rows])
        n_found += int(is_class[rows].sum())
        advance(len(rows))
        if stopped_after is None and loop.progress(target=target, careful=careful).may_stop:
            stopped_after = len(loop.read)
        if stopped_after is not None and until < 1 and n_found >= until * is_class.sum():
            break
    if stopped_after == len(loop):
        stopped_after = None
    return Simulation(name, np.array(loop.read), is_class, stopped_after)


def _class_to_find(labels: Labels, label: Label) -> tuple[Label, NDArray[np.bool_]]:
    """Return the name of the class to find, and which documents are of it."""
    names = labels.classes.tolist()
    if label is None:
        if len(names) == 1:
            raise ValueError(f"all documents are {names[0]!r}; a simulation needs others, too")
        if len(names) != 2:
            raise ValueError(
                f"there are {len(names)} classes, {listed(names)}; say which one to find"
            )
        label = names[int(np.argmin([len(rows) for rows in labels.members]))]
    if label not in names:
        raise ValueError(
            f"no document is {label!r}; the classes are {listed(names)}{did_you_mean(label, names)}"
        )
    is_class = np.zeros(labels.n_documents, bool)
    is_class[labels.members[names.index(label)]] = True
    return label, is_class
