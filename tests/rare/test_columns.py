"""Columns beside the text."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as arrow
import pytest

from imbtext import RareTextClassifier
from imbtext._messages import DataWarning
from imbtext.files import predict_file
from imbtext.rare import SuspectColumnWarning, UnfamiliarTextWarning
from imbtext.rare._familiarity import NewDocuments


def _table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 8 == 0
    words = [f"word{chr(97 + i)}" for i in range(20)]
    body = [
        " ".join(["crude" if c and rng.random() < 0.4 else "sun", *rng.choice(words, 5)]) for c in y
    ]
    amount = np.where(y, rng.normal(900, 100, n), rng.normal(500, 300, n)).round(2)
    table = pd.DataFrame(
        {
            "body": body,
            "amount": [f"{value:.2f}" for value in amount],
            "country": np.where(y & (rng.random(n) < 0.5), "xx", rng.choice(["de", "fr"], n)),
            "opened": pd.date_range("2020-01-01", periods=n).strftime("%d/%m/%Y"),
            "noise": rng.normal(size=n),
        }
    )
    table.loc[5, "amount"] = "n/a"
    table.loc[[7, 8], "country"] = None
    return table, y


COLUMNS = ["amount", "country", "opened"]


@pytest.fixture(scope="module")
def fitted():
    table, y = _table()
    return table, y, RareTextClassifier(text="body", columns=COLUMNS, random_state=0).fit(table, y)


def test_columns_that_tell_something_are_used_and_named(fitted):
    table, y, model = fitted
    alone = RareTextClassifier(text="body", random_state=0).fit(table, y)
    gain = model.expectation_[0].average_precision - alone.expectation_[0].average_precision
    assert gain > 0.1
    assert model.columns_ == tuple(COLUMNS)
    assert "amount (number), country (category), opened (date)" in model.report_["columns"]
    parts = dict(model.explain(table.iloc[0].to_dict()).parts)
    assert any(name.startswith("amount: ") for name in parts)
    for one in model.explanations(table.head(5)):
        assert one.constant + sum(weight for _, weight in one.parts) == pytest.approx(one.score)
    assert "country: xx" in dict(model.top_features(n=5))


@pytest.mark.parametrize(
    ("column", "cell"),
    [("opened", "yesterday"), ("opened", None), ("amount", "much"), ("country", "Germany")],
)
def test_a_column_that_a_file_writes_differently_is_named(fitted, tmp_path, column, cell):
    model = fitted[2]
    new, labels = _table(200, seed=1)
    new.to_csv(tmp_path / "new.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        predict_file(model, tmp_path / "new.csv", tmp_path / "out.csv")
    assert not model.check(new, labels).drifted
    new.loc[:149, column] = cell
    new.to_csv(tmp_path / "new.csv", index=False)
    words = rf"the column '{column}' is empty or cannot be read in 15[0-2] of 200 rows, where 0%"
    with pytest.warns(UnfamiliarTextWarning, match=words):
        predict_file(model, tmp_path / "new.csv", tmp_path / "out.csv")
    assert f"the column '{column}' is empty" in model.check(new).sentence
    # So few rows may be missing by chance.
    few = model.predictions(new.head(2))
    seen = NewDocuments(model.alarm_rates_, model.known_words_)
    seen.add(2, few.n_alarms, few.known_shares, few.unread)
    assert few.unread[column][0] == 2
    assert seen.unread_columns() == {}


def test_columns_that_tell_nothing_are_left_out():
    table, y = _table()
    model = RareTextClassifier(text="body", columns=["noise"], random_state=0).fit(table, y)
    alone = RareTextClassifier(text="body", random_state=0).fit(table, y)
    assert model.columns_ == ()
    assert "not used" in model.report_["columns"]
    # What is not used need not be there.
    scores = model.decision_function(table[["body"]])
    assert scores.tolist() == alone.decision_function(table).tolist()


def test_tables_of_every_kind_and_a_saved_model_give_the_same_scores(fitted, tmp_path):
    table, _, model = fitted
    scores = model.decision_function(table)
    model.save(tmp_path / "columns.model")
    loaded = RareTextClassifier.load(tmp_path / "columns.model")
    shuffled = table[["noise", "opened", "country", "amount", "body"]]
    for other in (table, pl.from_pandas(shuffled), arrow.Table.from_pandas(shuffled)):
        assert loaded.decision_function(other).tolist() == scores.tolist()
    typed = table.assign(
        amount=pd.to_numeric(table["amount"], errors="coerce"),
        opened=pd.to_datetime(table["opened"], format="%d/%m/%Y"),
    )
    assert loaded.decision_function(typed).tolist() == scores.tolist()
    with pytest.raises(ValueError, match="X has no column 'country'"):
        loaded.predict(table.drop(columns="country"))
    odd = table.head(3).assign(amount=["cheap", None, "1.200,50"], country="nowhere", opened="soon")
    assert np.isfinite(loaded.decision_function(odd)).all()


def test_a_fold_learns_nothing_from_what_it_holds_out(fitted):
    from imbtext.documents import Documents, Roles
    from imbtext.features._columns import ColumnFeatures

    table, _, _ = fitted
    training = ColumnFeatures().learn(Documents.of(table, roles=Roles.of("body", COLUMNS)))
    rows = np.arange(100)
    changed = table.copy()
    changed.loc[100:, ["amount", "country"]] = ["9999999", "zz"]
    other = training.features.fresh().learn(Documents.of(changed, roles=Roles.of("body", COLUMNS)))
    one, two = training.fitted_on(rows), other.fitted_on(rows)
    assert one.names().tolist() == two.names().tolist()
    assert one.weights.tolist() == two.weights.tolist()


def test_a_column_that_tells_the_class_alone_is_a_suspect():
    table, y = _table()
    table["state"] = np.where(y, "confirmed", "closed")
    model = RareTextClassifier(text="body", columns=["state", "noise"], random_state=0)
    with pytest.warns(SuspectColumnWarning, match="the column 'state' predicts the class almost"):
        model.fit(table, y)


def test_all_columns_are_those_that_can_stand_beside_the_text():
    table, y = _table()
    table["tags"], table["who"] = [["a"]] * len(table), [{"name": "b"}] * len(table)
    model = RareTextClassifier(text="body", columns="all", random_state=0)
    with pytest.warns(DataWarning, match=r"^left out 'tags', 'who': lists and records cannot"):
        model.fit(table, y)
    assert model.columns_
    assert not {"tags", "who"} & set(model.columns_)
    model.predict(table)


def test_lists_beside_the_text_are_refused():
    table, y = _table(40)
    table["tags"] = [["a"]] * 40
    with pytest.raises(TypeError, match="column 'tags' holds list"):
        RareTextClassifier(text="body", columns=["tags"], random_state=0).fit(table, y)
