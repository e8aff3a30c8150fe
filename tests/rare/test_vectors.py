"""Vectors beside words: features that are a list of sources."""

from importlib.util import find_spec

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

from imbtext import RareTextClassifier, mislabelled
from imbtext.documents import Documents
from imbtext.features import get_features
from imbtext.features._meaning import Meaning

NEEDS_WORDLLAMA = pytest.mark.skipif(
    find_spec("wordllama") is None,
    reason="wordllama is not installed (pip install 'imbalanced-text[meaning]')",
)
PLACES = ["Paris", "Rome", "Oslo", "Bern", "Kyiv", "Riga", "Bonn", "Lima", "Cairo", "Delhi"]
OIL = ["crude oil from", "petroleum in", "a barrel for", "gasoline to"]
REST = ["rain over", "sunny in", "football in", "concert at", "museum of", "train to", "hotel in"]
TEXTS = [f"{what} {place}" for what in OIL + REST for place in PLACES]
Y = np.array(["oil"] * 40 + ["other"] * 70)


def embed(texts):
    """Tell how long a text is, and whether it is of fuel."""
    fuel = [any(word in text for word in ("oil", "petrol", "gas")) for text in texts]
    return np.column_stack([[len(text) for text in texts], fuel, np.ones(len(texts))])


@pytest.fixture(scope="module", params=["embed", pytest.param("meaning", marks=NEEDS_WORDLLAMA)])
def fitted(request):
    source = {"embed": embed, "meaning": "meaning"}[request.param]
    model = RareTextClassifier(features=["auto", source], random_state=0).fit(TEXTS, Y)
    return request.param, model


def test_explanations_and_top_features_name_the_vectors_once(fitted):
    name, model = fitted
    for reason in model.explanations(["crude oil", "meaning and embed", "", "unheard"]):
        assert reason.constant + sum(w for _, w in reason.parts) == pytest.approx(reason.score)
        assert [words for words, _ in reason.parts].count(f"({name})") <= 1
    words = [words for words, _ in model.explain("crude oil of Paris").parts]
    assert f"({name})" in words
    assert "oil" in words
    assert {f"({name})", "crude"} <= set(dict(model.top_features(n=30)))
    width = {"embed": 3, "meaning": 256}[name]
    names = model.get_feature_names_out()
    assert names[-1] == f"({name}) {width - 1}"
    assert len(names) == len(model.fitted_.ranking.batches[0].weights)
    assert f"{width} columns of" in model.report_["features"]
    assert f"It also reads ({name}): a vector of {width} numbers" in model.card().markdown()


def test_a_saved_model_takes_its_callable_back(fitted, tmp_path):
    name, model = fitted
    path, new = tmp_path / "a.model", ["gasoline for Riga", "opera in Rome", "", "wholly unknown"]
    model.save(path)
    given = {"embed": embed} if name == "embed" else {}
    loaded = RareTextClassifier.load(path, features=given)
    assert loaded.decision_function(new).tolist() == model.decision_function(new).tolist()
    assert loaded.explain(new[0]).parts == model.explain(new[0]).parts
    assert loaded.features == model.features
    loaded.save(tmp_path / "b.model")
    assert (tmp_path / "b.model").read_bytes() == path.read_bytes()
    assert b"def embed" not in path.read_bytes()


def test_without_its_callable_a_model_is_refused_in_words(tmp_path):
    path = tmp_path / "a.model"
    RareTextClassifier(features=["words", embed], random_state=0).fit(TEXTS, Y).save(path)
    with pytest.raises(
        ValueError, match=r"the callable 'embed', which returns 3 columns.*pass the callable"
    ):
        RareTextClassifier.load(path)
    with pytest.raises(ValueError, match=r"features names 'embd', but .* trained with 'embed'"):
        RareTextClassifier.load(path, features={"embd": embed})
    wide = RareTextClassifier.load(path, features={"embed": lambda texts: np.ones((len(texts), 4))})
    with pytest.raises(ValueError, match="returned 4 columns, and 3 when the model was fitted"):
        wide.predict(["oil"])


def test_a_callable_alone_is_saved_too(tmp_path):
    model = RareTextClassifier(features=embed, random_state=0).fit(TEXTS, Y)
    model.save(tmp_path / "a.model")
    loaded = RareTextClassifier.load(tmp_path / "a.model", features={"embed": embed})
    assert loaded.decision_function(TEXTS).tolist() == model.decision_function(TEXTS).tolist()
    with pytest.raises(ValueError, match="is code, and a model file holds none"):
        RareTextClassifier(features=["auto", TfidfVectorizer()]).fit(TEXTS, Y).save(tmp_path / "b")


@NEEDS_WORDLLAMA
def test_other_vectors_of_words_are_refused(fitted, tmp_path, monkeypatch):
    name, model = fitted
    if name == "embed":
        return
    model.save(tmp_path / "a.model")
    monkeypatch.setattr(Meaning, "version", "0123456789abcdef")
    with pytest.raises(ValueError, match=r"was trained with vectors .*, but the installed"):
        RareTextClassifier.load(tmp_path / "a.model")


@NEEDS_WORDLLAMA
def test_a_source_that_is_not_in_this_version_is_named(fitted, tmp_path, monkeypatch):
    name, model = fitted
    if name == "embed":
        return
    model.save(tmp_path / "a.model")
    monkeypatch.setattr("imbtext.features._sources._NAMED", {})
    with pytest.raises(ValueError, match=r"there is no source of features 'meaning' here"):
        RareTextClassifier.load(tmp_path / "a.model")


