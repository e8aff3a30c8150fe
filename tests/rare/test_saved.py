"""The model file: the same predictions, no documents, and nothing that a damaged file can do."""

import json
import zipfile
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import HashingVectorizer

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings
from imbtext.features._terms import NUMBERS
from imbtext.thresholds import HeldOut


@pytest.fixture(scope="module")
def data():
    docstrings = load_docstrings()
    return [text[:500] for text in docstrings.texts[::5]], np.array(docstrings.labels[::5])


@pytest.fixture(scope="module")
def model(data):
    texts, labels = data
    return RareTextClassifier(random_state=0).fit(texts, labels == "scipy.sparse")


def same(one, other, texts):
    np.testing.assert_array_equal(one.decision_function(texts), other.decision_function(texts))
    np.testing.assert_array_equal(one.predict_proba(texts), other.predict_proba(texts))
    np.testing.assert_array_equal(one.predict(texts), other.predict(texts))
    assert one.expectation_ == other.expectation_
    assert one.report_ == other.report_
    assert one.explain(texts[0]) == other.explain(texts[0])


def test_a_loaded_model_gives_the_same(model, data, tmp_path):
    model.save(tmp_path / "a.model")
    loaded = RareTextClassifier.load(tmp_path / "a.model")
    same(model, loaded, data[0])
    assert loaded.top_features(n=5) == model.top_features(n=5)
    loaded.save(tmp_path / "b.model")
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()
    assert loaded.card().html() == model.card().html()


def test_loading_computes_nothing_from_held_out_scores(model, data, tmp_path, monkeypatch):
    """And scoring never reads them."""
    model.save(tmp_path / "m")
    expected = model.predictions(data[0][:50]).score
    for name in ("of_class", "kept", "calibration", "margins", "draw_copies", "group_codes"):
        monkeypatch.setattr(HeldOut, name, property(lambda _: pytest.fail("it was computed")))
    loaded = RareTextClassifier.load(tmp_path / "m")
    held_out = loaded.fitted_.held_out
    assert held_out.__dict__.keys() == {field.name for field in fields(HeldOut)}
    object.__setattr__(held_out, "scores", None)
    np.testing.assert_array_equal(loaded.predictions(data[0][:50]).score, expected)


@pytest.mark.parametrize("features", ["words", "words+pairs", "characters"])
def test_every_kind_of_features(data, tmp_path, features):
    texts, labels = data
    model = RareTextClassifier((5, 1), features=features, language=None, random_state=0)
    model.fit(texts, labels == "scipy.sparse").save(tmp_path / "model")
    same(model, RareTextClassifier.load(tmp_path / "model"), texts)


@pytest.mark.parametrize("kind", ["text", "integer", "boolean", "sets", "indicator"])
def test_every_kind_of_labels(data, tmp_path, kind):
    texts, labels = data
    names, codes = np.unique(labels, return_inverse=True)
    common = np.argsort(-np.bincount(codes))[:3]
    y = {
        "text": np.where(codes == common[0], "a", np.where(codes == common[1], "b", "c")),
        "integer": np.where(codes == common[0], 5, 7),
        "boolean": codes == common[0],
        "sets": [{names[c]} if c in common else set() for c in codes],
        "indicator": (codes[:, None] == common) * 1,
    }[kind]
    model = RareTextClassifier("f1", random_state=0).fit(texts, y)
    model.save(tmp_path / "model")
    loaded = RareTextClassifier.load(tmp_path / "model")
    same(model, loaded, texts)
    assert type(loaded.classes_[0]) is type(model.classes_[0])


