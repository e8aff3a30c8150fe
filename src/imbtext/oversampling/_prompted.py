"""PromptedSampler: documents written by a large language model.

This module writes the questions, reads the documents in the answers and looks for copies.
``_prompting.py`` asks the model and counts what that costs.
"""

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Final, Literal, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone
from sklearn.utils._param_validation import Interval

from imbtext._typing import Array, Label, RandomState, SamplingStrategy
from imbtext.documents._documents import Documents
from imbtext.documents._duplicates import near_copies
from imbtext.documents._tokenization import Tokenizer, encode_texts
from imbtext.oversampling._openai_model import Answer, Messages, OpenAIModel, PromptingError
from imbtext.oversampling._prompting import AnswerCache, Budget, Questioner, Usage
from imbtext.oversampling._sampler import New, Request, Sampler
from imbtext.progress import progress_bar
from imbtext.randomness import keyed_generator

_MODEL: Final = "IMBTEXT_PROMPT_MODEL"
_URL: Final = "OPENAI_BASE_URL"
# After this many answers in a row without a document, asking again is useless.
_MOST_EMPTY_ANSWERS: Final = 10
_SYSTEM: Final = (
    "You write realistic documents for a collection of texts. You answer with a JSON list of "
    "strings and nothing else."
)
# Longer examples are cut to this many characters.
_LONGEST_EXAMPLE: Final = 2000
_REFUSAL: Final = re.compile(
    r"\s*(i'?m sorry|i am sorry|sorry,|i can(no|')t|i can not|i'?m unable|i am unable|i won'?t|"
    r"as an ai)",
    re.IGNORECASE,
)
_VALUE_BEGINS: Final = re.compile(r'[ \t\r\n,]*(?=["{])')


