"""The text on growth says what its numbers say."""

import runpy
from pathlib import Path

FOLDER = Path(__file__).parent / "scale"


def test_the_readme_shows_the_csv():
    script = runpy.run_path(str(FOLDER / "write_growth.py"))
    rows = script["read"](FOLDER / "scale.csv")
    readme = (FOLDER / "README.md").read_text()
    assert script["text"](rows) in readme
    assert script["projection"](rows) in readme


def test_what_does_not_depend_on_other_work_on_the_machine_is_met():
    script = runpy.run_path(str(FOLDER / "write_growth.py"))
    rows = script["read"](FOLDER / "scale.csv")
    assert {millions for millions, _ in rows} == {1, 10, 100}
    for (_, way), row in rows.items():
        assert row.get("bytes_per_transition", 0) <= 16
        assert row.get("client_mb", 0) < 50
        if way != "memory":
            assert max(row["peak_mib"], row.get("worker_peak_mib", 0)) < 3 * 1024
    assert rows[100, "dask2"]["total_wall_s"] < 180
