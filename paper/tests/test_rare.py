"""The rare classifier on splits: made-up documents as a whole, Reuters in part."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from imbtext.metrics import binary_scores
from imbtext.rare import RareTextClassifier
from imbtext.store import Store
from paper import rare
from paper.experiments import EXPERIMENTS
from paper.options import Options, Outcome
from paper.rare import OWN_FEATURES, PAPER_FEATURES
from paper.running import run_tasks
from paper.splits import RawSplit, preprocess

EXPERIMENT = EXPERIMENTS["reuters-titles"]


def made_up(seed):
    rng = np.random.default_rng(seed)
    words = np.array([f"{a}{b}{c}" for a in "bdfg" for b in "aeio" for c in "klmn"])
    labels = np.zeros((300, 3), dtype=bool)
    labels[:10, 0] = labels[150:160, 0] = True
    labels[10:16, 1] = labels[160:166, 1] = True
    labels[16:, 2] = ~labels[16:, :2].any(axis=1)
    weights = np.ones((3, len(words)))
    weights[0, :8] += 40
    weights[1, 8:14] += 40
    kinds = labels.argmax(axis=1)
    texts = [" ".join(rng.choice(words, size=8, p=weights[k] / weights[k].sum())) for k in kinds]
    raw = RawSplit(
        train_texts=texts[:150],
        test_texts=texts[150:],
        train_labels=labels[:150],
        test_labels=labels[150:],
        categories=("metal", "zinc", "earn"),
        shares=labels[:150].mean(axis=0),
    )
    return preprocess(raw, ())


@pytest.fixture(scope="module")
def split():
    return made_up(0)


def test_each_measure_is_taken_at_its_own_operating_point(split):
    keys, _ = rare.rare_units(EXPERIMENT, [split], Options(Path("unused"), seed=7))
    assert [key.category for key in keys] == ["metal", "zinc"]
    scores = rare.fit_and_score([split], keys)
    labels = split.train_labels[:, :2].astype(int)
    for metric in ("balanced_accuracy", "f1", "f2"):
        model = RareTextClassifier(metric, random_state=7).fit(split.train_texts, labels)
        predicted = model.predict(split.test_texts).astype(bool)
        decision = model.decision_function(split.test_texts)
        for k, unit in enumerate(scores):
            expected = binary_scores(split.test_labels[:, k], predicted[:, k], decision[:, k])
            assert unit[metric] == expected[metric]
            assert unit["average_precision"] == pytest.approx(expected["average_precision"])


def test_a_second_run_finds_everything(split, tmp_path):
    options = Options(tmp_path, seed=7, quiet=True)
    fits = rare.rare_units(EXPERIMENT, [split], options)
    for outcome in (Outcome(computed=4), Outcome(found=4)):
        assert outcome == run_tasks(
            rare.fit_and_score, [[fit] for fit in fits], [split], options, "rare"
        )
    with Store(options.store_path) as store:
        frame = store.frame()
    assert set(frame["method"]) == {OWN_FEATURES, PAPER_FEATURES}


def test_the_whole_of_it_on_made_up_documents(tmp_path, monkeypatch):
    experiments = {name: EXPERIMENTS[name] for name in ("reuters-titles", "huffpost-titles-5fold")}
    monkeypatch.setattr(rare, "EXPERIMENTS", experiments)
    monkeypatch.setattr(
        rare,
        "prepare",
        lambda experiment, _: ([made_up(i) for i in range(min(2, experiment.folds))], "0" * 64),
    )
    options = Options(out=tmp_path, repetitions=1)
    console = Console(file=io.StringIO(), width=200)
    outcome = rare.reproduce_rare(options, console)
    assert outcome.failed == 0
    table = pl.read_csv(tmp_path / "rare.csv")
    assert set(table["method"]) == {
        *("SVM", "tuned threshold", "EMCO(0.1)", "EMCO(1)"),
        *(OWN_FEATURES, PAPER_FEATURES),
    }
    # Tuning leaves the ranking as it is, so it has no average precision of its own.
    assert table.filter(metric="average_precision", method="tuned threshold").is_empty()
    hard = table.filter(metric="f1", dataset="reuters", ratio=0.2, frequency="low")
    published = hard["best_published"].unique().to_list()
    assert len(published) == 1
    assert published[0] is not None
    assert "of the class" not in console.file.getvalue()
    assert "reaches the best published cell in" in console.file.getvalue()
    text = (tmp_path / "rare.md").read_text()
    assert "## Where it loses" in text
    assert len(pl.read_csv(tmp_path / "rare_comparisons.csv")) > 0
    again = rare.reproduce_rare(replace(options, quiet=True), console)
    assert again == Outcome(found=outcome.computed)


def test_some_categories_stand_beside_no_published_cell(tmp_path, monkeypatch):
    monkeypatch.setattr(rare, "EXPERIMENTS", {"reuters-titles": EXPERIMENT})
    monkeypatch.setattr(rare, "prepare", lambda *_: ([made_up(0)], "0" * 64))
    options = Options(out=tmp_path, repetitions=1, categories=("zinc",), quiet=True)
    rare.reproduce_rare(options, Console())
    table = pl.read_csv(tmp_path / "rare.csv")
    assert table["best_published"].null_count() == table.height > 0
    assert "best published" not in (tmp_path / "rare.md").read_text()


def test_losses_are_the_cells_where_something_else_is_ahead():
    row = {"dataset": "reuters", "text": "titles", "frequency": "low", "ratio": 0.2}
    values = {"SVM": 0.5, OWN_FEATURES: 0.6, PAPER_FEATURES: 0.4}
    table = pl.DataFrame(
        [
            {"metric": metric, **row, "method": method, "value": value, "by": "EDA"}
            | {"best_published": best}
            for metric, best in (("f1", 0.7), ("f2", 0.55))
            for method, value in values.items()
        ]
    )
    behind = rare.losses(table, OWN_FEATURES)
    assert behind["metric"].to_list() == ["f1"]
    assert behind["best_other"].to_list() == [0.7]
    assert behind["ahead"].to_list() == ["best published"]
    behind = rare.losses(table.with_columns(best_published=None), PAPER_FEATURES)
    assert behind["metric"].to_list() == ["f1", "f2"]
    assert behind["ahead"].to_list() == ["SVM", "SVM"]
