"""PromptedSampler: documents written by a large language model that is shown a few real ones."""

import os
from collections.abc import Mapping
from dataclasses import KW_ONLY
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from imbtext.documents import Documents, encode_texts
from imbtext.oversampling._base import BaseTextOverSampler, Synthetic, Wanted
from imbtext.oversampling._parameters import parameters
from imbtext.oversampling._prompt_answers import Answer, PromptingError, near_copies
from imbtext.oversampling._prompt_asking import Asking, CallableModel
from imbtext.oversampling._prompt_bill import Bill, Price, Usage
from imbtext.oversampling._prompt_cache import AnswerCache
from imbtext.oversampling._prompt_messages import messages_for
from imbtext.oversampling._prompt_server import ChatServer, Messages
from imbtext.progress import progress_bar
from imbtext.randomness import keyed_generator

# So many answers without a document, one behind the other, and it is no use to ask on.
_PATIENCE = 10


@parameters()
class PromptedSampler(BaseTextOverSampler):
    """Oversampling with documents that a large language model writes.

    The model is shown a few documents of the class, chosen at random, and asked for more of their
    kind, until there are exactly as many as wanted. It is any function, or any server that speaks
    the OpenAI-compatible chat protocol.

    Parameters
    ----------
    model : str or callable
        The model's name on the server; or a function that takes the messages (a list of
        dictionaries with ``role`` and ``content``) and returns a string, or an
        :class:`imbtext.oversampling.Answer` that tells the numbers of tokens too.
    base_url : str, default="https://api.openai.com/v1"
        The server. Not used for a function.
    api_key_variable : str or None, default="OPENAI_API_KEY"
        The environment variable that holds the key; None for a server that needs none. The key is
        read when a request is sent and kept nowhere.
    sampling_strategy : str, float, dict or callable, default="auto"
        As in imbalanced-learn; or :class:`imbtext.minority_share`.
    descriptions : dict, optional
        For labels that do not speak for themselves: what the class is about, in a sentence.
    n_examples : int, default=5
        Real documents shown with each request.
    documents_per_request : int, default=5
        Documents asked for with each request.
    temperature : float, default=1.0
        How freely the model writes.
    max_tokens : int, default=1024
        The longest answer.
    max_total_tokens : int, optional
        The most tokens that one call of :meth:`fit_resample` may use, read and written.
    price : tuple of two floats, default=(0.0, 0.0)
        Money per million tokens, read and written.
    max_cost : float, optional
        The most money that one call of :meth:`fit_resample` may cost, by `price`.
    cache : path, optional
        A file that keeps every answer: what was asked once is never paid for again. A run that
        was stopped, by a cap or otherwise, goes on from there.
    timeout : float, default=60.0
        Seconds to wait for an answer.
    max_retries : int, default=6
        How often a request is sent again after a failure that may pass: too many requests, an
        error of the server, a lost connection. The waits grow; a ``Retry-After`` is obeyed.
    tokenizer : callable, optional
        From a string to its words; only used where the documents are token lists.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same questions, whatever `n_jobs` is; the answers are the
        model's, and the cache's.
    n_jobs : int, optional
        Requests on their way at the same time.
    verbose : bool, default=False
        Show progress on a terminal.

    Attributes
    ----------
    usage_ : imbtext.oversampling.Usage
        Requests, retries, tokens and cost; answers without documents (refusals, malformed ones);
        written documents that nearly repeat an original of the class or repeat another one.
    classes_, sampling_strategy_, is_synthetic_, sample_indices_, n_generated_
        As for every sampler of documents; ``sample_indices_`` names the original that a document
        nearly repeats (four fifths of their words are the same), and is -1 for all others.

    Notes
    -----
    Caps are checked before each request for the worst case, in which every byte of the question
    is a token and the answer is as long as allowed; so they are never passed, and the last few
    thousand tokens below them may stay unused. A request that broke after it was sent is counted
    in full, since it may have been charged.

    Examples
    --------
    >>> from imbtext import PromptedSampler
    >>> def model(messages):
    ...     return '["Crude oil falls again", "OPEC meets in Vienna"]'
    >>> texts = ["Oil price up", "Crude oil price falls"] + ["Shares of the firm up"] * 5
    >>> y = ["oil"] * 2 + ["other"] * 5
    >>> sampler = PromptedSampler(model, random_state=0)
    >>> texts_resampled, y_resampled = sampler.fit_resample(texts, y)
    >>> texts_resampled[-3:]
    ['Crude oil falls again', 'OPEC meets in Vienna', 'Crude oil falls again']
    >>> sampler.usage_.requests, sampler.usage_.duplicates
    (2, 1)
    """

    model: Any
    _: KW_ONLY
    base_url: str = "https://api.openai.com/v1"
    api_key_variable: str | None = "OPENAI_API_KEY"
    sampling_strategy: Any = "auto"
    descriptions: Any = None
    n_examples: int = 5
    documents_per_request: int = 5
    temperature: float = 1.0
    max_tokens: int = 1024
    max_total_tokens: int | None = None
    price: tuple[float, float] = (0.0, 0.0)
    max_cost: float | None = None
    cache: Any = None
    timeout: float = 60.0
    max_retries: int = 6
    tokenizer: Any = None
    random_state: Any = None
    n_jobs: int | None = None
    verbose: bool = False

    _parameter_constraints = {
        **BaseTextOverSampler._parameter_constraints,
        "model": [str, callable],
        "base_url": [str],
        "api_key_variable": [str, None],
        "descriptions": [Mapping, None],
        "n_examples": [Interval(Integral, 1, None, closed="left")],
        "documents_per_request": [Interval(Integral, 1, None, closed="left")],
        "temperature": [Interval(Real, 0, None, closed="left")],
        "max_tokens": [Interval(Integral, 1, None, closed="left")],
        "max_total_tokens": [Interval(Integral, 0, None, closed="left"), None],
        "price": ["array-like"],
        "max_cost": [Interval(Real, 0, None, closed="left"), None],
        "cache": [str, os.PathLike, None],
        "timeout": [Interval(Real, 0, None, closed="neither")],
        "max_retries": [Interval(Integral, 0, None, closed="left")],
    }

    def _prepare(self, documents: Documents, y: NDArray[Any]) -> None:  # noqa: ARG002
        prices = tuple(self.price)
        if len(prices) != 2 or not all(isinstance(p, Real) and p >= 0 for p in prices):
            raise ValueError(
                f"price is {self.price!r:.60}; give two numbers from 0 up, money per million "
                "tokens read and written"
            )
        if self.max_cost is not None and not any(prices):
            raise ValueError(
                "max_cost is set but price is not; give price=(read, written) per million tokens"
            )
        self._bill = Bill(Price(*map(float, prices)), self.max_total_tokens, self.max_cost)
        self.usage_: Usage = self._bill.usage
        self._model()  # a wrong address is an error before anything is asked

    def _model(self) -> CallableModel | ChatServer:
        if callable(self.model):
            return CallableModel(self.model, self.max_tokens)
        return ChatServer(
            self.base_url,
            self.model,
            self.api_key_variable,
            float(self.temperature),
            self.max_tokens,
            float(self.timeout),
        )

    def _generate(self, wanted: Wanted) -> Synthetic:
        rows, name, n = wanted.rows, wanted.label, wanted.n
        texts = [_as_text(document) for document in wanted.documents.take(rows)]
        shown = [text for text in texts if text.strip()]
        if not shown:
            raise ValueError(
                f"class {name!r} has no document with anything in it, so there is nothing to show "
                "the model; look at its documents"
            )
        written = self._written(shown, wanted)
        originals = near_copies(written, texts)
        self.usage_.near_copies += int((originals >= 0).sum())
        self.usage_.duplicates += n - len(set(written))
        parents = np.where(originals >= 0, rows[originals], -1)
        if wanted.documents.is_tokens:
            return Synthetic(encode_texts(written, self.tokenizer).tokens(), parents)
        return Synthetic(written, parents)

    def _written(self, shown: list[str], wanted: Wanted) -> list[str]:
        """Ask until there are enough; which documents they are depends on the answers alone."""
        name, n, per_request = wanted.label, wanted.n, self.documents_per_request
        about = (self.descriptions or {}).get(name)

        def question(number: int) -> tuple[int, Messages]:
            generator = keyed_generator(wanted.seed, wanted.stream, block=number)
            return number, messages_for(shown, name, per_request, generator, self.n_examples, about)

        written: list[str] = []
        asked = in_vain = 0
        with AnswerCache(self.cache) as cache, progress_bar(quiet=not self.verbose) as bar:
            task = bar.add_task(f"class {name!s:.30}", total=n)
            asking = Asking(
                self._model(), cache, self._bill, self.max_retries, effective_n_jobs(self.n_jobs)
            )
            while len(written) < n:
                wave = -(-(n - len(written)) // per_request)
                answers = asking.answers([question(asked + k) for k in range(wave)])
                asked += wave
                for answer in answers:
                    found = self._documents(answer)
                    in_vain = 0 if found else in_vain + 1
                    if in_vain >= _PATIENCE:
                        raise PromptingError(
                            f"{in_vain} answers in a row held no documents of class {name!r} "
                            f"({self.usage_.refusals} refusals, {self.usage_.malformed} malformed "
                            f"in all), the last one {answer.text!r:.200}; look at the model and "
                            "at the documents it is shown"
                        )
                    written += found
                bar.update(task, completed=min(n, len(written)))
        return written[:n]

    def _documents(self, answer: Answer) -> list[str]:
        found, fault = answer.documents()
        self.usage_.refusals += fault == "refusal"
        self.usage_.malformed += fault == "malformed"
        # No more than were asked for, so that one answer does not fill a class.
        return found[: self.documents_per_request]


def _as_text(document: Any) -> str:
    return document if isinstance(document, str) else " ".join(document)
