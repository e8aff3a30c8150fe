"""The text on growth says what its numbers say."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "results" / "scale"


def test_the_readme_shows_the_csv():
    script = runpy.run_path(str(ROOT / "benchmarks" / "scale_readme.py"))
    rows = script["read"](FOLDER / "scale.csv")
    readme = (FOLDER / "README.md").read_text()
    assert script["text"](rows) in readme
    assert script["projection"](rows) in readme


def test_what_does_not_depend_on_other_work_on_the_machine_is_met():
    script = runpy.run_path(str(ROOT / "benchmarks" / "scale_readme.py"))
    rows = script["read"](FOLDER / "scale.csv")
    assert {millions for millions, _ in rows} == {1, 10, 100}
    for (_, way), row in rows.items():
        assert row.get("bytes_per_transition", 0) <= 16
        assert row.get("client_mb", 0) < 50
        if way != "memory":
            assert max(row["peak_mib"], row.get("worker_peak_mib", 0)) < 3 * 1024
    assert rows[100, "dask2"]["total_wall_s"] < 180


def test_what_is_said_of_training_and_predicting_is_what_was_measured():
    script = runpy.run_path(str(ROOT / "benchmarks" / "scale_readme.py"))
    rows = script["read"](FOLDER / "stream.csv", "documents")
    assert script["stream"](rows) in (FOLDER / "README.md").read_text()
    small, large = min(n for n, _ in rows), max(n for n, _ in rows)
    assert large == 10_000_000
    # Memory does not grow with the documents: that of predict hardly, that of train by the class.
    assert rows[large, "predict"]["peak_mib"] < 1.3 * rows[small, "predict"]["peak_mib"]
    assert rows[large, "train"]["peak_mib"] < 2 * rows[small, "train"]["peak_mib"]
    for (_, way), row in rows.items():
        assert row.get("worker_peak_mib", 0) < 2 * 1024, way
    one, two = (rows[small, f"predict-dask{n}"]["worker_cpu_s"] for n in (1, 2))
    assert two < 1.25 * one
