"""The layout of a file: its format, compression and encoding.

The user names the format of a table, or the file's name tells it, or its first bytes do.
"""

import bz2
import codecs
import gzip
import io
import lzma
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Literal

import pyarrow as arrow

from imbtext.tables._errors import TableError
from imbtext.writing import STANDARD_STREAM

_FORMATS = ("csv", "tsv", "jsonl", "parquet", "xlsx")
_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
}
_COMPRESSIONS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
_MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
# The letters alone could begin a header.
_MAGIC |= {b"BZh%d" % level: "bzip2" for level in range(1, 10)}

# Files of other programs that people rename or save with the wrong ending.
_BINARY = {
    b"PK\x03\x04": "a zip archive or a spreadsheet; unpack it, or save the table as CSV",
    b"\xd0\xcf\x11\xe0": "a spreadsheet of an old Excel; save the table as CSV",
    b"PAR1\x15": "a Parquet file; end its name in .parquet",
}
# UTF-32 begins as UTF-16 does, and goes on.
UTF16_STARTS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

# One cell may be a long document, but an unclosed quotation mark must not swallow a whole file.
LONGEST_LINE = 256 * 1024 * 1024

# What the standard library and pyarrow raise for compressed data that is cut or broken.
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)


@dataclass(frozen=True)
class Layout:
    r"""How a table is written.

    Parameters
    ----------
    format : {"csv", "tsv", "jsonl", "parquet", "xlsx"}, optional
        By default the name of the file tells it, or its first bytes do.
    delimiter : str, optional
        What separates the cells of CSV and TSV; ``"tab"`` is a tab. By default a comma in CSV
        files and a tab in TSV files, or what the first rows tell.
    quotes : bool, default=True
        Whether a cell of CSV and TSV that begins with a quotation mark ends with one. Without
        them, a quotation mark is a character like any other.
    encoding : str, optional
        How text is written as bytes. By default UTF-8, or for CSV and TSV what the first bytes
        tell. It does not matter for Parquet.
    sheet : str, optional
        The sheet of a workbook, by default the one with the most cells.
    query : str, optional
        What to read, if the file is a DuckDB database.

    Examples
    --------
    >>> Layout().settled(Path("train.tsv"))
    Layout(format='tsv', delimiter=None, quotes=True, encoding=None, sheet=None, query=None)
    >>> Layout(delimiter="tab").settled(Path("train.csv")).separator
    '\t'
    """

    format: str | None = None
    delimiter: str | None = None
    quotes: bool = True
    encoding: str | None = None
    sheet: str | None = None
    query: str | None = None

    def __post_init__(self) -> None:
        if self.format is not None:
            lowered = self.format.lower()
            name = {"ndjson": "jsonl", "jsonlines": "jsonl"}.get(lowered, lowered)
            if name not in _FORMATS:
                raise TableError(
                    f"the format {self.format!r} is not known; the formats are "
                    f"{', '.join(_FORMATS)}"
                )
            object.__setattr__(self, "format", name)
        if self.delimiter is not None:
            delimiter = {"tab": "\t", "\\t": "\t"}.get(self.delimiter, self.delimiter)
            if len(delimiter) != 1 or delimiter in '"\r\n':
                raise TableError(
                    f"the delimiter {delimiter!r} is not one character; give one, such as ';' or "
                    f"'tab'"
                )
            object.__setattr__(self, "delimiter", delimiter)
        try:
            "".encode(self.codec)
        except LookupError as error:
            raise TableError(
                f"the encoding {self.encoding!r} is not known; give one such as utf-8, utf-16 or "
                f"cp1252"
            ) from error

    @property
    def separator(self) -> str:
        """The character that separates cells, once the format is known."""
        return self.delimiter or ("\t" if self.format == "tsv" else ",")

    @property
    def codec(self) -> str:
        """The encoding, once it is known."""
        return self.encoding or "utf-8"

    def settled(self, path: Path, name: Path | None = None) -> "Layout":
        """Return the layout of an existing file; `name` is what the user calls it, if a copy."""
        kind = self.format or format_by_name(name or path) or format_by_content(path)
        return replace(self, format=kind)

    def for_output(self, path: Path, source: "Layout") -> "Layout":
        """Return the layout of a file to write: by its format or its name, or like the input.

        The output is always UTF-8.
        """
        kind = self.format or format_by_name(path)
        if kind is None and path.suffix and path.suffix.lower() not in _COMPRESSIONS:
            raise TableError(
                f"cannot tell from the ending {path.suffix!r} of {path} which format to write; end "
                f"the name in {', '.join(_SUFFIXES)} (and .gz, .bz2, .xz or .zst to compress), or "
                f"name the format"
            )
        if kind in (None, source.format):
            return Layout(source.format, source.delimiter, source.quotes)
        return Layout(kind, self.delimiter)


