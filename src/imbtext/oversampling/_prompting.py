"""Asking a language model, and what each answer costs.

A model is any callable from messages to text. :class:`OpenAIModel` is the ready one: it calls a
server through the ``openai`` package, which owns the connection, the retries and the key.

:class:`PromptedSampler` sends its questions through :class:`Questioner`, which adds what no model
does by itself:

* a deadline for each request, whatever the model does in the meantime;
* a budget, checked before each request for the worst case, so that its caps are never passed;
* a file that keeps every answer the moment it arrives, so that nothing is paid for twice;
* several requests at a time, whose answers come back in the order of the questions.

All of this knows nothing about documents; the sampler decides what to ask, and reads the answers.
"""

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from imbtext._extras import require
from imbtext._typing import Record

Messages = list[dict[str, str]]

_OPENAI_SERVER: Final = "https://api.openai.com/v1"
# The longest answer of a callable that does not state its own.
_MAX_TOKENS: Final = 1024
# The form of a chat adds at most this much to the text of each message.
_TOKENS_PER_MESSAGE: Final = 16
_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS answers (question TEXT PRIMARY KEY, answer TEXT NOT NULL)"
)
_SECONDS_TO_WAIT_FOR_A_LOCK: Final = 60.0


class PromptingError(RuntimeError):
    """The model gave no answer, or its answers are of no use; the message says what to do."""


class BudgetExceededError(PromptingError):
    """The next request could pass a cap. What was paid for so far is in the cache."""


@dataclass(frozen=True)
class Answer:
    """One answer of a language model.

    A model given to :class:`imbtext.PromptedSampler` returns this instead of a string if it knows
    how many tokens it used.

    Attributes
    ----------
    text : str
        What the model wrote.
    prompt_tokens, completion_tokens : int or None
        Tokens read and written; None if unknown, which counts as the worst case.
    refused : bool
        Whether the model declined to answer, or a filter stopped it.
    retries : int
        Requests that failed before this answer came. Each counts as the worst case, since the
        server may have charged it.

    Examples
    --------
    >>> from imbtext.oversampling import Answer
    >>> Answer('["Oil is up"]', prompt_tokens=120, completion_tokens=8).completion_tokens
    8
    """

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    refused: bool = False
    retries: int = 0


@dataclass(frozen=True)
class OpenAIModel:
    """A model on a server that speaks OpenAI's chat protocol, called through ``openai``.

    Use it as the model of :class:`imbtext.PromptedSampler`. Most servers speak this protocol:
    OpenAI itself, vLLM, Ollama, llama.cpp and the gateways of most companies. It needs the extra
    ``prompting``, or ``pip install openai``.

    Parameters
    ----------
    model : str
        The model's name on the server.
    base_url : str, optional
        The server. By default the environment variable ``OPENAI_BASE_URL``, else OpenAI.
    api_key_variable : str or None, default="OPENAI_API_KEY"
        The environment variable that holds the key; None for a server that needs none. The key
        itself is not a parameter: it is read from the environment at the first request, and appears
        in no parameter, pickle or cache.
    temperature : float, default=1.0
        How freely the model writes.
    max_tokens : int, default=1024
        The longest answer.
    timeout : float, default=60.0
        Seconds without a sign of life after which a request is sent again.
    max_retries : int, default=2
        How often ``openai`` sends a request again after a failure that may pass: too many
        requests, an error of the server, a lost connection. The budget of the sampler allows for
        all of them, so more retries leave more of a cap unused.

    See Also
    --------
    imbtext.PromptedSampler : The sampler that asks it.

    Examples
    --------
    >>> from imbtext.oversampling import OpenAIModel, PromptedSampler
    >>> model = OpenAIModel("a-model", base_url="https://llm.example.org/v1", temperature=0.8)
    >>> sampler = PromptedSampler(model, cache="answers.sqlite", random_state=0)
    """

    model: str
    base_url: str | None = None
    api_key_variable: str | None = "OPENAI_API_KEY"
    temperature: float = 1.0
    max_tokens: int = _MAX_TOKENS
    timeout: float = 60.0
    max_retries: int = 2

    def __post_init__(self) -> None:
        require("openai", extra="prompting")

    def __call__(self, messages: Messages) -> Answer:
        """Ask the server, and return its answer with the number of tokens it used."""
        openai = require("openai", extra="prompting")
        try:
            response = self._client.chat.completions.with_raw_response.create(
                model=self.model,
                messages=messages,
                temperature=self.temperature,
                max_tokens=self.max_tokens,
            )
            completion = response.parse()
        except openai.OpenAIError as error:
            raise PromptingError(
                f"the server {self._address} gave no answer ({error}); {self._advice(error)}"
            ) from error
        except ValueError as error:
            # A response that is no JSON counts as an answer without documents.
            return Answer(f"not a chat completion: {error}")
        return _answer_of(completion, retries=response.retries_taken)

    def identity(self) -> Record:
        """Return what determines an answer besides the messages: the key of the cache."""
        return {
            "base_url": self._address.rstrip("/"),
            "model": self.model,
            "temperature": float(self.temperature),
            "max_tokens": self.max_tokens,
        }

    @property
    def _address(self) -> str:
        return self.base_url or os.environ.get("OPENAI_BASE_URL") or _OPENAI_SERVER

    @cached_property
    def _client(self) -> Any:
        key = "none"
        if self.api_key_variable is not None:
            key = os.environ.get(self.api_key_variable, "").strip()
            if not key:
                raise PromptingError(
                    f"the environment variable {self.api_key_variable} holds no key; set it, or "
                    "pass api_key_variable=None for a server that needs none"
                )
        return require("openai").OpenAI(
            api_key=key,
            base_url=self._address,
            timeout=self.timeout,
            max_retries=self.max_retries,
        )

    def __getstate__(self) -> dict[str, object]:
        # The client holds the key and open connections; a copy makes its own.
        return {name: value for name, value in vars(self).items() if name != "_client"}

    def _advice(self, error: Exception) -> str:
        code = getattr(error, "status_code", None)
        if code in (401, 403):
            return f"look at the key in the environment variable {self.api_key_variable}"
        if code == 404:
            return f"look at base_url and at the model's name, {self.model!r}"
        if code is not None and code < 500 and code not in (408, 409, 429):
            return "the same request will fail again"
        return (
            "try again later (with a cache nothing is paid twice), or raise max_retries or timeout"
        )


