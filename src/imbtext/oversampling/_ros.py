"""Random oversampling: the class's own documents again, word for word."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from imbtext.containers import Documents
from imbtext.oversampling._base import BaseTextOverSampler, Synthetic, rows_of


class ROS(BaseTextOverSampler):
    """Random oversampling of documents.

    Documents of the class are drawn with replacement and repeated as they are: imbalanced-learn's
    ``RandomOverSampler`` for any container of documents, with the provenance of the other samplers
    here. Text is neither tokenised nor lower-cased.

    Parameters
    ----------
    sampling_strategy : str, float, dict or callable, default="auto"
        As in imbalanced-learn; or :class:`imbtext.minority_share`, the paper's sampling ratio.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same documents.

    Attributes
    ----------
    classes_, sampling_strategy_, is_synthetic_, sample_indices_, n_generated_
        As for every sampler of documents; ``sample_indices_`` names the document repeated.

    Examples
    --------
    >>> from imbtext.oversampling._ros import ROS
    >>> texts, y = ROS(random_state=0).fit_resample(["Rare!", "a", "b", "c"], [1, 0, 0, 0])
    >>> texts
    ['Rare!', 'a', 'b', 'c', 'Rare!', 'Rare!']
    >>> y
    [1, 0, 0, 0, 1, 1]
    """

    _parameter_constraints: dict[str, list[Any]] = {**BaseTextOverSampler._parameter_constraints}

    def __init__(self, *, sampling_strategy: Any = "auto", random_state: Any = None) -> None:
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state

    def _generate(
        self,
        documents: Documents,
        y: NDArray[Any],
        label: Any,
        n: int,
        seed: int,
        stream: int,
    ) -> Synthetic:
        # One line of imbalanced-learn's, drawn here so that each class has a stream of its own.
        rows = rows_of(y, label)
        lot = np.random.Generator(np.random.Philox(key=np.array([seed, stream], dtype=np.uint64)))
        parents = rows[lot.integers(len(rows), size=n)]
        return Synthetic(documents.take(parents), parents)
