"""Several text columns."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as arrow
import pytest

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
        model.explain(table.iloc[0])
