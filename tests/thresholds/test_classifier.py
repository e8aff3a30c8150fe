"""ThresholdClassifier: scikit-learn's rule and checks, and what is promised of new documents."""

import pickle
import warnings

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import (
    GroupKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from imbtext import ThresholdClassifier
from imbtext.statistics import Interval
from imbtext.thresholds import _held_out as held_out
from tests.estimator_checks import scikit_learns_checks

CANNOT_APPLY = {
    "check_sample_weight_equivalence_on_dense_data": (
        "the threshold comes from cross-validation, and a repeated document can be held out apart "
        "from its twin, where a weighted one is alone"
    ),
    "check_sample_weight_equivalence_on_sparse_data": "for the same reason",
    "check_classifiers_train": (
        "decisions follow the tuned threshold and not the larger probability, as in "
        "TunedThresholdClassifierCV"
    ),
}


def data(seed=0, n=1500, share=0.1, **options):
    return make_classification(
        n, weights=[1 - share], n_informative=4, random_state=seed, flip_y=0.05, **options
    )


@scikit_learns_checks(
    [
        ThresholdClassifier(LogisticRegression(), "f1", random_state=0),
        ThresholdClassifier(LinearSVC(random_state=0), rule="mean of folds", random_state=0),
    ],
    CANNOT_APPLY,
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


SCORERS = {
    "f1": "f1",
    "f2": make_scorer(fbeta_score, beta=2),
    "balanced_accuracy": "balanced_accuracy",
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("metric", SCORERS)
@pytest.mark.parametrize(
    "classifier",
    [LogisticRegression(), GaussianNB(), RandomForestClassifier(20, random_state=0)],
    ids=["logistic", "bayes", "forest"],
)
def test_mean_of_folds_is_scikit_learns_rule_to_the_last_bit(classifier, metric, seed):
    X, y = data(seed)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    theirs = TunedThresholdClassifierCV(classifier, scoring=SCORERS[metric], cv=folds).fit(X, y)
    ours = ThresholdClassifier(classifier, metric, rule="mean of folds", cv=folds, pos_label=1)
    ours.fit(X, y)
    assert ours.thresholds_.tolist() == [theirs.best_threshold_]
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_scikit_learns_rule_counts_no_documents_together(monkeypatch):
    for name, n in (("_MOST_ROWS", 400), ("_HIGHEST_OTHERS", 200), ("_COUNTED_ROWS", 20)):
        monkeypatch.setattr(held_out, name, n)
    X, y = data()
    folds, model = StratifiedKFold(5), LogisticRegression()
    theirs = TunedThresholdClassifierCV(model, scoring="f1", cv=folds).fit(X, y)
    ours = ThresholdClassifier(model, "f1", rule="mean of folds", cv=folds, pos_label=1).fit(X, y)
    assert ours.thresholds_.tolist() == [theirs.best_threshold_]
    assert len(ours.held_out_.scores) == len(y)
    pooled = ThresholdClassifier(model, "f1", cv=folds, pos_label=1).fit(X, y)
    assert len(pooled.held_out_.scores) < len(y)
    assert pooled.held_out_.counts.sum() == len(y)


def test_scores_are_taken_as_cross_val_predict_returns_them():
    X, y = data(n=600)
    labels = np.where(y == 1, "fraud", "ok")
    both = cross_val_predict(GaussianNB(), X, labels, cv=5, method="predict_proba")
    for pos_label, column in ((None, 0), ("ok", 1)):
        options = {"pos_label": pos_label, "random_state": 0}
        model = ThresholdClassifier.of_scores(both, labels, **options)
        alone = ThresholdClassifier.of_scores(both[:, column], labels, **options)
        assert model.thresholds_ == alone.thresholds_
        assert model.predict(both).tolist() == alone.predict(both[:, column]).tolist()


def test_pooled_is_the_best_threshold_over_all_held_out_scores():
    X, y = data()
    folds = StratifiedKFold(5)
    model = ThresholdClassifier(LogisticRegression(), "f1", cv=folds).fit(X, y)
    scores = cross_val_predict(LogisticRegression(), X, y, cv=folds, method="predict_proba")[:, 1]
    values = [fbeta_score(y, scores >= cut, beta=1) for cut in np.unique(scores)]
    at = fbeta_score(y, scores >= model.thresholds_[0], beta=1)
    assert at == pytest.approx(max(values))
    again = ThresholdClassifier.of_scores(scores, y, model.held_out_.folds * 0, metric="f1")
    assert again.thresholds_.tolist() == model.thresholds_.tolist()
    np.testing.assert_array_equal(again.predict(scores), scores >= again.thresholds_[0])


@pytest.mark.parametrize("rule", ["pooled", "mean of folds"])
def test_what_is_promised_comes_true(rule):
    """Recall and precision on a large sample lie in 95% of the intervals."""
    covered = []
    for seed in range(40):
        X, y = data(seed, n=6000, share=0.05)
        model = ThresholdClassifier(LogisticRegression(), "f1", rule=rule, random_state=seed)
        model.fit(X[:1000], y[:1000])
        (expected,), put = model.expectation_, model.predict(X[1000:]) == 1
        true = y[1000:] == 1
        recall, precision = put[true].mean(), true[put].mean()
        covered.append(
            (
                expected.recall.lower <= recall <= expected.recall.upper,
                expected.precision.lower <= precision <= expected.precision.upper,
            )
        )
    assert np.mean(covered, axis=0).min() >= 0.9


def test_a_threshold_has_an_interval():
    X, y = data()
    model = ThresholdClassifier(LogisticRegression(), "f1", random_state=0).fit(X, y)
    interval = model.threshold_interval()
    assert isinstance(interval, Interval)
    assert interval.lower < interval.mean < interval.upper
    others = [
        ThresholdClassifier(LogisticRegression(), "f1", random_state=0)
        .fit(*data(0, n=3000)[:2])
        .thresholds_[0]
    ]
    assert interval.lower - 0.1 < np.mean(others) < interval.upper + 0.1


def test_each_class_has_a_metric_of_its_own():
    X, y = make_classification(
        900, n_classes=3, n_informative=4, weights=[0.7, 0.2], random_state=0
    )
    labels = np.array(["ham", "fraud", "spam"])[y]
    metrics = {"ham": "f1", "fraud": "cost(50, 1)", "spam": "precision_at_recall(0.5)"}
    model = ThresholdClassifier(LogisticRegression(max_iter=500), metrics, random_state=0)
    model.fit(X, labels)
    for c, label in enumerate(["fraud", "ham", "spam"]):
        alone = ThresholdClassifier(LogisticRegression(max_iter=500), metrics[label])
        alone = clone(alone).set_params(random_state=0).fit(X, labels)
        assert model.thresholds_[c] == alone.thresholds_[c]
    moved = model.at("f2", label="spam")
    assert moved.thresholds_[:2].tolist() == model.thresholds_[:2].tolist()
    assert moved.metric == metrics | {"spam": "f2"}
    assert set(moved.predict(X)) <= set(labels)
    assert moved.predict_proba(X).sum(axis=1) == pytest.approx(1)
    some = model.at({"spam": "f1"}).thresholds_  # the others get f2
    assert some[:2].tolist() == model.at("f2").thresholds_[:2].tolist()
    assert some[2] == model.at("f1").thresholds_[2]
    card = model.card().text()
    assert all(metric in card for metric in metrics.values())
    assert f"{model.thresholds_[0]:.3f}" in card
    with pytest.raises(ValueError, match="metric names 'eggs'; the classes are 'fraud', 'ham'"):
        model.at({"eggs": "f1"})
    with pytest.raises(ValueError, match="label is 'eggs'; choose one of"):
        model.plot("eggs")


@pytest.mark.parametrize("classifier", [LogisticRegression(max_iter=500), LinearSVC()])
def test_one_of_several_classes_is_decided_by_one_margin(classifier):
    """A frequent class does not take the documents of a rare one, and promises are of this rule."""
    X, y = make_classification(
        8000, n_classes=3, n_informative=5, weights=[0.85, 0.1], class_sep=1.2, random_state=1
    )
    covered = []
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(X))
        train, test = order[:1600], order[1600:]
        model = ThresholdClassifier(classifier, random_state=0).fit(X[train], y[train])
        new, truth = X[test], y[test]
        put = model.predict(new)
        assert (model.decision_function(new).argmax(axis=1) == put).all()
        most_exceeded = (model._scores(new) - model.thresholds_).argmax(axis=1)
        of_rare = truth == 2
        assert (put[of_rare] == 2).mean() > (most_exceeded[of_rare] == 2).mean()
        for c, expected in enumerate(model.expectation_):
            recall, precision = (put[truth == c] == c).mean(), (truth[put == c] == c).mean()
            covered.append(expected.recall.lower <= recall <= expected.recall.upper)
            covered.append(expected.precision.lower <= precision <= expected.precision.upper)
    assert np.mean(covered) >= 0.85  # of 24 intervals of 95%
    one = model.at(alarms=30, of=new, label=2)
    assert (one.predict(new) == 2).sum() == 30
    assert one.thresholds_[:2].tolist() == model.thresholds_[:2].tolist()


def test_thresholds_move_as_those_of_the_other_classifier():
    X, y = data()
    model = ThresholdClassifier(LogisticRegression(), random_state=0).fit(X, y)
    assert model.at(cost="10:1").thresholds_ == model.at("cost(10, 1)").thresholds_
    assert (model.at(alarms=40, of=X).predict(X) == 1).sum() == 40
    assert model.at(alarms=40, of=1000).metric == "alarms_per_thousand(40)"
    with pytest.raises(ValueError, match="give one of them"):
        model.at("f1", cost=(1, 2))


@pytest.mark.parametrize("classifier", [LogisticRegression(), LinearSVC()])
def test_an_audit_and_the_number_of_the_class_of_any_classifier(classifier):
    X, y = data(n=6000)
    model = ThresholdClassifier(classifier, random_state=0).fit(X[:3000], y[:3000])
    new, truth = X[3000:], y[3000:] == 1
    put = model.predict(new) == 1
    audit = model.audit(new, budget=240)
    assert put[audit.rows].sum() == 60  # a quarter of the budget
    found = audit.result(truth[audit.rows])
    recall, precision = put[truth].mean(), truth[put].mean()
    assert found.guaranteed.recall.lower <= recall <= found.guaranteed.recall.upper
    assert found.guaranteed.precision.lower <= precision <= found.guaranteed.precision.upper
    assert found.model_assisted.lower <= recall <= found.model_assisted.upper
    here = model.prevalence(new)
    assert here.n_class.lower <= truth.sum() <= here.n_class.upper
    assert here.moved == 0
    much = np.concatenate([new[truth], new[~truth][: truth.sum()]])  # the class is every second
    there = model.prevalence(much)
    assert there.n_class.lower <= truth.sum() <= there.n_class.upper
    assert there.moved == 1


def test_a_notebook_shows_the_card():
    X, y = data()
    model = ThresholdClassifier(LogisticRegression(), random_state=0)
    assert "What to expect" not in model._repr_html_()
    assert "What to expect" in model.fit(X, y)._repr_html_()
    assert "What to expect" in model._repr_mimebundle_()["text/html"]


def test_documents_of_several_labels():
    X, y = data(n_classes=2)
    several = np.stack([y, X[:, 0] > 0.5], axis=1).astype(int)
    forest = RandomForestClassifier(10, random_state=0)
    model = ThresholdClassifier(forest, "f1", random_state=0).fit(X, several)
    assert model.predict(X).shape == several.shape
    assert len(model.expectation_) == 2
    assert (model.predict(X) == several).mean() > 0.9


def test_groups_stay_together_and_weights_count():
    X, y = data(n=600)
    groups = np.arange(600) // 3
    model = ThresholdClassifier(GaussianNB(), "f1", random_state=0).fit(X, y, groups=groups)
    alone = ThresholdClassifier(GaussianNB(), "f1", random_state=0).fit(X, y)
    assert sorted(set(np.bincount(model.held_out_.groups).tolist())) == [3]
    assert (alone.held_out_.groups == -1).all()
    given = ThresholdClassifier(GaussianNB(), "f1", cv=GroupKFold(4)).fit(X, y, groups=groups)
    assert given.held_out_.folds.max() == 3
    weights = np.where(y == 0, 10.0, 1.0)
    weighted = ThresholdClassifier(GaussianNB(), "f1", random_state=0)
    weighted.fit(X, y, sample_weight=weights)
    plain = alone.expectation_[0].precision.mean
    assert weighted.expectation_[0].precision.mean < plain
    with pytest.raises(ValueError, match="tests some documents more than once"):
        ThresholdClassifier(GaussianNB(), cv=RepeatedStratifiedKFold(n_repeats=2)).fit(X, y)


def test_weights_that_training_does_not_see_are_said():
    X, y = data(n=400)
    weights = np.where(y == 0, 10.0, 1.0)
    model = ThresholdClassifier(make_pipeline(LinearSVC()), "f1", random_state=0)
    with pytest.warns(UserWarning, match="Pipeline takes no sample_weight, so weights count for"):
        unseen = model.fit(X, y, weights).estimator_[-1].coef_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seen = model.fit(X, y, weights, linearsvc__sample_weight=weights).estimator_[-1].coef_
        alone = ThresholdClassifier(LinearSVC(), "f1", random_state=0).fit(X, y, weights)
    assert np.allclose(seen, alone.estimator_.coef_)
    assert not np.allclose(seen, unseen)


def test_periods_that_follow_one_another():
    X, y = data()
    model = ThresholdClassifier(GaussianNB(), "f1", random_state=0).fit(X, y, time=np.arange(1500))
    assert model.held_out_.in_time
    assert model.expectation_[0].n_tested < (y == 1).sum()
    with pytest.raises(ValueError, match="time and cv both say which documents are held out"):
        ThresholdClassifier(GaussianNB(), cv=3).fit(X, y, time=np.arange(1500))


def test_metadata_is_routed_where_it_was_requested():
    X, y = data(n=400)
    seen = []

    class Spy(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            seen.append(None if sample_weight is None else len(sample_weight))
            return super().fit(X, y, sample_weight)

    weights, groups = np.ones(400), np.arange(400) // 2
    with sklearn.config_context(enable_metadata_routing=True):
        spy = Spy().set_fit_request(sample_weight=True)
        model = ThresholdClassifier(spy, "f1", cv=GroupKFold(4))
        model.fit(X, y, sample_weight=weights, groups=groups)
        assert seen == [400, 300, 300, 300, 300]
        seen.clear()
        quiet = Spy().set_fit_request(sample_weight=False)
        ThresholdClassifier(quiet, "f1", cv=GroupKFold(4)).fit(X, y, weights, groups)
        assert set(seen) == {None}


def test_texts_in_a_pipeline_card_chart_and_copies(tmp_path):
    texts = ["oil price up", "crude oil"] * 12 + ["rain today", "sun and rain", "sun"] * 40
    y = ["oil"] * 24 + ["weather"] * 120
    pipeline = make_pipeline(TfidfVectorizer(), LinearSVC())
    model = ThresholdClassifier(pipeline, "f1", random_state=0).fit(texts, y)
    assert model.predict(["more oil", "more rain"]).tolist() == ["oil", "weather"]
    text = model.card().text()
    assert 'A classifier that finds "oil"' in text
    assert "With other documents it would lie between" in text
    assert type(model.plot()).__name__ == "LayerChart"
    other = pickle.loads(pickle.dumps(model))
    assert other.at("f2").thresholds_.tolist() == model.at("f2").thresholds_.tolist()
    assert "<svg" in model.card().html()


@pytest.mark.parametrize("rule", ["pooled", "mean of folds"])
@pytest.mark.parametrize("form", ["weights and groups", "time", "several", "indicator"])
def test_a_loaded_classifier_answers_as_the_fitted_one(form, rule, tmp_path):
    X, y = data(n=400, share=0.2)
    if form in ("several", "indicator"):
        y = y * (1 + (X[:, 0] > 0))
    rows = np.arange(400)
    given = {
        "weights and groups": {"groups": rows // 2, "sample_weight": 1.0 + rows % 3},
        "time": {"time": rows},
    }.get(form, {})
    estimator = GaussianNB()
    if form == "indicator":
        y, estimator = (y[:, None] == [1, 2]).astype(int), OneVsRestClassifier(estimator)
    model = ThresholdClassifier(estimator, rule=rule, random_state=0).fit(X, y, **given)
    joblib.dump(model, tmp_path / "a.joblib")
    loaded = joblib.load(tmp_path / "a.joblib")

    def answers(one):
        numbers = [one.thresholds_, one.decision_function(X), one.predict_proba(X)]
        words = one.metric, one.expectation_, one.alarm_rates_, one.card().html()
        return *(array.tolist() for array in numbers), *map(repr, words)

    assert answers(loaded) == answers(model)
    label = model.expectation_[-1].label
    for goal in ("cost(10, 1)", "recall_at_precision(0.5)"):
        assert answers(loaded.at(goal)) == answers(model.at(goal))
        one, other = (m.at(goal, label=label).at("f1", label=label) for m in (loaded, model))
        assert answers(one) == answers(other)
    one, other = (m.at(alarms=9, of=X, label=label) for m in (loaded, model))
    assert answers(one) == answers(other)


def test_what_cannot_be_done_says_what_to_do():
    X, y = data(n=100)
    with pytest.raises(NotFittedError):
        ThresholdClassifier(GaussianNB()).predict(X)
    for name in ("thresholds_", "classes_", "expectation_"):
        assert not hasattr(ThresholdClassifier(GaussianNB()), name)
        with pytest.raises(NotFittedError):
            getattr(ThresholdClassifier(GaussianNB()), name)
    with pytest.raises(ValueError, match="give a classifier, or scores to `of_scores`"):
        ThresholdClassifier().fit(X, y)
    with pytest.raises(ValueError, match="expected a row for each of the 100 documents"):
        ThresholdClassifier.of_scores(X, y)
    with pytest.raises(ValueError, match="'rule' parameter of ThresholdClassifier must be"):
        ThresholdClassifier.of_scores(X[:, 0], y, rule="mean")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ThresholdClassifier.of_scores(X[:, 0], y, folds=[0, 1])
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        ThresholdClassifier(GaussianNB()).fit(X, X[:, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few = ThresholdClassifier(GaussianNB(), "f1").fit(X[:40], np.arange(40) == 0)
    assert np.isnan(few.expectation_[0].recall.mean)
