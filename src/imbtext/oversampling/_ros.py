"""Random oversampling: the class's own documents again, word for word."""

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import ColumnNames, RandomState, SamplingStrategy
from imbtext.oversampling._base import BaseTextOverSampler, ClassRequest, Synthetic
from imbtext.randomness import keyed_random_state


class ROS(BaseTextOverSampler):
    """Random oversampling of documents.

    Documents of the class are drawn with replacement and repeated as they are: imbalanced-learn's
    ``RandomOverSampler`` for any container of documents, with the provenance of the other samplers
    here. Text is neither tokenised nor lower-cased.

    Parameters
    ----------
    sampling_strategy : str, float, dict or callable, default="auto"
        As in imbalanced-learn; or :class:`imbtext.minority_share`, the paper's sampling ratio.
    text : hashable, optional
        The column of the documents, where `X` is a table of several columns.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same documents.

    Attributes
    ----------
    classes_, sampling_strategy_, is_synthetic_, sample_indices_, n_generated_
        As for every sampler of documents; ``sample_indices_`` names the document repeated.

    Examples
    --------
    >>> from imbtext.oversampling import ROS
    >>> texts, y = ROS(random_state=0).fit_resample(["Rare!", "a", "b", "c"], [1, 0, 0, 0])
    >>> texts
    ['Rare!', 'a', 'b', 'c', 'Rare!', 'Rare!']
    >>> y
    [1, 0, 0, 0, 1, 1]
    """

    _parameter_constraints = {**BaseTextOverSampler._parameter_constraints, "text": [object]}

    def __init__(
        self,
        *,
        sampling_strategy: SamplingStrategy = "auto",
        text: ColumnNames = None,
        random_state: RandomState = None,
    ) -> None:
        self.sampling_strategy = sampling_strategy
        self.text = text
        self.random_state = random_state

    def _generate(self, request: ClassRequest) -> Synthetic:
        parents = random_rows(request.rows, request.n, request.seed, request.stream)
        return Synthetic(request.documents.select(parents).to_list(), parents)


def random_rows(rows: NDArray[np.int64], n: int, seed: int, stream: int) -> NDArray[np.int64]:
    """Draw `n` of `rows` with replacement."""
    # imbalanced-learn's own line, here so that each class has a stream of its own.
    return keyed_random_state(seed, stream).choice(rows, size=n, replace=True)
