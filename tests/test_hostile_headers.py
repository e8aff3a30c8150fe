"""Headers made from the hints of a record and then made hostile: each is refused in our words.

A record's type hints say which headers are right. So every place of a header gets values that its
hint does not allow, loses what it must have, or gets more; an oracle of its own, `fits`, says what
the hint allows. Arrays get other types, shapes and entries.
"""

import copy
import json
import zipfile
from collections.abc import Hashable
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from numpy.typing import NDArray

from imbtext import EMCO, RareTextClassifier
from imbtext._typing import MAY_BE_NAN, MayBeNaN
from imbtext.markov import CountsAccumulator, save_counts
from imbtext.markov._saved import _CHAIN, _COUNTS, ChainRecord, CountsFile
from imbtext.rare._fitted import FittedModel
from imbtext.rare._saved import _KIND, _VERSION
from imbtext.records import Rank, StoredAs, load, save
from tests.archives import changed_archive, with_header

ODD = [
    None, True, 0, -1, 2**63, -(10**30), 0.5, float("nan"), float("inf"), "", "x", "counts",
    [], [[]], ["x"], [0], {}, {"is": "x"}, {"": None}, "x" * 10_000,
]  # fmt: skip


@dataclass(frozen=True, eq=False)
class Words:
    words: NDArray[np.object_]
    share: MayBeNaN


@dataclass(frozen=True, eq=False)
class Number:
    n: int


@dataclass(frozen=True, eq=False)
class Everything:
    """Each kind of hint that a record may have."""

    kind: Literal["a", "b"]
    whole: int
    real: float
    flag: bool
    word: str
    maybe: str | None
    either: float | str
    label: Hashable
    one_of: Words | Number
    many: tuple[Words, ...]
    pair: tuple[int, str]
    by_name: dict[str, float]
    counts: NDArray[np.int64]
    grid: Annotated[NDArray[np.float32], Rank(2)]
    gaps: Annotated[NDArray[np.float64], MAY_BE_NAN]
    any_rank: dict[str, Annotated[NDArray[np.number], Rank(None)]]


WORDS = Words(np.array(["oil", "up"], dtype=object), float("nan"))
EVERYTHING = Everything(
    *("a", 3, 0.5, True, "oil", None, "heaps", "yes", Number(4), (WORDS, WORDS), (1, "b")),
    *({"f1": 0.5}, np.arange(5), np.ones((2, 3), np.float32), np.array([np.nan, 1.0])),
    {"weights": np.ones((2, 2, 2)), "step": np.array(3.0)},
)


def write(name, path):
    """Write a file of a kind; return the kind, the version and the record."""
    texts, labels = ["oil up", "gold", "oil price up", ""] * 6, ["a", "b", "b", "c"] * 6
    if name == "everything":
        save(path, "thing", 1, EVERYTHING)
        return "thing", 1, Everything
    if name == "counts":
        accumulator = CountsAccumulator(surface=True)
        accumulator.add(texts, labels)
        save_counts(accumulator.result(), path)
        return *_COUNTS, CountsFile
    if name == "chain":
        EMCO(similarity=2, random_state=0).fit(texts, labels).save(path)
        return *_CHAIN, ChainRecord
    RareTextClassifier(language=None, random_state=0).fit(texts, labels).save(path)
    return _KIND, _VERSION, FittedModel


def fits(value, hint, name):
    """Return whether a value of a header is what a hint allows, said once more and plainly."""
    hint, markers = unmarked(hint)
    for marker in markers:
        if isinstance(marker, StoredAs):
            return fits(value, marker.record, name)
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits_option(value, option, name) for option in parts)
    if is_dataclass(hint):
        hints = hints_of(hint)
        return (
            isinstance(value, dict)
            and value.keys() == hints.keys()
            and all(fits(v, hints[k], f"{name}.{k}".lstrip(".")) for k, v in value.items())
        )
    if origin is np.ndarray:
        if get_args(parts[1])[0] is np.object_:
            return isinstance(value, list) and all(isinstance(word, str) for word in value)
        return value == name
    if origin is dict:
        return isinstance(value, dict) and all(
            fits(v, parts[1], f"{name}.{k}") for k, v in value.items()
        )
    if origin is tuple:
        if not isinstance(value, list):
            return False
        hints = parts[:1] * len(value) if parts[1:] == (...,) else parts
        return len(hints) == len(value) and all(
            fits(v, h, f"{name}.{i}") for i, (v, h) in enumerate(zip(value, hints, strict=True))
        )
    return fits_scalar(value, hint, markers)


