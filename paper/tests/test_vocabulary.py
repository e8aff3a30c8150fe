"""Sections 4.1 and 7 of the paper: on Reuters in part, on made-up documents as a _vocabulary."""

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from imbtext.datasets import TextDataset, load_reuters, load_stopwords
from imbtext.markov import growth_curve
from paper import vocabulary as _vocabulary
from paper.expansion import ExpansionReport
from paper.heaps_fit import fit_heaps
from paper.options import Options
from paper.preprocessing import PaperPreprocessor
from paper.published import HEAPS, TRADE
from paper.reproduce import all_names
from paper.splits import RawSplit, preprocess
from paper.vocabulary import (
    expansion_reports,
    growth_rows,
    vocabulary_table,
)


def test_the_published_law_is_that_of_the_full_training_articles(data_home):
    articles = load_reuters("full", data_home=data_home)
    stopwords = load_stopwords(data_home=data_home)
    texts = [articles.texts[row] for row in articles.train]
    corpus = PaperPreprocessor(sorted(stopwords)).fit_transform(texts)
    fit = fit_heaps(growth_curve(corpus, shuffles=0))
    assert round(fit.k) == HEAPS.k
    assert round(fit.theta, 3) == HEAPS.theta


def test_the_published_half_of_trade_is_an_ordinary_one(data_home):
    titles = load_reuters("titles", data_home=data_home)
    stopwords = load_stopwords(data_home=data_home)
    curve, halves = _vocabulary.trade_growth(titles, stopwords, seed=0)
    assert len(curve) == titles.in_class("trade").sum()
    assert 0.025 < np.mean(halves.new_words <= TRADE["new words"]) < 0.975
    assert 0.025 < np.mean(halves.familiar_words <= TRADE["familiar ones"]) < 0.975
    assert halves.share == pytest.approx(0.71, abs=0.01)
    assert _vocabulary.trade_table(halves).height == _vocabulary.HALVES


def test_table_averages_and_puts_the_published_beside():
    reports = [
        ("emco(1)", ExpansionReport(0.5, 0.9, new_words=12, n_positive=4, n_negative=100)),
        ("emco(1)", ExpansionReport(float("nan"), 0.8, new_words=20, n_positive=0, n_negative=100)),
        ("mine", ExpansionReport(1.0, 1.0, new_words=1, n_positive=1, n_negative=10)),
    ]
    table = vocabulary_table(
        reports, {"EMCO(1)": "emco(1)", "mine": "mine", "EDA": "eda"}, n_words=204
    )
    first, second = table.to_dicts()
    assert first["recall"] == 0.25
    assert first["tnr_majority_only"] == pytest.approx(0.85)
    assert first["tnr"] == pytest.approx(1 - (10 / 200 + 20 / 204) / 2)
    assert first["balanced_accuracy"] == pytest.approx((first["recall"] + first["tnr"]) / 2)
    assert (first["new_words"], first["new_words_published"]) == (16, 465.68)
    assert second["recall_published"] is None


def made_up_reuters():
    """Forty rare categories, of one to six documents each, among common ones; "trade" is one."""
    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, 301)
    words = np.array([f"{a}{b}{c}o" for a in "bdfgklmnprst" for b in "aeiou" for c in "bdgmn"])
    texts, labels = [], []
    for i in range(240):
        row = rng.choice(300, size=12, p=weights / weights.sum())
        texts.append(" ".join(words[row]))
        category = ["trade", "tin", "rye"][i % 30] if i % 30 < 3 else "earn"
        labels.append(frozenset([category]))
    return TextDataset(
        "made-up",
        texts,
        labels,
        ("earn", "rye", "tin", "trade"),
        train=np.arange(160),
        test=np.arange(160, 240),
    )


@pytest.fixture
def split():
    data = made_up_reuters()
    membership = np.column_stack([data.in_class(c) for c in data.classes])
    documents = RawSplit(
        train_texts=data.texts[:160],
        test_texts=data.texts[160:],
        train_labels=membership[:160],
        test_labels=membership[160:],
        categories=data.classes,
        shares=membership[:160].mean(axis=0),
    )
    return preprocess(documents, [])


