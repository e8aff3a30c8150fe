"""Labels of any kind as classes to tell from the rest, and decisions back into labels."""

from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext._archive import label_kind, read_labels, rising
from imbtext.documents._documents import Labels, label_sets

Form = Literal["binary", "multiclass", "sets", "indicator"]


@dataclass(frozen=True, eq=False)
class ClassLabels:
    """The classes of a data set, sorted, and how documents were given them.

    The form is one label per document of two or more different ones, a set of labels per document,
    or a column of 0 and 1 per class. `modelled` are the places in `classes` of those that are told
    from the rest: one of two, else all.
    """

    form: Form
    classes: NDArray[Any]
    modelled: NDArray[np.int64]

    def __post_init__(self) -> None:
        binary = self.form == "binary"
        if (
            self.form not in get_args(Form)
            or len(np.unique(self.classes)) != len(self.classes)
            or len(self.modelled) != (1 if binary else len(self.classes))
            or (binary and len(self.classes) != 2)
        ):
            raise ValueError("its classes do not fit together")

    def about(self) -> dict[str, Any]:
        """Return the classes as the header of a file holds them."""
        return {
            "form": self.form,
            "labels": label_kind(self.classes),
            "classes": self.classes.tolist(),
            "modelled": self.modelled.tolist(),
        }

    @classmethod
    def of_file(cls, about: dict[str, Any]) -> Self:
        """Take the classes of the header of a file."""
        classes = read_labels(about["labels"], about["classes"])
        modelled = rising(np.array(about["modelled"]), np.int64, len(classes))
        return cls(about["form"], classes, modelled)

    def decision(self, decision: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return scores less thresholds as scikit-learn has them: of two, for ``classes[1]``."""
        if self.form != "binary":
            return decision
        return decision[:, 0] if self.modelled[0] == 1 else -decision[:, 0]

    def probabilities(self, modelled: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each class from those of the modelled ones.

        Those of more than two exclusive classes are of each against the rest, made to sum to one.
        """
        if self.form == "binary":
            pair = np.column_stack([1 - modelled, modelled])
            return pair if self.modelled[0] == 1 else pair[:, ::-1]
        if self.form != "multiclass":
            return modelled
        totals = modelled.sum(axis=1, keepdims=True)
        equal = np.full_like(modelled, 1 / modelled.shape[1])
        return np.divide(modelled, totals, out=equal, where=totals > 0)

    def decide(self, decision: NDArray[np.float64]) -> Any:
        """Return labels by scores less thresholds, one column per modelled class."""
        if self.form == "binary":
            place = int(self.modelled[0])
            return self.classes[np.where(decision[:, 0] > 0, place, 1 - place)]
        if self.form == "multiclass":
            return self.classes[np.argmax(decision, axis=1)]
        if self.form == "indicator":
            return (decision > 0).astype(np.int64)
        rows: NDArray[np.object_] = np.empty(len(decision), dtype=object)
        for i, row in enumerate(decision > 0):
            rows[i] = set(self.classes[row].tolist())
        return rows


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a model says of documents, one entry each."""

    decisions: NDArray[Any]
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]


def any_labels(
    y: Any, n_documents: int, pos_label: Any = None
) -> tuple[ClassLabels, list[NDArray[np.int64]]]:
    """Read labels; return the classes and the documents of each class that is modelled.

    Examples
    --------
    >>> labels, members = any_labels(["rain", "oil", "rain", "rain"], 4)
    >>> labels.form, labels.classes.tolist(), [rows.tolist() for rows in members]
    ('binary', ['oil', 'rain'], [[1]])
    >>> labels, members = any_labels([{"oil"}, set(), {"oil", "rain"}], 3)
    >>> labels.form, [rows.tolist() for rows in members]
    ('sets', [[0, 2], [2]])
    """
    if sparse.issparse(y) or getattr(y, "ndim", 1) == 2:
        labels, members = _indicator(y, n_documents)
    elif (several := label_sets(y, n_documents)) is not None:
        labels, members = _sets(several)
    else:
        labels, members = single_labels(y, n_documents, pos_label)
    if labels.form in ("sets", "indicator"):
        _refuse_one_of_many(pos_label, len(labels.classes))
    for place, rows in zip(labels.modelled, members, strict=True):
        if len(rows) in (0, n_documents):
            which = "no document" if not len(rows) else "every document"
            raise ValueError(
                f"{which} is of the class {labels.classes[place]!r}; documents of the class and "
                "of the rest are needed to tell them apart"
            )
    return labels, members


def single_labels(
    y: Any, n_documents: int, pos_label: Any
) -> tuple[ClassLabels, list[NDArray[np.int64]]]:
    """Read one label per document; of two classes, `pos_label` or the rarer is modelled."""
    classes, codes, sizes = Labels.of(y, n_documents).classes()
    if len(classes) > 2:
        _refuse_one_of_many(pos_label, len(classes))
        order = np.argsort(codes, kind="stable")
        members = np.split(order, np.cumsum(sizes)[:-1])
        return ClassLabels("multiclass", classes, np.arange(len(classes))), members
    place = 0 if sizes[0] < sizes[1] else 1
    if pos_label is not None:
        if pos_label not in classes:
            raise ValueError(
                f"pos_label is {pos_label!r}, which is not among the labels {classes.tolist()}"
            )
        place = int(np.flatnonzero(classes == pos_label)[0])
    return ClassLabels("binary", classes, np.array([place])), [np.flatnonzero(codes == place)]


def _refuse_one_of_many(pos_label: Any, n_classes: int) -> None:
    if pos_label is not None:
        raise ValueError(
            f"pos_label is {pos_label!r}, which names one of two classes, and y has {n_classes}; "
            f"pass y == {pos_label!r} to find that class alone"
        )


def _sets(rows: list[frozenset[Any]]) -> tuple[ClassLabels, list[NDArray[np.int64]]]:
    values = np.asarray([label for row in rows for label in row])
    of_row = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    classes, codes = np.unique(values, return_inverse=True)
    members = [np.unique(of_row[codes == c]) for c in range(len(classes))]
    return ClassLabels("sets", classes, np.arange(len(classes))), members


def _indicator(y: Any, n_documents: int) -> tuple[ClassLabels, list[NDArray[np.int64]]]:
    given: Any = y if sparse.issparse(y) else np.asarray(y)
    matrix = sparse.csc_array(given)
    if matrix.shape[0] != n_documents:
        raise ValueError(
            f"X has {n_documents} documents and y has {matrix.shape[0]} rows; "
            "they must be equally many"
        )
    matrix.eliminate_zeros()
    if not matrix.shape[1] or not np.isin(matrix.data, (0, 1)).all():
        raise ValueError(
            "y has two dimensions and holds nothing, or other values than 0 and 1; give one label "
            "per document, or one column of 0 and 1 per class"
        )
    columns = np.split(matrix.indices, matrix.indptr[1:-1])
    members = [np.sort(rows).astype(np.int64) for rows in columns]
    classes = np.arange(matrix.shape[1])
    return ClassLabels("indicator", classes, classes), members


def read_weights(sample_weight: Any, n_documents: int) -> NDArray[np.float64] | None:
    """Check how much each document counts; None counts all once."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_documents,):
        raise ValueError(
            f"sample_weight has the shape {weights.shape}; give one weight for each of the "
            f"{n_documents} documents"
        )
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError("sample_weight must hold numbers from 0 up, not all of them zero")
    return weights
