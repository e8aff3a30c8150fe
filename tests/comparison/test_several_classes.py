"""Several classes: a row each, none hidden behind the mean, and what a time limit leaves."""

import time
from dataclasses import replace

import pytest

import imbtext
import imbtext.comparison._running as running
from imbtext.comparison import compare
from imbtext.comparison._advice import with_exceptions
from imbtext.comparison._plan import Plan
from imbtext.comparison._settings import MEAN_OF_CLASSES
from imbtext.markov._counts import TransitionCounts
from imbtext.methods._characters import WordsAndGrams
from imbtext.parallel import ProcessPool
from tests.comparison.documents import COMMON, drawn

WORDS = {
    "oil": ["crude", "barrel", "opec", "tanker"],
    "tin": ["ore", "mine", "smelter", "ingot"],
    "tea": ["leaf", "cup", "plantation", "brew"],
}


@pytest.fixture(scope="module")
def documents():
    y = ["oil"] * 12 + ["tin"] * 10 + ["tea"] * 8 + ["rest"] * 220
    texts = drawn([WORDS.get(name, COMMON) for name in y], 0.5, COMMON)
    return texts, y


@pytest.fixture(scope="module")
def found(documents):
    return imbtext.compare(*documents, methods=["class-weight", "ros"], folds=2, repeats=1)


def test_rare_classes_come_first_and_each_has_its_advice(found):
    assert found.plan.classes == ("tea", "tin", "oil")
    assert list(found.recommendations) == [MEAN_OF_CLASSES, "tea", "tin", "oil"]
    assert any("'rest'" in note and "name it as the class" in note for note in found.warnings)


def test_the_headline_names_every_class_with_other_advice(found):
    def advice(method, headline):
        return replace(found.recommendation, method=method, headline=headline)

    keep = "Keep the plain classifier: there are too few folds to say more."
    recommendations = {
        MEAN_OF_CLASSES: advice("rare(f2)", "Use RareTextClassifier."),
        "tea": advice("plain", keep),
        "tin": advice("ros", "Use random oversampling."),
        "oil": advice("rare(f2)", "Use RareTextClassifier (better on average, but not clearly)."),
        "tar": advice("plain", keep),
    }
    headline = with_exceptions(recommendations, MEAN_OF_CLASSES)[MEAN_OF_CLASSES].headline
    assert headline == (
        "For all classes together, use RareTextClassifier. For tea and tar alone, keep the plain "
        "classifier: there are too few folds to say more. For tin alone, use random oversampling."
    )
    recommendations |= {f"c{i}": advice("plain", keep) for i in range(5)}
    headline = with_exceptions(recommendations, MEAN_OF_CLASSES)[MEAN_OF_CLASSES].headline
    assert "For tea, tar, c0 and 4 more classes alone, keep the plain classifier" in headline
    same = {name: advice("ros", "Use ros.") for name in (MEAN_OF_CLASSES, "tea", "tin")}
    headline = with_exceptions(same, MEAN_OF_CLASSES)[MEAN_OF_CLASSES].headline
    assert headline == "For all classes together, use ros."


def test_a_comparison_is_shown_in_three_lines_and_its_notes_are_announced(found):
    found = replace(found, warnings=())
    first, result, headline = repr(found).splitlines()
    assert first == "Comparison(3 methods for 3 classes, 250 documents)"
    assert (result, headline) == (found.recommendation.result, found.recommendation.headline)
    announced = repr(replace(found, warnings=("ros failed",))).splitlines()[3]
    assert announced == "Before you believe this, read its 1 note: .warnings"


def test_a_time_limit_leaves_whole_classes(documents, monkeypatch):
    real, now = running.fit_method, [0.0]

    def slow(*args, **kwargs):
        # A class has four fits in its first repeat: the second is finished, the third is not.
        now[0] += 10
        return real(*args, **kwargs)

    monkeypatch.setattr(time, "time", lambda: now[0])
    monkeypatch.setattr(running, "fit_method", slow)
    found = compare(*documents, methods=["ros"], folds=2, repeats=2, time_limit=95)
    assert found.plan.classes == ("tea", "tin")
    assert list(found.recommendations) == [MEAN_OF_CLASSES, "tea", "tin"]
    assert any("Not covered: 'oil'" in note for note in found.warnings)
    assert found.scores.group_by("class").len()["len"].to_list() == [4, 4]


class Backwards(ProcessPool):
    def completed(self, function, tasks, shared=None):
        return super().completed(function, list(tasks)[::-1], shared)


def test_what_is_finished_first_changes_nothing(documents):
    given = {"methods": ["smote"], "folds": 2, "repeats": 1}
    first, last = (compare(*documents, **given, n_jobs=pool) for pool in (1, Backwards()))
    assert any("class 'tea' has 4 documents" in note for note in first.warnings)
    assert last.warnings == first.warnings
    assert [fit.key for fit in last.fits] == [fit.key for fit in first.fits]


@pytest.mark.parametrize(
    ("method", "n_classes", "repeats"),
    [
        ("emco(0.1)", 9, 2),
        pytest.param("emco(0.1)", 90, 2, marks=pytest.mark.slow),
        ("characters", 9, 1),
    ],
)
def test_classes_share_what_is_counted_of_a_fold(method, n_classes, repeats, monkeypatch):
    texts = [f"word{i % 7} name{c} name{c + 1}" for c in range(91) for i in range(2)] * 2
    y = [c for c in range(91) for _ in range(2)] * 2
    counted = []
    count, learn = TransitionCounts.of, WordsAndGrams.learn
    monkeypatch.setattr(
        TransitionCounts,
        "of",
        lambda corpus: (counted.append(corpus.n_documents), count(corpus))[1],
    )
    monkeypatch.setattr(
        WordsAndGrams, "learn", lambda data: (counted.append(data.n_documents), learn(data))[1]
    )
    design = {"folds": 2, "repeats": repeats, "share": 0.02, "group_duplicates": False}
    found = compare(texts, y, classes=range(n_classes), methods=[method], **design)
    assert len(found.plan.classes) == n_classes
    # Those of a class are of its own two documents; all 182 of a fold are counted once.
    assert [n for n in counted if n > 2] == [182] * 2 * repeats


def test_a_time_limit_without_end_is_none(documents):
    given = {"methods": ["ros"], "folds": 2, "repeats": 1}
    whole, endless = (compare(*documents, **given, time_limit=n) for n in (None, float("inf")))
    assert endless.scores.drop("seconds").equals(whole.scores.drop("seconds"))


def test_the_report_is_written_from_python(found, tmp_path):
    found.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_what_classes_share_changes_no_score(documents, monkeypatch):
    methods = ["threshold(f1)", "smote", "emco(0.1)", "rare(f1)"]
    shared = compare(*documents, methods=methods, folds=2, repeats=1)
    fold = Plan.fold

    def anew(plan, *key):
        plan.latest.clear()
        return fold(plan, *key)

    monkeypatch.setattr(Plan, "fold", anew)
    apart = compare(*documents, methods=methods, folds=2, repeats=1)
    assert len(shared.plan.classes) == 3
    assert shared.scores.drop("seconds").equals(apart.scores.drop("seconds"))
