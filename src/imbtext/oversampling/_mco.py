"""MCO: the paper's chain without extrapolation."""

from dataclasses import field

from imbtext.oversampling._emco import EMCO
from imbtext.oversampling._parameters import parameters


@parameters()
class MCO(EMCO):
    """Markov Chain Oversampling: EMCO that never leaves the class's own vocabulary (gamma 0).

    Parameters
    ----------
    sampling_strategy, tokenizer, text, surface, order, random_state, n_jobs
        As for :class:`EMCO`.

    Examples
    --------
    >>> from imbtext import MCO
    >>> texts, y = MCO(random_state=0).fit_resample(["oil up"] + ["gold down"] * 3, [1, 0, 0, 0])
    >>> texts[-2:]
    ['oil up', 'oil up']
    """

    # Nothing of other classes is in the chain, so there is nothing to weigh or to forget.
    gamma: float = field(default=0.0, init=False)
    similarity: None = field(default=None, init=False)
    min_count: int = field(default=1, init=False)
    max_words: None = field(default=None, init=False)
