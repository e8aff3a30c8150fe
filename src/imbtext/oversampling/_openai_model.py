"""A language model on a server, called through the package ``openai``.

The package owns the connection, the retries and the key.
"""

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from imbtext._extras import require
from imbtext._typing import Record

Messages = list[dict[str, str]]

_SERVER: Final = "https://api.openai.com/v1"
# The longest answer of a model that does not state its own.
MAX_TOKENS: Final = 1024


class PromptingError(RuntimeError):
    """The model gave no usable answer; the message says what to do."""


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
        Tokens read and written; None if unknown, and then the worst case is counted.
    refused : bool
        Whether the model declined to answer, or a filter stopped it.
    retries : int
        Requests that failed before this answer came. For each the worst case is counted, since
        the server may have charged it.

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
        Seconds without a response after which a request is sent again.
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
    max_tokens: int = MAX_TOKENS
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
                f"the server {self._address} gave no answer ({_reason(error)}); "
                f"{self._advice(error)}"
            ) from error
        except ValueError as error:
            # A response that is not JSON counts as an answer without documents.
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
        return self.base_url or os.environ.get("OPENAI_BASE_URL") or _SERVER

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
            return f"check the key in the environment variable {self.api_key_variable}"
        if code == 404:
            return f"check base_url and the model's name, {self.model!r}"
        if code is not None and code < 500 and code not in (408, 409, 429):
            return "the same request will fail again"
        return "try again later (with a cache you never pay twice), or raise max_retries or timeout"


def _reason(error: Exception) -> str:
    """Return what went wrong; an older ``openai`` leaves the status out."""
    code = getattr(error, "status_code", None)
    return str(error) if code is None or str(code) in str(error) else f"status {code}: {error}"


def _answer_of(completion: object, retries: int) -> Answer:
    """Read the answer from a chat completion, in which anything may be missing."""
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
