"""Predictions: decisions, scores and probabilities, as arrays and a table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._typing import Array, DocumentsLike
from imbtext.thresholds._exclusive import ExclusiveRule
from imbtext.thresholds._held_out import are_alarms


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """The predictions of a model, one entry per document; `to_frame` makes a table of them.

    `score` is the ranking's number, as in the card, in files and in `explain`. It does not change
    when a threshold moves. A document is put into the class if its score is above `threshold`,
    which stands beside it on the same scale; `probability` is the number for people. With two
    classes, all are those of the class to find. With more they are those of the predicted class,
    and where documents have several labels, of the class whose threshold it exceeds most. `rank` is
    the order in which to read.

    Besides, `n_alarms` is how many of them are put into each class that is looked for, and
    `known_shares` which share of each document's words is known (None where the features have no
    words). `nothing_known` says of which documents the model knows nothing: texts that are blank,
    gibberish or in another script. No metric puts them into a class to find, and of several
    exclusive classes they get the most frequent one.

    `documents` are those that were given. `class_scores` and `class_thresholds` are those of each
    class that is looked for, and `exclusive` says whether a document has exactly one of them.
    `count_unread` says what `unread` is; few ask, so it is not counted for everybody.
    """

    decision: Array
    score: NDArray[np.float64]
    threshold: NDArray[np.float64]
    probability: NDArray[np.float64]
    class_scores: NDArray[np.float64]
    class_thresholds: NDArray[np.float64]
    exclusive: bool
    known_shares: NDArray[np.float64] | None
    nothing_known: NDArray[np.bool_]
    documents: DocumentsLike | None = None
    count_unread: Callable[[], dict[str, tuple[int, float]]] = dict
    rule: ExclusiveRule | None = None

    @property
    def margin(self) -> NDArray[np.float64]:
        """The score less the threshold, above 0 for a document that is put into the class."""
        return self.score - self.threshold

    @property
    def rank(self) -> NDArray[np.int64]:
        """The place of each document in the order in which to read them, from 1.

        The document whose score is furthest above its threshold is the first. For one class to find
        that is the order of its scores; it does not matter which of two labels sorts first.

        Examples
        --------
        >>> from imbtext import RareTextClassifier
        >>> texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier(random_state=0).fit(texts, ["oil"] * 6 + ["rain"] * 27)
        >>> model.predictions(["rain", "crude oil", "oil and rain"]).rank.tolist()
        [3, 1, 2]
        """
        order = np.argsort(-self.margin, kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(1, len(order) + 1)
        return rank

    @property
    def unread(self) -> dict[str, tuple[int, float]]:
        """How many cells of each column are uninformative, and the share to expect."""
        return self.count_unread()

    @property
    def n_alarms(self) -> NDArray[np.int64]:
        """How many documents are put into each class that is looked for."""
        return self.n_alarms_at(self.class_thresholds)

    def n_alarms_at(self, thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return how many documents other thresholds would put into each class."""
        return np.asarray(self.alarms_at(thresholds).sum(axis=0))

    def alarms_at(self, thresholds: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return whether thresholds put each document into each class."""
        margins = self.class_scores - thresholds
        if self.rule is not None:
            margins = self.rule.margins(self.class_scores, thresholds)
        return are_alarms(margins, exclusive=self.exclusive)

    def to_frame(self) -> Any:
        """Return one row per document: decision, score, threshold and probability.

        It is of the kind of the documents: pandas, with their index, if they came in a pandas table
        or column, Arrow if they came in one of Arrow, and else a Polars frame.

        Examples
        --------
        >>> import pandas as pd
        >>> from imbtext import RareTextClassifier
        >>> texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier(random_state=0).fit(texts, [1] * 6 + [0] * 27)
        >>> new = pd.Series(["crude oil", "rain"], index=["a", "b"])
        >>> model.predictions(new).to_frame()["decision"].to_dict()
        {'a': 1, 'b': 0}
        """
        columns = self._columns()
        given = nw.from_native(self.documents, allow_series=True, pass_through=True)
        if not isinstance(given, nw.DataFrame | nw.Series):
            return pl.DataFrame(columns)
        frame = nw.from_dict(columns, backend=given.implementation).to_native()
        index = nw.maybe_get_index(given)
        if index is not None:
            frame.index = index
        return frame

    def __repr__(self) -> str:
        return repr(self.to_frame())

    def _repr_html_(self) -> str:
        return pl.DataFrame(self._columns())._repr_html_()

    def _columns(self) -> dict[str, Array | list[object]]:
        decision = self.decision
        rows = decision.tolist() if isinstance(decision, np.ndarray) else list(decision)
        rows = [sorted(row) if isinstance(row, set | frozenset) else row for row in rows]
        columns: dict[str, Array | list[object]] = {
            "decision": rows,
            "score": self.score,
            "threshold": self.threshold,
            "probability": self.probability,
        }
        if self.known_shares is not None:
            columns["known_words"] = self.known_shares
        columns["nothing_known"] = self.nothing_known
        return columns
