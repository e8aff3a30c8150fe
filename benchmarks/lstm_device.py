"""The LSTM table on a GPU machine that has nothing but torch and NumPy.

Three steps::

    python benchmarks/lstm_device.py prepare carry/lstm.npz      # here: encode every training set
    python3 benchmarks/lstm_device.py train carry/lstm.npz OUT   # there: train, write predictions
    python benchmarks/lstm_device.py collect OUT FOLDER          # here: score them into a store

Where imbalanced-text itself can be installed on the GPU machine, ``imbtext reproduce lstm`` does
all of it in one go; this script calls the same functions.
"""

import argparse
import importlib.util
import json
import sys
import time
from pathlib import Path

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[1]


def prepare(path: Path, data_home: str | None, embedding: str | None) -> None:
    from imbtext.reproduction.lstm.headlines import prepare_lstm
    from imbtext.reproduction.lstm.networks import LSTMPlan, group_inputs

    data = prepare_lstm(embedding, data_home=data_home)
    arrays = {
        "original": data.original.astype(np.uint16),
        "test": data.test_rows.astype(np.uint16),
        "embedding": data.embedding.matrix().astype(np.float32),
    }
    groups = []
    for i, keys in enumerate(LSTMPlan().units(data)):
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
    print(f"words with a vector: {data.coverage:.1%} of the tokens; length {data.length}")


def train(path: Path, out: Path, device: str, only: int | None) -> None:
    """Train group after group; needs torch and NumPy alone."""
    source = REPOSITORY / "src" / "imbtext" / "neural" / "batched.py"
    spec = importlib.util.spec_from_file_location("batched", source)
    batched = importlib.util.module_from_spec(spec)
    sys.modules["batched"] = batched
    spec.loader.exec_module(batched)

    content = np.load(path, allow_pickle=False)
    groups = json.loads(content["groups"].tobytes())
    original = content["original"].astype(np.int32)
    test = content["test"].astype(np.int32)
    found: dict[str, np.ndarray] = {}
    begin = time.perf_counter()
    for i, (method, ratio, repetition, n_networks) in enumerate(groups[:only]):
        start = time.perf_counter()
        positive = np.unpackbits(content[f"positive{i}"], axis=0, count=len(original)).astype(bool)
        synthetic = content[f"synthetic{i}"].astype(np.int32)
        found[f"group{i}"] = batched.predict_side_by_side(
            original,
            positive,
            np.split(synthetic, np.cumsum(content[f"sizes{i}"])[:-1]),
            test,
            content["embedding"],
            content[f"seeds{i}"].tolist(),
            device=device,
        )
        now = time.perf_counter()
        print(
            f"{method} ratio {ratio} repetition {repetition}: {n_networks} networks in "
            f"{now - start:.1f} s, {now - begin:.1f} s so far",
            flush=True,
        )
        # One file a repetition, so that a run that is stopped leaves what it finished.
        last = i + 1 == len(groups[:only]) or groups[i + 1][2] != repetition
        if last:
            np.savez_compressed(out / f"predictions-{repetition}.npz", **found)
            found = {}


def collect(out: Path, folder: Path, data_home: str | None, embedding: str | None) -> None:
    from imbtext.evaluation.store import Store
    from imbtext.reproduction.lstm.headlines import prepare_lstm
    from imbtext.reproduction.lstm.networks import LSTMPlan, unit_scores

    data = prepare_lstm(embedding, data_home=data_home)
    groups = LSTMPlan().units(data)
    folder.mkdir(parents=True, exist_ok=True)
    n_added = 0
    with Store(folder / "units.sqlite") as store:
        done = store.finished()
        for path in sorted(out.glob("predictions-*.npz")):
            with np.load(path, allow_pickle=False) as content:
                for name in content.files:
                    keys = groups[int(name.removeprefix("group"))]
                    for key, probability in zip(keys, content[name], strict=True):
                        if key not in done:
                            n_added += store.add(key, unit_scores(data, key, probability), 0.0)
    print(f"{n_added} units added to {folder / 'units.sqlite'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=["prepare", "train", "collect"])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path, nargs="?")
    parser.add_argument("--data-home")
    parser.add_argument("--embedding")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--only", type=int, help="train the first groups only")
    given = parser.parse_args()
    if given.step == "prepare":
        prepare(given.source, given.data_home, given.embedding)
    elif given.step == "train":
        train(given.source, given.target, given.device, given.only)
    else:
        collect(given.source, given.target, given.data_home, given.embedding)


if __name__ == "__main__":
    main()
