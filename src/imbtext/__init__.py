"""Oversampling for imbalanced text classification: the text counterpart of imbalanced-learn."""

from imbtext.oversampling.emco import EMCO, MCO
from imbtext.oversampling.strategy import minority_share

__version__ = "0.1.0"

__all__ = ["EMCO", "MCO", "__version__", "minority_share"]
