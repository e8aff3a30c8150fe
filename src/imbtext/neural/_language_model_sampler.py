"""LanguageModelSampler: a recurrent language model tuned to the class.

Here are the estimator and the numbers that stand for words. The network is in
``_language_model.py``, its training in ``_likelihood_training.py``, and its checkpoints in
``_training_stage.py``.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import Progress
from sklearn.base import clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from imbtext._messages import listed
from imbtext._typing import (
    Array,
    Document,
    DocumentsLike,
    Label,
    RandomState,
    Record,
    SamplingStrategy,
)
from imbtext.documents._corpus import Corpus, offsets_of
from imbtext.documents._documents import Documents
from imbtext.documents._tokenization import Tokenizer
from imbtext.markov._surface import SurfaceCounts
from imbtext.neural._language_model import (
    END,
    N_SPECIAL,
    UNKNOWN,
    LanguageModel,
    generator_for,
)
from imbtext.neural._likelihood_training import LikelihoodTraining, mean_log_likelihood
from imbtext.neural._training_stage import Log, TrainingStage, digest
from imbtext.neural.device import choose_device, one_thread
from imbtext.oversampling._sampler import New, Request, Sampler
from imbtext.progress import progress_bar

_HELD_BACK = 0.05
_TUNING_BATCH = 16
# The stages of a training draw from numbered streams of one seed: the model of all documents first,
# then three for each class.
_ALL = 0
_PER_CLASS = 3
_TUNING, CONTEST, _WRITING = range(_PER_CLASS)


class LanguageModelSampler(Sampler):
    """Oversampling with documents that a recurrent language model writes.

    An LSTM learns to predict the next word in the documents of all classes; 5% of them are held
    back to stop it in time. For each class to oversample, a copy is tuned to the documents of the
    class and writes the synthetic ones word by word, until it ends them itself. It takes minutes
    where :class:`imbtext.EMCO` takes milliseconds, and needs the extra ``neural``.

    Parameters
    ----------
    sampling_strategy : str, float, dict or callable, default="auto"
        As in imbalanced-learn; or :class:`imbtext.minority_share`.
    tokenizer : callable, optional
        From a string to its words. By default scikit-learn's token pattern on the lower-cased
        text. Not used for documents that are token lists.
    surface : bool or "auto", default="auto"
        Whether to write each word as the documents write it: case, punctuation and spaces. As in
        :class:`imbtext.EMCO`, ``"auto"`` is False for the documents that the sampler returns.
    epochs : int, default=50
        Passes over all documents, at most.
    tuning_epochs : int, default=20
        Passes over the documents of the class, at most. For 20 documents or more, the number is
        chosen with a quarter of them held back; a smaller class gets 4 passes.
    n_dimensions, n_units : int, default=64 and 128
        The sizes of the word vectors and of the LSTM's state.
    dropout : float, default=0.3
        The share of the network's values set to 0 at each training step.
    learning_rate : float, default=2e-3
        Step size of Adam on the documents of all classes; tuning uses half of it.
    temperature : float, default=1.0
        Below 1, likely words become even likelier.
    max_words : int, default=20000
        The model knows the words of the classes to oversample, and this many of the most frequent
        words. It reads all others as one unknown word.
    max_length : int, default=100
        Documents are read, and written, up to this many words.
    device : str, default="auto"
        A torch device; "auto" takes a CUDA GPU where there is one.
    checkpoint : path, optional
        A folder for the state of the training. A run that was killed continues from there and
        ends as it would have ended. It needs an integer as `random_state`.
    random_state : int, RandomState instance or None, default=None
        On the CPU the same integer gives the same documents whatever the number of threads; on a
        GPU they may differ by rounding.
    verbose : bool, default=False
        Show progress on a terminal.

    Attributes
    ----------
    history_ : list of dict
        The training log: one record per epoch with the stage (``"all"`` or ``"class"``), the label,
        the number of the epoch (``step``) and the losses per word.
        ``polars.DataFrame(sampler.history_)`` makes it a table.
    vocabulary_ : ndarray of object
        All words, sorted.
    classes_, sampling_strategy_, is_synthetic_, sample_indices_, n_generated_
        As for every sampler of documents; synthetic documents have no parent.

    See Also
    --------
    SeqGAN : The same model, trained further against a discriminator.
    imbtext.EMCO : Documents from a Markov chain.

    Examples
    --------
    >>> from imbtext.neural import LanguageModelSampler
    >>> texts = ["oil price up", "crude oil price falls"] + ["share price of the firm up"] * 6
    >>> y = ["oil"] * 2 + ["other"] * 6
    >>> sampler = LanguageModelSampler(epochs=2, n_units=8, random_state=0)
    >>> texts_resampled, y_resampled = sampler.fit_resample(texts, y)
    >>> len(texts_resampled), y_resampled.count("oil")
    (12, 6)
    >>> [record["stage"] for record in sampler.history_][:3]
    ['all', 'all', 'class']
    """

    space = "ids"
    title = "a language model"
    in_names: ClassVar[tuple[str, ...]] = ("epochs",)

    _parameter_constraints = {
        **Sampler._parameter_constraints,
        "tokenizer": [callable, None],
        "surface": ["boolean", StrOptions({"auto"})],
        "verbose": ["boolean"],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "tuning_epochs": [Interval(Integral, 1, None, closed="left")],
        "n_dimensions": [Interval(Integral, 1, None, closed="left")],
        "n_units": [Interval(Integral, 1, None, closed="left")],
        "dropout": [Interval(Real, 0, 1, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "max_words": [Interval(Integral, 1, None, closed="left")],
        "max_length": [Interval(Integral, 1, None, closed="left")],
        "device": [str],
        "checkpoint": [str, os.PathLike, None],
    }

    def __init__(
        self,
        *,
        sampling_strategy: SamplingStrategy = "auto",
        tokenizer: Tokenizer | None = None,
        surface: bool | str = "auto",
        epochs: int = 50,
        tuning_epochs: int = 20,
        n_dimensions: int = 64,
        n_units: int = 128,
        dropout: float = 0.3,
        learning_rate: float = 2e-3,
        temperature: float = 1.0,
        max_words: int = 20_000,
        max_length: int = 100,
        device: str = "auto",
        checkpoint: str | os.PathLike[str] | None = None,
        random_state: RandomState = None,
        verbose: bool = False,
    ) -> None:
        self.sampling_strategy = sampling_strategy
        self.tokenizer = tokenizer
        self.surface = surface
        self.epochs = epochs
        self.tuning_epochs = tuning_epochs
        self.n_dimensions = n_dimensions
        self.n_units = n_units
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.temperature = temperature
        self.max_words = max_words
        self.max_length = max_length
        self.device = device
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.verbose = verbose

    def _prepare(self, documents: Documents, y: Array) -> None:
        if self.checkpoint is not None and not isinstance(self.random_state, Integral):
            raise ValueError(
                f"random_state is {self.random_state!r:.60}; a checkpoint needs an integer, such "
                "as random_state=0"
            )
        corpus = documents.corpus(self.tokenizer)
        labels = [label for label, n in self.sampling_strategy_.items() if n > 0]
        self._begin(corpus, np.flatnonzero(np.isin(y, np.asarray(labels))))
        self._surface = None
        if self.surface is True:
            self._surface = SurfaceCounts.of(documents.to_list(), corpus, self.tokenizer)

    def draw(self, request: Request) -> New:
        """Train a model on all documents, tune it to the class, and let it write."""
        if not request.n:
            return New(np.empty(0, dtype=np.int64))
        writing: Self = clone(self)
        writing._begin(request.documents, request.rows)
        return writing._draw_class(request)

    def _begin(self, corpus: Corpus, needed: NDArray[np.int64]) -> None:
        """Number the words of all documents; the model knows those of the documents `needed`."""
        self.vocabulary_ = corpus.vocabulary
        self.history_: list[Record] = []
        self._device = choose_device(self.device)
        self._numbering = WordNumbering.of(corpus, needed, self.max_words, self.max_length)
        self._rows = self._numbering.rows(corpus)
        self._base: LanguageModel | None = None
        self._models: dict[Label, LanguageModel] = {}

    def _draw_class(self, request: Request) -> New:
        n, seed, stream = request.n, request.seed, request.stream
        class_rows = _with_words(self._rows[request.rows])
        if not len(class_rows):
            raise ValueError(
                f"{request.class_name} has no document with a word in it, so there is nothing to "
                "learn from; check its documents and the tokenizer"
            )
        with one_thread(self._device), progress_bar(quiet=not self.verbose) as bar:
            model = self._model_of_all(seed, bar).copied()
            self._fit_class(model, class_rows, request, bar)
            writing = generator_for(seed, stage_number(stream, _WRITING))
            written = model.write(n, class_rows.shape[1], writing, temperature=self.temperature)
        self._models[request.label] = model.cpu()
        return New.without_parents(self._numbering.corpus(written.cpu().numpy()))

    def _decoded(
        self, corpus: Corpus, documents: Documents, request: Request
    ) -> Sequence[Document]:
        if self._surface is None:
            return documents.decode(corpus, self.tokenizer)
        seed, stream = request.seed, request.stream
        return self._surface.write(corpus, seed, stream, tokenizer=self.tokenizer)

    def _model_of_all(self, seed: int, bar: Progress) -> LanguageModel:
        """Train the model that every class starts from, once."""
        if self._base is None:
            rows = _with_words(self._rows)
            model = LanguageModel(self._numbering.n_words, self.n_dimensions, self.n_units)
            model.initialise(rows, generator_for(seed, _ALL))
            model.to(self._device)
            training = LikelihoodTraining(
                self.epochs, self.learning_rate, dropout=self.dropout, held_back=_HELD_BACK
            )
            sizes = self.n_dimensions, self.n_units
            self._key = digest(seed, rows, training, sizes, self._numbering.n_words)
            advance = follow(bar, "all documents", self.epochs)
            stage = TrainingStage(seed, _ALL, self._file("all"), self._key, advance)
            self._note("all", None, training.run(model, rows, stage))
            self._base = model
        return self._base

    def _fit_class(
        self,
        model: LanguageModel,
        class_rows: NDArray[np.int64],
        request: Request,
        bar: Progress,
    ) -> None:
        """Tune the model to the documents of a class, in place."""
        training = LikelihoodTraining(
            self.tuning_epochs, self.learning_rate / 2, _TUNING_BATCH, self.dropout
        )
        seed, stream = request.seed, request.stream
        key = digest(self._key, class_rows, training, stream)
        advance = follow(bar, f"class {request.label!s:.30}", self.tuning_epochs)
        file = self._file(f"class-{stream}")
        stage = TrainingStage(seed, stage_number(stream, _TUNING), file, key, advance)
        self._note("class", request.label, training.tune(model, class_rows, stage))

    def _file(self, name: str) -> Path | None:
        return None if self.checkpoint is None else Path(self.checkpoint) / f"{name}.checkpoint"

    def _note(self, stage: str, name: object, log: Log) -> None:
        self.history_ += [
            {"stage": stage, "label": name, "step": step, **record}
            for step, record in enumerate(log, start=1)
        ]

    def log_likelihood(self, X: DocumentsLike, label: Label) -> float:
        """Return how likely a class's model finds documents.

        Parameters
        ----------
        X : container of documents
            As in :meth:`fit_resample`; documents without words are left out.
        label : object
            A class for which documents were generated.

        Returns
        -------
        float
            The mean natural logarithm of the probability per word, where the end of a document
            counts as a word and all unknown words as one.
        """
        check_is_fitted(self, "history_")
        if label not in self._models:
            raise ValueError(
                f"there is no model of class {label!r}; there are models of {listed(self._models)}"
            )
        corpus = Documents.of(X).corpus(self.tokenizer)
        rows = _with_words(self._numbering.rows(corpus))
        if not len(rows):
            raise ValueError("X has no document with a word in it, so there is nothing to judge")
        with one_thread("cpu"):
            mean: float = mean_log_likelihood(self._models[label], torch.from_numpy(rows))
        return mean


def stage_number(stream: int, kind: int) -> int:
    """Return the number of a stage of the class with this stream."""
    return 1 + _PER_CLASS * stream + kind


def _with_words(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Leave out the rows without words, and the columns behind the end of the longest."""
    rows = rows[rows[:, 0] != END]
    longest = int((rows != END).sum(axis=1).max(initial=0))
    return rows[:, : longest + 1]


