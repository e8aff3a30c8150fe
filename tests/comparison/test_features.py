"""Features of one's own in a comparison: fitted inside each fold, combined with every method."""

from functools import partial

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

from imbtext import ResampledClassifier
from imbtext.comparison import compare
from imbtext.comparison._snippet import snippet
from tests.comparison.documents import COMMON, RARE
from tests.comparison.documents import documents as noisy

documents = partial(noisy, noise=0.5)


def embedded(texts):
    """Vectors that learn nothing from documents."""
    words = RARE + COMMON
    return np.array([[text.split().count(word) for word in words] for text in texts], dtype=float)


METHODS = ["class-weight", "threshold(f1)", "ros", "smote", "mco", "emco(0.1)"]
ALL = {
    "words+pairs": "words+pairs",
    "characters": "characters",
    "best": "best",
    "vectorizer": TfidfVectorizer(ngram_range=(1, 2)),
    "dense pipeline": make_pipeline(TfidfVectorizer(), TruncatedSVD(8, random_state=0)),
    "callable": embedded,
    "side by side": ["auto", embedded],
}


@pytest.mark.parametrize("name", ALL)
def test_every_method_works_with_any_features(name):
    texts, y = documents()
    found = compare(texts, y, methods=METHODS, features=ALL[name], folds=3, repeats=1)
    assert found.table()["method"].to_list() == ["plain", *METHODS]
    assert found.table()["roc_auc"].min() > 0.7
    assert not [note for note in found.warnings if "failed" in note]
    rows = dict(found.costs.select("method", "rows_added").rows())
    assert rows["emco(0.1)"] == rows["ros"] == rows["smote"] > 0


def test_rare_sees_what_is_listed_by_name():
    pytest.importorskip(
        "wordllama",
        reason="wordllama is not installed (pip install 'imbalanced-text[meaning]')",
    )
    texts, y = documents()
    options = {"methods": ["rare"], "folds": 2, "repeats": 1}
    found = compare(texts, y, features=["auto", "meaning"], **options)
    assert found.table()["method"].to_list() == ["plain", "rare(f2, auto+meaning)"]
    assert found.plan.features == "auto+meaning"
    assert "features='auto+meaning'" in snippet("rare(f2, auto+meaning)", found.plan)
    named = compare(texts, y, methods=["rare(features=words+pairs+meaning)"], folds=2, repeats=1)
    assert named.table()["method"].to_list()[1] == "rare(f2, words+pairs+meaning)"


def test_words_as_a_vectorizer_give_the_same_scores():
    texts, y = documents()
    options = {"methods": ["class-weight", "threshold(f1)", "ros", "smote"], "repeats": 1}
    wanted = compare(texts, y, **options).scores.drop("seconds")
    found = compare(texts, y, **options, features=TfidfVectorizer()).scores.drop("seconds")
    assert found.equals(wanted)


@pytest.mark.parametrize("method", ["decom", "dro"])
def test_what_cannot_be_combined_says_so(method):
    texts, y = documents()
    found = compare(texts, y, methods=[method], features="characters", folds=2, repeats=1)
    assert found.table()["method"].to_list() == ["plain"]
    assert any("out, or use features='words'" in note for note in found.warnings)


class Spy(CountVectorizer):
    """Notes what it is fitted on."""

    seen: list = []

    def fit_transform(self, raw_documents, y=None):
        self.seen.append(set(raw_documents))
        return super().fit_transform(raw_documents, y)


def test_vectorizers_never_see_a_test_document():
    texts, y = documents()
    texts = [f"{text} mark{i}" for i, text in enumerate(texts)]
    Spy.seen.clear()
    found = compare(texts, y, methods=["threshold(f1)"], features=Spy(), folds=4, repeats=1)
    assert found.table()["f1"].min() > 0
    sizes = sorted({len(seen) for seen in Spy.seen})
    # The training side of four folds, and of five folds inside each.
    assert sizes == [60, 75]


def test_a_callable_is_asked_once_per_document():
    texts, y = documents()
    asked = []

    def counted(documents):
        asked.extend(documents)
        return embedded(documents)

    compare(texts, y, methods=["threshold(f1)", "smote"], features=counted, folds=3, repeats=2)
    assert len(asked) == len(set(texts))


def test_processes_share_features_defined_on_the_spot():
    texts, y = documents()
    options = {"methods": ["emco(0.1)"], "folds": 2, "repeats": 1}
    options |= {"features": lambda texts: np.array([[len(t), t.count("e")] for t in texts])}
    options |= {"tokenizer": lambda text: text.split()}
    one = compare(texts, y, **options)
    two = compare(texts, y, **options, n_jobs=2)
    assert one.scores.drop("seconds").equals(two.scores.drop("seconds"))


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("wrds", "choose one of auto, words"),
        (TfidfVectorizer, "features is <class"),
        (3, "features is 3"),
        (lambda texts: np.zeros((3, 2)), "returned 3 rows for"),
        (lambda texts: np.zeros(len(texts)), "expected numbers, one row per document"),
        (lambda texts: np.full((len(texts), 2), np.nan), "infinite or not numbers"),
    ],
)
def test_clear_errors(features, message):
    texts, y = documents()
    with pytest.raises(ValueError, match=message):
        compare(texts, y, methods=[], features=features)


@pytest.mark.parametrize("name", ALL)
def test_the_snippet_applies_the_features(name):
    texts, y = documents()
    found = compare(
        texts, y, methods=["threshold(f1)"], features=ALL[name], folds=2, repeats=1, random_state=3
    )
    new = ["crude opec barrel tanker refinery", "rain sun film"]
    names = {"texts": texts, "y": y, "new_texts": new, "features": embedded}
    exec(found.recommendation.snippet, names)
    assert names["in_class"].tolist() == [True, False]


def test_a_method_with_features_of_its_own_works_beside_any_others():
    texts, y = documents()
    found = compare(texts, y, methods=["rare(f1)"], features=ALL["callable"], folds=2, repeats=1)
    assert found.table()["method"].to_list() == ["plain", "rare(f1)"]
    model = ResampledClassifier("rare(f1)", random_state=0).fit(texts, y)
    assert model.predict(["crude opec barrel", "rain sun film"]).tolist() == ["oil", "other"]
    assert np.array_equal(model.decision_function(texts) < 0, model.predict(texts) == "oil")


def test_method_classifier_takes_features():
    texts, y = documents()
    model = ResampledClassifier("emco(0.1)", features="words+pairs", random_state=0).fit(texts, y)
    assert model.predict(["crude opec barrel", "rain sun film"]).tolist() == ["oil", "other"]
