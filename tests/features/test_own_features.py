"""Features of the user's own are refused in the same words by methods and by the classifier."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from imbtext import RareTextClassifier
from imbtext.methods import ResampledClassifier

TEXTS = ["oil up", "oil", "rain", "sun"] * 5
Y = [1, 1, 0, 0] * 5


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (lambda texts: np.zeros(len(texts)), "expected numbers, one row per document"),
        (lambda texts: np.array([[text] for text in texts]), "expected numbers"),
        (lambda _: np.zeros((3, 2)), "returned 3 rows for "),
        (lambda texts: sparse.csr_array((len(texts) + 1, 2)), "expected one row per document"),
        (lambda texts: np.full((len(texts), 2), np.inf), "infinite or not numbers"),
    ],
)
def test_what_features_return_is_checked(features, message):
    for model in (RareTextClassifier(features=features), ResampledClassifier(features=features)):
        with pytest.raises(ValueError, match=message):
            model.fit(TEXTS, Y)


@pytest.mark.parametrize("features", ["letters", 3, [1], dict, TfidfVectorizer])
def test_what_makes_no_vectors_is_refused(features):
    for model in (RareTextClassifier(features=features), ResampledClassifier(features=features)):
        with pytest.raises(ValueError, match=r"choose one of auto, .*, or give a scikit-learn"):
            model.fit(TEXTS, Y)


@pytest.mark.parametrize("asked", ["predict", "predict_proba", "decision_function", "explain"])
@pytest.mark.parametrize("n_columns", [1, 2000])
def test_features_must_return_as_many_columns_as_in_fit(asked, n_columns):
    width = [3]

    def features(texts):
        return np.ones((len(texts), width[0])) * [[len(text)] for text in texts]

    model = RareTextClassifier(features=features, random_state=0).fit(TEXTS, Y)
    width[0] = n_columns
    with pytest.raises(ValueError, match=rf"returned {n_columns} columns, and 3 when the model"):
        getattr(model, asked)(TEXTS[:1])


def test_methods_measure_features_too():
    width = [3]

    def features(texts):
        return np.ones((len(texts), width[0])) * [[len(text)] for text in texts]

    model = ResampledClassifier("emco(0.1)", features=features, random_state=0).fit(TEXTS, Y)
    width[0] = 2
    with pytest.raises(ValueError, match="returned 2 columns, and 3 when the model was fitted"):
        model.predict(TEXTS[:1])


def test_a_vectorizer_may_have_another_width_in_each_fold():
    texts = [f"{text} word{i}" for i, text in enumerate(TEXTS)]
    model = RareTextClassifier(features=TfidfVectorizer(), random_state=0).fit(texts, Y)
    assert model.fit(texts[:12], Y[:12]).predict(texts).shape == (20,)
