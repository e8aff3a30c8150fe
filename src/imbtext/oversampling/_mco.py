"""MCO: the paper's chain without extrapolation."""

from typing import Any

from imbtext.oversampling._emco import EMCO


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

    _parameter_constraints: dict[str, list[Any]] = {
        name: constraint
        for name, constraint in EMCO._parameter_constraints.items()
        if name not in ("gamma", "similarity", "min_count", "max_words")
    }

    # Nothing of other classes is in the chain, so there is nothing to weigh or to forget.
    gamma = 0.0

    def __init__(
        self,
        *,
        sampling_strategy: Any = "auto",
        tokenizer: Any = None,
        text: Any = None,
        surface: bool = False,
        order: int = 1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.sampling_strategy = sampling_strategy
        self.tokenizer = tokenizer
        self.text = text
        self.surface = surface
        self.order = order
        self.random_state = random_state
        self.n_jobs = n_jobs
