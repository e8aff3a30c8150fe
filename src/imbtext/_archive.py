"""The one file format of everything fitted: plain arrays and a JSON header, and no pickle.

An archive is a zip file, readable by NumPy and by any zip tool::

    header.json   {"kind": ..., "version": ..., "about": {...}, "arrays": {name: {...}}}
    <name>.npy    one entry per array, exactly those the header names

Nothing in it is ever executed. Entries are not compressed, so none can be larger than the file
itself; instead, integers are stored in the smallest type that holds them. Names, types, shapes and
sizes are compared with the header before an array is read. The room that an archive belongs to
checks what its arrays mean.
"""

import errno
import io
import json
import math
import os
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from imbtext._typing import Array, Label, Record
from imbtext.writing import written_whole

Built = TypeVar("Built")
Value = TypeVar("Value")
Arrays = dict[str, Array]

_HEADER: Final = "header.json"
_KINDS_OF_NUMBERS: Final = "biuf"
_LABELS: Final[dict[str, type]] = {"str": str, "bool": bool, "int": int, "float": float}
# What reading a damaged or foreign file raises.
_DAMAGE: Final = (
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    EOFError,
    RuntimeError,  # encrypted, of a version to come, or nested without end
    struct.error,
    zipfile.BadZipFile,
)


def write_archive(
    path: str | os.PathLike[str],
    kind: str,
    version: int,
    about: Mapping[str, object],
    arrays: Mapping[str, Array],
) -> None:
    """Write an archive, whole or not at all; the same content gives the same bytes.

    `about` holds everything that is not an array, as far as JSON can write it.
    """
    stored = {name: _narrowed(np.asarray(values, order="C")) for name, values in arrays.items()}
    header = {
        "kind": kind,
        "version": version,
        "about": dict(about),
        "arrays": {
            name: {
                "dtype": np.asarray(arrays[name]).dtype.str,
                "stored": values.dtype.str,
                "shape": list(values.shape),
            }
            for name, values in stored.items()
        },
    }
    # Words of other scripts as they are: escaped, they are up to three times as long.
    text = json.dumps(header, allow_nan=False, ensure_ascii=False).encode(errors="surrogatepass")
    with written_whole(path) as partial, zipfile.ZipFile(partial, "w") as archive:
        archive.writestr(zipfile.ZipInfo(_HEADER), text)
        for name, values in stored.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, values, allow_pickle=False)


def read_archive(
    path: str | os.PathLike[str],
    kind: str,
    version: int,
    build: Callable[[Record, Arrays], Built],
) -> Built:
    """Read an archive of this kind and version, and return what `build` makes of it.

    `build` gets what was written as `about` and as `arrays`. If anything is wrong with the file,
    here or in `build`, a ValueError names the file.
    """
    if not Path(path).exists():
        raise FileNotFoundError(f"cannot read {Path(path)}: there is no such file")
    if Path(path).is_dir():
        raise IsADirectoryError(f"cannot read {Path(path)}: it is a folder; name a file")
    with Path(path).open("rb") as file:
        try:
            about, arrays = _read(file, kind, version)
            return build(about, arrays)
        except (*_DAMAGE, OSError) as error:
            # Only an offset before the beginning of the file is the fault of its content.
            if isinstance(error, OSError) and error.errno != errno.EINVAL:
                raise OSError(f"cannot read {Path(path)}: {error.strerror or error}") from error
            reason = str(error)
            if isinstance(error, KeyError):
                reason = f"it has no {error}"
            elif isinstance(error, OSError):
                reason = "its entries lie outside it"
            raise ValueError(
                f"{Path(path)} is not a {kind} that this version of imbalanced-text saved: {reason}"
            ) from error


def _narrowed(values: Array) -> Array:
    if values.dtype.kind not in _KINDS_OF_NUMBERS:
        raise TypeError(
            f"an array of {values.dtype} cannot be saved; only numbers and booleans can"
        )
    if values.dtype.kind not in "iu" or not values.size:
        return values
    narrow = np.result_type(np.min_scalar_type(values.min()), np.min_scalar_type(values.max()))
    # NumPy has no common integer type for very large and negative numbers.
    return values if narrow.kind == "f" else values.astype(narrow, copy=False)


