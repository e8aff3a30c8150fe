"""Every method by name, and the one way from a method and documents to a fitted classifier."""

from imbtext._svm import default_classifier
from imbtext.methods._builtin import paper_methods
from imbtext.methods._classifier import MethodClassifier
from imbtext.methods._fitting import FittedMethod, fit_method
from imbtext.methods._fitting import with_best_features as with_best_features
from imbtext.methods._method import Method, Request, Resampled, Resampler
from imbtext.methods._registry import (
    get_method,
    method_names,
    register_method,
    unregister_method,
)
from imbtext.methods._samplers import MarkovDocuments, SamplerMethod
from imbtext.methods._training import Encode as Encode
from imbtext.methods._training import TrainingData
from imbtext.methods._training import own_features as own_features

__all__ = [
    "FittedMethod",
    "MarkovDocuments",
    "Method",
    "MethodClassifier",
    "Request",
    "Resampled",
    "Resampler",
    "SamplerMethod",
    "TrainingData",
    "default_classifier",
    "fit_method",
    "get_method",
    "method_names",
    "paper_methods",
    "register_method",
    "unregister_method",
]
