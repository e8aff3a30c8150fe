"""Labels: one reading of `y` for samplers, classifiers and comparisons.

`y` holds one label per document, a set of labels per document, or two or more columns of 0 and 1,
one per class, in any container. :class:`Labels` reads all three and returns the classes and the
documents of each:

>>> labels = Labels.of([{"oil"}, set(), {"oil", "rain"}], 3, several=True)
>>> labels.classes.tolist(), [rows.tolist() for rows in labels.members]
(['oil', 'rain'], [[0, 2], [2]])

A classifier separates classes from the rest and turns its decisions back into labels of that form.
This does not need the documents, so a fitted or saved model keeps a :class:`OneVsRest` and no `y`:

>>> one_vs_rest, members = Labels.of(["rain", "oil", "rain"], 3).one_vs_rest()
>>> one_vs_rest.decide(np.array([[0.3], [-0.2]])).tolist(), members[0].tolist()
(['oil', 'rain'], [1])

A sampler takes one label per document and reads `y` with ``several=False``, the default; a
comparison calls :attr:`Labels.counts` and :meth:`Labels.mask`.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Literal, Self, get_args

import numpy as np
import polars as pl
from narwhals import dependencies as native
from numpy.typing import NDArray
from scipy import sparse

from imbtext._messages import DataWarning, did_you_mean, listed, warn_user
from imbtext._typing import Array, Column, Label, LabelsLike, Matrix
from imbtext.documents._containers import (
    adopted_column,
    column_title,
    extend,
    is_arrow,
    is_pandas_array,
    is_table,
    names_of,
    rows_of,
)
from imbtext.documents._label_names import (
    as_list,
    class_or_not,
    is_named,
    is_no_label,
    kind_of_label,
    label_name,
)
from imbtext.documents._tokenization import is_missing

Form = Literal["binary", "multiclass", "sets", "indicator"]
Unlabelled = Literal["skip", "refuse", "no"]

_KINDS = "a list of labels, or a NumPy, pandas, Polars or Arrow column"
# Above it, or below its inverse, products and quotients of weights overflow or underflow.
_LARGEST_WEIGHT = 1e50
_COLLECTIONS = (list, tuple, set, frozenset, np.ndarray, dict)
_ONE_LABEL = (
    "expected one label per document, in one dimension. If documents have several labels, take one "
    "class at a time: y[:, j] of an indicator, or [label in labels for labels in y]"
)


@dataclass(frozen=True, eq=False)
class Labels:
    """The labels of a user's documents.

    However `y` was given, it is kept as pairs: the label ``values[k]`` belongs to the document
    ``documents[k]``. With one label per document, `values` is simply `y` as an array.

    Attributes
    ----------
    container : object
        `y` as the user gave it.
    values : ndarray
        The labels, one after the other.
    documents : ndarray of int64
        The document of each of the values.
    n_documents : int
        Number of documents.
    form : {"single", "sets", "indicator"}
        How `y` gives labels.

    Examples
    --------
    >>> labels = Labels.of(["rare", "common", "common"], n_documents=3)
    >>> labels.counts
    {'common': 2, 'rare': 1}
    >>> labels.extend(np.array([0, 0]))
    ['rare', 'common', 'common', 'rare', 'rare']
    """

    container: Any
    values: Array
    documents: NDArray[np.int64]
    n_documents: int
    form: Literal["single", "sets", "indicator"] = "single"

    @classmethod
    def of(
        cls,
        y: LabelsLike,
        n_documents: int,
        name: str = "y",
        *,
        several: bool = False,
        blank: bool = False,
    ) -> Self:
        """Read the labels of `n_documents` documents; raise if an estimator cannot use them.

        `several` allows sets of labels and indicator matrices, and `blank` values of white space,
        which are no labels. Errors call the labels `name`.
        """
        if y is None:
            raise ValueError(f"{name} is None; pass one label per document")
        y = adopted_column(y)
        shape = getattr(y, "shape", (0,))
        if len(shape) != 1:
            _refuse_one_column(y, shape, name)
            if not several or len(shape) != 2:
                raise ValueError(f"{name} is a {type(y).__name__} of shape {shape}; {_ONE_LABEL}")
            return cls(y, *_read_indicator(y, n_documents, name), n_documents, "indicator")
        # Arrays keep their type; their rows are only checked.
        rows = rows_of(y, name, _KINDS)
        if any(issubclass(kind, _COLLECTIONS) for kind in set(map(type, rows))):
            if not several:
                _refuse_collection(rows, name)
            _refuse_lists_of_0_and_1(rows, name)
            return cls(y, *_read_sets(rows, n_documents, name), n_documents, "sets")
        values = _read_values(y, rows, n_documents, name)
        if not blank and values.dtype.kind in "UO":
            _refuse_missing(rows, name)
        return cls(y, values, np.arange(n_documents), n_documents)

    def single(self, name: str = "y") -> Self:
        """Return these labels; raise if documents may have several, as samplers cannot use them."""
        if self.form == "indicator":
            kind, shape = type(self.container).__name__, self.container.shape
            raise ValueError(f"{name} is a {kind} of shape {shape}; {_ONE_LABEL}")
        if self.form == "sets":
            _refuse_collection(rows_of(self.container, name, _KINDS), name)
        return self

    @cached_property
    def _unique(self) -> tuple[Array, NDArray[np.intp], NDArray[np.intp]]:
        return np.unique(self.values, return_inverse=True, return_counts=True)

    @property
    def classes(self) -> Array:
        """The classes, sorted; for an indicator matrix, the numbers of its columns."""
        if self.form == "indicator":
            return np.arange(self.container.shape[1])
        return self._unique[0]

    @property
    def codes(self) -> NDArray[np.intp]:
        """The index in `classes` of each of the values."""
        return self.values if self.form == "indicator" else self._unique[1]

    @property
    def members(self) -> list[NDArray[np.int64]]:
        """The documents of each class, in order."""
        codes, n_classes = self.codes, len(self.classes)
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=n_classes))[:-1]
        members = np.split(self.documents[order], ends)
        # A document may have the same label twice in a list.
        return members if self.form == "single" else [np.unique(rows) for rows in members]

    @cached_property
    def sets(self) -> tuple[frozenset[Label], ...]:
        """The labels of each document."""
        if self.form == "single":
            return tuple(frozenset([label]) for label in self.values.tolist())
        sets: list[set[Label]] = [set() for _ in range(self.n_documents)]
        for document, label in zip(self.documents.tolist(), self.values.tolist(), strict=True):
            sets[document].add(label)
        return tuple(map(frozenset, sets))

    @cached_property
    def counts(self) -> dict[Label, int]:
        """Number of documents of each class, the largest first."""
        counts = Counter(label for labels in self.sets for label in labels)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))))

    def mask(self, label: Label) -> NDArray[np.bool_]:
        """Return which documents belong to a class."""
        return np.fromiter((label in labels for labels in self.sets), bool, len(self.sets))

    def check_classes(self) -> None:
        """Raise unless single labels are classes, not fractions, and there are at least two."""
        values = self.values
        if self.form != "single":
            return
        if values.dtype.kind == "f" and (fractions := values[values != np.floor(values)]).size:
            raise ValueError(
                f"Unknown label type: continuous. y holds numbers such as {fractions[0]:g}; give "
                "classes"
            )
        if len(self.classes) < 2:
            raise ValueError(
                f"y has only one class, {self.classes.tolist()[0]!r}; at least two classes are "
                "needed"
            )

    def one_vs_rest(self, pos_label: Label = None) -> tuple["OneVsRest", list[NDArray[np.int64]]]:
        """Return which classes a classifier separates from the rest, and the documents of each.

        With two classes it is `pos_label` or, by default, the rarer one; with more, all of them.
        """
        self.check_classes()
        classes, members = self.classes, self.members
        if self.form == "single" and len(classes) == 2:
            found = 0 if len(members[0]) < len(members[1]) else 1
            if pos_label is not None:
                if pos_label not in classes:
                    raise ValueError(
                        f"pos_label is {pos_label!r}, which is not among the labels "
                        f"{classes.tolist()}"
                    )
                found = int(np.flatnonzero(classes == pos_label)[0])
            return OneVsRest("binary", classes, np.array([found])), [members[found]]
        if pos_label is not None:
            raise ValueError(
                f"pos_label is {pos_label!r}, which names one of two classes, and y has "
                f"{len(classes)}; to find that class alone, drop the documents without a label and "
                f"pass y == {pos_label!r}"
            )
        for label, rows in zip(classes.tolist(), members, strict=True):
            if len(rows) in (0, self.n_documents):
                which = "no document" if not len(rows) else "every document"
                raise ValueError(
                    f"{which} belongs to the class {label!r}; a model needs documents of the class "
                    "and of the rest to tell them apart"
                )
        form: Form = "multiclass" if self.form == "single" else self.form
        return OneVsRest(form, classes, np.arange(len(classes))), members

    def select(self, indices: NDArray[np.integer]) -> Self:
        """Return the labels of the documents at `indices`."""
        if self.form == "single":
            y = self.container if isinstance(self.container, np.ndarray) else self.values
            rows = np.arange(len(indices))
            return replace(
                self,
                container=y[indices],
                values=self.values[indices],
                documents=rows,
                n_documents=len(indices),
            )
        pairs = (np.arange(len(self.values)), self.documents)
        shape = (len(self.values), self.n_documents)
        of_document = sparse.csc_array((np.ones(shape[0], bool), pairs), shape=shape)[:, indices]
        of_document.sort_indices()
        kept = of_document.indices
        documents = np.repeat(np.arange(len(indices)), np.diff(of_document.indptr))
        container: Any = self.container
        if self.form == "indicator":
            container = sparse.csr_array(container)[indices]
        else:
            sets = self.sets
            container = [sets[i] for i in indices.tolist()]
        return replace(
            self,
            container=container,
            values=self.values[kept],
            documents=documents,
            n_documents=len(indices),
        )

    def extend(self, rows: NDArray[np.integer]) -> Any:
        """Return a container of the same kind: these labels, then those of `rows` again."""
        y = self.container
        if isinstance(y, np.ndarray):
            return np.concatenate([y, y[rows]])
        if native.is_pandas_series(y) or is_pandas_array(y):
            return extend(y, y.take(rows))
        if native.is_polars_series(y):
            return pl.concat([y, y.gather(rows.astype(np.uint32))])
        if is_arrow(y):
            if native.get_pyarrow().types.is_string_view(y.type):  # Arrow cannot take from it
                return extend(y, [y[i].as_py() for i in rows.tolist()])
            return extend(y, y.take(native.get_pyarrow().array(rows)))
        return extend(y, [y[i] for i in rows.tolist()])


@dataclass(frozen=True, eq=False)
class OneVsRest:
    """The classes that a classifier separates from the rest, and how its decisions become labels.

    Attributes
    ----------
    form : {"binary", "multiclass", "sets", "indicator"}
        What `y` was: one label per document, of two classes or of more; a set of labels per
        document; or a column of 0 and 1 per class.
    classes : ndarray
        All classes, sorted.
    modelled : ndarray of int64
        The indices in `classes` of those that are separated from the rest: one of two, else all.
    """

    form: Form
    classes: Array
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

    @property
    def labels(self) -> list[Label]:
        """The labels of the classes that are separated from the rest."""
        labels: list[Label] = self.classes[self.modelled].tolist()
        return labels

    def decision(self, margins: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return margins as scikit-learn expects them: with two classes, for ``classes[1]``.

        A margin is a score less its threshold.
        """
        if self.form != "binary":
            return margins
        return margins[:, 0] if self.modelled[0] == 1 else -margins[:, 0]

    def probabilities(self, modelled: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each class from those of the modelled ones.

        With more than two exclusive classes, each is modelled against the rest; they are scaled to
        sum to one.
        """
        if self.form == "binary":
            pair = np.column_stack([1 - modelled, modelled])
            return pair if self.modelled[0] == 1 else pair[:, ::-1]
        if self.form != "multiclass":
            return modelled
        totals = modelled.sum(axis=1, keepdims=True)
        equal = np.full_like(modelled, 1 / modelled.shape[1])
        return np.asarray(np.divide(modelled, totals, out=equal, where=totals > 0))

    def decide(self, margins: NDArray[np.float64]) -> Array:
        """Return labels in the form of `y`, from the margins of the modelled classes."""
        if self.form == "binary":
            found = int(self.modelled[0])
            return self.classes[np.where(margins[:, 0] > 0, found, 1 - found)]
        if self.form == "multiclass":
            return np.asarray(self.classes[np.argmax(margins, axis=1)])
        if self.form == "indicator":
            return (margins > 0).astype(np.int64)
        rows: NDArray[np.object_] = np.empty(len(margins), dtype=object)
        for i, row in enumerate(margins > 0):
            rows[i] = set(self.classes[row].tolist())
        return rows


def labelled_rows(
    y: LabelsLike | None,
    n_documents: int,
    name: str = "y",
    *,
    ignored: object = (),
    unlabelled: Unlabelled | None = None,
    classes: Sequence[Label] = (),
    joined: bool = True,
    separator: str | None = None,
    purpose: str = "learnt from",
) -> tuple[NDArray[np.int64] | None, LabelsLike | None]:
    """Return which documents have a label, and the labels of these; this is the one rule.

    One label per document is missing if it is None, NaN or NA, or nothing but white space. Of sets
    of labels only a missing cell is no label: an empty set is an answer, none of the classes. So is
    a row of zeros of an indicator. With a `separator`, a cell has the labels between separators,
    and an empty cell is an empty set.

    Parameters
    ----------
    y : labels
        The labels of all documents.
    n_documents : int
        How many documents there are.
    name : str
        What messages call the labels.
    ignored : label or collection of labels
        Labels whose documents are left out, also if a document has other labels too.
    unlabelled : {"skip", "refuse", "no"}, optional
        Whether documents without a label are left out, are an error, or count as documents outside
        every class. By default they are left out, but an empty cell with a separator is a set.
    classes : sequence of label
        The classes to find, which ``"no"`` needs unless documents have sets of labels.
    joined : bool
        Whether `classes` count as one, the first of them, and all other labels as the rest.
    separator : str, optional
        What separates the labels of a document.
    purpose : str
        What the documents are used for, in words.

    Returns
    -------
    rows : ndarray of int64 or None
        The documents that have a label; None if all of them do.
    y : labels
        Their labels: `y` itself if nothing was left out or replaced.

    Examples
    --------
    >>> labelled_rows(["oil", "sun", "?", "oil"], 4, ignored="?")
    (array([0, 1, 3]), ['oil', 'sun', 'oil'])
    >>> labelled_rows(["oil", " ", None, "oil"], 4, unlabelled="no", classes=["oil"])
    (None, ['oil', 'not oil', 'not oil', 'oil'])
    >>> labelled_rows(["oil; gas", ""], 2, separator=";")[1] == [{"oil", "gas"}, set()]
    True
    """
    check_unlabelled(unlabelled)
    if y is None or len(getattr(y, "shape", (0,))) != 1:
        return None, y
    rows = rows_of(y, name, _KINDS)
    if len(rows) != n_documents or n_documents == 0:  # the reader of the labels raises an error
        return None, y
    is_unlabelled = np.fromiter(map(is_no_label, rows), bool, n_documents)
    if separator is not None:
        rows = y = [several_labels(row, separator) for row in rows]
        if unlabelled is None:
            is_unlabelled[:] = False
    left_out, n_unlabelled = is_unlabelled, int(is_unlabelled.sum())
    if n_unlabelled and unlabelled == "refuse":
        first = int(np.argmax(is_unlabelled))
        raise ValueError(
            f"{name}[{first}] is missing ({rows[first]!r}); every document needs a label: drop "
            "such rows, give them a label, or pass unlabelled='skip'"
        )
    if names := frozenset(map(label_name, as_list(ignored))):
        is_ignored = np.fromiter((is_named(row, names) for row in rows), bool, n_documents)
        # A label may be absent from new documents, but among training documents it is a mistake.
        if purpose == "learnt from":
            _refuse_absent(rows, names, name)
        left_out = is_unlabelled | is_ignored
    if unlabelled == "no":
        left_out = left_out & ~is_unlabelled
        rows = y = outside_every_class(rows, is_unlabelled, classes, name, joined=joined)
    if left_out.all():
        raise ValueError(
            f"all {n_documents:,} labels in {name} are missing or ignored, so no document can be "
            f"{purpose}"
        )
    if not left_out.any():
        return None, y
    if n_unlabelled and unlabelled != "no":
        advice = ". If they are outside the class, name it and pass unlabelled='no'"
        advice *= unlabelled is None and purpose == "learnt from"
        warn_user(
            f"{n_unlabelled:,} of {n_documents:,} documents have no label; nothing is {purpose} "
            f"them{advice}",
            DataWarning,
        )
    kept = np.flatnonzero(~left_out)
    return kept, [rows[row] for row in kept.tolist()]


def check_labelled(y: LabelsLike | None, name: str = "y") -> None:
    """Raise if documents have one label each and one of them is missing.

    scikit-learn would turn NaN among strings into the class "nan", and take white space for one. It
    checks everything else.
    """
    if hasattr(y, "__len__") and len(getattr(y, "shape", (0,))) == 1:
        _refuse_missing(rows_of(y, name, _KINDS), name)


def check_unlabelled(unlabelled: object) -> None:
    """Raise unless this says what happens to documents without a label."""
    if unlabelled not in (None, *get_args(Unlabelled)):
        raise ValueError(f"unlabelled is {unlabelled!r:.60}; choose skip, refuse or no")


def several_labels(cell: object, separator: str) -> frozenset[str]:
    """Return the labels of a cell that may have several, or none.

    Examples
    --------
    >>> sorted(several_labels("oil; gas;", ";")), several_labels(None, ";")
    (['gas', 'oil'], frozenset())
    """
    if isinstance(cell, _COLLECTIONS):
        return frozenset(cell)
    names = [] if is_missing(cell) else label_name(cell).split(separator)
    return frozenset(name.strip() for name in names if name.strip())


def outside_every_class(
    rows: Sequence[Any],
    is_unlabelled: NDArray[np.bool_],
    classes: Sequence[Label],
    name: str,
    *,
    joined: bool = True,
) -> list[Any]:
    """Return labels in which documents without one count as documents of none of the classes.

    Sets become empty ones. If classes are `joined`, single labels become two: the first class,
    which stands for all of them, and the rest. Otherwise other labels stay as they are.
    """
    if any(isinstance(row, _COLLECTIONS) for row in rows):
        return [frozenset() if no else row for row, no in zip(rows, is_unlabelled, strict=True)]
    if not classes:
        raise ValueError(
            f"unlabelled is 'no', so documents without a label in {name} count as documents "
            "outside the class; name the class to find"
        )
    labels = [None if no else row for row, no in zip(rows, is_unlabelled, strict=True)]
    two = class_or_not(labels, classes)
    if joined:
        return two
    return [other if row is None else row for row, other in zip(labels, two, strict=True)]


def _refuse_absent(given: Sequence[object], names: frozenset[str], name: str) -> None:
    """Raise if a label to ignore does not occur."""
    absent = sorted(n for n in names if not any(is_named(row, frozenset([n])) for row in given))
    if absent:
        labels = (row if isinstance(row, _COLLECTIONS) else (row,) for row in given)
        known = sorted({label_name(k) for k in chain.from_iterable(labels) if not is_missing(k)})
        raise ValueError(
            f"{name} has no label {absent[0]!r} to ignore; its labels are {listed(known)}"
            f"{did_you_mean(absent[0], known)}"
        )


def read_groups(groups: Column, n_documents: int) -> Array:
    """Read one value per document; documents that share it belong together."""
    for i, group in enumerate(rows_of(groups, "groups", _KINDS)):
        if is_missing(group):
            raise ValueError(
                f"groups[{i}] is missing ({group!r}); every document needs a group: drop such rows "
                "or give each of them a group of its own"
            )
    return Labels.of(groups, n_documents, "groups", blank=True).values


def read_weights(sample_weight: Column | None, n_documents: int) -> NDArray[np.float64] | None:
    """Read how much each document counts; None counts each of them once."""
    if sample_weight is None:
        return None
    try:
        # NumPy would take the number under a mask for the weight.
        weights = np.ma.asarray(sample_weight, dtype=np.float64).filled(np.nan)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold numbers, one per document: {error}") from None
    if weights.shape != (n_documents,):
        raise ValueError(
            f"sample_weight has the shape {weights.shape}; give one weight for each of the "
            f"{n_documents} documents"
        )
    wrong = ~np.isfinite(weights) | (weights < 0)
    if wrong.any():
        first = int(np.argmax(wrong))
        raise ValueError(
            f"sample_weight must hold numbers from 0 up, but sample_weight[{first}] is "
            f"{weights[first]:g}"
        )
    if not weights.any():
        raise ValueError("sample_weight is zero for all documents; give some of them a number")
    extreme = (weights > _LARGEST_WEIGHT) | ((weights > 0) & (weights < 1 / _LARGEST_WEIGHT))
    if extreme.any():
        first = int(np.argmax(extreme))
        raise ValueError(
            f"sample_weight[{first}] is {weights[first]:g}; a weight must be 0 or lie between "
            f"{1 / _LARGEST_WEIGHT:g} and {_LARGEST_WEIGHT:g}. Divide all weights by the largest, "
            "and set those that are then tiny to 0"
        )
    return weights


def label_array(labels: Sequence[Label]) -> Array:
    """Return labels as an array in which whole numbers stay whole.

    NumPy turns whole numbers into floats if one of them is 2**63 or more, and digits are lost.

    Examples
    --------
    >>> label_array([0, 2**64 - 1]).tolist(), label_array([-1, 2**63]).tolist()
    ([0, 18446744073709551615], [-1, 9223372036854775808])
    """
    values = np.asarray(labels)
    if values.dtype.kind == "f" and all(isinstance(label, int | np.integer) for label in labels):
        exact = np.array(labels, dtype=object)
        return exact if exact.min() < 0 else exact.astype(np.uint64)
    return values


def _read_values(y: LabelsLike, labels: Sequence[object], n_documents: int, name: str) -> Array:
    """Return one label per document as an array."""
    if isinstance(y, np.ndarray) and not isinstance(y, np.ma.MaskedArray):
        # scikit-learn does not know NumPy's strings of variable width.
        values = y.astype(object) if y.dtype.kind == "T" else y
    else:
        values = label_array(labels) if len(labels) else np.empty(0, dtype=object)
    _check_length(len(values), n_documents, f"{name} has {len(values)} labels")
    if n_documents == 0:
        raise ValueError("X and y are empty; at least two classes of documents are needed")
    _refuse_last_zero(labels, name)
    # NumPy turns a missing label among strings into the word "nan": kind U is looked at too.
    kinds = set(map(type, labels))
    if values.dtype.kind in "fOcmM" or (values.dtype.kind == "U" and kinds != {str}):
        _refuse_missing(labels, name, is_missing)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        i = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"{name}[{i}] is {values[i]}; use finite numbers or strings as labels")
    if len(kinds) > 1 and len(names_of_kinds := sorted(set(map(kind_of_label, labels)))) > 1:
        raise TypeError(f"{name} mixes {' and '.join(names_of_kinds)}; use labels of one kind")
    return values


def _read_sets(
    labels: Sequence[Any], n_documents: int, name: str
) -> tuple[Array, NDArray[np.int64]]:
    """Return the labels of all sets, one after the other, and the document of each."""
    _check_length(len(labels), n_documents, f"{name} has {len(labels)} sets of labels")
    for i, row in enumerate(labels):
        if not isinstance(row, _COLLECTIONS) or isinstance(row, dict):
            raise ValueError(
                f"{name}[{i}] is {row!r:.60}, and other documents have collections of labels; give "
                "each document a set of its labels, an empty set if it has none"
            )
        if any(map(is_no_label, row)):
            raise ValueError(
                f"{name}[{i}] is {row!r:.60}, with a missing label; remove it from the set"
            )
    flat = [label for row in labels for label in row]
    if not flat:
        raise ValueError(f"{name} has no label in any of its sets; there is nothing to learn")
    values = _read_values(flat, flat, len(flat), f"the set of labels in {name}")
    return values, np.repeat(np.arange(n_documents), [len(row) for row in labels])


def _read_indicator(
    y: LabelsLike, n_documents: int, name: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the columns of an indicator matrix that hold a 1, and the documents of each."""
    refusal = (
        f"{name} has two dimensions and is empty or holds values other than 0 and 1; give one "
        "label per document, or one column of 0 and 1 per class"
    )
    table: Matrix = y if sparse.issparse(y) else np.asarray(y)
    try:  # tables of pandas may be arrays of objects
        table = table.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(refusal) from None
    matrix: Matrix = sparse.coo_array(table)
    _check_length(matrix.shape[0], n_documents, f"{name} has {matrix.shape[0]} rows")
    if not matrix.shape[1] or not np.isin(matrix.data, (0, 1)).all():
        raise ValueError(refusal)
    ones = matrix.data != 0
    return matrix.col[ones].astype(np.int64), matrix.row[ones].astype(np.int64)


def _check_length(n_labels: int, n_documents: int, text: str) -> None:
    if n_labels != n_documents:
        raise ValueError(f"X has {n_documents} documents and {text}; give one per document")


def members_table(members: Sequence[NDArray[np.int64]], n: int) -> NDArray[np.bool_]:
    """Return which of `n` documents belong to each class, from the documents of each class.

    Examples
    --------
    >>> members_table([np.array([0, 2]), np.array([2])], 3).tolist()
    [[True, False], [False, False], [True, True]]
    """
    table = np.zeros((n, len(members)), bool)
    for c, of_class in enumerate(members):
        table[of_class, c] = True
    return table


def _refuse_one_column(y: LabelsLike, shape: tuple[int, ...], name: str) -> None:
    """Refuse a table of one column: users mean a label per document, not a matrix of one class."""
    if len(shape) != 2 or shape[1] != 1:
        return
    column = f"{name}.toarray().ravel()" if sparse.issparse(y) else f"{name}.ravel()"
    if is_table(y):
        column = column_title(y, names_of(y)[0], name)
    raise ValueError(
        f"{name} is a table of one column ({type(y).__name__} of shape {shape}); expected one "
        f"label per document, in one dimension: pass {column}"
    )


def _refuse_lists_of_0_and_1(labels: Sequence[object], name: str) -> None:
    """Refuse a matrix in lists: its rows would be read as lists of the labels 0 and 1."""
    lists = [row for row in labels if isinstance(row, list | tuple | np.ndarray)]
    widths = {len(row) for row in lists}
    if len(lists) < len(labels) or len(widths) > 1 or widths == {0}:
        return
    if all(
        isinstance(value, int | float | np.generic) and value in (0, 1)
        for value in chain.from_iterable(lists)
    ):
        advice = f"pass np.array({name}) if its columns are classes"
        if widths == {1}:
            advice = f"pass [row[0] for row in {name}], one label per document"
        raise ValueError(
            f"{name} holds rows of 0 and 1 in lists, such as {lists[0]!r:.60}; {advice}"
        )


def _refuse_collection(labels: Sequence[object], name: str) -> None:
    i, row = next((i, row) for i, row in enumerate(labels) if isinstance(row, _COLLECTIONS))
    raise ValueError(f"{name}[{i}] is {row!r:.60}, a {type(row).__name__}; {_ONE_LABEL}")


def _refuse_last_zero(labels: Sequence[object], name: str) -> None:
    """Refuse labels that end in NUL: NumPy, and so every estimator, drops the character."""
    try:
        distinct: Collection[object] = set(labels)  # few, where documents are many
    except TypeError:
        distinct = labels
    if not any(isinstance(label, str) and label.endswith("\0") for label in distinct):
        return
    for i, label in enumerate(labels):
        if isinstance(label, str) and label.endswith("\0"):
            raise ValueError(
                f"{name}[{i}] is {label!r:.60}, which ends in a NUL character; NumPy would drop "
                "it and confuse two labels: remove the character"
            )


def _refuse_missing(
    labels: Sequence[object], name: str, is_absent: Callable[[object], bool] = is_no_label
) -> None:
    for i, label in enumerate(labels):
        if is_absent(label):
            raise ValueError(
                f"{name}[{i}] is missing ({label!r}); every document needs a label: "
                "drop such rows or give them a label of their own"
            )
