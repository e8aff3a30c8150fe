"""Labelling in a spreadsheet: a table of documents to read, and back.

``imbtext label --next 50`` writes the documents worth reading next into a table beside the labels,
with an empty column ``decision``. The same command, typed again, first saves what was written
there. So everything that a session knows (its words, classes and seed) holds for spreadsheets, too.
"""

from pathlib import Path

from imbtext.labelling._labels_file import open_edited, row_of
from imbtext.labelling._session import LabellingSession
from imbtext.tables._conversion import write_table
from imbtext.tables._formats import Layout


def save_decisions(session: LabellingSession, path: Path, labeller: str) -> int:
    """Save what was written into a table of documents to read; return how many decisions."""
    if not path.exists():
        return 0
    row_column, decision_column = map(session.file.own_column, ("row", "decision"))
    is_ours = {row_column, decision_column}.issubset
    table = open_edited(path, is_ours)
    if not is_ours(table.columns):
        raise ValueError(
            f"{path} is not a table of documents to read (it has no columns {row_column} and "
            f"{decision_column}); move it away, or name another file with -o"
        )
    # Spreadsheet programs write capital letters, and change line ends.
    spellings = {name.casefold(): name for name in session.choices}
    decisions: dict[int, str] = {}
    for batch in table.batches():
        texts = [batch.values(name) for name in session.settings.text]
        rows = zip(batch.values(row_column), batch.values(decision_column), *texts, strict=True)
        for number, decision, *parts in rows:
            if decision is None or not str(decision).strip():
                continue
            row = row_of(str(number))
            text = "\n".join(str(part) for part in parts if part)
            if not 0 <= row < len(session.texts) or session.texts[row].split() != text.split():
                raise ValueError(
                    f"{path} has the row {str(number)[:20]!r}, which is another document now; "
                    "move the table away and repeat the command for a new one"
                )
            name = str(decision).strip()
            decisions[row] = (
                name if name in session.choices else spellings.get(name.casefold(), name)
            )
    session.decide_all(labeller, decisions)
    return len(decisions)


def write_next(session: LabellingSession, path: Path, n: int) -> int:
    """Write the documents worth reading next as a table; return how many there are."""
    rows = session.next_rows(n)
    row_column, decision_column = map(session.file.own_column, ("row", "decision"))
    cells: dict[str, list[str]] = {row_column: [str(row) for row in rows]}
    settings = session.settings
    ids = [] if settings.id is None else [settings.id]
    for name in (*ids, *settings.text, *settings.show, *settings.also):
        cells[name] = [session.column(name)[row] for row in rows]
    cells[decision_column] = [""] * len(rows)
    write_table(path, Layout("csv"), cells)
    return len(rows)
