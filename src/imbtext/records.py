"""The file format of everything fitted: a dataclass as header and arrays.

The type hints of the dataclass are the format, so a field is named once and nothing is written by
hand:

>>> import tempfile
>>> @dataclass(frozen=True, eq=False)
... class Growth:
...     language: str | None
...     sizes: NDArray[np.int64]
...     error: Annotated[float, MAY_BE_NAN]
>>> path = Path(tempfile.mkdtemp()) / "growth"
>>> save(path, "Growth", 1, Growth("english", np.array([3, 1, 4]), math.nan))
>>> load(path, "Growth", {1: Growth})
Growth(language='english', sizes=array([3, 1, 4]), error=nan)

A file is a zip of numbers and a header, readable by NumPy and by any zip tool::

    header.json   {"kind": ..., "version": ..., "about": {...}, "arrays": {name: {...}}}
    <name>.npy    one entry per array, exactly those the header names

Nothing in it is ever executed, and nothing is pickled. Entries are not compressed, so none can be
larger than the file itself; instead, integers are stored in the smallest type that holds them.
Names, types, shapes and sizes are compared with the header before an array is read, and each value
with its hint before the dataclass is built. What the values mean together is checked by the
dataclass itself, in its ``__post_init__``.
"""

import errno
import io
import json
import math
import os
import struct
import zipfile
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from numpy.typing import DTypeLike, NDArray

from imbtext._typing import MAY_BE_NAN, Array, Label, Record
from imbtext.writing import written_whole

Built = TypeVar("Built")
Value = TypeVar("Value")
Arrays = dict[str, Array]

_HEADER: Final = "header.json"
_KINDS_OF_NUMBERS: Final = "biuf"
_LABELS: Final = (str, bool, int, float)
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


@dataclass(frozen=True)
class Rank:
    """How many dimensions an array has, if not one: ``Annotated[NDArray[np.float64], Rank(2)]``.

    None stands for any number of them.
    """

    n: int | None


@dataclass(frozen=True)
class StoredAs:
    """Stores a value by a record of its own: ``Annotated[Thing, StoredAs(ThingRecord)]``.

    ``ThingRecord.of(thing)`` makes the record, and its ``restored()`` makes the thing again.
    """

    record: Any


def save(path: str | os.PathLike[str], kind: str, version: int, record: object) -> None:
    """Write a frozen dataclass, whole or not at all; the same content gives the same bytes."""
    arrays: Arrays = {}
    write_archive(path, kind, version, _encode(record, type(record), "", arrays), arrays)


def load(path: str | os.PathLike[str], kind: str, versions: Mapping[int, type[Built]]) -> Built:
    """Read a file of this kind; `versions` has the dataclass of each version that can be read.

    If anything is wrong with the file, a ValueError names it.
    """

    def build(version: int, about: Record, arrays: Arrays) -> Built:
        record: Built = _decode(about, versions[version], "", arrays)
        if arrays:
            raise ValueError(f"it has arrays that nobody asked for, such as {min(arrays)!r:.60}")
        return record

    return read_archive(path, kind, versions, build)


def _encode(value: Any, hint: Any, name: str, arrays: Arrays) -> Any:
    """Return what the header holds of a value; its arrays are added to `arrays`."""
    hint, markers = _unmarked(hint)
    stored_as = next((marker for marker in markers if isinstance(marker, StoredAs)), None)
    origin = get_origin(hint)
    if stored_as is not None:
        return _encode(stored_as.record.of(value), stored_as.record, name, arrays)
    if origin in (Union, UnionType):
        chosen = _option_of(value, hint)
        record, encoded = _record_of(chosen), _encode(value, chosen, name, arrays)
        return encoded if record is None else {"is": record.__name__} | encoded
    if is_dataclass(hint):
        return {
            key: _encode(getattr(value, key), of_field, f"{name}.{key}".lstrip("."), arrays)
            for key, of_field in _stored_hints(hint).items()
        }
    if origin is np.ndarray and _scalar_type(hint) is not np.object_:
        arrays[name] = value
        return name
    return _encode_plain(value, hint, markers, name, arrays)


