"""Several text columns."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as arrow
import pytest
from sklearn.model_selection import GridSearchCV

from imbtext import RareTextClassifier


def _table(n=240, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 8 == 0
    words = [f"word{chr(97 + i)}" for i in range(12)]

    def text(sign):
        return " ".join([sign, *rng.choice(words, 4)])

    subject = [text("price" if c else "rain") for c in y]
    body = [text("crude" if c else "sun") for c in y]
    return pd.DataFrame({"subject": subject, "body": body, "id": np.arange(n)}), y


@pytest.fixture(scope="module")
def table_and_model():
    table, y = _table()
    return table, y, RareTextClassifier(text=["subject", "body"], random_state=0).fit(table, y)


def test_tables_of_every_kind_give_the_same_scores(table_and_model):
    table, _, model = table_and_model
    scores = model.decision_function(table)
    shuffled = table[["id", "body", "subject"]]
    for other in (pl.from_pandas(shuffled), arrow.Table.from_pandas(shuffled)):
        assert model.decision_function(other).tolist() == scores.tolist()
    fitted = RareTextClassifier(text=["subject", "body"], random_state=0)
    fitted.fit(pl.from_pandas(table), table_and_model[1])
    assert fitted.decision_function(table).tolist() == scores.tolist()


def test_one_text_column_is_what_its_texts_are():
    table, y = _table()
    by_name = RareTextClassifier(text="body", random_state=0).fit(table, y)
    in_a_list = RareTextClassifier(text=["body"], random_state=0).fit(table, y)
    by_texts = RareTextClassifier(random_state=0).fit(table["body"].tolist(), y)
    scores = by_texts.decision_function(table["body"])
    assert by_name.decision_function(table).tolist() == scores.tolist()
    assert in_a_list.decision_function(table).tolist() == scores.tolist()


def test_explanations_name_the_column_and_add_up(table_and_model):
    table, _, model = table_and_model
    explanation = model.explain({"subject": "price wordb", "body": "Crude wordc", "id": 1})
    parts = dict(explanation.parts)
    assert parts["subject: price"] > 0
    assert parts["body: Crude"] > 0
    assert all(words.startswith(("subject: ", "body: ")) for words in parts)
    for one in model.explanations(table.head(5)):
        assert one.constant + sum(weight for _, weight in one.parts) == pytest.approx(one.score)


def test_pairs_of_words_end_with_a_column(table_and_model):
    table, _, model = table_and_model
    names = set(model.get_feature_names_out())
    subjects, bodies = (
        {tuple(text.split()[i : i + 2]) for text in table[column] for i in range(4)}
        for column in ("subject", "body")
    )
    within = subjects | bodies
    pairs = {tuple(name.split()) for name in names if name.count(" ") == 1 and ":" not in name}
    pairs = {pair for pair in pairs if all(word.strip() == word and word for word in pair)}
    assert pairs & within
    across = {(a.split()[-1], b.split()[0]) for a, b in table[["subject", "body"]].values}
    assert not (pairs & across) - within


def test_a_saved_model_knows_its_columns(table_and_model, tmp_path):
    table, _, model = table_and_model
    model.save(tmp_path / "two.model")
    loaded = RareTextClassifier.load(tmp_path / "two.model")
    assert loaded.text_columns_ == ("subject", "body")
    assert loaded.decision_function(table).tolist() == model.decision_function(table).tolist()
    assert loaded.top_features(n=3) == model.top_features(n=3)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda table: table[["subject", "id"]], "no column 'body'"),
        (lambda table: table["subject"], "expected a table with the columns 'subject', 'body'"),
        (lambda table: ["price up"], "expected a table with the columns 'subject', 'body'"),
    ],
)
def test_what_lacks_a_column_is_refused(table_and_model, wrong, message):
    table, _, model = table_and_model
    with pytest.raises((TypeError, ValueError), match=message):
        model.predict(wrong(table))
    with pytest.raises(ValueError, match="the document has no column 'body'"):
        model.explain({"subject": "price"})
    with pytest.raises(TypeError, match=r"the document's 'body' is 3 .*; expected a string"):
        model.explain({"subject": "price", "body": 3})
    with pytest.raises(TypeError, match="a dict of cells by column, but got a Series"):
        model.explain(table["body"])


def test_a_row_of_pandas_is_explained_as_the_dict_of_its_cells(table_and_model):
    table, y, model = table_and_model
    for fitted in (model, RareTextClassifier(text="body", random_state=0).fit(table, y)):
        row = table.iloc[8]
        explanation = fitted.explain(row)
        assert explanation == fitted.explain(row.to_dict())
        assert explanation.parts == fitted.explanations(table.iloc[[8]])[0].parts
        assert fitted.predict([fitted.document_of(row)]).tolist() == [True]
    with pytest.raises(ValueError, match="the document has no column 'body'"):
        model.explain(table[["subject", "id"]].iloc[0])
    twice = pd.concat([table, table[["body"]]], axis=1)
    with pytest.raises(ValueError, match="the document has 2 columns named 'body'"):
        model.explain(twice.iloc[0])


def test_a_model_of_texts_has_no_columns(table_and_model):
    table, y, _ = table_and_model
    model = RareTextClassifier(random_state=0).fit(table["body"].tolist(), y)
    for row in (table.iloc[0], table.iloc[0].to_dict()):
        with pytest.raises(TypeError, match="explain takes one document, a string, but got a"):
            model.explain(row)
        with pytest.raises(ValueError, match="fitted on texts and knows no columns; pass the text"):
            model.document_of(row)


@pytest.mark.parametrize("convert", [lambda table: table, pl.from_pandas, arrow.table])
def test_a_missing_text_is_an_empty_one_however_many_columns(convert):
    table, y = _table()
    table.loc[[3, 8], "subject"] = None
    filled, table = table.fillna(""), convert(table)
    for text in ("subject", ["subject"], ["subject", "body"]):
        model = RareTextClassifier(text=text, random_state=0).fit(table, y)
        scores = model.decision_function(filled)
        assert model.decision_function(table).tolist() == scores.tolist()
        same = RareTextClassifier(text=text, random_state=0).fit(filled, y)
        assert same.decision_function(filled).tolist() == scores.tolist()


def test_a_search_over_text_columns_with_gaps():
    table, y = _table()
    table.loc[[3, 8], "subject"] = np.nan
    grid = {"text": ["subject", ["subject"], ["subject", "body"]]}
    model = RareTextClassifier(features="words", random_state=0)
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(table, y)
    assert search.predict(table.head(9)).tolist() == y[:9].tolist()


def test_a_column_of_an_array_is_found_by_its_number(tmp_path):
    table, y = _table()
    rng = np.random.default_rng(1)
    array = table.assign(noise=rng.choice(["a", "b"], len(table))).to_numpy()
    expected = RareTextClassifier(text="body", random_state=0).fit(table, y)
    scores = expected.decision_function(table).tolist()
    for options in ({"text": 1}, {"text": [1]}, {"text": 1, "columns": [3]}):
        model = RareTextClassifier(**options, random_state=0).fit(array, y)
        assert model.columns_ == ()
        assert model.text_columns_ == (1,)
        assert model.decision_function(array).tolist() == scores
        assert model.decision_function(array[:, [1]]).tolist() == scores
        assert model.explain({1: array[0, 1]}).parts == expected.explain(table.iloc[0]).parts
    model.save(tmp_path / "array.model")
    loaded = RareTextClassifier.load(tmp_path / "array.model")
    assert loaded.decision_function(array).tolist() == scores
    with pytest.raises(ValueError, match="X has no column 'body'; its columns are 0, 1, 2, 3"):
        expected.predict(array)


def test_one_column_of_an_array_beside_the_text_need_not_be_in_a_list():
    table, y = _table()
    array = table.assign(code=np.where(np.arange(len(y)) % 3, "a", "b")).to_numpy()
    in_a_list = RareTextClassifier(text=1, columns=[3], random_state=0).fit(array, y)
    alone = RareTextClassifier(text=1, columns=3, random_state=0).fit(array, y)
    assert alone.report_ == in_a_list.report_