def _read(file: io.BufferedReader, kind: str, version: int) -> tuple[Record, Arrays]:
    if file.read(2) != b"PK":
        raise ValueError("it is not an archive of arrays")
    size = file.seek(0, os.SEEK_END)
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        if any(entry.compress_type != zipfile.ZIP_STORED for entry in entries):
            raise ValueError("an entry is compressed, but this format does not compress")
        if sum(entry.file_size for entry in entries) > size:
            raise ValueError("its entries claim to be larger than the file")
        header = json.loads(archive.read(_HEADER))
        if (header["kind"], header["version"]) != (kind, version):
            raise ValueError(
                f"it holds a {header['kind']!s:.40} of version {header['version']!s:.10}, "
                f"not of version {version}"
            )
        declared = header["arrays"]
        names = [entry.filename for entry in entries]
        if sorted(names) != sorted([_HEADER, *(f"{name}.npy" for name in declared)]):
            raise ValueError("its entries are not those that its header names")
        arrays = {
            name: _array(archive.read(f"{name}.npy"), name, form) for name, form in declared.items()
        }
    return header["about"], arrays


def _array(content: bytes, name: str, form: Record) -> Array:
    dtype, stored = np.dtype(form["dtype"]), np.dtype(form["stored"])
    if not {dtype.kind, stored.kind} <= set(_KINDS_OF_NUMBERS):
        raise ValueError(f"{name!r:.60} holds something other than numbers")
    shape = tuple(form["shape"])
    entry = io.BytesIO(content)
    if np.lib.format.read_magic(entry) != (1, 0):
        raise ValueError(f"{name!r:.60} is an array of another version")
    stated = np.lib.format.read_array_header_1_0(entry)
    at = entry.tell()
    # NumPy allocates memory for a shape before it checks that the data are there.
    if stated != (shape, False, stored) or math.prod(shape) * stored.itemsize != len(content) - at:
        raise ValueError(f"{name!r:.60} does not have the type, shape or size of its header")
    return np.frombuffer(content, stored, offset=at).reshape(shape).astype(dtype)


def word_array(words: object) -> NDArray[np.object_]:
    """Return words of a header as an array; raise if they are not strings."""
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError("its vocabulary holds something other than words")
    return np.array(words, dtype=object)


def checked_numbers(
    values: Array, shape: tuple[int, ...], least: float = -math.inf
) -> NDArray[np.float64]:
    """Return an array that must have this shape and hold finite numbers from `least` up."""
    if values.shape != shape:
        raise ValueError(f"an array has the shape {values.shape} where {shape} was expected")
    numbers = values.astype(np.float64)
    if not np.isfinite(numbers).all() or (numbers < least).any():
        raise ValueError(f"an array holds numbers that are not finite or below {least:g}")
    return numbers


def checked_counts(values: Array, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return an array that must have this shape and hold whole numbers from 0 up."""
    if values.dtype.kind not in "iu":
        raise ValueError("an array of counts holds other numbers")
    return checked_numbers(values, shape, least=0).astype(np.int64)


def rising(values: Array, dtype: DTypeLike, below: int) -> Array:
    """Return an array whose whole numbers must rise, from 0 or more to less than `below`."""
    numbers = values.astype(dtype)
    if (
        numbers.ndim != 1
        or values.dtype.kind not in "iu"
        or (numbers[:-1] >= numbers[1:]).any()
        or (len(numbers) and not 0 <= int(values[0]) <= int(values[-1]) < below)
    ):
        raise ValueError("an array is not in order, or out of bounds")
    return numbers


def checked(value: object, kind: type[Value]) -> Value:
    """Return a value of the header that must be of this type."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"{value!r:.40} is not of the type {kind.__name__}")
    return value


def label_kind(classes: Array) -> str:
    """Return the name of the labels' type; raise if a header cannot hold it."""
    labels = classes.tolist() if classes.dtype.kind in f"UO{_KINDS_OF_NUMBERS}" else [*classes]
    check_storable(labels)
    for name, kind in _LABELS.items():
        if all(isinstance(label, kind) for label in labels):
            return name
    raise TypeError("labels of several types cannot be saved; use labels of one type")


def check_storable(labels: Iterable[Label]) -> None:
    """Raise unless a header, which is JSON, can hold these labels."""
    for label in labels:
        if not isinstance(label, str | int | float):
            raise TypeError(
                f"labels such as {label!r:.40} ({type(label).__name__}) cannot be saved; use "
                "strings, numbers or booleans"
            )
        if isinstance(label, float) and not math.isfinite(label):
            raise ValueError(f"the label {label} cannot be saved; use finite numbers or strings")


def checked_labels(kind: str, labels: list[Label]) -> list[Label]:
    """Return labels of a header, which must all be of their kind."""
    return [checked(label, _LABELS[kind]) for label in labels]
