"""Asking many questions: from the cache where possible, in parallel, again after a failure."""

import hashlib
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any

from imbtext.oversampling._prompt_answers import Answer, PromptingError
from imbtext.oversampling._prompt_bill import Bill, worst_case
from imbtext.oversampling._prompt_cache import AnswerCache, question_key
from imbtext.oversampling._prompt_server import ChatServer, Messages, PassingFailureError

# Seconds before the second try; each further try waits twice as long.
FIRST_WAIT = 1.0
_LONGEST_OWN_WAIT = 60.0
_LONGEST_WAIT = 600.0


@dataclass(frozen=True)
class CallableModel:
    """A user's function from messages to an answer, in the place of a server."""

    function: Callable[[Messages], Any]
    max_tokens: int

    def identity(self) -> dict[str, Any]:
        """Return the function's name, which stands for what it does."""
        kind = type(self.function)
        name = getattr(self.function, "__qualname__", f"{kind.__module__}.{kind.__qualname__}")
        module = getattr(self.function, "__module__", "")
        return {"callable": f"{module}:{name}", "max_tokens": self.max_tokens}

    def ask(self, messages: Messages) -> Answer:
        """Call the function; a lost connection or a timeout in it may pass."""
        try:
            found = self.function(messages)
        except (ConnectionError, TimeoutError) as error:
            raise PassingFailureError(f"{type(error).__name__}: {error}", was_sent=True) from error
        if isinstance(found, str):
            return Answer(found)
        if not isinstance(found, Answer):
            raise TypeError(
                f"the model returned {found!r:.60} ({type(found).__name__}); it must return a "
                "string, or an imbtext.oversampling.Answer with the numbers of tokens"
            )
        return found


@dataclass
class Asking:
    """Asks a model; the bill, the cache and the limits of patience are those of one run.

    A question is sent again up to `max_retries` times; `n_threads` are on their way at a time.
    """

    model: CallableModel | ChatServer
    cache: AnswerCache
    bill: Bill
    max_retries: int
    n_threads: int
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)

    def answers(self, questions: Sequence[tuple[int, Messages]]) -> list[Answer]:
        """Return the answers to numbered questions, in order.

        An answer is in the cache the moment it arrives. The first failure that will not pass stops
        the rest; what was on its way is still awaited and kept, since it is paid for.
        """
        identity = self.model.identity()
        keys = [
            question_key({**identity, "messages": messages, "number": number})
            for number, messages in questions
        ]
        found: dict[str, Answer] = {}
        for key in keys:
            if (answer := self.cache.get(key)) is not None:
                found[key] = answer
                self.bill.usage.cached += 1
        failure: BaseException | None = None
        with ThreadPoolExecutor(self.n_threads) as pool:
            waiting: dict[Future[Answer | None], str] = {
                pool.submit(self._answer, key, messages): key
                for key, (_, messages) in zip(keys, questions, strict=True)
                if key not in found
            }
            try:
                for future in as_completed(waiting):
                    try:
                        answer = future.result()
                    except Exception as error:
                        failure = failure or error
                        self._stop.set()
                        continue
                    if answer is not None:
                        found[waiting[future]] = answer
                        self.cache.put(waiting[future], answer)
            finally:
                self._stop.set()
        self._stop.clear()
        if failure is not None:
            raise failure
        return [found[key] for key in keys]

    def _answer(self, key: str, messages: Messages) -> Answer | None:
        """Ask until an answer comes; None where the run has stopped meanwhile."""
        worst = worst_case(messages, self.model.max_tokens)
        for attempt in range(self.max_retries + 1):
            if self._stop.is_set():
                return None
            with self._lock:
                self.bill.reserve(worst)
                self.bill.usage.requests += 1
                self.bill.usage.retries += attempt > 0
            answer, failure = None, None
            try:
                answer = self.model.ask(messages)
            except PassingFailureError as error:
                failure = error
            finally:
                with self._lock:
                    self.bill.release(worst)
                    if answer is not None or (failure is not None and failure.was_sent):
                        self.bill.pay(worst, answer)
            if answer is not None:
                return answer
            if attempt < self.max_retries and failure is not None:
                self._stop.wait(_pause(failure, key, attempt))
        raise PromptingError(
            f"no answer after {self.max_retries + 1} tries, the last one because {failure}; try "
            "again later (with a cache nothing is paid twice), or raise max_retries or timeout"
        )


def _pause(failure: PassingFailureError, key: str, attempt: int) -> float:
    """Return how long to wait: what the server asks for, else twice as long each time."""
    if failure.wait is not None:
        if failure.wait > _LONGEST_WAIT:
            raise PromptingError(
                f"{failure}, and asks to wait {failure.wait:.0f} seconds; try again then (with a "
                "cache nothing is paid twice)"
            )
        return failure.wait
    # Spread, so that questions that failed together do not come back together; by the question
    # and not by chance, so that a run can be repeated.
    spread = hashlib.blake2b(f"{key}|{attempt}".encode(), digest_size=1).digest()[0] / 255
    return min(FIRST_WAIT * 2**attempt, _LONGEST_OWN_WAIT) * (0.5 + spread / 2)
