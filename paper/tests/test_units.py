import io
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from imbtext.datasets import load_reuters
from imbtext.methods import register_method, unregister_method
from imbtext.oversampling import ROS
from imbtext.store import Store
from paper import running as _running
from paper import splits as _splits
from paper.experiments import EXPERIMENTS
from paper.options import Options, Outcome
from paper.reproduce import reproduce
from paper.running import (
    experiment_units,
    finished_units,
    run_units,
    score_unit,
    unit_digest,
    unit_seed,
)
from paper.splits import RawSplit, preprocess

EXPERIMENT = EXPERIMENTS["reuters-titles"]
CLONE = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def split():
    rng = np.random.default_rng(0)
    words = [f"{a}{b}{c}" for a in "bdfg" for b in "aeio" for c in "klmn"]
    weights = np.ones((3, len(words)))
    weights[1, :8] += 30
    weights[2, 8:14] += 30
    labels = np.zeros((300, 2), dtype=bool)
    labels[:9, 0] = labels[150:170, 0] = True
    labels[9:13, 1] = labels[170:180, 1] = True
    kinds = labels @ [1, 2]
    texts = [
        " ".join(rng.choice(words, size=6, p=weights[kind] / weights[kind].sum())) for kind in kinds
    ]
    train, test = slice(0, 150), slice(150, 300)
    return preprocess(
        RawSplit(
            train_texts=texts[train],
            test_texts=texts[test],
            train_labels=labels[train],
            test_labels=labels[test],
            categories=("metal", "zinc"),
            shares=labels[train].mean(axis=0),
        ),
        stopwords=(),
    )


def planned(split, **changes):
    options = Options(Path("unused"), **{"repetitions": 2, **changes})
    return experiment_units(EXPERIMENT, [split], ("svm", "ros", "mco"), options)


def run(split, units, out, jobs=1):
    out.mkdir(exist_ok=True)
    return run_units([split], units, Options(out, jobs=jobs, quiet=True))


def scores(out):
    with Store(out / "units.sqlite") as store:
        return store.frame().drop("seconds").sort("category", "ratio", "method", "repetition")


def test_plain_svm_is_one_unit_for_both_ratios_and_others_one_each(split):
    units = planned(split)
    assert {u.ratio for u in units if u.method == "svm"} == {0.0}
    assert {u.ratio for u in units if u.method == "ros"} == {0.1, 0.2}
    assert len(units) == 2 * (2 + 4 + 4)
    assert len(set(units)) == len(units)


def test_a_category_is_left_out_where_it_would_not_be_oversampled(split):
    units = planned(split, ratios=(0.05,))
    assert {u.category for u in units} == {"zinc"}


def test_unknown_categories_are_named(split):
    with pytest.raises(ValueError, match="no category 'gold'; its categories are metal, zinc"):
        planned(split, categories=("gold",))


def test_the_digest_belongs_to_the_data_and_the_method(monkeypatch):
    before = unit_digest("data", "ros"), unit_digest("data", "emco(1)")
    assert unit_digest("other data", "ros") != before[0]
    monkeypatch.setattr(_running, "METHOD_REVISIONS", {"emco": 7})
    assert unit_digest("data", "ros") == before[0]
    assert unit_digest("data", "emco(1)") != before[1]


def test_seeds_are_shared_by_ratios_and_methods_and_differ_otherwise(split):
    key = planned(split)[-1]
    assert unit_seed(key) == unit_seed(replace(key, ratio=0.3, method="ros", settings="x"))
    others = [
        replace(key, seed=1),
        replace(key, repetition=9),
        replace(key, category="x"),
        replace(key, fold=3),
    ]
    assert len({unit_seed(k) for k in [key, *others]}) == 5


def test_a_second_run_finds_everything_and_repeats_nothing(split, tmp_path):
    units = planned(split)
    first = run(split, units, tmp_path)
    assert first == Outcome(computed=len(units))
    again = run(split, units, tmp_path)
    assert again == Outcome(found=len(units))


