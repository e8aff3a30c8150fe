"""The cluster to work on: the one in use, one at an address, or worker processes of our own."""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from imbtext._extras import require
from imbtext._messages import warn_user
from imbtext.progress import progress_bar

if TYPE_CHECKING:
    from distributed import Client, Future

Watch = Callable[[str, "list[Future[Any]]"], None]

# One core per worker: words are split and counted on one thread, and workers are many.
_WORKER_ENVIRONMENT = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}


@contextmanager
def connected(
    address: str | None = None, *, n_workers: int | None = None, memory_limit: str | int = "auto"
) -> "Iterator[Client]":
    """Give a client of a cluster for the time of the block.

    Parameters
    ----------
    address : str, optional
        The scheduler, such as ``"tcp://10.0.0.5:8786"``. By default the client that is active is
        taken; where there is none, a cluster of worker processes on this machine is started, and
        closed when the block ends.
    n_workers : int, optional
        Processes of such a cluster; by default one per core.
    memory_limit : str or int, default="auto"
        What each of them may use, such as ``"2GiB"``; by default an equal part of the memory.
    """
    from joblib import cpu_count

    distributed = require("distributed", extra="dask")
    if address is not None:
        try:
            client = distributed.Client(address, timeout="20s")
        except (OSError, ValueError, TypeError) as error:
            raise ConnectionError(
                f"no Dask scheduler answers at {address!r} ({error}); start one with "
                "'dask scheduler', or leave the address out to use worker processes of this machine"
            ) from error
        with client:
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
        distributed.LocalCluster(
            n_workers=n_workers or cpu_count(),
            threads_per_worker=1,
            processes=True,
            memory_limit=memory_limit,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,  # what goes wrong is raised, and said once
            env=_WORKER_ENVIRONMENT,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextmanager
def clear_failures() -> Iterator[None]:
    """Say in our words what went wrong on the cluster: which part, and what to do."""
    distributed = require("distributed", extra="dask")
    try:
        yield
    except distributed.KilledWorker as error:
        raise RuntimeError(
            f"the task {_name(error.task)} was given up: every worker that ran it died, most "
            "likely for lack of memory. Use smaller partitions, fewer threads per worker, or "
            "workers with more memory"
        ) from error
    except (distributed.CancelledError, distributed.comm.CommClosedError) as error:
        raise ConnectionError(
            "the connection to the Dask scheduler was lost before the work was done; look at the "
            "scheduler's log, start it again, and run again"
        ) from error


@contextmanager
def working(address: str | None, *, quiet: bool) -> "Iterator[tuple[Client, Watch]]":
    """Give a client, and a function that waits for tasks and shows how many are done.

    The list that it is given is emptied: what is done and needed no longer leaves the workers'
    memory. The first task that fails ends the wait, and the others are cancelled.
    """
    distributed = require("distributed", extra="dask")
    with (
        connected(address) as client,
        clear_failures(),
        progress_bar(quiet=quiet) as bar,
    ):

        def watch(name: str, futures: "list[Future[Any]]") -> None:
            shown = bar.add_task(name, total=len(futures))
            waiting = distributed.as_completed(futures)
            futures.clear()
            try:
                for future in waiting:
                    if future.status != "finished":
                        future.result()
                    bar.advance(shown)
            except BaseException:
                client.cancel(list(waiting.futures))
                raise

        yield client, watch


def _name(task: Any) -> str:
    return repr(re.sub("-[0-9a-f]{32}.*", "", str(task)).strip("('"))
