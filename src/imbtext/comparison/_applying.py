"""What applies a recommended method: Python that runs, and a command."""

import shlex
from dataclasses import dataclass
from typing import Any, Final

from imbtext.comparison._classifiers import construction
from imbtext.methods._names import parse_name

# The methods of ``imbtext oversample``.
_WRITERS: Final = ("emco", "mco", "ros", "eda")


@dataclass(frozen=True)
class Application:
    """What the snippet and the command need besides the method."""

    labels: tuple[Any, ...]
    multilabel: bool
    share: float
    seed: int
    classifier: Any
    source: str = "train.csv"
    text_column: str = "text"
    label_column: str = "label"


def snippet(method: str, application: Application) -> str:
    """Return Python that fits the method on ``texts`` and ``y`` and predicts ``new_texts``."""
    imports, made = construction(application.classifier)
    belongs = (
        "rare in labels for labels in y"
        if application.multilabel
        else "label == rare for label in y"
    )
    model = [
        "MethodClassifier(",
        f"    {method!r},",
        f"    classifier={made},",
        f"    share={application.share!r},",
        "    positive=True,",
        f"    random_state={application.seed},",
        f").fit(texts, [{belongs}])",
    ]
    lines = [imports, "from imbtext.methods import MethodClassifier", ""]
    if len(application.labels) == 1:
        lines += [
            f"rare = {application.labels[0]!r}",
            f"model = {model[0]}",
            *model[1:],
            "found = model.predict(new_texts)  # True where a document belongs to the class",
        ]
    else:
        lines += [
            "found = {}  # for each class: True where a document belongs to it",
            f"for rare in {list(application.labels)!r}:",
            f"    model = {model[0]}",
            *(f"    {line}" for line in model[1:]),
            "    found[rare] = model.predict(new_texts)",
        ]
    return "\n".join(lines)


def command(method: str, application: Application) -> str:
    """Return the command that writes the oversampled training file.

    Empty where the method writes no documents: it leaves them as they are, or works on vectors.
    """
    call = parse_name(method)
    if call.name == "threshold":
        inner = [value for value in call.args if str(value) not in ("f1", "f2")]
        call = parse_name(str(inner[0])) if inner else call
    if call.name not in _WRITERS:
        return ""
    words = [
        "imbtext",
        "oversample",
        application.source,
        "-o",
        "oversampled.csv",
        "--text",
        application.text_column,
        "--label",
        application.label_column,
    ]
    for label in application.labels:
        words += ["--class", str(label)]
    words += ["--method", call.name]
    if call.name == "emco":
        gamma = call.args[0] if call.args else dict(call.kwargs).get("gamma", 1.0)
        words += ["--gamma", str(gamma)]
    words += ["--share", f"{application.share:g}", "--seed", str(application.seed)]
    return shlex.join(words)
