"""The methods that the paper compares, and those that a practitioner would add."""

from dataclasses import replace
from typing import Any

from imbtext.methods.method import Method, Scoring
from imbtext.methods.registry import register_method
from imbtext.methods.samplers import (
    DistributionalRows,
    MarkovDocuments,
    RandomRows,
    TopicDocuments,
    Unchanged,
)

_SCORINGS: tuple[Scoring, ...] = ("balanced_accuracy", "f1", "f2")


def svm() -> Method:
    """No oversampling: the plain classifier."""
    return Method("svm", "classifier", Unchanged())


def ros() -> Method:
    """Random oversampling."""
    return Method("ros", "tfidf", RandomRows())


def mco(order: int = 1) -> Method:
    """Markov chain oversampling: EMCO with gamma 0."""
    return Method("mco", "tokens", MarkovDocuments(0.0, order))


def emco(gamma: float | str = 1.0, order: int = 1) -> Method:
    """Extrapolated Markov chain oversampling; gamma a number, or ``heaps``."""
    if isinstance(gamma, str):
        if gamma != "heaps":
            raise ValueError(f"emco's gamma is {gamma!r}; give a number from 0 to 1, or heaps")
    elif not 0 <= gamma <= 1:
        raise ValueError(f"emco's gamma is {gamma}; give a number from 0 to 1, or heaps")
    return Method("emco", "tokens", MarkovDocuments(gamma, order))


def class_weight() -> Method:
    """No oversampling: errors on the rare class cost as much more as it is rarer."""
    return Method("class-weight", "classifier", Unchanged(), class_weight="balanced")


def threshold(*arguments: Any) -> Method:
    """Tune the decision threshold, on the plain classifier or on top of another method.

    ``threshold``, ``threshold(f2)``, ``threshold(emco(0.1), f2)``.
    """
    scoring: Scoring = "balanced_accuracy"
    method = svm()
    for argument in arguments:
        if isinstance(argument, Method):
            method = argument
        elif argument in _SCORINGS:
            scoring = argument
        else:
            raise ValueError(
                f"threshold takes a method and a score, and {argument!r} is neither; "
                f"the scores are {', '.join(_SCORINGS)}, as in threshold(emco(0.1), f2)"
            )
    return replace(method, scoring=scoring)


for _name, _factory in [
    ("svm", svm),
    ("ros", ros),
    ("mco", mco),
    ("emco", emco),
    ("class-weight", class_weight),
    ("threshold", threshold),
]:
    register_method(_name, _factory)
