"""The parameters of `compare`, checked and completed for its plan.

The functions check what users wrote, choose what they left open, and return what the plan of a
comparison holds (`_plan`).
"""

import importlib
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from numbers import Real
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB

from imbtext._messages import listed
from imbtext._svm import default_classifier
from imbtext._typing import (
    Array,
    ClassifierLike,
    Column,
    ColumnNames,
    Document,
    DocumentsLike,
    FeaturesLike,
    Label,
    LabelsLike,
    MetricLike,
    Record,
)
from imbtext.documents._documents import Documents, content_checksum
from imbtext.documents._label_names import find_label
from imbtext.documents._labels import Labels, Unlabelled
from imbtext.documents._roles import Roles
from imbtext.documents._table_rows import TableDocument
from imbtext.documents._tokenization import has_words
from imbtext.features._sources import get_features
from imbtext.features.encoders import is_installed
from imbtext.methods._parsing import parse_name
from imbtext.methods._registry import get_method, with_settings
from imbtext.metrics import METRIC_TABLE, RANKING_METRICS, Metric, get_goal
from imbtext.oversampling._wordnet import find_wordnet

# The classes to find unless some are named: rare ones, with enough documents to learn from.
RARE_BELOW: Final = 0.05
LEAST_DOCUMENTS: Final = 5
MOST_CLASSES: Final = 10
MEAN_OF_CLASSES: Final = "(mean of classes)"

PLAIN: Final = "plain"
GAMMAS: Final = (0.01, 0.1, 1.0)
SHOWN_METRICS: Final = (
    "balanced_accuracy",
    "f1",
    "f2",
    "recall",
    "precision",
    "average_precision",
    "roc_auc",
)

NAMED_CLASSIFIERS: Final[dict[str, Callable[[], BaseEstimator]]] = {
    "linear-svm": default_classifier,
    "logistic-regression": lambda: LogisticRegression(max_iter=1000),
    "complement-nb": ComplementNB,
}

# An encoder that is installed runs unasked if it encodes all texts in about a minute: processor
# seconds for a character, and how many characters of a text are read (results/encoder).
_ENCODING_SECONDS: Final = {"minilm": 7e-5, "use": 3.5e-5}
_MOST_READ: Final = 1200
_MOST_SECONDS: Final = 60.0

# A repeat and a fold of it.
Round = tuple[int, int]
# What a fit is known by: class, method and round.
FitKey = tuple[str, str, Round]


# Documents ----------------------------------------------------------------------------------------


def read_documents(
    texts: DocumentsLike,
    y: LabelsLike,
    test: tuple[Column, ...] | None,
    *,
    text: ColumnNames = None,
    columns: ColumnNames = None,
    groups: Column | None = None,
    time: Column | None = None,
    ids: Column | None = None,
    ignore_labels: Label | Collection[Label] = None,
    unlabelled: Unlabelled | None = None,
    classes: Sequence[Label] = (),
) -> tuple[Documents, Documents | None, int]:
    """Read the training documents and, if there is one, the test set.

    If they are tables, `text` names the text columns and `columns` those beside the text. Returns
    the documents with a label, and how many training documents have none.
    """
    roles = Roles.of(text, columns)
    rule: Record = {
        "ignored": ignore_labels,
        "unlabelled": unlabelled,
        "classes": classes,
        "joined": False,
    }
    given = Documents.of(
        *(texts, y),
        roles=roles,
        groups=groups,
        time=time,
        ids=ids if test is None else None,
        name="texts",
    )
    train = given.labelled(**rule)
    n_left_out = len(given) - len(train)
    if test is None:
        return train, None, n_left_out
    if not isinstance(test, tuple | list) or len(test) not in (2, 3):
        parts = f"has {len(test)} parts" if isinstance(test, tuple | list) else "is not a tuple"
        raise ValueError(
            f"test {parts}; give its documents, their labels and, if some belong together, "
            "their groups, as in test=(texts, y)"
        )
    tested = Documents.of(
        *test[:2],
        roles=roles,
        groups=test[2] if len(test) == 3 else None,
        ids=ids,
        name="test[0]",
        y_name="test[1]",
    )
    return train, tested.labelled(**rule, purpose="tested on"), n_left_out


def groups_of(train: Documents, test: Documents | None) -> Array | None:
    """Return the groups of all documents; with a test set and groups, each other is its own."""
    if test is None:
        return train.groups
    if train.groups is None and test.groups is None:
        return None
    values: list[Hashable] = []
    for number, documents in enumerate((train, test)):
        alone = [(number, i) for i in range(len(documents))]
        values += alone if documents.groups is None else documents.groups.tolist()
    codes = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return np.array([codes[value] for value in values], dtype=np.int64)


