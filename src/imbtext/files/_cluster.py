"""A Dask cluster to work on, and what goes wrong on it in our words.

:func:`connected` gives a client: of the cluster in use, of one at an address, or of our own worker
processes. :class:`DaskPool` runs tasks there for :mod:`imbtext.parallel`; files and frames submit
their own tasks and wait for them with :func:`working`.
"""

import logging
import os
import re
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar
from uuid import uuid4

from imbtext._extras import require
from imbtext._messages import warn_user
from imbtext.parallel import call_task
from imbtext.progress import progress_bar

if TYPE_CHECKING:
    from distributed import Client, Future

Task = TypeVar("Task")
Result = TypeVar("Result")
Watch = Callable[[str, "list[Future[Any]]"], None]

# Seconds without workers after which the work ends, unless Dask's configuration says otherwise:
# ``imbtext.no-workers-timeout``, or DASK_IMBTEXT__NO_WORKERS_TIMEOUT in the environment.
_PATIENCE: Final = 60.0
# One core per worker: words are split and counted on one thread, and workers are many. It must be
# there before the process begins, which imports the user's script and with it Polars.
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
        The scheduler, such as ``"tcp://10.0.0.5:8786"``. By default the active client is used. If
        there is none, a cluster of worker processes on this machine is started, and closed when
        the block ends.
    n_workers : int, optional
        Number of these processes; by default one per core.
    memory_limit : str or int, default="auto"
        Memory of each of these processes, such as ``"2GiB"``; by default an equal part.
    """
    from joblib import cpu_count

    distributed = require("distributed", extra="dask")
    if isinstance(address, distributed.Client):
        raise TypeError(
            "address is a Client; leave it out, and the active client is used, or give the "
            "scheduler's address as a str"
        )
    if address is not None:
        try:
            client = distributed.Client(address, timeout="20s")
        except (OSError, ValueError, TypeError) as error:
            raise ConnectionError(
                f"no Dask scheduler answers at {address!r} ({error}); start one with "
                "'dask scheduler', or leave the address out to use worker processes of this machine"
            ) from error
        with _only_our_words(), client:
            if not client.scheduler_info()["workers"]:
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
        yield client


@contextmanager
def _single_threaded_workers() -> Iterator[None]:
    """Let the workers that are started use one thread each, unless the user asked for another."""
    dask = require("dask", extra="dask")
    before = os.environ.get(_POLARS_THREADS)
    with dask.config.set({f"distributed.nanny.pre-spawn-environ.{_POLARS_THREADS}": 1}):
        try:
            yield
        finally:
            if before is None:  # Dask sets it in this process, for all that it starts
                os.environ.pop(_POLARS_THREADS, None)


@contextmanager
def clear_failures() -> Iterator[None]:
    """Say in our words what failed on the cluster, and what to do about it."""
    distributed = require("distributed", extra="dask")
    try:
        yield
    except distributed.KilledWorker as error:
        raise ClusterError(
            f"the task {_name(error.task)} was given up: every worker that ran it died, most "
            "likely for lack of memory. Use smaller partitions, fewer threads per worker, or "
            "workers with more memory"
        ) from error
    except (distributed.CancelledError, distributed.comm.CommClosedError) as error:
        raise ClusterError(
            "the connection to the Dask scheduler was lost before the work was done; look at the "
            "scheduler's log, start it again, and run again: what was stored is kept"
        ) from error


@contextmanager
def _only_our_words() -> Iterator[None]:
    """Keep Dask from writing to the terminal what we say in a line."""
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
    """Looks now and then whether a cluster still has workers, and gives up after a while without.

    Dask itself waits forever. Workers that have never been there get more time, because some
    clusters start them only when there is work.
    """

    def __init__(self, client: "Client") -> None:
        dask = require("dask", extra="dask")
        self.client = client
        self.patience = float(dask.config.get("imbtext.no-workers-timeout", _PATIENCE))
        self.last_seen: float | None = None
        self.next_look = 0.0

    def check(self) -> None:
        now = time.monotonic()
        if now < self.next_look or self.client.status != "running":
            return
        self.next_look = now + min(1.0, self.patience / 4)
        try:
            has_workers = bool(self.client.nthreads())
        except OSError:  # a lost scheduler cancels all tasks, which is noticed elsewhere
            return
        if has_workers:
            self.last_seen = now
        elif self.last_seen is not None and now - self.last_seen > self.patience:
            raise ClusterError(
                f"the Dask cluster has had no workers for {now - self.last_seen:.0f} seconds, so "
                "the work ends here; start workers, look at the logs of those that died, and run "
                "again: what was stored is kept"
            )


def completed_futures(
    client: "Client", futures: "Iterable[Future[Any]]"
) -> "Iterator[Future[Any]]":
    """Yield tasks as they are done; raise where all workers are gone for long."""
    unfinished = require("distributed", extra="dask").as_completed(list(futures))
    workers = _Workers(client)
    while not unfinished.is_empty():
        if unfinished.has_ready():
            yield next(unfinished)
        else:
            workers.check()
            time.sleep(0.02)


def result_of(client: "Client", future: "Future[Any]") -> Any:
    """Return the result of a task; raise where all workers are gone for long."""
    workers = _Workers(client)
    while True:
        try:
            return future.result(timeout=1)
        except TimeoutError:
            if future.status == "error":  # the task's own
                raise
            workers.check()


@contextmanager
def working(dask: str | None, *, quiet: bool) -> "Iterator[tuple[Client, Watch]]":
    """Give a client, and a function that waits for tasks and shows how many are done.

    `dask` is the address of a scheduler; None or ``"local"`` is the cluster at hand.

    It empties the list of tasks it is given, so that results nobody needs leave the workers'
    memory. The first task that fails ends the wait and cancels the others.
    """
    with (
        connected(None if dask == "local" else dask) as client,
        clear_failures(),
        progress_bar(quiet=quiet) as bar,
    ):

        def watch(name: str, futures: "list[Future[Any]]") -> None:
            tasks = bar.add_task(name, total=len(futures))
            unfinished = set(futures)
            futures.clear()
            try:
                for future in completed_futures(client, unfinished):
                    unfinished.discard(future)
                    if future.status != "finished":
                        future.result()
                    bar.advance(tasks)
            except BaseException:
                client.cancel(list(unfinished))
                raise

        yield client, watch


@dataclass(frozen=True)
class DaskPool:
    """The workers of a Dask cluster as a pool: pass it as `n_jobs` where a number may stand.

    If a worker is killed, another one does its task again. Workers may be on other machines, so
    only the process that asked for the results stores them.

    Parameters
    ----------
    address : str, optional
        The scheduler; see :func:`imbtext.distributed.connected`.

    See Also
    --------
    imbtext.parallel.ProcessPool : The same on processes of this machine.

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
            As for :class:`imbtext.parallel.ProcessPool`.
        """
        run, name = uuid4().hex, function.__name__.strip("_").replace("_", "-")
        with connected(self.address) as client, clear_failures(), warnings.catch_warnings():
            # What all tasks share is sent once, to the scheduler, which can send it again when the
            # workers that held it are gone.
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


def _identity(value: Any) -> Any:
    return value


def _called(function: Callable[[Any, Task], Result], shared: Any, task: Task) -> Result:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(limits=1):
        return call_task(function, shared, task)


def _name(task: Any) -> str:
    return repr(re.sub("-[0-9a-f]{32}.*", "", str(task)).strip("('"))