class PromptedSampler(Sampler):
    """Oversampling with documents that a large language model writes.

    The model is shown a few documents of the class, chosen at random, and asked for more of their
    kind, until there are exactly as many as needed. Use it if documents must read like real ones
    and you may send yours to a model. :class:`imbtext.EMCO` costs nothing and takes milliseconds.

    Parameters
    ----------
    model : callable or str
        Takes the messages (a list of dictionaries with ``role`` and ``content``) and returns a
        string, or an :class:`imbtext.oversampling.Answer` that has the numbers of tokens, too.
        For a model on a server pass an :class:`imbtext.oversampling.OpenAIModel`; a string is
        short for one with that name and its defaults.
    sampling_strategy : str, float, dict or callable, default="auto"
        As in imbalanced-learn; or :class:`imbtext.minority_share`.
    descriptions : dict, optional
        What a class is about, in a sentence, for labels that do not speak for themselves.
    n_examples : int, default=5
        Real documents shown with each request.
    documents_per_request : int, default=5
        Documents asked for with each request.
    max_total_tokens : int, optional
        The most tokens that one call of :meth:`fit_resample` may use, read and written.
    price : tuple of two floats, default=(0.0, 0.0)
        Money per million tokens, read and written.
    max_cost : float, optional
        The most money that one call of :meth:`fit_resample` may cost, by `price`.
    cache : path, optional
        A file that keeps every answer: what was asked once is never paid for again. A run that
        was stopped, by a cap or otherwise, resumes from there.
    deadline : float, default=300.0
        Seconds that one call of the model may take in all, whatever it does. After that the run
        ends with an error; the answers that came before are in the cache.
    tokenizer : callable, optional
        From a string to its words; only used if the documents are token lists.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same questions, whatever `n_jobs` is; the answers are the
        model's, and the cache's.
    n_jobs : int, optional
        Requests on their way at the same time. Above 1, the model is called from several threads.
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

    See Also
    --------
    imbtext.oversampling.OpenAIModel : A model on a server.
    imbtext.EMCO : Documents from a Markov chain, without a model.
    imbtext.neural.LanguageModelSampler : A small language model, trained on your documents.

    Notes
    -----
    Caps are checked before each request for the worst case, in which every byte of the question
    is a token, the answer is as long as allowed and every retry is charged. So they are never
    exceeded, and the last few thousand tokens below them may stay unused. A request that failed is
    counted in full, since it may have been charged.

    A callable can say more about itself. ``max_tokens`` is its longest answer; otherwise the caps
    assume 1024. ``max_retries`` is how often it asks again by itself; otherwise never. The method
    ``identity()`` returns a dictionary of what determines its answers, by which the cache knows
    them; otherwise the cache takes the name of the function.

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

    space = "text"
    title = "a prompted language model"
    in_names = ("max_total_tokens", "documents_per_request")

    _parameter_constraints = {
        **Sampler._parameter_constraints,
        "tokenizer": [callable, None],
        "n_jobs": [Integral, None],
        "verbose": ["boolean"],
        "model": [str, callable],
        "descriptions": [Mapping, None],
        "n_examples": [Interval(Integral, 1, None, closed="left")],
        "documents_per_request": [Interval(Integral, 1, None, closed="left")],
        "max_total_tokens": [Interval(Integral, 0, None, closed="left"), None],
        "price": ["array-like"],
        "max_cost": [Interval(Real, 0, None, closed="left"), None],
        "cache": [str, os.PathLike, None],
        "deadline": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        model: Callable[[Messages], str | Answer],
        *,
        sampling_strategy: SamplingStrategy = "auto",
        descriptions: Mapping[Label, str] | None = None,
        n_examples: int = 5,
        documents_per_request: int = 5,
        max_total_tokens: int | None = None,
        price: tuple[float, float] = (0.0, 0.0),
        max_cost: float | None = None,
        cache: str | os.PathLike[str] | None = None,
        deadline: float = 300.0,
        tokenizer: Tokenizer | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.model = model
        self.sampling_strategy = sampling_strategy
        self.descriptions = descriptions
        self.n_examples = n_examples
        self.documents_per_request = documents_per_request
        self.max_total_tokens = max_total_tokens
        self.price = price
        self.max_cost = max_cost
        self.cache = cache
        self.deadline = deadline
        self.tokenizer = tokenizer
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def of_name(cls, **parameters: Any) -> Self:
        """Build it from the parameters in a name; environment variables name the rest.

        ``IMBTEXT_PROMPT_MODEL`` is the model, ``OPENAI_BASE_URL`` the server (OpenAI's by default),
        ``OPENAI_API_KEY`` the key, and ``IMBTEXT_PROMPT_CACHE`` a file that keeps the answers.
        """
        name = parameters.pop("model", None) or os.environ.get(_MODEL)
        if not name:
            raise ValueError(
                f"prompted needs a model: set the environment variable {_MODEL} to its name and "
                f"{_URL} to its server, or pass a PromptedSampler of your own"
            )
        parameters.setdefault("cache", os.environ.get("IMBTEXT_PROMPT_CACHE") or None)
        return cls(OpenAIModel(name, base_url=os.environ.get(_URL) or None), **parameters)

    def draw(self, request: Request) -> New:
        """Ask the model for documents of one class, with a budget of its own."""
        if not request.n:
            return New(np.empty(0, dtype=np.int64))
        asking: Self = clone(self)
        asking._begin()
        return asking._draw_class(request)

    def _prepare(self, documents: Documents, y: Array) -> None:  # noqa: ARG002
        self._begin()

    def _begin(self) -> None:
        """Start to count what is spent."""
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
        self._model = OpenAIModel(self.model) if isinstance(self.model, str) else self.model
        self._budget = Budget(
            (float(prices[0]), float(prices[1])), self.max_total_tokens, self.max_cost
        )
        self.usage_: Usage = self._budget.usage

    def _draw_class(self, request: Request) -> New:
        rows, n_new = request.rows, request.n
        originals = request.documents.select(rows).strings()
        examples = [text for text in originals if text.strip()]
        if not examples:
            raise ValueError(
                f"all documents of {request.class_name} are empty, so there is nothing to show the "
                "model; check its documents"
            )
        written = self._write(examples, request)
        copied = near_copies(encode_texts(written), encode_texts(originals))
        self.usage_.near_copies += int((copied >= 0).sum())
        self.usage_.duplicates += n_new - len(set(written))
        parents = np.where(copied >= 0, rows[copied], -1)
        if request.documents.is_tokens:
            return New(parents, encode_texts(written, self.tokenizer).tokens())
        return New(parents, written)

    def _write(self, examples: list[str], request: Request) -> list[str]:
        """Ask until there are enough; which documents come back depends only on the answers."""
        label, n_new, per_request = request.label, request.n, self.documents_per_request
        description = (self.descriptions or {}).get(label)

        def question(number: int) -> tuple[int, Messages]:
            generator = keyed_generator(request.seed, request.stream, block=number)
            messages = messages_for(
                examples, label, per_request, generator, self.n_examples, description
            )
            return number, messages

        written: list[str] = []
        n_asked = n_empty = 0
        with AnswerCache(self.cache) as cache, progress_bar(quiet=not self.verbose) as bar:
            task = bar.add_task(f"class {label!s:.30}", total=n_new)
            questioner = Questioner(
                self._model, cache, self._budget, self.deadline, effective_n_jobs(self.n_jobs)
            )
            while len(written) < n_new:
                wave = -(-(n_new - len(written)) // per_request)
                answers = questioner.answers([question(n_asked + k) for k in range(wave)])
                n_asked += wave
                for answer in answers:
                    documents = self._documents(answer)
                    n_empty = 0 if documents else n_empty + 1
                    if n_empty >= _MOST_EMPTY_ANSWERS:
                        raise PromptingError(
                            f"{n_empty} answers in a row held no documents of {request.class_name} "
                            f"({self.usage_.refusals} refusals, {self.usage_.malformed} malformed "
                            f"in all), the last one {answer.text!r:.200}; check the model and the "
                            "documents it is shown"
                        )
                    written += documents
                bar.update(task, completed=min(n_new, len(written)))
        return written[:n_new]

    def _documents(self, answer: Answer) -> list[str]:
        documents, fault = documents_in(answer)
        self.usage_.refusals += fault == "refusal"
        self.usage_.malformed += fault == "malformed"
        # No more than were asked for, so that one answer does not fill a class.
        return documents[: self.documents_per_request]


def messages_for(
    examples: Sequence[str],
    label: object,
    n_documents: int,
    generator: np.random.Generator,
    n_examples: int,
    description: str | None = None,
) -> Messages:
    """Return the messages of one request; the examples shown are drawn from `examples`.

    Examples
    --------
    >>> source = np.random.default_rng(0)
    >>> print(messages_for(["Oil up", "Oil down"], "oil", 3, source, n_examples=1)[1]["content"])
    Below is a JSON list of documents of the class "oil" from a collection of texts.
    <BLANKLINE>
    ["Oil down"]
    <BLANKLINE>
    Write 3 new documents that could belong to the same class of the same collection. Keep to the \
language, style and length of these documents, vary the content, and copy none of them. Answer \
with a JSON list of 3 strings.
    """
    chosen = generator.choice(len(examples), min(n_examples, len(examples)), replace=False)
    excerpts = [examples[int(i)][:_LONGEST_EXAMPLE] for i in chosen]
    about = f" The class: {description}" if description else ""
    # A label such as True or 3 means nothing to a reader.
    name = (
        f"the class {json.dumps(label, ensure_ascii=False)}"
        if isinstance(label, str)
        else "one class"
    )
    content = (
        f"Below is a JSON list of documents of {name} from a collection of texts.{about}\n\n"
        f"{json.dumps(excerpts, ensure_ascii=False)}\n\n"
        f"Write {n_documents} new documents that could belong to the same class of the same "
        "collection. Keep to the language, style and length of these documents, vary the content, "
        f"and copy none of them. Answer with a JSON list of {n_documents} strings."
    )
    return [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": content}]


def documents_in(answer: Answer) -> tuple[list[str], Literal["refusal", "malformed"] | None]:
    """Return the documents in an answer however they are wrapped, or what is wrong with it.

    Examples
    --------
    >>> documents_in(Answer('["oil up", "oil down"]'))
    (['oil up', 'oil down'], None)
    >>> documents_in(Answer('Here they are: ["oil up", "oil do'))
    (['oil up'], None)
    >>> documents_in(Answer("I'm sorry, I cannot help with that."))
    ([], 'refusal')
    """
    if answer.refused:
        return [], "refusal"
    documents = [text for value in _first_list(answer.text) if (text := _document(value))]
    if documents:
        return documents, None
    return [], "refusal" if _REFUSAL.match(answer.text) else "malformed"


def _first_list(text: str) -> list[object]:
    """Return the first JSON list in a text; if it was cut short, its complete values."""
    start = text.find("[")
    if start < 0:
        return []
    decoder = json.JSONDecoder()
    try:
        values, _ = decoder.raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError):
        values, at = [], start + 1
        while begins := _VALUE_BEGINS.match(text, at):
            try:
                value, at = decoder.raw_decode(text, begins.end())
            except (json.JSONDecodeError, RecursionError):
                break
            values.append(value)
    return list(values)


def _document(value: object) -> str:
    """Return a value as text that can be encoded; an empty string if it is not a document."""
    if isinstance(value, dict) and len(value) == 1:
        # Some models wrap each document: {"text": ...}.
        (value,) = value.values()
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", errors="ignore").decode().strip()