def test_nothing_in_the_file_identifies_a_training_document_beyond_words(tmp_path):
    """Every text of the file is a word, a pair is in two documents, and no array has a row each."""
    docstrings = load_docstrings()
    texts = [*docstrings.texts[::5], "Zanzibar quokka telephoned 0170-5550123 about xylophones."]
    labels = [label == "scipy.sparse" for label in docstrings.labels[::5]] + [True]
    model = RareTextClassifier(random_state=0).fit(texts, labels)
    model.save(tmp_path / "model")
    with zipfile.ZipFile(tmp_path / "model") as archive:
        header = json.loads(archive.read("header.json"))
        arrays = {n[:-4]: np.load(archive.open(n)) for n in archive.namelist() if n[-4:] == ".npy"}
    about = header["about"]
    text = about["ranking"]["features"]["blocks"][0]
    # The words of the vocabulary aside, no string of the file comes from a document.
    words = text.pop("words")
    text.pop("spelt")
    others = json.dumps(about)
    assert "quokka" in words
    assert not any(word in others for word in ("quokka", "anzibar", "xylophone", "5550123"))
    plain = [word for word in words if word not in NUMBERS]
    assert not any(character.isdigit() or character == " " for character in "".join(plain))
    # Words of a single document are neighbours of nobody: its sentence cannot be put together.
    n_words, pairs = len(words), arrays["ranking.features.blocks.0.pairs"]
    in_pairs = {*(pairs // n_words).tolist(), *(pairs % n_words).tolist()}
    of_one = np.flatnonzero(arrays["ranking.features.frequencies"][:n_words] == 1).tolist()
    assert not in_pairs & set(of_one)
    # A held-out document is a score, its class, its fold and its group, sorted by score.
    of_documents = {name for name, values in arrays.items() if len(texts) in values.shape}
    names = ("scores", "is_class", "folds", "groups")
    assert of_documents == {f"held_out.{name}" for name in names}
    assert (np.diff(arrays["held_out.scores"][:, 0]) <= 0).all()


def test_what_cannot_be_saved_says_so(data, tmp_path):
    texts, labels = data
    hashed = RareTextClassifier(features=HashingVectorizer(), random_state=0)
    with pytest.raises(ValueError, match="is code, and a model file holds none"):
        hashed.fit(texts, labels == "scipy.sparse").save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def rewritten(path, target, change):
    """Copy an archive with its header and arrays changed."""
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w") as new:
        header = json.loads(old.read("header.json"))
        arrays = {n: old.read(n) for n in old.namelist() if n != "header.json"}
        change(header, arrays)
        new.writestr("header.json", json.dumps(header))
        for name, content in arrays.items():
            new.writestr(name, content)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("about", "ranking", "features", "kind"), "letters"),
        (("about", "ranking", "features", "language"), "klingon"),
        (("about", "ranking", "features", "reads_tokens"), "yes"),
        (("about", "ranking", "features", "is"), "OwnRecord"),
        (("about", "ranking", "features"), []),
        (("about", "ranking", "features", "n_documents"), 10**400),
        (("about", "ranking", "features", "n_documents"), 0),
        (("about", "ranking", "features", "blocks"), []),
        (("about", "ranking", "features", "blocks", 0, "language"), "german"),
        (("about", "ranking", "features", "blocks", 0, "with_pairs"), False),
        (("about", "classes", "form"), "triple"),
        (("about", "classes", "labels"), [1, 2]),
        (("about", "classes", "labels"), [False]),
        (("about", "classes", "labels"), [False, "True"]),
        (("about", "classes", "modelled"), "thresholds"),
        (("about", "text_columns"), "body"),
        (("about", "metric"), 3),
        (("about", "metric"), "f"),
        (("about", "metric"), [1, -1]),
        (("about", "point", "expectation"), []),
        (("about", "point", "expectation", 0, "n_class"), 10**400),
        (("about", "training_record", "class_sizes"), [10**400]),
        (("about", "training_record", "class_sizes"), [-1]),
        (("about", "training_record", "class_sizes"), [2**62]),
        (("about", "held_out", "seed"), 10**400),
        (("about", "held_out", "seed"), -1),
        (("about", "held_out", "n_documents"), 1),
        (("about", "held_out", "n_documents"), 2**62),
        (("about", "held_out", "class_sizes"), [2**62]),
        (("about", "held_out", "exclusive"), True),
        (("about", "point", "alarm_rates", 0, "spread"), -1.0),
        (("about", "point", "alarm_rates", 0, "spread"), 1e308),
        (("about", "known_words", "spread"), 1e308),
        (("about", "known_words", "mean"), -1e308),
        (("about", "training_record", "length", "spread"), 1e308),
        (("about", "point", "alarm_rates", 0, "n_documents"), 2**62),
        (("about", "report"), 3),
        (("kind",), "chain"),
        (("version",), 99),
    ],
)
def test_a_header_that_lies_is_refused(model, tmp_path, path, value):
    model.save(tmp_path / "good")

    def change(header, arrays):
        place = header
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    rewritten(tmp_path / "good", tmp_path / "bad", change)
    with pytest.raises(ValueError, match="bad is not a RareTextClassifier"):
        RareTextClassifier.load(tmp_path / "bad")


