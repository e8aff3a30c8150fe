"""The pool of processes on a cluster: the interface of :mod:`imbtext.parallel`."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar
from uuid import uuid4

from imbtext._extras import require
from imbtext.files._cluster import clear_failures, connected
from imbtext.parallel import call_task

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class DaskPool:
    """Workers of a Dask cluster.

    What a killed worker was at is done again by another. Workers may be on other machines, so
    results are stored by the process that asked for them, and by no other.

    Parameters
    ----------
    address : str, optional
        The scheduler; see :func:`imbtext.distributed.connected`.
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
        distributed = require("distributed", extra="dask")
        run, name = uuid4().hex, function.__name__.strip("_").replace("_", "-")
        with connected(self.address) as client, clear_failures(), warnings.catch_warnings():
            # What all tasks share is sent once, to the scheduler, which can send it again when the
            # workers that had it are gone.
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            common = client.submit(_given, shared, key=f"shared-{run}")
            futures = {
                client.submit(_called, function, common, task, key=f"{name}-{run}-{i}"): task
                for i, task in enumerate(tasks)
            }
            try:
                for future in distributed.as_completed(list(futures)):
                    yield futures.pop(future), future.result()
            finally:
                client.cancel([*futures, common])


def _given(shared: Any) -> Any:
    return shared


def _called(function: Callable[[Any, Task], Result], shared: Any, task: Task) -> Result:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(limits=1):
        return call_task(function, shared, task)
