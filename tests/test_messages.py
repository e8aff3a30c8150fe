"""Warnings and refusals point at what the user did."""

import warnings

import numpy as np
import pyarrow as pa
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from imbtext import DECOM, DRO, FallbackWarning, ResampledClassifier
from imbtext._messages import nearest

TEXTS = ["oil price up"] + ["rain today", "sun and rain", "snow today", "sun"] * 3
Y = [1] + [0] * 12
VECTORS = TfidfVectorizer().fit_transform(TEXTS)


@pytest.mark.parametrize(
    "run",
    [
        lambda: ResampledClassifier("smote").fit(TEXTS, Y),
        lambda: ResampledClassifier("adasyn").fit(TEXTS, Y),
    ],
)
def test_a_fallback_points_at_the_line_of_the_user(run):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run()
    assert [w.filename for w in caught if w.category is FallbackWarning] == [__file__]


@pytest.mark.parametrize(
    "estimator",
    [DECOM(), DRO()],
    ids=lambda e: type(e).__name__,
)
def test_samplers_of_vectors_refuse_text(estimator):
    call = getattr(estimator, "fit_resample", None) or estimator.fit
    for texts in (TEXTS, np.array(TEXTS), np.array(TEXTS, dtype=object)):
        with pytest.raises(TypeError, match=r"X contains text, but .* works on .*Vectorizer"):
            call(texts, Y)


@pytest.mark.parametrize("strategy", [{1: 2.5}, lambda _: {1: 7.5}])
@pytest.mark.parametrize(
    "estimator",
    [DECOM(), DRO()],
    ids=lambda e: type(e).__name__,
)
def test_a_fraction_of_a_document_is_refused(estimator, strategy):
    estimator.set_params(sampling_strategy=strategy)
    call = getattr(estimator, "fit_resample", None) or estimator.fit
    with pytest.raises(ValueError, match="fraction of a document"):
        call(CountVectorizer().fit_transform(TEXTS), Y)


@pytest.mark.parametrize("strategy", [None, [], "sometimes"])
def test_dro_refuses_a_strategy_that_is_none(strategy):
    with pytest.raises(ValueError, match="sampling_strategy"):
        DRO(sampling_strategy=strategy).fit(VECTORS, Y)


def test_dro_refuses_weights_that_no_document_has():
    with pytest.raises(ValueError, match="pass tf-idf vectors of unit length"):
        DRO().fit(VECTORS * 1e18, Y)


def test_a_classifier_takes_arrow_arrays():
    model = ResampledClassifier("emco(0.1)", random_state=0).fit(pa.array(TEXTS), Y)
    expected = model.predict(TEXTS).tolist()
    assert model.predict(pa.array(TEXTS)).tolist() == expected
    assert model.predict(pa.chunked_array([TEXTS[:4], TEXTS[4:]])).tolist() == expected


@pytest.mark.parametrize(
    ("word", "known", "expected"),
    [
        ("Frad", ["Fraud", "fraud "], "Fraud"),
        ("Frad", ["fraud ", "FRAUD", "Fraud"], "Fraud"),
        ("frad ", ["Fraud", "fraud "], "fraud "),
        ("oil", ["OIL", "OIl"], "OIl"),
        ("x1", ["X2", "x2", "x3"], None),
        ("oiel", ["OIL", " OIL"], "OIL"),
        ("1", [1, "1"], 1),
    ],
)
def test_the_nearest_of_names_that_differ_in_case_or_spaces_is_the_one_spelt_alike(
    word, known, expected
):
    assert nearest(word, known) == expected
