"""The plan of a comparison: documents, choices and folds.

`compare` has many parameters. They are checked and resolved once, into one record: the `Plan`. The
fits, the scores, the advice and the report all read that record, and nothing else repeats its
values. :meth:`Plan.to_dict` returns those that can be printed.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Final

import numpy as np
from joblib import wrap_non_picklable_objects
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from imbtext._typing import (
    Array,
    ColumnName,
    FeaturesLike,
    Label,
    Matrix,
    Record,
)
from imbtext.comparison._kept_work import KeptWork
from imbtext.comparison._scores import ScoredFit, ScoredFold
from imbtext.comparison._settings import SHOWN_METRICS, Round, deciding_metric
from imbtext.documents._documents import Documents
from imbtext.documents._folds import Folds
from imbtext.documents._labels import Labels
from imbtext.features._sources import name_of_features
from imbtext.methods._documents import PreparedDocuments
from imbtext.methods._fitting import with_best_features
from imbtext.methods._method import Problem
from imbtext.metrics import METRIC_TABLE, METRICS, Metric
from imbtext.oversampling._strategy import minority_share
from imbtext.randomness import draw_seed, seed_of_names

# The settings that can be printed.
_PRINTED: Final = (
    "n_documents",
    "classes",
    "methods",
    "classifier",
    "features",
    "metric",
    "share",
    "folds",
    "repeats",
    "groups",
    "n_test",
    "multilabel",
    "random_state",
    "data",
    "in_time",
    "language",
    "text_columns",
    "columns",
    "own_groups",
    "n_left_out",
    "joined",
)


@dataclass(frozen=True, eq=False)
class PreparedFold:
    """A fold as all classes see it: which documents it has, and what is derived from them."""

    train: NDArray[np.int64]
    test: NDArray[np.int64]
    data: PreparedDocuments
    # The test documents, for classifiers of vectors and for classifiers of documents.
    test_vectors: Matrix
    test_documents: Documents


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """All that the results of a comparison depend on.

    Attributes
    ----------
    prepared : PreparedDocuments
        The training documents and, behind them, those of a separate test set.
    labels : Labels
        The labels of the training documents.
    test_labels : Labels or None
        Those of the separate test set, if there is one.
    to_find : tuple of labels
        The classes to find, as they stand in the labels: numbers stay numbers.
    is_class : dict of str to bool array
        Which of all documents belong to each class.
    methods : tuple of str
        The methods, the plain classifier first.
    classifier : str
        The classifier's name, or the expression that constructs it.
    estimator : scikit-learn classifier
        The classifier itself, not fitted.
    feature_source : str, vectorizer or callable
        What classifiers see of a document, as it was passed to `compare`.
    language : str or None
        The language, or languages, whose stems ``rare`` uses.
    metric : str
        The measure that decides.
    share : float
        The share of all training documents that oversampling brings a class to.
    folds, repeats : int
        The folds and repeats of the cross-validation; one fold with a separate test set.
    random_state : int
        The seed of all random numbers.
    layout : Folds or None
        Which documents are tested in which fold; None with a separate test set.
    kept_together : array or None
        Documents that share a number are never split up, not even to tune a threshold.
    drawn_together : array
        Documents that share a number are drawn together in the bootstrap of tested documents:
        groups and near-duplicates.
    given_groups : array or None
        The groups that the user passed, of all documents.
    times : array or None
        When each training document was written.
    names : sequence of str
        What the report calls each document.
    n_left_out : int
        How many training documents had no label, or one to ignore.
    joined : tuple
        The labels that count as one class, the one that names it first; empty if none were joined.
    data : str
        Digest of all documents, labels and groups.
    kept : KeptWork or None
        Where finished fits are kept.
    deadline : float or None
        The time after which no fit begins.
    """

    prepared: PreparedDocuments
    labels: Labels
    test_labels: Labels | None
    to_find: tuple[Label, ...]
    is_class: Mapping[str, NDArray[np.bool_]]
    methods: tuple[str, ...]
    classifier: str
    estimator: BaseEstimator
    feature_source: FeaturesLike
    language: str | None
    metric: str
    share: float
    folds: int
    repeats: int
    random_state: int
    layout: Folds | None
    kept_together: NDArray[np.int64] | None
    drawn_together: NDArray[np.int64]
    given_groups: Array | None = None
    times: Array | None = None
    names: Sequence[str] = ()
    n_left_out: int = 0
    joined: tuple[Label, ...] = ()
    data: str = ""
    kept: KeptWork | None = None
    deadline: float | None = None
    # The fold that was prepared last, for the next class that shares it.
    latest: dict[Hashable, PreparedFold] = field(default_factory=dict)

    # What was asked for.

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes to find."""
        return tuple(map(str, self.to_find))

    @property
    def features(self) -> str:
        """What classifiers see of a document, in words."""
        source = self.feature_source
        return name_of_features(source) or " ".join(repr(source).split())[:80]

    @property
    def documents(self) -> Documents:
        """The training documents and, behind them, those of a separate test set."""
        return self.prepared.documents

    @property
    def n_documents(self) -> int:
        """Number of training documents."""
        return self.labels.n_documents

    @property
    def n_test(self) -> int:
        """Number of documents in the separate test set, 0 without one."""
        return len(self.documents) - self.n_documents

    @property
    def multilabel(self) -> bool:
        """Whether a document may belong to several classes."""
        return self.labels.form != "single"

    @property
    def in_time(self) -> bool:
        """Whether folds are periods, each tested by models that learnt from those before it."""
        return self.times is not None and self.test_labels is None

    @property
    def groups(self) -> bool:
        """Whether groups of documents were kept together."""
        return self.kept_together is not None

    @property
    def own_groups(self) -> bool:
        """Whether the user passed groups; near-duplicates that were kept together do not count."""
        return self.given_groups is not None

    @property
    def text_columns(self) -> tuple[ColumnName, ...]:
        """The text columns, if documents are rows of a table with several."""
        return tuple(self.documents.fields)

    @property
    def columns(self) -> tuple[ColumnName, ...]:
        """The columns beside the text, if documents are rows of a table."""
        columns = self.documents.columns
        return () if columns is None else tuple(columns.columns)

    @property
    def scored_metrics(self) -> dict[str, Metric]:
        """The measures of every fit: all that have a name, and the deciding one."""
        deciding = deciding_metric(self.metric)
        return {name: METRIC_TABLE[name] for name in METRICS} | {deciding.name: deciding}

    @property
    def metric_titles(self) -> dict[str, str]:
        """The measures that tables show, each with its name in a sentence."""
        names = dict.fromkeys([*SHOWN_METRICS, self.metric])
        return {name: self.scored_metrics[name].title for name in names}

    @property
    def rounds(self) -> list[Round]:
        """Repeat and fold of every round."""
        return [(r, f) for r in range(self.repeats) for f in range(self.folds)]

    def signature(self) -> str:
        """Return settings, seed and versions as one line, to be quoted with the numbers."""
        subject = (
            f"class:{self.classes[0]}" if len(self.classes) == 1 else f"classes:{len(self.classes)}"
        )
        design = (
            f"test:{self.n_test}|repeats:{self.repeats}"
            if self.n_test
            else f"periods:{self.folds}"
            if self.in_time
            else f"cv:{self.repeats}x{self.folds}"
        )
        versions = "|".join(
            f"{name}:{version(name)}" for name in ("scikit-learn", "imbalanced-learn", "numpy")
        )
        return (
            f"imbtext:{version('imbalanced-text')}|data:{self.data[:12]}|n:{self.n_documents}|"
            f"{subject}|{design}|groups:{'yes' if self.groups else 'no'}|clf:{self.classifier}|"
            f"features:{self.features}|"
            f"share:{self.share:g}|metric:{self.metric}|random_state:{self.random_state}|{versions}"
        )

    def to_dict(self) -> Record:
        """Return the settings that can be printed, by name."""
        values = {name: getattr(self, name) for name in _PRINTED}
        return values | {"joined": tuple(map(str, self.joined))}

    def __getstate__(self) -> dict[str, object]:
        # A function defined on the spot reaches other processes too.
        source = wrap_non_picklable_objects(self.feature_source, keep_wrapper=False)
        return {**self.__dict__, "feature_source": source, "latest": {}}

    # Single documents, as a report names them.

    def labels_of(self, index: int) -> frozenset[Label]:
        """Return the labels of a document."""
        if self.test_labels is not None and index >= self.n_documents:
            return self.test_labels.sets[index - self.n_documents]
        return self.labels.sets[index]

    # Folds.

    def split(self, class_name: str, repeat: int, fold: int) -> tuple[Array, Array]:
        """Return the training and the test documents of a fold."""
        if self.layout is None:
            indices = np.arange(self.prepared.n_documents)
            return indices[: self.n_documents], indices[self.n_documents :]
        return self.layout.split(class_name, repeat, fold)

    def tested(self, fit: ScoredFit) -> ScoredFold:
        """Return a fit with the documents that it tested."""
        _, indices = self.split(fit.class_name, fit.repeat, fit.fold)
        return ScoredFold(fit, indices, self.is_class[fit.class_name][indices])

    def seed(self, class_name: str, repeat: int, fold: int) -> int:
        """Return the seed of a fold; methods share it, so that they differ in nothing else."""
        return seed_of_names(self.random_state, repeat, fold, class_name)

    @contextmanager
    def fold(self, class_name: str, repeat: int, fold: int) -> Iterator[PreparedFold]:
        """Give a fold to a ``with`` block; a class that shares it with the one before reuses it.

        Only the latest fold is kept, and two threads never have the same one.
        """
        choose_features = self.features == "best"
        layout = None if self.layout is None else (self.layout.layout_of[class_name], repeat, fold)
        key = (class_name if choose_features else "", layout)
        prepared = self.latest.pop(key, None)
        if prepared is None:
            self.latest.clear()
            train, test = self.split(class_name, repeat, fold)
            data = self.prepared.select(train)
            if choose_features:
                seed = self.seed(class_name, repeat, fold)
                is_class = self.is_class[class_name][train]
                data = with_best_features(data, is_class, self.estimator, seed)
            documents = self.prepared.documents.select(test)
            vectors = data.vectors_of(self.prepared, test)
            prepared = PreparedFold(train, test, data, vectors, documents)
        yield prepared
        prepared.data.forget_class()
        self.latest.clear()
        self.latest[key] = prepared

    def problem(self, data: PreparedDocuments, train: Array, class_name: str, seed: int) -> Problem:
        """Return what methods are to solve: the training side of a fold, and the class."""
        is_class = self.is_class[class_name][train]
        n_missing = minority_share(self.share).missing
        return Problem(data, is_class, n_missing, draw_seed(seed), label=class_name)