def test_the_words_of_a_list_are_scaled_by_the_class_as_alone():
    """A source that says nothing leaves the ranking as it is."""

    def nothing(texts):
        return np.zeros((len(texts), 2))

    alone = RareTextClassifier(random_state=0).fit(TEXTS, Y)
    model = RareTextClassifier(features=["auto", nothing], random_state=0).fit(TEXTS, Y)
    np.testing.assert_allclose(
        model.decision_function(TEXTS), alone.decision_function(TEXTS), atol=1e-5
    )
    assert model.known_words_ == alone.known_words_
    assert model.training_record_ == alone.training_record_
    assert model.check(["Regen am Abend"] * 40).drifted


def test_sources_of_every_kind_stand_side_by_side(tmp_path):
    def sparse_counts(texts):
        return CountVectorizer(vocabulary=["oil", "rain"]).transform(texts)

    latent = make_pipeline(TfidfVectorizer(), TruncatedSVD(5, random_state=0))
    every = [embed, TfidfVectorizer(), latent, "characters", sparse_counts, "words", embed]
    model = RareTextClassifier(features=every, random_state=0).fit(TEXTS, Y)
    assert model.expectation_[0].average_precision > 0.7
    names = [source.name for source in model.fitted_.features.sources[2:]]
    assert names == ["embed", "TfidfVectorizer", "Pipeline", "sparse_counts", "embed 5"]
    for reason in model.explanations(["crude oil", ""]):
        assert reason.constant + sum(w for _, w in reason.parts) == pytest.approx(reason.score)
    savable = RareTextClassifier(features=["words", "characters", sparse_counts], random_state=0)
    savable.fit(TEXTS, Y).save(tmp_path / "a.model")
    again = RareTextClassifier.load(tmp_path / "a.model", features={"sparse_counts": sparse_counts})
    assert again.decision_function(TEXTS).tolist() == savable.decision_function(TEXTS).tolist()


def test_a_fold_learns_nothing_from_what_it_holds_out():
    """Mean and scale of the vectors are those of the documents that were seen."""
    features, changed = get_features(["words", embed]), [*TEXTS[:60], *["x" * 900] * 50]
    rows = np.arange(60)
    one = features.learn(Documents.of(TEXTS)).seen_by(rows).vectors
    two = features.fresh().learn(Documents.of(changed)).seen_by(rows).vectors
    np.testing.assert_array_equal(one.dense[:60], two.dense[:60])
    lengths = (one.dense[:60].astype(float) ** 2).sum(axis=1)
    assert np.sqrt(lengths.mean()) == pytest.approx(0.5, abs=1e-4)
    assert np.abs(one.dense[:60].mean(axis=0)).max() < 1e-5


def test_tables_several_classes_weights_and_groups(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "subject": [text.split()[0] for text in TEXTS],
            "body": TEXTS,
            "amount": np.where(Y == "oil", 900.0, 500.0) + rng.normal(0, 300, len(Y)),
        }
    )
    labels = np.where(np.arange(len(Y)) % 7 == 0, "third", Y)
    model = RareTextClassifier(
        text=["subject", "body"], columns=["amount"], features=["auto", embed], random_state=0
    )
    model.fit(table, labels, sample_weight=np.linspace(1, 2, len(Y)), groups=np.arange(len(Y)) // 3)
    model.save(tmp_path / "a.model")
    loaded = RareTextClassifier.load(tmp_path / "a.model", features={"embed": embed})
    frame = pl.from_pandas(table)
    assert loaded.decision_function(frame).tolist() == model.decision_function(table).tolist()
    assert loaded.predictions(frame).to_frame().height == len(Y)
    reasons = model.explanations(table.head(3))
    share = model.fitted_.share_of_best_other
    assert all("(embed)" in dict(reason.parts) for reason in reasons)
    if not share:
        for reason in reasons:
            added = reason.constant + sum(weight for _, weight in reason.parts)
            assert added == pytest.approx(reason.score)


def test_wrong_labels_are_found_with_vectors_too():
    labels = Y.copy()
    labels[55] = "oil"
    doubts = mislabelled(TEXTS, labels, features=["auto", embed], top=3, random_state=0)
    assert 55 in [doubt.row for doubt in doubts]


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([], "list one source or more"),
        (["auto", "words"], "features lists 'auto' and 'words', which have terms in common"),
        (["auto", "meanin"], "features is 'meanin'.*did you mean 'meaning'"),
        (["meaning", "meaning"], "each once"),
        (["auto", 3], "features is 3; choose one of auto"),
        ("auto+wrds", r"features is 'auto\+wrds'"),
    ],
)
def test_what_is_no_list_of_sources_is_refused(features, message):
    with pytest.raises(ValueError, match=message):
        RareTextClassifier(features=features).fit(TEXTS, Y)


@NEEDS_WORDLLAMA
def test_meaning_finds_what_the_words_of_the_class_do_not_say():
    """Nobody has written of diesel or kerosene; words alone see nothing there."""
    new = ["diesel", "kerosene", "tennis", "painting", "snow", "theatre"]
    words = RareTextClassifier(features="words", random_state=0).fit(TEXTS, Y == "oil")
    both = RareTextClassifier(features="words+meaning", random_state=0).fit(TEXTS, Y == "oil")
    assert len(set(words.decision_function(new).tolist())) == 1
    scores = both.decision_function(new)
    assert scores[:2].min() > scores[2:].max()
