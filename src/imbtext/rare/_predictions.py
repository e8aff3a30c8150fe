"""What a model says of documents: decisions, scores and probabilities, as arrays and as a table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._typing import Array, DocumentsLike


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """What a model says of documents, one entry each; `to_frame` makes a table of them.

    Besides, `n_alarms` is how many of them are put into each class that is looked for, and
    `known_shares` which share of each document's words is known (None where the features have no
    words). `documents` are those that were given. `class_scores` and `thresholds` are those of each
    class that is looked for, and `exclusive` says whether a document has exactly one of them.
    `count_unread` says what `unread` is; few ask, so it is not counted for everybody.
    """

    decisions: Array
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    class_scores: NDArray[np.float64]
    thresholds: NDArray[np.float64]
    exclusive: bool
    known_shares: NDArray[np.float64] | None
    documents: DocumentsLike | None = None
    count_unread: Callable[[], dict[str, tuple[int, float]]] = dict

    @property
    def unread(self) -> dict[str, tuple[int, float]]:
        """How many cells of each column beside the text tell nothing, and the share to expect."""
        return self.count_unread()

    @property
    def n_alarms(self) -> NDArray[np.int64]:
        """How many documents are put into each class that is looked for."""
        return self.n_alarms_at(self.thresholds)

    def n_alarms_at(self, thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return how many documents other thresholds would put into each class."""
        margins = self.class_scores - thresholds
        return np.asarray(are_alarms(margins, exclusive=self.exclusive).sum(axis=0))

    def to_frame(self) -> Any:
        """Return one row per document: decision, score less threshold and probability.

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
        decisions = self.decisions
        rows = decisions.tolist() if isinstance(decisions, np.ndarray) else list(decisions)
        rows = [sorted(row) if isinstance(row, set | frozenset) else row for row in rows]
        columns: dict[str, Array | list[object]] = {
            "decision": rows,
            "score": self.scores,
            "probability": self.probabilities,
        }
        if self.known_shares is not None:
            columns["known_words"] = self.known_shares
        return columns


def are_alarms(margins: NDArray[np.float64], *, exclusive: bool) -> NDArray[np.bool_]:
    """Return whether each document is put into each class, from its scores less the thresholds."""
    if not exclusive:
        return margins > 0
    return np.asarray(np.arange(margins.shape[1]) == np.argmax(margins, axis=1)[:, None])
