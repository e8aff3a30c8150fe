"""Thresholds for any ranking, and what to expect of new documents there."""

from imbtext.thresholds._calibration import Calibration
from imbtext.thresholds._classifier import ThresholdClassifier
from imbtext.thresholds._expectation import AlarmRate, Expectation, KnownWords, expect, expect_at
from imbtext.thresholds._held_out import HeldOut
from imbtext.thresholds._operating_point import OperatingPoint
from imbtext.thresholds._prevalence import Prevalence

__all__ = [
    "AlarmRate",
    "Calibration",
    "Expectation",
    "HeldOut",
    "KnownWords",
    "OperatingPoint",
    "Prevalence",
    "ThresholdClassifier",
    "expect",
    "expect_at",
]
