"""What applies a recommended method: Python that runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.base import BaseEstimator

from imbtext.methods import get_method


@dataclass(frozen=True)
class Application:
    """What snippet and command need besides the method; classes as they stand in the labels.

    `write_command` makes a command of a method and this; None where there is no file.
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
    chosen = get_method(method)
    belongs = (
        "label in labels for labels in y"
        if application.multilabel
        else "each == label for each in y"
    )
    if chosen.family == "rare":
        lines = ["from imbtext import RareTextClassifier", ""]
        model = ["RareTextClassifier(", f"    {chosen.scoring!r},"]
        model += [f"    features={chosen.parameters['features']!r},", "    pos_label=True,"]
    else:
        imports, made = construction(application.classifier)
        more, features = _features(application.features)
        imports = "\n".join(sorted({*imports.splitlines(), *more.splitlines()}))
        lines = [imports, "from imbtext.methods import MethodClassifier", ""]
        model = ["MethodClassifier(", f"    {method!r},", f"    classifier={made},", *features]
        model += [f"    share={application.share!r},", "    pos_label=True,"]
    model += [f"    random_state={application.seed},", f").fit(texts, [{belongs}])"]
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


def _features(features: Any) -> tuple[str, list[str]]:
    """Return the import lines and the line of the call that give the features compared."""
    if isinstance(features, str):
        return "", [] if features == "words" else [f"    features={features!r},"]
    if hasattr(features, "get_params"):
        imports, vectorizer = construction(features)
        return imports, [f"    features={vectorizer},"]
    return "", ["    features=features,  # the callable that was compared"]


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
    is_known = isinstance(classifier, BaseEstimator)
    whole = classifier.__repr__(N_CHAR_MAX=10**9) if is_known else repr(classifier)
    return "\n".join(sorted(set(imports))), " ".join(whole.split())