def _encode_plain(
    value: Any, hint: Any, markers: tuple[Any, ...], name: str, arrays: Arrays
) -> Any:
    """Return what JSON can write of a collection, of words or of a scalar."""
    origin = get_origin(hint)
    if origin is np.ndarray:
        return value.tolist()
    if origin is tuple:
        hints = _hints_of_entries(hint, len(value))
        return [
            _encode(v, h, f"{name}.{i}", arrays)
            for i, (v, h) in enumerate(zip(value, hints, strict=True))
        ]
    if origin is dict:
        of_values = get_args(hint)[1]
        return {key: _encode(v, of_values, f"{name}.{key}", arrays) for key, v in value.items()}
    if isinstance(value, np.generic):
        value = value.item()
    if hint is Hashable:
        check_storable([value])
    if MAY_BE_NAN in markers and math.isnan(value):
        return None
    return float(value) if hint is float else value


def _decode(value: Any, hint: Any, name: str, arrays: Arrays) -> Any:
    """Return what the header says, checked against its hint; arrays are taken out of `arrays`."""
    hint, markers = _unmarked(hint)
    stored_as = next((marker for marker in markers if isinstance(marker, StoredAs)), None)
    origin = get_origin(hint)
    if stored_as is not None:
        return _decode(value, stored_as.record, name, arrays).restored()
    if origin in (Union, UnionType):
        chosen, value = _option_in_file(value, hint, name)
        return _decode(value, chosen, name, arrays)
    if is_dataclass(hint):
        return _decode_record(value, hint, name, arrays)
    if origin is np.ndarray:
        return _decode_array(value, hint, markers, name, arrays)
    return _decode_plain(value, hint, markers, name, arrays)


def _decode_plain(
    value: Any, hint: Any, markers: tuple[Any, ...], name: str, arrays: Arrays
) -> Any:
    """Return a collection or a scalar."""
    origin = get_origin(hint)
    if origin is tuple:
        values = checked(value, list)
        hints = _hints_of_entries(hint, len(values))
        if len(hints) != len(values):
            raise ValueError(f"{name} has {len(values)} entries where {len(hints)} were expected")
        return tuple(
            _decode(v, h, f"{name}.{i}", arrays)
            for i, (v, h) in enumerate(zip(values, hints, strict=True))
        )
    if origin is dict:
        of_values = get_args(hint)[1]
        return {
            key: _decode(v, of_values, f"{name}.{key}", arrays)
            for key, v in checked(value, dict).items()
        }
    return _decode_scalar(value, hint, markers, name)


def _decode_record(value: Any, hint: Any, name: str, arrays: Arrays) -> Any:
    hints = _stored_hints(hint)
    if checked(value, dict).keys() != hints.keys():
        odd = sorted(value.keys() ^ hints.keys())
        raise ValueError(f"its {name or 'header'} lacks or adds {', '.join(odd)!s:.60}")
    return hint(
        **{
            key: _decode(value[key], of_field, f"{name}.{key}".lstrip("."), arrays)
            for key, of_field in hints.items()
        }
    )


def _decode_array(
    value: Any, hint: Any, markers: tuple[Any, ...], name: str, arrays: Arrays
) -> Array:
    scalar = _scalar_type(hint)
    if scalar is np.object_:
        return word_array(value)
    if value != name or name not in arrays:
        raise ValueError(f"it has no array {name}")
    array = arrays.pop(name)
    rank = next((marker.n for marker in markers if isinstance(marker, Rank)), 1)
    fits = rank in (None, array.ndim) and issubclass(array.dtype.type, scalar)
    if not fits or not array.dtype.isnative:
        raise ValueError(f"{name} is an array of {array.ndim} dimensions and {array.dtype}")
    if array.dtype.kind == "f":
        odd = np.isinf(array) if MAY_BE_NAN in markers else ~np.isfinite(array)
        if odd.any():
            raise ValueError(f"{name} holds numbers that are not finite")
    return array


def _decode_scalar(value: Any, hint: Any, markers: tuple[Any, ...], name: str) -> Any:
    if value is None and (hint is NoneType or hint is None):
        return None
    if hint is Hashable:
        check_storable([value])
    elif get_origin(hint) is Literal:
        if not isinstance(value, str | int) or value not in get_args(hint):
            raise ValueError(f"{name} is {value!r:.40}; expected one of {get_args(hint)}")
    elif MAY_BE_NAN in markers and value is None:
        return math.nan
    else:
        checked(value, hint)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name} is {value}, which is not finite")
    # A label, which is Hashable, may be any whole number that a user has.
    if hint is not Hashable and isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError(f"{name} is larger than 64 bits hold")
    return value


def _hints_of_entries(hint: Any, n: int) -> tuple[Any, ...]:
    """Return a hint for each entry of a tuple."""
    hints = get_args(hint)
    return hints[:1] * n if hints[1:] == (...,) else hints


