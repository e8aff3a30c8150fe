"""ResampledClassifier: many classes, probabilities, and pickles without training documents."""

import pickle

import numpy as np
import pytest
from imblearn.over_sampling import SMOTE
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from imbtext import DRO, EMCO, ROS, ResampledClassifier
from imbtext.datasets import load_docstrings
from imbtext.oversampling import Foreign


@pytest.fixture(scope="module")
def data():
    docstrings = load_docstrings()
    labels = np.array(docstrings.labels)
    kept = np.flatnonzero(np.isin(labels, ["scipy.sparse", "scipy.stats", "scipy.fft"]))
    return [docstrings.texts[i] for i in kept], labels[kept]


def test_many_classes(data):
    texts, labels = data
    model = ResampledClassifier("ros", random_state=0).fit(texts[::2], labels[::2])
    assert model.decision_function(texts).shape == (len(texts), 3)
    assert f1_score(labels[1::2], model.predict(texts[1::2]), average="macro") > 0.8
    alone = ResampledClassifier("ros", pos_label=True, random_state=0)
    alone.fit(texts[::2], labels[::2] == "scipy.sparse")
    column = model.decision_function(texts)[:, model.classes_.tolist().index("scipy.sparse")]
    assert np.corrcoef(column, alone.decision_function(texts))[0, 1] > 0.99
    with pytest.raises(ValueError, match="names one of two classes, and y has 3"):
        ResampledClassifier(pos_label="scipy.fft").fit(texts, labels)


def test_probabilities_where_the_classifier_has_them(data):
    texts, labels = data
    assert not hasattr(ResampledClassifier(), "predict_proba")
    for y in (labels, labels == "scipy.sparse", np.where(labels == "scipy.fft", "a", "b")):
        model = ResampledClassifier("emco(0.1)", classifier=LogisticRegression(), random_state=0)
        p = model.fit(texts, y).predict_proba(texts)
        np.testing.assert_allclose(p.sum(axis=1), 1)
        np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(texts))


def test_rare_is_a_method_like_others(data):
    texts, labels = data
    model = ResampledClassifier("rare(f1)", random_state=0).fit(texts, labels == "scipy.sparse")
    decision = model.decision_function(texts)
    np.testing.assert_array_equal(model.predict(texts), decision > 0)
    assert model.predict_proba(texts).shape == (len(texts), 2)


def test_a_pickle_holds_no_training_documents(data):
    texts, labels = data
    model = ResampledClassifier("emco(0.1)", random_state=0).fit(texts, labels == "scipy.sparse")
    stored = pickle.dumps(model)
    assert not any(text[:80].encode() in stored for text in texts)
    assert len(stored) < len(pickle.dumps(texts))
    again = pickle.loads(stored)
    np.testing.assert_array_equal(again.decision_function(texts), model.decision_function(texts))
    assert model.data_.n_documents == len(texts)  # the model at hand still knows them


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("method", "smot"), ("classifier", "svm"), ("tokenizer", 3), ("refit_idf", "yes")],
)
def test_parameters_are_checked(parameter, value):
    with pytest.raises(ValueError, match=parameter):
        ResampledClassifier(**{parameter: value}).fit(["oil", "rain"], [1, 0])


def test_a_sampler_is_a_method_and_a_search_sets_its_parameters(data):
    texts, labels = data
    y = labels == "scipy.sparse"
    for name, sampler in {
        "emco(0.1)": EMCO(0.1),
        "smote(3)": Foreign(SMOTE(k_neighbors=3), "tfidf"),
        "dro(words)": DRO(latent="words"),
    }.items():
        by_name = ResampledClassifier(name, random_state=0).fit(texts, y)
        model = clone(ResampledClassifier(sampler, random_state=0)).fit(texts, y)
        np.testing.assert_array_equal(
            model.decision_function(texts), by_name.decision_function(texts)
        )
    assert ResampledClassifier(EMCO(1)).set_params(method__gamma=0.1).method.gamma == 0.1
    with pytest.raises(TypeError, match=r"the method is SMOTE\(\) \(SMOTE\); wrap .* Foreign"):
        ResampledClassifier(SMOTE()).fit(texts, y)


@pytest.mark.parametrize(
    ("sampler", "says"),
    [
        (EMCO(sampling_strategy={"oil": 9}), "EMCO sets sampling_strategy=.* give it share"),
        (EMCO(tokenizer=str.split), "EMCO sets tokenizer=.* give it tokenizer"),
        (DRO(LogisticRegression()), "DRO sets classifier=.* give it classifier"),
        (ROS(text="body"), "ROS sets text='body', .* give it X, one column"),
        (Foreign(SMOTE(random_state=1), "tfidf"), "SMOTE sets random_state=1"),
    ],
)
def test_a_setting_that_would_be_ignored_is_refused(sampler, says):
    with pytest.raises(ValueError, match=says):
        ResampledClassifier(sampler).fit(["oil", "rain"], [1, 0])


@pytest.mark.parametrize("method", ["ros", "dro", "rare"])
def test_no_documents_have_no_labels(data, method):
    texts, labels = data
    for y in (labels, labels == "scipy.fft"):
        model = ResampledClassifier(method, classifier=LogisticRegression(), random_state=0)
        model.fit(texts[::4], y[::4])
        assert model.predict([]).tolist() == []
        assert model.decision_function([]).shape[0] == 0
        assert model.predict_proba([]).shape == (0, len(model.classes_))
