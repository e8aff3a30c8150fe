"""ThresholdClassifier: any classifier, with a threshold and a promise.

`fit` trains the classifier on all documents and without each fold, and the held-out scores go to
:class:`HeldOut`. Everything else reads these scores: the threshold, its interval, probabilities,
what to expect, the card. Nothing here knows of texts; `RareTextClassifier` stands on the same
package with a ranking of its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import check_cv
from sklearn.utils import (
    Tags,
    _safe_indexing,
    check_consistent_length,
    get_tags,
    indexable,
)
from sklearn.utils._param_validation import HasMethods, Hidden, StrOptions
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _routing_enabled,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import (
    _check_method_params,
    _num_samples,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from imbtext._estimator import DocumentedEstimatorMixin, fit_context
from imbtext._messages import warn_user
from imbtext._typing import Array, Column, Label, MetricLike, RandomState
from imbtext.documents._duplicates import group_codes
from imbtext.documents._folds import DealtFolds, deal_folds
from imbtext.documents._labels import (
    Labels,
    OneVsRest,
    check_labelled,
    members_table,
    read_groups,
    read_weights,
)
from imbtext.documents._periods import Periods, cut_periods, read_times
from imbtext.metrics import Goal
from imbtext.pages._page import Chart, Page, Section, Table
from imbtext.randomness import draw_seed
from imbtext.statistics import Interval
from imbtext.thresholds._card import points_table, probability_table
from imbtext.thresholds._choosing import MEAN_OF_FOLDS, RULES, Rule, chooser
from imbtext.thresholds._exclusive import ExclusiveRule
from imbtext.thresholds._expectation import expectation_table, of_hundred, resampled_thresholds
from imbtext.thresholds._held_out import HeldOut
from imbtext.thresholds._operating_point import (
    MovedPoint,
    OperatingPoint,
    ThresholdState,
    class_goals,
)
from imbtext.thresholds._plot import threshold_svg
from imbtext.thresholds._threshold_mixin import ThresholdMixin

_N_FOLDS = 5
# For the interval of a threshold; those of recall and precision need fewer.
_N_RESAMPLES = 200
Metric = MetricLike | Mapping[Any, MetricLike]
Split = tuple[NDArray[np.int64], NDArray[np.int64]]


class ThresholdClassifier(
    ThresholdMixin, DocumentedEstimatorMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator
):
    """Give any classifier the threshold that serves a metric, and say what to expect of it.

    Use it when you have a scikit-learn classifier or pipeline and want it to keep a limit, such as
    nine of ten alarms that are right, or to weigh costs. The classifier is cross-validated. The
    threshold is chosen on the held-out scores, and `expectation_` says with intervals what new
    documents will bring: each fold is judged at a threshold that the other folds chose.

    Parameters
    ----------
    estimator : estimator
        A classifier with `predict_proba` or `decision_function`, or a pipeline that ends in one.
    metric : str, pair of numbers or dict, default="f2"
        What the decision should be good at: ``"f1"``, ``"f2"`` or an F of any beta,
        ``"balanced_accuracy"``, the costs ``"cost(10, 1)"`` of a miss and a false alarm, or the
        limits ``"recall_at_precision(0.9)"``, ``"precision_at_recall(0.9)"`` and
        ``"alarms_per_thousand(5)"``. A dict names classes and their metrics, such as
        ``{"fraud": "cost(50, 1)", "spam": "f1"}``; classes that it leaves out get ``"f2"``.
    rule : {"pooled", "mean of folds"}, default="pooled"
        "pooled" chooses on the scores of all folds together. "mean of folds" is the rule of
        scikit-learn's `TunedThresholdClassifierCV`, and gives its threshold to the last bit.
    cv : int, splitter, iterable or None, default=None
        How documents are held out; each at most once. None deals five folds, in which every class
        has its share and groups stay together.
    pos_label : label, default=None
        The class to find if there are two; None is the rarer one.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        Where the scores come from; "auto" takes `predict_proba` if there is one.
    random_state : int, RandomState instance or None, default=None
        Decides how documents are dealt to folds.
    n_jobs : int, default=None
        How many folds are trained at once.

    Attributes
    ----------
    estimator_ : estimator
        The classifier, fitted on all documents.
    classes_ : ndarray
        The labels.
    thresholds_ : ndarray of float64
        The score from which a document is put into a class, one per class that is looked for.
    expectation_ : list of Expectation
        What to expect of new documents, one entry per class that is looked for.
    alarm_rates_ : list of AlarmRate
        How many held-out documents are put into each class.
    held_out_ : HeldOut
        The held-out scores, sorted. Of more than 200,000 documents the lowest are counted together.

    See Also
    --------
    RareTextClassifier : Finds a rare class in texts; it brings its own ranking.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(2000, weights=[0.95], random_state=0)
    >>> metric = "recall_at_precision(0.8)"
    >>> model = ThresholdClassifier(LogisticRegression(), metric, random_state=0).fit(X, y)
    >>> model.expectation_[0].precision.mean > 0.7
    True
    >>> model.at("cost(20, 1)").metric
    'cost(20, 1)'
    """

    _parameter_constraints: dict[str, list[object] | str] = {
        "estimator": [HasMethods(["fit", "predict_proba"]),
                      HasMethods(["fit", "decision_function"]), Hidden(None)],
        "metric": "no_validation",
        "rule": [StrOptions(set(RULES))],
        "cv": ["cv_object"],
        "pos_label": "no_validation",
        "response_method": [StrOptions({"auto", "predict_proba", "decision_function"})],
        "random_state": ["random_state"],
        "n_jobs": [int, None],
    }  # fmt: skip

    def __init__(
        self,
        estimator: Any = None,
        metric: Metric = "f2",
        *,
        rule: Rule = "pooled",
        cv: Any = None,
        pos_label: Label = None,
        response_method: Literal["auto", "predict_proba", "decision_function"] = "auto",
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.metric = metric
        self.rule = rule
        self.cv = cv
        self.pos_label = pos_label
        self.response_method = response_method
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def of_scores(
        cls,
        scores: ArrayLike,
        y: ArrayLike,
        folds: Column | None = None,
        *,
        metric: Metric = "f2",
        rule: Rule = "pooled",
        pos_label: Label = None,
        sample_weight: Column | None = None,
        groups: Column | None = None,
        random_state: RandomState = None,
    ) -> Self:
        """Take scores that somebody already has; nothing is fitted.

        Parameters
        ----------
        scores : array-like of shape (n_documents,) or (n_documents, n_classes)
            Scores of documents by models that have not seen them, for the class to find, or for
            each class, as `cross_val_predict` returns them. NaN where there is none.
        y : array-like
            One label per document, or a column of 0 and 1 per class.
        folds : array-like of int, default=None
            Which documents the same model scored. None deals five folds, for scores of one model.
        metric, rule, pos_label, random_state
            As for the class.
        sample_weight, groups : array-like, default=None
            As for `fit`.

        Returns
        -------
        model : ThresholdClassifier
            Its `predict` and all other methods take scores in place of documents.

        Examples
        --------
        >>> scores = [0.9, 0.8, 0.3, 0.7, 0.2, 0.1, 0.15, 0.25]
        >>> y = [1, 1, 0, 1, 0, 0, 0, 0]
        >>> model = ThresholdClassifier.of_scores(scores, y, metric="f1", random_state=0)
        >>> model.thresholds_
        array([0.5])
        >>> model.predict([0.6, 0.4])
        array([1, 0])
        """
        model = cls(None, metric, rule=rule, pos_label=pos_label, random_state=random_state)
        model._validate_params()
        target = _Target.of(y, pos_label)
        table = _score_table(scores, target.one_vs_rest)
        k = len(target.members)
        if table.shape != (target.n, k):
            raise ValueError(
                f"scores has the shape {table.shape}; expected a row for each of the {target.n} "
                f"documents of y and {k} column{'s' * (k > 1)}, one per class that is looked for"
            )
        seed = draw_seed(random_state)
        if folds is None:
            folds = deal_folds(
                target.members, target.n, _together(groups, target.n), _N_FOLDS, seed
            )
        check_consistent_length(folds, y)
        numbers = np.unique(np.asarray(folds), return_inverse=True)[1]
        held_out = target.held_out(table, numbers, groups, read_weights(sample_weight, target.n))
        return model._settle(target, held_out, seed, model._goals(target))

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Column | None = None,
        groups: Column | None = None,
        time: Column | None = None,
        **params: Any,
    ) -> Self:
        """Train the classifier, and choose its thresholds on documents it has not seen.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list
            The documents, as the classifier takes them.
        y : array-like
            One label per document, or a column of 0 and 1 per class. A missing or blank label is
            an error: drop such documents.
        sample_weight : array-like, default=None
            How much each document counts: in training, if the classifier takes weights, in the
            choice of the threshold and in `expectation_`. A pipeline does not take them, but its
            step does: pass ``svc__sample_weight``, too.
        groups : array-like, default=None
            Documents that share a value are held out together, and intervals count groups.
        time : array-like, default=None
            One date, time or number per document. Each period is then tested with a classifier of
            what came before it, so `cv` must be None.
        **params : dict
            Other parameters of the classifier's `fit`, or with metadata routing of the splitter.
        """
        if self.estimator is None:
            raise ValueError("estimator is None; give a classifier, or scores to `of_scores`")
        X, y = indexable(X, y)
        target = _Target.of(y, self.pos_label)
        weights = read_weights(sample_weight, target.n)
        seed = draw_seed(self.random_state)
        fit_params, split_params = self._routed(sample_weight, groups, params)
        splits, periods = self._splits(X, target, groups, time, seed, split_params)
        goals = self._goals(target)  # refused before anything takes time
        self.estimator_ = clone(self.estimator).fit(X, target.y, **fit_params)
        of_folds = Parallel(n_jobs=self.n_jobs)(
            delayed(self._fit_fold)(X, target, split, fit_params) for split in splits
        )
        scores = np.full((target.n, len(target.members)), np.nan)
        folds = np.zeros(target.n, np.int64)
        for number, ((_, tested), of_fold) in enumerate(zip(splits, of_folds, strict=True)):
            scores[tested], folds[tested] = of_fold, number
        in_time = periods is not None
        held_out = target.held_out(scores, folds, groups, weights, in_time=in_time)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self._settle(target, held_out, seed, goals, self._method() == "predict_proba")

    def predict(self, X: Any) -> Array:
        """Return labels in the form of `y`."""
        margins = self._margins(X)
        return self._one_vs_rest.decide(margins)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return scores less thresholds; with two classes above 0 means ``classes_[1]``.

        Where a document has exactly one of several classes, the class with the largest number is
        the one that it gets, as in `RareTextClassifier`.
        """
        margins = self._margins(X)
        return self._one_vs_rest.decision(margins)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, calibrated on the held-out scores."""
        check_is_fitted(self, "held_out_")
        return self._one_vs_rest.probabilities(self._calibration.probabilities(self._scores(X)))

    @property
    def classes_(self) -> Array:
        """The labels."""
        check_is_fitted(self, "held_out_")
        return self._one_vs_rest.classes

    @property
    def thresholds_(self) -> NDArray[np.float64]:
        """The score from which a document is put into a class, one per class."""
        check_is_fitted(self, "held_out_")
        cuts = self._point.thresholds
        return np.nextafter(cuts, np.inf) if self.rule == MEAN_OF_FOLDS else cuts

    def threshold_interval(self, label: Label = None) -> Interval:
        """Return the threshold of a class, and where it would lie with other documents.

        The limits hold 95% of the thresholds that resampled documents choose.

        Parameters
        ----------
        label : label, default=None
            The class; None if only one is looked for.

        Examples
        --------
        >>> generator = np.random.default_rng(0)
        >>> y = generator.random(500) < 0.1
        >>> model = ThresholdClassifier.of_scores(generator.normal(2.0 * y), y, random_state=0)
        >>> interval = model.threshold_interval()
        >>> interval.lower < interval.mean < interval.upper
        True
        """
        c = self._threshold_state().class_index(label)
        held = self.held_out_.of_class(c)
        goal = class_goals(self.metric, self._one_vs_rest.labels)[c]
        copies = self.held_out_.draw_copies(_N_RESAMPLES)
        chosen = resampled_thresholds(goal, held, chooser(held, self.rule), copies)
        chosen = chosen[~np.isnan(chosen)]
        threshold = float(self.thresholds_[c])
        if not len(chosen):
            return Interval(threshold, -np.inf, np.inf)
        lower, upper = np.quantile(chosen, [0.025, 0.975]).tolist()
        return Interval(threshold, min(lower, threshold), max(upper, threshold))

    def card(self) -> Page:
        """Return what to expect, other thresholds and how probabilities hold, as a page.

        ``print(model.card())`` shows it in a terminal; ``.markdown()`` and ``.html()`` return it as
        Markdown and as HTML.

        Examples
        --------
        >>> y = [True, True, False, True] + 12 * [False]
        >>> scores = np.linspace(1, 0, 16)
        >>> model = ThresholdClassifier.of_scores(scores, y, metric="f1", random_state=0)
        >>> print(model.card().markdown().splitlines()[0])
        # A classifier that finds "True"
        """
        expected, labels = self.expectation_, self._one_vs_rest.labels
        what = f'"{labels[0]}"' if len(labels) == 1 else f"{len(labels)} classes"
        n = self.held_out_.n_documents
        figures = [(f"{n:,}", "documents learnt from")]
        note = (
            f"Measured by cross-validation, thresholds chosen by the rule {self.rule!r}. Ranges "
            "are 95% intervals."
        )
        if len(labels) > 1:
            table = expectation_table(expected)
            goals = class_goals(self.metric, labels)
            of_classes = zip(labels, goals, self.thresholds_.tolist(), strict=True)
            points = Table(
                ["class", "metric", "threshold"],
                [[str(label), goal.name, f"{cut:.3f}"] for label, goal, cut in of_classes],
            )
            sections = [
                Section("What to expect", table=table, note=note),
                Section("The operating points", table=points),
            ]
            return Page("a threshold card", f"A classifier that finds {what}", figures, sections)
        figures += [
            (of_hundred(expected[0].recall), f"of every 100 {what} documents found"),
            (of_hundred(expected[0].precision), "of every 100 alarms right"),
        ]
        (goal,), point = class_goals(self.metric, labels), self._point
        interval = self.threshold_interval()
        sections = [
            Section("What to expect", expected[0].sentences(), note=note),
            Section(
                "The operating point, and others it could have",
                [
                    f"A document is put into the class from a score of {interval.mean:.3f}, the "
                    f"threshold chosen for {goal.title}. With other documents it would lie between "
                    f"{interval.lower:.3f} and {interval.upper:.3f}."
                ],
                points_table(self.held_out_, goal, point, self.rule),
                chart=Chart(
                    lambda: threshold_svg(self.held_out_.of_class(0), interval.mean),
                    "Precision and recall at every threshold, the operating point marked",
                ),
            ),
            Section(
                "Its probabilities",
                table=probability_table(self.held_out_, self._calibration.probabilities),
            ),
        ]
        return Page("a threshold card", f"A classifier that finds {what}", figures, sections)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return which parameters of `fit` go to the classifier and to the splitter."""
        to_fit = MethodMapping().add(caller="fit", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=to_fit)
        return router.add(splitter=check_cv(self.cv), method_mapping=to_split)

    def _settle(
        self,
        target: "_Target",
        held_out: HeldOut,
        seed: int,
        goals: list[Goal],
        of_probabilities: bool = False,
    ) -> Self:
        """Keep held-out scores, and what they say of thresholds and probabilities."""
        self._one_vs_rest = target.one_vs_rest
        self._calibration = held_out.calibration(of_probabilities=of_probabilities)
        rule = None
        if held_out.exclusive:
            rule = ExclusiveRule(self._calibration, held_out.class_sizes)
        held_out = replace(held_out, seed=seed, rule=rule)
        # scikit-learn's rule looks at the lowest score of each fold, too.
        is_pooled = self.rule != MEAN_OF_FOLDS
        self.held_out_ = held_out.kept() if is_pooled else held_out.sorted()
        self._point = OperatingPoint.best(
            goals, self.held_out_, self._one_vs_rest.labels, self.rule
        )
        return self

    def _goals(self, target: "_Target") -> list[Goal]:
        classes = target.one_vs_rest
        return class_goals(self.metric, classes.labels)

    def _routed(
        self, sample_weight: Column | None, groups: Column | None, params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the parameters of the classifier's `fit`, and those of the splitter."""
        given = {"sample_weight": sample_weight, "groups": groups}
        given = {name: value for name, value in given.items() if value is not None}
        if _routing_enabled():
            # Both are read here, too, so nobody else need ask for them.
            asked = get_routing_for_object(self).consumes("fit", given.keys())
            given = {name: given[name] for name in asked}
            routed = process_routing(self, "fit", **given, **params)
            return dict(routed.estimator.fit), dict(routed.splitter.split)
        weights = given.pop("sample_weight", None)
        if weights is not None and has_fit_parameter(self.estimator, "sample_weight"):
            params = {**params, "sample_weight": weights}
        elif weights is not None and not any(name.endswith("__sample_weight") for name in params):
            warn_user(
                f"{type(self.estimator).__name__} takes no sample_weight, so weights count for the "
                "threshold and expectation_ and not in training; a step of a pipeline takes them "
                "as in fit(X, y, weights, svc__sample_weight=weights)"
            )
        return params, given

    def _splits(
        self,
        X: Any,
        target: "_Target",
        groups: Column | None,
        time: Column | None,
        seed: int,
        params: dict[str, Any],
    ) -> tuple[list[Split], Periods | None]:
        """Return which documents are learnt from and tested in each fold, and the periods."""
        n = target.n
        if time is not None and self.cv is not None:
            raise ValueError(
                "time and cv both say which documents are held out; leave cv at None, or drop time"
            )
        if time is not None:
            given = None if groups is None else read_groups(groups, n)
            periods = cut_periods(read_times(time, n), target.members, _N_FOLDS, given)
            return _splits_of(periods), periods
        if self.cv is not None:
            splitter = check_cv(self.cv, target.y, classifier=True)
            return _checked_splits(splitter.split(X, target.y, **params), n), None
        dealt = deal_folds(target.members, n, _together(groups, n), _N_FOLDS, seed)
        return _splits_of(DealtFolds(dealt)), None

    def _fit_fold(
        self, X: Any, target: "_Target", split: Split, fit_params: dict[str, Any]
    ) -> NDArray[np.float64]:
        """Return the scores of a fold's documents by a classifier that has not seen them."""
        learnt, tested = split
        y = target.y[learnt]
        scores = np.full((len(tested), len(target.members)), np.nan)
        if len(learnt) == 0 or (y.ndim == 1 and len(np.unique(y)) < 2):
            return scores  # there is nothing to tell apart
        params = _check_method_params(X, fit_params, indices=learnt)
        classifier = clone(self.estimator).fit(_safe_indexing(X, learnt), y, **params)
        responses = self._response(classifier, _safe_indexing(X, tested), target.one_vs_rest)
        for c, members in enumerate(target.members):
            n_learnt = np.isin(learnt, members).sum()
            if 0 < n_learnt < len(learnt):
                scores[:, c] = responses[:, c]
        return scores

    def _method(self) -> str:
        """Return the method that gives the scores."""
        if self.response_method != "auto":
            return self.response_method
        has_probabilities = hasattr(self.estimator, "predict_proba")
        return "predict_proba" if has_probabilities else "decision_function"

    def _response(self, classifier: Any, X: Any, one_vs_rest: OneVsRest) -> NDArray[np.float64]:
        """Return a score for each class that is looked for, NaN for one that is not known."""
        answer = getattr(classifier, self._method())(X)
        if one_vs_rest.form == "indicator":
            if isinstance(answer, list):  # one table of probabilities per class
                answer = np.stack([of_class[:, -1] for of_class in answer], axis=1)
            return np.asarray(answer, np.float64)
        answer, known = np.asarray(answer, np.float64), classifier.classes_.tolist()
        if answer.ndim == 1:
            answer = np.stack([-answer, answer], axis=1)
        if answer.shape[1] != len(known):
            raise ValueError(
                f"{self._method()} returns {answer.shape[1]} columns for {len(known)} classes; "
                "expected one per class, such as decision_function_shape='ovr'"
            )
        scores = np.full((len(answer), len(one_vs_rest.modelled)), np.nan)
        for c, label in enumerate(one_vs_rest.labels):
            if label in known:
                scores[:, c] = answer[:, known.index(label)]
        return scores

    def _scores(self, X: Any) -> NDArray[np.float64]:
        if self.estimator is None:
            return _score_table(X, self._one_vs_rest)
        return self._response(self.estimator_, X, self._one_vs_rest)

    def _margins(self, X: Any) -> NDArray[np.float64]:
        """Return a margin for each document and class, above 0 if its threshold is exceeded."""
        check_is_fitted(self, "held_out_")
        return self.held_out_.margins_of(self._scores(X), self._point.thresholds)

    def _threshold_state(self) -> ThresholdState:
        check_is_fitted(self, "held_out_")
        return ThresholdState(
            *(self._point, self.held_out_, self._one_vs_rest.labels, self._scores),
            *(self._calibration, self.rule),
        )

    def _move(self, moved: MovedPoint) -> None:
        self._point = moved.point
        if moved.c is None:
            self.metric = moved.metric
            return
        given, labels = self.metric, self._one_vs_rest.labels
        of_classes = given if isinstance(given, Mapping) else dict.fromkeys(labels, given)
        self.metric = {**of_classes, labels[moved.c]: moved.metric}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "held_out_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            inner = get_tags(self.estimator)
            tags.input_tags = inner.input_tags
            if inner.classifier_tags is not None:
                tags.classifier_tags = replace(inner.classifier_tags, poor_score=False)
        return tags


@dataclass(frozen=True, eq=False)
class _Target:
    """The labels of documents, the classes that are looked for, and the documents of each."""

    y: Array
    one_vs_rest: OneVsRest
    members: list[NDArray[np.int64]]
    n: int

    @classmethod
    def of(cls, y: Any, pos_label: Label) -> "_Target":
        check_labelled(y)
        kind = type_of_target(y, input_name="y")
        if kind == "multilabel-indicator":
            table = y.toarray() if hasattr(y, "toarray") else np.asarray(y)
        elif kind in ("binary", "multiclass"):
            table = column_or_1d(y, warn=True)
        else:
            raise ValueError(
                f"Unknown label type: {kind}. Give one class per document, or a column of 0 and 1 "
                "per class"
            )
        n = _num_samples(table)
        one_vs_rest, members = Labels.of(table, n, several=True).one_vs_rest(pos_label)
        return cls(table, one_vs_rest, members, n)

    def held_out(
        self,
        scores: NDArray[np.float64],
        folds: NDArray[np.integer],
        groups: Column | None,
        weights: NDArray[np.float64] | None,
        *,
        in_time: bool = False,
    ) -> HeldOut:
        """Return scores of these documents by classifiers that have not seen them."""
        if np.isinf(scores).any():
            raise ValueError("a score is infinite; give finite numbers, or NaN where there is none")
        return HeldOut.of_scores(
            scores,
            members_table(self.members, self.n),
            folds,
            None if groups is None else group_codes(read_groups(groups, self.n)),
            weights,
            in_time=in_time,
            exclusive=self.one_vs_rest.form == "multiclass",
        )


def _score_table(scores: ArrayLike, one_vs_rest: OneVsRest) -> NDArray[np.float64]:
    """Return scores that somebody has, one column per class that is looked for."""
    table = np.asarray(scores, np.float64)
    table = table[:, None] if table.ndim == 1 else table
    both_of_two = one_vs_rest.form == "binary" and table.ndim == 2 and table.shape[1] == 2
    return table[:, one_vs_rest.modelled] if both_of_two else table


def _together(groups: Column | None, n: int) -> NDArray[np.int64]:
    """Return a number for each document; those of a group share it."""
    return np.arange(n) if groups is None else group_codes(read_groups(groups, n))


def _splits_of(folds: DealtFolds | Periods) -> list[Split]:
    """Return which documents are learnt from and tested in each fold."""
    return [
        (np.flatnonzero(folds.trained_on(i)), np.flatnonzero(folds.numbers == i))
        for i in folds.tested
    ]


def _checked_splits(splits: Iterable[tuple[Array, Array]], n: int) -> list[Split]:
    """Return the splits as indices; raise if a document is tested twice."""
    checked, n_tests = [], np.zeros(n, np.int64)
    for split in splits:
        learnt, tested = map(_indices, split)
        n_tests[tested] += 1
        checked.append((learnt, tested))
    if n_tests.max(initial=0) > 1:
        raise ValueError(
            "cv tests some documents more than once; give a splitter that holds each out at most "
            "once, such as StratifiedKFold"
        )
    return checked


def _indices(part: Array) -> NDArray[np.int64]:
    part = np.asarray(part)
    return np.flatnonzero(part) if part.dtype == bool else part.astype(np.int64)
