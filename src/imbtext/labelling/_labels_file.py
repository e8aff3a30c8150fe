r"""The labels on disk: a CSV file with one row per decision.

A decision is on the disk before anybody hears that it is saved. A decision on a new document is
appended and flushed. A decision that changes an earlier one (a second thought, undo, a second
labeller who disagrees) writes a new file, whole, and renames it into place. So the file is a
table at any moment, and a kill loses nothing that was saved. At most it leaves half a line at the
end, which is dropped when the file is opened again.

``decision`` is what a labeller said. ``label`` is what the document counts as, and every command
reads it. A model is made with ``imbtext label --train``, which also learns from the documents that
nobody has read. The label is filled once per document, in the row of the last decision. It is empty
where labellers disagree, are unsure or skipped the document. Documents that labellers disagree
about are also listed in a second file (``labels.disagreements.csv``).

People open this file in spreadsheet programs. Opening it here accepts what such a program changes:
other line ends, semicolons, a byte order mark, another order of rows. Edited decisions count. An
edited ``label`` is refused, because it would be overwritten by the next change. An edit while a
session has the file open stops the saving until the session is started again.

The module knows files but no models: code that must never lose anything is easier to trust by
itself.
"""

import io
import os
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

from filelock import BaseFileLock, FileLock, Timeout

from imbtext._messages import listed, visible, warn_user
from imbtext.labelling._decisions import Decision, Decisions
from imbtext.labelling._settings import settings_path
from imbtext.tables._batches import Batch, TableFile
from imbtext.tables._conversion import new_table_writer
from imbtext.tables._errors import TableError, TableWarning
from imbtext.tables._formats import Layout
from imbtext.tables._opening import open_table
from imbtext.writing import check_outputs, written_whole

_FIRST: Final = ("row",)
# The time is last: it has a fixed form, so we can tell whether a line was cut.
_LAST: Final = ("label", "decision", "labeller", "note", "chosen", "time")
_LAYOUT: Final = Layout("csv")
# Spreadsheet programs in many countries separate cells by semicolons.
_DELIMITERS: Final = (",", ";", "tab")
# A row with its line end. A quotation mark opens a cell only at the beginning of the cell.
_CELL: Final = rb'(?:"[^"]*+(?:""[^"]*+)*+"[^,\n]*+|[^",\n][^,\n]*+)?+'
_RECORD: Final = re.compile(rb"(?:" + _CELL + rb",)*+" + _CELL + rb"\n")
_LINE_WITH_TIME: Final = re.compile(rb"\dT\d\d:\d\d:\d\dZ\r?\n")
_MOST_SHOWN: Final = 100
# Of the number of a document's row; Python refuses to read a number of 4,300.
_MOST_DIGITS: Final = 18


def open_edited(path: Path, is_one: Callable[[Sequence[str]], bool]) -> TableFile:
    """Open a table of ours, whatever a spreadsheet program put between its cells.

    `is_one` says whether columns are those of such a table.
    """
    tables = [
        open_table(path, Layout("csv", delimiter, encoding="utf-8")) for delimiter in _DELIMITERS
    ]
    return next((table for table in tables if is_one(table.columns)), tables[0])


