"""What is said of the yardstick's first run, checked in its rows."""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "results" / "yardstick"
README = (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pairs():
    return pl.read_csv(FOLDER / "pairs.csv").filter(constants="no")


def between(pairs, first, second, measure):
    (found,) = pairs.filter(first=first, second=second, measure=measure).iter_rows(named=True)
    return found


def test_every_method_has_run_on_every_class():
    counts = {path.stem: pl.read_csv(path).height for path in FOLDER.glob("*.csv")}
    del counts["pairs"]
    assert len(counts) == 12
    assert set(counts.values()) == {11 * 16}


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


@pytest.mark.parametrize("sampler", ["smote", "eda", "emco"])
def test_oversampling_is_behind_a_tuned_threshold(pairs, sampler):
    for measure in ("f1", "f2"):
        assert between(pairs, sampler, "svm_tuned", measure)["mean"] < 0


def test_the_readme_of_the_package_says_the_same():
    said = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    cells = {}
    for line in README.splitlines():
        name, *rest = line.strip("| ").split(" | ")
        if len(rest) == 9 and rest[-1] != "processor seconds" and rest[-1][0].isdigit():
            cells[name] = [cell.strip("*") for cell in rest]
    ours, rival = cells["RareTextClassifier"], cells["words and characters, tuned threshold"]
    mixed = cells["RareTextClassifier with an encoder"]
    assert f"precision {ours[0]} and {rival[0]}, F2 {ours[2]} and {rival[2]})" in said
    assert f"it is ahead ({mixed[0]} and {mixed[2]})" in said
    assert round(float(rival[-1]) / float(ours[-1])) == 16