def test_a_header_cannot_ask_for_more_memory_than_the_file_holds(data, tmp_path):
    """Widths of callables are compared with the weights before anything is made of them."""
    texts, labels = data

    def encode(documents):
        return np.array([[len(text), 1.0] for text in documents])

    model = RareTextClassifier(features=["words", encode], random_state=0)
    model.fit(texts[:300], labels[:300] == labels[0]).save(tmp_path / "good")

    def change(header, arrays):
        features = header["about"]["ranking"]["features"]
        own = features["sources"][1]
        own |= {"n_columns": 2**40, "centring": None}
        features["sources"] = [features["sources"][0], *[own] * 9]
        features["shares"] = [1.0] * 10
        del header["arrays"]["ranking.features.sources.1.centring.mean"]
        del arrays["ranking.features.sources.1.centring.mean.npy"]

    rewritten(tmp_path / "good", tmp_path / "bad", change)
    with pytest.raises(ValueError, match="the number of its weights is not that of its classes"):
        RareTextClassifier.load(tmp_path / "bad", features={"encode": encode})


def test_damage_anywhere_is_a_value_error_or_the_same_shape(model, tmp_path):
    model.save(tmp_path / "good")
    content = (tmp_path / "good").read_bytes()
    generator = np.random.default_rng(0)
    for _ in range(60):
        damaged = bytearray(content)
        for place in generator.integers(len(content), size=3):
            damaged[place] = generator.integers(256)
        cut = damaged[: generator.integers(len(damaged))] if generator.random() < 0.3 else damaged
        (tmp_path / "bad").write_bytes(bytes(cut))
        try:
            loaded = RareTextClassifier.load(tmp_path / "bad")
        except ValueError:
            continue
        assert np.isfinite(loaded.decision_function(["a sparse matrix", ""])).all()


def test_large_whole_numbers_stay_whole(tmp_path):
    texts = ["oil up price", "oil down", "gold up", "rain falls", "sun shines"] * 10
    labels = [0, 2**64 - 1, 0, 0, 0] * 10
    model = RareTextClassifier(random_state=0).fit(texts, labels)
    model.save(tmp_path / "model")
    for known in (model, RareTextClassifier.load(tmp_path / "model")):
        assert known.classes_.tolist() == [0, 2**64 - 1]
        assert set(known.predict(texts).tolist()) <= {0, 2**64 - 1}


def test_a_model_of_copies_alone_is_read_again(tmp_path):
    # No document can be held out, so there are no held-out scores to keep.
    texts = ["oil price goes up", "rain in the whole land"] * 10
    RareTextClassifier(random_state=0).fit(texts, [1, 0] * 10).save(tmp_path / "m")
    assert RareTextClassifier.load(tmp_path / "m").predict(texts[:2]).tolist() == [1, 0]


def test_numbers_of_numpy_are_saved_as_numbers(tmp_path):
    texts = ["oil up price", "oil down", "gold up", "rain falls", "sun shines"] * 10
    table = pd.DataFrame({0: texts, 1: texts})
    model = RareTextClassifier((np.int64(10), np.float32(1)), text=np.int64(0), random_state=0)
    model.fit(table, [1, 0, 0, 0, 0] * 10).save(tmp_path / "m")
    loaded = RareTextClassifier.load(tmp_path / "m")
    assert (loaded.metric, loaded.text_columns_) == ((10, 1), (0,))


def test_a_text_column_whose_name_no_file_can_hold_is_refused_when_saving(tmp_path):
    table = pd.DataFrame({("mail", "body"): ["oil up", "rain falls", "sun shines"] * 10})
    model = RareTextClassifier(random_state=0).fit(table, [1, 0, 0] * 10)
    with pytest.raises(TypeError, match="rename the column to a string"):
        model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()
