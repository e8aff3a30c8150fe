"""The numbers of the README's claims are those of the committed results, and one click away."""

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

ROOT = Path(__file__).parents[2]
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
OURS, PEER = "RareTextClassifier", "LinearSVC, words and characters"


@pytest.fixture(scope="module")
def halves():
    trials = pl.read_csv(ROOT / "results" / "held_out_halves" / "held_out_halves.csv")
    return trials.group_by("dataset", "contestant").agg(
        pl.col("average_precision", "f1", "f2", "training_cpu_s").mean()
    )


def mean(of_sets, contestant, measure):
    return of_sets.filter(contestant=contestant)[measure].mean()


def test_the_claim_of_the_classifier_and_its_losses(halves):
    ours = {measure: mean(halves, OURS, measure) for measure in ("average_precision", "f1", "f2")}
    peer = {m: mean(halves, f"{PEER}, tuned", m) for m in ("f1", "f2")}
    for sentence in (
        f"(mean average precision {ours['average_precision']:.3f})",
        f"A linear SVM on words ranks with {mean(halves, 'LinearSVC', 'average_precision'):.3f}",
        f"one on words and characters with {mean(halves, PEER, 'average_precision'):.3f}",
        f"mean F1 {peer['f1']:.3f} and F2 {peer['f2']:.3f};",
        f"ours {ours['f1']:.3f} and {ours['f2']:.3f}",
    ):
        assert sentence in README, sentence


def test_how_much_longer_the_strongest_rival_takes(halves):
    ours = halves.filter(contestant=OURS).select("dataset", ours="training_cpu_s")
    both = halves.filter(contestant=f"{PEER}, tuned").join(ours, on="dataset")
    ratio = both.select((pl.col("training_cpu_s") / pl.col("ours")).log().mean().exp()).item()
    assert f"takes {ratio:.0f} times as long to train" in README


def test_the_claim_on_few_labels():
    cases = pl.read_csv(ROOT / "results" / "encoder" / "encoder.csv")
    for contestant, text in (
        ("mixture, minilm", "is {}, {} and {};"),
        ("words", "it is {}, {} and {}."),
    ):
        of_sizes = cases.filter(contestant=contestant)
        found = [
            of_sizes.filter(documents=n)["average_precision"].mean() for n in ("3", "10", "50")
        ]
        assert text.format(*(f"{value:.3f}" for value in found)) in README


def test_the_claim_on_the_papers_data_stands_beside_the_best_free_remedy():
    rows = pl.read_csv(ROOT / "paper" / "results" / "rare" / "rare.csv")
    key = ["metric", "dataset", "text", "frequency", "ratio"]
    wide = rows.pivot(on="method", index=key, values="value")

    def behind(metric, rival):
        gain = wide.filter(metric=metric).select(pl.col("rare") - pl.col(rival)).to_series()
        assert len(gain) == 22
        assert gain.min() > 0
        return gain.mean()

    tuned = [behind(metric, "tuned threshold") for metric in ("balanced_accuracy", "f1", "f2")]
    assert "by {:.3f} in balanced accuracy, {:.3f} in F1 and {:.3f} in F2".format(*tuned) in README
    ranking = behind("average_precision", "SVM")
    assert f"the SVM is behind by {ranking:.3f} in average precision" in README


