"""Tables with columns in scikit-learn: searches, pipelines, routing, joblib, every container."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from joblib import Parallel, delayed, dump, load
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.fixes import parse_version

from imbtext import RareTextClassifier

N = 192
RNG = np.random.default_rng(0)
IS_CLASS = np.arange(N) % 6 == 0
WORDS = np.array(["pay", "below", "thanks", "offer", "meeting", "call"])
TABLE = pd.DataFrame(
    {
        "subject": [" ".join(RNG.choice(WORDS, 2)) for _ in range(N)],
        "body": ["wire " * bool(c and RNG.random() < 0.7) + RNG.choice(WORDS) for c in IS_CLASS],
        "amount": np.where(IS_CLASS, 900, 500) + RNG.normal(0, 220, N),
        "country": RNG.choice(["de", "fr"], N),
    }
)
Y = np.where(IS_CLASS, "fraud", "other")


def classifier(**options):
    given = {"text": ["subject", "body"], "columns": ["amount", "country"], "pos_label": "fraud"}
    return RareTextClassifier(**given | {"features": "words", "random_state": 0} | options)


CONTAINERS = {
    "pandas": lambda table: table,
    "polars": pl.from_pandas,
    "arrow": lambda table: pl.from_pandas(table).to_arrow(),
    "nullable pandas": lambda table: table.convert_dtypes(),
    "pandas of Arrow": lambda table: table.convert_dtypes(dtype_backend="pyarrow"),
}


@pytest.fixture(scope="module")
def scores():
    model = classifier().fit(TABLE, Y)
    assert model.columns_ == ("amount", "country")
    return model.decision_function(TABLE)


@pytest.mark.parametrize("container", CONTAINERS)
def test_any_container_gives_the_same_scores(container, scores):
    table = CONTAINERS[container](TABLE)
    np.testing.assert_array_equal(classifier().fit(table, Y).decision_function(table), scores)


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_cross_validation_is_fitting_on_each_part(container):
    folds = list(StratifiedKFold(3).split(TABLE, Y))
    table = CONTAINERS[container](TABLE)
    # It replaces labels by numbers, so the class is left to be the rarer one.
    model = classifier(pos_label=None)
    found = cross_val_predict(model, table, Y, cv=folds, method="decision_function")
    for rows, tested in folds:
        model = classifier().fit(TABLE.iloc[rows], Y[rows])
        np.testing.assert_array_equal(found[tested], model.decision_function(TABLE.iloc[tested]))


def test_a_search_over_columns_and_metric():
    grid = {"columns": [None, ["amount", "country"]], "metric": ["f1", "f2"]}
    found = make_scorer(f1_score, pos_label="fraud")
    search = GridSearchCV(classifier(), grid, scoring=found, cv=2, error_score="raise")
    search.fit(TABLE, Y)
    assert search.best_params_["columns"] == ["amount", "country"]
    assert search.best_estimator_.columns_ == ("amount", "country")
    assert search.predict(TABLE[:3]).shape == (3,)


def test_a_step_before_it_may_return_a_table_or_an_array(scores):
    chosen = ColumnTransformer(
        [("text", "passthrough", ["subject", "body"]), ("rest", "passthrough", [2, 3])],
        verbose_feature_names_out=False,
    )
    for container in ("pandas", "polars"):
        steps = clone(chosen).set_output(transform=container)
        model = make_pipeline(steps, classifier()).fit(TABLE, Y)
        np.testing.assert_array_equal(model.decision_function(TABLE), scores)
    by_place = make_pipeline(chosen, classifier(text=[0, 1], columns=[2, 3])).fit(TABLE, Y)
    np.testing.assert_array_equal(by_place.decision_function(TABLE), scores)
    first = by_place[-1].explain(dict(enumerate(TABLE.iloc[0])))
    assert first.score - first.threshold == pytest.approx(-scores[0])  # "fraud" comes first


def test_a_step_that_makes_a_column_and_a_search_through_it():
    def with_length(table):
        return table.assign(length=table["body"].str.len())

    pipeline = Pipeline([("length", FunctionTransformer(with_length)), ("rare", classifier())])
    grid = {"rare__columns": [["amount"], ["amount", "length"]]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(TABLE, Y)
    assert search.n_features_in_ == TABLE.shape[1]
    assert cross_val_score(pipeline, TABLE, Y, cv=2).shape == (2,)


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.8"),
    reason="a pipeline of scikit-learn before 1.8 does not route weights to score",
)
def test_weights_and_groups_are_routed():
    weights, groups = np.where(IS_CLASS, 1.0, 3.0), np.arange(N) // 2
    with sklearn.config_context(enable_metadata_routing=True):
        model = classifier().set_fit_request(sample_weight=True, groups=True)
        model.set_score_request(sample_weight=True)
        search = cross_validate(
            make_pipeline(FunctionTransformer(), model),
            TABLE,
            Y,
            cv=GroupKFold(2),
            params={"sample_weight": weights, "groups": groups},
            return_estimator=True,
            return_indices=True,
        )
    rows = search["indices"]["train"][0]
    alone = classifier().fit(
        TABLE.iloc[rows], Y[rows], sample_weight=weights[rows], groups=groups[rows]
    )
    routed = search["estimator"][0][-1]
    assert routed.thresholds_ == alone.thresholds_
    assert routed.expectation_[0].alarms == alone.expectation_[0].alarms
    assert alone.thresholds_ != classifier().fit(TABLE.iloc[rows], Y[rows]).thresholds_


def test_joblib_keeps_it_and_runs_it(tmp_path, scores):
    model = classifier().fit(TABLE, Y)
    dump(model, tmp_path / "model.joblib")
    np.testing.assert_array_equal(load(tmp_path / "model.joblib").decision_function(TABLE), scores)
    parts = Parallel(n_jobs=2, prefer="threads")(
        delayed(model.decision_function)(TABLE[first : first + 64]) for first in range(0, N, 64)
    )
    np.testing.assert_allclose(np.concatenate(parts), scores)


def test_a_step_that_loses_the_names_of_columns_is_told_how_to_keep_them():
    array = np.array([["Invoice", "pay now"], ["Hello", "rain today"]] * 4, dtype=object)
    with pytest.raises(
        ValueError, match=r"its columns are 0, 1; .* .set_output\(transform='pandas'"
    ):
        RareTextClassifier(text=["subject", "body"]).fit(array, [1, 0] * 4)
