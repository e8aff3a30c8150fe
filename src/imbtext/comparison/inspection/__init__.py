"""What a reader looks at besides averages: out-of-fold scores, documents, words, calibration.

Everything here comes from models that had not seen the document in question.
"""

from imbtext.comparison.inspection._inspect import (
    ClassInspection,
    MethodInspection,
    ScoredFold,
    inspect_class,
    sample,
)
from imbtext.comparison.inspection._reasons import FoldWords, TopWord

__all__ = [
    "ClassInspection",
    "FoldWords",
    "MethodInspection",
    "ScoredFold",
    "TopWord",
    "inspect_class",
    "sample",
]
