"""The vectors of words that the package wordllama brings."""

import socket
from importlib.util import find_spec

import numpy as np
import pytest

from imbtext.features import _meaning as meaning
from imbtext.features._meaning import Meaning

pytestmark = pytest.mark.skipif(
    find_spec("wordllama") is None,
    reason="wordllama is not installed (pip install 'imbalanced-text[meaning]')",
)


def by_hand(text):
    """Sum the vectors of the tokens, each 1 + log of how often it occurs."""
    tokenizer, vectors, _ = meaning._packaged()
    counts = {}
    for word in text.lower().replace(",", " ").split():
        for token in tokenizer.encode(word, add_special_tokens=False).ids:
            counts[token] = counts.get(token, 0) + 1
    total = np.zeros(vectors.shape[1])
    for token, n in counts.items():
        total += (1 + np.log(n)) * vectors[token].astype(float)
    return total


def test_a_document_is_the_sum_of_its_tokens():
    texts = ["Oil, oil prices", "The unfathomable café", "", "17 % ..."]
    vectors = Meaning()(texts)
    np.testing.assert_allclose(vectors[0], by_hand(texts[0]), atol=1e-4)
    np.testing.assert_allclose(vectors[1], by_hand(texts[1]), atol=1e-4)
    assert not vectors[2:].any()
    tokens = Meaning()([["oil", "oil", "prices"], ["the"]])
    np.testing.assert_allclose(tokens[0], vectors[0], atol=1e-4)


def test_nothing_asks_the_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("the network was asked")

    meaning._packaged.cache_clear()
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert Meaning()(["oil"]).shape == (1, 256)


def test_a_missing_package_is_named(monkeypatch):
    meaning._packaged.cache_clear()
    monkeypatch.setattr(meaning, "_PACKAGE", "wordllama_absent")
    with pytest.raises(ImportError, match="run: pip install wordllama-absent"):
        Meaning()
