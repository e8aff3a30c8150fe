"""The Python that follows an advice: copy it to train the method that was chosen."""

import re
from typing import Final

from sklearn.base import BaseEstimator

from imbtext._messages import listed
from imbtext.comparison._plan import Plan
from imbtext.features._sources import name_of_features
from imbtext.methods._registry import get_method

_LONGEST_LINE: Final = 88


def snippet(method: str, plan: Plan) -> str:
    """Return Python that fits the method on ``texts`` and ``y`` and predicts ``new_texts``."""
    is_rare = get_method(method).family == "rare"
    imports, name, values = (_rare_classifier if is_rare else _method_classifier)(method, plan)
    values += ["pos_label=True", f"random_state={plan.random_state}"]
    model = [f"model = {name}({', '.join(values)})"]
    if len(model[0]) > _LONGEST_LINE or any("#" in value for value in values):
        # A comment ends its line, so the comma stands before it.
        ended = (re.sub(r"(  #.*)?$", r",\1", value, count=1) for value in values)
        model = [f"model = {name}(", *(f"    {value}" for value in ended), ")"]
    belongs = (
        "label in labels for labels in y"
        if plan.multilabel
        else "document_label == label for document_label in y"
    )
    subject = f"label = {plan.to_find[0]!r}"
    if plan.joined:
        subject = f"one_class = {{{', '.join(map(repr, plan.joined))}}}"
        belongs = (
            "not one_class.isdisjoint(labels) for labels in y"
            if plan.multilabel
            else "label in one_class for label in y"
        )
    arguments = ["texts", f"[{belongs}]"]
    if is_rare and plan.own_groups:
        arguments += ["groups=groups"]
    if is_rare and plan.in_time:
        arguments += ["time=times"]
    model += [f"model.fit({', '.join(arguments)})"]
    if len(plan.to_find) == 1:
        lines = [
            subject,
            *model,
            "in_class = model.predict(new_texts)  # True where a document belongs to the class",
        ]
    else:
        lines = [
            "in_class = {}  # for every label: True where a document belongs to the class",
            f"for label in {list(plan.to_find)!r}:",
            *(f"    {line}" for line in model),
            "    in_class[label] = model.predict(new_texts)",
        ]
    if plan.n_left_out:
        # "==" would put a document without a label outside the class.
        note = f"# texts and y: without the {plan.n_left_out:,} that had no label or one to ignore"
        imports = [*imports, note]
    return "\n".join([*imports, *lines])


def _rare_classifier(method: str, plan: Plan) -> tuple[list[str], str, list[str]]:
    """Return the first lines, the name of the class and its arguments."""
    definition = get_method(method)
    lines = ["from imbtext import RareTextClassifier", ""]
    if plan.own_groups:
        lines += ["# groups: one value per document, the same for documents that belong together"]
    if plan.in_time:
        lines += ["# times: when each document was written"]
    values = [repr(definition.scoring)]
    if plan.text_columns:
        values += [f"text={list(plan.text_columns)!r}"]
    if plan.columns:
        values += [f"columns={list(plan.columns)!r}"]
    if definition.parameters["features"] != "auto":
        values += [f"features={definition.parameters['features']!r}"]
    if definition.parameters["encoder"] is not None:
        values += [f"encoder={definition.parameters['encoder']!r}"]
    if definition.parameters["language"] != "english":
        values += [f"language={definition.parameters['language']!r}"]
    return lines, "RareTextClassifier", values


def _method_classifier(method: str, plan: Plan) -> tuple[list[str], str, list[str]]:
    """Return the first lines, the name of the class and its arguments."""
    lines, values = ["from imbtext.methods import ResampledClassifier", ""], [repr(method)]
    if get_method(method).estimator is None:  # it does not bring its own features and classifier
        imports, classifier = construction(plan.estimator)
        more, features = _features(plan.feature_source)
        lines = ["\n".join(sorted({*imports.splitlines(), *more.splitlines()})), *lines]
        values += [f"classifier={classifier}", *features, f"share={plan.share!r}"]
    if plan.text_columns:
        lines += [f"# texts: {listed(plan.text_columns)} of each row, one below the other"]
    return lines, "ResampledClassifier", values


def _features(features: object) -> tuple[str, list[str]]:
    """Return the import lines and the argument of the call that give the features compared."""
    if isinstance(features, str) or name_of_features(features) is not None:
        return "", [] if features in ("auto", "words") else [f"features={features!r}"]
    if hasattr(features, "get_params"):
        imports, vectorizer = construction(features)
        return imports, [f"features={vectorizer}"]
    return "", ["features=features  # the callable that was compared"]


def construction(classifier: BaseEstimator) -> tuple[str, str]:
    """Return the import lines and the expression that make an equal classifier.

    Examples
    --------
    >>> from sklearn.naive_bayes import ComplementNB
    >>> construction(ComplementNB())
    ('from sklearn.naive_bayes import ComplementNB', 'ComplementNB()')
    """
    parts = [classifier, *classifier.get_params(deep=True).values()]
    kinds = [type(part) for part in parts if hasattr(part, "get_params")]
    # The public module: scikit-learn's classes live in private modules below it.
    imports = [f"from {k.__module__.split('._', maxsplit=1)[0]} import {k.__name__}" for k in kinds]
    # scikit-learn shortens what is longer than 700 characters, unless told not to.
    is_known = isinstance(classifier, BaseEstimator)
    text = classifier.__repr__(N_CHAR_MAX=10**9) if is_known else repr(classifier)
    return "\n".join(sorted(set(imports))), " ".join(text.split())
