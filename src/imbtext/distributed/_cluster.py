"""A Dask cluster to work on, and clear errors when it fails.

:func:`connected` gives a client of the cluster in use, of one at an address, or of worker processes
that it starts. :class:`DaskPool` runs tasks there, as any pool does. :class:`DaskWorkers` also
keeps results where they were made, for files and frames.
"""

import logging
import os
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar
from uuid import uuid4
from weakref import WeakSet

from imbtext._extras import require
from imbtext._messages import warn_user
from imbtext._typing import Record
from imbtext.parallel import call_task
from imbtext.progress import progress_bar

if TYPE_CHECKING:
    from distributed import Client, Future
    from rich.progress import Progress

Shared = TypeVar("Shared")
Task = TypeVar("Task")
Result = TypeVar("Result")

# Seconds without workers after which the work ends, unless Dask's configuration says otherwise:
# ``imbtext.no-workers-timeout``, or DASK_IMBTEXT__NO_WORKERS_TIMEOUT in the environment. Workers
# that are all paused get ten times as long, because memory may become free.
_PATIENCE: Final = 60.0
_PAUSED_FACTOR: Final = 10
# Whoever had workers and has none now has lost them, whether or not this wait has seen them.
_CLIENTS_WITH_WORKERS: "WeakSet[Client]" = WeakSet()
# There is a worker for each core, so Polars gets one thread in each. The variable must be set
# before the process begins, because that imports the user's script and with it Polars.
_POLARS_THREADS: Final = "POLARS_MAX_THREADS"


class ClusterError(ConnectionError):
    """The cluster failed, not the work on it: no workers, no memory, or no scheduler."""


