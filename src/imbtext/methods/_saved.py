"""The file of a fitted MethodClassifier: words, weights and thresholds, and no documents.

The archive of :mod:`imbtext._archive`. What is saved is a linear classifier on tf-idf of words,
which nearly every method ends in; a classifier of another kind is no plain numbers.
"""

import os
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression

from imbtext._archive import (
    Arrays,
    checked,
    checked_numbers,
    read_archive,
    word_array,
    write_archive,
)
from imbtext._svm import default_classifier
from imbtext.documents import Corpus, OneVsRest
from imbtext.methods._fitting import FittedMethod, Rescale
from imbtext.methods._registry import get_method
from imbtext.methods._training import Encode, TrainingData

if TYPE_CHECKING:
    from imbtext.methods._classifier import MethodClassifier

Model = TypeVar("Model", bound="MethodClassifier")

_KIND: Final = "MethodClassifier"
_VERSION: Final = 2


def save_method(path: str | os.PathLike[str], model: "MethodClassifier") -> None:
    """Write a fitted model."""
    fitted = model.fitted_ if isinstance(model.fitted_, list) else [model.fitted_]
    _check(model, fitted)
    rescaled = [each.transform_test for each in fitted]
    about = {
        "method": model.method if isinstance(model.method, str) else model.method.name,
        "share": model.share,
        "refit_idf": bool(model.refit_idf),
        "logistic": isinstance(fitted[0].classifier, LogisticRegression),
        "words": model.data_.corpus.vocabulary.tolist(),
    } | model._labels.about()
    arrays: Arrays = {
        "idf": model.data_.weighting.idf_,
        "weights": np.concatenate([np.atleast_2d(each.classifier.coef_) for each in fitted]),
        "intercepts": np.concatenate([each.classifier.intercept_ for each in fitted]),
        "thresholds": np.array([each.threshold for each in fitted]),
        "factors": np.stack([each.factors for each in rescaled if isinstance(each, Rescale)])
        if any(rescaled)
        else np.empty((0, 0)),
    }
    write_archive(path, _KIND, _VERSION, about, arrays)


def load_method(path: str | os.PathLike[str], cls: type[Model]) -> Model:
    """Read a model and check that every part of it fits the others."""

    def build(about: dict[str, Any], arrays: Arrays) -> Model:
        method = get_method(checked(about["method"], str)).name
        share = float(checked(about["share"], float))
        model = cls(method, share=share, refit_idf=checked(about["refit_idf"], bool))
        words = word_array(about["words"])
        n = len(words)
        model._labels = OneVsRest.of_file(about)
        model.classes_ = model._labels.classes
        k = len(model._labels.modelled)
        model.data_ = _vectorizer(words, checked_numbers(arrays["idf"], (n,), least=0.0))
        weights = checked_numbers(arrays["weights"], (k, n))
        intercepts = checked_numbers(arrays["intercepts"], (k,))
        thresholds = checked_numbers(arrays["thresholds"], (k,))
        factors = arrays["factors"]
        if len(factors):
            factors = checked_numbers(factors, (k, n), least=0.0)
        if checked(about["logistic"], bool):
            model.classifier = LogisticRegression()
        fitted = [
            FittedMethod(
                _linear(model.classifier, weights[c], intercepts[c]),
                float(thresholds[c]),
                Rescale(factors[c]) if len(factors) else None,
            )
            for c in range(k)
        ]
        model.fitted_ = fitted[0] if k == 1 else fitted
        return model

    return read_archive(path, _KIND, _VERSION, build)


def _linear(kind: Any, weights: NDArray[np.float64], intercept: float) -> Any:
    """Return a linear classifier of which the numbers are left."""
    classifier = default_classifier() if kind is None else clone(kind)
    classifier.coef_, classifier.intercept_ = weights.reshape(1, -1), np.array([intercept])
    classifier.classes_ = np.array([False, True])
    return classifier


def _vectorizer(words: NDArray[np.object_], idf: NDArray[np.float64]) -> TrainingData:
    nothing = Corpus(np.empty(0, np.int32), np.zeros(1, np.int64), words)
    data = TrainingData(nothing, None, Encode(None))
    data.weighting = TfidfTransformer()
    data.weighting.idf_ = idf
    data.weighting.n_features_in_ = len(words)
    return data


def _check(model: "MethodClassifier", fitted: list[FittedMethod]) -> None:
    """Say what cannot be written as plain numbers."""
    if fitted[0].reads_documents:
        raise ValueError(
            f"the method {model.method!r} is a RareTextClassifier, which has a file of its own: "
            "fit and save that"
        )
    if model.tokenizer is not None or model.data_.features is not None:
        raise ValueError(
            "a tokenizer, or features of your own, are code, and a model file holds none; use "
            "features='words', or pickle the model for readers who trust you"
        )
    for each in fitted:
        if each.transform_test is not None and not isinstance(each.transform_test, Rescale):
            raise ValueError(
                f"the method {model.method!r} has a space of its own, which is not saved; pickle "
                "the model for readers who trust you"
            )
        if np.size(getattr(each.classifier, "coef_", ())) != model.data_.corpus.n_words:
            raise ValueError(
                f"{type(each.classifier).__name__} is no linear classifier, and only the numbers "
                "of one are saved; pickle the model for readers who trust you"
            )
