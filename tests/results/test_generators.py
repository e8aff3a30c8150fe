"""What the README says of EMCO and the networks, tested on the committed runs."""

from pathlib import Path

import polars as pl
import pytest

RESULTS = Path(__file__).parents[2] / "results" / "generators"
SHARES = [0.1, 0.2]


@pytest.fixture(scope="module")
def summary():
    frame = pl.read_csv(RESULTS / "summary.csv")
    return {(row["share"], row["method"]): row for row in frame.iter_rows(named=True)}


def test_every_class_and_repetition_is_there():
    classes = pl.read_csv(RESULTS / "classes.csv")
    assert classes["class"].n_unique() == 20
    counts = classes.group_by("share", "method", "class").len()
    assert counts["len"].unique().to_list() == [5]
    assert set(classes["method"]) == {
        "plain",
        "eda",
        "emco(1)",
        "emco(0.1)",
        "language-model",
        "seqgan",
    }


@pytest.mark.parametrize("share", SHARES)
def test_emco_has_the_highest_balanced_accuracy_and_recall(summary, share):
    at = {method: row for (other, method), row in summary.items() if other == share}
    for measure in ("balanced_accuracy", "recall"):
        assert max(at, key=lambda method: at[method][measure]) == "emco(1)"
    for measure in ("f1", "average_precision"):
        assert max(at, key=lambda method: at[method][measure]) == "plain"
    assert at["seqgan"]["f1"] > at["emco(0.1)"]["f1"] > at["emco(1)"]["f1"]
    assert at["emco(1)"]["seconds"] < 0.1 < 30 < at["seqgan"]["seconds"]


@pytest.mark.parametrize("share", SHARES)
def test_seqgan_improves_on_the_language_model_with_fewer_new_words(summary, share):
    seqgan, model = summary[share, "seqgan"], summary[share, "language-model"]
    assert seqgan["balanced_accuracy"] > model["balanced_accuracy"]
    assert seqgan["f1"] > model["f1"]
    assert summary[share, "emco(1)"]["new_words"] < seqgan["new_words"] < model["new_words"]


def test_both_generators_beat_a_unigram_model_on_unseen_headlines():
    held = pl.read_csv(RESULTS / "held_out.csv").pivot(
        "stage", index="class", values="log_likelihood"
    )
    assert (held["seqgan"] > held["unigram"]).sum() == 17
    assert (held["language-model"] > held["unigram"]).sum() == 18
    assert held["seqgan"].mean() > held["unigram"].mean() + 0.4


def test_the_log_shows_both_losses():
    losses = pl.read_csv(RESULTS / "losses.csv").filter(stage="seqgan").sort("step")
    assert losses["step"].to_list() == list(range(51))
    assert losses["generator_loss"][1:].null_count() == 0
    assert losses["discriminator_loss"][0] > 0.6 > 0.1 > losses["discriminator_loss"][-1]
