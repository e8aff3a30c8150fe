"""The text on growth says what its numbers say."""

import runpy
from pathlib import Path

FOLDER = Path(__file__).parent / "scale"


def test_the_readme_shows_the_csv():
    script = runpy.run_path(str(FOLDER / "write_growth.py"))
    rows = script["read"](FOLDER / "scale.csv")
    assert script["text"](rows) in (FOLDER / "README.md").read_text()


def test_the_promises_hold():
    """Growth by ten, memory, bytes per transition and through the client, as issue 13 has them."""
    script = runpy.run_path(str(FOLDER / "write_growth.py"))
    rows = script["read"](FOLDER / "scale.csv")
    assert {millions for millions, _ in rows} == {1, 10, 100}
    for way in script["NAMES"]:
        times = [rows[millions, way]["total_cpu_s"] for millions in (1, 10, 100)]
        assert times[1] <= 12 * times[0], way
        assert times[2] <= 11 * times[1], way
    for (_, way), row in rows.items():
        assert row.get("bytes_per_transition", 0) <= 16
        assert row.get("client_mb", 0) < 50
        if way != "memory":
            assert max(row["peak_mib"], row.get("worker_peak_mib", 0)) < 3 * 1024
    assert rows[100, "dask2"]["total_wall_s"] < 180
