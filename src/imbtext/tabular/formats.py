"""Which format a file has, how it is compressed, and how to open it."""

import bz2
import gzip
import importlib
import lzma
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal

from imbtext._files import STANDARD_STREAM
from imbtext.tabular.errors import TableError

Format = Literal["csv", "tsv", "jsonl", "parquet"]
FORMATS: tuple[Format, ...] = ("csv", "tsv", "jsonl", "parquet")

SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_COMPRESSIONS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}

# What the standard library and pyarrow raise for compressed data that is cut or broken.
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)


def check_format(name: str) -> Format:
    """Return `name` if it is a format, or say which formats there are.

    Examples
    --------
    >>> check_format("CSV")
    'csv'
    """
    lowered = {"ndjson": "jsonl", "jsonlines": "jsonl"}.get(name.lower(), name.lower())
    if lowered not in FORMATS:
        raise TableError(f"the format {name!r} is not known; the formats are {', '.join(FORMATS)}")
    return lowered


def format_by_name(path: Path) -> Format | None:
    """Return the format that a file name tells, or None.

    Examples
    --------
    >>> format_by_name(Path("train.csv.gz")), format_by_name(Path("data"))
    ('csv', None)
    """
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        suffixes.pop()
    return SUFFIXES.get(suffixes[-1]) if suffixes else None


def is_compression(ending: str) -> bool:
    """Return whether a name that ends so is a compressed file's."""
    return ending.lower() in _COMPRESSIONS


def format_by_content(path: Path) -> Format:
    """Guess the format of a file without a telling name from how it begins."""
    with open_input(path) as stream:
        try:
            start = stream.read(4096)
        except (*DAMAGE, OSError):
            return "csv"  # whose reader says what is wrong
    if start[:4] == b"PAR1":
        return "parquet"
    if start[:4] == b"PK\x03\x04":
        raise TableError(
            f"{path} is a zip archive or a spreadsheet; save the table as CSV or Parquet"
        )
    if start.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"{", b"["):
        return "jsonl"
    first_line = start.split(b"\n", 1)[0]
    return "tsv" if first_line.count(b"\t") > first_line.count(b",") else "csv"


@contextmanager
def input_file(path: Path) -> Iterator[Path]:
    """Give a file that can be read twice: `path`, or what standard input holds for ``-``."""
    if path != STANDARD_STREAM:
        if not path.exists():
            raise FileNotFoundError(f"cannot read {path}: there is no such file")
        if path.is_dir():
            raise IsADirectoryError(f"cannot read {path}: it is a folder; name a file")
        if path.is_file():
            try:
                path.open("rb").close()
            except OSError as error:
                raise OSError(f"cannot read {path}: {error.strerror}") from error
            yield path
            return
    with tempfile.NamedTemporaryFile(prefix="imbtext-input-") as spool:
        try:
            if path == STANDARD_STREAM:
                shutil.copyfileobj(sys.stdin.buffer, spool)
            else:  # a named pipe gives its content once
                with path.open("rb") as pipe:
                    shutil.copyfileobj(pipe, spool)
            spool.flush()
        except OSError as error:
            raise OSError(
                f"cannot keep a copy of what the pipe gives in {tempfile.gettempdir()}: "
                f"{error.strerror}; name a folder with more space in the variable TMPDIR"
            ) from error
        yield Path(spool.name)


@contextmanager
def open_input(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, unpacked if its first bytes say that it is compressed."""
    with path.open("rb") as raw:
        start = raw.read(6)
        raw.seek(0)
        kind = next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)
        if kind is None:
            yield raw
            return
        with _unpacking(kind)(raw) as stream:
            yield stream


@contextmanager
def open_output(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing, packed if its name ends like a compressed file's."""
    kind = _COMPRESSIONS.get(path.suffix.lower())
    with path.open("wb") as raw:
        if kind is None:
            yield raw
            return
        with _packing(kind)(raw) as stream:
            yield stream


def _unpacking(kind: str) -> Callable[[IO[bytes]], Any]:
    plain: dict[str, Callable[[IO[bytes]], Any]] = {
        "gzip": lambda raw: gzip.GzipFile(fileobj=raw, mode="rb"),
        "bzip2": lambda raw: bz2.BZ2File(raw, "rb"),
        "xz": lambda raw: lzma.LZMAFile(raw, "rb"),  # noqa: SIM115
    }
    return plain[kind] if kind in plain else _zstd("rb")


def _packing(kind: str) -> Callable[[IO[bytes]], Any]:
    plain: dict[str, Callable[[IO[bytes]], Any]] = {
        # No time stamp: the same table is the same file.
        "gzip": lambda raw: gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename=""),
        "bzip2": lambda raw: bz2.BZ2File(raw, "wb"),
        "xz": lambda raw: lzma.LZMAFile(raw, "wb"),  # noqa: SIM115
    }
    return plain[kind] if kind in plain else _zstd("wb")


def _zstd(mode: str) -> Callable[[IO[bytes]], Any]:
    """Open Zstandard with whichever library is there: Python has one of its own from 3.14 on."""
    for name in ("compression.zstd", "backports.zstd", "zstandard", "pyarrow"):
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        if name == "pyarrow":
            stream = (
                library.CompressedInputStream if mode == "rb" else library.CompressedOutputStream
            )
            return lambda raw: stream(library.PythonFile(raw), "zstd")
        if name == "zstandard":
            return lambda raw: library.open(raw, mode)
        return lambda raw: library.ZstdFile(raw, mode)
    raise ImportError("Zstandard files (.zst) need a library: run pip install zstandard")