def fits_scalar(value, hint, markers):
    if hint is NoneType:
        return value is None
    if get_origin(hint) is Literal:
        return value in get_args(hint) and not isinstance(value, list | dict)
    if value is None:
        return MAY_BE_NAN in markers
    kinds = (str, bool, int, float) if hint is Hashable else (hint,)
    if type(value) not in kinds:
        return False
    if type(value) is int:
        return -(2**63) <= value < (2**64 if hint is Hashable else 2**63)
    return not isinstance(value, float) or np.isfinite(value)


def fits_option(value, option, name):
    record, markers = unmarked(option)
    record = next((marker.record for marker in markers if isinstance(marker, StoredAs)), record)
    if is_dataclass(record):
        if not isinstance(value, dict) or value.get("is") != record.__name__:
            return False
        value = {k: v for k, v in value.items() if k != "is"}
    return fits(value, option, name)


def unmarked(hint):
    return (get_args(hint)[0], hint.__metadata__) if get_origin(hint) is Annotated else (hint, ())


def hints_of(record):
    hints = get_type_hints(record, include_extras=True)
    return {field.name: hints[field.name] for field in fields(record) if field.init}


def places(value, at=()):
    """Yield where something stands in a header."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*at, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*at, key))


def hostile(about, most):
    """Yield headers with one thing changed; at most so many odd values at a place."""
    for number, (*outer, key) in enumerate(places(about)):
        for i in range(len(ODD)):
            changed = copy.deepcopy(about)
            inside = changed
            for step in outer:
                inside = inside[step]
            if i < most:
                inside[key] = ODD[(number + i) % len(ODD)]
            elif i == most:
                del inside[key]
            elif i == most + 1 and isinstance(inside, dict):
                inside[f"{key}2"] = inside[key]
            else:
                continue
            yield changed


@pytest.mark.parametrize(
    ("name", "most"), [("everything", len(ODD) - 2), ("counts", 2), ("chain", 1), ("model", 1)]
)
def test_headers_that_hints_do_not_allow_are_refused(tmp_path, name, most):
    path, changed = tmp_path / "file", tmp_path / "changed"
    kind, version, record = write(name, path)
    with zipfile.ZipFile(path) as archive:
        about = json.loads(archive.read("header.json"))["about"]
    assert fits(about, record, "")
    load(path, kind, {version: record})
    n_refused = 0
    for header in hostile(about, most):
        if fits(header, record, ""):
            continue
        with_header(path, changed, header)
        with pytest.raises(ValueError, match="changed is not a"):
            load(changed, kind, {version: record})
        n_refused += 1
    assert n_refused > 100


def _change(name, change, _, arrays):
    arrays[name] = change(arrays[name])


@pytest.mark.parametrize("name", ["everything", "counts", "chain", "model"])
def test_arrays_of_other_types_shapes_or_numbers_are_refused(tmp_path, name):
    path = tmp_path / "file"
    kind, version, record = write(name, path)
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        forms = json.loads(archive.read("header.json"))["arrays"]
    for array, form in forms.items():
        if array.startswith("any_rank"):
            continue
        changes = [
            lambda values: values[None],
            lambda values: values.astype(">f8" if values.dtype.kind == "f" else ">i8"),
            lambda values: np.zeros(values.shape, np.int64 if values.dtype.kind == "f" else float),
        ]
        if np.dtype(form["dtype"]).kind == "f" and 0 not in form["shape"]:
            changes.append(lambda values: np.full_like(values, np.inf))
        for change in changes:
            path.write_bytes(content)
            changed_archive(path, partial(_change, array, change))
            with pytest.raises(ValueError, match="file is not a"):
                load(path, kind, {version: record})
