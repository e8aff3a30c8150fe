"""Files as an accident or an enemy leaves them: each is read, or refused in our words.

Thousands of them are made from whole ones, all decided by a seed: bits flipped, pieces cut out,
arrays swapped, of other types and shapes, numbers out of range, headers that lie. Reading one may
raise a ValueError or an OSError that names the file. It must not crash, hang, run out of memory or
raise anything else; nor may using what was read.

``test_crafted_files.py`` runs some hundred; ``python tests/crafted_files.py --seed 7 --number
20000`` runs as many as you like, and ``--only 123`` one of them again.
"""

import argparse
import gzip
import io
import json
import resource
import signal
import sqlite3
import sys
import tempfile
import traceback
import warnings
import zipfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl

from imbtext import EMCO, RareTextClassifier
from imbtext.markov import CountsAccumulator, load_counts, save_counts
from imbtext.store import Store, UnitKey
from imbtext.tables import Roles, read_documents

SECONDS = 60  # for one file; the machine may be busy
MEMORY = 12 * 2**30
NEW_TEXTS = ["", "oil up", "unknown words", "gold down " * 50]
ODD_NUMBERS = [0, 1, -1, 2, 127, 255, 2**15, 2**31 - 1, 2**31, 2**32, 2**53, 2**63 - 1, 2**64 - 1]
ODD_FLOATS = [0.0, -0.0, 1e308, -1e308, 5e-324, float("nan"), float("inf"), -float("inf")]
ODD_VALUES = [
    *ODD_NUMBERS, *[x for x in ODD_FLOATS if np.isfinite(x)], 10**30, -(10**30), None, True, False,
    "", "x", "\0", "\ud800", "x" * 10_000, [], [[]], [0], ["x"], {}, {"": None}, "1", "nan", "O",
]  # fmt: skip
DTYPES = ["|b1", "|i1", "|u1", "<i2", "<i4", "<i8", "<u4", "<u8", "<f2", "<f4", "<f8", ">i8"]
TEXTS = ["oil price up", "Crude oil, falls.", "gold up", "", "gold gold down", "rain", "oil up up"]
LABELS = ["a", "a", "b", "b", "b", "b", "b"]


# Whole files


def write_whole_files(folder):
    """Write one file of each kind, or several; the name says the kind."""
    rng = np.random.default_rng(0)
    EMCO(0.5, random_state=1).fit(TEXTS, LABELS).save(folder / "1.chain")
    EMCO("heaps", surface=True).fit(TEXTS, LABELS).save(folder / "2.chain")
    EMCO(0.5, similarity=2.0).fit(TEXTS, LABELS).save(folder / "3.chain")
    EMCO().fit(["oil", "crude", "gold up", "gold"], [0, 0, 2**64 - 1, 2**64 - 1]).save(
        folder / "4.chain"
    )
    for name, surface in (("1", False), ("2", True)):
        accumulator = CountsAccumulator(surface=surface)
        accumulator.add(TEXTS, LABELS)
        save_counts(accumulator.result(), folder / f"{name}.counts")
    words = np.array([f"word{i}" for i in range(30)])
    texts = [" ".join(rng.choice(words[: 30 - 20 * (i % 4 == 0)], 6)) for i in range(60)]
    rare = ["x" if i % 4 == 0 else "y" for i in range(60)]
    three = ["x" if i % 4 == 0 else "yz"[i % 2] for i in range(60)]
    for name, features, labels in (
        ("1", "words", rare),
        ("2", "words+pairs", three),
        ("3", "characters", [{label} if label != "y" else set() for label in three]),
        *([("4", ["words", "meaning"], rare)] if find_spec("wordllama") else []),
    ):
        model = RareTextClassifier(features=features, language=None, random_state=0)
        model.fit(texts, labels).save(folder / f"{name}.model")
    table = pl.DataFrame(
        {"body": TEXTS, "topic": LABELS, "n": range(7), "x": [0.5, None] * 3 + [1]}
    )
    table.write_csv(folder / "1.csv")
    table.write_csv(folder / "1.tsv", separator="\t", quote_style="always")
    table.write_ndjson(folder / "1.jsonl")
    for name in ("1.csv", "1.jsonl"):
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))
    table.write_parquet(folder / "1.parquet")
    table.write_parquet(folder / "2.parquet", compression="uncompressed", row_group_size=3)
    with Store(folder / "1.store") as store:
        for i in range(20):
            unit = UnitKey("e", i, "tin", 0.1, "ros", 0, 42, "abc")
            store.add(unit, {"recall": i / 20}, 0.1, {"scores": np.arange(5.0)} if i % 2 else None)
        store.add_failure(UnitKey("e", 99, "tin", 0.1, "ros", 0, 42, "abc"), "failed", 0.1)
    with sqlite3.connect(folder / "1.store") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()


# Readers: what is read is also used


