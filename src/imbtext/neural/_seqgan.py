"""SeqGAN: the language model of a class, trained further against a discriminator."""

import os
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress
from sklearn.utils._param_validation import Interval

from imbtext._typing import RandomState, SamplingStrategy
from imbtext.documents._tokenization import Tokenizer
from imbtext.neural._adversarial_training import AdversarialTraining
from imbtext.neural._language_model import LanguageModel
from imbtext.neural._language_model_sampler import (
    CONTEST,
    LanguageModelSampler,
    follow,
    stage_number,
)
from imbtext.neural._training_stage import TrainingStage, digest
from imbtext.oversampling._sampler import Request


class SeqGAN(LanguageModelSampler):
    """Oversampling with documents of a sequence generative adversarial network.

    The generator is the model of :class:`LanguageModelSampler`, trained on all documents and tuned
    to the class. Then a convolutional discriminator learns to tell its documents from the real
    documents of the class, and policy gradients with Monte-Carlo roll-outs reward the generator
    for choices that the discriminator takes for real. It needs the extra ``neural``, and a GPU for
    more than small data.

    Parameters
    ----------
    steps : int, default=50
        Steps of the generator against the discriminator; 0 leaves the language model.
    roll_outs : int, default=16
        How often each unfinished document is finished to judge a choice.
    adversarial_rate : float, default=1e-3
        The generator's learning rate against the discriminator.
    batch_size : int, default=64
        Documents written for each step of the generator.
    warm_up, rounds : int, default=5 and 1
        Rounds of the discriminator before the first step, and after each. A round writes as many
        documents as the class has and reads both three times.
    sampling_strategy, tokenizer, surface, epochs, tuning_epochs, n_dimensions, n_units, dropout, \
learning_rate, temperature, max_words, max_length, device, checkpoint, random_state, verbose
        As for :class:`LanguageModelSampler`.

    Attributes
    ----------
    history_ : list of dict
        As for :class:`LanguageModelSampler`, then records of the stage ``"contest"``: the first
        with the loss of the discriminator's warm-up, the others, one per step, with
        ``generator_loss``, ``reward`` (the discriminator's mean probability of "real") and
        ``discriminator_loss``.
    vocabulary_, classes_, sampling_strategy_, is_synthetic_, sample_indices_, n_generated_
        As for :class:`LanguageModelSampler`.

    See Also
    --------
    LanguageModelSampler : The generator without the discriminator.
    imbtext.EMCO : Documents from a Markov chain.

    Notes
    -----
    The windows, filters and penalty of the discriminator and the roll-outs by a delayed copy of
    the generator follow Yu et al. Three things differ. The generator starts from all documents,
    since a rare class has too few to learn a language from. Documents end where it ends them, not
    at a fixed length. And the discriminator has one round per step where the authors, with 10,000
    real sentences, have five: it soon knows a few dozen by heart, and then rewards nothing.

    References
    ----------
    Yu, L., Zhang, W., Wang, J. and Yu, Y. (2017). SeqGAN: Sequence Generative Adversarial Nets
    with Policy Gradient. AAAI.

    Luo, Y., Feng, H., Weng, X., Huang, K. and Zheng, H. (2019). A Novel Oversampling Method Based
    on SeqGAN for Imbalanced Text Classification. IEEE Big Data.

    Examples
    --------
    >>> from imbtext.neural import SeqGAN
    >>> texts = ["oil price up", "crude oil price falls"] + ["share price of the firm up"] * 6
    >>> y = ["oil"] * 2 + ["other"] * 6
    >>> sampler = SeqGAN(steps=2, roll_outs=2, batch_size=4, epochs=2, n_units=8, random_state=0)
    >>> texts_resampled, y_resampled = sampler.fit_resample(texts, y)
    >>> y_resampled.count("oil")
    6
    >>> sorted(sampler.history_[-1])
    ['discriminator_loss', 'generator_loss', 'label', 'reward', 'stage', 'step']
    """

    title = "SeqGAN"
    in_names = ("steps",)

    _parameter_constraints = {
        **LanguageModelSampler._parameter_constraints,
        "steps": [Interval(Integral, 0, None, closed="left")],
        "roll_outs": [Interval(Integral, 1, None, closed="left")],
        "adversarial_rate": [Interval(Real, 0, None, closed="neither")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "warm_up": [Interval(Integral, 1, None, closed="left")],
        "rounds": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        *,
        sampling_strategy: SamplingStrategy = "auto",
        steps: int = 50,
        roll_outs: int = 16,
        adversarial_rate: float = 1e-3,
        batch_size: int = 64,
        warm_up: int = 5,
        rounds: int = 1,
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
        super().__init__(
            sampling_strategy=sampling_strategy,
            tokenizer=tokenizer,
            surface=surface,
            epochs=epochs,
            tuning_epochs=tuning_epochs,
            n_dimensions=n_dimensions,
            n_units=n_units,
            dropout=dropout,
            learning_rate=learning_rate,
            temperature=temperature,
            max_words=max_words,
            max_length=max_length,
            device=device,
            checkpoint=checkpoint,
            random_state=random_state,
            verbose=verbose,
        )
        self.steps = steps
        self.roll_outs = roll_outs
        self.adversarial_rate = adversarial_rate
        self.batch_size = batch_size
        self.warm_up = warm_up
        self.rounds = rounds

    def _fit_class(
        self,
        model: LanguageModel,
        class_rows: NDArray[np.int64],
        request: Request,
        bar: Progress,
    ) -> None:
        super()._fit_class(model, class_rows, request, bar)
        if self.steps == 0:
            return
        training = AdversarialTraining(
            self.steps,
            self.adversarial_rate,
            batch_size=self.batch_size,
            roll_outs=self.roll_outs,
            warm_up=self.warm_up,
            rounds=self.rounds,
        )
        seed, stream = request.seed, request.stream
        key = digest(self._key, class_rows, training, self.tuning_epochs, stream)
        advance = follow(bar, f"class {request.label!s:.30}, contest", 1 + self.steps)
        file = self._file(f"class-{stream}-contest")
        stage = TrainingStage(seed, stage_number(stream, CONTEST), file, key, advance)
        self._note("contest", request.label, training.run(model, class_rows, stage))
