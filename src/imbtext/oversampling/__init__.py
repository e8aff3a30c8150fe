"""The samplers: EMCO, MCO, EDA and ROS on documents, the others on vectors."""

from imbtext._warnings import FallbackWarning
from imbtext.oversampling._base import BaseTextOverSampler, Synthetic, Wanted
from imbtext.oversampling._decom import DECOM
from imbtext.oversampling._dro import DRO
from imbtext.oversampling._eda import EDA
from imbtext.oversampling._emco import EMCO
from imbtext.oversampling._geometric import GeometricSMOTE
from imbtext.oversampling._mco import MCO
from imbtext.oversampling._prompted import PromptedSampler
from imbtext.oversampling._ros import ROS
from imbtext.oversampling._strategy import minority_share
from imbtext.oversampling._vectors import ADASYN, SMOTE, BorderlineSMOTE

__all__ = [
    "ADASYN",
    "DECOM",
    "DRO",
    "EDA",
    "EMCO",
    "MCO",
    "ROS",
    "SMOTE",
    "BaseTextOverSampler",
    "BorderlineSMOTE",
    "FallbackWarning",
    "GeometricSMOTE",
    "PromptedSampler",
    "Synthetic",
    "Wanted",
    "minority_share",
]
