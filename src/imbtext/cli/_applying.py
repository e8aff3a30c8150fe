"""The commands that apply a recommended method to the file it was recommended for."""

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from imbtext.advice import Application
    from imbtext.tabular import DocumentColumns, Layout


@dataclass(frozen=True)
class Source:
    """Where documents came from."""

    path: str
    columns: "DocumentColumns"
    layout: "Layout"

    def command(self, method: str, application: "Application") -> str:
        """Return the command that writes the oversampled training file, one line per class.

        Empty where ``imbtext oversample`` cannot do what was compared: the method writes no
        documents or has settings that it does not take, or documents have several labels.
        """
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

    def _read(self) -> list[str]:
        """Return the options that read the file as it was read."""
        words = ["--text", self.columns.text, "--label", str(self.columns.label)]
        layout = self.layout
        words += [] if layout.format is None else ["--format", layout.format]
        words += [] if layout.delimiter is None else ["--delimiter", layout.delimiter]
        words += [] if layout.quotes else ["--no-quotes"]
        return words + ([] if layout.encoding == "utf-8" else ["--encoding", layout.encoding])


def _oversampling(method: str) -> list[str] | None:
    """Return the options of ``imbtext oversample`` that stand for a method."""
    from imbtext.methods import get_method

    made = get_method(method)
    given = made.parameters
    if made.family == "emco":
        gamma, order = str(given["gamma"]), str(given["order"])
        return ["--method", "emco", "--gamma", gamma, "--order", order]
    if made.family == "mco":
        return ["--method", "mco", "--order", str(given["order"])]
    plain_eda = made.family == "eda" and made.resampler == get_method("eda").resampler
    if made.family == "ros" or plain_eda:
        return ["--method", made.family]
    return None
