"""Methods by name, and a method with a classifier as one estimator.

A method says what to do about the imbalance: ``"emco(0.1)"``, ``"class-weight"``,
``"threshold(ros, f2)"``. :class:`ResampledClassifier` is a method and a classifier as one
estimator; :func:`register_method` adds a method of your own. Experiments that fit many methods to
the same documents prepare these once (:class:`PreparedDocuments`), state the class and how many
documents to add (:class:`Problem`) and call :func:`fit_method`.
"""

from typing import TYPE_CHECKING

from imbtext._names import no_attribute
from imbtext._svm import default_classifier as default_classifier
from imbtext.methods._classifier import ResampledClassifier
from imbtext.methods._documents import PreparedDocuments as PreparedDocuments
from imbtext.methods._fitting import fit_method as fit_method
from imbtext.methods._method import Method
from imbtext.methods._method import Problem as Problem
from imbtext.methods._registry import (
    get_method,
    method_names,
    register_method,
    unregister_method,
)

__all__ = [
    "Method",
    "ResampledClassifier",
    "get_method",
    "method_names",
    "register_method",
    "unregister_method",
]

if not TYPE_CHECKING:  # types know the names that exist
    __getattr__ = no_attribute(__name__)
