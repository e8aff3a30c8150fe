"""``compare --dask``: the results of one process, though workers die."""

import json

import pytest
from distributed import Client

from tests.files.conftest import local_cluster
from tests.files.faults import die, patched

pytestmark = pytest.mark.slow


@pytest.fixture
def client():
    """A cluster for one test, whose workers die."""
    with local_cluster() as cluster, Client(cluster) as client:
        yield client


def one_worker_dies_and_none_opens_the_store(client, flags, module, name):
    """See to it that a worker dies in a function, and that one which opens a store would too."""
    client.run(patched, module, name, str(flags / "killed"), die)
    client.run(patched, "imbtext.store", "Store.__init__", str(flags / "opened"), die)


def test_compare(client, tmp_path, run_command):
    rows = [
        f"oil price {i % 5} up,oil" if i % 4 == 0 else f"gold {i % 7} down {i % 3},gold"
        for i in range(80)
    ]
    (tmp_path / "in.csv").write_text("\n".join(["body,topic", *rows]))
    command = ["compare", tmp_path / "in.csv", "--text", "body", "--label", "topic"]
    command += ["--class", "oil", "--methods", "plain,emco(0.1)", "--folds", 2, "--share", 0.4]
    here, there = tmp_path / "here.json", tmp_path / "there.json"
    assert run_command(*command, "--quiet", "--jobs", 1, "-o", here).code == 0
    one_worker_dies_and_none_opens_the_store(
        client, tmp_path, "imbtext.comparison._running", "_run_method"
    )
    options = ("-o", there, "--resume", tmp_path / "kept", "--dask", client.scheduler.address)
    ran = run_command(*command, *options, "--quiet")
    assert ran.code == 0, ran.err
    assert (tmp_path / "killed").exists(), "no worker died"
    assert not (tmp_path / "opened").exists(), "a worker opened the store"
    assert without_time(json.loads(there.read_text())) == without_time(json.loads(here.read_text()))


def without_time(found):
    """Leave out what depends on the clock, at any depth."""
    if isinstance(found, dict):
        return {k: without_time(v) for k, v in found.items() if "seconds" not in k}
    return [without_time(each) for each in found] if isinstance(found, list) else found
