"""What spoke for and against: complete, and in the document's own spelling."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings


@pytest.fixture(scope="module")
def data():
    docstrings = load_docstrings()
    return [text[:500] for text in docstrings.texts[::4]], np.array(docstrings.labels[::4])


@pytest.mark.parametrize("features", ["auto", "words", "words+pairs", "characters"])
@pytest.mark.parametrize("language", ["english", None])
def test_the_parts_sum_to_the_score_in_the_documents_spelling(data, features, language):
    texts, labels = data
    y = labels == "scipy.sparse"
    model = RareTextClassifier(features=features, language=language, random_state=0).fit(texts, y)
    for text in [*texts[:40:8], "Sparse MATRICES, of sparse matrices: 'csr_array'!", ""]:
        found = model.explain(text)
        total = sum(weight for _, weight in found.parts) + found.constant
        assert total == pytest.approx(found.score, abs=1e-5)
        assert found.score - found.threshold == pytest.approx(
            model.decision_function([text])[0], abs=1e-6
        )
        assert found.decision == model.predict([text])[0]
        for words, _ in found.parts:
            assert all(word in text for word in words.split())


def test_a_class_can_be_asked_for(data):
    texts, labels = data
    kept = np.isin(labels, ["scipy.sparse", "scipy.stats", "numpy"])
    texts = [text for text, k in zip(texts, kept, strict=True) if k]
    model = RareTextClassifier(random_state=0).fit(texts, labels[kept])
    assert model.explain(texts[0]).label == model.predict(texts[:1])[0]
    assert model.explain(texts[0], "scipy.sparse").label == "scipy.sparse"
    predictions = model.predictions(texts[:20])
    explanations = model.explanations(texts[:20])
    assert [one.probability for one in explanations] == predictions.probability.tolist()
    assert [one.score for one in explanations] == predictions.score.tolist()
    assert "sparse" in [word for word, _ in model.top_features("scipy.sparse", n=10)]
    with pytest.raises(ValueError, match="label is 'gold'; choose one of 'numpy'"):
        model.top_features("gold")


def test_token_lists_and_vectorizers_are_explained_too(data):
    texts, labels = data
    y = labels == "scipy.sparse"
    tokens = [text.split() for text in texts]
    model = RareTextClassifier(features="words", random_state=0).fit(tokens, y)
    assert {words for words, _ in model.explain(tokens[3]).parts} <= set(tokens[3])
    model = RareTextClassifier(features=TfidfVectorizer(), random_state=0).fit(texts, y)
    assert "sparse" in model.explain("a sparse array").words_for
    assert "sparse" in [name for name, _ in model.top_features(n=5)]


def test_it_prints_as_lines(data):
    texts, labels = data
    model = RareTextClassifier(random_state=0).fit(texts, labels == "scipy.sparse")
    lines = str(model.explain("A sparse matrix")).splitlines()
    assert lines[0].startswith("True: score")
    assert any("sparse" in line for line in lines[1:])


@pytest.mark.parametrize("features", ["auto", TfidfVectorizer()])
def test_many_documents_are_explained_as_one_is(data, features):
    texts, labels = data
    kept = np.isin(labels, ["scipy.sparse", "scipy.stats", "numpy"])
    some = [text for text, k in zip(texts, kept, strict=True) if k]
    model = RareTextClassifier(features=features, random_state=0).fit(some, labels[kept])
    asked = [*some[:30:5], "", "Sparse, sparse!"]
    assert model.explanations(asked) == [model.explain(text) for text in asked]


def test_a_column_is_not_one_document():
    texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
    model = RareTextClassifier(random_state=0).fit(texts, [1] * 6 + [0] * 27)
    for column in (pd.Series(texts), pd.Series(texts[:1]), pl.Series(texts), texts, 3):
        with pytest.raises(TypeError, match=r"explain takes one document, .* or all to explan"):
            model.explain(column)
    with pytest.raises(TypeError, match=r"(?s)X\[0\] is .* \(Series\); expected only"):
        model.explanations([pd.Series(texts)])
    assert len(model.explanations(pd.Series(texts))) == 33
