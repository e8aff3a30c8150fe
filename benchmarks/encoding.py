"""What an encoder costs: against onnxruntime by hand, and in `predict --top 100`.

By hand means: one session on one thread, texts sorted by their number of tokens, batches of 32,
each padded to its longest text, the mean over tokens. Both encode the same texts, and processor
seconds are counted, so that other work on the machine does not matter.

`predict --top 100` ranks headlines with a model of words alone, and with MiniLM beside them. The
model has learnt from all headlines of one class, so words rule out most texts and these are not
encoded.

    python benchmarks/encoding.py [--texts 100000] [--hand 2000]
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

os.environ["IMBTEXT_CACHE"] = tempfile.mkdtemp()  # nothing is encoded already

import numpy as np
import onnxruntime
import polars as pl
from tokenizers import Tokenizer

from imbtext import RareTextClassifier
from imbtext.datasets import load_huffpost
from imbtext.features._encoder_files import packaged_minilm
from imbtext.features._onnx_encoder import OnnxEncoder
from imbtext.files import predict_file

TOKENS, BATCH = 128, 32
LABEL, N_OTHERS = "FOOD & DRINK", 5000


def by_hand(texts: list[str]) -> np.ndarray:
    """Return the vectors of texts, asked of onnxruntime in sorted batches."""
    files, options = packaged_minilm(), onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(files.model), options)
    tokenizer = Tokenizer.from_file(str(files.tokenizer))
    tokenizer.enable_truncation(TOKENS)
    tokenizer.no_padding()
    tokens = [one.ids for one in tokenizer.encode_batch(texts)]
    order, vectors = sorted(range(len(texts)), key=lambda i: len(tokens[i])), [None] * len(texts)
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        ids = np.zeros((len(rows), len(tokens[rows[-1]])), np.int64)
        mask = np.zeros_like(ids)
        for k, row in enumerate(rows):
            ids[k, : len(tokens[row])], mask[k, : len(tokens[row])] = tokens[row], 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (output,) = session.run(None, given)[:1]
        means = (output * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        for row, mean in zip(rows, means, strict=True):
            vectors[row] = mean
    return np.stack(vectors)


def ours(texts: list[str]) -> np.ndarray:
    """Return the same by this package, on one thread."""
    return OnnxEncoder(packaged_minilm(), TOKENS, 1).encode(texts)


def main() -> None:
    """Print what each costs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=100_000)
    parser.add_argument("--hand", type=int, default=2000)
    options = parser.parse_args()
    data = load_huffpost("titles", verify=False)
    texts, rng = list(data.texts), np.random.default_rng(0)
    some, seconds = [texts[i] for i in rng.permutation(len(texts))[: options.hand]], {}
    for name, encode in (("by hand", by_hand), ("ours", ours), ("by hand again", by_hand)):
        start = time.process_time()
        vectors = encode(some)
        seconds[name] = time.process_time() - start
        print(f"{name}: {seconds[name]:.1f} processor seconds", vectors.shape, flush=True)
    print(f"ratio {seconds['ours'] / min(seconds['by hand'], seconds['by hand again']):.2f}")
    is_class = np.asarray(data.in_class(LABEL))
    order = rng.permutation(len(texts))
    learnt = np.concatenate([order[is_class[order]][:1000], order[~is_class[order]][:N_OTHERS]])
    new = np.setdiff1d(order, learnt)[: options.texts]
    folder = Path(tempfile.mkdtemp())
    pl.DataFrame({"text": [texts[i] for i in new]}).write_csv(folder / "new.csv")
    for encoder in (None, "minilm"):
        model = RareTextClassifier(encoder=encoder, random_state=0)
        start = time.process_time()
        model.fit([texts[i] for i in learnt], is_class[learnt])
        fit = time.process_time() - start
        start = time.process_time()
        found = predict_file(model, folder / "new.csv", folder / "out.csv", text="text", top=100)
        cost = time.process_time() - start
        print(
            f"encoder {encoder}: fit {fit:.0f}, predict {len(new):,} texts {cost:.0f}", flush=True
        )
        print(found.skipped)


if __name__ == "__main__":
    main()