def use_chain(path):
    sampler = EMCO.load(path)
    yield
    labels = sampler.classes_.tolist()
    for label in labels:
        sampler.sample(3, label, length=4)
    drawn = sampler.sample(2, labels[0])
    sampler.partial_fit(drawn, labels[:1] * 2)
    sampler.sample(1, labels[0])


def use_counts(path):
    counts = load_counts(path)
    yield
    sampler = EMCO(0.5, surface=counts.surface is not None, random_state=1)
    sampler.fit_counts(counts + counts)
    for label in sampler.classes_.tolist():
        sampler.sample(3, label, length=4)


def use_model(path):
    model = RareTextClassifier.load(path)
    yield
    new = [
        text.split() if model.fitted_.features.text_terms.reads_tokens else text
        for text in NEW_TEXTS
    ]
    model.predict(new)
    model.predict_proba(new)
    model.explain(new[1])
    model.top_features(model.classes_[-1], n=3)
    repr(model.expectation_)


def use_table(path):
    read_documents(path, Roles.of("body", label="topic"))
    yield


def use_store(path):
    with Store(path) as store:
        keys = store.finished()
        store.failures()
        store.frame()
        for key in keys:
            store.arrays(key)
        store.add(UnitKey("f", 0, "tin", 0.1, "ros", 0, 42, "abc"), {"recall": 0.5}, 0.1)
    yield


READERS = {
    ".chain": use_chain,
    ".counts": use_counts,
    ".model": use_model,
    ".csv": use_table,
    ".tsv": use_table,
    ".jsonl": use_table,
    ".csv.gz": use_table,
    ".jsonl.gz": use_table,
    ".parquet": use_table,
    ".store": use_store,
}


# Damage


def damaged_bytes(content, rng):
    """Damage that knows nothing of the format."""
    content = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        n = len(content)
        start = int(rng.integers(0, n)) if n else 0
        end = min(n, start + int(rng.choice([1, 2, 4, 16, 100, 1000])))
        kind = rng.integers(0, 8)
        if kind == 0:
            for at in rng.integers(0, max(n, 1), int(rng.choice([1, 3, 30]))) if n else ():
                content[at] ^= 1 << int(rng.integers(0, 8))
        elif kind == 1:
            del content[start:]
        elif kind == 2:
            del content[start:end]
        elif kind == 3:
            content[start:start] = content[start:end] * int(rng.choice([1, 5, 200]))
        elif kind == 4:
            content[start:end] = rng.bytes(end - start)
        elif kind == 5:
            content[start:end] = bytes([rng.choice([0, 255])]) * (end - start)
        elif kind == 6:
            odd = int(rng.choice(np.array(ODD_NUMBERS, dtype=np.float64)) % 2**63)
            content[start:end] = odd.to_bytes(8, "little")[: max(end - start, 1)]
        else:
            piece = rng.choice([b"\0", b"\xff\xfe", b'"', b",", b"\n", b"\r", b"{", b"[" * 5000])
            content[start:start] = bytes(piece)
    return bytes(content)


