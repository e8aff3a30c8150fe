"""LanguageModelSampler: documents written by a recurrent language model tuned to the class."""

import os
from collections.abc import Callable
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import Progress
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from imbtext.documents import Documents
from imbtext.neural._device import choose_device, one_thread
from imbtext.neural.generation._language_model import END, LanguageModel, generator_for
from imbtext.neural.generation._likelihood_training import LikelihoodTraining, mean_log_likelihood
from imbtext.neural.generation._rows import Reading
from imbtext.neural.generation._stages import Log, Stage, digest
from imbtext.oversampling import BaseTextOverSampler, ClassRequest, Synthetic
from imbtext.oversampling._parameters import parameters
from imbtext.progress import progress_bar
from imbtext.surface import SurfaceCounts

_HELD_BACK = 0.05
_TUNING_BATCH = 16
# A seed's random streams: the model of all documents, then so many for each class.
_ALL = 0
_KINDS = 3
_TUNING, CONTEST, _WRITING = range(_KINDS)


@parameters(kw_only=True)
class LanguageModelSampler(BaseTextOverSampler):
    """Oversampling with documents that a recurrent language model writes.

    An LSTM learns to predict the next word in the documents of all classes; 5 % of them are held
    back to stop it in time. For each class to oversample a copy is tuned to the documents of the
    class and writes the synthetic ones, word by word, until it ends them itself. It needs the
    extra ``neural``.

    Parameters
    ----------
    sampling_strategy : str, float, dict or callable, default="auto"
        As in imbalanced-learn; or :class:`imbtext.minority_share`.
    tokenizer : callable, optional
        From a string to its words. By default scikit-learn's token pattern on the lower-cased
        text. Not used for documents that are token lists.
    surface : bool, default=False
        Write each word as the documents write it, as in :class:`imbtext.EMCO`: case, punctuation
        and spaces.
    epochs : int, default=50
        Passes over all documents, at most.
    tuning_epochs : int, default=20
        Passes over the documents of the class, at most. From 20 documents on, the number is chosen
        with a quarter of them held back; a smaller class has 4.
    n_dimensions, n_units : int, default=64 and 128
        The sizes of the word vectors and of the LSTM's state.
    dropout : float, default=0.3
        The share of the network's values set to 0 at each training step.
    learning_rate : float, default=2e-3
        Adam's for the documents of all classes; the tuning has half of it.
    temperature : float, default=1.0
        Below 1 the likelier words become likelier still.
    max_words : int, default=20000
        The model knows the words of the classes to oversample and so many of the most frequent
        others; the rest it reads as one unknown word.
    max_length : int, default=100
        Documents are read, and written, up to so many words.
    device : str, default="auto"
        A torch device; "auto" takes a CUDA GPU where there is one.
    checkpoint : path, optional
        A folder for the state of the training. A run that was killed continues there and ends as
        it would have ended; it takes an integer as `random_state`.
    random_state : int, RandomState instance or None, default=None
        On the CPU the same integer gives the same documents whatever the number of threads; on a
        GPU they may differ by rounding.
    verbose : bool, default=False
        Show progress on a terminal.

    Attributes
    ----------
    history_ : list of dict
        The training log: one record per epoch with the stage (``"all"`` or ``"class"``), the label,
        the epoch and the losses per word. ``polars.DataFrame(sampler.history_)`` makes it a table.
    vocabulary_ : ndarray of object
        All words, sorted.
    classes_, sampling_strategy_, is_synthetic_, sample_indices_, n_generated_
        As for every sampler of documents; synthetic documents have no parent.

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

    sampling_strategy: Any = "auto"
    tokenizer: Any = None
    surface: bool = False
    epochs: int = 50
    tuning_epochs: int = 20
    n_dimensions: int = 64
    n_units: int = 128
    dropout: float = 0.3
    learning_rate: float = 2e-3
    temperature: float = 1.0
    max_words: int = 20_000
    max_length: int = 100
    device: str = "auto"
    checkpoint: Any = None
    random_state: Any = None
    verbose: bool = False

    _parameter_constraints = {
        **BaseTextOverSampler._parameter_constraints,
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

    def _prepare(self, documents: Documents, y: NDArray[Any]) -> None:
        if self.checkpoint is not None and not isinstance(self.random_state, Integral):
            raise ValueError(
                f"random_state is {self.random_state!r:.60}; a training that can be continued "
                "needs an integer, as in random_state=0"
            )
        corpus = documents.corpus(self.tokenizer)
        self._surface = (
            SurfaceCounts.of(documents.rows, corpus, self.tokenizer) if self.surface else None
        )
        # Without a strategy, as in synthesize, the class is marked True.
        strategy = getattr(self, "sampling_strategy_", {True: 1})
        wanted = [label for label, n in strategy.items() if n > 0]
        needed = np.flatnonzero(np.isin(y, wanted))
        self.vocabulary_ = corpus.vocabulary
        self.history_: list[dict[str, Any]] = []
        self._device = choose_device(self.device)
        self._reading = Reading.of(corpus, needed, self.max_words, self.max_length)
        self._rows = self._reading.rows(corpus)
        self._base: LanguageModel | None = None
        self._models: dict[Any, LanguageModel] = {}

    def _generate(self, wanted: ClassRequest) -> Synthetic:
        n, seed, stream = wanted.n, wanted.seed, wanted.stream
        own = _with_words(self._rows[wanted.rows])
        if not len(own):
            raise ValueError(
                f"class {wanted.label!r} has no document with a word in it, so there is nothing to "
                "learn from; look at its documents and at the tokenizer"
            )
        with one_thread(self._device), progress_bar(quiet=not self.verbose) as bar:
            model = self._model_of_all(seed, bar).copied()
            self._fit_class(model, own, wanted, bar)
            writing = generator_for(seed, stage_of(stream, _WRITING))
            written = model.write(n, own.shape[1], writing, temperature=self.temperature)
        self._models[wanted.label] = model.cpu()
        new = self._reading.corpus(written.cpu().numpy())
        if self._surface is None:
            texts = wanted.documents.decode(new)
        else:
            texts = self._surface.write(new, seed, stream, tokenizer=self.tokenizer)
        return Synthetic(texts, np.full(n, -1))

    def _model_of_all(self, seed: int, bar: Progress) -> LanguageModel:
        """Train the model that every class starts from, once."""
        if self._base is None:
            rows = _with_words(self._rows)
            model = LanguageModel(self._reading.n_words, self.n_dimensions, self.n_units)
            model.initialise(rows, generator_for(seed, _ALL))
            model.to(self._device)
            training = LikelihoodTraining(
                self.epochs, self.learning_rate, dropout=self.dropout, held_back=_HELD_BACK
            )
            sizes = self.n_dimensions, self.n_units
            self._key = digest(seed, rows, training, sizes, self._reading.n_words)
            advance = advance_of(bar, "all documents", self.epochs)
            stage = Stage(seed, _ALL, self._file("all"), self._key, advance)
            self._note("all", None, training.run(model, rows, stage))
            self._base = model
        return self._base

    def _fit_class(
        self, model: LanguageModel, own: NDArray[np.int64], wanted: ClassRequest, bar: Progress
    ) -> None:
        """Tune the model to the documents of a class, in place."""
        training = LikelihoodTraining(
            self.tuning_epochs, self.learning_rate / 2, _TUNING_BATCH, self.dropout
        )
        seed, stream = wanted.seed, wanted.stream
        key = digest(self._key, own, training, stream)
        advance = advance_of(bar, f"class {wanted.label!s:.30}", self.tuning_epochs)
        file = self._file(f"class-{stream}")
        stage = Stage(seed, stage_of(stream, _TUNING), file, key, advance)
        self._note("class", wanted.label, training.tune(model, own, stage))

    def _file(self, name: str) -> Path | None:
        return None if self.checkpoint is None else Path(self.checkpoint) / f"{name}.checkpoint"

    def _note(self, stage: str, name: Any, log: Log) -> None:
        self.history_ += [
            {"stage": stage, "label": name, "step": step, **record}
            for step, record in enumerate(log, start=1)
        ]

    def log_likelihood(self, X: Any, label: Any) -> float:
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
            known = ", ".join(map(repr, self._models))
            raise ValueError(f"there is no model of class {label!r}; there are those of {known}")
        corpus = Documents.of(X).corpus(self.tokenizer)
        rows = _with_words(self._reading.rows(corpus))
        with one_thread("cpu"):
            return mean_log_likelihood(self._models[label], torch.from_numpy(rows))


def stage_of(stream: int, kind: int) -> int:
    return 1 + _KINDS * stream + kind


def _with_words(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Leave out the rows without words, and the columns behind the end of the longest."""
    rows = rows[rows[:, 0] != END]
    longest = int((rows != END).sum(axis=1).max(initial=0))
    return rows[:, : longest + 1]


def advance_of(bar: Progress, description: str, total: int) -> Callable[[int], None]:
    task = bar.add_task(description, total=total)
    return lambda n: bar.advance(task, n)
