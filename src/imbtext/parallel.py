"""Running many independent tasks: on processes of this machine, or on a cluster.

Comparisons, reproductions and trainings consist of independent tasks. They pass
``function(shared, task)`` to a :class:`Pool` and get each result as soon as it is finished. There
are two pools: :class:`ProcessPool` here, and :class:`imbtext.distributed.DaskPool` with the same
interface. A number of processes also works: :func:`pool_of` turns it into a pool.

joblib runs the processes. This module adds three things:

* `shared` (documents, vectors) is written to one file that all processes map into memory, so it
  exists once, however many processes there are.
* An error names its task.
* When a run ends early (Ctrl-C, SIGTERM, an error, a caller that stops asking), its processes end
  with it. A process whose parent was killed ends by itself.
"""

import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import joblib
from joblib.externals.loky import get_reusable_executor
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from imbtext._signals import terminated_cleanly

__all__ = ["Pool", "ProcessPool", "completed_units", "pool_of"]

Task = TypeVar("Task")
Result = TypeVar("Result")
Unit = TypeVar("Unit")
# What to do: ``function(shared, task)``.
Work = Callable[[Any, Task], Result]


class Pool(Protocol):
    """The interface of pools; anything that has these two members can run the tasks."""

    @property
    def writes_results(self) -> bool:
        """Whether tasks can write to the caller's files. If not, they must return their results."""
        ...

    def completed(
        self, function: Work[Task, Result], tasks: Iterable[Task], shared: object = None
    ) -> Iterator[tuple[Task, Result]]:
        """Yield each task with ``function(shared, task)``, in the order they are finished."""
        ...


# A result that workers keep; only they know what it is.
Kept = Any


class Workers(Pool, Protocol):
    """Workers that keep results, so that large ones do not pass through this machine.

    An argument of a function may be a result that they keep. `name` and `title` say on a dashboard
    or a progress bar what is done.
    """

    def call(
        self, name: str, function: Callable[..., Any], *arguments: object, first: bool = False
    ) -> Kept:
        """Call a function; with `first`, before calls that wait."""
        ...

    def map(
        self,
        name: str,
        function: Callable[..., Any],
        *arguments: Sequence[object],
        **shared: Any,
    ) -> list[Kept]:
        """Call a function with each of the arguments, and with what all share."""
        ...

    def wait(self, title: str, kept: list[Kept]) -> None:
        """Wait until results are made; the list is emptied, so that nobody holds them longer."""
        ...

    def result(self, kept: Kept) -> Any:
        """Return a result."""
        ...

    def forget(self, *kept: Kept) -> None:
        """Drop results, and compute none of them again."""
        ...


class KeepingPool(Pool, Protocol):
    """A pool whose workers keep results, such as :class:`imbtext.distributed.DaskPool`."""

    def workers(self, *, quiet: bool = True) -> AbstractContextManager[Workers]:
        """Give the workers, with a progress bar unless `quiet`."""
        ...


def check_pool(pool: object, *, keeps: bool = False) -> None:
    """Refuse what is not a pool, or if it `keeps` results, not such a pool; None is none.

    Examples
    --------
    >>> check_pool("local")
    Traceback (most recent call last):
    ...
    TypeError: pool is 'local' (str); give a pool such as imbtext.distributed.DaskPool()
    """
    if pool is not None and not hasattr(pool, "workers" if keeps else "completed"):
        kind = "whose workers keep results, " if keeps else ""
        raise TypeError(
            f"pool is {pool!r:.60} ({type(pool).__name__}); give a pool {kind}such as "
            "imbtext.distributed.DaskPool()"
        )


@dataclass(frozen=True)
class ProcessPool:
    """Processes of this machine.

    Parameters
    ----------
    n_jobs : int or None, default=1
        How many, as in joblib: 1 works in this process, -1 takes one per core, -2 leaves one core
        free. None is 1 unless a ``joblib.parallel_config`` is active.

    See Also
    --------
    imbtext.distributed.DaskPool : The same on the workers of a Dask cluster.

    Examples
    --------
    >>> sorted(ProcessPool().completed(pow, [1, 2, 3], shared=2))
    [(1, 2), (2, 4), (3, 8)]
    """

    n_jobs: int | None = 1
    writes_results: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.n_jobs == 0:
            raise ValueError("the number of processes is 0; give 1 or more, or -1 for one per core")

    def completed(
        self, function: Work[Task, Result], tasks: Iterable[Task], shared: object = None
    ) -> Iterator[tuple[Task, Result]]:
        """Yield each task with ``function(shared, task)``, in the order they are finished.

        Parameters
        ----------
        function : callable
            What to do; it must not change `shared`. Compiled libraries get one thread per call.
        tasks : iterable
            Taken in order, and only as processes become free.
        shared : object
            What all tasks use.

        Raises
        ------
        Exception
            The first error of a task, with a note that names the task. It ends the run.
        """
        n_processes = joblib.effective_n_jobs(self.n_jobs)
        if isinstance(tasks, Sized):
            n_processes = min(n_processes, len(tasks))
        if n_processes <= 1:
            controller = ThreadpoolController()
            for task in tasks:
                with controller.limit(limits=1):
                    result = call_task(function, shared, task)
                yield task, result
            return
        with (
            # On Windows a worker that still has the shared file mapped keeps it from being removed.
            tempfile.TemporaryDirectory(
                prefix="imbtext-", ignore_cleanup_errors=sys.platform == "win32"
            ) as folder,
            terminated_cleanly(),
            _workers_end_with_us(),
            joblib.parallel_config("loky", inner_max_num_threads=1),
        ):
            # joblib replaces a worker whose memory has grown; the user need not know.
            warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
            path = Path(folder) / "shared.joblib"
            joblib.dump(shared, path)
            parallel = joblib.Parallel(
                n_jobs=n_processes, return_as="generator_unordered", batch_size=1
            )
            with closing(
                parallel(joblib.delayed(_in_worker)(function, path, task) for task in tasks)
            ) as results:
                yield from results


