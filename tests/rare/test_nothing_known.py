"""Texts of which a model knows nothing: no metric puts them into a class to find."""

import csv

import numpy as np
import polars as pl
import pytest
from starlette.testclient import TestClient

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings
from imbtext.files import predict_file
from imbtext.web import model_application

STRANGE = ["", "  \n", "你好世界今天天气", "😀😀🎉", "qqqx zzkw vvbbq"]
# Nothing is known of a text that is blank; all else may have a meaning.
IS_BLANK = np.array([True, True, False, False, False])


@pytest.fixture(scope="module")
def data():
    data = load_docstrings()
    order = np.random.default_rng(0).permutation(len(data.labels))[:900]
    labels = np.array(["stats" if label == "scipy.stats" else "other" for label in data.labels])
    return [data.texts[row][:200] for row in order], labels[order]


@pytest.fixture(scope="module")
def model(data):
    return RareTextClassifier(random_state=0).fit(*data)


@pytest.mark.parametrize(
    "metric", ["f2", "balanced_accuracy", "recall_at_precision(0.01)", "cost(1000, 1)"]
)
def test_no_metric_puts_a_text_without_a_known_word_into_the_class(model, data, metric):
    moved = model.at(metric)
    found = moved.predictions([*STRANGE, *data[0][:50]])
    n = len(STRANGE)
    assert found.decision[:n].tolist() == ["other"] * n
    assert found.nothing_known.tolist() == [True] * n + [False] * 50
    assert (found.score[:n] <= found.threshold[:n]).all()
    assert set(moved.predict(STRANGE)) == {"other"}
    # They are read last.
    assert found.rank[:n].min() > found.rank[n:].max()


def test_not_even_if_somebody_can_read_every_document(model):
    assert set(model.at(alarms=100, of=STRANGE).predict(STRANGE)) == {"other"}


def test_the_file_the_table_and_the_service_say_which_they_are(model, tmp_path):
    new = [*STRANGE, "The mean of a normal distribution."]
    expected = model.predictions(new).nothing_known
    assert expected.tolist() == [True] * 5 + [False]
    assert model.predictions(new).to_frame()["nothing_known"].to_list() == expected.tolist()
    with (tmp_path / "new.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["body"], *([text] for text in new)])
    with pytest.warns(match="no word"):
        predict_file(model, tmp_path / "new.csv", tmp_path / "out.csv", text="body")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        written = [row["nothing_known"] for row in csv.DictReader(file)]
    assert written == ["yes" if row else "no" for row in expected]
    with TestClient(model_application(model)) as client:
        answer = client.post("/predict", json={"documents": new}).json()
    assert [row["nothing_known"] for row in answer["predictions"]] == expected.tolist()


def test_the_saved_model_knows_as_little(model, tmp_path):
    model.save(tmp_path / "model")
    again = RareTextClassifier.load(tmp_path / "model").predictions(STRANGE)
    np.testing.assert_array_equal(again.score, model.predictions(STRANGE).score)


def test_of_exclusive_classes_they_get_the_most_frequent(data):
    texts, labels = data
    several = np.where(labels == "stats", labels, [f"of {len(text) > 150}" for text in texts])
    model = RareTextClassifier("balanced_accuracy", random_state=0).fit(texts, several)
    names, sizes = np.unique(several, return_counts=True)
    for moved in (model, model.at("recall_at_precision(0.01)")):
        found = moved.predictions(STRANGE)
        assert set(found.decision) == {names[sizes.argmax()]}
        assert (found.score > found.threshold).all()
    sets = RareTextClassifier("balanced_accuracy", random_state=0).fit(
        texts, [{label} if label == "stats" else set() for label in labels]
    )
    assert [*sets.predict(STRANGE)] == [set()] * len(STRANGE)


def test_with_an_encoder_only_a_blank_text_says_nothing(data):
    def encode(texts):
        return [[1.0, len(text), "好" in text] for text in texts]

    texts, labels = data
    model = RareTextClassifier(encoder=encode, random_state=0).fit(texts[:300], labels[:300])
    found = model.at("recall_at_precision(0.01)").predictions(STRANGE)
    assert found.nothing_known.tolist() == IS_BLANK.tolist()
    assert set(found.decision[IS_BLANK]) == {"other"}


def test_held_out_documents_without_a_known_word_are_not_promised_to_be_found(data):
    texts, labels = data
    # A third of the class has no text: no model of words finds them.
    blank = np.flatnonzero(labels == "stats")[::3]
    texts = ["" if row in blank else text for row, text in enumerate(texts)]
    model = RareTextClassifier("balanced_accuracy", random_state=0).fit(texts, labels)
    n_class = (labels == "stats").sum()
    assert model.expectation_[0].recall.mean <= 1 - len(blank) / n_class
    assert (model.predict([texts[row] for row in blank]) == "other").all()


def test_where_words_are_written_together_grams_of_characters_are_known():
    rng = np.random.default_rng(0)
    parts = np.array(["".join(rng.choice(list("abcdefghijkl"), 5)) for _ in range(40)])
    texts = ["".join(rng.choice(parts[:20], 8)) for _ in range(40)]
    texts += ["".join(rng.choice(parts[15:], 8)) for _ in range(160)]
    model = RareTextClassifier(language=None, random_state=0).fit(texts, [1] * 40 + [0] * 160)
    found = model.predictions(["".join(rng.choice(parts[:15], 8)), "qqqx zzkw"])
    assert found.known_shares.tolist() == [0, 0]
    assert found.nothing_known.tolist() == [False, True]
    assert found.decision[0] == 1


def test_a_model_that_reads_columns_knows_them():
    rng = np.random.default_rng(0)
    labels = rng.random(300) < 0.2
    is_a = labels | (rng.random(300) < 0.2)
    words = rng.choice(["oil", "rain", "sun", "price", "snow"], (300, 3))
    table = pl.DataFrame({"body": map(" ".join, words), "kind": np.where(is_a, "a", "b")})
    model = RareTextClassifier(text="body", columns=["kind"], random_state=0).fit(table, labels)
    assert model.columns_ == ("kind",)
    found = model.predictions(pl.DataFrame({"body": ["", ""], "kind": ["a", "zzz"]}))
    assert found.nothing_known.tolist() == [False, True]
