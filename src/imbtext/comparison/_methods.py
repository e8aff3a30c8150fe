"""Which methods a comparison runs."""

from collections.abc import Sequence
from typing import Any, Final

from imbtext.comparison._rounds import PLAIN
from imbtext.methods import get_method

GAMMAS: Final = (0.01, 0.1, 1.0)


def default_methods(metric: str = "f1", *, texts: bool = True) -> tuple[list[str], list[str]]:
    """Return the methods that a comparison runs by default, and notes on those it cannot run.

    Parameters
    ----------
    metric : str, default="f1"
        The deciding measure; thresholds are tuned for it where that can be done.
    texts : bool, default=True
        Whether there are texts, and not only token lists.

    Examples
    --------
    >>> methods, notes = default_methods("f1")
    >>> methods[:3]
    ['svm', 'class-weight', 'threshold(f1)']
    """
    tuned = f", {metric}" if metric in ("f1", "f2") else ""
    alone = f"threshold({metric})" if tuned else "threshold"
    methods, notes = [PLAIN, "class-weight", alone, "ros", "smote"], []
    if not texts:
        notes.append("EDA was left out: it works on text, and the documents are token lists.")
    else:
        from imbtext.oversampling import find_wordnet

        try:
            find_wordnet()
            methods.append("eda")
        except FileNotFoundError as error:
            notes.append(f"EDA was left out: {error}")
    methods += ["mco", *(f"emco({gamma:g})" for gamma in GAMMAS), "emco(heaps)"]
    decides = metric in ("balanced_accuracy", "f1", "f2")
    methods += [f"threshold(emco(0.1){tuned})", f"rare({metric})" if decides else "rare"]
    return methods, notes


def choose_methods(
    methods: Sequence[str] | None, metric: str, classifier: Any, *, texts: bool
) -> tuple[list[str], list[str]]:
    """Return the methods to run, the plain classifier first, and notes on those left out."""
    if methods is None:
        names, notes = default_methods(metric, texts=texts)
    elif isinstance(methods, str):
        raise TypeError(f"methods is the string {methods!r}; give a list of names")
    else:
        names = list(dict.fromkeys([PLAIN, *(get_method(method).name for method in methods)]))
        notes = []
    if "class_weight" not in classifier.get_params(deep=False):
        weighted = [name for name in names if get_method(name).class_weight is not None]
        if weighted:
            names = [name for name in names if name not in weighted]
            notes.append(f"{', '.join(weighted)} left out: the classifier takes no class weights.")
    return names, notes
