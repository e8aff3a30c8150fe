"""RareTextClassifier: find the documents of a rare class."""

from typing import TYPE_CHECKING

from imbtext._names import no_attribute
from imbtext.rare._classifier import RareTextClassifier
from imbtext.rare._columns import SuspectColumnWarning
from imbtext.rare._explanation import Explanation
from imbtext.rare._familiarity import UnfamiliarTextWarning
from imbtext.rare._fitted import FittedModel
from imbtext.rare._training_documents import FewDocumentsWarning
from imbtext.rare._training_record import TrainingRecord
from imbtext.thresholds._expectation import AlarmRate, Expectation, KnownWords

__all__ = [
    "AlarmRate",
    "Expectation",
    "Explanation",
    "FewDocumentsWarning",
    "FittedModel",
    "KnownWords",
    "RareTextClassifier",
    "SuspectColumnWarning",
    "TrainingRecord",
    "UnfamiliarTextWarning",
]

if not TYPE_CHECKING:  # types know the names that exist
    __getattr__ = no_attribute(__name__)
