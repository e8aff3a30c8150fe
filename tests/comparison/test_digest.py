"""Digests of settings: what differs is told apart, and what cannot be is refused."""

import re

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline

from imbtext.comparison import compare
from imbtext.comparison._digest import NotDigestibleError, settings_digest

OUTSIDE = 3


def long_classifier(last):
    """A classifier of which scikit-learn shows the beginning alone."""
    weights = {i: float(i) for i in range(400)} | {400: last}
    return LogisticRegression(class_weight=weights)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda t: t.split(), lambda t: t.split(",")),
        (lambda t: t[:2], lambda t: t[:3]),
        (str.split, str.splitlines),
        (re.compile("a").findall, re.compile("b").findall),
        (re.compile("a").findall, re.compile("a", re.IGNORECASE).findall),
        (long_classifier(1.0), long_classifier(2.0)),
        (LogisticRegression(C=1.0), LogisticRegression(C=1)),
        (BaggingClassifier(SGDClassifier()), BaggingClassifier(SGDClassifier(alpha=0.1))),
        (make_pipeline(TfidfVectorizer()), make_pipeline(TfidfVectorizer(min_df=2))),
        (np.array([1.0]), np.array([1])),
        ("1", 1),
        (True, 1),
        (["ab"], ["a", "b"]),
    ],
)
def test_what_differs_has_another_digest(first, second):
    assert settings_digest(value=first) == settings_digest(value=first)
    assert settings_digest(value=first) != settings_digest(value=second)


def test_scikit_learn_shows_both_alike():
    assert repr(long_classifier(1.0)) == repr(long_classifier(2.0))


class Own(LogisticRegression):
    """Of no installed package."""


@pytest.mark.parametrize(
    "value", [lambda t: t[:OUTSIDE], object(), Own(), [Own()], {"a": object()}, open]
)
def test_what_cannot_be_told_apart_is_refused(value):
    if value is open:
        value = re.compile  # a function of a module in Python: it uses the module
    with pytest.raises(NotDigestibleError, match="told apart"):
        settings_digest(value=value)


TEXTS = ["crude oil up", "oil, barrel down", "opec oil, up"] * 4 + ["rain", "sun, film", "law"] * 12
Y = ["oil"] * 12 + ["other"] * 36
OPTIONS = {"methods": ["svm"], "folds": 2, "repeats": 1, "share": 0.4}


def scores(**changes):
    return compare(TEXTS, Y, **{**OPTIONS, **changes}).scores


@pytest.fixture
def fits(monkeypatch):
    """Count the fits."""
    import imbtext.comparison._experiment as experiments

    real, begun = experiments.fit_method, []

    def counted(*args, **kwargs):
        begun.append(args[0])
        return real(*args, **kwargs)

    monkeypatch.setattr(experiments, "fit_method", counted)
    monkeypatch.setattr("imbtext.comparison._compare.illustrate", lambda *a: {})
    return begun


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"tokenizer": lambda t: t.split()}, {"tokenizer": lambda t: t.split(",")}),
        ({"classifier": long_classifier(1.0)}, {"classifier": long_classifier(2.0)}),
        ({}, {"folds": 3}),
        ({}, {"test": (TEXTS, Y)}),
        ({"test": (TEXTS[:30], Y[:30])}, {"test": (TEXTS[:40], Y[:40])}),
    ],
)
def test_finished_work_of_another_experiment_is_not_taken(tmp_path, fits, first, second):
    scores(**first, out=tmp_path)
    assert fits
    fits.clear()
    again = scores(**first, out=tmp_path)
    assert not fits
    other = scores(**second, out=tmp_path)
    assert fits
    assert other.drop("seconds").equals(scores(**second).drop("seconds"))
    assert again.height


def test_the_cut_between_training_and_test_belongs_to_the_experiment(tmp_path, fits):
    # The same 96 documents in the same order, cut elsewhere.
    texts, y = TEXTS + TEXTS, Y + Y
    for cut in (50, 54):
        fits.clear()
        parts = {"test": (texts[cut:], y[cut:]), "methods": ["svm"], "share": 0.5}
        compare(texts[:cut], y[:cut], **parts, repeats=1, out=tmp_path)
        assert fits


def test_what_is_not_resumed_says_why(tmp_path, fits):
    length = 2
    found = compare(
        TEXTS,
        Y,
        **OPTIONS,
        out=tmp_path / "kept",
        tokenizer=lambda t: t.split()[:OUTSIDE],
    )
    assert any("Nothing was kept" in w and "OUTSIDE" in w for w in found.warnings)
    assert not (tmp_path / "kept").exists()
    closed = compare(TEXTS, Y, **OPTIONS, out=tmp_path, tokenizer=lambda t: t.split()[:length])
    assert not closed.warnings or "Nothing was kept" not in " ".join(closed.warnings)
