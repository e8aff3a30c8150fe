"""JSON lines: one object per line, read and written as it stands.

Arrow and Polars read JSON lines too, but as columns of one type each. 12345678901234567890,
``1.10``, or a key that holds a number here and a list there would not come back unchanged. Python's
parser keeps every value, and copied lines keep every character.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import IO

import numpy as np

from imbtext._typing import Record
from imbtext.tables._batches import AddedColumns, Batch, TableFile, TableWriter
from imbtext.tables._errors import TableError, check_column
from imbtext.tables._formats import LONGEST_LINE, lines_of, open_text, too_long

_BATCH_ROWS = 20_000
_BATCH_CHARACTERS = 8 * 1024 * 1024
_PIECE = 1 << 20  # of a JSON array


class JsonTable(TableFile):
    """A file of JSON objects, one per line."""

    def _read_header(self) -> list[str]:
        """Return the keys of the first lines."""
        for batch in self.batches():
            return batch.names
        raise TableError(f"{self.name} is empty; expected one JSON object per line")

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise unless each of the columns is a key of some line."""
        # If the first lines have all of the keys, there is no need to read the others.
        if not set(names) <= set(self.columns):
            keys = self.all_columns()
            for name in names:
                check_column(name, keys, self.name)

    def all_columns(self) -> list[str]:
        """Return the keys of all lines, in the order of their first occurrence."""
        return self._all_keys

    @cached_property
    def _all_keys(self) -> list[str]:
        names: list[str] = []
        for batch in self.batches():
            names = batch.names
        return names

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Read these columns, by default all that came so far, from the beginning of the file."""
        keys: dict[str, None] = {}
        with open_text(self.path, self.name, self.layout.codec) as stream:
            for lines, numbers in _in_batches(lines_of(stream, self.name)):
                objects = [
                    self._parse(line, number) for line, number in zip(lines, numbers, strict=True)
                ]
                keys |= dict.fromkeys(chain.from_iterable(objects))
                self._check_keys(keys)
                names = [key for key in keys if columns is None or key in columns]
                cells = [[item.get(name) for item in objects] for name in names]
                yield Batch(names, cells, np.array(numbers), lines)

    def _check_keys(self, keys: Iterable[str]) -> None:
        try:
            "".join(keys).encode()
        except UnicodeEncodeError as error:
            raise TableError(
                f"{self.name} has a key with half a surrogate pair, which is not a character "
                f"({error}); rename it"
            ) from error

    def _parse(self, line: str, number: int) -> Record:
        if line.startswith("["):
            raise TableError(
                f"line {number} of {self.name} begins a JSON array: turn it into one object per "
                f"line, such as with jq -c '.[]'"
            )
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TableError(
                f"line {number} of {self.name} is not JSON ({error}); each line must be one whole "
                f"JSON object, such as jq -c . writes them"
            ) from error
        if not isinstance(value, dict):
            raise TableError(
                f"line {number} of {self.name} is {line[:40]!r}, not a JSON object; each line must "
                f'be one, such as {{"text": "...", "label": "..."}}'
            )
        return value


def lines_of_array(stream: IO[str], name: object) -> Iterator[str]:
    r"""Yield the objects of a JSON array, each as a line, with as little in memory as they allow.

    Examples
    --------
    >>> import io
    >>> list(lines_of_array(io.StringIO('[{"a": 1},\n {"a": 1.10}]'), "t.json"))
    ['{"a": 1}', '{"a": 1.10}']
    """
    decoder, text, place, i, size = json.JSONDecoder(), stream.read(_PIECE).lstrip(), 1, 0, _PIECE
    while True:
        start = _after_space(text, place)
        if i == 0 and text[start : start + 1] == "]":
            mark, after = "]", start
        else:
            problem, mark, after = "it is cut short", "", 0
            try:
                value, end = decoder.raw_decode(text, start)
                after = _after_space(text, end)
                mark = text[after : after + 1]
            except (ValueError, RecursionError) as error:
                problem = getattr(error, "msg", str(error))
            if not mark:  # an entry that is cut, or wrong
                if len(text) - place > LONGEST_LINE:
                    raise too_long(str(name))
                more = stream.read(size)
                if not more:
                    raise _broken_array(name, i, problem)
                text, place, size = text[place:] + more, 0, 2 * size
                continue
            if not isinstance(value, dict):
                raise TableError(
                    f"{name} is a JSON array whose entry {i} is {str(value)[:40]!r}; expected "
                    'objects such as {"text": "...", "label": "..."}'
                )
            yield text[start:end].replace("\r", " ").replace("\n", " ")
        if mark == "]":
            if text[after + 1 :].strip() or any(line.strip() for line in stream):
                raise _broken_array(name, i, "something follows its end")
            return
        if mark != ",":
            raise _broken_array(name, i, f"{mark!r} stands where a comma should")
        place, i, size = after + 1, i + 1, _PIECE


def _after_space(text: str, place: int) -> int:
    """Return where the space of JSON that begins at `place` ends."""
    while place < len(text) and text[place] in " \t\r\n":
        place += 1
    return place


def _broken_array(name: object, i: int, problem: str) -> TableError:
    return TableError(
        f"{name} begins a JSON array and is not JSON (entry {i}: {problem}); repair it, or write "
        "one object per line"
    )


def _in_batches(stream: Iterable[str]) -> Iterator[tuple[list[str], list[int]]]:
    """Cut lines and their numbers into batches of few lines and few characters."""
    lines: list[str] = []
    numbers: list[int] = []
    n_characters = 0
    for number, line in enumerate(stream, start=1):
        if stripped := line.strip():
            lines.append(stripped)
            numbers.append(number)
            n_characters += len(line)
            if len(lines) >= _BATCH_ROWS or n_characters >= _BATCH_CHARACTERS:
                yield lines, numbers
                lines, numbers, n_characters = [], [], 0
    if lines:
        yield lines, numbers


class JsonWriter(TableWriter):
    """Writes JSON lines; lines of the input that are JSON lines already are copied."""

    def __init__(self, stream: IO[bytes], columns: Sequence[str], added: AddedColumns) -> None:
        super().__init__(stream)
        self.added = added
        # New rows have all keys that came before.
        self._keys: Record = dict.fromkeys(columns)

    def originals(self, batch: Batch, added: Mapping[str, Sequence[object]]) -> None:
        """Write rows of the input."""
        self.added.check(batch.names, "the input")  # JSON lines may have new keys at any time
        self._keys |= dict.fromkeys(batch.names)
        added_cells: Iterable[Record] = _rows(added) if added else ({} for _ in batch.lines)
        if batch.raw:
            lines = list(map(_extended, batch.raw, added_cells))
        else:
            rows = _rows({name: batch.values(name) for name in batch.names})
            lines = [_dumped(row | more) for row, more in zip(rows, added_cells, strict=True)]
        self._write(lines)

    def new(self, cells: Mapping[str, Sequence[object]]) -> None:
        """Write new rows."""
        self._write([_dumped(self._keys | row) for row in _rows(cells)])

    def _write(self, lines: list[str]) -> None:
        self.stream.write("".join(f"{line}\n" for line in lines).encode())


def _rows(cells: Mapping[str, Sequence[object]]) -> Iterator[Record]:
    for values in zip(*cells.values(), strict=True):
        yield dict(zip(cells, values, strict=True))


def _dumped(row: Record) -> str:
    return json.dumps(row, ensure_ascii=False)


def _extended(line: str, cells: Record) -> str:
    if not cells:
        return line
    # A JSON object ends with its brace: fields inserted before it leave the rest unchanged.
    body = line[:-1].rstrip()
    comma = "" if body == "{" else ", "
    return f"{body}{comma}{_dumped(cells)[1:]}"


def as_cell(value: object) -> str:
    """Return a JSON value as a CSV cell.

    Examples
    --------
    >>> as_cell(None), as_cell("a"), as_cell(True), as_cell([1, "b"]), as_cell(0.10)
    ('', 'a', 'true', '[1, "b"]', '0.1')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if type(value) is int or (type(value) is float and math.isfinite(value)):
        return repr(value)  # what json writes, six times as fast
    return json.dumps(value, ensure_ascii=False)