@contextmanager
def connected(
    address: str | None = None, *, n_workers: int | None = None, memory_limit: str | int = "auto"
) -> "Iterator[Client]":
    """Give a client of a cluster inside a ``with`` block.

    Parameters
    ----------
    address : str, optional
        The scheduler, such as ``"tcp://10.0.0.5:8786"``. By default, or with ``"local"``, the
        active client is used. If there is none, a cluster of worker processes on this machine is
        started, and closed when the block ends.
    n_workers : int, optional
        Number of these processes; by default one per core.
    memory_limit : str or int, default="auto"
        Memory of each of these processes, such as ``"2GiB"``; by default an equal part.
    """
    from joblib import cpu_count

    distributed = require("distributed", extra="dask")
    if isinstance(address, distributed.Client):
        raise TypeError(
            "address is a Client; leave it out to use the active client, or give the scheduler's "
            "address as a str"
        )
    if address not in (None, "local"):
        try:
            client = distributed.Client(address, timeout="20s")
        except (OSError, ValueError, TypeError) as error:
            raise ConnectionError(
                f"no Dask scheduler answers at {address!r} ({error}); start one with "
                "'dask scheduler', or leave the address out to use worker processes of this machine"
            ) from error
        with _only_our_words(), client:
            if not _workers_of(client):
                # Not an error: some clusters start workers when there is work.
                warn_user(
                    f"the Dask scheduler at {address} has no workers yet, and the work waits until "
                    f"some come; start them with 'dask worker {address}'",
                    UserWarning,
                )
            yield client
        return
    try:
        active = distributed.get_client()
    except ValueError:
        active = None
    if active is not None:
        _workers_of(active)
        yield active
        return
    with (
        _single_threaded_workers(),
        distributed.LocalCluster(
            n_workers=n_workers or cpu_count(),
            threads_per_worker=1,
            processes=True,
            memory_limit=memory_limit,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,  # errors are raised, so the user reads them once
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        _workers_of(client)
        yield client


@contextmanager
def _single_threaded_workers() -> Iterator[None]:
    """Give the workers that are started one thread each, unless the user set another number."""
    dask = require("dask", extra="dask")
    before = os.environ.get(_POLARS_THREADS)
    with dask.config.set({f"distributed.nanny.pre-spawn-environ.{_POLARS_THREADS}": 1}):
        try:
            yield
        finally:
            if before is None:  # Dask has set it in this process, for all processes it starts
                os.environ.pop(_POLARS_THREADS, None)


@contextmanager
def clear_failures() -> Iterator[None]:
    """Turn Dask's errors into ours, which say what failed and what to do."""
    distributed = require("distributed", extra="dask")
    try:
        yield
    except distributed.KilledWorker as error:
        raise ClusterError(
            f"the task {_name(error.task)} was given up: every worker that ran it died, most "
            "likely for lack of memory. Use smaller files or partitions, fewer threads per worker, "
            "or workers with more memory"
        ) from error
    except (distributed.CancelledError, distributed.comm.CommClosedError) as error:
        raise ClusterError(
            "the connection to the Dask scheduler was lost before the work was done; look at the "
            "scheduler's log, restart it, and run again: what was stored is kept"
        ) from error


@contextmanager
def _only_our_words() -> Iterator[None]:
    """Silence Dask's log on the terminal; our errors say the same in one line."""
    names = ("distributed", "tornado.application")
    handlers = [handler for name in names for handler in logging.getLogger(name).handlers]
    levels = [handler.level for handler in handlers]
    for handler in handlers:
        handler.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for handler, level in zip(handlers, levels, strict=True):
            handler.setLevel(level)


class _Workers:
    """Looks now and then whether any worker of a cluster can work, and gives up after a while.

    Dask itself waits forever, without a word. All workers may be gone, or paused for lack of memory
    with no task under way that could free some. Paused workers may recover, and workers that have
    never come may be waiting in a queue. So the user hears of both; only paused workers end the
    work in the end.
    """

    def __init__(self, client: "Client") -> None:
        dask = require("dask", extra="dask")
        self.client = client
        self.patience = float(dask.config.get("imbtext.no-workers-timeout", _PATIENCE))
        self.state, self.since = "working", time.monotonic()
        self.next_look = 0.0
        self.has_warned = False

    def check(self) -> None:
        now = time.monotonic()
        if now < self.next_look or self.client.status != "running":
            return
        self.next_look = now + min(1.0, self.patience / 4)
        workers = _workers_of(self.client)
        state = "working" if any(map(_can_work, workers)) else "paused" if workers else "gone"
        if state != self.state:
            self.state, self.since, self.has_warned = state, now, False
        seconds = now - self.since
        if state == "working" or seconds <= self.patience:
            return
        if state == "paused":
            self._tell_paused(len(workers), seconds)
        elif self.client in _CLIENTS_WITH_WORKERS:
            raise ClusterError(
                f"the Dask cluster has had no workers for {seconds:.0f} seconds, so the work ends "
                "here; start workers, look at the logs of those that died, and run again: what was "
                "stored is kept"
            )
        else:
            self._warn(
                f"the Dask cluster has had no workers for {seconds:.0f} seconds; the work waits "
                "until some come. Start workers, or stop with Ctrl-C"
            )

    def _tell_paused(self, n: int, seconds: float) -> None:
        which = "the only worker" if n == 1 else f"all {n:,} workers"
        has = "has" if n == 1 else "have"
        paused = (
            f"{which} of the Dask cluster {has} been paused for lack of memory for {seconds:.0f} "
            "seconds"
        )
        advice = "smaller files or partitions, or workers with more memory"
        if seconds > _PAUSED_FACTOR * self.patience:
            raise ClusterError(
                f"{paused}, so the work ends here; use {advice}, and run again: what was stored is "
                "kept"
            )
        self._warn(
            f"{paused}, and no task is running. The work ends after "
            f"{_PAUSED_FACTOR * self.patience:.0f} seconds unless memory becomes free; otherwise "
            f"use {advice}"
        )

    def _warn(self, message: str) -> None:
        if not self.has_warned:
            self.has_warned = True
            warn_user(message, UserWarning)


def _workers_of(client: "Client") -> list[Record]:
    """Return what the scheduler knows of each worker, and remember clients that had some."""
    workers = list(client.scheduler_info(n_workers=-1)["workers"].values())
    if workers:
        _CLIENTS_WITH_WORKERS.add(client)
    return workers


def _can_work(worker: Record) -> bool:
    """Return whether a worker takes tasks or, though paused, still runs one."""
    n_running: int = worker["metrics"].get("task_counts", {}).get("executing", 0)
    return n_running > 0 or str(worker["status"]) != "paused"


def completed_futures(
    client: "Client", futures: "Iterable[Future[Result]]"
) -> "Iterator[Future[Result]]":
    """Yield tasks as they are done; raise an error if no worker can work for long."""
    unfinished = require("distributed", extra="dask").as_completed(list(futures))
    workers = _Workers(client)
    while not unfinished.is_empty():
        if unfinished.has_ready():
            yield next(unfinished)
        else:
            workers.check()
            time.sleep(0.02)


def result_of(client: "Client", future: "Future[Result]") -> Result:
    """Return the result of a task; raise an error if no worker can work for long."""
    workers = _Workers(client)
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            if future.status == "error":  # the task itself raised it
                raise
            workers.check()


class DaskWorkers:
    """The workers of a cluster, which keep results until they are asked for.

    Only what :meth:`result` and :meth:`completed` return comes to this machine. Keys are unique,
    and begin with a name that the dashboard shows.
    """

    writes_results: ClassVar[bool] = False

    def __init__(self, client: "Client", bar: "Progress") -> None:
        self.client, self._bar = client, bar

    def call(
        self, name: str, function: Callable[..., Result], *arguments: object, first: bool = False
    ) -> "Future[Result]":
        """Let a worker call a function; arguments may be results that workers keep.

        With `first`, the call goes before calls that wait.
        """
        future: Future[Result] = self.client.submit(
            function, *arguments, key=_key(name), priority=int(first)
        )
        return future

    def map(
        self,
        name: str,
        function: Callable[..., Result],
        *arguments: Sequence[object],
        **shared: Any,
    ) -> "list[Future[Result]]":
        """Let workers call a function with each of the arguments, and with what all share."""
        keys = [_key(name) for _ in arguments[0]]
        return self.client.map(function, *arguments, key=keys, **shared)

    def wait(self, title: str, kept: "list[Future[Any]]") -> None:
        """Wait until results are made, with a progress bar of this title.

        The list is emptied, so that results nobody needs leave the workers' memory. The first call
        that fails ends the wait and cancels the others.
        """
        tasks = self._bar.add_task(title, total=len(kept))
        unfinished = set(kept)
        kept.clear()
        try:
            for future in completed_futures(self.client, unfinished):
                unfinished.discard(future)
                if future.status != "finished":
                    future.result()
                self._bar.advance(tasks)
        except BaseException:
            self.client.cancel(list(unfinished))
            raise

    def result(self, kept: "Future[Result]") -> Result:
        """Return a result that workers keep."""
        return result_of(self.client, kept)

    def forget(self, *kept: "Future[Any]") -> None:
        """Let workers drop results, and compute none of them again if a worker is lost."""
        self.client.cancel(list(kept))

    def completed(
        self, function: Callable[[Any, Task], Result], tasks: Iterable[Task], shared: Any = None
    ) -> Iterator[tuple[Task, Result]]:
        """Yield each task with ``function(shared, task)``, in the order they are finished."""
        client = self.client
        run, name = uuid4().hex, function.__name__.strip("_").replace("_", "-")
        with warnings.catch_warnings():
            # The scheduler gets what all tasks share once, and can send it again when the workers
            # that held it are gone.
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            shared_on_workers = client.submit(_identity, shared, key=f"shared-{run}")
            futures = {
                client.submit(
                    _called, function, shared_on_workers, task, key=f"{name}-{run}-{i}"
                ): task
                for i, task in enumerate(tasks)
            }
            try:
                for future in completed_futures(client, futures):
                    yield futures.pop(future), result_of(client, future)
            finally:
                client.cancel([*futures, shared_on_workers])


@dataclass(frozen=True)
class DaskPool:
    """The workers of a Dask cluster as a pool: pass it as `n_jobs` where a number may stand.

    The functions of ``imbtext.files`` take it as `pool`. If a worker is killed, another one does
    its task again. Workers may be on other machines, so only the process that asked for the results
    stores them.

    Parameters
    ----------
    address : str, optional
        The address of the scheduler; see :func:`imbtext.distributed.connected`.

    Notes
    -----
    joblib has a Dask backend (``parallel_config(backend="dask")``), which would make this class a
    line of configuration. It was tried with ``return_as="generator_unordered"`` (joblib 1.6.0,
    distributed 2026.8.0), and the tests of this class fail:

    * A task that Dask gives up, because every worker that ran it died, never reaches the caller.
      The backend sets the exception on its future but calls no callback, so the run waits without
      end.
    * It scatters arguments of more than a kilobyte to one worker. When that worker is killed, the
      scheduler cannot make them again, and the run ends with ``FutureCancelledError``; with a
      single worker it waits forever.
    * When the caller stops early, tasks that were submitted stay on the scheduler and run to their
      ends: nothing cancels them.
    """

    address: str | None = None
    writes_results: ClassVar[bool] = False

    def completed(
        self, function: Callable[[Any, Task], Result], tasks: Iterable[Task], shared: Any = None
    ) -> Iterator[tuple[Task, Result]]:
        """Yield each task with ``function(shared, task)``, in the order they are finished.

        Parameters
        ----------
        function, tasks, shared
            As for ``imbtext.parallel.ProcessPool``, the same on processes of this machine.
        """
        with self.workers() as workers:
            yield from workers.completed(function, tasks, shared)

    @contextmanager
    def workers(self, *, quiet: bool = True) -> Iterator[DaskWorkers]:
        """Give the workers, which can keep results where they were made."""
        with (
            connected(self.address) as client,
            clear_failures(),
            progress_bar(quiet=quiet) as bar,
        ):
            yield DaskWorkers(client, bar)


def _identity(shared: Shared) -> Shared:
    return shared


def _called(function: Callable[[Shared, Task], Result], shared: Shared, task: Task) -> Result:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(limits=1):
        return call_task(function, shared, task)


def _name(task: object) -> str:
    return repr(re.sub("-[0-9a-f]{32}.*", "", str(task)).strip("('"))


def _key(name: str) -> str:
    """Return a key that names the task on the dashboard and never occurs twice."""
    return f"{name}-{uuid4().hex}"
