import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from imbtext.evaluation import runner
from imbtext.evaluation.protocol import EXPERIMENTS, Documents, preprocess
from imbtext.evaluation.runner import Outcome, Plan, run_units, settings_digest
from imbtext.evaluation.scoring import score_unit, unit_seed
from imbtext.evaluation.store import Store

EXPERIMENT = EXPERIMENTS["reuters-titles"]


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
        Documents(
            texts[train],
            texts[test],
            labels[train],
            labels[test],
            ("metal", "zinc"),
            labels[train].mean(axis=0),
        ),
        stopwords=(),
    )


def plan(**changes):
    base = Plan(EXPERIMENT, ("svm", "ros", "mco"), (0.1, 0.2), seed=42, repetitions=2)
    return replace(base, **changes)


def scores(path):
    with Store(path) as store:
        return store.frame().drop("seconds").sort("category", "ratio", "method", "repetition")


def test_plain_svm_is_one_unit_for_both_ratios_and_others_one_each(split):
    units = plan().units(0, split)
    assert {u.ratio for u in units if u.method == "svm"} == {0.0}
    assert {u.ratio for u in units if u.method == "ros"} == {0.1, 0.2}
    assert len(units) == 2 * (2 + 4 + 4)
    assert len(set(units)) == len(units)


def test_a_category_is_left_out_where_it_would_not_be_oversampled(split):
    units = plan(ratios=(0.05,)).units(0, split)
    assert {u.category for u in units} == {"zinc"}


def test_unknown_categories_are_named(split):
    with pytest.raises(ValueError, match="no category 'gold'; its categories are metal, zinc"):
        plan(categories=("gold",)).units(0, split)


def test_the_digest_belongs_to_the_data_and_the_method(monkeypatch):
    before = settings_digest("data", "ros"), settings_digest("data", "emco(1)")
    assert settings_digest("other data", "ros") != before[0]
    monkeypatch.setattr(runner, "METHOD_REVISIONS", {"emco": 7})
    assert settings_digest("data", "ros") == before[0]
    assert settings_digest("data", "emco(1)") != before[1]


def test_seeds_are_shared_by_ratios_and_methods_and_differ_otherwise(split):
    key = plan().units(0, split)[-1]
    assert unit_seed(key) == unit_seed(replace(key, ratio=0.3, method="ros", settings="x"))
    others = [
        replace(key, seed=1),
        replace(key, repetition=9),
        replace(key, category="x"),
        replace(key, fold=3),
    ]
    assert len({unit_seed(k) for k in [key, *others]}) == 5


def test_a_second_run_finds_everything_and_repeats_nothing(split, tmp_path):
    units = plan().units(0, split)
    first = run_units([split], [units], tmp_path / "units.sqlite", quiet=True)
    assert first == Outcome(computed=len(units))
    again = run_units([split], [units], tmp_path / "units.sqlite", quiet=True)
    assert again == Outcome(found=len(units))


def test_two_processes_give_the_results_of_one(split, tmp_path):
    units = plan(repetitions=1).units(0, split)
    run_units([split], [units], tmp_path / "one.sqlite", jobs=1, quiet=True)
    run_units([split], [units], tmp_path / "two.sqlite", jobs=2, quiet=True)
    assert scores(tmp_path / "one.sqlite").equals(scores(tmp_path / "two.sqlite"))


def test_results_do_not_depend_on_order_or_on_what_else_was_run(split, tmp_path):
    units = plan(repetitions=1).units(0, split)
    run_units([split], [units], tmp_path / "all.sqlite", quiet=True)
    alone = score_unit(split, units[-1])
    stored = scores(tmp_path / "all.sqlite").filter(
        category=units[-1].category, ratio=units[-1].ratio, method=units[-1].method
    )
    assert stored.select(list(alone)).row(0, named=True) == alone


def test_a_failing_unit_is_recorded_and_the_rest_go_on(split, tmp_path, monkeypatch):
    def broken(split, key):
        if key.method == "ros":
            raise RuntimeError("no luck today")
        return score_unit(split, key)

    monkeypatch.setattr(runner, "score_unit", broken)
    units = plan(repetitions=1).units(0, split)
    outcome = run_units([split], [units], tmp_path / "units.sqlite", quiet=True)
    assert outcome == Outcome(computed=6, failed=4)
    with Store(tmp_path / "units.sqlite") as store:
        failures = store.failures()
    assert {key.method for key, _ in failures} == {"ros"}
    assert all("RuntimeError: no luck today" in text for _, text in failures)
    monkeypatch.undo()
    assert run_units([split], [units], tmp_path / "units.sqlite", quiet=True) == Outcome(
        computed=4, found=6
    )


REPRODUCE = [
    *[sys.executable, "-c", "from imbtext.cli import main; main()", "reproduce", "reuters-titles"],
    *["--methods", "svm,ros", "--ratio", "0.1", "--repetitions", "1"],
]


def reproduce(out, data_home, *options):
    command = [*REPRODUCE, "--out", str(out), "--data-home", str(data_home), *options]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_units(path, n):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if path.exists():
            with Store(path) as store:
                if len(store.finished()) >= n:
                    return
        time.sleep(0.1)
    raise AssertionError(f"{path} never held {n} units")


def test_killed_runs_go_on_and_interrupted_ones_end_cleanly(data_home, tmp_path):
    store = tmp_path / "units.sqlite"
    killed = reproduce(tmp_path, data_home, "--quiet", "--jobs", "1")
    wait_for_units(store, 3)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()

    interrupted = reproduce(tmp_path, data_home, "--quiet", "--jobs", "2")
    wait_for_units(store, 20)
    os.killpg(interrupted.pid, signal.SIGINT)
    _, stderr = interrupted.communicate(timeout=60)
    assert interrupted.returncode == 130
    assert "Traceback" not in stderr
    assert not (tmp_path / "tables.csv").exists()
    with Store(store) as units:
        n_before = len(units.finished())
        assert units.failures() == []
    assert n_before >= 20

    finished = reproduce(tmp_path, data_home, "--categories", "tin,zinc,cotton,fuel,gas")
    stdout, stderr = finished.communicate(timeout=120)
    assert finished.returncode == 0, stderr
    assert "mean absolute difference" in stdout
    assert "0 failed" in stdout
    assert (tmp_path / "tables.csv").exists()