class LabelsFile(Decisions):
    r"""The decisions of all labellers, in memory and on disk.

    Parameters
    ----------
    path : Path
        The CSV file. If it exists, its decisions are read first.
    cells : mapping of str to lists of str
        The columns that are copied from the table of the documents: their texts, perhaps an id.
    text : list of str, optional
        The columns that hold the text, by default all of `cells`. If the table has changed since
        the last session, a document is found again by its id and text, or by its text.
    id : str, optional
        The column that identifies a document.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "labels.csv"
    >>> with LabelsFile(path, {"body": ["oil up", "rain"]}) as file:
    ...     file.add(Decision(1, "no", "anna", time="2026-01-01T00:00:00Z"))
    >>> print(path.read_text())
    row,body,label,decision,labeller,note,chosen,time
    1,rain,no,no,anna,,ranking,2026-01-01T00:00:00Z
    <BLANKLINE>
    """

    def __init__(
        self,
        path: Path,
        cells: Mapping[str, Sequence[str]],
        text: Sequence[str] | None = None,
        id: str | None = None,
    ) -> None:
        if path.suffix.lower() != ".csv":
            raise ValueError(f"labels are kept in a CSV file; end the name {str(path)!r} in .csv")
        check_outputs([path], [])
        super().__init__()
        self.path = path
        self._cells = dict(cells)
        self._text = list(cells if text is None else text)
        self._id = id
        # A column of ours is renamed if the table has one of the same name.
        self._names = {
            name: f"imbtext_{name}" if name in cells else name for name in (*_FIRST, *_LAST)
        }
        # Lines about documents that the table no longer has: kept, but not used.
        self._not_found: list[dict[str, str]] = []
        self.disagreements = _disagreements_path(path)
        self.decided = _decided_path(path)
        # The size that we gave the file, to notice when another program changes it.
        self._size = 0
        self._lock = _lock_of(path)
        try:
            self._check_side_files()
            if path.exists() and path.stat().st_size:
                self._load()
            else:
                self._write_all()
        except BaseException:
            self._lock.release()
            raise

    def _check_side_files(self) -> None:
        """Refuse to replace files that no session wrote."""
        for path, what, is_ours in (
            (self.disagreements, "labellers' disagreements go", are_labels),
            (self.decided, "decisions go", are_decisions),
        ):
            if not path.exists():
                continue
            with suppress(TableError):
                if is_ours(open_edited(path, is_ours).columns):
                    continue
            raise ValueError(
                f"{path} is where {what}, but another program wrote it; name another file for the "
                "labels"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others use the file."""
        self._lock.release()

    def add(self, *decisions: Decision) -> None:
        """Save decisions, all or none; each replaces the labeller's earlier one on its document."""
        if not decisions:
            return
        rows = {decision.row for decision in decisions}
        are_first = len(rows) == len(decisions) and not rows & self._by_row.keys()
        with self._changing():
            for decision in decisions:
                self._put(decision)
            if are_first and self.path.exists():
                self._append(self._bytes(decisions))
            else:
                self._write_all()

    def remove(self, decision: Decision, restored: Decision | None = None) -> None:
        """Take a decision back; `restored`, the one it had replaced, returns to its old place."""
        kept = [other for other in self if other != decision]
        if restored is not None:
            place = len(kept)
            while place and kept[place - 1].time > restored.time:
                place -= 1
            kept.insert(place, restored)
        with self._changing():
            self._put_only(kept)
            self._write_all()

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Change decisions and save them; if they cannot be saved, nothing changes.

        A file that another program changed meanwhile is left alone. One that it removed is written
        again.
        """
        if self.path.exists() and self.path.stat().st_size != self._size:
            raise OSError(
                f"cannot write {self.path}: another program changed it. Stop imbtext label and "
                "start it again; it then reads the changes"
            )
        before = list(self)
        try:
            yield
        except BaseException:
            self._put_only(before)
            raise

    def _append(self, data: bytes) -> None:
        """Add bytes to the end of the file, all of them or none, and wait for the disk."""
        with self.path.open("ab", buffering=0) as stream:
            size = stream.tell()
            try:
                if stream.write(data) != len(data):
                    raise OSError("only a part could be written; is the disk full?")
                os.fsync(stream.fileno())
            except OSError as error:
                stream.truncate(size)
                raise OSError(f"cannot write {self.path}: {error.strerror or error}") from error
        self._size = size + len(data)

    def _write_all(self) -> None:
        data = self._bytes(self, self._not_found, header=True)
        _write_to_disk(self.path, data)
        self._size = len(data)
        disputed = [decision for row in self.disputed for decision in self.of_row(row)]
        if disputed:
            _write_to_disk(self.disagreements, self._bytes(disputed, header=True))
        else:
            self.disagreements.unlink(missing_ok=True)
        _flush_folder(self.path.parent)

    def _bytes(
        self,
        decisions: Iterable[Decision],
        others: Iterable[Mapping[str, str]] = (),
        *,
        header: bool = False,
    ) -> bytes:
        """Return decisions, and other rows as they are, as lines of CSV."""
        rows = [*map(self._line, decisions), *others]
        stream = io.BytesIO()
        writer = new_table_writer(stream, _LAYOUT, dict.fromkeys(self.columns))
        start = 0 if header else stream.tell()
        if rows:
            writer.new({name: [row[name] for row in rows] for name in self.columns})
        return stream.getvalue()[start:]

    @property
    def columns(self) -> list[str]:
        """The columns of the file."""
        names = self._names
        return [
            *(names[name] for name in _FIRST),
            *self._cells,
            *(names[name] for name in _LAST),
        ]

    def own_column(self, name: str) -> str:
        """Return what a column of ours is called, since the table may have one of its name."""
        return self._names[name]

    def _line(self, decision: Decision) -> dict[str, str]:
        is_last = self.of_row(decision.row)[-1] is decision
        ours = {
            "row": str(decision.row),
            "label": (self.label_of(decision.row) or "") if is_last else "",
            "decision": decision.decision,
            "labeller": decision.labeller,
            "note": decision.note,
            "chosen": decision.chosen,
            "time": decision.time,
        }
        copied = {name: values[decision.row] for name, values in self._cells.items()}
        return copied | {self._names[name]: value for name, value in ours.items()}

    def _load(self) -> None:
        """Read the decisions of an earlier session."""
        try:
            table = open_edited(self.path, are_labels)
            self._check_header(table.columns)
            data = self._without_half_line(self.path.read_bytes())
            lines = [line for batch in table.batches() for line in _lines_of(batch)]
        except TableError as error:
            if not error.setting:  # a setting of the command is about the documents
                raise
            raise TableError(
                f"{error.problem}. Save the file as CSV in UTF-8, with commas between cells, or "
                "name another file for the labels"
            ) from None
        n_empty = 0
        rows = self._rows_of(lines)
        for line, row in zip(lines, rows, strict=True):
            cells = {name: line[self._names[name]] for name in _LAST if name != "label"}
            cells["decision"] = cells["decision"].strip()
            if row is None:
                self._not_found.append(dict.fromkeys(self.columns, "") | line)
            elif cells["decision"]:
                self._put(Decision(row, **cells))
            else:
                n_empty += 1
        self._check_labels(lines, rows)
        self._size = len(data)
        if self._bytes(self, self._not_found, header=True) != data:
            self._write_all()
        if n_empty:
            warn_user(
                f"{self.path} has {_lines(n_empty)} without a decision; they count as not read",
                TableWarning,
            )
        if self._not_found:
            warn_user(
                f"{self.path} has {_lines(len(self._not_found))} about documents that the table "
                "does not have; they stay in the file but are not used",
                TableWarning,
            )

    def _check_header(self, header: Sequence[str]) -> None:
        """Refuse a file of other columns.

        A column that the command names for the first time may be missing: it is a copy of the
        table, so it is filled in for all labels.
        """
        otherwise = "or name another file for the labels"
        extra = [name for name in header if name not in self.columns]
        if extra or len(set(header)) < len(header):
            raise TableError(
                f"{self.path} has the columns {listed(header)}, but labels of these documents have "
                f"{listed(self.columns)}; remove the others, show them with --show, {otherwise}"
            )
        missing = [name for name in self.columns if name not in header]
        if any(name not in self._cells for name in missing) or len(missing) == len(self._cells):
            raise TableError(
                f"{self.path} lacks the columns {listed(missing)}; add them {otherwise}"
            )

    def _check_labels(self, lines: Iterable[Mapping[str, str]], rows: Iterable[int | None]) -> None:
        """Refuse a label that somebody edited: the next change would overwrite it."""
        for line, row in zip(lines, rows, strict=True):
            label = line[self._names["label"]].strip()
            expected = None if row is None else self.label_of(row)
            if label and row is not None and label != expected:
                shown = "no label" if expected is None else repr(expected)
                raise TableError(
                    f"{self.path} has the label {label!r} for row {row}, but its decisions give "
                    f"{shown}. Labels are filled in from decisions: edit the column "
                    f"{self._names['decision']!r}, too"
                )

    def _rows_of(self, lines: Sequence[Mapping[str, str]]) -> list[int | None]:
        """Return the document of each line, None if the table does not have it.

        It is the one with the same id and text, else the one with the same text; in the same row if
        possible, else in another. Several documents may have the same text: no two of the lines'
        documents become one.
        """
        copied = [name for name in self._cells if name in (lines[0] if lines else ())]
        text = [name for name in copied if name in self._text] or copied
        id_and_text = [name for name in copied if name in (self._id, *text)]
        number = self._names["row"]
        documents = [
            (line[number], *(_plain(line[name]) for name in id_and_text)) for line in lines
        ]
        rows: dict[_SavedDocument, int] = {}
        for known_by in (id_and_text, text):
            places = [id_and_text.index(name) + 1 for name in known_by]
            missing = {
                document: tuple(document[place] for place in places)
                for document in documents
                if document not in rows
            }
            if not missing:
                break
            columns = [list(map(_plain, self._cells[name])) for name in known_by]
            contents = dict(enumerate(zip(*columns, strict=True)))
            for row in rows.values():
                del contents[row]
            rows |= _find_again(missing, contents)
        return [rows.get(document) for document in documents]

    def _without_half_line(self, data: bytes) -> bytes:
        """Cut an incomplete last line, left by a crash before the label was acknowledged."""
        if data.endswith(b"\n") and data.count(b'"') % 2 == 0:
            return data
        size = 0
        while record := _RECORD.match(data, size):
            size = record.end()
        rest = data[size:]
        if not rest:
            return data
        is_whole = _RECORD.fullmatch(rest + b"\n") and rest.rstrip(b"\r").endswith(b"Z")
        if is_whole and rest.count(b",") >= len(self.columns) - 1:
            self._append(b"\n")  # an editor left out the last line's end
            return data + b"\n"
        if _LINE_WITH_TIME.search(rest):
            n_lines = data[:size].count(b"\n") + 1
            raise TableError(
                f"line {n_lines} of {self.path} begins a cell with a quotation mark that never "
                "ends. Add the mark in a text editor, or name another file for the labels"
            )
        with self.path.open("r+b") as stream:
            stream.truncate(size)
        shown = visible(rest.decode("utf-8", "replace")[:_MOST_SHOWN])
        warn_user(f"dropped the last line of {self.path}, which was cut off: {shown}", TableWarning)
        return data[:size]


# The number of a document's row in a line, then the cells that identify the document.
_SavedDocument = tuple[str, ...]


def _find_again(
    documents: Mapping[_SavedDocument, tuple[str, ...]], contents: Mapping[int, tuple[str, ...]]
) -> dict[_SavedDocument, int]:
    """Return the row of each document that the table has, by what the document and the rows say.

    Examples
    --------
    >>> documents = {("0", "oil"): ("oil",), ("1", "rain"): ("rain",), ("2", "ice"): ("ice",)}
    >>> _find_again(documents, {0: ("oil",), 1: ("sun",), 2: ("rain",)})
    {('0', 'oil'): 0, ('1', 'rain'): 2}
    """
    rows, free = {}, dict(contents)
    for document, content in documents.items():
        row = row_of(document[0])
        if free.get(row) == content:
            rows[document] = row
            del free[row]
    elsewhere: dict[tuple[str, ...], deque[int]] = defaultdict(deque)
    for row, content in free.items():
        elsewhere[content].append(row)
    for document, content in documents.items():
        if document not in rows and elsewhere[content]:
            rows[document] = elsewhere[content].popleft()
    return rows


def row_of(cell: str) -> int:
    """Return the row that a cell of a table names, -1 if it names none.

    Examples
    --------
    >>> row_of("12"), row_of("twelve"), row_of("1" * 4301)
    (12, -1, -1)
    """
    return int(cell) if cell.isdecimal() and len(cell) <= _MOST_DIGITS else -1


def session_files(labels: Path) -> list[Path]:
    """Return the files that a session writes besides the file of labels, its lock included."""
    tables = [_disagreements_path(labels), _decided_path(labels), next_table_path(labels)]
    return [*tables, settings_path(labels), _lock_path(labels)]


def next_table_path(labels: Path) -> Path:
    """Return the path of the documents to read next, for a spreadsheet.

    Examples
    --------
    >>> next_table_path(Path("work/labels.csv")).name
    'labels.next.csv'
    """
    return labels.with_suffix(".next.csv")


def _disagreements_path(labels: Path) -> Path:
    return labels.with_suffix(".disagreements.csv")


def _decided_path(labels: Path) -> Path:
    return labels.with_suffix(".decided.csv")


def _lock_path(labels: Path) -> Path:
    target = labels.resolve()  # two names of one file share a lock
    return target.with_name(f".{target.name}.lock")


def _lock_of(labels: Path) -> BaseFileLock:
    """Keep a second process from writing the same labels; a kill lets go of them."""
    path = _lock_path(labels)
    if path.is_symlink():
        raise OSError(f"cannot lock {path}: it is a symbolic link; remove the link")
    if path.exists() and path.stat().st_size:  # older versions of filelock would empty it
        raise OSError(f"cannot lock {path}: it holds something that imbtext did not write; move it")
    lock = FileLock(path, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise ValueError(
            f"another imbtext label is using {labels}; open its page in a second browser to label "
            "together, or stop it first"
        ) from None
    except OSError as error:
        raise OSError(
            f"cannot lock {lock.lock_file}: {error.strerror or error}; keep the labels on a disk "
            "of this machine"
        ) from error
    return lock


def _lines_of(batch: Batch) -> list[dict[str, str]]:
    """Return the rows of a batch, each by the names of its columns."""
    columns = [[value or "" for value in batch.values(name)] for name in batch.names]
    return [dict(zip(batch.names, cells, strict=True)) for cells in zip(*columns, strict=True)]


def _lines(n: int) -> str:
    return "1 line" if n == 1 else f"{n:,} lines"


def _plain(text: str) -> str:
    """Return a text with plain line ends: programs write them differently."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def are_labels(header: Sequence[str]) -> bool:
    """Return whether a table with these columns is a file of labels.

    Examples
    --------
    >>> are_labels("row body label decision labeller note chosen time".split())
    True
    >>> are_labels(["body", "label"])
    False
    """
    return all(name in header or f"imbtext_{name}" in header for name in (*_FIRST, *_LAST))


def are_decisions(header: Sequence[str]) -> bool:
    """Return whether a table with these columns has what was decided on each document."""
    return "decided_by" in header or "imbtext_decided_by" in header


def _write_to_disk(path: Path, data: bytes) -> None:
    """Write a file whole, and wait for the disk."""
    with written_whole(path) as partial, partial.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def _flush_folder(folder: Path) -> None:
    """Wait until the disk knows the new name of a file; Windows has no such call."""
    if os.name != "nt":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
