"""The SVM on words and characters, against the pipeline that scikit-learn would make of it."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

from imbtext import ResampledClassifier, compare
from imbtext.comparison._settings import default_methods
from imbtext.documents._folds import tuning_folds
from imbtext.methods import PreparedDocuments, Problem, fit_method
from imbtext.methods._characters import WordsAndGrams, learn_idf, weigh
from imbtext.randomness import draw_seed
from tests.comparison.documents import documents


def vectorizer():
    words = TfidfVectorizer(sublinear_tf=True)
    grams = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    return make_union(words, grams)


@pytest.mark.parametrize("rows", [np.arange(100), np.arange(0, 100, 3)])
def test_vectors_are_those_of_scikit_learn_and_know_nothing_of_other_documents(rows):
    texts = [f"{text} Oil-price\t{i % 7}  a" for i, text in enumerate(documents()[0])]
    new = ["Crude oil, barrels", "unheard of", "", "the  RAIN\nand opec"]
    terms, blocks = WordsAndGrams.learn(PreparedDocuments.of(texts))
    ours = weigh(terms.count(new), learn_idf(blocks, rows))
    theirs = vectorizer().fit([texts[i] for i in rows]).transform(new)
    np.testing.assert_allclose(np.sort(ours.data[ours.data > 0]), np.sort(theirs.data))
    lengths = [np.linalg.norm(row.toarray()) for row in ours]
    np.testing.assert_allclose(lengths, [np.linalg.norm(row.toarray()) for row in theirs])


def test_threshold_and_scores_are_those_of_scikit_learns_pipeline():
    texts, y = documents(30, 90)
    is_class = np.array(y) == "oil"
    problem = Problem(PreparedDocuments.of(texts), is_class, 0, draw_seed(3))
    fitted = fit_method("characters(f1)", problem)
    tuned = TunedThresholdClassifierCV(
        make_pipeline(vectorizer(), LinearSVC(random_state=0)),
        scoring="f1",
        response_method="decision_function",
        cv=tuning_folds(is_class, 5, problem.seed),
    ).fit(texts, is_class.astype(int))
    new = documents(seed=1)[0]
    assert fitted.chosen_threshold == pytest.approx(tuned.best_threshold_, abs=1e-3)
    expected = tuned.estimator_.decision_function(new)
    scores = fitted.decision_function(new) + fitted.chosen_threshold
    np.testing.assert_allclose(scores, expected, atol=1e-3)  # the solver's order is another


def test_it_runs_in_a_comparison_by_default_and_its_words_are_shown():
    assert "characters(f2)" in default_methods("f2")
    texts, y = documents()
    found = compare(texts, y, methods=["characters"], folds=3, repeats=1)
    assert found.plan.methods == ("plain", "characters(f2)")
    assert found.recommendation.method == "characters(f2)"  # free: better on average is enough
    assert "ResampledClassifier('characters(f2)', pos_label=True" in found.recommendation.snippet
    assert all(unit.words is not None for unit in found.fits)


def test_a_fitted_one_keeps_no_document():
    texts, y = documents()
    model = ResampledClassifier("characters(f1)", random_state=0).fit(texts, y)
    kept = model.fitted_[0].classifier
    assert kept.terms.words.n_documents == 0
    assert not hasattr(kept, "blocks")
    assert (model.predict(texts) == y).mean() > 0.9
    assert model.predict([]).shape == (0,)
