"""From a file of documents to the same rows with a decision, a score and a probability each.

Rows pass through: CSV, TSV, JSON lines and Parquet files may be larger than memory. Only the rows
that are asked for by ``top`` or ``uncertain`` are kept, as many as were asked for.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow
from numpy.typing import NDArray

from imbtext.progress import progress_bar
from imbtext.tables import (
    AddedColumns,
    Batch,
    DocumentColumns,
    DocumentReader,
    Layout,
    TableError,
    TableFile,
    label_name,
    open_output,
    table_writer,
    typed,
)
from imbtext.writing import check_outputs, output_file

if TYPE_CHECKING:
    from imbtext.rare import RareTextClassifier

Cells = dict[str, list[Any]]

_TYPES: Final = {
    "decision": pyarrow.string(),
    "score": pyarrow.float64(),
    "probability": pyarrow.float64(),
}
_WORDS: Final = {"words_for": pyarrow.string(), "words_against": pyarrow.string()}
_N_WORDS: Final = 8


@dataclass(frozen=True)
class Prediction:
    """What is to be written: what a model says, with `explain` the words for and against, too.

    Of all rows or only of so many: those of the highest scores (`top`, the highest first), or those
    nearest to the threshold (`uncertain`), most worth a label of a person. The names of the added
    columns begin with `prefix`.
    """

    model: "RareTextClassifier"
    explain: bool = False
    top: int | None = None
    uncertain: int | None = None
    prefix: str = ""

    def __post_init__(self) -> None:
        if self.top is not None and self.uncertain is not None:
            raise ValueError("the top rows and the uncertain rows are two files; ask for one")

    @property
    def added(self) -> AddedColumns:
        """The columns that are added."""
        types = _TYPES | (_WORDS if self.explain else {})
        named = {self.prefix + name: kind for name, kind in types.items()}
        return AddedColumns(named, "give the added columns a prefix", "prefix", "model-")

    def cells(self, texts: Sequence[str]) -> tuple[Cells, NDArray[np.float64]]:
        """Return the added cells of some documents, and their scores."""
        found = self.model.predictions(texts)
        cells: Cells = {
            "decision": [_shown(label) for label in found.decisions],
            "score": [round(score, 6) for score in found.scores.tolist()],
            "probability": [round(share, 6) for share in found.probabilities.tolist()],
        }
        if self.explain:
            reasons = self.model.explanations(texts)
            cells["words_for"] = [", ".join(r.words_for[:_N_WORDS]) for r in reasons]
            cells["words_against"] = [", ".join(r.words_against[:_N_WORDS]) for r in reasons]
        return {self.prefix + name: values for name, values in cells.items()}, found.scores


def predict_file(
    table: TableFile,
    target: Path,
    layout: Layout,
    text: str,
    request: Prediction,
    *,
    quiet: bool = True,
) -> dict[str, int]:
    """Write the rows of a table with what a model says of them, whole or not at all.

    The table comes from :func:`imbtext.tables.open_table`; `target` is never its file, and ``-``
    is standard output. Returns how many of all rows got each decision.
    """
    check_outputs([target], [table.path])
    reader = DocumentReader(DocumentColumns(text))
    reader.start(table)
    if layout.format == "parquet":
        (table,) = typed([table])
    counts: Counter[str] = Counter()
    wanted = request.top if request.uncertain is None else request.uncertain
    best = None if wanted is None else _Best(wanted)
    with (
        progress_bar(quiet=quiet) as bar,
        output_file(target) as partial,
        open_output(partial) as stream,
        table_writer(stream, [table], layout, text, request.added) as writer,
    ):
        scoring = bar.add_task("scoring", total=None)
        for batch in table.batches():
            cells, scores = request.cells(reader.documents(batch).texts)
            counts.update(cells[f"{request.prefix}decision"])
            if best is None:
                writer.originals(batch, cells)
            else:
                best.add(scores if request.uncertain is None else -np.abs(scores), batch, cells)
            bar.advance(scoring, len(batch))
        if not reader.n_rows:
            raise TableError(f"{table.name} has no rows")
        if best is not None:
            writer.originals(*best.rows())
    return dict(counts)


class _Best:
    """The `n` rows of the highest keys, of equals the first."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._parts: list[tuple[NDArray[np.float64], Batch, Cells]] = []
        self._n_waiting, self._least = 0, -np.inf

    def add(self, keys: NDArray[np.float64], batch: Batch, cells: Cells) -> None:
        """Look at some more rows; what is too low, or will be soon, is not held."""
        places = np.flatnonzero(keys > self._least).tolist()
        self._parts.append((keys[places], batch.at(places), _at(cells, places)))
        self._n_waiting += len(places)
        if self._n_waiting > self.n // 4:
            self.rows()

    def rows(self) -> tuple[Batch, Cells]:
        """Return the rows, the highest first."""
        first, *others = (batch for _, batch, _ in self._parts)
        keys = np.concatenate([keys for keys, _, _ in self._parts])
        whole = {
            name: [value for _, _, cells in self._parts for value in cells[name]]
            for name in self._parts[0][2]
        }
        best = np.argsort(-keys, kind="stable")[: self.n].tolist()
        batch, cells = first.followed_by(*others).at(best), _at(whole, best)
        self._parts, self._n_waiting = [(keys[best], batch, cells)], 0
        if len(best) == self.n:
            self._least = keys[best[-1]]
        return batch, cells


def _at(cells: Cells, places: list[int]) -> Cells:
    return {name: [values[i] for i in places] for name, values in cells.items()}


def _shown(label: Any) -> str:
    if isinstance(label, set | frozenset):
        return "; ".join(sorted(map(label_name, label)))
    return label_name(label.item() if isinstance(label, np.generic) else label)
