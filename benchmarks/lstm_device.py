"""The LSTM table on a GPU machine that has nothing but torch and NumPy.

Three steps::

    python benchmarks/lstm_device.py prepare carry/glove.npz      # here: encode every training set
    python3 benchmarks/lstm_device.py train carry/glove.npz OUT   # there: train, write predictions
    python benchmarks/lstm_device.py collect OUT FOLDER           # here: score them into a store

``--embedding vectors.vec`` (any file that `paper.embeddings.load_embedding` reads, of any number of
dimensions) and ``--methods lstm`` (the plain network alone) are given to the first and the third
step alike. The first step's file name says which run a file of predictions belongs to, so that
several runs can share OUT; ``collect`` takes those of one of them with ``--run glove``.

Where imbalanced-text itself can be installed on the GPU machine, ``python -m paper lstm`` does
all of it in one go; this script calls the same functions.
"""

import argparse
import importlib
import json
import time
from pathlib import Path

import numpy as np

from bare import allow_bare_imports

# A file of predictions is closed at this size, for machines that limit what comes back.
LARGEST_FILE = 12 * 2**20


def prepare(path: Path, given: argparse.Namespace) -> None:
    from paper.lstm_networks import group_inputs

    data, units = experiment(given)
    arrays = {
        "original": data.original.astype(np.uint16),
        "test": data.test_rows.astype(np.uint16),
        "embedding": data.embedding.matrix().astype(np.float32),
    }
    groups = []
    for i, keys in enumerate(units):
        positive, synthetic, seeds = group_inputs(data, keys)
        arrays[f"positive{i}"] = np.packbits(positive, axis=0)
        arrays[f"synthetic{i}"] = np.concatenate(synthetic).astype(np.uint16)
        arrays[f"sizes{i}"] = np.array([len(new) for new in synthetic])
        arrays[f"seeds{i}"] = np.array(seeds)
        groups.append([keys[0].method, keys[0].ratio, keys[0].repetition, len(keys)])
    arrays["groups"] = np.frombuffer(json.dumps(groups).encode(), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)
    print(f"{path}: {path.stat().st_size / 2**20:.1f} MiB, {len(groups)} groups")
    print(f"{data.embedding.name}: {data.embedding.n_dimensions} dimensions")
    print(f"words with a vector: {data.coverage:.1%} of the tokens; length {data.length}")


def train(path: Path, out: Path, given: argparse.Namespace) -> None:
    """Train group after group; needs torch and NumPy alone."""
    allow_bare_imports()
    batched = importlib.import_module("paper.side_by_side")
    content = np.load(path, allow_pickle=False)
    groups = json.loads(content["groups"].tobytes())[: given.only]
    original = content["original"].astype(np.int32)
    test = content["test"].astype(np.int32)
    out.mkdir(parents=True, exist_ok=True)
    found: dict[str, np.ndarray] = {}
    part = 0
    begin = time.perf_counter()
    for i, (method, ratio, repetition, n_networks) in enumerate(groups):
        start = time.perf_counter()
        positive = np.unpackbits(content[f"positive{i}"], axis=0, count=len(original)).astype(bool)
        synthetic = content[f"synthetic{i}"].astype(np.int32)
        found[f"{method}|{ratio}|{repetition}"] = batched.predict_side_by_side(
            original,
            positive,
            np.split(synthetic, np.cumsum(content[f"sizes{i}"])[:-1]),
            test,
            content["embedding"],
            content[f"seeds{i}"].tolist(),
            device=given.device,
        )
        now = time.perf_counter()
        print(
            f"{path.stem} {method} ratio {ratio} repetition {repetition}: {n_networks} networks in "
            f"{now - start:.1f} s, {now - begin:.1f} s so far",
            flush=True,
        )
        # Written after every group, so that a run that is stopped leaves what it finished.
        np.savez_compressed(out / f"{path.stem}-{part}.npz", **found)
        if sum(values.nbytes for values in found.values()) > LARGEST_FILE:
            found, part = {}, part + 1


def collect(out: Path, folder: Path, given: argparse.Namespace) -> None:
    from imbtext.store import Store
    from paper.lstm_networks import unit_scores

    data, units = experiment(given)
    groups = {f"{keys[0].method}|{keys[0].ratio}|{keys[0].repetition}": keys for keys in units}
    folder.mkdir(parents=True, exist_ok=True)
    n_added = 0
    with Store(folder / "units.sqlite") as store:
        done = store.finished()
        for path in sorted(out.glob(f"{given.run}-*.npz")):
            with np.load(path, allow_pickle=False) as content:
                for name in content.files:
                    for key, probability in zip(groups[name], content[name], strict=True):
                        if key not in done:
                            n_added += store.add(key, unit_scores(data, key, probability), 0.0)
    print(f"{n_added} units added to {folder / 'units.sqlite'}")


def experiment(given: argparse.Namespace) -> tuple:
    """Return the data of the experiment and its units in groups."""
    from paper.lstm_networks import LSTM_METHODS, lstm_units, prepare_lstm
    from paper.options import Options

    data = prepare_lstm(given.embedding, data_home=given.data_home)
    options = Options(given.target or given.source)
    return data, lstm_units(data, options, given.methods or LSTM_METHODS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=["prepare", "train", "collect"])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path, nargs="?")
    parser.add_argument("--data-home")
    parser.add_argument("--embedding")
    parser.add_argument("--methods", nargs="+", help="lstm, eda, emco(0.1); all by default")
    parser.add_argument("--run", default="*", help="collect the predictions of this run only")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--only", type=int, help="train the first groups only")
    given = parser.parse_args()
    if given.step == "prepare":
        prepare(given.source, given)
    elif given.step == "train":
        train(given.source, given.target, given)
    else:
        collect(given.source, given.target, given)


if __name__ == "__main__":
    main()
