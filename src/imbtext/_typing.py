"""The types of what users pass, by names that say more than ``Any``.

A user's documents and labels come in many containers: lists, arrays, columns of pandas, Polars and
Arrow. A container must be finite, ordered and readable twice. ``documents/`` reads it, or raises an
error that says what is wrong with it.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from sklearn.base import BaseEstimator


class Column(Protocol):
    """A list, an array, or a column of a table."""

    def __len__(self) -> int:
        """Return how many rows there are."""

    def __iter__(self) -> Iterator[Any]:
        """Return the rows in their order."""

    def __getitem__(self, row: int, /) -> object:
        """Return a row."""


Document = str | Sequence[str]
"""A text, or the tokens of one."""

DocumentsLike = Column
"""Documents, or a table with a column of documents."""

TableLike: TypeAlias = "pd.DataFrame | pl.DataFrame | pa.Table | NDArray[Any]"
"""A table; the columns of an array of two dimensions have numbers."""

ArrowColumn: TypeAlias = "pa.Array | pa.ChunkedArray"
"""A column of Arrow, in one piece or several."""

LabelsLike = Column
"""A label per document; sets of labels or an indicator matrix where documents have several."""

Label = Hashable
"""The name of a class."""

ColumnName = str | int
"""The name of a table's column; columns of arrays have numbers."""

ColumnNames = ColumnName | Sequence[ColumnName] | None
"""One column of a table or several."""

MetricLike = str | tuple[float, float]
"""What to be good at: the name of a metric or a goal, or the costs of a miss and a false alarm."""

FeatureSource: TypeAlias = "BaseEstimator | Callable[..., object]"
"""A vectorizer, a pipeline on text, or a callable from a list of documents to rows of numbers."""

FeaturesLike: TypeAlias = "str | FeatureSource | Sequence[str | FeatureSource]"
"""Where vectors come from: a name, a source of the user's own, or several of them in a list."""

ClassifierLike: TypeAlias = "str | BaseEstimator"
"""The name of a classifier, or one of the user's own."""

Array = NDArray[Any]
"""Values of whatever type the user's are, such as labels, times and groups."""

Matrix = Any
"""A row of numbers per document, dense or sparse; NumPy and SciPy have no common type for it."""

Record = dict[str, Any]
"""Values by name: a JSON object, a row of a table. Its reader knows what is in it."""

MAY_BE_NAN: Final = "may be NaN"
"""Marks a number, or an array of them, that need not be finite, see `imbtext.records`."""

MayBeNaN = Annotated[float, MAY_BE_NAN]
"""A number that is NaN where it is not known."""

RandomState = int | np.random.RandomState | np.random.Generator | None
"""What scikit-learn takes as ``random_state``."""

SamplingStrategy = str | float | Mapping[Any, int] | Callable[[Array], Mapping[Any, int]]
"""What imbalanced-learn takes as ``sampling_strategy``."""
