"""The page lists the types of a model that skops asks about, as skops finds them."""

import re
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from imbtext import RareTextClassifier, ThresholdClassifier

PAGE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "models_elsewhere.md"
TEXTS = ["crude oil price up", "oil output cut", "oil price falls"] * 4
TEXTS += ["share price of the firm up", "bank cuts rate", "profit up, output falls"] * 9
LABELS = ["oil"] * 12 + ["other"] * 27


def types_in(value, seen):
    """Our types in a value and in what it holds, without what is computed and not kept."""
    if id(value) in seen:
        return set()
    seen[id(value)] = value
    kept = value.__getstate__() if hasattr(type(value), "__getstate__") else None
    inside = [kept] if isinstance(kept, dict | tuple) else []
    if isinstance(value, dict):
        inside = [*value, *value.values()]
    elif isinstance(value, list | tuple | set):
        inside = [*value, *inside]
    kind = type(value)
    own = {f"{kind.__module__}.{kind.__name__}"} if kind.__module__.startswith("imbtext") else set()
    return own.union(*(types_in(part, seen) for part in inside))


def listed():
    text = PAGE.read_text("utf-8")
    rows = re.findall(r"^\| `(imbtext\.\w+)` \| (.*) \|$", text, flags=re.M)
    of_words = {f"{part}.{name}" for part, names in rows for name in re.findall(r"`(.*?)`", names)}
    added = re.search(r"A `ThresholdClassifier` adds `([\w.]+)`", text)
    return of_words, {added[1]}


def test_a_model_of_words_has_the_types_that_are_listed():
    model = RareTextClassifier(random_state=0).fit(TEXTS, LABELS)
    assert types_in(model, {}) == listed()[0]


def test_a_threshold_classifier_adds_what_is_said():
    X = np.array([[float("oil" in text), float(len(text))] for text in TEXTS])
    model = ThresholdClassifier(LogisticRegression(), random_state=0).fit(X, LABELS)
    of_words, added = listed()
    assert types_in(model, {}) - of_words == added
