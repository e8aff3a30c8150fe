"""Asking a language model within a budget, and keeping its answers.

A model is any callable from messages to text. ``_openai_model.py`` has the ready one.

:class:`PromptedSampler` sends its questions through :class:`Questioner`, which adds what no model
does by itself:

* a deadline for each request, whatever the model does in the meantime;
* a :class:`Budget`, whose caps are never exceeded: a request is let through only if the worst case,
  its retries included, stays below every cap;
* a file that keeps every answer the moment it arrives, so that nothing is paid for twice;
* several requests at a time, whose answers come back in the order of the questions.

Nothing here knows of documents: the sampler decides what to ask and reads the answers.
"""

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from imbtext._typing import Record
from imbtext.oversampling._openai_model import MAX_TOKENS, Answer, Messages, PromptingError

_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS answers (question TEXT PRIMARY KEY, answer TEXT NOT NULL)"
)
_SECONDS_TO_WAIT_FOR_A_LOCK: Final = 60.0
# The form of a chat adds at most this much to the text of each message.
_TOKENS_PER_MESSAGE: Final = 16


class BudgetExceededError(PromptingError):
    """The next request could exceed a cap. The answers that were paid for are in the cache."""


@dataclass
class Usage:
    """What :class:`imbtext.PromptedSampler` sent, what it cost, and what came back.

    Attributes
    ----------
    requests : int
        Requests sent, repeated ones included.
    cached : int
        Questions answered from the cache, which cost nothing.
    retries : int
        Requests sent again after a failure.
    prompt_tokens, completion_tokens : int
        Tokens read and written by the model.
    estimated_tokens : int
        How many of these the server did not report; the worst case was counted instead.
    cost : float
        Money spent, at the given price.
    refusals, malformed : int
        Answers without documents: the model declined, or did not answer with a list.
    near_copies, duplicates : int
        Documents that nearly repeat an original, and documents that repeat another answer.
    """

    requests: int = 0
    cached: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated_tokens: int = 0
    cost: float = 0.0
    refusals: int = 0
    malformed: int = 0
    near_copies: int = 0
    duplicates: int = 0

    @property
    def tokens(self) -> int:
        """All tokens that were paid for."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class WorstCase:
    """The most tokens that one request can use, its retries included.

    Examples
    --------
    >>> WorstCase.of([{"role": "user", "content": "Oil?"}], len)
    WorstCase(prompt_tokens=20, completion_tokens=1024, tries=1)
    """

    prompt_tokens: int
    completion_tokens: int
    tries: int = 1

    @classmethod
    def of(cls, messages: Messages, model: Callable[[Messages], object]) -> "WorstCase":
        """Count one token for each byte of the question, and the longest answer."""
        n_bytes = sum(len(message["content"].encode()) for message in messages)
        return cls(
            n_bytes + _TOKENS_PER_MESSAGE * len(messages),
            getattr(model, "max_tokens", MAX_TOKENS),
            1 + getattr(model, "max_retries", 0),
        )

    @property
    def tokens(self) -> int:
        """The tokens of all tries together."""
        return self.tries * (self.prompt_tokens + self.completion_tokens)


@dataclass
class Budget:
    """Counts what is used, and refuses a request that could exceed a cap.

    Attributes
    ----------
    price : tuple of two floats
        Money per million tokens, read and written.
    max_tokens, max_cost : number or None
        The caps.
    """

    price: tuple[float, float] = (0.0, 0.0)
    max_tokens: int | None = None
    max_cost: float | None = None
    usage: Usage = field(default_factory=Usage)
    _reserved_tokens: int = 0
    _reserved_cost: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: Mapping[str, object]) -> None:
        vars(self).update(state, _lock=threading.Lock())

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return what these tokens cost.

        Examples
        --------
        >>> Budget(price=(1.0, 4.0)).cost(500_000, 250_000)
        1.5
        """
        return (self.price[0] * prompt_tokens + self.price[1] * completion_tokens) / 1e6

    def reserve(self, worst: WorstCase) -> None:
        """Set aside the worst case of a request, or refuse the request."""
        cost = self._worst_cost(worst)
        with self._lock:
            spent = self.usage.tokens + self._reserved_tokens
            if self.max_tokens is not None and spent + worst.tokens > self.max_tokens:
                raise BudgetExceededError(
                    f"the next request could take {worst.tokens:,} tokens, but "
                    f"{self.usage.tokens:,} of the {self.max_tokens:,} allowed are already spent; "
                    "raise max_total_tokens, or ask for fewer documents (with a cache you never "
                    "pay twice)"
                )
            paid = self.usage.cost + self._reserved_cost
            if self.max_cost is not None and paid + cost > self.max_cost:
                raise BudgetExceededError(
                    f"the next request could cost {cost:.4g}, but {self.usage.cost:.4g} of the "
                    f"{self.max_cost:.4g} allowed are already spent; raise max_cost, or ask for "
                    "fewer documents (with a cache you never pay twice)"
                )
            self._reserved_tokens += worst.tokens
            self._reserved_cost += cost

    def settle(self, worst: WorstCase, answer: Answer | None) -> None:
        """Count what a request used; None stands for a request that failed on every try."""
        with self._lock:
            self._reserved_tokens -= worst.tokens
            self._reserved_cost -= self._worst_cost(worst)
            n_failed = worst.tries if answer is None else answer.retries
            self.usage.requests += n_failed + (answer is not None)
            self.usage.retries += n_failed - (answer is None)
            for _ in range(n_failed):
                self._pay(worst, None, None)
            if answer is not None:
                self._pay(worst, answer.prompt_tokens, answer.completion_tokens)

    def _worst_cost(self, worst: WorstCase) -> float:
        return worst.tries * self.cost(worst.prompt_tokens, worst.completion_tokens)

    def _pay(self, worst: WorstCase, prompt: int | None, completion: int | None) -> None:
        usage = self.usage
        if prompt is None:
            prompt = worst.prompt_tokens
            usage.estimated_tokens += prompt
        if completion is None:
            completion = worst.completion_tokens
            usage.estimated_tokens += completion
        usage.prompt_tokens += prompt
        usage.completion_tokens += completion
        usage.cost += self.cost(prompt, completion)