def test_reports_of_a_category_are_those_of_its_synthetic_documents(split):
    reports = expansion_reports(split, "tin", ["emco(1)", "mco"], 2, seed=1)
    assert [method for method, _ in reports] == ["emco(1)"] * 2 + ["mco"] * 2
    corpus = split.data.corpus
    own = set(corpus.select(split.positive("tin")).ids.tolist())
    unseen = set(split.test[np.flatnonzero(split.test_positive("tin"))].indices.tolist())
    for method, report in reports:
        assert report.n_positive == len(unseen - own)
        assert report.n_positive + report.n_negative == corpus.n_words - len(own)
        assert (report.new_words == 0) == (method == "mco")


def test_growth_starts_at_the_class_and_ends_at_the_ratio(split):
    rows = growth_rows(split, "tin", {"EMCO(1)": "emco(1)", "ROS": "ros"}, 1)
    frame = pl.DataFrame(rows)
    own = split.data.corpus.select(split.positive("tin"))
    for method in ("EMCO(1)", "ROS"):
        part = frame.filter(method=method)
        assert part["tokens"][0] == own.n_tokens
        assert part["words"][0] == len(set(own.ids.tolist()))
        assert part["synthetic_documents"].to_list() == [0, 32]
        assert (part["words"][-1] == part["words"][0]) == (method == "ROS")


def test_categories_of_the_experiment(split):
    assert split.minority_categories(0.2) == ["rye", "tin", "trade"]
    assert split.minority_categories(0.2, ("tin",)) == ["tin"]
    with pytest.raises(ValueError, match="Reuters has no category 'gold'"):
        split.minority_categories(0.2, ("gold",), "Reuters")
    with pytest.raises(ValueError, match="writes no documents"):
        growth_rows(split, "tin", {"SMOTE": "smote"}, 1)


@pytest.mark.slow
def test_the_whole_experiment_on_made_up_documents(split, tmp_path, monkeypatch):
    monkeypatch.setattr(_vocabulary, "HALVES", 20)
    monkeypatch.setattr(_vocabulary, "load_stopwords", lambda data_home: frozenset())
    monkeypatch.setattr(_vocabulary, "load_reuters", lambda *_, **__: made_up_reuters())
    monkeypatch.setattr(_vocabulary, "prepare", lambda *_: ([split], "0" * 64))
    options = Options(
        out=tmp_path, methods=("emco(1)", "emco(heaps)", "mco"), repetitions=2, seed=3
    )
    console = Console(record=True, width=100)
    assert "vocabulary" in all_names()
    outcome = _vocabulary.reproduce_vocabulary(options, console)
    assert outcome.computed == 3 * 2 * 2 + 3 * 3
    written = {path.name for path in tmp_path.iterdir()}
    charts = {
        f"{name}.{kind}" for name in ("trade", "vocabulary", "heaps") for kind in ("svg", "png")
    }
    tables = {"vocabulary.csv", "heaps.csv", "heaps_fits.csv", "trade.csv"}
    assert written == charts | tables | {"vocabulary.html", "signature.txt"}
    table = pl.read_csv(tmp_path / "vocabulary.csv")
    assert table["method"].to_list() == ["EMCO(1)", "EMCO(heaps)"]
    assert table["recall_published"].to_list() == [0.57, None]
    assert "published: 63, 0.378" in console.export_text()
    before = (tmp_path / "vocabulary.csv").read_text()
    monkeypatch.setattr(_vocabulary, "write_chart", lambda *_: None)
    _vocabulary.reproduce_vocabulary(options, console)
    assert (tmp_path / "vocabulary.csv").read_text() == before
    with pytest.raises(ValueError, match="none of smote"):
        _vocabulary.reproduce_vocabulary(Options(out=tmp_path, methods=("smote",)), console)
