"""Every method by name, and the one way from a method and documents to a fitted classifier."""

from imbtext.methods._builtin import paper_methods
from imbtext.methods._classifier import MethodClassifier
from imbtext.methods._fitting import FittedMethod, default_classifier, fit_method, n_for_share
from imbtext.methods._method import Method, Resampled, Resampler
from imbtext.methods._registry import (
    get_method,
    method_names,
    register_method,
    unregister_method,
)
from imbtext.methods._samplers import SamplerMethod
from imbtext.methods._training import TrainingData

__all__ = [
    "FittedMethod",
    "Method",
    "MethodClassifier",
    "Resampled",
    "Resampler",
    "SamplerMethod",
    "TrainingData",
    "default_classifier",
    "fit_method",
    "get_method",
    "method_names",
    "n_for_share",
    "paper_methods",
    "register_method",
    "unregister_method",
]
