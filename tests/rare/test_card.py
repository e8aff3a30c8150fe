"""The card of a model: the same content in a terminal, as Markdown, as HTML and in a notebook."""

import html
import re

import numpy as np
import polars as pl
import pytest

from imbtext import RareTextClassifier

HOSTILE = "<script>alert(1)</script> **bold** \x1b[31m | [x](javascript:1)"


@pytest.fixture(scope="module")
def card():
    generator = np.random.default_rng(0)
    words = np.array(["price", "rain", "sun", "share", "bank", "<b>tag</b>", "profit"])
    texts = [" ".join(generator.choice(words, 4)) for _ in range(200)]
    texts = [("oil " if i % 10 == 0 else "") + text for i, text in enumerate(texts)]
    labels = [HOSTILE if i % 10 == 0 else "rest" for i in range(200)]
    return RareTextClassifier(random_state=0).fit(texts, labels).card("a.model")


def test_every_form_says_the_same(card):
    text, markdown = card.text(), card.markdown()
    page = re.sub(r"<[^>]+>", "", re.sub(r"(?s)<(style|svg).*?</\1>", "", card.html()))
    for form in (text, markdown.replace("\\", ""), html.unescape(page)):
        words = " ".join(form.split())
        for said in (
            "What to expect",
            "threshold",
            "recall_at_precision(0.9)",
            "of every 100 alarms right",
            "oil",
            "200",
            "imbtext predict a.model",
            "must not be used for",
            "Platt",
            "imbalanced-text 0",
        ):
            assert said in words, said


def test_labels_and_words_stay_text_in_every_form(card):
    assert "\x1b" not in card.text() + card.markdown() + card.html() + card.notebook_html()
    for page in (card.html(), card.notebook_html()):
        assert "<script" not in page
        assert "&lt;script&gt;" in page
    assert "script-src 'none'" in html.unescape(card.html())
    assert "\\<script\\>" in card.markdown()
    assert "\\*\\*bold\\*\\*" in card.markdown()
    assert "\\[x\\]" in card.markdown()


def test_a_page_needs_nothing_else(card):
    assert not re.search(r"""(src|href)=["'](?!#)""", card.html())
    assert "url(" not in card.html()


def test_a_notebook_shows_a_fitted_model_as_its_card_and_another_as_its_diagram():
    texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
    model = RareTextClassifier(random_state=0)
    assert "imbtext-page" not in model._repr_mimebundle_()["text/html"]
    model.fit(texts, [1] * 6 + [0] * 27)
    assert "imbtext-page" in model._repr_mimebundle_()["text/html"]
    assert "imbtext-page" in model._repr_html_()


def test_a_tested_model_says_where_its_numbers_come_from():
    texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
    model = RareTextClassifier(random_state=0).fit(texts, [1] * 6 + [0] * 27)
    tested = model.tested_on(["more oil", "rain", "sunny"], [1, 0, 0])
    assert "Measured on 3 documents" in tested.card().text()
    assert "cross-validation" in tested.at("f1").card().text()  # its threshold was not tested
    assert "33 documents learnt from" in tested.card().text()
    others = "others was measured on held-out training documents"
    assert others in " ".join(tested.card().text().split())
    assert others not in " ".join(model.card().text().split())


def test_a_model_of_several_columns_is_used_on_tables():
    table = pl.DataFrame({"subject": ["oil", "rain"] * 9, "body": ["crude", "sun"] * 9})
    model = RareTextClassifier(text=["subject", "body"], random_state=0)
    model.fit(table, ["oil", "weather"] * 9)
    assert "model.predict(table)" in model.card().text()
    model.set_params(text="body").fit(table, ["oil", "weather"] * 9)
    assert "model.predict(texts)" in model.card().text()


def test_the_day_of_training_can_be_fixed(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
    model = RareTextClassifier(random_state=0).fit(texts, [1] * 6 + [0] * 27)
    assert model.training_record_.day == "1970-01-02"


def test_commands_quote_the_name_of_the_file():
    texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
    model = RareTextClassifier(random_state=0).fit(texts, [1] * 6 + [0] * 27)
    text = model.card("my fraud.model").text()
    assert "imbtext predict 'my fraud.model' NEW.csv" in text
    assert "imbtext predict my" not in text


def test_a_model_of_the_past_says_that_it_was_tested_on_periods():
    texts = ["oil price", "crude oil", "rain today", "sun and rain", "sun"] * 12
    y = [1, 1, 0, 0, 0] * 12
    model = RareTextClassifier(random_state=0).fit(texts, y, time=np.arange(60))
    text = " ".join(model.card().text().split())
    assert f"Measured on {model.report_['folds']}" in text
    assert "cross-validation" not in text
