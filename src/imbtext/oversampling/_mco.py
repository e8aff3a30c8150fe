"""MCO: EMCO that never leaves the vocabulary of the class."""

from imbtext._typing import ColumnNames, RandomState, SamplingStrategy
from imbtext.documents import Tokenizer
from imbtext.oversampling._emco import EMCO


class MCO(EMCO):
    """Markov Chain Oversampling: EMCO that never leaves the class's own vocabulary (gamma 0).

    Parameters
    ----------
    sampling_strategy, tokenizer, text, surface, random_state, n_jobs
        As for :class:`EMCO`.

    See Also
    --------
    EMCO : The same chain with transitions of other classes, which brings new words.

    Examples
    --------
    >>> from imbtext import MCO
    >>> texts, y = MCO(random_state=0).fit_resample(["oil up"] + ["gold down"] * 3, [1, 0, 0, 0])
    >>> texts[-2:]
    ['oil up', 'oil up']
    """

    # The chain holds nothing of other classes, so there is nothing to weight.
    gamma = 0.0
    similarity = None

    def __init__(
        self,
        *,
        sampling_strategy: SamplingStrategy = "auto",
        tokenizer: Tokenizer | None = None,
        text: ColumnNames = None,
        surface: bool = False,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.sampling_strategy = sampling_strategy
        self.tokenizer = tokenizer
        self.text = text
        self.surface = surface
        self.random_state = random_state
        self.n_jobs = n_jobs
