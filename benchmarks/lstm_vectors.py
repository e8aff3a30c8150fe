"""Why the plain LSTM of the paper's table is off here: word vectors of several sizes.

The paper's vectors have 300 dimensions, those at hand 50. Here vectors of 50, 100 and 300
dimensions are trained on the spot, on the training articles of Reuters, HuffPost and 20 Newsgroups
(positive pointwise mutual information within five words, then a singular value decomposition),
frozen, and put below the same networks, five repetitions::

    python benchmarks/lstm_vectors.py prepare DATA           # here: encode text and headlines
    python3 benchmarks/lstm_vectors.py train DATA OUT        # there: vectors and networks
    python benchmarks/lstm_vectors.py score DATA OUT FOLDER  # here: tables into FOLDER
"""

import argparse
import importlib
import json
import lzma
import time
from pathlib import Path

import numpy as np

from bare import allow_bare_imports

WINDOW = 5
N_WORDS = 30_000
DIMENSIONS = (50, 100, 300)
# How wide the numbers of a vector spread: GloVe's own spread, and a small one.
SMALL = 0.1


def prepare(folder: Path) -> None:
    """Encode the text that vectors are trained on, and the headlines on either vocabulary."""
    from imbtext.datasets import load_20newsgroups, load_huffpost, load_reuters
    from imbtext.documents import encode_texts
    from paper.lstm_networks import group_inputs, lstm_units, prepare_lstm
    from paper.options import Options

    reuters, news = load_reuters("full"), load_20newsgroups()
    texts = [reuters.texts[row] for row in reuters.train]
    texts += [news.texts[row] for row in news.train]
    texts += list(load_huffpost("full").texts)
    corpus = encode_texts(texts)
    letters = np.array([word.isascii() and word.isalpha() for word in corpus.vocabulary])
    corpus = corpus.keep_words(letters)
    kept = np.sort(np.argsort(-corpus.word_counts(), kind="stable")[:N_WORDS])
    chosen = np.zeros(corpus.n_words, dtype=bool)
    chosen[kept] = True
    corpus = corpus.keep_words(chosen)
    # Documents one behind the other, with a gap that no window bridges.
    gap = np.zeros(corpus.n_documents + 1, dtype=np.int64)
    gap[1:] = WINDOW * np.arange(1, corpus.n_documents + 1)
    flat = np.zeros(corpus.n_tokens + gap[-1], dtype=np.uint16)
    document = np.repeat(np.arange(corpus.n_documents), corpus.lengths)
    flat[np.arange(corpus.n_tokens) + gap[document]] = corpus.ids + 1
    content = flat.tobytes()
    (folder / "text.xz").write_bytes(lzma.compress(content, preset=4))
    words = corpus.vocabulary.tolist()
    position = {word: i + 1 for i, word in enumerate(words)}
    arrays: dict[str, np.ndarray] = {}
    for name, source in (("glove", None), ("own", {word: [0.0] for word in words})):
        data = prepare_lstm(source)
        groups = lstm_units(data, Options(folder), ["lstm"])
        inputs = [group_inputs(data, keys) for keys in groups]
        columns = [data.categories.index(key.category) for key in groups[0]]
        arrays |= {
            f"{name}.train": data.original.astype(np.uint16),
            f"{name}.test": data.test_rows.astype(np.uint16),
            f"{name}.positive": np.packbits(inputs[0][0], axis=0),
            f"{name}.true": np.packbits(data.test_labels[:, columns], axis=0),
            f"{name}.seeds": np.array([seeds for _, _, seeds in inputs]),
            f"{name}.shares": data.shares[columns],
            f"{name}.coverage": np.array(data.coverage),
        }
        if source is None:
            arrays["glove.vectors"] = data.embedding.matrix().astype(np.float32)
        else:
            arrays["own.words"] = np.array([position[word] for word in data.embedding.words])
        print(f"{name}: {data.coverage:.1%} of the tokens have a vector, length {data.length}")
    np.savez_compressed(folder / "headlines.npz", **arrays)
    for path in sorted(folder.iterdir()):
        print(f"{path.name}: {path.stat().st_size / 2**20:.1f} MiB")


