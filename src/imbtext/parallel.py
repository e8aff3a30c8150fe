"""The one way to spread work over processes; Dask offers the same interface elsewhere.

Results come back as they are finished. What all tasks share (documents, vectors) is written to one
file that the workers map into memory, so that it exists once however many they are. When the run
ends early, by Ctrl-C, SIGTERM, an error or a consumer that stops asking, the workers end with it; a
worker whose parent was killed ends by itself.
"""

import os
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

import joblib
from joblib.externals.loky import get_reusable_executor
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from imbtext._signals import terminated_cleanly

Task = TypeVar("Task")
Result = TypeVar("Result")


class Pool(Protocol):
    """What runs tasks: processes of this machine, or a cluster."""

    @property
    def writes_results(self) -> bool:
        """Whether a task may write its results to a file of the caller's, or must return them."""
        ...

    def completed(
        self, function: Callable[[Any, Task], Result], tasks: Iterable[Task], shared: Any = None
    ) -> Iterator[tuple[Task, Result]]:
        """Yield each task with ``function(shared, task)``, in the order they are finished."""
        ...


@dataclass(frozen=True)
class ProcessPool:
    """So many processes of this machine: 1 works in this one, -1 takes one per core, -2 leaves one.

    Examples
    --------
    >>> sorted(ProcessPool().completed(pow, [1, 2, 3], shared=2))
    [(1, 2), (2, 4), (3, 8)]
    """

    n_jobs: int = 1
    writes_results: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.n_jobs == 0:
            raise ValueError("the number of processes is 0; give 1 or more, or -1 for one per core")

    @property
    def n_processes(self) -> int:
        """Number of processes that `n_jobs` stands for on this machine."""
        if self.n_jobs > 0:
            return self.n_jobs
        return max(1, joblib.cpu_count() + 1 + self.n_jobs)

    def completed(
        self, function: Callable[[Any, Task], Result], tasks: Iterable[Task], shared: Any = None
    ) -> Iterator[tuple[Task, Result]]:
        """Yield each task with ``function(shared, task)``, in the order they are finished.

        Each call has one thread of compiled libraries. An error ends the run and says which task
        it was. Tasks are taken in order and only as workers become free; `shared` must not be
        changed.
        """
        n_processes = self.n_processes
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
            tempfile.TemporaryDirectory(prefix="imbtext-") as folder,
            terminated_cleanly(),
            _workers_end_with_us(),
            joblib.parallel_config("loky", inner_max_num_threads=1),
        ):
            # joblib replaces a worker that has grown; that is no concern of the user's.
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


def call_task(function: Callable[[Any, Task], Result], shared: Any, task: Task) -> Result:
    """Do a task; an error says which task it was."""
    try:
        return function(shared, task)
    except Exception as error:
        error.add_note(f"while working on {task!r}"[:1000])
        raise


def _in_worker(
    function: Callable[[Any, Task], Result], shared: Path, task: Task
) -> tuple[Task, Result]:
    _prepare_worker()
    return task, call_task(function, _load(shared), task)


@lru_cache(maxsize=1)
def _load(path: Path) -> Any:
    return joblib.load(path, mmap_mode="r")


@lru_cache(maxsize=1)
def _prepare_worker() -> None:
    # Ctrl-C reaches every process of the terminal; the parent alone decides what it means.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


@contextmanager
def _workers_end_with_us() -> Iterator[None]:
    """Stop the workers at once when the run ends early: what they finished is stored."""
    try:
        yield
    except BaseException:
        get_reusable_executor().shutdown(wait=True, kill_workers=True)
        raise


def pool_of(jobs: "int | Pool") -> Pool:
    """Return the pool that is meant by a number of processes, or by itself."""
    return ProcessPool(jobs) if isinstance(jobs, int) else jobs
