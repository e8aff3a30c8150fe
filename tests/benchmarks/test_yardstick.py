"""The yardstick in benchmarks/: its protocol is frozen, and a run of it can be stopped."""

import csv
import gzip
import json
import sys
import types
from pathlib import Path

import numpy as np
import polars as pl
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "yardstick"
MODULES = ("encoding", "page", "protocol", "runner", "sets", "summary", "tables", "tuning")


@pytest.fixture(scope="module")
def yardstick():
    """Its modules, which are a program's own and not those of a package."""
    sys.path.insert(0, str(FOLDER))
    before = set(sys.modules)
    try:
        yield types.SimpleNamespace(**{name: __import__(name) for name in MODULES})
    finally:
        for name in set(sys.modules) - before:
            if str(FOLDER) in str(getattr(sys.modules[name], "__file__", None)):
                del sys.modules[name]
        sys.path.remove(str(FOLDER))


@pytest.fixture
def data(yardstick, tmp_path, monkeypatch):
    """A set of the yardstick's form: four classes, of which two can be chosen."""
    rng = np.random.default_rng(0)
    rows = []
    for label, n in {"rain": 4500, "snow": 150, "hail": 140, "fog": 60}.items():
        for number in range(n):
            words = rng.choice(["wind", "sun", "cloud", "sky", "air", "cold"], 5)
            text = f"{' '.join(words)} {label if rng.random() < 0.8 else 'sky'} {label}{number}"
            rows.append((text, label))
    content = yardstick.sets.table(yardstick.sets.in_one_form(yardstick.sets.halved(rows)))
    digest = yardstick.sets.digest(content)
    source = yardstick.sets.Source("weather", "words", "English", "us", "none", "MIT", "no", digest)
    monkeypatch.setattr(yardstick.sets, "sources", lambda: {"weather": source})
    (tmp_path / "weather.csv.gz").write_bytes(gzip.compress(content.encode()))
    return tmp_path


def test_sets_are_frozen_by_their_digests(yardstick):
    sources = yardstick.sets.sources()
    assert list(sources) == list(yardstick.sets.READERS)
    assert all(len(source.digest) == 64 for source in sources.values())
    assert {source.constants for source in sources.values()} == {"yes", "no"}
    assert sum(source.constants == "no" for source in sources.values()) >= 6


def test_newsgroups_are_the_same_rows_whatever_their_order(yardstick, monkeypatch):
    texts, labels = np.array(["wind", "sun", "cloud", "sky"]), np.array(["a", "b", "b", "a"])

    def rows(order):
        data = types.SimpleNamespace(classes=["a", "b"], texts=[*texts[order]], test=[2, 3])
        data.in_class = lambda name: labels[order] == name
        monkeypatch.setattr("imbtext.datasets.load_20newsgroups", lambda: data)
        return [*yardstick.sets.newsgroups("imbtext")]

    assert rows([0, 1, 2, 3]) == rows([1, 0, 3, 2])


def test_other_rows_are_refused(yardstick, data):
    (data / "weather.csv.gz").write_bytes(gzip.compress(b"text,label,split\nrain,rain,test\n"))
    with pytest.raises(SystemExit, match="not the rows"):
        yardstick.sets.read("weather", data)


def test_one_form_cuts_joins_and_keeps_the_training_copy(yardstick):
    rows = [("a  b", "x", "test"), ("a b", "y", "train"), ("c" * 2000, "x", "test"), (" ", "x", "")]
    assert yardstick.sets.in_one_form(rows) == [("a b", "y", "train"), ("c" * 1000, "x", "test")]


def test_cases_are_fair_samples_fixed_by_their_names(yardstick, data):
    protocol = yardstick.protocol
    tasks = protocol.tasks("weather", data)
    assert set(tasks) == {"snow", "hail"}  # the largest is none, and fog has too few
    task = tasks["snow"]
    cases = list(protocol.cases("weather", task))
    assert [size for size, _, _ in cases] == [*np.repeat([3, 5, 10, 20, 50], 3), 0]
    first = cases[0][2]
    assert first.is_class.sum() == 3
    assert len(first.texts) == 3 * 40
    assert not set(first.texts) & set(first.new)
    again = next(protocol.cases("weather", task))[2]
    assert (again.texts, again.seed) == (first.texts, first.seed)
    assert cases[1][2].texts != first.texts
    # The test documents are as rare as those to learn from.
    assert task.is_class[task.tested].mean() == pytest.approx(1 / 40, abs=0.002)


def test_every_contestant_has_a_title_and_the_ones_that_run_here_answer(yardstick, data):
    titles = yardstick.tables.titles()
    assert set(titles) == set(yardstick.runner.contestants())
    unit = ("naive_bayes", "weather", "snow")
    rows = yardstick.runner.run_unit(unit, data, per_text=0.0)
    assert len(rows) == 16
    assert float(rows[-1]["average_precision"]) > 0.5


