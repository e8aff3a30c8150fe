r"""The labels on disk: a CSV file with a row for what each labeller said about each document.

A decision is in the file, and the file on the disk, before anybody hears that it is saved. A new
one is appended and flushed. One that changes an earlier one (a second thought, undo, a second
labeller who disagrees) writes the file anew, whole, and renames it into place. So the file is a
table at any moment, and a kill loses nothing that was saved. At most it leaves half a line at the
end, which is found and dropped when the file is opened again.

``decision`` is what a labeller said. ``label`` is what to learn from, so that ``imbtext train`` and
``compare`` take the file as it is. It is filled once per document, in the row of the last decision,
and stays empty where labellers disagree, are unsure or skipped the document. What labellers
disagree about stands in a second file, too (``labels.disagreements.csv``), as long as there is any.

The module stands alone because it knows files and no models: what must never be lost is easier to
trust by itself.
"""

import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Self

import numpy as np

from imbtext._messages import listed, warn_user
from imbtext.tables import Layout, TableError, TableWarning, new_table_writer, open_table
from imbtext.writing import check_outputs, written_whole

UNSURE: Final = "unsure"
SKIPPED: Final = "skip"
# How a labeller came to a document.
GIVEN: Final = "given"
RANKING: Final = "ranking"
RANDOM: Final = "random"
DISAGREEMENT: Final = "disagreement"
_FIRST: Final = ("row",)
# The time is last: it has a fixed form, so a line that was cut shows.
_LAST: Final = ("label", "decision", "labeller", "note", "chosen", "time")
_LAYOUT: Final = Layout("csv")
_QUOTE, _NEWLINE = b'"\n'


@dataclass(frozen=True)
class Decision:
    """What a labeller said about a document.

    Attributes
    ----------
    row : int
        The document.
    decision : str
        A class, ``"no"``, ``"unsure"`` or ``"skip"``.
    labeller : str
        Who said it; empty for labels that the table had already.
    note : str
        A remark.
    chosen : str
        How the labeller came to the document: ``"ranking"``, ``"search"``, ``"random"`` and so on.
        ``"disagreement"`` settles what others disagreed about.
    time : str
        When, in UTC.
    """

    row: int
    decision: str
    labeller: str = ""
    note: str = ""
    chosen: str = RANKING
    time: str = ""

    @property
    def label(self) -> str | None:
        """What to learn from; None if there is nothing."""
        return None if self.decision in (UNSURE, SKIPPED) else self.decision