def names_of(train: Documents, test: Documents | None) -> list[str]:
    """Return what a report calls each document: its id, or else its row as it was given."""
    names: list[str] = []
    for documents in (train, test):
        if documents is not None:
            rows = [f"row {row}" for row in documents.rows.tolist()]
            names += rows if documents.ids is None else documents.ids
    return names


def mask_of_class(label: Label, labels: Labels, test_labels: Labels | None) -> NDArray[np.bool_]:
    """Return which of all documents belong to a class."""
    is_class = labels.mask(label)
    if test_labels is None:
        return is_class
    tested = test_labels.mask(label)
    if not tested.any() or tested.all():
        which = "no documents of" if not tested.any() else "only documents of"
        raise ValueError(
            f"the test set has {which} the class {str(label)!r}, so nothing can be measured "
            "on it; use another test set or cross-validation"
        )
    return np.concatenate([is_class, tested])


def digest_of(documents: Documents, groups: Array | None, *labels: Labels | None) -> str:
    """Return a checksum of all documents, their labels and groups."""
    texts = list(map(_digested, documents))
    names = [
        "\0".join(sorted(map(repr, of_document)))
        for given in labels
        if given is not None
        for of_document in given.sets
    ]
    codes = [] if groups is None else [str(code) for code in groups.tolist()]
    return content_checksum(texts, names, codes)


def _digested(document: Document) -> str:
    """Return a document as text, with everything in its row of a table."""
    if isinstance(document, TableDocument):
        return "\0".join([*document.texts, *map(repr, document.cells)])
    return document if isinstance(document, str) else "\0".join(document)


def caveats_of_groups(groups: Array | None, n_train: int) -> list[str]:
    """Return a caveat if test documents belong to groups of the training documents."""
    if groups is None or len(groups) == n_train:
        return []
    is_known = np.isin(groups[n_train:], groups[:n_train])
    if not is_known.any():
        return []
    return [
        f"{int(is_known.sum()):,} of {len(is_known):,} test documents belong to a group of the "
        "training documents, so scores may be too good for new groups."
    ]


def remarks_on_texts(documents: Documents) -> list[str]:
    """Return a remark on documents without words, if there are any."""
    n = len(documents)
    n_empty = sum(not (has_words(one) if isinstance(one, str) else len(one)) for one in documents)
    return [f"Documents without words: {n_empty:,} of {n:,}."] if n_empty else []


# Classes ------------------------------------------------------------------------------------------


def choose_classes(
    labels: Labels, classes: Label | Iterable[Label], share: float, folds: int | None
) -> tuple[list[Label], list[str]]:
    """Choose the classes to find, the smallest first, and name in notes those left out.

    Without `classes` it takes the rarer of two. Of more than two it takes those that have at least
    five documents and make up less than 5% of all, ten at most; if no class is that rare, it takes
    the smallest. `share` is what oversampling brings a class to. A class needs a document for each
    of the `folds`; None is a separate test set.
    """
    labels.check_classes()
    counts, n = labels.counts, labels.n_documents
    notes: list[str] = []
    if classes is not None:
        named = named_classes(labels, classes)
        to_find = _smallest_first({label: counts[label] for label in named})
    elif len(counts) == 2 and labels.form == "single":
        to_find = list(counts)[-1:]
    else:
        to_find, notes = _rare_classes(counts, n, folds)
    for label in to_find:
        _check_size(label, counts[label], n, share, folds)
    if len(to_find) > 1 and MEAN_OF_CLASSES in map(str, to_find):
        raise ValueError(
            f"there is a class {MEAN_OF_CLASSES!r}, as the tables call the mean of all classes; "
            "rename the class, or compare it alone"
        )
    return to_find, notes


def named_classes(labels: Labels, classes: Label | Iterable[Label]) -> list[Label]:
    """Return the classes that a user names, one or several, in their order and each once."""
    if isinstance(classes, str | bytes) or not isinstance(classes, Iterable):
        classes = [classes]
    named = list(dict.fromkeys(find_label(label, labels.counts) for label in classes))
    if not named:
        raise ValueError("classes is an empty list; name at least one class")
    return named


def with_one_class(
    labels: Labels, test_labels: Labels | None, classes: Label | Collection[Label]
) -> tuple[Labels, Labels | None, list[Label]]:
    """Join labels into one class, and return them as they were in `y`."""
    if classes is None:
        raise ValueError(
            "one_class (--one-class) joins the labels that classes (--class) names; name them"
        )
    joined: list[Any] = named_classes(labels, classes)

    def with_one_name(labels: Labels) -> Labels:
        names = np.where(np.isin(labels.values, joined), joined[0], labels.values)
        return replace(labels, values=names)

    tested = None if test_labels is None else with_one_name(test_labels)
    return with_one_name(labels), tested, joined