def follow(bar: Progress, description: str, total: int) -> Callable[[int], None]:
    """Add a task to a progress bar; return the function that advances it."""
    task = bar.add_task(description, total=total)
    return lambda n: bar.advance(task, n)


def padded(corpus: Corpus, length: int) -> NDArray[np.int32]:
    """Return documents as rows of `length` word numbers, which begin at 1; 0 is padding.

    Examples
    --------
    >>> corpus = Corpus.from_tokens([["up", "oil"], [], ["oil", "price", "up"]])
    >>> padded(corpus, 2)
    array([[3, 1],
           [0, 0],
           [1, 2]], dtype=int32)
    """
    rows = np.zeros((corpus.n_documents, length), dtype=np.int32)
    document = np.repeat(np.arange(corpus.n_documents), corpus.lengths)
    position = np.arange(corpus.n_tokens) - corpus.offsets[document]
    kept = position < length
    rows[document[kept], position[kept]] = corpus.ids[kept] + 1
    return rows


@dataclass(frozen=True, eq=False)
class WordNumbering:
    """Turns documents into the rows of word numbers that a model reads, and rows into documents.

    It says which words of a vocabulary the model knows (their ids), and where documents are cut.

    Examples
    --------
    >>> corpus = Corpus.from_tokens([["oil", "up"], ["oil", "price", "up"]])
    >>> numbering = WordNumbering.of(corpus, np.array([0]), max_words=1, max_length=10)
    >>> numbering.rows(corpus).tolist()
    [[2, 3, 0], [2, 1, 3]]
    >>> numbering.corpus(np.array([[3, 2, 0]])).texts()
    ['up oil']
    """

    vocabulary: NDArray[np.object_]
    known: NDArray[np.int64]
    length: int

    @classmethod
    def of(
        cls, corpus: Corpus, needed: NDArray[np.integer], max_words: int, max_length: int
    ) -> Self:
        """Choose the words: all of the documents `needed`, and the `max_words` most frequent."""
        keep = corpus.select(needed).word_counts() > 0
        counts = corpus.word_counts()
        # Ties are broken by the words themselves: stable, and the vocabulary is sorted.
        frequent = np.argsort(-counts, kind="stable")[:max_words]
        keep[frequent[counts[frequent] > 0]] = True
        longest = int(corpus.lengths.max(initial=1))
        return cls(corpus.vocabulary, np.flatnonzero(keep), max(1, min(longest, max_length)))

    @property
    def n_words(self) -> int:
        """The number of words the model knows."""
        return len(self.known)

    def rows(self, corpus: Corpus) -> NDArray[np.int64]:
        """Return the documents as rows of word numbers, cut and padded."""
        is_same = corpus.vocabulary is self.vocabulary
        words = corpus if is_same else _with_unknown(corpus, self.vocabulary)
        numbers = np.full(words.n_words + 1, UNKNOWN)
        numbers[0] = END
        numbers[1 + self.known] = N_SPECIAL + np.arange(self.n_words)
        return numbers[padded(words, self.length)]

    def corpus(self, rows: NDArray[np.integer]) -> Corpus:
        """Return rows that a model wrote as documents on the whole vocabulary."""
        written = rows != END
        ids = self.known[rows[written] - N_SPECIAL].astype(np.int32)
        return Corpus(ids, offsets_of(written.sum(axis=1)), self.vocabulary)


def _with_unknown(corpus: Corpus, vocabulary: NDArray[np.object_]) -> Corpus:
    """Re-express documents on a vocabulary; words outside it share one more number."""
    position = {word: i for i, word in enumerate(vocabulary)}
    new_ids = np.array([position.get(word, len(vocabulary)) for word in corpus.vocabulary], int)
    return corpus.relabel(new_ids, np.append(vocabulary, np.array([""], dtype=object)))