def test_ours_states_intervals_and_a_tuned_threshold_decides_twice(yardstick, data):
    given = list(
        yardstick.protocol.cases("weather", yardstick.protocol.tasks("weather", data)["snow"])
    )
    answer = yardstick.runner.module_of("ours").contest(given[6][2])
    assert 0 <= answer.recall[0] < answer.recall[1] <= 1
    assert answer.precision is not None
    tuned = yardstick.runner.module_of("svm_tuned").contest(given[6][2])
    assert tuned.f2.sum() >= tuned.f1.sum() > 0
    assert tuned.recall is None


def test_a_run_continues_after_the_last_whole_class(yardstick, data, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    names, titles = ["svm"], ["weather"]
    assert len(yardstick.runner.todo(names, titles, data, out)) == 2
    yardstick.runner.append(out / "svm.csv", [{"set": "weather", "label": "snow", "f2": "0.5"}])
    assert yardstick.runner.todo(names, titles, data, out) == [("svm", "weather", "hail")]


def test_a_contestant_without_its_packages_is_named_and_left_out(yardstick, monkeypatch, capsys):
    monkeypatch.delenv("YARDSTICK_MODEL", raising=False)
    assert list(yardstick.runner.usable(["svm", "prompt"])) == ["svm"]
    assert "prompt is left out" in capsys.readouterr().out


@pytest.fixture
def out(yardstick, tmp_path):
    """Rows of two contestants on two sets: ours is better by 0.1 and 0.3."""
    for name, values in {"ours": (0.5, 0.9), "svm": (0.4, 0.6)}.items():
        rows = []
        for title, value in zip(("banking77", "licences"), values, strict=True):
            for size in ("3", "all"):
                measures = dict.fromkeys(yardstick.summary.MEASURES, value)
                promise = {"found": 9, "n_tested": 20, "alarms": 12}
                bounds = (0.5, 0.7) if name == "ours" else (float("nan"),) * 2
                for of in ("recall", "precision"):
                    promise |= dict(zip((f"{of}_low", f"{of}_high"), bounds, strict=True))
                first = {"set": title, "label": "x", "size": size, "n_class": 3, "draw": 0}
                rows.append(first | measures | promise | {"cpu_seconds": 1.5})
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, [*rows[0]])
            writer.writeheader()
            writer.writerows(rows)
    return tmp_path


def test_tables_have_means_over_sources_and_differences_with_intervals(yardstick, out, monkeypatch):
    monkeypatch.setattr(yardstick.summary, "LEAST_SOURCES", 2)
    yardstick.tables.write_tables(out)
    text = (out / "README.md").read_text()
    assert "| RareTextClassifier | **0.700** |" in text
    assert "| linear SVM | +0.200 (+0.100 to +0.300), 2 of 2 |" in text
    pairs = pl.read_csv(out / "pairs.csv").row(0, named=True)
    assert (pairs["first"], pairs["second"], pairs["mean"]) == ("ours", "svm", 0.2)


def test_of_few_sources_no_interval_is_stated(yardstick, out):
    yardstick.tables.write_tables(out)
    assert "| linear SVM | +0.200, 2 of 2 |" in (out / "README.md").read_text()
    assert pl.read_csv(out / "pairs.csv").row(0, named=True)["low"] is None


def test_a_contestant_that_is_not_finished_is_left_out_and_named(yardstick, out):
    lines = (out / "svm.csv").read_text().splitlines()
    (out / "svm.csv").write_text("\n".join(line for line in lines if "licences" not in line))
    yardstick.tables.write_tables(out)
    text = (out / "README.md").read_text()
    assert "not run on every class: linear SVM." in text
    assert "| linear SVM" not in text


def test_what_stands_by_hand_stays(yardstick, out):
    yardstick.tables.write_tables(out)
    readme = out / "README.md"
    readme.write_text("# Title\n" + readme.read_text() + "What we see.\n")
    yardstick.tables.write_tables(out)
    assert readme.read_text().startswith("# Title\n")
    assert readme.read_text().endswith("What we see.\n")


def test_a_promise_is_broken_only_by_a_surprise(yardstick):
    agrees = yardstick.summary.agrees
    assert agrees(0.5, 0.7, 9, 20)  # 45%, and at 50% it would be no surprise
    assert not agrees(0.5, 0.7, 90, 300)
    assert agrees(0.5, 0.7, 15, 20)
    assert not agrees(0.5, 0.7, 280, 300)


def test_recall_is_that_of_the_ranking_while_nine_of_ten_alarms_are_right(yardstick):
    true = np.array([1] * 9 + [0] + [1] * 5 + [0] * 9, bool)
    scores = -np.arange(len(true), dtype=float)
    assert yardstick.protocol.recall_at_precision(true, scores) == 1
    true[:2] = False
    assert yardstick.protocol.recall_at_precision(true, scores) == 0


def test_the_page_holds_every_mean_and_ends_its_script(yardstick, out, tmp_path):
    page = tmp_path / "page.html"
    yardstick.page.write_page(out, page)
    inside = page.read_text().split('id="data">')[1].split("</script>")[0]
    rows = json.loads(inside)["rows"]
    assert len(rows) == 8
    assert {row["average_precision"] for row in rows} == {0.4, 0.5, 0.6, 0.9}
