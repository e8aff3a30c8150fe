"""Random oversampling: the class's own documents again, word for word."""

from imbtext._typing import ColumnNames, RandomState, SamplingStrategy
from imbtext.oversampling._sampler import New, Request, Sampler
from imbtext.randomness import keyed_random_state


class ROS(Sampler):
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

    space = "text"
    title = "random oversampling"

    _parameter_constraints = {**Sampler._parameter_constraints, "text": [object]}

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

    def draw(self, request: Request) -> New:
        """Draw documents of the class with replacement."""
        # imbalanced-learn's own line, here so that each class has a stream of its own.
        state = keyed_random_state(request.seed, request.stream)
        return New(state.choice(request.rows, size=request.n, replace=True))
