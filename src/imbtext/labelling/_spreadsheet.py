"""Labelling in a spreadsheet: a table of documents to read, and back.

``imbtext label --next 50`` writes the documents worth reading next into a table beside the labels,
with an empty column ``decision``. The same command, typed again, first saves what was written
there. So everything that a session knows (its words, classes and seed) holds for spreadsheets, too.
"""

from pathlib import Path
from typing import Final

from imbtext.labelling._labels_file import open_edited
from imbtext.labelling._session import LabellingSession
from imbtext.tables._conversion import write_table
from imbtext.tables._formats import Layout

_ROW: Final = "row"
_DECISION: Final = "decision"


def save_decisions(session: LabellingSession, path: Path, labeller: str) -> int:
    """Save what was written into a table of documents to read; return how many decisions."""
    if not path.exists():
        return 0
    is_ours = {_ROW, _DECISION}.issubset
    table = open_edited(path, is_ours)
    if not is_ours(table.columns):
        raise ValueError(
            f"{path} is not a table of documents to read (it has no columns {_ROW} and "
            f"{_DECISION}); move it away, or name another file with -o"
        )
    decisions: dict[int, str] = {}
    for batch in table.batches():
        texts = [batch.values(name) for name in session.settings.text]
        rows = zip(batch.values(_ROW), batch.values(_DECISION), *texts, strict=True)
        for number, decision, *parts in rows:
            if decision is None or not str(decision).strip():
                continue
            row = int(number) if str(number).isdecimal() and len(str(number)) < 18 else -1
            text = "\n".join(str(part) for part in parts if part)
            if not 0 <= row < len(session.texts) or _words(session.texts[row]) != _words(text):
                raise ValueError(
                    f"{path} has the row {str(number)[:20]!r}, which is another document now; "
                    "move the table away and repeat the command for a new one"
                )
            decisions[row] = str(decision).strip()
    session.decide_all(labeller, decisions)
    return len(decisions)


def write_next(session: LabellingSession, path: Path, n: int) -> int:
    """Write the documents worth reading next as a table; return how many there are."""
    rows = session.next_rows(n)
    cells: dict[str, list[str]] = {_ROW: [str(row) for row in rows]}
    if session.settings.id is not None:
        cells[session.settings.id] = [session.name_of(row) for row in rows]
    documents = [session.offered(row) for row in rows]
    for i, name in enumerate(session.settings.text):
        cells[name] = [document.parts[i][1] for document in documents]
    for i, name in enumerate((*session.settings.show, *session.settings.also)):
        cells.setdefault(name, [document.columns[i][1] for document in documents])
    cells[_DECISION] = [""] * len(rows)
    write_table(path, Layout("csv"), cells)
    return len(rows)


def _words(text: str) -> list[str]:
    return text.split()  # spreadsheet programs change line ends
