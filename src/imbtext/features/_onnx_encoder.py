"""Sentence encoders in ONNX: from texts to tokens to vectors.

One session computes on one thread, and several batches run side by side: small networks use cores
better this way than by sharing out each multiplication.

The vector of a text does not depend on the texts beside it in a batch. One kind of network would
break this: if it chooses the scale of its 8-bit numbers while it runs, then by the largest number
of the whole batch. Such a network gets each text alone.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from imbtext._extras import require
from imbtext.features._encoder_files import EXTRA, OnnxFiles

# Tokens in a batch, padding among them: enough for short texts to share the weights, and few enough
# to stay in the cache.
_BATCH_TOKENS: Final = 768
_SENTENCE: Final = "sentence_embedding"
# The name of the operation in a model's file.
_SCALED_BY_BATCH: Final = b"DynamicQuantize"


class OnnxEncoder:
    """An ONNX model with its tokenizer, open.

    Parameters
    ----------
    files : OnnxFiles
        The model and its tokenizer.
    n_tokens : int
        How many tokens of each text are read.
    n_threads : int
        How many batches run side by side.
    """

    def __init__(self, files: OnnxFiles, n_tokens: int, n_threads: int) -> None:
        runtime, tokenizers = require("onnxruntime", EXTRA), require("tokenizers", EXTRA)
        with _readable(files.tokenizer):
            tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length=n_tokens)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        with _readable(files.model):
            self._session: Any = runtime.InferenceSession(
                str(files.model), options, providers=["CPUExecutionProvider"]
            )
        self._tokenizer: Any = tokenizer
        self._inputs = {given.name for given in self._session.get_inputs()}
        outputs = [output.name for output in self._session.get_outputs()]
        self._output = _SENTENCE if _SENTENCE in outputs else outputs[0]
        self._first_token = files.first_token
        self._n_threads = n_threads
        scaled_by_batch = _SCALED_BY_BATCH in files.model.read_bytes()
        self._batch_tokens = 0 if scaled_by_batch else _BATCH_TOKENS

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector per text, of whatever length the network gives it."""
        ids = [tokens.ids for tokens in self._tokenizer.encode_batch(list(texts))]
        lengths = np.array([len(row) for row in ids])
        order = np.argsort(-lengths, kind="stable")
        batches = _batches(order, lengths, self._batch_tokens)
        with ThreadPoolExecutor(self._n_threads) as threads:
            encoded = list(threads.map(lambda rows: self._encoded([ids[i] for i in rows]), batches))
        vectors = np.empty((len(ids), encoded[0].shape[1]), np.float32)
        for rows, of_batch in zip(batches, encoded, strict=True):
            vectors[rows] = of_batch
        return vectors

    def _encoded(self, ids: list[list[int]]) -> NDArray[np.float32]:
        tokens = np.zeros((len(ids), len(ids[0])), np.int64)  # the first is the longest
        mask = np.zeros_like(tokens)
        for k, row in enumerate(ids):
            tokens[k, : len(row)] = row
            mask[k, : len(row)] = 1
        given = {
            "input_ids": tokens,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(tokens),
        }
        (output,) = self._session.run(
            [self._output], {name: value for name, value in given.items() if name in self._inputs}
        )
        if output.ndim == 2:
            return np.asarray(output, np.float32)
        if self._first_token:
            return np.asarray(output[:, 0], np.float32)
        counts = np.maximum(mask.sum(axis=1, keepdims=True), 1)
        total = np.einsum("btd,bt->bd", output, mask.astype(output.dtype))
        return np.asarray(total / counts, np.float32)


def _batches(
    order: NDArray[np.int64], lengths: NDArray[np.int64], n_tokens: int
) -> list[NDArray[np.int64]]:
    """Cut texts, the longest first, into batches of about `n_tokens` tokens; 0 is each text alone.

    Examples
    --------
    >>> lengths = np.array([700, 300, 200, 100])
    >>> [rows.tolist() for rows in _batches(np.arange(4), lengths, 768)]
    [[0], [1, 2], [3]]
    """
    batches, start = [], 0
    while start < len(order):
        size = max(n_tokens // max(int(lengths[order[start]]), 1), 1)
        batches.append(order[start : start + size])
        start += size
    return batches


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say which file of an encoder cannot be read; the packages raise errors of many kinds."""
    try:
        yield
    except Exception as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ValueError(
            f"{path} cannot be read as a part of an encoder ({reason}); export or fetch it again"
        ) from error
