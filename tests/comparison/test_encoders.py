"""A sentence encoder in a comparison: when it runs unasked, what it adds and what it costs."""

import numpy as np
import pytest

from imbtext.comparison import _running, _settings, compare
from imbtext.comparison._running import encode_ahead
from imbtext.comparison._settings import choose_methods, default_methods, get_classifier
from imbtext.comparison._snippet import snippet
from imbtext.documents._documents import Documents
from imbtext.features.encoders import Encoder

OIL = ["oil price up", "petroleum sold", "crude oil", "diesel dear"] * 4
REST = ["rain today", "sun and rain", "share price up", "bank cuts rate", "snow"] * 12
FUNCTION = """
def meant(texts):
    oil = ("oil", "petroleum", "diesel")
    return [[0.1 + sum(word in text for word in oil), 0.1 + ("rain" in text)] for text in texts]
"""


def test_it_runs_unasked_if_it_is_installed_and_quick(monkeypatch):
    asked, short, long = [], Documents.of(OIL), Documents.of(["oil " * 1000] * 2000)
    monkeypatch.setattr(_settings, "is_installed", lambda name: asked.append(name) or True)

    def by_default(documents, language="english"):
        return choose_methods(None, "f2", "auto", language, get_classifier("linear-svm"), documents)

    words = default_methods("f2")
    assert by_default(short) == ([*words, "rare(f2, encoder=minilm)"], [])
    assert by_default(short, "german")[0][-1] == "rare(f2, auto, german, encoder=use)"
    assert asked == ["minilm", "use"]
    assert by_default(long) == (words, [])
    half = Documents.of(["oil " * 300] * 1000)
    assert by_default(half) == (words, [])
    assert by_default(half, "german")[0][-1].endswith("encoder=use)")  # twice as fast
    tokens = Documents.of([text.split() for text in OIL])
    assert by_default(tokens) == (default_methods("f2", texts=False), [])
    monkeypatch.setattr(_settings, "is_installed", lambda _: False)
    assert by_default(short) == (words, [])


def test_texts_are_encoded_ahead_where_vectors_can_be_kept(monkeypatch):
    asked = []

    def encode(texts):
        asked.extend(texts)
        return np.ones((len(texts), 2))

    known = Encoder("own", lambda _: encode, "abc", cache=False)
    monkeypatch.setattr(_running, "get_encoders", lambda _: (known,))
    methods = ["plain", "rare(f2, encoder=minilm)", "rare(f1, encoder=minilm)"]
    (note,) = encode_ahead(methods, Documents.of(OIL), verbose=False)
    assert sorted(asked) == sorted(set(OIL))
    assert "seconds to encode 4 texts with minilm" in note


@pytest.fixture
def comparison(tmp_path, monkeypatch):
    (tmp_path / "meant_by_tests.py").write_text(FUNCTION, "utf-8")
    monkeypatch.chdir(tmp_path)
    methods = ["rare", "rare(encoder='meant_by_tests:meant')"]
    y = ["oil"] * len(OIL) + ["rest"] * len(REST)
    return compare(OIL + REST, y, methods=methods, share=0.4, folds=3, repeats=1)


def test_it_says_what_an_encoder_adds_and_how_to_use_it(comparison):
    name = "rare(f2, encoder='meant_by_tests:meant')"
    assert comparison.plan.methods == ("plain", "rare(f2)", name)
    assert comparison.title("rare(f2)") == "RareTextClassifier"
    assert comparison.title(name) == "RareTextClassifier with meant_by_tests:meant"
    said = comparison.recommendation.others
    assert "with the encoder meant_by_tests:meant, adds " in said
    code = snippet(name, comparison.plan)
    assert "encoder='meant_by_tests:meant'" in code
    names = {"texts": OIL + REST, "y": ["oil"] * 16 + ["rest"] * 60, "new_texts": ["diesel"]}
    exec(code, names)
    assert names["in_class"].tolist() == [True]
