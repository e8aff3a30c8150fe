"""What a model answered, and the documents in it, however they are wrapped."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from imbtext.documents import encode_texts

Fault = Literal["refusal", "malformed"]

_REFUSAL = re.compile(
    r"\s*(i'?m sorry|i am sorry|sorry,|i can(no|')t|i can not|i'?m unable|i am unable|i won'?t|"
    r"as an ai)",
    re.IGNORECASE,
)
_VALUE_BEGINS = re.compile(r'[ \t\r\n,]*(?=["{])')
# Two documents are nearly the same if they share four fifths of all their words.
_OVERLAP = 0.8


class PromptingError(RuntimeError):
    """The model could not be asked, or its answers are of no use; the message says what to do."""


@dataclass(frozen=True)
class Answer:
    """One answer of a model.

    Attributes
    ----------
    text : str
        What it wrote.
    prompt_tokens, completion_tokens : int or None
        What was read and written, where the model tells.
    refused : bool
        Whether it declined to answer, or a filter stopped it.
    """

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    refused: bool = False

    def documents(self) -> tuple[list[str], Fault | None]:
        """Return the documents in the answer, and what is wrong where there are none.

        Examples
        --------
        >>> Answer('["oil up", "oil down"]').documents()
        (['oil up', 'oil down'], None)
        >>> Answer('Here they are: ["oil up", "oil do').documents()
        (['oil up'], None)
        >>> Answer("I'm sorry, I cannot help with that.").documents()
        ([], 'refusal')
        """
        if self.refused:
            return [], "refusal"
        found = _strings(self.text)
        if found:
            return found, None
        return [], "refusal" if _REFUSAL.match(self.text) else "malformed"


def _strings(text: str) -> list[str]:
    """Return the strings of the first JSON list in a text; of a list cut short, the whole ones."""
    start = text.find("[")
    if start < 0:
        return []
    try:
        values, _ = json.JSONDecoder().raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError):
        values = _whole_values(text, start + 1)
    return [cleaned for value in values if (cleaned := _document(value))]


def _whole_values(text: str, at: int) -> list[Any]:
    decoder = json.JSONDecoder()
    found: list[Any] = []
    while begins := _VALUE_BEGINS.match(text, at):
        try:
            value, at = decoder.raw_decode(text, begins.end())
        except (json.JSONDecodeError, RecursionError):
            break
        found.append(value)
    return found


def _document(value: Any) -> str:
    """Return a document as one line of text that can be encoded, or nothing."""
    if isinstance(value, dict) and len(value) == 1:
        # Some models wrap each document: {"text": ...}.
        (value,) = value.values()
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", errors="ignore").decode().strip()


def near_copies(written: Sequence[str], originals: Sequence[str]) -> NDArray[np.int64]:
    """Return for each written document the original that it nearly repeats, or -1.

    Examples
    --------
    >>> near_copies(["Oil is up", "gold is down"], ["rain", "oil is UP"]).tolist()
    [1, -1]
    """
    corpus = encode_texts([*written, *originals])
    words = corpus.counts().astype(bool).astype(np.float64)
    new, old = words[: len(written)], words[len(written) :]
    shared = (new @ old.T).toarray()
    sizes = new.sum(axis=1)[:, None] + old.sum(axis=1)[None, :]
    overlap = shared / np.maximum(sizes - shared, 1.0)
    return np.where(overlap.max(axis=1) >= _OVERLAP, overlap.argmax(axis=1), -1)
