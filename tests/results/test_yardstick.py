"""What is said of the yardstick's first run, checked in its rows."""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "results" / "yardstick"
README = (FOLDER / "README.md").read_text(encoding="utf-8")

# Of sets on which no constant was chosen, and of the others: how many classes, and rows of sizes
# and draws.
CLASSES = {"no": (11, 11 * 16), "yes": (8, 8 * 16)}


@pytest.fixture(scope="module")
def pairs():
    return pl.read_csv(FOLDER / "pairs.csv").filter(constants="no")


def between(pairs, first, second, measure):
    (found,) = pairs.filter(first=first, second=second, measure=measure).iter_rows(named=True)
    return found


def test_every_method_has_run_on_every_class():
    facts = pl.read_csv(ROOT / "benchmarks" / "yardstick" / "sets.csv").select("name", "constants")
    counts = {}
    for path in FOLDER.glob("*.csv"):
        if path.stem != "pairs":
            rows = pl.read_csv(path).join(facts, left_on="set", right_on="name")
            sides = rows.group_by("constants").agg(pl.struct("set", "label").n_unique(), n=pl.len())
            counts[path.stem] = {row[0]: row[1:] for row in sides.iter_rows()}
    assert len(counts) == 12
    assert all(count == CLASSES for count in counts.values())


def test_the_tables_are_those_of_the_rows(tmp_path):
    for path in FOLDER.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    script = ROOT / "benchmarks" / "yardstick"
    subprocess.run([sys.executable, script, "tables", tmp_path], check=True)
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == README


@pytest.mark.parametrize("measure", ["average_precision", "f1", "f2"])
def test_level_by_words_alone_and_ahead_with_an_encoder(pairs, measure):
    words = between(pairs, "characters", "ours", measure)
    assert words["low"] < 0 < words["high"]
    for rival in ("characters", "ours"):
        mixed = between(pairs, rival, "ours_encoder", measure)
        assert mixed["high"] < 0
        assert 0.0165 < -mixed["mean"] < 0.035


def test_on_sets_that_were_tuned_on_it_is_hardly_further_ahead():
    found = pl.read_csv(FOLDER / "pairs.csv")
    said = " ".join(README.split())
    for constants, sentence in (
        ("yes", "by {:.3f} (average precision), {:.3f} (F1) and {:.3f} (F2), on the new sets"),
        ("no", "on the new sets by {:.3f}, {:.3f} and {:.3f}."),
    ):
        side = found.filter(constants=constants)
        measures = ("average_precision", "f1", "f2")
        ahead = [-between(side, "characters", "ours", measure)["mean"] for measure in measures]
        assert sentence.format(*ahead) in said


def test_on_headlines_the_vectors_alone_decide_better():
    f2 = {}
    for name in ("encoder_logistic", "ours", "ours_encoder"):
        rows = pl.read_csv(FOLDER / f"{name}.csv").filter(set="headlines")
        f2[name] = dict(rows.group_by("size").agg(pl.col("f2").mean()).iter_rows())
    assert len(f2["ours"]) == 6
    for size, value in f2["encoder_logistic"].items():
        assert value > f2["ours"][size]
        assert (value > f2["ours_encoder"][size]) == (size in ("3", "5", "10", "20"))


@pytest.mark.parametrize("title", ["headlines", "newsgroups"])
def test_where_the_vectors_alone_rank_better_than_words(title):
    ranked = [
        pl.read_csv(FOLDER / f"{name}.csv").filter(set=title)["average_precision"].mean()
        for name in ("encoder_logistic", "ours")
    ]
    assert ranked[0] > ranked[1]


@pytest.mark.parametrize("sampler", ["smote", "eda", "emco"])
def test_oversampling_is_behind_a_tuned_threshold(pairs, sampler):
    for measure in ("f1", "f2"):
        assert between(pairs, sampler, "svm_tuned", measure)["mean"] < 0


def test_the_readme_of_the_package_says_the_same():
    said = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    cells = {}
    new_sets = README.split("## Sets on whose source")[0]
    for line in new_sets.splitlines():
        name, *rest = line.strip("| ").split(" | ")
        if len(rest) == 9 and rest[-1] != "processor seconds" and rest[-1][0].isdigit():
            cells[name] = [cell.strip("*") for cell in rest]
    ours, rival = cells["RareTextClassifier"], cells["words and characters, tuned threshold"]
    mixed = cells["RareTextClassifier with an encoder"]
    assert f"precision {ours[0]} and {rival[0]}, F2 {ours[2]} and {rival[2]})" in said
    assert f"it is ahead ({mixed[0]} and {mixed[2]})" in said
    assert round(float(rival[-1]) / float(ours[-1])) == 16
