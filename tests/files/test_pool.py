"""Units of experiments on a cluster: the results of one process, stored by one process."""

import os
import signal
import subprocess
import sys
import time

import dask
import numpy as np
import pytest
from distributed import Client

from imbtext import RareTextClassifier, comparison
from imbtext.distributed import ClusterError, DaskPool
from imbtext.parallel import ProcessPool
from tests.files.conftest import local_cluster

pytestmark = pytest.mark.slow


def scaled(shared, task):
    return shared["factor"] * task


def scaled_by_the_second_worker(shared, task):
    """Kill the worker that meets the task first; another must do it again."""
    if task == 3:
        try:
            os.close(os.open(shared["flag"], os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return shared["factor"] * task
        os.kill(os.getpid(), signal.SIGKILL)
    return shared["factor"] * task


def failing(shared, task):
    raise ValueError(f"no {task}")


def test_the_interface_of_processes(client):
    shared = {"factor": 10}
    done = dict(DaskPool().completed(scaled, range(20), shared))
    assert done == dict(ProcessPool().completed(scaled, range(20), shared))


def test_what_a_killed_worker_was_at_is_done_again(client, tmp_path):
    shared = {"factor": 10, "flag": str(tmp_path / "flag")}
    done = list(DaskPool().completed(scaled_by_the_second_worker, range(8), shared))
    assert (tmp_path / "flag").exists()
    assert sorted(done) == [(task, 10 * task) for task in range(8)]


def test_an_error_names_its_task(client):
    with pytest.raises(ValueError, match="no 7") as raised:
        list(DaskPool().completed(failing, [7]))
    assert any("while working on 7" in note for note in raised.value.__notes__)


def dying(shared, task):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_task_that_kills_every_worker_is_given_up(tmp_path):
    """joblib's Dask backend waits for such a task for ever."""
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        local_cluster() as cluster,
        Client(cluster),
        pytest.raises(ClusterError, match="the task 'dying' was given up: every worker"),
    ):
        list(DaskPool().completed(dying, [1]))


def waiting_after_the_first(folder, task):
    """Return at once until task 0 is done, whichever worker does it; then block."""
    if task == 0:
        (folder / "done").touch()
    elif (folder / "done").exists():
        (folder / "waiting").touch()
        time.sleep(60)


def test_a_caller_that_stops_asking_leaves_nothing_on_the_scheduler(tmp_path):
    """joblib's Dask backend leaves the tasks that were submitted."""
    with local_cluster() as cluster, Client(cluster) as client:
        results = DaskPool().completed(waiting_after_the_first, range(40), tmp_path)
        while next(results)[0] != 0:
            pass
        deadline = time.monotonic() + 60
        while not (tmp_path / "waiting").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        results.close()
        while client.run_on_scheduler(tasks_left) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert client.run_on_scheduler(tasks_left) == []


def tasks_left(dask_scheduler):
    return sorted(dask_scheduler.tasks)


def test_a_comparison_on_the_cluster_is_that_of_one_process(client, tmp_path):
    texts = [
        f"oil price {i % 5} up" if i % 4 == 0 else f"gold {i % 7} down {i % 3}" for i in range(60)
    ]
    labels = ["oil" if i % 4 == 0 else "gold" for i in range(60)]
    settings = {"classes": ["oil"], "methods": ["plain", "emco(0.1)"], "folds": 2, "repeats": 2}
    settings |= {"share": 0.4, "verbose": False}
    here = comparison.compare(texts, labels, **settings)
    there = comparison.compare(texts, labels, n_jobs=DaskPool(), out=tmp_path, **settings)
    assert there.scores.drop("seconds", strict=False).equals(
        here.scores.drop("seconds", strict=False)
    )
    # All was stored here: a second run computes nothing, and asks for no cluster.
    again = comparison.compare(texts, labels, n_jobs=Unavailable(), out=tmp_path, **settings)
    assert again.scores.equals(there.scores)


class Unavailable:
    writes_results = False

    def completed(self, function, tasks, shared=None):
        assert not list(tasks)
        return iter(())


def test_a_model_trained_on_the_cluster_is_that_of_one_process(client, run_command, tmp_path):
    """More classes than are trained side by side, through the command."""
    lines = [f"word{i % 20} and {i % 7} of word{i % 3} {i},class {i % 20:02}" for i in range(200)]
    source = tmp_path / "train.csv"
    source.write_text("\n".join(["body,topic", *lines]))
    address = client.scheduler.address
    models = []
    for name, more in (("here", ["--jobs", "1"]), ("there", ["--dask", address])):
        out = tmp_path / f"{name}.model"
        columns = ["--text", "body", "--label", "topic"]
        run_command("train", str(source), "-o", str(out), *columns, *more, "--quiet")
        models.append(RareTextClassifier.load(out))
    here, there = models
    texts = [line.split(",")[0] for line in lines]
    np.testing.assert_array_equal(there.thresholds_, here.thresholds_)
    np.testing.assert_array_equal(there.predict_proba(texts), here.predict_proba(texts))
    assert there.expectation_ == here.expectation_


SCRIPT = """
import os
import polars
from imbtext.distributed import connected

if __name__ == "__main__":
    with connected(n_workers=1) as client:
        (threads,) = client.run(polars.thread_pool_size).values()
    print(threads, os.environ.get("POLARS_MAX_THREADS"))
"""


@pytest.mark.parametrize(("asked", "threads"), [(None, 1), ("2", 2)])
def test_workers_have_one_thread_though_the_script_imports_polars(tmp_path, asked, threads):
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {name: of for name, of in os.environ.items() if name != "POLARS_MAX_THREADS"}
    if asked is not None:
        environment["POLARS_MAX_THREADS"] = asked
    ran = subprocess.run(
        [sys.executable, tmp_path / "script.py"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == [str(threads), str(asked)]