class AnswerCache(AbstractContextManager["AnswerCache"]):
    """An SQLite file of answers, safe to share between processes; without a path, in memory.

    The key of an answer is a digest of everything that determines it: the server, the model, its
    settings, the messages and the number of the question. No key of a service is stored.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._file = Path(":memory:" if path is None else path)
        if not self._file.parent.is_dir():
            raise FileNotFoundError(
                f"cannot keep answers in {self._file}: the folder {self._file.parent} does not "
                "exist; create it first"
            )
        with self._naming_the_file():
            self._connection = sqlite3.connect(self._file, timeout=_SECONDS_TO_WAIT_FOR_A_LOCK)
            try:
                with self._connection:
                    self._connection.execute(_TABLE)
            except sqlite3.Error:
                self._connection.close()
                raise

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    @contextmanager
    def _naming_the_file(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise PromptingError(
                f"{self._file} is not a cache of answers that can be used ({error}); name another "
                "file, or remove this one"
            ) from error

    @staticmethod
    def key(question: Mapping[str, object]) -> str:
        """Return the digest of a question.

        Examples
        --------
        >>> AnswerCache.key({"model": "m", "n": 1}) == AnswerCache.key({"n": 1, "model": "m"})
        True
        """
        text = json.dumps(question, sort_keys=True, ensure_ascii=True)
        return hashlib.blake2b(text.encode(), digest_size=20).hexdigest()

    def get(self, key: str) -> Answer | None:
        """Return the answer to a question, if it was asked before."""
        with self._naming_the_file():
            row = self._connection.execute(
                "SELECT answer FROM answers WHERE question = ?", (key,)
            ).fetchone()
            return None if row is None else Answer(**json.loads(row[0]))

    def put(self, key: str, answer: Answer) -> None:
        """Write an answer immediately: it was paid for."""
        with self._naming_the_file(), self._connection:
            self._connection.execute(
                "INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, json.dumps(asdict(answer)))
            )


@dataclass
class Questioner:
    """Asks a model many questions, within a budget, and keeps the answers.

    Attributes
    ----------
    model : callable
        From messages to a string or an :class:`Answer`.
    cache : AnswerCache
        Where answers are looked up and kept.
    budget : Budget
        What may be spent.
    deadline : float
        Seconds that one call of the model may take.
    n_threads : int
        Requests on their way at the same time.
    """

    model: Callable[[Messages], str | Answer]
    cache: AnswerCache
    budget: Budget
    deadline: float
    n_threads: int = 1

    def answers(self, questions: Sequence[tuple[int, Messages]]) -> list[Answer]:
        """Return the answers to numbered questions, in order.

        An answer is in the cache the moment it arrives. The first failure stops the questions that
        were not sent yet; those on their way are awaited and kept, since they are paid for.
        """
        identity = _identity(self.model)
        keys = [
            AnswerCache.key({**identity, "messages": messages, "number": number})
            for number, messages in questions
        ]
        answers: dict[str, Answer] = {}
        for key in keys:
            if (answer := self.cache.get(key)) is not None:
                answers[key] = answer
                self.budget.usage.cached += 1
        failure: Exception | None = None
        has_failed = threading.Event()
        with ThreadPoolExecutor(self.n_threads) as pool:
            pending: dict[Future[Answer | None], str] = {
                pool.submit(self._ask, messages, has_failed): key
                for key, (_, messages) in zip(keys, questions, strict=True)
                if key not in answers
            }
            try:
                for future in as_completed(pending):
                    try:
                        answer = future.result()
                    except Exception as error:
                        failure = failure or error
                        continue
                    if answer is not None:
                        answers[pending[future]] = answer
                        self.cache.put(pending[future], answer)
            finally:
                has_failed.set()
        if failure is not None:
            raise failure
        return [answers[key] for key in keys]

    def _ask(self, messages: Messages, has_failed: threading.Event) -> Answer | None:
        """Ask one question; None if another one has failed in the meantime."""
        if has_failed.is_set():
            return None
        worst = WorstCase.of(messages, self.model)
        answer = None
        try:
            self.budget.reserve(worst)
            try:
                answer = _as_answer(_call_within(self.deadline, self.model, messages))
            finally:
                self.budget.settle(worst, answer)
        except BaseException:
            has_failed.set()  # here, since this thread takes the next question right away
            raise
        return answer


def _call_within(
    seconds: float, model: Callable[[Messages], str | Answer], messages: Messages
) -> str | Answer:
    """Call a model, and give up on it after a time.

    Nothing can stop a thread that is waiting for a server, so the call has a thread of its own and
    is left behind there. It is a daemon: it does not keep the program from ending, as a thread of
    a pool would.
    """
    call: Future[str | Answer] = Future()

    def run() -> None:
        try:
            call.set_result(model(messages))
        except BaseException as error:
            call.set_exception(error)

    threading.Thread(target=run, name="imbtext-prompt", daemon=True).start()
    try:
        return call.result(timeout=min(seconds, threading.TIMEOUT_MAX))
    except TimeoutError:
        if call.done():  # the model's own error
            raise
        raise PromptingError(
            f"the model did not answer within {seconds:g} seconds; try again later (with a cache "
            "you never pay twice), or raise deadline"
        ) from None


def _as_answer(value: object) -> Answer:
    if isinstance(value, Answer):
        return value
    if isinstance(value, str):
        return Answer(value)
    raise TypeError(
        f"the model returned {value!r:.60} ({type(value).__name__}); it must return a string, or "
        "an imbtext.oversampling.Answer with the number of tokens"
    )


def _identity(model: object) -> Record:
    """Return what determines a model's answers; a function's name stands for what it does."""
    if hasattr(model, "identity"):
        return dict(model.identity())
    kind = type(model)
    name = getattr(model, "__qualname__", f"{kind.__module__}.{kind.__qualname__}")
    return {
        "callable": f"{getattr(model, '__module__', '')}:{name}",
        "max_tokens": getattr(model, "max_tokens", MAX_TOKENS),
    }
