"""The words that spoke for and against, against multiplying by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from imbtext.comparison._words import FoldWords, linear_weights, worth_showing
from imbtext.methods import PreparedDocuments, Problem, fit_method

TEXTS = [
    "crude oil price up",
    "opec oil output",
    "oil barrel",
    "rain in the north",
    "sun and rain",
    "the film was long",
    "a law on film",
    "sun on the hills",
]
MEMBERS = np.array([True, True, True, False, False, False, False, False])
NEW = ["oil and rain", "film of the oil price", "", "unknown words only"]


def fold(method="plain", classifier=None, is_class=(True, True, False, False)):
    data = PreparedDocuments.of(TEXTS)
    fitted = fit_method(method, Problem(data, MEMBERS, 3, seed=0), classifier=classifier)
    vectors = data.vectorize_documents(NEW)
    decision = fitted.decision_function(vectors) - fitted.threshold
    names = data.corpus.vocabulary
    return (
        fitted,
        vectors,
        names,
        decision,
        FoldWords.of_vectors(fitted, vectors, names, np.array(is_class), decision),
    )


@pytest.mark.parametrize("method", ["plain", "ros", "emco(0.1)"])
@pytest.mark.parametrize("classifier", [None, LogisticRegression()])
def test_words_and_intercept_add_up_to_the_score(method, classifier):
    fitted, vectors, names, decision, fold_words = fold(method, classifier)
    weights = fitted.classifier.coef_.ravel()
    for row in range(len(NEW)):
        by_hand = {
            names[column]: weights[column] * vectors[row, column] for column in range(len(names))
        }
        shown = {word: value for word, value in by_hand.items() if abs(value) >= 0.005}
        assert dict(fold_words.by_document()[row]) == pytest.approx(shown, abs=5e-5)
        total = sum(by_hand.values()) + fitted.classifier.intercept_[0]
        assert total - fitted.threshold == pytest.approx(decision[row])
    values = [value for _, value in fold_words.by_document()[1]]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("classifier", [MultinomialNB(), ComplementNB()])
def test_naive_bayes_is_linear_too(classifier):
    fitted, vectors, _, _, fold_words = fold(classifier=classifier)
    log_odds = np.diff(fitted.classifier.predict_log_proba(vectors), axis=1).ravel()
    added = vectors @ linear_weights(fitted.classifier)
    assert np.ptp(log_odds - added) < 1e-9
    assert fold_words is not None


def test_a_forest_has_no_words():
    assert fold(classifier=RandomForestClassifier(n_estimators=3))[-1] is None


def test_a_space_of_its_own_has_no_words():
    fitted, vectors, names, decision, _ = fold()
    assert FoldWords.of_vectors(fitted, vectors, names[:-1], np.ones(4, bool), decision) is None


def test_words_that_matter_move_the_averages_apart():
    fitted, vectors, names, _, fold_words = fold()
    weights, is_class = fitted.classifier.coef_.ravel(), np.array([True, True, False, False])
    dense = vectors.toarray()
    for word in fold_words.top:
        column = names.tolist().index(word.word)
        apart = weights[column] * (dense[is_class].mean(0) - dense[~is_class].mean(0))[column]
        assert word.apart == pytest.approx(apart, abs=1e-5)
        assert word.speaks_for == (weights[column] > 0)
        assert word.in_class == (dense[is_class, column] > 0).sum()
    assert fold_words.top[0].word == "oil"


def test_arrays_keep_every_word_of_every_document():
    contributions = {3: [("oil", 0.25), ("a\nb", -1.0)], 1: [], 0: [("oil", 0.5)]}
    words = FoldWords.from_contributions(contributions, [0.5, 0.25, -1.0], ())
    assert words.words == ("oil", "a\nb")
    assert words.by_document() == contributions
    assert list(words.by_document()) == [3, 1, 0]
    assert words.constant_of_document() == {3: 0.5, 1: 0.25, 0: -1.0}


def test_worth_showing_are_members_at_even_distances_and_the_highest_others():
    decision = np.random.default_rng(0).normal(size=1000)
    is_class = np.arange(1000) % 4 == 0
    looked = worth_showing(is_class, decision)
    own = [row for row in looked if is_class[row]]
    others = [row for row in looked if not is_class[row]]
    assert len(own) == 60
    assert own[0] == 0
    assert own[-1] == 996
    left = np.setdiff1d(np.flatnonzero(~is_class), others)
    assert decision[others].min() > decision[left].max()
    assert worth_showing(is_class, -decision)[:60] == own


def test_a_classifier_that_explains_itself_has_words_that_matter():
    class Model:
        def explanations(self, documents):
            weights = {"oil": 0.5, "the": -0.1}
            return [
                SimpleNamespace(parts=[(w, v) for w, v in weights.items() if w in text.split()])
                for text in documents
            ]

    documents = ["oil up", "the oil", "the rain", "the sun", "rain"]
    is_class = np.array([True, True, False, False, False])
    fold_words = FoldWords.of_documents(Model(), documents, is_class, np.zeros(5))
    assert fold_words.by_document()[1] == [("oil", 0.5), ("the", -0.1)]
    oil, the = fold_words.top
    assert (oil.word, oil.speaks_for, oil.apart) == ("oil", True, 0.5)
    assert (oil.in_class, oil.n_class, oil.in_rest, oil.n_rest) == (2, 2, 0, 3)
    assert (the.word, the.speaks_for) == ("the", False)
    assert the.apart == pytest.approx(-0.1 / 2 + 0.2 / 3, abs=1e-5)
