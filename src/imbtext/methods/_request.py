"""What a method is asked for: so many more documents of a class."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from imbtext.methods._training import TrainingData
from imbtext.randomness import draw_seed

Amount = int | Callable[[int, int], int]


@dataclass(frozen=True, eq=False)
class Request:
    """Training documents, which of them belong to the class, and how many more it shall have.

    Parameters
    ----------
    data : TrainingData
        The training documents.
    is_class : ndarray of bool
        Which of them belong to the class.
    amount : int or callable
        How many synthetic documents to add: a number, or a rule from the number of documents and
        that of the class, such as ``minority_share(0.2).missing``. Methods that leave the documents
        as they are ignore it.
    seed, stream : int
        Together they own all randomness. For the same seed and stream 1, the place of True among
        the labels, a method adds the documents that its sampler adds to ``fit_resample(documents,
        is_class)``.

    Examples
    --------
    >>> from imbtext import minority_share
    >>> data = TrainingData.from_documents(["oil up", "rain", "sun", "snow", "more rain"])
    >>> Request.of(data, [True] + [False] * 4, minority_share(0.5).missing, random_state=0).n_new
    3
    """

    data: TrainingData
    is_class: NDArray[np.bool_]
    amount: Amount
    seed: int
    stream: int = 1

    @classmethod
    def of(
        cls, data: TrainingData, is_class: Any, amount: Amount, random_state: Any = None
    ) -> Self:
        """Take the randomness as scikit-learn does."""
        return cls(data, is_class, amount, draw_seed(random_state))

    def __post_init__(self) -> None:
        is_class = np.asarray(self.is_class, dtype=bool)
        object.__setattr__(self, "is_class", is_class)
        if is_class.shape != (self.data.n_documents,):
            raise ValueError(
                f"got {is_class.shape} marks of the class for {self.data.n_documents} documents; "
                "pass one True or False per document"
            )
        if not is_class.any() or is_class.all():
            raise ValueError(
                f"{self.n_class} of {len(is_class)} documents belong to the class; it and the rest "
                "need at least one document each"
            )
        if self.n_new < 0:
            raise ValueError(f"the amount is {self.n_new}; ask for 0 or more synthetic documents")

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The documents of the class."""
        return np.flatnonzero(self.is_class)

    @property
    def n_class(self) -> int:
        """Number of documents of the class."""
        return int(self.is_class.sum())

    @cached_property
    def n_new(self) -> int:
        """Number of synthetic documents to add."""
        if callable(self.amount):
            return self.amount(len(self.is_class), self.n_class)
        return int(self.amount)

    @cached_property
    def key(self) -> bytes:
        """Stands for the class in `TrainingData.remember`."""
        return np.packbits(self.is_class).tobytes()

    def on(self, data: TrainingData, is_class: NDArray[np.bool_]) -> Self:
        """Ask the same of a part of the documents; a plain number shrinks with the rest of them."""
        amount = self.amount
        if not callable(amount):
            n_class, n_rest = int(is_class.sum()), int((~is_class).sum())
            whole_rest = len(self.is_class) - self.n_class
            amount = max(0, (self.n_class + amount) * n_rest // whole_rest - n_class)
        return replace(self, data=data, is_class=is_class, amount=amount)

    def __sklearn_clone__(self) -> Self:
        return self
