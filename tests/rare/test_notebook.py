"""What notebooks show: text with highlights, tables, frames and charts; no raw dataclasses."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from imbtext import RareTextClassifier

TEXTS = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9


@pytest.fixture(scope="module")
def model():
    return RareTextClassifier(random_state=0).fit(TEXTS, ["oil"] * 6 + ["rain"] * 27)


def test_an_explanation_is_the_text_with_its_words_marked(model):
    reason = model.explain("Crude OIL & <b>rain</b>")
    shown = reason._repr_html_()
    assert ">OIL</mark>" in shown
    assert "&amp;" in shown
    assert "<b>" not in shown
    assert "".join(piece for piece, _ in reason.marked()) == "Crude OIL & <b>rain</b>"
    weights = dict(reason.marked())
    assert weights["OIL"] > 0 > weights["rain"]
    assert repr(reason) == str(reason)
    assert type(reason.label) is str


def test_an_explanation_keeps_the_lines_of_the_text(model):
    shown = model.explain("Oil:\n\tup,\r\nrain\x00")._repr_html_()
    assert "pre-wrap" in shown
    assert ":\n    " in shown
    assert ",\n<mark" in shown
    assert "U+000A" not in shown
    assert "&lt;U+0000&gt;" in shown


def test_an_expectation_is_a_small_table(model, tmp_path):
    model.save(tmp_path / "m")
    for expectation in (
        model.expectation_[0],
        RareTextClassifier.load(tmp_path / "m").expectation_[0],
    ):
        assert repr(expectation).startswith("Expectation('oil': finds 100 (")
        assert "np." not in repr(expectation)
        assert "<table" in expectation._repr_html_()


def test_predictions_are_a_frame(model):
    frame = model.predictions(["more oil", "sun"]).to_frame()
    assert isinstance(frame, pl.DataFrame)
    assert frame["decision"].to_list() == ["oil", "rain"]
    assert frame.columns == [
        *("decision", "score", "threshold", "probability"),
        *("known_words", "nothing_known"),
    ]
    predictions = model.predictions(["more oil", "sun"])
    assert repr(predictions) == repr(frame)
    assert "<table" in predictions._repr_html_()


def test_the_frame_is_of_the_callers_kind(model):
    new = {"id": [7, 8], "body": ["more oil", "sun"]}
    pandas = model.predictions(pd.Series(new["body"], index=["a", "b"])).to_frame()
    assert isinstance(pandas, pd.DataFrame)
    assert pandas.index.tolist() == ["a", "b"]
    assert pandas["decision"].tolist() == ["oil", "rain"]
    assert isinstance(model.predictions(pl.Series(new["body"])).to_frame(), pl.DataFrame)
    arrow = model.predictions(pa.chunked_array([new["body"]])).to_frame()
    assert isinstance(arrow, pa.Table)
    for documents in (np.array(new["body"], object), tuple(new["body"])):
        assert isinstance(model.predictions(documents).to_frame(), pl.DataFrame)
    tables = RareTextClassifier(text="body", random_state=0)
    tables.fit(pd.DataFrame({"body": TEXTS}), ["oil"] * 6 + ["rain"] * 27)
    frame = pd.DataFrame(new, index=[4, 2])
    predicted = tables.predictions(frame)
    assert frame.join(predicted.to_frame())["decision"].tolist() == ["oil", "rain"]
    assert "<table" in predicted._repr_html_()


def test_several_labels_are_lists_in_a_frame():
    labels = [{"oil"}] * 6 + [{"rain"}] * 27
    several = RareTextClassifier(random_state=0).fit(TEXTS, labels)
    frame = several.predictions(["more oil", "sun"]).to_frame()
    assert frame["decision"].dtype == pl.List(pl.String)


def test_a_plot_marks_the_operating_point(model):
    text = model.plot().to_json()
    assert repr(model.thresholds_.tolist()[0]) in text
    assert "precision: alarms that are right" in text
