"""The audit of a model: which documents to read, and what they say."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from imbtext._typing import DocumentsLike, Label, RandomState
from imbtext.quality._audit import (
    AuditEstimates,
    Stratum,
    guaranteed,
    model_assisted,
    reading_order,
    split_budget,
)
from imbtext.randomness import draw_seed
from imbtext.rare._fitted import FittedModel
from imbtext.statistics import Interval
from imbtext.thresholds._held_out import are_alarms

# With fewer labels, what the model-assisted interval says is mostly the model's own word.
_ENOUGH_LABELS = 120


@dataclass(frozen=True)
class ScoredDocuments:
    """The probability of the class for each document, and whether the model puts it there."""

    probabilities: NDArray[np.float64]
    is_alarm: NDArray[np.bool_]

    @classmethod
    def of(cls, model: FittedModel, X: DocumentsLike, label: Label = None) -> "ScoredDocuments":
        """Read documents with a model; `label` is one of its classes, if it finds several."""
        c, scores = model.place(label), model.score(X).scores
        alarms = are_alarms(model.margins(scores), exclusive=model.exclusive)
        return cls(model.calibration.probabilities(scores)[:, c], alarms[:, c])

    def followed_by(self, *others: "ScoredDocuments") -> "ScoredDocuments":
        """Return these documents and others."""
        return ScoredDocuments(
            np.concatenate([self.probabilities, *(other.probabilities for other in others)]),
            np.concatenate([self.is_alarm, *(other.is_alarm for other in others)]),
        )


class Audit:
    """An audit of a model: a few documents to read, drawn at random from its alarms and the others.

    :meth:`imbtext.RareTextClassifier.audit` makes it.

    Parameters
    ----------
    scored : ScoredDocuments
        What the model says of all documents.
    budget : int
        How many documents to read.
    label : label
        The class that the model finds.
    random_state : int, RandomState or None, default=0
        What decides which documents are read. An audit with the same number and a larger budget
        names the same documents and more.

    Attributes
    ----------
    rows : ndarray of shape (budget,)
        The documents to read, alarms and others mixed, so that nobody who reads them knows which
        is which. An audit with a larger budget begins with other rows, but has these, too.
    """

    def __init__(
        self, scored: ScoredDocuments, budget: int, label: Label, random_state: RandomState = 0
    ) -> None:
        self.scored, self.label, self.budget = scored, label, budget
        self._seed = draw_seed(random_state)
        self._orders = reading_order(scored.is_alarm, self._seed)
        sizes = split_budget(budget, *map(len, self._orders))
        self._parts = [order[:n] for order, n in zip(self._orders, sizes, strict=True)]
        self.rows: NDArray[np.int64] = np.sort(np.concatenate(self._parts))

    def result(self, is_class: ArrayLike) -> "AuditResult":
        """Return what the labels say.

        Parameters
        ----------
        is_class : array-like of bool
            Whether each document of `rows` is of the class, in the same order.
        """
        answers = np.asarray(is_class)
        if answers.shape != self.rows.shape or answers.dtype != bool:
            raise ValueError(
                f"is_class has {answers.size} entries of {answers.dtype}; give True or False for "
                f"each of the {len(self.rows)} documents of rows"
            )
        alarms, others = (
            Stratum(len(order), len(part), int(answers[np.isin(self.rows, part)].sum()))
            for order, part in zip(self._orders, self._parts, strict=True)
        )
        return AuditResult(
            self.label,
            alarms,
            others,
            guaranteed(alarms, others),
            model_assisted(
                self.scored.probabilities, self.scored.is_alarm, self.rows, answers, self._seed
            ),
        )


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
        Recall and precision on all documents, with 95% limits that assume nothing but that the
        labels are right.
    model_assisted : Interval
        Recall with the narrower limits that also use the model's probabilities, recalibrated by the
        labels.
    """

    label: Label
    alarms: Stratum
    others: Stratum
    guaranteed: AuditEstimates
    model_assisted: Interval

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
                f"With fewer than {_ENOUGH_LABELS} labels, the last line is mostly the model's own "
                "word."
            )
        return [*lines, *self._cost_of_a_bound()]

    def _cost_of_a_bound(self) -> list[str]:
        """Say how many others must be read without a find, to be sure of half of the class."""
        found = self.alarms.estimate()
        if self.others.n_class or not found:
            return []
        # A lower limit L of recall with no find needs n >= 3.7 N L / (TP (1 - L)).
        needed = int(np.ceil(3.7 * self.others.n_documents * 0.5 / (found * 0.5)))
        if needed <= self.others.n_read or needed > self.others.n_documents:
            return []
        return [
            f"To guarantee that it finds more than half, read some {needed:,} of the others "
            "without finding any of the class there."
        ]

    def __repr__(self) -> str:
        return "\n".join(self.sentences())


def _in_words(limits: Interval) -> str:
    if np.isnan(limits.mean):
        return f"? ({100 * limits.lower:.0f} to {100 * limits.upper:.0f})"
    return f"{100 * limits.mean:.0f} ({100 * limits.lower:.0f} to {100 * limits.upper:.0f})"