def _unmarked(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return a hint without what `Annotated` adds, and that."""
    if get_origin(hint) is Annotated:
        return get_args(hint)[0], hint.__metadata__
    return hint, ()


def _stored_hints(record: Any) -> dict[str, Any]:
    """Return the hints of the fields of a dataclass that are stored: those that it is made of."""
    hints = get_type_hints(record, include_extras=True)
    return {field.name: hints[field.name] for field in fields(record) if field.init}


def _record_of(option: Any) -> Any:
    """Return the dataclass that stores an option of a union; its name identifies it. Or None."""
    plain, markers = _unmarked(option)
    stored_as = [marker.record for marker in markers if isinstance(marker, StoredAs)]
    return stored_as[0] if stored_as else plain if is_dataclass(plain) else None


def _scalar_type(hint: Any) -> Any:
    """Return the type of an array's entries, such as np.int64."""
    (scalar,) = get_args(get_args(hint)[1])
    return get_origin(scalar) or scalar


def _option_of(value: Any, union: Any) -> Any:
    """Return the option of a union that a value is of."""
    for option in get_args(union):
        plain = _unmarked(option)[0]
        kind = get_origin(plain) or plain
        if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return option
    if isinstance(value, np.generic):
        return _option_of(value.item(), union)
    raise TypeError(f"{value!r:.40} is not of the type {union}")


def _option_in_file(value: Any, union: Any, name: str) -> tuple[Any, Any]:
    """Return the option of a union that a header names, and the value without that name."""
    options = get_args(union)
    if value is None and NoneType in options:
        return NoneType, None
    for option in options:
        plain, record = _unmarked(option)[0], _record_of(option)
        if record is not None:
            if isinstance(value, dict) and value.get("is") == record.__name__:
                return option, {key: v for key, v in value.items() if key != "is"}
        elif get_origin(plain) is np.ndarray:
            if isinstance(value, list if _scalar_type(plain) is np.object_ else str):
                return option, value
        elif get_origin(plain) is tuple:
            if isinstance(value, list):
                return option, value
        elif type(value) is plain:
            return option, value
    raise ValueError(f"{name} is {value!r:.40}, which is not one of its types")


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
    versions: Collection[int],
    build: Callable[[int, Record, Arrays], Built],
) -> Built:
    """Read an archive of this kind and one of these versions; return what `build` makes of it.

    `build` gets the version, and what was written as `about` and as `arrays`. If anything is wrong
    with the file, here or in `build`, a ValueError names the file.
    """
    if not Path(path).exists():
        raise FileNotFoundError(f"cannot read {Path(path)}: there is no such file")
    if Path(path).is_dir():
        raise IsADirectoryError(f"cannot read {Path(path)}: it is a folder; name a file")
    with Path(path).open("rb") as file:
        try:
            return build(*_read(file, kind, versions))
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


def is_archive(path: Path) -> bool:
    """Return whether this program wrote a file, whatever is in it."""
    with suppress(*_DAMAGE, OSError), zipfile.ZipFile(path) as archive:
        names = set(json.loads(archive.read(_HEADER)))
        return {"kind", "version", "about", "arrays"} <= names
    return False


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


def _read(
    file: io.BufferedReader, kind: str, versions: Collection[int]
) -> tuple[int, Record, Arrays]:
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
        version = header["version"]
        if header["kind"] != kind or type(version) is not int or version not in versions:
            raise ValueError(
                f"it holds a {header['kind']!s:.40} of version {version!s:.10}, "
                f"not of version {' or '.join(map(str, versions))}"
            )
        declared = header["arrays"]
        names = [entry.filename for entry in entries]
        if sorted(names) != sorted([_HEADER, *(f"{name}.npy" for name in declared)]):
            raise ValueError("its entries are not those that its header names")
        arrays = {
            name: _array(archive.read(f"{name}.npy"), name, form) for name, form in declared.items()
        }
    return version, header["about"], arrays


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


def checked_counts(values: Array, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return an array that must have this shape and hold whole numbers from 0 up."""
    if values.dtype.kind not in "iu" or values.shape != shape or values.min(initial=0) < 0:
        raise ValueError(f"an array does not hold counts of the shape {shape}")
    return values.astype(np.int64)


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


def check_labels(classes: Array) -> None:
    """Raise unless a header can hold these labels, which must be of one type."""
    labels = classes.tolist() if classes.dtype.kind in f"UO{_KINDS_OF_NUMBERS}" else [*classes]
    check_storable(labels)
    if not any(all(isinstance(label, kind) for label in labels) for kind in _LABELS):
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
