"""Budgets: what language models cost, and caps that are never exceeded.

A request is let through only if the worst case, its retries included, stays below every cap.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from imbtext.oversampling._openai_model import MAX_TOKENS, Answer, Messages, PromptingError

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