def vectors(folder: Path, device: str) -> np.ndarray:
    """Train vectors on the text: a row of zeros, then one row per word, the most telling first."""
    import torch

    content = lzma.decompress((folder / "text.xz").read_bytes())
    flat = np.frombuffer(content, dtype=np.uint16).astype(np.int64)
    text = torch.from_numpy(flat).to(device)
    n = N_WORDS + 1
    counts = torch.zeros(n * n, dtype=torch.float32, device=device)
    for distance in range(1, WINDOW + 1):
        for part in torch.split(torch.arange(len(text) - distance, device=device), 1 << 22):
            pairs = text[part] * n + text[part + distance]
            # Nearer words count more, as in word2vec, which draws the window's width.
            weight = torch.full((len(pairs),), 1.0 - (distance - 1) / WINDOW, device=device)
            counts.index_add_(0, pairs, weight)
    counts = counts.view(n, n)
    counts[0], counts[:, 0] = 0.0, 0.0
    counts = counts + counts.T
    word = counts.sum(dim=1)
    context = word.pow(0.75)
    context = context / context.sum()
    information = counts / word.clamp(min=1.0)[:, None] / context.clamp(min=1e-12)[None, :]
    information = information.clamp(min=1.0).log_()
    generator = torch.Generator().manual_seed(0)
    basis = torch.randn((n, max(DIMENSIONS) + 40), generator=generator).to(device)
    for _ in range(8):
        basis, _ = torch.linalg.qr(information @ (information.T @ basis))
    left, sizes, _ = torch.linalg.svd(basis.T @ information, full_matrices=False)
    found = (basis @ left)[:, : max(DIMENSIONS)] * sizes[: max(DIMENSIONS)].sqrt()
    return found.cpu().numpy()


def scaled(matrix: np.ndarray, spread: float) -> np.ndarray:
    """Scale vectors to a root mean square of `spread` over the words that have one."""
    used = matrix[np.abs(matrix).sum(axis=1) > 0]
    return (matrix * (spread / np.sqrt((used**2).mean()))).astype(np.float32)


def settings(content, own: np.ndarray) -> dict[str, tuple[str, np.ndarray, int, bool]]:
    """Return each setting's headlines, vectors, epochs and whether rows are padded in front."""
    glove = content["glove.vectors"]
    spread = float(np.sqrt((glove[1:] ** 2).mean()))
    rows = np.concatenate([np.zeros((1, own.shape[1])), own[content["own.words"]]])
    found = {
        "glove-50": ("glove", glove, 3, False),
        "glove-50 padded in front": ("glove", glove, 3, True),
        "glove-50 small": ("glove", scaled(glove, SMALL), 3, False),
        "glove-50 ten epochs": ("glove", glove, 10, False),
    }
    for n in DIMENSIONS:
        found[f"own-{n}"] = ("own", scaled(rows[:, :n], spread), 3, False)
        found[f"own-{n} small"] = ("own", scaled(rows[:, :n], SMALL), 3, False)
    return found


def in_front(rows: np.ndarray) -> np.ndarray:
    """Move the padding of each row to its front."""
    order = np.argsort(rows != 0, axis=1, kind="stable")
    return np.take_along_axis(rows, order, axis=1)


