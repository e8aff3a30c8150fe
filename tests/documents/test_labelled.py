"""Documents without a label, and labels to ignore, through the doors of the package."""

from datetime import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from imbtext import RareTextClassifier, ResampledClassifier, compare
from imbtext._messages import DataWarning
from imbtext.documents import Documents

TEXTS = ["oil price up", "crude oil", "oil"] * 4 + ["rain today", "sun and rain", "sun"] * 9
LABELS = ["oil"] * 12 + ["weather"] * 27


@pytest.mark.parametrize(
    "y",
    [
        ["a", None, "b"],
        ["a", float("nan"), "b"],
        np.array(["a", None, "b"], dtype=object),
        pd.Series(["a", None, "b"]),
        pd.Series(["a", pd.NA, "b"], dtype="string"),
        pd.Series(["a", np.nan, "b"], dtype="category"),
        pd.array(["a", pd.NA, "b"], dtype="string"),
        pd.Categorical(["a", None, "b"]),
        pl.Series(["a", None, "b"]),
        pa.array(["a", None, "b"]),
    ],
    ids=[
        "list",
        "nan",
        "numpy",
        "pandas",
        "nullable",
        "category",
        "array",
        "codes",
        "polars",
        "arrow",
    ],
)
def test_no_label_is_no_label_in_any_container(y):
    with pytest.warns(DataWarning, match="1 of 3 documents have no label; nothing is learnt from"):
        documents = Documents.of(["x", "y", "z"], y, sample_weight=[1, 2, 3]).labelled()
    assert documents.to_list() == ["x", "z"]
    assert documents.labels.values.tolist() == ["a", "b"]
    assert (documents.weights.tolist(), documents.rows.tolist()) == ([1, 3], [0, 2])


def test_a_label_to_ignore_is_not_compared_with_what_is_missing():
    y = pd.Series(["a", pd.NA, "?", "b"], dtype="string")
    with pytest.warns(DataWarning, match="1 of 4 documents have no label"):
        documents = Documents.of(["w", "x", "y", "z"], y).labelled(ignored="?")
    assert (documents.to_list(), documents.labels.values.tolist()) == (["w", "z"], ["a", "b"])


def test_times_with_gaps_are_times():
    y = np.array(["2024-05-31", "NaT"], "M8[ns]")
    with pytest.warns(DataWarning):
        labels = Documents.of(["x", "y"], y).labelled().labels
    assert labels.container == [datetime(2024, 5, 31)]


def test_numbers_with_gaps_are_numbers():
    with pytest.warns(DataWarning):
        documents = Documents.of(["x", "y", "z"], np.array([1.0, np.nan, 0.0])).labelled()
    assert documents.labels.values.tolist() == [1.0, 0.0]


def test_a_document_with_an_ignored_label_among_others_is_left_out():
    y = [{"a"}, {"a", "?"}, set()]
    documents = Documents.of(["x", "y", "z"], y).labelled(ignored=["?"])
    assert (documents.to_list(), documents.labels.sets) == (["x", "z"], ({"a"}, set()))


def test_a_label_to_ignore_must_be_there():
    with pytest.raises(ValueError, match=r"no label 'unknwon' to ignore; .*did you mean 'unknown'"):
        Documents.of(["x", "y"], ["a", "unknown"]).labelled(ignored="unknwon")
    # A test set need not have it.
    Documents.of(["x", "y"], ["a", "b"]).labelled(ignored="unknown", purpose="tested on")


def more(*labels):
    return [*TEXTS, *["fog oil"] * len(labels)], [*LABELS, *labels]


def test_the_classifier_learns_from_what_has_a_label():
    expected = RareTextClassifier(random_state=0).fit(TEXTS, LABELS)
    texts, y = more(None, np.nan, "?", None)
    n = len(texts)
    weights, groups, times = np.ones(n), list(range(n)), np.arange(n)
    with pytest.warns(DataWarning, match="3 of 43"):
        model = RareTextClassifier(ignore_labels="?", random_state=0).fit(texts, y)
    assert model.expectation_ == expected.expectation_
    np.testing.assert_array_equal(model.decision_function(TEXTS), expected.decision_function(TEXTS))
    with pytest.warns(DataWarning, match="3 of 43"):
        RareTextClassifier(ignore_labels=["?"], random_state=0).fit(
            texts, y, sample_weight=weights, groups=groups, time=times
        )
    with pytest.warns(DataWarning, match="nothing is tested on them"):
        tested = model.tested_on(texts, y, groups)
    assert tested.expectation_[0].n_documents == len(TEXTS)


def test_a_comparison_compares_what_has_a_label():
    settings = {"methods": ["ros"], "folds": 2, "repeats": 1, "share": 0.5}
    expected = compare(TEXTS, LABELS, **settings)
    texts, y = more(None, "?")
    with pytest.warns(DataWarning, match="1 of 41"):
        found = compare(texts, y, ignore_labels=["?"], ids=range(len(texts)), **settings)
    assert found.scores.drop("seconds").equals(expected.scores.drop("seconds"))
    with pytest.warns(DataWarning, match="nothing is tested on them"):
        found = compare(TEXTS, LABELS, test=(texts[:-1], y[:-1]), **settings)
    assert found.plan.n_test == len(TEXTS)


def test_a_method_learns_from_what_has_a_label():
    texts, y = more(None)
    with pytest.warns(DataWarning, match="1 of 40"):
        model = ResampledClassifier("ros", share=0.5, random_state=0).fit(texts, y)
    assert model.data_.n_documents == len(TEXTS)
