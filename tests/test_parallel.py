import operator
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from imbtext.parallel import ProcessPool, completed_units, pool_of


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_task_comes_back_once_with_its_result(n_jobs):
    found = ProcessPool(n_jobs).completed(operator.mul, range(6), shared=np.ones(5))
    assert sorted((task, result.sum()) for task, result in found) == [
        (t, 5.0 * t) for t in range(6)
    ]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_ends_the_run_and_names_the_task(n_jobs):
    with pytest.raises(ZeroDivisionError) as caught:
        list(ProcessPool(n_jobs).completed(operator.truediv, [3, 2, 0, 1], shared=6))
    assert "while working on 0" in caught.value.__notes__


def test_tasks_are_taken_as_they_are_needed():
    taken = []

    def tasks():
        for task in range(100):
            taken.append(task)
            yield task

    results = ProcessPool(1).completed(operator.add, tasks(), shared=1)
    assert next(results) == (0, 1)
    results.close()
    assert taken == [0]


def test_no_processes_are_refused_and_minus_many_is_one():
    with pytest.raises(ValueError, match="number of processes is 0"):
        ProcessPool(0)
    assert sorted(ProcessPool(-1000).completed(pow, [1, 2], shared=2)) == [(1, 2), (2, 4)]


def test_a_number_of_processes_is_a_pool():
    pool = pool_of(2)
    assert pool == ProcessPool(2)
    assert pool_of(pool) is pool
    assert pool_of(None) == ProcessPool(None)
    assert list(pool_of(None).completed(pow, [3], shared=2)) == [(3, 8)]
    assert pool_of(np.int64(2)) == pool


@pytest.mark.parametrize("n_jobs", ["2", 2.0, [2]])
def test_anything_but_a_number_or_a_pool_is_refused(n_jobs):
    with pytest.raises(TypeError, match=r"n_jobs is .*; give a whole number of processes"):
        pool_of(n_jobs)


PROGRAM = """
import os, sys, time
from pathlib import Path
from imbtext.parallel import ProcessPool

def work(folder, task):
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(600)

if __name__ == "__main__":
    for _ in ProcessPool(2).completed(work, range(4), shared=sys.argv[1]):
        pass
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no signals to send on this system")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_workers_and_scratch_files_end_with_a_run_that_is_stopped(tmp_path, name):
    program, seen, scratch = tmp_path / "program.py", tmp_path / "seen", tmp_path / "scratch"
    program.write_text(PROGRAM)
    seen.mkdir()
    scratch.mkdir()
    process = subprocess.Popen(
        [sys.executable, str(program), str(seen)],
        env={**os.environ, "TMPDIR": str(scratch)},
        stderr=subprocess.DEVNULL,
    )
    try:
        assert within(120, lambda: len(list(seen.iterdir())) == 2)
        process.send_signal(getattr(signal, name))
        process.wait(timeout=60)
    finally:
        process.kill()
        process.wait()
    workers = [int(path.name) for path in seen.iterdir()]
    assert within(30, lambda: not any(is_running(worker) for worker in workers))
    if name != "SIGKILL":
        assert not list(scratch.glob("imbtext-*"))


def within(seconds, condition):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def is_running(pid):
    command = ["ps", "-o", "stat=", "-p", str(pid)]
    status = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return bool(status.strip()) and not status.startswith("Z")


def powers(base, exponents):
    for exponent in exponents:
        yield base**exponent


class Elsewhere(ProcessPool):
    """A pool whose workers cannot write to the caller's files."""

    writes_results = False


@pytest.mark.parametrize(("pool", "kept_at_once"), [(ProcessPool, [1, 1, 1]), (Elsewhere, [2, 1])])
def test_units_are_kept_as_they_are_finished_or_as_their_task_comes_back(pool, kept_at_once):
    kept = []
    run = completed_units(pool(1), powers, [(1, 2), (3,)], shared=2, keep=kept.append)
    assert next(run) == ((1, 2), [2, 4])
    assert [unit for units in kept for unit in units] == [2, 4]  # before the next task begins
    assert list(run) == [((3,), [8])]
    assert [len(units) for units in kept] == kept_at_once