def train(folder: Path, out: Path, device: str, part: str | None, small: bool) -> None:
    """Train the vectors once and the networks of each setting; needs torch and NumPy alone."""
    allow_bare_imports()
    batched = importlib.import_module("paper.side_by_side")
    content = dict(np.load(folder / "headlines.npz", allow_pickle=False))
    start = time.perf_counter()
    if small:
        own = np.random.default_rng(0).normal(size=(N_WORDS + 1, max(DIMENSIONS)))
    else:
        own = vectors(folder, device)
    print(f"vectors in {time.perf_counter() - start:.1f} s", flush=True)
    index, of = map(int, part.split("/")) if part else (1, 1)
    found: dict[str, np.ndarray] = {}
    times = {}
    for name, (words, matrix, epochs, front) in list(settings(content, own).items())[
        index - 1 :: of
    ]:
        start = time.perf_counter()
        train_rows = content[f"{words}.train"].astype(np.int32)
        test_rows = content[f"{words}.test"].astype(np.int32)
        if front:
            train_rows, test_rows = in_front(train_rows), in_front(test_rows)
        positive = np.unpackbits(content[f"{words}.positive"], axis=0, count=len(train_rows))
        seeds = content[f"{words}.seeds"]
        if small:
            train_rows, test_rows, positive = train_rows[:200], test_rows[:100], positive[:200]
            seeds = seeds[:1]
        found[name] = np.stack(
            [
                batched.predict_side_by_side(
                    train_rows,
                    positive.astype(bool),
                    [train_rows[:0]] * positive.shape[1],
                    test_rows,
                    matrix.astype(np.float32),
                    row.tolist(),
                    device=device,
                    epochs=epochs,
                )
                for row in seeds
            ]
        ).astype(np.float16)
        times[name] = time.perf_counter() - start
        print(f"{name}: {times[name]:.1f} s", flush=True)
    out.mkdir(parents=True, exist_ok=True)
    found["times"] = np.frombuffer(json.dumps(times).encode(), dtype=np.uint8)
    np.savez_compressed(out / f"lstm-vectors-{index}.npz", **found)


def score(folder: Path, out: Path, target: Path) -> None:
    """Score the probabilities and write ``vectors.csv`` and ``probabilities.csv``."""
    import polars as pl

    from imbtext.metrics import binary_scores

    content = np.load(folder / "headlines.npz", allow_pickle=False)
    records, chances = [], []
    for path in sorted(out.glob("lstm-vectors-*.npz")):
        with np.load(path, allow_pickle=False) as found:
            for name in (file for file in found.files if file != "times"):
                words = name.split("-", maxsplit=1)[0]
                test = content[f"{words}.test"]
                true = np.unpackbits(content[f"{words}.true"], axis=0, count=len(test)).astype(bool)
                low = content[f"{words}.shares"] >= 0.015
                probability = found[name].astype(np.float64)
                for repetition, k in np.ndindex(probability.shape[:2]):
                    p, y = probability[repetition, k], true[:, k]
                    names = {
                        "vectors": name,
                        "frequency": "low" if low[k] else "very low",
                        "repetition": repetition,
                    }
                    records.append({**names, **binary_scores(y, p > 0.5, p)})
                    if y.any():
                        chances.append(
                            {
                                **names,
                                "class_median": float(np.median(p[y])),
                                "class_above_half": float((p[y] > 0.5).mean()),
                                "class_above_tenth": float((p[y] > 0.1).mean()),
                                "rest_99th": float(np.quantile(p[~y], 0.99)),
                                "largest": float(p.max()),
                            }
                        )
    for name, rows in (("vectors.csv", records), ("probabilities.csv", chances)):
        frame = pl.DataFrame(rows)
        by_repetition = frame.group_by("vectors", "frequency", "repetition").mean()
        table = by_repetition.group_by("vectors", "frequency").agg(
            pl.all().exclude("repetition").mean(),
            (pl.col(frame.columns[3]).std() * 2.776 / 5**0.5).alias(f"{frame.columns[3]}_half"),
        )
        table = table.sort("frequency", "vectors", descending=[True, False])
        table.write_csv(target / name, float_precision=6)
        print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=["prepare", "train", "score"])
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--part", help="such as 1/2: the first half of the settings")
    parser.add_argument("--small", action="store_true", help="a trial in a minute")
    given = parser.parse_args()
    if given.step == "prepare":
        given.data.mkdir(parents=True, exist_ok=True)
        prepare(given.data)
    elif given.step == "train":
        train(given.data, given.out, given.device, given.part, given.small)
    else:
        score(given.data, given.out, given.folder)


if __name__ == "__main__":
    main()