def _rare_classes(
    counts: dict[Label, int], n: int, folds: int | None
) -> tuple[list[Label], list[str]]:
    """Choose rare classes with enough documents, and name the others in notes."""
    least = max(LEAST_DOCUMENTS, folds or 0)
    smallest_first = _smallest_first(counts)
    too_small = [label for label in smallest_first if counts[label] < least]
    large_enough = [label for label in smallest_first if counts[label] >= least]
    rare = [label for label in large_enough if counts[label] < RARE_BELOW * n]
    if not large_enough:
        fewer_folds = "" if folds is None or folds <= LEAST_DOCUMENTS else ", or use fewer folds"
        raise ValueError(
            f"none of the {len(counts)} classes has {least} documents; name the classes to find"
            f"{fewer_folds}"
        )
    to_find = rare[:MOST_CLASSES] or large_enough[:1]
    left_out = {
        f"with fewer than {least} documents": too_small,
        f"beyond the {MOST_CLASSES} smallest": rare[MOST_CLASSES:],
        f"since they make up {RARE_BELOW:.0%} of the documents or more": [
            label for label in large_enough if label not in to_find and label not in set(rare)
        ],
    }
    notes = [
        f"Left out, {why}: {listed([str(label) for label in labels])}. To find one of these, name "
        "it as the class."
        for why, labels in left_out.items()
        if labels
    ]
    return to_find, notes


def _smallest_first(counts: dict[Label, int]) -> list[Label]:
    return sorted(counts, key=lambda label: (counts[label], str(label)))


def _check_size(label: Label, count: int, n: int, share: float, folds: int | None) -> None:
    if count < (folds or 2):
        documents = f"{count} document{'' if count == 1 else 's'}"
        needed = f"{folds} folds need at least {folds}" if folds else "at least 2 are needed"
        fewer_folds = "use fewer folds or " if folds is not None and count > 1 else ""
        raise ValueError(
            f"the class {str(label)!r} has {documents}, and {needed}; {fewer_folds}gather more "
            "documents of it"
        )
    if count >= share * n:
        remedy = "choose a rarer class"
        if count < n / 2:
            remedy = f"ask for a larger share, such as {min(0.5, 1.5 * count / n):.2g}, or {remedy}"
        raise ValueError(
            f"the class {str(label)!r} already makes up {count / n:.0%} of the documents, so "
            f"oversampling it to a share of {share:g} adds nothing; {remedy}"
        )


# Measure, share and time --------------------------------------------------------------------------


@lru_cache
def deciding_metric(metric: MetricLike) -> Metric:
    """Return the measure that decides between methods.

    It is a measure of the ranking, or the measure of a goal that `RareTextClassifier` can be
    trained for, so that what was compared is what is trained.

    Examples
    --------
    >>> deciding_metric("alarms_per_thousand(5)").title, deciding_metric((10, 1)).name
    ('recall within 5 alarms per thousand', 'cost(10, 1)')
    """
    if metric in RANKING_METRICS:
        return METRIC_TABLE[metric]
    try:
        return get_goal(metric).metric
    except ValueError as error:
        if metric in METRIC_TABLE:
            raise ValueError(
                f"metric is {metric!r}, which cannot decide: always or never saying yes wins it; "
                "choose one that weighs both errors, such as f2, recall_at_precision(0.9) or "
                "alarms_per_thousand(5)"
            ) from None
        if "; choose balanced_accuracy" not in str(error):
            raise
        raise ValueError(f"{error}; or {' or '.join(RANKING_METRICS)}") from None


def check_share(share: object) -> float:
    """Return the share as a Python number, or refuse it."""
    if not isinstance(share, Real) or not 0 < float(share) < 1:
        raise ValueError(f"share is {share!r:.60}; give a number between 0 and 1, such as 0.2")
    return float(share)


def deadline_after(time_limit: float | None) -> float | None:
    """Return the time at which a limit in seconds is over; None without a limit."""
    if time_limit is None:
        return None
    if not isinstance(time_limit, Real) or not time_limit > 0:
        raise ValueError(f"time_limit is {time_limit!r:.60}; give a number of seconds above 0")
    return time.time() + float(time_limit)


# Methods and classifier ---------------------------------------------------------------------------


def default_methods(metric: str = "f2", *, texts: bool = True) -> list[str]:
    """Return the methods that a comparison runs by default.

    Parameters
    ----------
    metric : str, default="f2"
        The deciding measure. Thresholds are tuned for it, unless it judges the ranking alone.
    texts : bool, default=True
        Whether the documents are texts. EDA cannot work on token lists, and it needs WordNet.

    Examples
    --------
    >>> default_methods("f1")[:3]
    ['plain', 'class-weight', 'threshold(f1)']
    """
    metric = deciding_metric(metric).name
    methods = [PLAIN, "class-weight", "threshold", "characters", "ros", "smote"]
    if texts:
        with suppress(FileNotFoundError):
            find_wordnet()
            methods.append("eda")
    methods += ["mco", *(f"emco({gamma:g})" for gamma in GAMMAS), "emco(heaps)"]
    methods += ["threshold(emco(0.1))", "rare"]
    return [with_settings(method, metric, "auto", "english") for method in methods]


