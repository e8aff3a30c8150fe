"""``"meaning"``: the summed vectors of words, from the package ``wordllama``.

Its wheel contains 32,000 static vectors of 256 numbers, derived from a large language model. Words
of similar meaning have similar vectors, so a document can resemble those of a class without sharing
a word with them. Nothing is downloaded, and no neural network runs.

The two files are read from the installed wheel. The package itself is not imported: its loader
looks for files elsewhere and then asks a server, and importing it changes a program's logging.

Each different word is cut into tokens once, in lower case, since the tokens of most capitalised
words are fragments ("O", "il"). Then a token counts 1 + log of how often it occurs, as a term does.
"""

import hashlib
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext._extras import require
from imbtext._typing import DocumentsLike
from imbtext.documents._corpus import Corpus
from imbtext.documents._documents import Documents
from imbtext.documents._tokenization import extract_words
from imbtext.features._terms import LETTERS, Occurrences, Terms

# The name by which users ask for these vectors.
MEANING: Final = "meaning"
_PACKAGE: Final = "wordllama"
_TOKENIZER: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_VECTORS: Final = "weights/l2_supercat_256.safetensors"


class _Packaged(NamedTuple):
    """The content of the wheel: the tokenizer, a vector per token, and a checksum of both."""

    tokenizer: Any
    vectors: NDArray[np.float32]
    checksum: str


@cache
def _packaged() -> _Packaged:
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        require(_PACKAGE, MEANING)  # says how to install it
        raise ImportError(f"the package {_PACKAGE!r} has no files")
    folder = Path(spec.origin).parent
    paths = [folder / _TOKENIZER, folder / _VECTORS]
    for path in paths:
        if not path.is_file():
            raise ImportError(
                f"the installed {_PACKAGE} {version(_PACKAGE)} has no {path.name}, which "
                f"features='meaning' reads; run: pip install --force-reinstall '{_PACKAGE}>=0.4'"
            )
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    tokenizer = require("tokenizers", MEANING).Tokenizer.from_file(str(paths[0]))
    stored = require("safetensors.numpy", MEANING).load_file(paths[1])
    (vectors,) = stored.values()
    return _Packaged(tokenizer, vectors.astype(np.float32), digest.hexdigest()[:16])


class Meaning:
    """A callable from documents to vectors, as a sentence encoder is.

    Examples
    --------
    >>> vectors = Meaning()(["the price of petroleum", "crude oil costs more", "rain tomorrow"])
    >>> vectors.shape
    (3, 256)
    >>> unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    >>> bool(unit[0] @ unit[1] > 2 * unit[0] @ unit[2])
    True
    """

    def __init__(self) -> None:
        _packaged()  # raises here, before any computation, if something is missing

    @staticmethod
    def is_installed() -> bool:
        """Return whether the package with the vectors is installed."""
        return find_spec(_PACKAGE) is not None

    @property
    def package(self) -> str:
        """The package with the vectors, and its version."""
        return f"{_PACKAGE} {version(_PACKAGE)}"

    @property
    def version(self) -> str:
        """A checksum of the files that the vectors come from."""
        return _packaged().checksum

    def __call__(self, documents: DocumentsLike) -> NDArray[np.float32]:
        """Return the sum of the vectors of each document's tokens; zeros if it has none."""
        content = Documents.of(documents).texts
        corpus = (
            content if isinstance(content, Corpus) else extract_words(content, LETTERS, lower=True)
        )
        tokenizer, vectors, _ = _packaged()
        words = tokenizer.encode_batch(corpus.vocabulary.tolist(), add_special_tokens=False)
        members = np.array([token for word in words for token in word.ids], np.int32)
        starts = np.cumsum([0, *(len(word.ids) for word in words)])
        tokens = np.arange(len(vectors), dtype=np.int32)
        occurrences = Occurrences(corpus.ids, corpus.offsets, starts, members, tokens)
        terms = Terms.of_blocks([occurrences])
        counts = sparse.csr_array(
            (terms.values, terms.indices, terms.indptr), (terms.n_documents, len(vectors))
        )
        return np.asarray(counts @ vectors, np.float32)

    def __repr__(self) -> str:
        return f"{MEANING} ({self.package})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Meaning)

    def __hash__(self) -> int:
        return hash(MEANING)
