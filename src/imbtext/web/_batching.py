"""One call of the model for the documents of many requests.

Every call has a fixed cost, whatever the number of documents. So the first request is answered at
once. Requests that arrive meanwhile wait, and all of them go together when the model is free. No
request waits for others that may never come.

A few short documents are answered in the event loop itself: changing threads would take longer than
reading them. For more, the model works in a thread of its own while the loop reads other requests.
The class knows nothing of HTTP or of models.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from imbtext._typing import Document, Record

# Documents, and characters of theirs, that go together: a call needs memory by their number.
_MOST_AT_ONCE: Final = 256
_MOST_CHARACTERS: Final = 1_000_000
_MOST_WAITING: Final = 20_000
# Scoring this many characters takes a millisecond or two.
_FEW_CHARACTERS: Final = 10_000

Result = TypeVar("Result")
_Request = tuple[Sequence[Document], bool, "asyncio.Future[list[Record]]"]


class TooManyWaitingError(Exception):
    """More documents are waiting than the server will hold."""


class Batcher:
    """Calls a function with the documents of many requests at once.

    Parameters
    ----------
    answer : callable
        Takes a list of documents and, for each, whether more was asked for; returns the answers.
    together : bool, default=True
        Whether documents of several requests may go together.
    quick : bool, default=True
        Whether the function answers a few short documents in no time. If not, as with a sentence
        encoder, it is always called in the thread.

    Examples
    --------
    >>> async def ask_twice():
    ...     batcher = Batcher(lambda texts, _: [{"length": len(text)} for text in texts])
    ...     asked = batcher.ask(["oil"], False), batcher.ask(["", "a"], False)
    ...     answers = await asyncio.gather(*asked)
    ...     batcher.close()
    ...     return answers
    >>> asyncio.run(ask_twice())
    [[{'length': 3}], [{'length': 0}, {'length': 1}]]
    """

    def __init__(
        self,
        answer: Callable[[list[Document], list[bool]], list[Record]],
        *,
        together: bool = True,
        quick: bool = True,
    ) -> None:
        self._answer = answer
        self._most_at_once = _MOST_AT_ONCE if together else 1
        self._few_characters = _FEW_CHARACTERS if quick else -1
        self._waiting: deque[_Request] = deque()
        self._n_waiting = 0
        self._task: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, "model")

    async def ask(self, documents: Sequence[Document], wish: bool) -> list[Record]:
        """Return the answer for each document; a request that is cancelled leaves the queue."""
        if self._n_waiting + len(documents) > _MOST_WAITING:
            raise TooManyWaitingError(f"{self._n_waiting:,} documents are waiting")
        future: asyncio.Future[list[Record]] = asyncio.get_running_loop().create_future()
        self._waiting.append((documents, wish, future))
        self._n_waiting += len(documents)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())
        return await future

    async def in_thread(self, function: Callable[..., Result], *arguments: object) -> Result:
        """Call a function where the loop need not wait for it."""
        return await asyncio.get_running_loop().run_in_executor(None, function, *arguments)

    def close(self) -> None:
        """Let the thread go."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch, is_short = self._next_batch()
            if not batch:
                continue
            if is_short:
                outcomes = self._answers(batch)
            else:
                try:
                    outcomes = await loop.run_in_executor(self._thread, self._answers, batch)
                except BaseException as error:  # the loop is closing
                    outcomes = [error] * len(batch)
            for (_, _, future), outcome in zip(batch, outcomes, strict=True):
                if future.done():
                    continue
                if isinstance(outcome, BaseException):
                    future.set_exception(outcome)
                else:
                    future.set_result(outcome)
            await asyncio.sleep(0)  # read the requests that came meanwhile

    def _next_batch(self) -> tuple[list[_Request], bool]:
        """Return the requests that go together, and whether answering them takes no time."""
        batch, n_documents, n_characters = [], 0, 0
        while (
            self._waiting and n_documents < self._most_at_once and n_characters < _MOST_CHARACTERS
        ):
            documents, wish, future = self._waiting.popleft()
            self._n_waiting -= len(documents)
            if not future.done():  # whoever asked is still there
                batch.append((documents, wish, future))
                n_documents += len(documents)
                n_characters += sum(map(len, documents))
        is_short = n_characters <= self._few_characters and not any(wish for _, wish, _ in batch)
        return batch, is_short

    def _answers(self, batch: Sequence[_Request]) -> list[list[Record] | BaseException]:
        """Return the answers to each request, or the error that it caused."""
        documents = [document for request, _, _ in batch for document in request]
        wishes = [wish for request, wish, _ in batch for _ in request]
        try:
            answers = self._answer(documents, wishes)
        except BaseException as error:  # a panic of Polars, too: whoever asked must not wait
            if len(batch) == 1:
                return [error]
            # One request must not fail for another's sake.
            return [outcome for request in batch for outcome in self._answers([request])]
        outcomes: list[list[Record] | BaseException] = []
        first = 0
        for request, _, _ in batch:
            outcomes.append(answers[first : first + len(request)])
            first += len(request)
        return outcomes
