"""Writing labels that are probably wrong, the most doubtful first.

It is not part of the command, so that Python can write the same table.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pyarrow

from imbtext.documents._documents import Documents
from imbtext.documents._label_names import label_name
from imbtext.quality._mislabelled import LabelDoubt, label_in_words
from imbtext.tables._conversion import write_table
from imbtext.tables._formats import Layout

_TYPES: Final = {
    "label": pyarrow.string(),
    "suggested": pyarrow.string(),
    "doubt": pyarrow.float64(),
    "words_for": pyarrow.string(),
    "words_against": pyarrow.string(),
    "copies": pyarrow.string(),
    "text": pyarrow.string(),
}


def write_label_doubts(
    doubts: Iterable[LabelDoubt],
    documents: Documents,
    out: Path,
    *,
    named: str = "line",
    output_format: str | None = None,
) -> None:
    """Write doubted labels with the names, labels and texts of their documents.

    `named` is the title of the first column, which has the documents' lines or ids. The column
    `copies` lists near-duplicates with other labels. The ending of `out` tells the format; ``-`` is
    standard output.
    """
    names = documents.ids or [str(row) for row in range(len(documents))]
    layout = Layout(output_format).for_output(out, Layout("csv"))
    doubts = list(doubts)
    cells: dict[str, list[object]] = {
        named: [names[doubt.row] for doubt in doubts],
        "label": [_label(documents.y[doubt.row]) for doubt in doubts],
        "suggested": [_label(doubt.suggested) for doubt in doubts],
        "doubt": [round(doubt.doubt, 4) for doubt in doubts],
        "words_for": [", ".join(doubt.words_for) for doubt in doubts],
        "words_against": [", ".join(doubt.words_against) for doubt in doubts],
        "copies": [
            "; ".join(f"{names[row]}: {_label(documents.y[row])}" for row in doubt.copies)
            for doubt in doubts
        ],
        "text": [str(documents[doubt.row]) for doubt in doubts],
    }
    write_table(out, layout, cells, {named: pyarrow.string()} | _TYPES)


def _label(label: object) -> str:
    if isinstance(label, set | frozenset):
        return label_in_words(label)
    return label_name(label)