def _answer_of(completion: Any, retries: int) -> Answer:
    """Read the answer from a chat completion; servers leave out all sorts of things."""
    choices = getattr(completion, "choices", None)
    if not choices:
        return Answer(f"not a chat completion: {completion!s:.200}", retries=retries)
    message = choices[0].message
    usage = getattr(completion, "usage", None)
    prompt, written = (
        tokens if isinstance(tokens, int) and tokens >= 0 else None
        for tokens in (
            getattr(usage, "prompt_tokens", None),
            getattr(usage, "completion_tokens", None),
        )
    )
    refused = bool(getattr(message, "refusal", None))
    refused |= choices[0].finish_reason == "content_filter"
    return Answer(str(message.content or ""), prompt, written, refused, retries)


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
        How many of these nobody reported, so that the worst case was counted.
    cost : float
        The money, at the price given.
    refusals, malformed : int
        Answers without documents: declined, or not in the form that was asked for.
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
            getattr(model, "max_tokens", _MAX_TOKENS),
            1 + getattr(model, "max_retries", 0),
        )

    @property
    def tokens(self) -> int:
        """The tokens of all tries together."""
        return self.tries * (self.prompt_tokens + self.completion_tokens)


@dataclass
class Budget:
    """Counts what is used, and refuses a request that could pass a cap.

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
        """Return what so many tokens cost.

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
                    f"the next request could take {worst.tokens:,} tokens, and "
                    f"{self.usage.tokens:,} of the {self.max_tokens:,} allowed are spent; raise "
                    "max_total_tokens, or ask for fewer documents (with a cache nothing is paid "
                    "twice)"
                )
            paid = self.usage.cost + self._reserved_cost
            if self.max_cost is not None and paid + cost > self.max_cost:
                raise BudgetExceededError(
                    f"the next request could cost {cost:.4g}, and {self.usage.cost:.4g} of the "
                    f"{self.max_cost:.4g} allowed are spent; raise max_cost, or ask for fewer "
                    "documents (with a cache nothing is paid twice)"
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
        file = Path(":memory:" if path is None else path)
        if not file.parent.is_dir():
            raise FileNotFoundError(
                f"cannot keep answers in {file}: the folder {file.parent} does not exist; create "
                "it first"
            )
        try:
            self._connection = sqlite3.connect(file, timeout=_SECONDS_TO_WAIT_FOR_A_LOCK)
            try:
                with self._connection:
                    self._connection.execute(_TABLE)
            except sqlite3.Error:
                self._connection.close()
                raise
        except sqlite3.Error as error:
            raise PromptingError(
                f"{file} is not a cache of answers ({error}); remove it, or name another file"
            ) from error

    def __exit__(self, *_: object) -> None:
        self._connection.close()

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
        row = self._connection.execute(
            "SELECT answer FROM answers WHERE question = ?", (key,)
        ).fetchone()
        return None if row is None else Answer(**json.loads(row[0]))

    def put(self, key: str, answer: Answer) -> None:
        """Write an answer at once: it was paid for."""
        with self._connection:
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
        return call.result(timeout=seconds)
    except TimeoutError:
        if call.done():  # the model's own error
            raise
        raise PromptingError(
            f"the model did not answer within {seconds:g} seconds; try again later (with a cache "
            "nothing is paid twice), or raise deadline"
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
        "max_tokens": getattr(model, "max_tokens", _MAX_TOKENS),
    }
