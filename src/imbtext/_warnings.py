"""Warnings that point at the line of the user, not at ours."""

import sys
import warnings
from typing import Final

_INSIDE: Final = ("imbtext", "sklearn", "imblearn", "joblib")


class FallbackWarning(UserWarning):
    """A method could not be applied as asked, and a documented substitute was used."""


def warn_user(message: str, category: type[Warning] = FallbackWarning) -> None:
    """Warn at the innermost line outside this package and those that call it on a user's behalf."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _INSIDE:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
