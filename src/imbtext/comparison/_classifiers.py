"""The classifiers of a comparison: by short name, by import path, or as an object."""

import importlib
from collections.abc import Callable
from typing import Any, Final

from sklearn.base import is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB

from imbtext.methods import default_classifier

NAMED_CLASSIFIERS: Final[dict[str, Callable[[], Any]]] = {
    "linear-svm": default_classifier,
    "logistic-regression": lambda: LogisticRegression(max_iter=1000),
    "complement-nb": ComplementNB,
}


def get_classifier(classifier: Any) -> Any:
    """Return an unfitted scikit-learn classifier.

    A class, given or imported (with a dot or a colon before its name), is called without arguments.

    Examples
    --------
    >>> get_classifier("sklearn.linear_model:RidgeClassifier")
    RidgeClassifier()
    >>> get_classifier("linear-svn")
    Traceback (most recent call last):
    ...
    ValueError: there is no classifier 'linear-svn'; choose linear-svm, logistic-regression or \
complement-nb, or give an import path such as sklearn.linear_model:RidgeClassifier
    """
    made = classifier
    if isinstance(classifier, str):
        made = NAMED_CLASSIFIERS.get(classifier) or _imported(classifier)
    if (callable(made) and not hasattr(made, "get_params")) or isinstance(made, type):
        made = made()
    if not hasattr(made, "fit") or not is_classifier(made):
        raise TypeError(
            f"classifier is {classifier!r}, which is no scikit-learn classifier; give a name, an "
            "import path or an estimator such as LogisticRegression()"
        )
    if not hasattr(made, "decision_function") and not hasattr(made, "predict_proba"):
        raise TypeError(
            f"{type(made).__name__} has neither decision_function nor predict_proba, so its "
            "documents cannot be ranked; choose another classifier"
        )
    return made


def _imported(path: str) -> Any:
    module, separator, name = path.partition(":")
    if not separator:
        module, _, name = path.rpartition(".")
    if not module:
        raise ValueError(
            f"there is no classifier {path!r}; choose linear-svm, logistic-regression or "
            "complement-nb, or give an import path such as sklearn.linear_model:RidgeClassifier"
        )
    try:
        return getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise ValueError(f"cannot import the classifier {path!r}: {error}") from error
    except AttributeError:
        raise ValueError(
            f"the module {module!r} has no {name!r}; check the import path {path!r}"
        ) from None
