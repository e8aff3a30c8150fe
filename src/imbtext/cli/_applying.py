"""The commands that apply a recommended method to the file it was recommended for."""

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from imbtext.comparison import Application
    from imbtext.methods import Method
    from imbtext.tables import DocumentColumns, Layout


@dataclass(frozen=True)
class SourceFile:
    """Where documents came from."""

    path: str
    columns: "DocumentColumns"
    layout: "Layout"

    def command(self, method: str, application: "Application") -> str:
        """Return the commands that apply a method, for each class.

        They write the oversampled training file, or train `RareTextClassifier` and predict.
        Empty where ``imbtext oversample`` cannot do what was compared: the method writes no
        documents or has settings that it does not take, or documents have several labels.
        """
        from imbtext.methods import get_method

        chosen = get_method(method)
        is_rare = chosen.family == "rare"
        reading = reading_options(self.layout)
        if is_rare:
            command, out = "train", "rare{}.model"
            settings = [
                "--metric",
                str(chosen.scoring),
                "--features",
                chosen.parameters["features"],
            ]
            if self.columns.separator is not None:
                settings += ["--label-separator", self.columns.separator]
        else:
            command, out = "oversample", "oversampled{}.csv"
            settings = _oversampling(chosen)
            if not settings or application.multilabel:
                return ""
            settings += ["--share", f"{application.share!r}"]
        lines = []
        for number, label in enumerate(application.labels, start=1):
            # Each class was compared alone against the rest, so each gets a file of its own.
            own = "" if len(application.labels) == 1 else f"-{number}"
            words = ["imbtext", command, self.path, "-o", out.format(own)]
            words += ["--text", self.columns.text, "--label", str(self.columns.label), *reading]
            words += ["--class", str(label), *settings, "--seed", str(application.seed)]
            lines.append(shlex.join(words))
            if is_rare:
                words = ["imbtext", "predict", out.format(own), "new.csv", "-o", f"scored{own}.csv"]
                lines.append(shlex.join([*words, "--text", self.columns.text, *reading]))
        return "\n".join(lines)


def reading_options(layout: "Layout") -> list[str]:
    """Return the options that read other files as one of this layout was read."""
    words = [] if layout.format is None else ["--format", layout.format]
    words += [] if layout.delimiter is None else ["--delimiter", layout.delimiter]
    words += [] if layout.quotes else ["--no-quotes"]
    return words + ([] if layout.encoding == "utf-8" else ["--encoding", layout.encoding])


def _oversampling(method: "Method") -> list[str]:
    """Return the options of ``imbtext oversample`` that stand for a method, if any do."""
    from imbtext.methods import get_method

    given, family = method.parameters, method.family
    if given.get("weight", 1) != 1:  # a file has no place for weights
        return []
    if family in ("emco", "mco"):
        gamma = ["--gamma", str(given["gamma"])] if family == "emco" else []
        return ["--method", family, *gamma, "--order", str(given["order"])]
    plain_eda = family == "eda" and given == get_method("eda").parameters
    return ["--method", family] if family == "ros" or plain_eda else []