def test_units_of_other_seeds_and_settings_are_left_out(split, tmp_path):
    units, strangers = planned(split, repetitions=1), planned(split, repetitions=1, seed=7)
    run(split, [*units, *strangers], tmp_path)
    found = finished_units(units, Options(tmp_path))
    assert found.height == len(units)
    assert set(found["seed"]) == {42}


@pytest.mark.slow
def test_two_processes_give_the_results_of_one(split, tmp_path):
    units = planned(split, repetitions=1)
    run(split, units, tmp_path / "one", jobs=1)
    run(split, units, tmp_path / "two", jobs=2)
    assert scores(tmp_path / "one").equals(scores(tmp_path / "two"))


def test_results_do_not_depend_on_order_or_on_what_else_was_run(split, tmp_path):
    units = planned(split, repetitions=1)
    run(split, units, tmp_path)
    alone = score_unit(split, units[-1])
    stored = scores(tmp_path).filter(
        category=units[-1].category, ratio=units[-1].ratio, method=units[-1].method
    )
    assert stored.select(list(alone)).row(0, named=True) == alone


def test_a_failing_unit_is_recorded_and_the_rest_go_on(split, tmp_path, monkeypatch):
    def broken(split, key):
        if key.method == "ros":
            raise RuntimeError("no luck today")
        return score_unit(split, key)

    monkeypatch.setattr(_running, "score_unit", broken)
    units = planned(split, repetitions=1)
    outcome = run(split, units, tmp_path)
    assert outcome == Outcome(computed=6, failed=4)
    with Store(tmp_path / "units.sqlite") as store:
        failures = store.failures()
    assert {key.method for key, _ in failures} == {"ros"}
    assert all("RuntimeError: no luck today" in text for _, text in failures)
    monkeypatch.undo()
    assert run(split, units, tmp_path) == Outcome(computed=4, found=6)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no signals to send on this system")
def test_an_interrupted_command_ends_cleanly_and_goes_on_later(data_home, tmp_path):
    out = tmp_path / "out"
    options = ["--methods", "svm,ros", "--ratio", "0.1", "--repetitions", "1", "--quiet"]
    process = subprocess.Popen(
        [
            *[sys.executable, "-m", "paper", "reuters-titles", "--jobs", "2"],
            *["--out", str(out), "--data-home", str(data_home), *options],
        ],
        cwd=CLONE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    try:
        deadline = time.monotonic() + 300
        while not _n_finished(out) and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.05)
        # Ctrl-C in a terminal reaches the command and its workers alike.
        os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=120)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    n_kept = _n_finished(out)
    assert 0 < n_kept < 176
    assert not (out / "tables.csv").exists()

    console = Console(file=io.StringIO(), width=200)
    options = Options(
        out, ratios=(0.1,), methods=("svm", "ros"), repetitions=1, data_home=data_home
    )
    outcome = reproduce(["reuters-titles"], options, console)
    assert outcome.found == n_kept
    assert outcome.failed == 0
    assert outcome.computed > 0
    assert "mean absolute difference" in console.file.getvalue()
    assert (out / "tables.csv").read_text().startswith("metric,dataset,text,frequency,ratio,method")


def _n_finished(out):
    if not (out / "units.sqlite").exists():
        return 0
    with Store(out / "units.sqlite") as store:
        return len(store.finished())


class OutOfOrder(ROS):
    """A sampler that fails."""

    def draw(self, request):
        raise RuntimeError("this method is out of order")


