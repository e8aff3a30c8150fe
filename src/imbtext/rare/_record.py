"""What a model remembers of the documents it was trained on: numbers about them, none of them."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray

import imbtext


@dataclass(frozen=True)
class TrainingRecord:
    """What a model was trained on, in numbers.

    Attributes
    ----------
    n_documents : int
        How many documents there were.
    class_sizes : tuple of int
        How many of them were of each class that the model looks for.
    day : str
        The day of training, in UTC. ``SOURCE_DATE_EPOCH`` replaces it, for files that must not
        depend on the day.
    versions : str
        The versions of Python and of the packages that matter.
    """

    n_documents: int
    class_sizes: tuple[int, ...]
    day: str
    versions: str

    @classmethod
    def of(cls, n_documents: int, members: Sequence[NDArray[Any]]) -> "TrainingRecord":
        """Take the number of documents and those of each class."""
        epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
        now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
        versions = (
            f"imbalanced-text {imbtext.__version__}, Python {platform.python_version()}, "
            f"NumPy {np.__version__}, scikit-learn {sklearn.__version__}"
        )
        return cls(n_documents, tuple(map(len, members)), now.date().isoformat(), versions)
