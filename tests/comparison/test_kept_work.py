"""Finished work is taken only where nothing that decides the numbers has changed."""

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from imblearn.over_sampling import RandomOverSampler
from sklearn.ensemble import BaggingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from imbtext.comparison import compare
from imbtext.comparison._kept_work import KeptWork, settings_digest
from imbtext.comparison._scores import ScoredFit
from imbtext.comparison._words import FoldWords, TopWord
from imbtext.methods import register_method, unregister_method


def long_classifier(last):
    """A classifier of which scikit-learn shows the beginning alone."""
    weights = {i: float(i) for i in range(400)} | {400: last}
    return LogisticRegression(class_weight=weights)


@pytest.mark.parametrize(
    ("first", "second"),
    [
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
    ("value", "says"),
    [
        (str.split, "the function 'str.split'"),
        (re.compile("a").findall, "function"),
        (partial(str.split, sep=","), "the function 'partial'"),
        (FunctionTransformer(str.split), "the function 'str.split'"),
        (object(), "an object of the class object"),
        ({"a": object()}, "two of them may look the same"),
        (Own(), "belongs to no installed package"),
        ([Own()], "belongs to no installed package"),
    ],
)
def test_what_may_have_changed_is_refused(value, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        settings_digest(value=value)


TEXTS = ["crude oil up", "oil, barrel down", "opec oil, up"] * 4 + ["rain", "sun, film", "law"] * 12
Y = ["oil"] * 12 + ["other"] * 36
OPTIONS = {"methods": ["plain"], "folds": 2, "repeats": 1, "share": 0.4}


def scores(**changes):
    return compare(TEXTS, Y, **{**OPTIONS, **changes}).scores


@pytest.fixture
def fits(monkeypatch):
    """Count the fits."""
    import imbtext.comparison._running as running

    real, begun = running.fit_method, []

    def counted(*args, **kwargs):
        begun.append(args[0])
        return real(*args, **kwargs)

    monkeypatch.setattr(running, "fit_method", counted)
    return begun


@pytest.mark.parametrize(
    ("first", "second"),
    [
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
        parts = {"test": (texts[cut:], y[cut:]), "methods": ["plain"], "share": 0.5}
        compare(texts[:cut], y[:cut], **parts, repeats=1, out=tmp_path)
        assert fits


@pytest.mark.parametrize("setting", ["tokenizer", "features"])
def test_a_function_among_the_settings_keeps_nothing_and_says_so(tmp_path, setting):
    function = {"tokenizer": str.split, "features": lambda texts: [[len(t), 1.0] for t in texts]}
    found = compare(TEXTS, Y, **OPTIONS, out=tmp_path / "kept", **{setting: function[setting]})
    assert any("Nothing was kept" in w and "the function" in w for w in found.warnings)
    assert not (tmp_path / "kept").exists()


def test_methods_of_the_users_own_are_fitted_again(tmp_path, fits):
    register_method("mine", RandomOverSampler, space="tfidf")
    try:
        given = {**OPTIONS, "methods": ["ros", "mine", "threshold(mine, f1)"], "out": tmp_path}
        compare(TEXTS, Y, **given)
        fits.clear()
        found = compare(TEXTS, Y, **given)
    finally:
        unregister_method("mine")
    assert set(fits) == {"mine", "threshold(mine, f1)"}
    notes = [note for note in found.warnings if "a method of your own may have changed" in note]
    assert [note.split(" was kept")[0] for note in notes] == [
        "No fit of mine",
        "No fit of threshold(mine, f1)",
    ]


def test_units_come_back_as_they_were(tmp_path):
    words = FoldWords.from_contributions(
        {3: [("</script>\ud800\u202e", 0.25), ("a\nb", -1.0)], 0: []},
        [0.5, -0.5],
        (TopWord("oil", True, 0.5, 1, 2, 3, 4),),
    )
    fit = compare(TEXTS, Y, **OPTIONS, test=(TEXTS, Y)).fits[0]
    fit = replace(fit, words=words, messages=["a", "b"])
    kept, _ = KeptWork.of(tmp_path, 0.4, 0, value=1)
    kept.add([fit])
    again = kept.fits([fit.key], fit.scores)[fit.key]
    assert isinstance(again, ScoredFit)
    for name in ("key", "scores", "rows_added", "seconds", "messages"):
        assert getattr(again, name) == getattr(fit, name), name
    np.testing.assert_array_equal(again.decisions, fit.decisions)
    assert again.decisions.dtype == np.float32
    assert (again.words.words, again.words.top) == (words.words, words.top)
    assert again.words.by_document() == words.by_document()
    other, _ = KeptWork.of(tmp_path, 0.4, 0, value=2)
    assert other.fits([fit.key], fit.scores) == {}
