"""What has been spent, in tokens and in money, and the caps on both.

A request is let through only if the caps would hold even in the worst case, so the bill never
passes them. Where a model does not say what it used, or a connection broke after the question was
sent, the worst case is what is counted.
"""

from dataclasses import dataclass, field

from imbtext.oversampling._prompt_answers import Answer, PromptingError

# What a chat's form adds to the text of each message, at the most.
_TOKENS_OF_A_MESSAGE = 16


class BudgetExceededError(PromptingError):
    """The next request might pass a cap; what was paid for so far is in the cache."""


@dataclass(frozen=True)
class Price:
    """Money per million tokens, read and written."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the cost of so many tokens.

        Examples
        --------
        >>> Price(1.0, 4.0).of(500_000, 250_000)
        1.5
        """
        return (self.prompt * prompt_tokens + self.completion * completion_tokens) / 1e6


@dataclass
class Usage:
    """The bill and what it bought.

    Attributes
    ----------
    requests : int
        Questions that were sent, repeated ones included.
    cached : int
        Questions answered from the cache, which cost nothing.
    retries : int
        Questions sent again after a failure.
    prompt_tokens, completion_tokens : int
        Tokens read and written by the model, as it reports them.
    estimated_tokens : int
        Of these, how many nobody reported: the worst case stands for them.
    cost : float
        The money, by the given prices.
    refusals, malformed : int
        Answers without documents: declined, or not in the form that was asked for.
    near_copies, duplicates : int
        Documents that nearly repeat an original, and that repeat another answer.
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


@dataclass
class Bill:
    """Keeps the usage below the caps; one for all requests of a run."""

    price: Price
    max_tokens: int | None
    max_cost: float | None
    usage: Usage = field(default_factory=Usage)
    _reserved_tokens: int = 0
    _reserved_cost: float = 0.0

    def reserve(self, worst: tuple[int, int]) -> None:
        """Set aside the worst case of a request, or refuse it."""
        tokens, cost = sum(worst), self.price.of(*worst)
        spent = self.usage.tokens + self._reserved_tokens
        if self.max_tokens is not None and spent + tokens > self.max_tokens:
            raise BudgetExceededError(
                f"the next request may take {tokens:,} tokens and {self.usage.tokens:,} of the "
                f"{self.max_tokens:,} allowed are spent; raise max_total_tokens, or ask for fewer "
                "documents (with a cache nothing is paid twice)"
            )
        paid = self.usage.cost + self._reserved_cost
        if self.max_cost is not None and paid + cost > self.max_cost:
            raise BudgetExceededError(
                f"the next request may cost {cost:.4g} and {self.usage.cost:.4g} of the "
                f"{self.max_cost:.4g} allowed are spent; raise max_cost, or ask for fewer "
                "documents (with a cache nothing is paid twice)"
            )
        self._reserved_tokens += tokens
        self._reserved_cost += cost

    def release(self, worst: tuple[int, int]) -> None:
        """Give back what was set aside for a request."""
        self._reserved_tokens -= sum(worst)
        self._reserved_cost -= self.price.of(*worst)

    def pay(self, worst: tuple[int, int], answer: Answer | None) -> None:
        """Count what a request used; None stands for one that broke after it was sent."""
        usage = self.usage
        told = (None, None) if answer is None else (answer.prompt_tokens, answer.completion_tokens)
        used = [w if t is None else t for w, t in zip(worst, told, strict=True)]
        usage.estimated_tokens += sum(w for w, t in zip(worst, told, strict=True) if t is None)
        usage.prompt_tokens += used[0]
        usage.completion_tokens += used[1]
        usage.cost += self.price.of(*used)


def worst_case(messages: list[dict[str, str]], max_tokens: int) -> tuple[int, int]:
    """Return the most tokens that a request can read and write: no token is less than a byte."""
    n_bytes = sum(len(message["content"].encode()) for message in messages)
    return n_bytes + _TOKENS_OF_A_MESSAGE * len(messages), max_tokens