def test_failed_units_are_summed_up_and_the_exit_code_says_so(data_home, tmp_path, run_paper):
    register_method("broken", OutOfOrder)
    try:
        result = run_paper(
            *["reuters-titles", "--methods", "svm,broken", "--ratio", "0.1"],
            *["--categories", "tin,zinc", "--repetitions", "1", "--jobs", "1"],
            *["--out", tmp_path, "--data-home", data_home],
        )
    finally:
        unregister_method("broken")
    assert result.code == 1
    assert "2 units computed, 0 found finished, 2 failed" in result.out
    assert "tin fold 0 ratio 0.1 broken repetition 0: RuntimeError: this method" in result.err
    assert (tmp_path / "tables.csv").exists()
    assert "published" not in result.out.replace("Ours, not published.", "").replace(
        "the published values are averages over all", ""
    )


def test_failures_of_an_earlier_run_are_not_listed_again(data_home, tmp_path, run_paper):
    register_method("broken", OutOfOrder)
    try:
        first, second = (
            run_paper(
                *["reuters-titles", "--methods", "svm,broken", "--ratio", "0.1"],
                *["--categories", category, "--repetitions", "1", "--jobs", "1"],
                *["--out", tmp_path, "--data-home", data_home],
            )
            for category in ("tin", "zinc")
        )
    finally:
        unregister_method("broken")
    for result, failed, other in ((first, "tin", "zinc"), (second, "zinc", "tin")):
        assert "paper: 1 units failed" in result.err
        assert f"{failed} fold 0" in result.err
        assert f"{other} fold 0" not in result.err


def test_headlines_alone_are_loaded_where_headlines_are_asked_for(data_home, tmp_path, monkeypatch):
    loaded = []

    def spy(text, **options):
        loaded.append(text)
        return load_reuters(text, **options)

    monkeypatch.setattr(_splits, "load_reuters", spy)
    options = Options(
        tmp_path, methods=("svm",), categories=("tin",), quiet=True, data_home=data_home
    )
    reproduce(["reuters-titles"], options, Console(file=io.StringIO()))
    assert loaded == ["titles"]
    assert pl.read_csv(tmp_path / "datasets.csv")["text"].to_list() == ["titles"]


def test_a_damaged_store_is_one_line_and_exit_code_2(data_home, tmp_path, run_paper):
    (tmp_path / "units.sqlite").write_bytes(b"not a database at all" * 100)
    options = ["--methods", "svm", "--categories", "tin", "--out", tmp_path, "--quiet"]
    ran = run_paper("reuters-titles", *options, "--data-home", data_home)
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert "damaged or is not a store of results" in ran.err


@pytest.mark.parametrize(
    ("changes", "error", "reason"),
    [
        ({"methods": "ros"}, TypeError, "methods is a single str"),
        ({"categories": "tin"}, TypeError, "categories is a single str"),
        ({"ratios": ()}, ValueError, "ratios is empty"),
        ({"embedding": Path("missing.vec")}, FileNotFoundError, "no file of word vectors"),
    ],
)
def test_options_that_mean_nothing_are_refused_before_any_work(tmp_path, changes, error, reason):
    options = Options(str(tmp_path / "out"), **changes)
    with pytest.raises(error, match=reason):
        reproduce("reuters-titles", options)
    assert not options.out.exists()


def test_the_lstm_is_checked_before_the_tables_run(tmp_path):
    pytest.importorskip("torch", reason="torch is missing: pip install torch==2.13.0")
    options = Options(tmp_path / "out")
    with pytest.raises(ValueError, match="device is 'gpu'"):
        reproduce("all", replace(options, device="gpu"))
    with pytest.raises(ValueError, match="none of the methods ros"):
        reproduce(["reuters-titles", "lstm"], replace(options, methods=("ros",)))
    assert not options.out.exists()


@pytest.mark.parametrize(
    "name", ["reuters-titles", pytest.param("vocabulary", marks=pytest.mark.slow)]
)
def test_a_class_that_is_not_rare_leaves_nothing_to_run(data_home, tmp_path, name):
    options = Options(tmp_path, categories=("earn",), quiet=True, data_home=data_home)
    with pytest.raises(ValueError, match="nothing to run: earn must be rarer"):
        reproduce(name, options, Console(file=io.StringIO()))
