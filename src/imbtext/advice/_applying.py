"""What applies a recommended method: Python that runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator


@dataclass(frozen=True)
class Application:
    """What snippet and command need besides the method.

    Attributes
    ----------
    labels : tuple
        The classes, as they stand in the labels.
    multilabel : bool
        Whether a document may belong to several classes.
    share : float
        The share that oversampling brings a class to.
    seed : int
        Owns all randomness.
    classifier : estimator
        As it was compared.
    features : str, estimator or callable
        As they were compared.
    write_command : callable or None
        From a method and this application to a command; None where there is no file.
    """

    labels: tuple[Any, ...]
    multilabel: bool
    share: float
    seed: int
    classifier: Any
    features: Any = "words"
    write_command: Callable[[str, "Application"], str] | None = None


def snippet(method: str, application: Application) -> str:
    """Return Python that fits the method on ``texts`` and ``y`` and predicts ``new_texts``."""
    imports, made = construction(application.classifier)
    belongs = (
        "label in labels for labels in y"
        if application.multilabel
        else "each == label for each in y"
    )
    if application.features == "words":
        features = []
    elif isinstance(application.features, str):
        features = [f"    features={application.features!r},"]
    elif hasattr(application.features, "get_params"):
        more, vectorizer = construction(application.features)
        imports = "\n".join(sorted({*imports.splitlines(), *more.splitlines()}))
        features = [f"    features={vectorizer},"]
    else:
        features = ["    features=features,  # the callable that was compared"]
    model = [
        "MethodClassifier(",
        f"    {method!r},",
        f"    classifier={made},",
        *features,
        f"    share={application.share!r},",
        "    positive=True,",
        f"    random_state={application.seed},",
        f").fit(texts, [{belongs}])",
    ]
    lines = [imports, "from imbtext.methods import MethodClassifier", ""]
    if len(application.labels) == 1:
        lines += [
            f"label = {application.labels[0]!r}",
            f"model = {model[0]}",
            *model[1:],
            "found = model.predict(new_texts)  # True where a document belongs to the class",
        ]
    else:
        lines += [
            "found = {}  # for each class: True where a document belongs to it",
            f"for label in {list(application.labels)!r}:",
            f"    model = {model[0]}",
            *(f"    {line}" for line in model[1:]),
            "    found[label] = model.predict(new_texts)",
        ]
    return "\n".join(lines)


def construction(classifier: Any) -> tuple[str, str]:
    """Return the import lines and the expression that make an equal classifier.

    Examples
    --------
    >>> from sklearn.naive_bayes import ComplementNB
    >>> construction(ComplementNB())
    ('from sklearn.naive_bayes import ComplementNB', 'ComplementNB()')
    """
    parts = [classifier, *classifier.get_params(deep=True).values()]
    kinds = [type(part) for part in parts if hasattr(part, "get_params")]
    # Public home: scikit-learn's classes live in private modules below it.
    imports = [f"from {k.__module__.split('._', maxsplit=1)[0]} import {k.__name__}" for k in kinds]
    # Longer ones than 700 characters are shortened by scikit-learn unless told not to.
    whole = (
        classifier.__repr__(N_CHAR_MAX=10**9)
        if isinstance(classifier, BaseEstimator)
        else repr(classifier)
    )
    return "\n".join(sorted(set(imports))), " ".join(whole.split())
