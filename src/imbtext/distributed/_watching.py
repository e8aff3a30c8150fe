"""Waiting for tasks, with their progress shown in the terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from imbtext._extras import require
from imbtext._progress import progress_bar

if TYPE_CHECKING:
    from distributed import Client, Future

Watch = Callable[[str, "list[Future[Any]]"], None]


@contextmanager
def watching(client: "Client", *, quiet: bool) -> Iterator[Watch]:
    """Give a function that waits for tasks and shows how many are done.

    The list that it is given is emptied: what is done and needed no longer leaves the workers'
    memory. The first task that fails ends the wait, and the others are cancelled.
    """
    distributed = require("distributed", extra="dask")
    with progress_bar(quiet=quiet) as bar:

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

        yield watch
