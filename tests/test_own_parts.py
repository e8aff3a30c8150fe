"""Parts that users write: a metric and a sampler work by name, and wrong returns are said in words.

Features of one's own are tested in tests/features/test_own_features.py, methods in tests/methods.
"""

import numpy as np
import pytest

from imbtext import RareTextClassifier, ThresholdClassifier, compare
from imbtext.documents import Corpus
from imbtext.metrics import get_goal, register_metric, unregister_metric
from imbtext.oversampling import New, Sampler

TEXTS = [
    f"{word} {more}" for word in ("oil", "crude", "rain", "sun", "bank") for more in "abcdefgh"
]
TEXTS = [text.replace(" ", " price word") for text in TEXTS]
LABELS = ["oil"] * 16 + ["other"] * 24


@pytest.fixture
def own():
    """A metric that wants two found for each false alarm."""
    register_metric(
        "two_to_one", lambda c: np.asarray(c.found, float) - 0.5 * c.false_alarms, "two to 1"
    )
    yield "two_to_one"
    unregister_metric("two_to_one")


def test_a_metric_of_ones_own_chooses_the_threshold(own, tmp_path):
    model = RareTextClassifier(own, random_state=0).fit(TEXTS, LABELS)
    cost = RareTextClassifier("f2", random_state=0).fit(TEXTS, LABELS)
    assert "two to 1" in model.report_["operating point"]
    assert model.card().text().count("two_to_one") == 1
    held = model.fitted_.held_out.of_class(0)
    cuts = np.append(np.unique(held.scores), held.scores.max() + 1)

    def value(cut):
        is_alarm = held.scores > cut
        return (is_alarm & held.is_class).sum() - 0.5 * (is_alarm & ~held.is_class).sum()

    assert value(model.thresholds_[0]) == max(map(value, cuts))
    assert cost.at(own).thresholds_ == model.thresholds_
    model.save(tmp_path / "own.model")
    assert RareTextClassifier.load(tmp_path / "own.model").thresholds_ == model.thresholds_


def test_a_metric_of_ones_own_serves_comparisons_and_other_classifiers(own):
    compared = compare(
        TEXTS,
        LABELS,
        classes="oil",
        methods=["plain", f"threshold({own})"],
        metric=own,
        folds=2,
        share=0.5,
        repeats=1,
    )
    assert own in compared.signature
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    pipeline = make_pipeline(CountVectorizer(), MultinomialNB())
    tuned = ThresholdClassifier(pipeline, own, random_state=0).fit(TEXTS, LABELS)
    assert tuned.predict(["crude price"]).tolist() == ["oil"]


def test_a_model_says_that_its_metric_is_not_registered(tmp_path):
    register_metric("mine", lambda c: c.found + 0.0)
    RareTextClassifier("mine", random_state=0).fit(TEXTS, LABELS).save(tmp_path / "own.model")
    unregister_metric("mine")
    with pytest.raises(ValueError, match=r"metric is 'mine'.*register_metric"):
        RareTextClassifier.load(tmp_path / "own.model")


@pytest.mark.parametrize(
    ("name", "function", "said"),
    [
        ("Mine!", lambda c: c.found, "use small letters"),
        ("f2", lambda c: c.found, "there is a metric 'f2' already"),
        ("recall", lambda c: c.found, "there is a metric 'recall' already"),
        ("mine", lambda c: 0.5, "returned 0.5; it must return an array of 3 numbers"),
        ("mine", lambda c: None, "returned None; it must return an array"),
        ("mine", lambda c: ["a"] * 3, "must return an array"),
        ("mine", 7, "is 7; give a function"),
    ],
)
def test_a_wrong_metric_is_refused_in_words(name, function, said):
    with pytest.raises((ValueError, TypeError), match=said):
        register_metric(name, function)
    if name == "mine":
        with pytest.raises(ValueError, match="register_metric"):
            get_goal(name)


class Wrong(Sampler):
    """A sampler that returns what it is told."""

    space = "text"

    def __init__(self, returns=None, *, sampling_strategy="auto", random_state=None):
        self.returns = returns
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state

    def draw(self, request):
        return self.returns(request)


@pytest.mark.parametrize(
    ("returns", "said"),
    [
        (lambda request: None, r"Wrong\.draw returned a NoneType; it must return imbtext"),
        (lambda request: ["a"], "returned a list; it must return"),
        (lambda request: New(["a"], ["a"]), "they must be rows of the 40 documents"),
        (lambda request: New(np.full(request.n, 40)), "they must be rows of the 40 documents"),
        (lambda request: New(np.zeros(3, int), ["a"]), "returned 1 documents and 3 parents"),
        (lambda request: New.without_parents([5] * request.n), "returned the document 5"),
        (lambda request: New.without_parents([["a"]] * request.n), "originals are strings"),
    ],
)
def test_a_sampler_that_returns_something_else_is_refused_in_words(returns, said):
    with pytest.raises((ValueError, TypeError), match=said):
        Wrong(returns).fit_resample(TEXTS, LABELS)


def test_rows_as_a_list_are_parents():
    texts, labels = Wrong(lambda request: New([0] * request.n)).fit_resample(TEXTS, LABELS)
    assert texts[40:] == [TEXTS[0]] * 8
    assert labels.count("oil") == 24
    corpus = Wrong(lambda r: New.without_parents(Corpus.from_tokens([["a"]] * r.n)))
    assert corpus.fit_resample(TEXTS, LABELS)[0][40:] == ["a"] * 8