def choose_methods(
    methods: Sequence[str] | None,
    metric: str,
    features: FeaturesLike,
    language: str | None,
    classifier: BaseEstimator,
    documents: Documents,
) -> tuple[list[str], list[str]]:
    """Return the methods to run, the plain classifier first, and notes on those left out.

    Where the name of a method leaves something open (the measure it is tuned for, the features and
    the language of ``rare``), the settings of the comparison hold.
    """
    notes: list[str] = []
    if methods is None:
        names = default_methods(metric, texts=not documents.is_tokens)
        names += _with_encoder(documents, language)
    elif isinstance(methods, str):
        raise TypeError(f"methods is the string {methods!r}; give a list of names")
    elif not isinstance(methods, Iterable):
        raise TypeError(f"methods is {methods!r:.60}; give a list of names such as 'emco(0.1)'")
    else:
        names = [PLAIN, *methods]
        unnamed = [name for name in names if not isinstance(name, str)]
        if unnamed:
            raise TypeError(
                f"methods holds {unnamed[0]!r:.60}; give names such as 'emco(0.1)', and register a "
                "method of your own with register_method"
            )
    if language not in (None, "english"):
        get_features("words", language)  # refuses a language that nobody knows
    # "emco(.1)" and "EMCO(0.1)" are one method, called as the user first wrote it.
    as_written: dict[str, str] = {}
    for name in names:
        completed = with_settings(name, metric, features, language)
        as_written.setdefault(str(parse_name(completed)), completed)
    names = list(as_written.values())
    if "class_weight" not in classifier.get_params(deep=False):
        weighted = [name for name in names if get_method(name).class_weight is not None]
        if weighted:
            names = [name for name in names if name not in weighted]
            notes.append(f"Left out: {', '.join(weighted)}. The classifier takes no class weights.")
    return names, notes


def _with_encoder(documents: Documents, language: str | None) -> list[str]:
    """Return ``rare`` with an encoder, if that is installed and quick on these documents."""
    encoder = "minilm" if language == "english" else "use"
    if documents.is_tokens or not is_installed(encoder):
        return []
    n_read = sum(min(len(text), _MOST_READ) for text in documents.strings())
    seconds = _ENCODING_SECONDS[encoder] * n_read
    return [f"rare(encoder={encoder})"] if seconds <= _MOST_SECONDS else []


def get_classifier(classifier: ClassifierLike) -> BaseEstimator:
    """Return an unfitted scikit-learn classifier, from a name, an import path or an estimator.

    In an import path a colon or a dot stands before the class. A class is called without arguments.

    Examples
    --------
    >>> get_classifier("sklearn.linear_model:RidgeClassifier")
    RidgeClassifier()
    >>> get_classifier("linear-svn")
    Traceback (most recent call last):
    ...
    ValueError: there is no classifier 'linear-svn'; choose linear-svm, logistic-regression or \
complement-nb, or give an import path such as sklearn.linear_model:RidgeClassifier
    """
    estimator = classifier
    if isinstance(classifier, str):
        estimator = NAMED_CLASSIFIERS.get(classifier) or _imported(classifier)
    is_instance = hasattr(estimator, "get_params") and not isinstance(estimator, type)
    if callable(estimator) and not is_instance:
        try:
            estimator = estimator()
        except TypeError as error:
            raise TypeError(
                f"cannot make the classifier {classifier!r} without arguments ({error}); pass the "
                "estimator itself in Python"
            ) from error
    if not hasattr(estimator, "fit") or not is_classifier(estimator):
        raise TypeError(
            f"classifier is {classifier!r}, which is not a scikit-learn classifier; give a name, "
            "an import path or an estimator such as LogisticRegression()"
        )
    if not hasattr(estimator, "decision_function") and not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{type(estimator).__name__} has neither decision_function nor predict_proba, so it "
            "cannot rank documents; choose another classifier"
        )
    return estimator


def _imported(path: str) -> object:
    module, separator, name = path.partition(":")
    if not separator:
        module, _, name = path.rpartition(".")
    if not module:
        raise ValueError(
            f"there is no classifier {path!r}; choose linear-svm, logistic-regression or "
            "complement-nb, or give an import path such as sklearn.linear_model:RidgeClassifier"
        )
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, TypeError) as error:  # a relative path is a TypeError
        raise ValueError(f"cannot import the classifier {path!r}: {error}") from error
    except AttributeError:
        raise ValueError(
            f"the module {module!r} has no {name!r}; check the import path {path!r}"
        ) from None