def call_task(function: Work[Task, Result], shared: object, task: Task) -> Result:
    """Do a task; an error gets a note that names the task."""
    try:
        return function(shared, task)
    except Exception as error:
        error.add_note(f"while working on {task!r}"[:1000])
        raise


def _in_worker(function: Work[Task, Result], shared: Path, task: Task) -> tuple[Task, Result]:
    _prepare_worker()
    return task, call_task(function, _load(shared), task)


@lru_cache(maxsize=1)
def _load(path: Path) -> object:
    return joblib.load(path, mmap_mode="r")


@lru_cache(maxsize=1)
def _prepare_worker() -> None:
    # Ctrl-C reaches every process of the terminal; the parent alone decides what it means.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    # On Windows a dead parent keeps its number: there a worker ends when it asks for its next task.
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


@contextmanager
def _workers_end_with_us() -> Iterator[None]:
    """Stop the workers at once when the run ends early: their finished results are stored."""
    try:
        yield
    except BaseException:
        get_reusable_executor().shutdown(wait=True, kill_workers=True)
        raise


def completed_units(
    pool: Pool,
    run: Callable[[Any, Task], Iterable[Unit]],
    tasks: Iterable[Task],
    shared: object = None,
    keep: Callable[[Sequence[Unit]], None] | None = None,
) -> Iterator[tuple[Task, list[Unit]]]:
    """Run tasks that consist of units of work, and keep each unit the moment it is finished.

    ``run(shared, task)`` yields the units of a task one by one. Processes of this machine keep
    their units themselves, so a kill loses only what was being computed. Workers elsewhere cannot
    write to the caller's files; their units are kept when their task comes back.

    Parameters
    ----------
    pool : Pool
        Where to run.
    run : callable
        What to do.
    tasks : iterable
        Taken in order, and only as workers become free.
    shared : object
        What all tasks use.
    keep : callable, default=None
        Stores finished units; None keeps none.

    Examples
    --------
    >>> kept = []
    >>> run = lambda base, powers: (base**power for power in powers)
    >>> list(completed_units(ProcessPool(1), run, [(1, 2), (3,)], shared=2, keep=kept.extend))
    [((1, 2), [2, 4]), ((3,), [8])]
    >>> kept
    [2, 4, 8]
    """
    work = _UnitsOfTask(run, shared, keep if pool.writes_results else None)
    for task, units in pool.completed(_run_task, tasks, shared=work):
        if keep is not None and not pool.writes_results:
            keep(units)
        yield task, units


@dataclass(frozen=True)
class _UnitsOfTask:
    """The data that all tasks of `completed_units` share."""

    run: Callable[[Any, Any], Iterable[Any]]
    shared: object
    keep: Callable[[Sequence[Any]], None] | None


def _run_task(work: _UnitsOfTask, task: Task) -> list[Any]:
    units = []
    for unit in work.run(work.shared, task):
        if work.keep is not None:
            work.keep([unit])
        units.append(unit)
    return units


def pool_of(n_jobs: "int | Pool | None") -> Pool:
    """Return the pool that a parameter `n_jobs` stands for: a number of processes, or a pool.

    Examples
    --------
    >>> pool_of(2)
    ProcessPool(n_jobs=2)
    """
    if n_jobs is None or isinstance(n_jobs, int | Integral):
        return ProcessPool(None if n_jobs is None else int(n_jobs))
    if not hasattr(n_jobs, "completed"):
        raise TypeError(
            f"n_jobs is {n_jobs!r:.60} ({type(n_jobs).__name__}); give a whole number of "
            "processes, -1 for one per core, or a pool"
        )
    return n_jobs
