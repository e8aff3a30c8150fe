"""Clusters without memory, without a scheduler, without their client: said, and nothing lost."""

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from functools import partial

import dask
import pytest
from distributed import Client, Status, get_worker

from imbtext.distributed import ClusterError, DaskPool, connected
from imbtext.distributed._cluster import result_of
from tests.files.conftest import local_cluster
from tests.files.faults import (
    assert_whole,
    die,
    oversampled,
    patched,
    take_memory,
    write_source,
)

pytestmark = pytest.mark.slow

COPY = ("imbtext.files._in_parts", "_copy_part")
# A worker that has counted a part holds 510 MiB, most of it imports, and Dask pauses one at 80 %.
MEMORY = "1GiB"


@pytest.fixture
def source(tmp_path, table):
    return write_source(tmp_path / "in", table)


@pytest.mark.parametrize("again", [True, False], ids=["done again", "given up"])
def test_worker_over_its_memory_limit(source, tmp_path, table, again):
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 3 if again else 0}),
        local_cluster(n_workers=1, memory_limit=MEMORY) as cluster,
        Client(cluster) as client,
    ):
        client.run(patched, *COPY, str(tmp_path / "flag"), take_memory)
        if again:
            oversampled(source, tmp_path / "out")
        else:
            with pytest.raises(ClusterError, match=r"'copy-documents' was given up: .* memory"):
                oversampled(source, tmp_path / "out")
    assert (tmp_path / "flag").exists(), "the fault never happened"
    if again:
        assert_whole(tmp_path / "out", table)
    else:
        assert not list(tmp_path.glob("out*"))


