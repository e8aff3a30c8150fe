"""What a method finds, beside what costs nothing: the numbers of every headline.

The report, the terminal, the notebook, ``imbtext demo`` and the site's landing page say what was
found in the same words, and always beside the best free remedy: a tuned threshold and the like cost
a setting, so a gain over the plain classifier alone would say too much.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple, Self


class Finds(NamedTuple):
    """What a method finds of how many documents, and how many of its alarms are right.

    Examples
    --------
    >>> Finds.counted("SMOTE", 2.5, 0.5, n_class=9)
    Finds(method='SMOTE', found=3, n_class=9, right=3, alarms=4, is_counted=True)
    >>> Finds.per_hundred("SMOTE", recall=0.62, precision=0.7)
    Finds(method='SMOTE', found=62, n_class=100, right=70, alarms=100, is_counted=False)
    """

    method: str
    found: int
    n_class: int
    right: int
    alarms: int
    is_counted: bool = True

    @classmethod
    def counted(cls, method: str, found: float, wrong: float, n_class: float) -> Self:
        """Round averages of counts to whole documents."""
        n_found = _rounded(found)
        return cls(method, n_found, _rounded(n_class), n_found, n_found + _rounded(wrong))

    @classmethod
    def per_hundred(cls, method: str, recall: float, precision: float) -> Self:
        """Take averages of several classes, and count per hundred documents."""
        found, right = _rounded(100 * recall), _rounded(100 * precision)
        return cls(method, found, 100, right, 100, is_counted=False)


def in_words(finds: Sequence[Finds], documents: str = "") -> tuple[str, str]:
    """Return how many documents the first method finds, and how many of its alarms are right.

    The others follow in parentheses, each by its name and then in the same order. `documents` says
    which documents were searched for, if that is not clear from what stands around.

    Examples
    --------
    >>> ours = Finds("RareTextClassifier", 82, 102, 82, 92)
    >>> tuned = Finds("a tuned decision threshold", 80, 102, 80, 94)
    >>> plain = Finds("the plain classifier", 55, 102, 55, 56)
    >>> found, right = in_words([ours, tuned, plain])
    >>> found
    '82 of 102 (a tuned decision threshold: 80, the plain classifier: 55)'
    >>> right
    '82 of 92 alarms are right (80 of 94, 55 of 56)'
    >>> in_words([ours], "reports of fraud")[0]
    '82 of the 102 reports of fraud'
    """
    ours, *rivals = finds
    the = "the " if documents and ours.is_counted else ""
    found = f"{ours.found:,} of {the}{ours.n_class:,} {documents}".rstrip()
    right = "it raises no alarm"
    if ours.alarms:
        alarms = "alarm" if ours.alarms == 1 else "alarms"
        are = "is" if ours.right == 1 else "are"
        right = f"{ours.right:,} of {ours.alarms:,} {alarms} {are} right"
    if rivals:
        found += f" ({', '.join(f'{rival.method}: {rival.found:,}' for rival in rivals)})"
        right += f" ({', '.join(map(_right, rivals))})"
    return found, right


def _right(finds: Finds) -> str:
    if not finds.alarms:
        return "no alarm"
    # Averages are all per hundred, counts are each of their own number.
    return f"{finds.right:,} of {finds.alarms:,}" if finds.is_counted else f"{finds.right:,}"


def _rounded(count: float) -> int:
    """Round an average of counts as the page's script does."""
    return math.floor(count + 0.5)
