"""The samplers: EMCO, MCO, EDA and ROS on documents, the others on vectors."""

from imbtext.oversampling.decom import DECOM
from imbtext.oversampling.dro import DRO
from imbtext.oversampling.eda import EDA
from imbtext.oversampling.emco import EMCO, MCO
from imbtext.oversampling.ros import ROS
from imbtext.oversampling.strategy import minority_share
from imbtext.oversampling.vectors import ADASYN, SMOTE, BorderlineSMOTE, FallbackWarning

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
    "minority_share",
]
