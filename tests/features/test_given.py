"""Features of the user's own are refused in the same words by methods and by the classifier."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from imbtext import RareTextClassifier
from imbtext.methods import MethodClassifier

TEXTS = ["oil up", "oil", "rain", "sun"] * 5
Y = [1, 1, 0, 0] * 5


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (lambda texts: np.zeros(len(texts)), "expected numbers, one row per document"),
        (lambda texts: np.array([[text] for text in texts]), "expected numbers"),
        (lambda _: np.zeros((3, 2)), "returned 3 rows for "),
        (lambda texts: sparse.csr_array((len(texts) + 1, 2)), "expected one row per document"),
        (lambda texts: np.full((len(texts), 2), np.inf), "infinite or no numbers"),
    ],
)
def test_what_features_return_is_checked(features, message):
    for model in (RareTextClassifier(features=features), MethodClassifier(features=features)):
        with pytest.raises(ValueError, match=message):
            model.fit(TEXTS, Y)


@pytest.mark.parametrize("features", ["letters", 3, [1], dict, TfidfVectorizer])
def test_what_makes_no_vectors_is_refused(features):
    for model in (RareTextClassifier(features=features), MethodClassifier(features=features)):
        with pytest.raises(ValueError, match=r"choose one of auto, .*, or give a scikit-learn"):
            model.fit(TEXTS, Y)