def read_parts(content):
    """Return the header and the arrays of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        header = json.loads(archive.read("header.json"))
        arrays = {
            name: np.load(io.BytesIO(archive.read(f"{name}.npy"))) for name in header["arrays"]
        }
    return header, arrays


def write_parts(header, arrays, dtypes, rng):
    """Write an archive whose header fits its arrays, mostly."""
    forms = {}
    for name, values in arrays.items():
        dtype = values.dtype.str if rng.random() < 0.3 else dtypes.get(name, values.dtype.str)
        form = {"dtype": dtype, "stored": values.dtype.str, "shape": list(values.shape)}
        forms[name] = form
    header["arrays"] = forms
    if rng.random() < 0.03:
        name = str(rng.choice(list(arrays)))
        header["arrays"][name]["shape"] = [int(rng.choice([2**40, 2**62, -1])), 3]
    text = json.dumps(header)
    if rng.random() < 0.02:
        deep = 200_000
        text = text[:-1] + ', "deep": ' + "[" * deep + "]" * deep + "}"
    out = io.BytesIO()
    packing = zipfile.ZIP_DEFLATED if rng.random() < 0.03 else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w", packing) as archive:
        archive.writestr("header.json", text)
        for name, values in arrays.items():
            entry = io.BytesIO()
            np.lib.format.write_array(entry, values, allow_pickle=False)
            archive.writestr(f"{name}.npy", entry.getvalue())
        if packing == zipfile.ZIP_DEFLATED:
            archive.writestr("bomb.npy", bytes(10**8))
    return out.getvalue()


def damaged_archive(content, rng):
    """Damage that keeps the format and changes what it says."""
    header, arrays = read_parts(content)
    dtypes = {name: form["dtype"] for name, form in header["arrays"].items()}
    for _ in range(rng.integers(1, 3)):
        names = list(arrays)
        name, other = (str(rng.choice(names)) for _ in range(2))
        kind = rng.integers(0, 9)
        if kind == 0:
            arrays[name], arrays[other] = arrays[other], arrays[name]
        elif kind == 1:
            with np.errstate(all="ignore"):
                arrays[name] = arrays[name].astype(str(rng.choice(DTYPES)))
        elif kind in (2, 3):
            arrays[name] = odd_entries(arrays[name], rng)
        elif kind == 4:
            arrays[name] = reshaped(arrays[name], rng)
        elif kind == 5 and len(arrays) > 1:
            del arrays[name]
        elif kind == 6 and rng.random() < 0.5:
            odd_leaf(header, rng)
        elif kind == 6:
            arrays[str(rng.choice(["new", name + "2", "class9.words"]))] = arrays[name]
        else:
            about = header.get("about")
            odd_leaf(about if about and isinstance(about, dict) else header, rng)
    return write_parts(header, arrays, dtypes, rng)


def odd_entries(values, rng):
    """Put odd numbers into an array, or shuffle it."""
    values = values.copy()
    flat = values.reshape(-1)
    if not flat.size:
        return values
    if rng.random() < 0.2:
        rng.shuffle(flat)
        return values
    for at in rng.integers(0, flat.size, int(rng.integers(1, 4))):
        if values.dtype.kind == "f":
            odd = rng.choice(ODD_FLOATS)
        elif values.dtype.kind == "b":
            odd = not flat[at]
        elif rng.random() < 0.5:
            odd = int(flat[at]) + int(rng.choice([-1, 1, 2, 5000]))
        else:
            odd = ODD_NUMBERS[rng.integers(0, len(ODD_NUMBERS))]
        if values.dtype.kind in "iu":  # in a type that holds it
            values = values.astype(np.uint64 if odd >= 2**63 or flat.max() >= 2**63 else np.int64)
            flat, odd = values.reshape(-1), odd % 2**64 if values.dtype.kind == "u" else odd
        with np.errstate(all="ignore"):
            flat[at] = odd
    return values


def reshaped(values, rng):
    """Give an array more, fewer or no entries, or another number of dimensions."""
    kind = rng.integers(0, 6)
    if kind == 0:
        return values[:-1] if values.ndim else values
    if kind == 1:
        return np.concatenate([values, values[-1:]]) if values.ndim else values
    if kind == 2:
        return values[:0] if values.ndim else values
    if kind == 3:
        return values.reshape(-1, 1)
    if kind == 4:
        return np.zeros(int(rng.choice([0, 1, 1000])), values.dtype)
    return np.ascontiguousarray(values.T)


def odd_leaf(value, rng):
    """Replace, remove or add something somewhere inside a header."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = keys[rng.integers(0, len(keys))]
        inner = value[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.6:
            value = inner
            continue
        kind = rng.integers(0, 4)
        if kind == 0:
            del value[key]
        elif kind == 1 and isinstance(value, list):
            value.append(inner)
        else:
            value[key] = ODD_VALUES[rng.integers(0, len(ODD_VALUES))]
        return


# The campaign


def run_case(whole, rng, folder):
    """Make one file and read it; return what happened, or raise what must not."""
    content = whole.read_bytes()
    is_archive = whole.suffix in (".chain", ".counts", ".model", ".lstm")
    if is_archive and rng.random() < 0.75:
        content = damaged_archive(content, rng)
    else:
        content = damaged_bytes(content, rng)
    kind = "".join(whole.suffixes)
    path = folder / f"case{kind}"
    path.write_bytes(content)
    steps = READERS[kind](path)
    try:
        next(steps)
    except (ValueError, OSError) as error:
        if path.name not in str(error):
            raise AssertionError("the message does not name the file") from error
        return "refused"
    try:
        next(steps, None)
    except ValueError:
        return "of no use"
    return "used"


def overdue(*_):
    raise AssertionError(f"it takes more than {SECONDS} seconds")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=5000)
    parser.add_argument("--only", type=int, help="run this case alone, and keep its file")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, overdue)
    results, failures = {}, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "whole").mkdir()
        write_whole_files(folder / "whole")
        whole = sorted((folder / "whole").iterdir())
        cases = range(options.number) if options.only is None else [options.only]
        for case in cases:
            file, rng = whole[case % len(whole)], np.random.default_rng([options.seed, case])
            print(f"case {case} of seed {options.seed}, {file.name}", flush=True)
            signal.alarm(SECONDS)
            try:
                result = run_case(file, rng, folder)
                results[result] = results.get(result, 0) + 1
            except Exception:
                failures.append(case)
                traceback.print_exc()
                print(f"^ case {case} of seed {options.seed}, {file.name}", file=sys.stderr)
            signal.alarm(0)
            for leftover in folder.glob("case*"):
                if options.only is None:
                    leftover.unlink()
                else:
                    leftover.replace(Path(tempfile.gettempdir()) / leftover.name)
    print(results)
    if failures:
        sys.exit(f"{len(failures)} of {len(cases)} files fall: {failures[:50]}")


if __name__ == "__main__":
    main()
