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

from imbtext._files import check_outputs, output_file
from imbtext._progress import progress_bar
from imbtext.tabular import (
    AddedColumns,
    Batch,
    DocumentChecks,
    DocumentColumns,
    Layout,
    TableError,
    TableFile,
    label_name,
    open_output,
    table_writer,
    typed,
)

if TYPE_CHECKING:
    from imbtext.classification import RareTextClassifier

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

    The table comes from :func:`imbtext.tabular.open_table`; `target` is never its file, and ``-``
    is standard output. Returns how many of all rows got each decision.
    """
    check_outputs([target], [table.path])
    checks = DocumentChecks(DocumentColumns(text))
    checks.turn_to(table)
    if layout.format == "parquet":
        (table,) = typed([table])
    counts: Counter[str] = Counter()
    best: _Best | None = None
    with (
        progress_bar(quiet=quiet) as bar,
        output_file(target) as partial,
        open_output(partial) as stream,
        table_writer(stream, [table], layout, text, request.added) as writer,
    ):
        scoring = bar.add_task("scoring", total=None)
        for batch in table.batches():
            cells, scores = request.cells(checks.texts(batch))
            counts.update(cells[f"{request.prefix}decision"])
            if request.top is not None:
                best = _Best.of(request.top, best, _Best(scores, batch, cells))
            elif request.uncertain is not None:
                best = _Best.of(request.uncertain, best, _Best(-np.abs(scores), batch, cells))
            else:
                writer.originals(batch, cells)
            bar.advance(scoring, len(batch.lines))
        if not checks.n_rows:
            raise TableError(f"{table.name} has no rows")
        if best is not None:
            writer.originals(best.batch, best.cells)
    return dict(counts)


@dataclass(frozen=True)
class _Best:
    """Rows, the best first, by their keys: of equals the first."""

    keys: NDArray[np.float64]
    batch: Batch
    cells: Cells

    @classmethod
    def of(cls, n: int, before: "_Best | None", more: "_Best") -> "_Best":
        """Return the `n` best of those so far and some more."""
        if before is not None:
            more = cls(
                np.concatenate([before.keys, more.keys]),
                before.batch.followed_by(more.batch),
                {name: before.cells[name] + values for name, values in more.cells.items()},
            )
        best = np.argsort(-more.keys, kind="stable")[:n].tolist()
        cells = {name: [values[i] for i in best] for name, values in more.cells.items()}
        return cls(more.keys[best], more.batch.at(best), cells)


def _shown(label: Any) -> str:
    if isinstance(label, set | frozenset):
        return "; ".join(sorted(map(label_name, label)))
    return label_name(label.item() if isinstance(label, np.generic) else label)