def format_by_name(path: Path) -> str | None:
    """Return the format that a file name tells, or None.

    Examples
    --------
    >>> format_by_name(Path("train.csv.gz")), format_by_name(Path("data"))
    ('csv', None)
    """
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        suffixes.pop()
    return _SUFFIXES.get(suffixes[-1]) if suffixes else None


def format_by_content(path: Path) -> str:
    """Guess the format of a file from its first bytes, where its name does not tell it."""
    with open_input(path) as stream:
        try:
            start = stream.read(4096)
        except (*DAMAGE, OSError):
            return "csv"  # whose reader says what is wrong
    if start.startswith(b"PAR1"):
        return "parquet"
    _refuse_binary(start, str(path))
    if is_json(start):
        return "jsonl"
    first_line = start.split(b"\n", 1)[0]
    return "tsv" if first_line.count(b"\t") > first_line.count(b",") else "csv"


def is_json(start: bytes, opening: Sequence[bytes] = (b"{", b"[")) -> bool:
    """Return whether a file that begins so is an object of JSON, or an array."""
    return start.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in opening


@contextmanager
def input_file(path: Path) -> Iterator[Path]:
    """Give a file that can be read twice: `path`, or a copy of a pipe or of standard input."""
    if path != STANDARD_STREAM:
        if not path.exists():
            raise FileNotFoundError(f"cannot read {path}: there is no such file")
        if path.is_dir():
            raise IsADirectoryError(f"cannot read {path}: it is a folder; name a file")
        if path.is_file():
            yield path
            return
    # A folder for the copy: Windows does not open a temporary file a second time by its name.
    with tempfile.TemporaryDirectory(prefix="imbtext-input-") as folder:
        spool = Path(folder) / "input"
        try:
            with spool.open("wb") as copy:
                if path == STANDARD_STREAM:
                    shutil.copyfileobj(sys.stdin.buffer, copy)
                else:  # a named pipe gives its content once
                    with path.open("rb") as pipe:
                        shutil.copyfileobj(pipe, copy)
        except OSError as error:
            raise OSError(
                f"cannot copy the piped input to {tempfile.gettempdir()}: {error.strerror}; set "
                f"the variable TMPDIR to a folder with more space"
            ) from error
        yield spool


@contextmanager
def open_input(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, and unpack it if its first bytes show that it is compressed."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise OSError(error.errno, f"cannot read {path}: {error.strerror}") from error
    with file as raw:
        start = raw.read(6)
        raw.seek(0)
        kind = next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)
        with _through(kind, raw, "rb") as stream:
            yield stream


@contextmanager
def open_text(path: Path, name: str, encoding: str) -> Iterator[io.TextIOWrapper]:
    """Open a file of text, unpacked and decoded, with the ends of its lines as they are.

    `name` is what messages call the file. A byte order mark is not part of the text.
    """
    try:
        with open_input(path) as binary:
            buffer = io.BufferedReader(_Unowned(binary), 1 << 18)
            start = buffer.peek(8)
            _refuse_binary(start, name)
            _refuse_unmarked_utf16(start, name, encoding)
            with io.TextIOWrapper(buffer, with_mark(encoding, start), newline="") as stream:
                yield stream
    except UnicodeError as error:
        raise _undecodable(path, name, encoding, error) from error
    except DAMAGE as error:
        raise TableError(
            f"{name} is damaged: its compressed data is cut short or broken ({error})"
        ) from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise TableError(f"{name} is damaged: {error}") from error


def lines_of(stream: IO[str], name: str) -> Iterator[str]:
    """Yield the lines of a text, none of which fills the memory.

    A small compressed file can hold a line of gigabytes.
    """
    while line := stream.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise too_long(name)
        yield line


def too_long(name: str, line: int | None = None) -> TableError:
    """Return the error about a row that would fill the memory; `line` is where it begins."""
    place = name if line is None else f"line {line} of {name}"
    return TableError(
        f"{place} has a row of more than {LONGEST_LINE >> 20} million characters; look for a "
        "quotation mark that is never closed, or for a damaged file"
    )


