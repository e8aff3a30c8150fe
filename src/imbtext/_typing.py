"""Names for the types of what users pass, so that a signature says more than ``Any``.

A user's documents and labels come in many containers: lists, arrays, columns of pandas, Polars and
Arrow. All we ask of one is that it is finite, ordered and can be read twice; ``documents/`` reads
it, and says what is wrong with one that cannot be read.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np


class Column(Protocol):
    """A list, an array, or a column of a table."""

    def __len__(self) -> int:
        """Return how many rows there are."""

    def __iter__(self) -> Iterator[Any]:
        """Return the rows in their order."""

    def __getitem__(self, row: Any, /) -> Any:
        """Return a row."""


Document = str | Sequence[str]
"""A text, or the tokens of one."""

DocumentsLike = Column
"""Documents, or a table with a column of documents."""

LabelsLike = Column
"""A label per document; sets of labels or an indicator matrix where documents have several."""

Label = Hashable
"""The name of a class."""

RandomState = int | np.random.RandomState | np.random.Generator | None
"""What scikit-learn takes as ``random_state``."""

SamplingStrategy = str | float | Mapping[Any, int] | Callable[[Any], Mapping[Any, int]]
"""What imbalanced-learn takes as ``sampling_strategy``."""
