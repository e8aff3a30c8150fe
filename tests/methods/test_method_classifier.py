"""MethodClassifier: many classes, probabilities, and files without training documents."""

import pickle

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from imbtext import MethodClassifier
from imbtext.datasets import load_docstrings


@pytest.fixture(scope="module")
def data():
    docstrings = load_docstrings()
    labels = np.array(docstrings.labels)
    kept = np.flatnonzero(np.isin(labels, ["scipy.sparse", "scipy.stats", "scipy.fft"]))
    return [docstrings.texts[i] for i in kept], labels[kept]


def test_many_classes(data):
    texts, labels = data
    model = MethodClassifier("ros", random_state=0).fit(texts[::2], labels[::2])
    assert model.decision_function(texts).shape == (len(texts), 3)
    assert f1_score(labels[1::2], model.predict(texts[1::2]), average="macro") > 0.8
    alone = MethodClassifier("ros", pos_label=True, random_state=0)
    alone.fit(texts[::2], labels[::2] == "scipy.sparse")
    column = model.decision_function(texts)[:, model.classes_.tolist().index("scipy.sparse")]
    assert np.corrcoef(column, alone.decision_function(texts))[0, 1] > 0.99
    with pytest.raises(ValueError, match="names one of two classes, and y has 3"):
        MethodClassifier(pos_label="scipy.fft").fit(texts, labels)


def test_probabilities_where_the_classifier_has_them(data):
    texts, labels = data
    assert not hasattr(MethodClassifier(), "predict_proba")
    for y in (labels, labels == "scipy.sparse", np.where(labels == "scipy.fft", "a", "b")):
        model = MethodClassifier("emco(0.1)", classifier=LogisticRegression(), random_state=0)
        p = model.fit(texts, y).predict_proba(texts)
        np.testing.assert_allclose(p.sum(axis=1), 1)
        np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(texts))


def test_rare_is_a_method_like_others(data):
    texts, labels = data
    model = MethodClassifier("rare(f1)", random_state=0).fit(texts, labels == "scipy.sparse")
    decision = model.decision_function(texts)
    np.testing.assert_array_equal(model.predict(texts), decision > 0)
    assert model.predict_proba(texts).shape == (len(texts), 2)


@pytest.mark.parametrize("kind", ["two", "first", "many"])
@pytest.mark.parametrize("classifier", [None, LogisticRegression()])
@pytest.mark.parametrize(
    ("method", "refit_idf"), [("threshold(emco(0.1), f2)", False), ("emco(0.1)", True)]
)
def test_a_loaded_model_gives_the_same(data, tmp_path, kind, classifier, method, refit_idf):
    texts, labels = data
    y = {
        "two": labels == "scipy.sparse",
        "first": np.where(labels == "scipy.sparse", "a", "b"),
        "many": labels,
    }[kind]
    model = MethodClassifier(method, classifier=classifier, refit_idf=refit_idf, random_state=0)
    model.fit(texts, y).save(tmp_path / "model")
    loaded = MethodClassifier.load(tmp_path / "model")
    np.testing.assert_allclose(
        loaded.decision_function(texts), model.decision_function(texts), atol=1e-12
    )
    np.testing.assert_array_equal(loaded.predict(texts), model.predict(texts))
    assert hasattr(loaded, "predict_proba") == (classifier is not None)
    if classifier is not None:
        np.testing.assert_allclose(loaded.predict_proba(texts), model.predict_proba(texts))
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_neither_file_nor_pickle_holds_training_documents(data, tmp_path):
    texts, labels = data
    model = MethodClassifier("emco(0.1)", random_state=0).fit(texts, labels == "scipy.sparse")
    model.save(tmp_path / "model")
    stored = [(tmp_path / "model").read_bytes(), pickle.dumps(model)]
    for text in texts:
        assert not any(text[:80].encode() in content for content in stored)
    whole = len(pickle.dumps(texts))
    assert all(len(content) < whole for content in stored)
    again = pickle.loads(stored[1])
    np.testing.assert_array_equal(again.decision_function(texts), model.decision_function(texts))
    assert model.data_.n_documents == len(texts)  # the model at hand still knows them


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "rare"}, "has a file of its own"),
        ({"method": "dro"}, "a space of its own"),
        ({"method": "plain", "tokenizer": str.split}, "are code"),
        ({"method": "plain", "features": "characters"}, "are code"),
        ({"method": "plain", "classifier": RandomForestClassifier(3)}, "no linear classifier"),
    ],
)
def test_what_cannot_be_saved_says_so(data, tmp_path, parameters, message):
    texts, labels = data
    model = MethodClassifier(**parameters, random_state=0).fit(texts, labels == "scipy.sparse")
    with pytest.raises(ValueError, match=message):
        model.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_a_damaged_file_is_a_value_error(data, tmp_path):
    texts, labels = data
    MethodClassifier("plain").fit(texts, labels).save(tmp_path / "good")
    content = (tmp_path / "good").read_bytes()
    generator = np.random.default_rng(0)
    for _ in range(40):
        damaged = bytearray(content)
        for place in generator.integers(len(content), size=3):
            damaged[place] = generator.integers(256)
        (tmp_path / "bad").write_bytes(bytes(damaged[: generator.integers(len(damaged))]))
        with pytest.raises(ValueError, match="bad is not a MethodClassifier"):
            MethodClassifier.load(tmp_path / "bad")
