"""``python -m paper --dask``: the results of one process, though a worker dies."""

import pytest

pytest.importorskip("distributed")
from distributed import Client

from imbtext.store import Store
from tests.files.conftest import local_cluster
from tests.files.faults import die, patched

pytestmark = pytest.mark.slow


@pytest.fixture
def client():
    """A cluster for one test, whose workers die."""
    with local_cluster() as cluster, Client(cluster) as client:
        yield client


def units(out):
    with Store(out / "units.sqlite") as store:
        return store.frame().drop("seconds").sort("category", "method", "repetition")


def test_workers_compute_what_this_process_computes(client, data_home, tmp_path, run_paper):
    command = ["reuters-titles", "--methods", "svm,emco(0.1)", "--ratio", "0.1"]
    command += ["--categories", "tin,zinc,jobs"]
    command += ["--repetitions", "2", "--data-home", data_home]
    here, there = tmp_path / "here", tmp_path / "there"
    assert run_paper(*command, "--quiet", "--jobs", 1, "--out", here).code == 0
    # A worker dies in the work, and one that opened the store would, too.
    client.run(patched, "paper.running", "score_unit", str(tmp_path / "killed"), die)
    client.run(patched, "imbtext.store", "Store.__init__", str(tmp_path / "opened"), die)
    address = client.scheduler.address
    ran = run_paper(*command, "--out", there, "--dask", address)
    assert ran.code == 0, ran.err
    assert "12 units computed, 0 found finished, 0 failed" in ran.out
    assert (tmp_path / "killed").exists(), "no worker died"
    assert not (tmp_path / "opened").exists(), "a worker opened the store"
    assert units(there).equals(units(here))
    assert (there / "tables.csv").read_text() == (here / "tables.csv").read_text()
    again = run_paper(*command, "--out", there, "--dask", address)
    assert "0 units computed, 12 found finished, 0 failed" in again.out
