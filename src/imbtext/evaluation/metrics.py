"""The paper's measures (its appendix A) and two of ours, for one binary classification.

The paper reports balanced accuracy, F1, F2, recall, true negative rate and precision of hard
predictions. Average precision and ROC AUC are additions of this package: they judge the ranking by
the decision function and need no threshold.

Precision and the F-scores are 0 where they are undefined because nothing was predicted positive, as
in the paper. A measure that needs a class which the test documents lack is not a number.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import average_precision_score, roc_auc_score

PAPER_METRICS: Final = ("balanced_accuracy", "f1", "f2", "recall", "tnr", "precision")
RANKING_METRICS: Final = ("average_precision", "roc_auc")
METRICS: Final = PAPER_METRICS + RANKING_METRICS


def binary_scores(
    y_true: ArrayLike, y_pred: ArrayLike, decision: ArrayLike | None = None
) -> dict[str, float]:
    """Score hard predictions, and the ranking too where a decision function is given.

    Parameters
    ----------
    y_true, y_pred : array-like of bool
        Membership of the class, true and predicted.
    decision : array-like of float, optional
        A score for each document, larger where the class is likelier.

    Returns
    -------
    dict of str to float
        One entry for each of `PAPER_METRICS`, and of `RANKING_METRICS` where `decision` is given.

    Examples
    --------
    >>> scores = binary_scores([True, True, False, False], [True, False, False, False])
    >>> scores["recall"], scores["tnr"], scores["balanced_accuracy"]
    (0.5, 1.0, 0.75)
    >>> binary_scores([True, False], [False, False])["precision"]
    0.0
    """
    true = _booleans(y_true, "y_true")
    predicted = _booleans(y_pred, "y_pred")
    _same_length(true, predicted, "y_pred")
    tp = int(np.count_nonzero(true & predicted))
    fp = int(np.count_nonzero(~true & predicted))
    fn = int(np.count_nonzero(true & ~predicted))
    tn = true.size - tp - fp - fn
    recall = _ratio(tp, tp + fn, undefined=math.nan)
    tnr = _ratio(tn, tn + fp, undefined=math.nan)
    precision = _ratio(tp, tp + fp, undefined=0.0)
    scores = {
        "balanced_accuracy": (recall + tnr) / 2,
        "f1": f_beta(precision, recall, beta=1.0),
        "f2": f_beta(precision, recall, beta=2.0),
        "recall": recall,
        "tnr": tnr,
        "precision": precision,
    }
    if decision is not None:
        values = np.asarray(decision, dtype=np.float64)
        _same_length(true, values, "decision")
        both = bool(true.any()) and not bool(true.all())
        scores["average_precision"] = (
            float(average_precision_score(true, values)) if true.any() else math.nan
        )
        scores["roc_auc"] = float(roc_auc_score(true, values)) if both else math.nan
    return scores


def f_beta(precision: float, recall: float, beta: float) -> float:
    """Return the F-score, where `beta` says how many times recall outweighs precision.

    Examples
    --------
    >>> f_beta(0.5, 1.0, beta=2.0)
    0.8333333333333334
    >>> f_beta(0.0, 0.0, beta=1.0)
    0.0
    """
    if precision == 0.0 and recall == 0.0:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def _ratio(part: int, whole: int, *, undefined: float) -> float:
    return part / whole if whole else undefined


def _booleans(values: ArrayLike, name: str) -> NDArray[np.bool_]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} has {array.ndim} dimensions; give one entry a document")
    if array.dtype != np.bool_:
        if not np.isin(array, (0, 1)).all():
            raise ValueError(
                f"{name} holds values other than True and False (or 1 and 0), such as "
                f"{array[~np.isin(array, (0, 1))][0]!r}; pass `labels == the_class`"
            )
        array = array.astype(np.bool_)
    return array


def _same_length(true: NDArray[np.bool_], other: NDArray[np.generic], name: str) -> None:
    if true.shape != other.shape:
        raise ValueError(
            f"{name} has the shape {other.shape} but y_true {true.shape}; "
            "give one entry for each document"
        )
