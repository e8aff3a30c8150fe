"""RareTextClassifier as users meet it: labels of all kinds, odd documents, what it promises."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import KFold, cross_val_score

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings
from imbtext.documents import Documents
from imbtext.files import predict_file
from imbtext.rare import FewDocumentsWarning


@pytest.fixture(scope="module")
def docstrings():
    data = load_docstrings()
    rows = np.random.default_rng(0).permutation(len(data.texts))[:900]
    return [data.texts[i] for i in rows], np.array([data.labels[i] for i in rows])


@pytest.fixture(scope="module")
def rare(docstrings):
    texts, labels = docstrings
    return texts, labels == "scipy.sparse"


TEXTS = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain", "sun"] * 9
LABELS = ["oil"] * 6 + ["weather"] * 27


@pytest.mark.slow
def test_it_finds_more_than_chance_and_less_with_random_labels(rare):
    texts, y = rare
    half = len(texts) // 2
    model = RareTextClassifier(random_state=0).fit(texts[:half], y[:half])
    found = average_precision_score(y[half:], model.decision_function(texts[half:]))
    assert found > 10 * y.mean()
    noise = np.random.default_rng(1).permutation(y)
    fooled = RareTextClassifier(random_state=0).fit(texts[:half], noise[:half])
    assert fooled.expectation_[0].average_precision < 4 * y.mean()
    assert average_precision_score(noise[half:], fooled.decision_function(texts[half:])) < 0.2


@pytest.mark.slow
def test_the_same_seed_gives_the_same_model_for_any_n_jobs(docstrings):
    texts, labels = docstrings
    kept = np.isin(labels, pd.Series(labels).value_counts().index[:5])
    texts, labels = [t for t, k in zip(texts, kept, strict=True) if k], labels[kept]
    one = RareTextClassifier(random_state=3).fit(texts, labels)
    two = RareTextClassifier(random_state=3, n_jobs=2).fit(texts, labels)
    np.testing.assert_array_equal(one.decision_function(texts), two.decision_function(texts))
    assert one.expectation_ == two.expectation_


@pytest.mark.slow
def test_decisions_are_where_the_decision_function_says(rare):
    texts, y = rare
    model = RareTextClassifier(random_state=0).fit(texts, y)
    decision = model.decision_function(texts)
    np.testing.assert_array_equal(model.predict(texts), decision > 0)
    flipped = RareTextClassifier(random_state=0, pos_label=True).fit(texts, y)
    np.testing.assert_array_equal(flipped.decision_function(texts), decision)
    other_name = np.where(y, "a", "b")  # now the rare class comes first
    model = RareTextClassifier(random_state=0).fit(texts, other_name)
    np.testing.assert_allclose(model.decision_function(texts), -decision)
    assert (model.predict(texts) == np.where(decision > 0, "a", "b")).all()
    probabilities = model.predict_proba(texts)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (np.argsort(probabilities[:, 0]) == np.argsort(decision)).mean() > 0.9


def test_probabilities_are_calibrated(docstrings):
    texts, labels = docstrings
    y = np.char.startswith(labels.astype(str), "scipy.stats")
    model = RareTextClassifier(random_state=0).fit(texts[:600], y[:600])
    p = model.predict_proba(texts[600:])[:, 1]
    assert abs(p.mean() - y[600:].mean()) < 0.05
    assert y[600:][p > 0.8].mean() > 0.7


@pytest.mark.parametrize(
    "labels",
    [
        LABELS,
        np.array(LABELS),
        pd.Series(LABELS),
        pl.Series(LABELS),
        [label == "oil" for label in LABELS],
        [7 if label == "oil" else -3 for label in LABELS],
        np.array([1.0 if label == "oil" else 0.0 for label in LABELS]),
    ],
    ids=["list", "array", "pandas", "polars", "bools", "integers", "floats"],
)
def test_labels_of_any_kind_come_back(labels):
    model = RareTextClassifier(random_state=0).fit(TEXTS, labels)
    rare, common = next(iter(labels)), list(labels)[-1]
    assert model.predict(["the oil price", "rain and sun"]).tolist() == [rare, common]


@pytest.mark.parametrize(
    "container", [list, tuple, np.array, pd.Series, pl.Series], ids=lambda kind: kind.__name__
)
def test_documents_in_any_container(container):
    model = RareTextClassifier(random_state=0).fit(container(TEXTS), LABELS)
    assert model.predict(container(["the oil price"])).tolist() == ["oil"]


def test_token_lists_are_taken_as_they_are():
    tokens = [text.split() for text in TEXTS]
    model = RareTextClassifier(features="words", random_state=0).fit(tokens, LABELS)
    assert model.predict([["oil", "price"], ["sun"]]).tolist() == ["oil", "weather"]
    assert set(model.get_feature_names_out()) <= {word for row in tokens for word in row}


@pytest.mark.slow
def test_many_classes(docstrings):
    texts, labels = docstrings
    names, sizes = np.unique(labels, return_counts=True)
    kept = np.isin(labels, names[sizes >= 20])
    texts, labels = np.array(texts, dtype=object)[kept], labels[kept]
    half = len(texts) // 2
    model = RareTextClassifier("f1", random_state=0).fit(texts[:half], labels[:half])
    assert model.decision_function(texts[half:]).shape == (len(texts) - half, len(model.classes_))
    np.testing.assert_allclose(model.predict_proba(texts[half:]).sum(axis=1), 1)
    assert f1_score(labels[half:], model.predict(texts[half:]), average="macro") > 0.6


def test_several_labels_per_document():
    texts = [*TEXTS, "oil and rain", "rain on the oil price", ""]
    sets = [{label} for label in LABELS] + [{"oil", "weather"}] * 2 + [set()]
    model = RareTextClassifier("f1", random_state=0).fit(texts, sets)
    assert model.predict(["rain today, and the oil price"]).tolist() == [{"oil", "weather"}]
    indicator = np.array([[label in row for label in ("oil", "weather")] for row in sets]) * 1
    for y in (indicator, sparse.csr_array(indicator)):
        columns = RareTextClassifier("f1", random_state=0).fit(texts, y)
        np.testing.assert_allclose(columns.decision_function(texts), model.decision_function(texts))
        assert columns.predict(["rain today, and the oil price"]).tolist() == [[1, 1]]


@pytest.mark.filterwarnings("ignore::imbtext.rare.FewDocumentsWarning")
def test_the_score_of_sets_is_that_of_their_indicator():
    texts = [*TEXTS, "oil and rain", "rain on the oil price", ""]
    sets = [{label} for label in LABELS] + [{"oil", "weather"}] * 2 + [set()]
    model = RareTextClassifier("f1", random_state=0).fit(texts, sets)
    indicator = np.array([[label in row for label in ("oil", "weather")] for row in sets]) * 1
    columns = RareTextClassifier("f1", random_state=0).fit(texts, indicator)
    y, matrix = [*sets[:-5], *[{"oil"}] * 5], np.vstack([indicator[:-5], [[1, 0]] * 5])
    weights = np.arange(len(y)) + 1.0
    for options in ({}, {"sample_weight": weights}):
        score = model.score(texts, y, **options)
        assert 0 < score < 1
        assert score == pytest.approx(columns.score(texts, matrix, **options))
    lists = pd.Series([sorted(row) for row in y])
    assert model.score(texts, lists) == model.score(texts, y)
    folds = KFold(2, shuffle=True, random_state=0)
    scores = cross_val_score(RareTextClassifier(random_state=0), texts, sets, cv=folds)
    assert np.isfinite(scores).all()
    with pytest.raises(ValueError, match="fitted on sets of labels; give each document a set"):
        model.score(texts, matrix)
    with pytest.raises(NotFittedError):
        RareTextClassifier().score(texts, sets)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.filterwarnings("ignore::imbtext.rare.FewDocumentsWarning")
def test_tiny_classes(size):
    texts = [f"oil price number {i}" for i in range(size)] + ["rain", "sun and rain"] * 30
    y = [True] * size + [False] * 60
    model = RareTextClassifier("balanced_accuracy", random_state=0).fit(texts, y)
    assert model.predict(["oil price", "rain"]).tolist() == [True, False]
    expected = model.expectation_[0]
    assert expected.sentences()
    if size == 1:
        assert np.isnan(expected.recall.mean)


@pytest.mark.filterwarnings("ignore::imbtext.rare.FewDocumentsWarning")
def test_a_document_of_each_class():
    model = RareTextClassifier(random_state=0).fit(["oil", "rain"], [1, 0])
    assert model.predict_proba(["oil"]).shape == (1, 2)


def test_the_columns_of_each_class_agree_with_the_decision(tmp_path):
    """Of exclusive classes a document gets one, by the rule and not by the largest excess."""
    data = load_docstrings()
    kept = {"scipy.stats", "scipy.linalg", "numpy.random", "scipy.io"}
    rows = [row for row, label in enumerate(data.labels) if label in kept]
    texts, labels = [data.texts[row][:60] for row in rows], [data.labels[row] for row in rows]
    model = RareTextClassifier("cost(200, 1)", features="words", random_state=0)
    model.fit(texts[::2], labels[::2])
    predictions = model.predictions(texts[1::2])
    excess = predictions.class_scores - predictions.class_thresholds
    labels = model.classes_[predictions.alarms_at(predictions.class_thresholds).argmax(axis=1)]
    assert (labels == predictions.decision).all()
    assert (model.classes_[excess.argmax(axis=1)] != predictions.decision).any()
    pl.DataFrame({"body": texts[1::2]}).write_csv(tmp_path / "new.csv")
    new, out = tmp_path / "new.csv", tmp_path / "out.csv"
    predict_file(model, new, out, text="body", each_class=True)
    table = pl.read_csv(tmp_path / "out.csv")
    for label in model.classes_.tolist():
        assert ((table["decision"] == label) == (table[f"decision_{label}"] == "yes")).all()


def test_odd_documents():
    texts = [*TEXTS, "", "…", "   ", "oil " * 200_000]
    model = RareTextClassifier(random_state=0).fit(texts, [*LABELS, *["weather"] * 3, "oil"])
    empty, unseen, long = model.decision_function(["", "zyx wvu", "oil " * 300_000])
    assert np.isfinite([empty, unseen, long]).all()
    assert empty == unseen
    assert model.predict_proba([])[:0].shape == (0, 2)


def test_only_empty_documents_say_so():
    with pytest.raises(ValueError, match="none of the 4 documents has a word"):
        RareTextClassifier(random_state=0).fit(["", "", "", ""], [1, 0, 0, 0])


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (TEXTS, ["oil"] * len(TEXTS), "only one class"),
        (TEXTS, LABELS[:-1], "33 documents and y has 32 labels"),
        (TEXTS, None, "y is None"),
        ([None, *TEXTS[1:]], LABELS, r"X\[0\] is missing"),
        (TEXTS, [None] * len(TEXTS), "all 33 labels in y are missing or ignored"),
        (TEXTS, np.linspace(0, 1, len(TEXTS)), "Unknown label type"),
        (TEXTS, [set()] * len(TEXTS), "no label"),
        (TEXTS, np.full((len(TEXTS), 2), 3), "holds values other than 0 and 1"),
        (TEXTS, np.zeros((len(TEXTS), 0)), "is empty or holds"),
        (TEXTS, np.ones((len(TEXTS), 2)), "every document belongs to the class"),
    ],
)
def test_bad_input_is_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        RareTextClassifier().fit(X, y)


@pytest.mark.parametrize("X", [[b"oil", *TEXTS[1:]], [1.5, *TEXTS[1:]], "oil", [3] * len(TEXTS)])
def test_documents_that_are_none_are_refused(X):
    with pytest.raises(TypeError, match=r"X|string"):
        RareTextClassifier().fit(X, LABELS)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"metric": "accuracy"}, "metric is 'accuracy'; choose balanced_accuracy"),
        ({"metric": "recall_at_precision(2)"}, "precision is 2"),
        ({"metric": (0, 1)}, "cost of a miss is 0"),
        ({"metric": "cost(x, 1)"}, "could not convert"),
        ({"n_jobs": "x"}, "'n_jobs' parameter .* Got 'x'"),
        ({"verbose": "loud"}, "'verbose' parameter .* Got 'loud'"),
        ({"language": 3}, "'language' parameter .* Got 3"),
        ({"metric": 3}, "metric is 3"),
        ({"features": "letters"}, "features is 'letters'"),
        ({"language": "klingon"}, "language is 'klingon'"),
        ({"pos_label": "gold"}, "pos_label is 'gold'"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        RareTextClassifier(**parameters).fit(TEXTS, LABELS)


def test_weights_count(rare):
    texts, y = rare
    twice = np.where(np.arange(len(texts)) < 100, 0.0, 1.0)
    weighted = RareTextClassifier("f1", features=_vectors, random_state=0).fit(texts, y, twice)
    plain = RareTextClassifier("f1", features=_vectors, random_state=0).fit(texts, y)
    assert not np.allclose(weighted.decision_function(texts), plain.decision_function(texts))
    same = RareTextClassifier("f1", features=_vectors, random_state=0).fit(
        texts, y, np.ones(len(texts))
    )
    np.testing.assert_allclose(same.decision_function(texts), plain.decision_function(texts))
    with pytest.raises(ValueError, match="sample_weight"):
        RareTextClassifier().fit(texts, y, [1.0])


def _vectors(documents):
    return HashingVectorizer(n_features=256).transform(documents)


@pytest.mark.slow
def test_features_of_the_users_own(rare):
    texts, y = rare
    for features in (_vectors, TfidfVectorizer(), lambda rows: _vectors(rows).toarray()):
        model = RareTextClassifier(features=features, random_state=0).fit(texts, y)
        assert average_precision_score(y, model.decision_function(texts)) > 0.7
    with pytest.raises(ValueError, match="returned 1 rows"):
        RareTextClassifier(features=lambda rows: np.ones((1, 3))).fit(texts, y)


def test_it_is_a_scikit_learn_estimator(rare):
    texts, y = rare
    model = RareTextClassifier("f1", random_state=0)
    assert clone(model).get_params() == model.get_params()
    scores = cross_val_score(model, np.array(texts, dtype=object), y, cv=2, scoring="f1")
    assert scores.mean() > 0.5


def test_another_metric_moves_the_threshold_alone(rare):
    texts, y = rare
    model = RareTextClassifier("f1", random_state=0).fit(texts, y)
    other = model.at("recall_at_precision(0.99)")
    anew = RareTextClassifier("recall_at_precision(0.99)", random_state=0).fit(texts, y)
    np.testing.assert_array_equal(other.thresholds_, anew.thresholds_)
    assert other.expectation_ == anew.expectation_
    assert model.thresholds_[0] <= other.thresholds_[0]


def test_texts_and_token_lists_are_not_mixed_up():
    model = RareTextClassifier(random_state=0).fit(TEXTS, LABELS)
    with pytest.raises(TypeError, match="X contains token lists, but the model was fitted on text"):
        model.predict([["oil"]])


def test_the_report_says_what_was_chosen(rare):
    report = RareTextClassifier(random_state=0).fit(*rare).report_
    assert "english stems" in report["features"]
    assert "F2" in report["operating point"]
    assert "near-duplicates never in training and test at once" in report["folds"]


@pytest.mark.slow
def test_other_classes_take_their_share_where_held_out_documents_gain():
    data = load_docstrings()
    labels = np.array(data.labels)
    names, sizes = np.unique(labels, return_counts=True)
    kept = np.flatnonzero(np.isin(labels, names[sizes >= 20]))[::3]
    texts = [data.texts[i] for i in kept]
    model = RareTextClassifier(random_state=0).fit(texts, labels[kept])
    share = model.fitted_.share_of_best_other
    assert share > 0
    assert model.report_["other classes"].startswith(f"{share:.0%} of the best")
    # The same by hand, from models of each class alone.
    new, c = [data.texts[i] for i in range(0, 60, 7)], 2
    plain = model.fitted_.ranking.scores(model.fitted_.scored(new).vectors)
    others = np.delete(plain, c, axis=1).max(axis=1)
    expected = plain[:, c] - share * others
    np.testing.assert_allclose(model.fitted_.scored(new).scores[:, c], expected)
    found = model.explain(new[0], model.classes_[c])
    assert found.constant + sum(w for _, w in found.parts) == pytest.approx(found.score, abs=1e-6)
    one = RareTextClassifier(random_state=0).fit(texts, labels[kept] == model.classes_[c])
    assert one.report_["other classes"].startswith("0%")


def test_documents_read_once_serve_several_classes():
    texts = ["oil price", "crude oil"] * 3 + ["rain", "sun and rain"] * 9
    read = Documents.of(texts)
    for label in ("oil", "rain"):
        y = [label in text for text in texts]
        once = RareTextClassifier(features="words", random_state=0).fit(read, y)
        alone = RareTextClassifier(features="words", random_state=0).fit(texts, y)
        np.testing.assert_array_equal(once.decision_function(texts), alone.decision_function(texts))


def test_a_table_is_answered_with_advice_that_applies():
    table = pd.DataFrame({"subject": TEXTS, "body": TEXTS})
    with pytest.raises(TypeError, match=r"such as X\['subject'\]"):
        RareTextClassifier().fit(table, LABELS)
    RareTextClassifier(random_state=0).fit(table["subject"], LABELS)


def test_a_fit_that_is_interrupted_leaves_the_model_as_it_was(monkeypatch):
    model = RareTextClassifier(random_state=0).fit(TEXTS, LABELS)
    scores = model.decision_function(TEXTS)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(RareTextClassifier, "_train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(TEXTS, [f"{label}!" for label in LABELS])
    assert model.predict(["the oil price"]).tolist() == ["oil"]
    np.testing.assert_array_equal(model.decision_function(TEXTS), scores)


def test_several_labels_at_once_are_refused():
    three = ["oil"] * 6 + ["rain"] * 13 + ["sun"] * 14
    model = RareTextClassifier(random_state=0).fit(TEXTS, three)
    for ask in (model.top_features, lambda label: model.at("f1", label=label)):
        with pytest.raises(ValueError, match=r"label is \['oil', 'rain', 'sun'\]; choose one of"):
            ask(["oil", "rain", "sun"])


def test_a_class_of_one_to_three_documents_is_said_at_fit():
    texts = ["oil price", "crude oil", "gas"] + ["rain today", "sun", "wind and rain"] * 9
    with pytest.warns(FewDocumentsWarning, match=r"too few documents of 1 \(3\)"):
        RareTextClassifier(random_state=0).fit(texts, [1] * 3 + [0] * 27)
    with pytest.warns(FewDocumentsWarning, match=r"'a' \(1\), 'b' \(2\) to know"):
        RareTextClassifier(random_state=0).fit(texts, ["a", "b", "b"] + ["c"] * 27)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RareTextClassifier(random_state=0).fit(texts, [1] * 4 + [0] * 26)