def test_numbers_that_the_site_states_too(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    numbers = __import__("numbers_from_results").numbers(ROOT)
    for claim in (
        "ranks best on {halves_first} of {halves_sets} data sets",
        "best on {halves_first_f1} of them by F1 and on {halves_first_f2} by F2",
        "behind by {halves_ahead} over the {halves_sources} sources of these sets (95% interval "
        "{halves_ahead_low} to {halves_ahead_high})",
        "from its {n_cells} published ones by {mean_difference} on average",
        "the best published value in all {n_rare_cells} cells ({n_rows} rows;",
        "beats every oversampler on {threshold_f2_wins} of the paper's {n_rows} rows",
    ):
        assert claim.format(**numbers) in README, claim


def labelling(name):
    return pl.read_csv(ROOT / "results" / "labelling" / f"{name}.csv").filter(half="reported")


def test_the_claim_on_labelling():
    news = labelling("reading").filter(share=0.95).select("ratio", "ratio_words_alone")
    ours, words = (news[name].drop_nulls() for name in news.columns)
    assert f"reads {np.exp(ours.log().mean()):.2f} times as many documents as" in README
    assert f"mean of {len(ours)} tasks held back; {ours.max():.2f} at worst)" in README
    assert f"and {np.exp(words.log().mean()):.2f} times as many without its" in README
    reviews = labelling("reviews").filter(share=0.95, meaning="minilm")
    ratio = (pl.col("imbtext") / pl.col("asreview")).log().mean().exp()
    ratios = reviews.group_by("task").agg(ratio)["imbtext"]
    assert len(ratios) == 8
    assert "On eight tasks of systematic reviews" in README
    level = f"level: {np.exp(ratios.log().mean()):.2f} times as many, {ratios.max():.2f} at worst"
    assert level in README


def test_the_claim_on_when_to_stop():
    reviews, encoder = labelling("stopping"), labelling("stopping_encoder").filter(kind="news")
    kept = (encoder["recall"] >= 0.9499).mean()
    assert (reviews["recall"] >= 0.9499).all()
    assert f"in all of {len(reviews)} recorded reviews on tasks held back" in README
    assert f"after {(reviews['read'] / reviews['n']).mean():.0%} of the documents on" in README
    assert f"{kept:.1%} of {len(encoder)} reviews kept it, after" in README
    assert f"{(encoder['read'] / encoder['n']).mean():.0%} of the documents; one task of" in README
    assert (
        f"task of {encoder['task'].n_unique()} stopped at {encoder['recall'].min():.1%}" in README
    )
    systematic = labelling("stopping_encoder").filter(kind="reviews")
    assert (systematic["recall"] >= 0.9499).all()
    share = (systematic["read"] / systematic["n"]).mean()
    said = f"All {len(systematic)} on systematic reviews kept it, after {share:.0%}"
    assert said in README
    both = pl.read_csv(ROOT / "results" / "labelling" / "stopping.csv")
    developed = both.filter(half="development")
    share = (developed["recall"] >= 0.9499).mean()
    assert f"and in {share:.1%} of {len(developed)} on which we developed it" in README


def test_the_claim_on_size():
    largest = pl.read_csv(ROOT / "results" / "scale" / "scale.csv").filter(million_tokens=100)
    assert largest["total_wall_s"].max() < 60
    assert "100 million tokens in under a minute" in README


def test_the_claim_on_audits():
    audits = pl.read_csv(ROOT / "results" / "audit" / "audit.csv")
    guaranteed = audits.filter(method="guaranteed")
    assert f"the truth in {guaranteed['coverage'].mean():.0%} of the audits" in README
    assert f"On {guaranteed['file'].n_unique()} files, the guaranteed intervals" in README

    def width(method, measure):
        return audits.filter(budget=60, method=method, measure=measure)["width"].mean()

    sure = [width("guaranteed", measure) for measure in ("precision", "recall")]
    assert "they are {:.2f} wide for precision and {:.2f} for recall".format(*sure) in README
    assert f"is {width('model-assisted', 'recall'):.2f} wide for recall" in README


def test_every_claim_is_one_click_from_its_command():
    claims = (ROOT / "README.md").read_text(encoding="utf-8").split("## How good is it?")[1]
    claims = claims.split("## Should you oversample?")[0]
    for bullet in re.split(r"\n\* ", claims)[1:]:
        links = re.findall(r"\]\(([^)]+/README\.md|benchmarks/)\)", bullet)
        assert links, bullet
        for link in links:
            text = (ROOT / link).read_text(encoding="utf-8")
            assert re.search(r"python (-m paper|(benchmarks|-m)\b)", text), link