@pytest.fixture
def own_scheduler(tmp_path):
    """A scheduler and a worker in processes of their own, as on other machines."""
    address = tmp_path / "scheduler.json"
    processes = []
    for role, *options in (("scheduler", "--port", "0"), ("worker", "--no-nanny")):
        command = [sys.executable, "-m", "dask", role, *options, "--no-dashboard"]
        processes.append(
            subprocess.Popen(
                [*command, "--scheduler-file", str(address)],
                cwd=tmp_path,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        while not address.exists():
            assert processes[0].poll() is None
            time.sleep(0.1)
    yield str(address), processes[0]
    for process in processes:
        process.kill()
        process.wait()


def kill_and_wait(process, *_, **__):
    os.kill(process, signal.SIGKILL)
    time.sleep(600)


def test_scheduler_gone(own_scheduler, source, tmp_path):
    address, scheduler = own_scheduler
    quick = {"distributed.comm.timeouts.connect": "3s", "distributed.comm.timeouts.tcp": "12s"}
    with dask.config.set(quick), Client(scheduler_file=address) as client:
        client.wait_for_workers(1, timeout=180)
        writing = ("imbtext.files._in_parts", "_write_run", str(tmp_path / "flag"))
        client.run(patched, *writing, partial(kill_and_wait, scheduler.pid))
        with pytest.raises(ConnectionError, match="connection to the Dask scheduler was lost"):
            oversampled(source, tmp_path / "out")
    assert (tmp_path / "flag").exists(), "the fault never happened"
    assert not list(tmp_path.glob("out*"))


def test_scheduler_without_workers(tmp_path):
    with (
        local_cluster(n_workers=0) as cluster,
        pytest.warns(UserWarning, match="has no workers yet, .* start them with 'dask worker tcp:"),
        connected(cluster.scheduler_address),
    ):
        pass


def pause(dask_worker):
    """Run in a worker: do as its monitor does when memory is short."""
    dask_worker.status = Status.paused


def resume(dask_worker):
    dask_worker.status = Status.running


def doubled(_, task):
    return 2 * task


def paused_meanwhile(seconds, task):
    """Work for long in a worker that is paused because of that work, as large tasks do."""
    worker = get_worker()
    worker.loop.add_callback(pause, worker)
    time.sleep(seconds)
    worker.loop.add_callback(resume, worker)
    return 2 * task


@pytest.fixture
def unwatched():
    """A client of two workers that nothing but the test pauses and resumes."""
    with local_cluster(memory_limit=0) as cluster, Client(cluster) as client:
        client.wait_for_workers(2, timeout=180)
        yield client


def test_paused_workers_are_told_and_then_given_up(unwatched):
    unwatched.run(pause)
    with (
        dask.config.set({"imbtext.no-workers-timeout": 0.5}),
        pytest.warns(UserWarning, match="all 2 workers .* paused for lack of memory .* no task is"),
        pytest.raises(ClusterError, match=r"paused for lack of memory for . seconds, so the work"),
    ):
        list(DaskPool().completed(doubled, range(4)))


def test_paused_workers_that_recover_do_the_work(unwatched):
    unwatched.run(pause)
    later = threading.Timer(4, unwatched.run, [resume])
    later.start()
    with (
        dask.config.set({"imbtext.no-workers-timeout": 1}),
        pytest.warns(UserWarning, match="paused for lack of memory"),
    ):
        done = sorted(DaskPool().completed(doubled, range(2)))
    later.join()
    assert done == [(0, 0), (1, 2)]


def test_a_paused_worker_that_is_at_work_is_no_alarm(unwatched):
    with dask.config.set({"imbtext.no-workers-timeout": 2}), warnings.catch_warnings():
        warnings.simplefilter("error")
        done = sorted(DaskPool().completed(paused_meanwhile, range(2), 6))
    assert done == [(0, 0), (1, 2)]


def test_workers_that_have_never_come_are_told_and_waited_for():
    with local_cluster(n_workers=0, memory_limit=0) as cluster, Client(cluster):
        later = threading.Timer(3, cluster.scale, [1])
        later.start()
        with (
            dask.config.set({"imbtext.no-workers-timeout": 0.5}),
            pytest.warns(UserWarning, match="no workers for . seconds; the work waits until some"),
        ):
            done = list(DaskPool().completed(doubled, [3]))
        later.join()
    assert done == [(3, 6)]


def test_workers_lost_between_two_waits_are_lost(unwatched):
    """The second wait has never seen a worker, but the cluster had some."""
    with dask.config.set({"imbtext.no-workers-timeout": 1}), connected() as client:
        client.cluster.scale(0)
        while client.nthreads():
            time.sleep(0.1)
        waiting = client.submit(doubled, None, 1)
        with pytest.raises(ClusterError, match="has had no workers for"):
            result_of(client, waiting)


def command(source, out, *options, code="from imbtext.cli import main; main()", **environment):
    settings = [
        "--text",
        "body",
        "--label",
        "topic",
        "--share",
        "0.3",
        "--gamma",
        "0.5",
        "--seed",
        "7",
    ]
    given = [sys.executable, "-c", code, "oversample", str(source), "-o", str(out), *settings]
    return subprocess.run(
        [*given, *options],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | environment,
    )


def assert_one_line(ran, words):
    assert ran.returncode == 2
    # The tables have texts without words, and whoever has read them all says so first.
    lines = [line for line in ran.stderr.splitlines() if "have no word in them" not in line]
    assert len(lines) == 1, ran.stderr
    assert lines[0].startswith("imbtext: error: ")
    assert words in lines[0]


@pytest.mark.parametrize(
    ("module", "name"),
    [("_in_parts", "_copy_part"), ("_counting", "sum_counts"), ("_in_parts", "_write_run")],
)
def test_no_worker_comes_back(own_scheduler, source, tmp_path, module, name):
    address, _ = own_scheduler
    with Client(scheduler_file=address) as client:
        client.wait_for_workers(1, timeout=180)
        client.run(patched, f"imbtext.files.{module}", name, str(tmp_path / "flag"), die)
        scheduler = client.scheduler.address
    ran = command(
        source, tmp_path / "out", "--dask", scheduler, "--quiet",
        DASK_IMBTEXT__NO_WORKERS_TIMEOUT="2",
    )  # fmt: skip
    assert (tmp_path / "flag").exists(), "the fault never happened"
    assert_one_line(ran, "the Dask cluster has had no workers for")
    assert not list(tmp_path.glob("out*"))


def dying_at_the_third(folder, task):
    if task < 3:
        return 10 * task
    while not (folder / "kept").exists():
        time.sleep(0.05)
    return die()


def test_what_was_done_before_the_workers_were_lost_is_kept(own_scheduler, tmp_path):
    address, _ = own_scheduler
    kept = []

    def collect():
        for _, result in DaskPool().completed(dying_at_the_third, [1, 2, 3], tmp_path):
            kept.append(result)
            if len(kept) == 2:
                (tmp_path / "kept").touch()

    with (
        dask.config.set({"imbtext.no-workers-timeout": 2}),
        Client(scheduler_file=address) as client,
    ):
        client.wait_for_workers(1, timeout=180)
        with pytest.raises(ClusterError, match=r"no workers for .* what was stored is kept"):
            collect()
    assert sorted(kept) == [10, 20]


def test_a_lost_scheduler_is_one_line(own_scheduler, source, tmp_path):
    address, scheduler = own_scheduler
    with Client(scheduler_file=address) as client:
        client.wait_for_workers(1, timeout=180)
        flag = str(tmp_path / "flag")
        killing = partial(kill_and_wait, scheduler.pid)
        client.run(patched, "imbtext.files._in_parts", "_write_run", flag, killing)
        where = client.scheduler.address
    ran = command(
        source, tmp_path / "out", "--dask", where, "--quiet",
        DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="3s", DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP="12s",
    )  # fmt: skip
    assert_one_line(ran, "the connection to the Dask scheduler was lost")
    assert not list(tmp_path.glob("out*"))


def test_a_worker_killed_for_memory_is_one_line(source, tmp_path):
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        local_cluster(n_workers=1, memory_limit=MEMORY) as cluster,
        Client(cluster) as client,
    ):
        client.run(patched, *COPY, str(tmp_path / "flag"), take_memory)
        address = client.scheduler.address
        ran = command(source, tmp_path / "out", "--dask", address, "--quiet")
    assert_one_line(ran, "the task 'copy-documents' was given up: every worker that ran it died")
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("when", ["synthetic_bounds", "_move_files"])
def test_second_run_over_what_a_killed_one_left(client, source, tmp_path, table, when):
    out, partial_folder = tmp_path / "out", tmp_path / "out.partial"
    deadly = (
        "import os; import imbtext.files._in_parts as files; from imbtext.cli import main\n"
        f"files.{when} = lambda *_: os.kill(os.getpid(), 9)\n"
        "main()"
    )
    address = ("--dask", client.scheduler.address)
    assert command(source, out, *address, code=deadly).returncode == -signal.SIGKILL
    assert not out.exists()
    assert partial_folder.exists()
    again = command(source, out, *address)
    assert again.returncode == 2
    assert again.stderr.count("\n") == 1
    assert f"{partial_folder} was left by a run to {out} that did not finish" in again.stderr
    assert "--overwrite" in again.stderr
    done = command(source, out, *address, "--overwrite")
    assert done.returncode == 0, done.stderr
    assert_whole(out, table)
    full = command(source, out, *address)
    assert full.returncode == 2
    assert "already holds" in full.stderr
    assert_whole(out, table)
