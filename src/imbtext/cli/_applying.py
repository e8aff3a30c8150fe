"""The commands that apply a recommended method to the file it was recommended for."""

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from imbtext.advice import Application
    from imbtext.tabular import DocumentColumns, Layout


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

        if get_method(method).family == "rare":
            return self._training(method, application)
        settings = _oversampling(method)
        if settings is None or application.multilabel:
            return ""
        settings += ["--share", f"{application.share!r}", "--seed", str(application.seed)]
        lines = []
        for number, label in enumerate(application.labels, start=1):
            # Each class was compared alone against the rest, so each gets a file of its own.
            out = "oversampled.csv" if len(application.labels) == 1 else f"oversampled-{number}.csv"
            words = ["imbtext", "oversample", self.path, "-o", out, *self._read()]
            lines.append(shlex.join([*words, "--class", str(label), *settings]))
        return "\n".join(lines)

    def _training(self, method: str, application: "Application") -> str:
        from imbtext.methods import get_method

        rare = get_method(method)
        settings = ["--metric", str(rare.scoring), "--features", rare.parameters["features"]]
        if self.columns.separator is not None:
            settings += ["--label-separator", self.columns.separator]
        lines = []
        for number, label in enumerate(application.labels, start=1):
            model = "rare.model" if len(application.labels) == 1 else f"rare-{number}.model"
            words = ["imbtext", "train", self.path, "-o", model, *self._read()]
            words += ["--class", str(label), *settings, "--seed", str(application.seed)]
            out = model.replace("rare", "scored").replace(".model", ".csv")
            predict = ["imbtext", "predict", model, "new.csv", "-o", out]
            predict += ["--text", self.columns.text, *reading_options(self.layout)]
            lines += [shlex.join(words), shlex.join(predict)]
        return "\n".join(lines)

    def _read(self) -> list[str]:
        """Return the options that read the file as it was read."""
        words = ["--text", self.columns.text, "--label", str(self.columns.label)]
        return words + reading_options(self.layout)


def reading_options(layout: "Layout") -> list[str]:
    """Return the options that read other files as one of this layout was read."""
    words = [] if layout.format is None else ["--format", layout.format]
    words += [] if layout.delimiter is None else ["--delimiter", layout.delimiter]
    words += [] if layout.quotes else ["--no-quotes"]
    return words + ([] if layout.encoding == "utf-8" else ["--encoding", layout.encoding])


def _oversampling(method: str) -> list[str] | None:
    """Return the options of ``imbtext oversample`` that stand for a method."""
    from imbtext.methods import get_method

    made = get_method(method)
    given = made.parameters
    if given.get("weight", 1) != 1:  # a file has no place for weights
        return None
    if made.family == "emco":
        gamma, order = str(given["gamma"]), str(given["order"])
        return ["--method", "emco", "--gamma", gamma, "--order", order]
    if made.family == "mco":
        return ["--method", "mco", "--order", str(given["order"])]
    plain_eda = made.family == "eda" and given == get_method("eda").parameters
    if made.family == "ros" or plain_eda:
        return ["--method", made.family]
    return None
