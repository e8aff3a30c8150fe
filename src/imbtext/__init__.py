"""Oversampling for imbalanced text classification: the text counterpart of imbalanced-learn."""

from imbtext.classification import RareTextClassifier
from imbtext.methods import MethodClassifier
from imbtext.oversampling import (
    ADASYN,
    DECOM,
    DRO,
    EDA,
    EMCO,
    MCO,
    ROS,
    SMOTE,
    BorderlineSMOTE,
    FallbackWarning,
    minority_share,
)

__version__ = "0.1.0"

__all__ = [
    "ADASYN",
    "DECOM",
    "DRO",
    "EDA",
    "EMCO",
    "MCO",
    "ROS",
    "SMOTE",
    "BorderlineSMOTE",
    "FallbackWarning",
    "MethodClassifier",
    "RareTextClassifier",
    "__version__",
    "minority_share",
]