def is_binary(start: bytes) -> bool:
    """Return whether a file that begins so is one of another program."""
    return start.startswith(tuple(_BINARY))


def _refuse_binary(start: bytes, name: str) -> None:
    """Refuse a file of another program, by its first bytes."""
    for magic, kind in _BINARY.items():
        if start.startswith(magic):
            raise TableError(f"{name} is {kind}")


def _refuse_unmarked_utf16(start: bytes, name: str, encoding: str) -> None:
    """Refuse UTF-16 without a byte order mark, whose bytes are valid text in other encodings.

    One byte of each ASCII character is zero. In other texts zeros are damage, and few.
    """
    wide_asked = codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    if wide_asked or start.startswith(tuple(UTF16_STARTS)):
        return
    if (wide := unmarked_utf16(start)) is not None:
        raise TableError(f"{name} is UTF-16 without a mark, not {encoding}", "encoding", wide)


def unmarked_utf16(start: bytes) -> str | None:
    """Return which UTF-16 the first bytes of a file are, if it has no byte order mark."""
    odd, even = start[1::2].count(0), start[::2].count(0)
    n_zeros = max(odd, even)
    if n_zeros >= max(4, len(start) / 20) and n_zeros > 10 * min(odd, even):
        return "utf-16-le" if odd else "utf-16-be"
    return None


def with_mark(encoding: str, start: bytes) -> str:
    """Return the codec that removes the byte order mark, where the text begins with one."""
    codec = codecs.lookup(encoding).name
    if codec == "utf-8":
        return "utf-8-sig"
    if codec in ("utf-16-le", "utf-16-be") and start.startswith(tuple(UTF16_STARTS)):
        return "utf-16"
    return codec


class _Unowned(io.RawIOBase):
    """A readable view of any binary stream, whose owner closes it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _undecodable(path: Path, name: str, encoding: str, error: UnicodeError) -> TableError:
    """Return the error that names the line that cannot be decoded, and a likely encoding."""
    with open_input(path) as binary:
        for number, line in enumerate(binary, start=1):
            if number == 1 and line.startswith(tuple(UTF16_STARTS)):
                wide = "utf-32" if line.startswith(codecs.BOM_UTF32_LE) else "utf-16"
                if codecs.lookup(encoding).name.startswith(wide):
                    return TableError(f"{name} is damaged {wide.upper()} text ({error})")
                return TableError(f"{name} is {wide.upper()}, not {encoding}", "encoding", wide)
            try:
                line.decode(encoding)
            except UnicodeDecodeError as problem:
                likely = _encodings_of(line)
                if "utf-8" in likely:  # such as the lines of a file that was taken for UTF-16
                    break
                byte = problem.object[problem.start]
                return TableError(
                    f"line {number} of {name} is not {encoding} (byte 0x{byte:02x} at position "
                    f"{problem.start + 1}); the right encoding may be {' or '.join(likely)}",
                    "encoding",
                    likely[0],
                )
    return TableError(
        f"{name} is not {encoding} ({error}); most files are UTF-8", "encoding", "utf-8"
    )


def _encodings_of(line: bytes) -> list[str]:
    """Return which of the usual encodings a line can be; Latin-1 can be anything."""
    encodings = []
    for encoding in ("utf-8", "cp1252", "latin-1"):
        with suppress(UnicodeDecodeError):
            line.decode(encoding)
            encodings.append(encoding)
    return encodings


@contextmanager
def open_output(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing, and compress it if its name ends in .gz, .bz2, .xz or .zst."""
    with (
        path.open("wb") as raw,
        _through(_COMPRESSIONS.get(path.suffix.lower()), raw, "wb") as stream,
    ):
        yield stream


def _through(kind: str | None, raw: IO[bytes], mode: Literal["rb", "wb"]) -> Any:
    """Return a context manager: the stream through a compression, or itself."""
    if kind == "gzip":
        # No time stamp: the same table is the same file.
        return gzip.GzipFile(fileobj=raw, mode=mode, mtime=0, filename="")
    if kind == "bzip2":
        return bz2.BZ2File(raw, mode)
    if kind == "xz":
        return lzma.LZMAFile(raw, mode)
    if kind == "zstd":
        stream = arrow.CompressedInputStream if mode == "rb" else arrow.CompressedOutputStream
        return stream(arrow.PythonFile(raw), "zstd")
    return nullcontext(raw)