class LabelsFile:
    r"""The decisions of all labellers, in memory and on disk.

    Parameters
    ----------
    path : Path
        The CSV file. If it exists, its decisions are read first.
    cells : mapping of str to lists of str
        The columns that are copied from the table of the documents: their texts, perhaps an id.

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

    def __init__(self, path: Path, cells: Mapping[str, Sequence[str]]) -> None:
        if path.suffix.lower() != ".csv":
            raise ValueError(f"labels are kept in a CSV file; end the name {str(path)!r} in .csv")
        check_outputs([path], [])
        self.path = path
        self._cells = dict(cells)
        # Columns of ours give way to those of the table.
        self._names = {
            name: f"imbtext_{name}" if name in cells else name for name in (*_FIRST, *_LAST)
        }
        # By document and labeller, in the order they were given.
        self._decisions: dict[tuple[int, str], Decision] = {}
        self._by_row: dict[int, dict[str, Decision]] = {}
        # Rows of documents that the table no longer has: kept, and not used.
        self._strangers: list[dict[str, str]] = []
        self.disagreements = path.with_suffix(".disagreements.csv")
        self._lock = _FileLock(path)
        try:
            if path.exists() and path.stat().st_size:
                self._load()
            else:
                self._write_all()
        except BaseException:
            self._lock.release()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others use the file."""
        self._lock.release()

    def __iter__(self) -> Iterator[Decision]:
        """Give all decisions in the order they were given."""
        return iter(self._decisions.values())

    def __contains__(self, row: int) -> bool:
        """Return whether anybody decided on a document."""
        return row in self._by_row

    def of_row(self, row: int) -> list[Decision]:
        """Return the decisions on a document, the last one last."""
        return list(self._by_row.get(row, {}).values())

    def label_of(self, row: int) -> str | None:
        """Return what to learn from; None if there is nothing, or labellers disagree."""
        said = self.of_row(row)
        labels = {decision.label for decision in said} - {None}
        if said and said[-1].chosen == DISAGREEMENT:
            return said[-1].label
        return labels.pop() if len(labels) == 1 else None

    def is_disputed(self, row: int) -> bool:
        """Return whether labellers disagree about a document."""
        labels = {decision.label for decision in self.of_row(row)} - {None}
        return len(labels) > 1 and self.of_row(row)[-1].chosen != DISAGREEMENT

    @property
    def disputed(self) -> list[int]:
        """The documents that labellers disagree about."""
        return [row for row in self._by_row if self.is_disputed(row)]

    @property
    def unsure(self) -> list[int]:
        """The documents that somebody is unsure about and nobody has decided."""
        return [
            row
            for row, said in self._by_row.items()
            if any(decision.decision == UNSURE for decision in said.values())
            and all(decision.label is None for decision in said.values())
        ]

    def last_of(self, labeller: str) -> Decision | None:
        """Return the last decision of a labeller."""
        mine = (said for said in reversed(self._decisions.values()) if said.labeller == labeller)
        return next(mine, None)

    def add(self, decision: Decision) -> None:
        """Save a decision; it replaces what the labeller said about the document before."""
        is_first = decision.row not in self._by_row
        before = self._put(decision)
        try:
            if is_first:
                self._append(self._bytes([decision]))
            else:
                self._write_all()
        except BaseException:
            self._take(decision)
            if before is not None:
                self._put(before)
            raise

    def add_all(self, decisions: Iterable[Decision]) -> None:
        """Save many decisions at once."""
        for decision in decisions:
            self._put(decision)
        self._write_all()

    def remove(self, decision: Decision, restored: Decision | None = None) -> None:
        """Take a decision back; `restored` is the one it had replaced."""
        order = dict(self._decisions), {row: dict(said) for row, said in self._by_row.items()}
        self._take(decision)
        if restored is not None:
            self._put(restored)
        try:
            self._write_all()
        except BaseException:
            self._decisions, self._by_row = order
            raise

    def _put(self, decision: Decision) -> Decision | None:
        """Note a decision as the last one; return the one that it replaces."""
        key = decision.row, decision.labeller
        before = self._decisions.pop(key, None)
        self._decisions[key] = decision
        said = self._by_row.setdefault(decision.row, {})
        said.pop(decision.labeller, None)
        said[decision.labeller] = decision
        return before

    def _take(self, decision: Decision) -> None:
        self._decisions.pop((decision.row, decision.labeller), None)
        said = self._by_row.get(decision.row, {})
        said.pop(decision.labeller, None)
        if not said:
            self._by_row.pop(decision.row, None)

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

    def _write_all(self) -> None:
        decisions = self._decisions.values()
        _write_to_disk(self.path, self._bytes(decisions, self._strangers, header=True))
        disputed = [said for row in self.disputed for said in self.of_row(row)]
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

    @property
    def label_column(self) -> str:
        """The column to learn from."""
        return self._names["label"]

    def _line(self, decision: Decision) -> dict[str, str]:
        said = self.of_row(decision.row)
        counts = bool(said) and said[-1] is decision
        ours = {
            "row": str(decision.row),
            "label": (self.label_of(decision.row) or "") if counts else "",
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
        self._drop_half_line()
        table = open_table(self.path, _LAYOUT)
        header = table.header()
        self._check_header(header)
        n_documents = len(next(iter(self._cells.values())))
        copied = [name for name in self._cells if name in header]
        rows_of: dict[tuple[str, ...], int] = {}
        for batch in table.batches():
            columns = {name: [value or "" for value in batch.values(name)] for name in header}
            for place in range(len(batch)):
                line = {name: values[place] for name, values in columns.items()}
                row = self._row_of(line, copied, n_documents, rows_of)
                if row is None:
                    self._strangers.append(dict.fromkeys(self.columns, "") | line)
                    continue
                said = {name: line[self._names[name]] for name in _LAST if name != "label"}
                self._put(Decision(row, **said))
        if header != self.columns:
            self._write_all()
        if self._strangers:
            warn_user(
                f"{len(self._strangers):,} labels of {self.path} are of documents that the table "
                "does not have; they are kept in the file and not used",
                TableWarning,
            )

    def _check_header(self, header: Sequence[str]) -> None:
        """Refuse a file of other columns; those that the command names for the first time are new.

        They are copies of the table, so they are filled in for all labels.
        """
        missing = [name for name in self.columns if name not in header]
        is_ours = all(name in self._cells for name in missing) and len(missing) < len(self._cells)
        if not is_ours or len(header) + len(missing) != len(self.columns):
            raise TableError(
                f"{self.path} has the columns {listed(header)}, and labels of these "
                f"documents have {listed(self.columns)}; name another file for the labels"
            )

    def _row_of(
        self,
        line: Mapping[str, str],
        copied: Sequence[str],
        n_documents: int,
        rows_of: dict[tuple[str, ...], int],
    ) -> int | None:
        """Return the document that a line is about: the same row, else the same content."""

        def content_of(row: int) -> tuple[str, ...]:
            return tuple(self._cells[name][row] for name in copied)

        content = tuple(line[name] for name in copied)
        number = line[self._names["row"]]
        row = int(number) if number.isdecimal() else -1
        if 0 <= row < n_documents and content_of(row) == content:
            return row
        if not rows_of:
            for place in reversed(range(n_documents)):
                rows_of[content_of(place)] = place
        return rows_of.get(content)

    def _drop_half_line(self) -> None:
        """Drop what a kill or a power cut left of the last line; nobody was told it is saved."""
        data = np.fromfile(self.path, np.uint8)
        is_outside = np.cumsum(data == _QUOTE) % 2 == 0
        ends = np.flatnonzero((data == _NEWLINE) & is_outside)
        size = int(ends[-1]) + 1 if len(ends) else 0
        if size == len(data):
            return
        rest = data[size:].tobytes()
        if is_outside[-1] and rest.endswith(b"Z") and rest.count(b",") >= len(self.columns) - 1:
            self._append(b"\n")  # an editor left out the last line's end
            return
        with self.path.open("r+b") as stream:
            stream.truncate(size)
        warn_user(f"dropped the last line of {self.path}, which was cut off", TableWarning)


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


class _FileLock:
    """Keeps a second process from writing the same file; a kill lets go of it."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f".{path.name}.lock")
        self._stream: IO[Any] | None = self._path.open("w")
        try:
            _lock(self._stream)
        except OSError:
            self._stream.close()
            raise ValueError(
                f"another imbtext label is using {path}; open its page in a second browser to "
                "label together, or stop it first"
            ) from None

    def release(self) -> None:
        """Let go of the file."""
        if self._stream is not None:
            self._path.unlink(missing_ok=True)
            self._stream.close()
            self._stream = None


def _lock(stream: IO[Any]) -> None:
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)


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
