"""What any classifier with thresholds can do: at, plot, audit, its page.

`RareTextClassifier` and `ThresholdClassifier` differ in where scores come from. What follows from
held-out scores is the same for both, so it is here once.
"""

import copy
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from imbtext._typing import Label, MetricLike, RandomState
from imbtext.pages._page import Page
from imbtext.thresholds._expectation import AlarmRate, Expectation
from imbtext.thresholds._operating_point import MovedPoint, ThresholdState
from imbtext.thresholds._plot import threshold_chart
from imbtext.thresholds._prevalence import Prevalence

if TYPE_CHECKING:
    from altair import LayerChart

    from imbtext.quality._model_audit import Audit


class ThresholdMixin:
    """The methods of a classifier with held-out scores; put it before scikit-learn's classes.

    A classifier returns its thresholds (`_threshold_state`), takes others (`_move`), and writes its
    own card.
    """

    def _threshold_state(self) -> ThresholdState:
        raise NotImplementedError

    def _move(self, moved: MovedPoint) -> None:
        raise NotImplementedError

    def card(self) -> Page:
        """Return the card as a page."""
        raise NotImplementedError

    @property
    def expectation_(self) -> list[Expectation]:
        """What to expect of new documents, one entry per class, by cross-validation."""
        return [*self._threshold_state().point.expectation]

    @property
    def alarm_rates_(self) -> list[AlarmRate]:
        """How many held-out documents are put into each class."""
        return [*self._threshold_state().point.alarm_rates]

    def at(
        self,
        metric: MetricLike | Mapping[Any, MetricLike] | None = None,
        *,
        cost: MetricLike | None = None,
        alarms: int | None = None,
        of: Any = None,
        label: Label = None,
    ) -> Self:
        """Return the same classifier at another operating point; nothing is trained again.

        Scores and probabilities stay as they are. The threshold moves, and `expectation_` says what
        to expect there. Give one of `metric`, `cost` and `alarms`.

        Parameters
        ----------
        metric : str, pair of numbers or dict, default=None
            What the decision should be good at, as for the class.
        cost : pair of numbers or str, default=None
            What a missed document and a false alarm cost, such as ``(10, 1)`` or ``"10:1"``;
            another way to write the metric ``cost(10, 1)``.
        alarms : int, default=None
            How many documents somebody can read. The class gets at most this many of the documents
            in `of`.
        of : int, documents or iterator, default=None
            The documents that `alarms` counts among: all at once, batch by batch, or how many there
            will be.
        label : label, default=None
            The class whose threshold moves, if there are several; the others stay where they are.
            None moves all of them, each to its own threshold. Alarms need a label if classes are
            exclusive, because every document is put into one of them.

        Examples
        --------
        >>> from imbtext import RareTextClassifier
        >>> texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier("f1", random_state=0).fit(texts, [1] * 6 + [0] * 27)
        >>> model.at("recall_at_precision(0.9)").metric
        'recall_at_precision(0.9)'
        >>> new = ["oil and rain", "crude oil", "sun", "oil price up"]
        >>> model.at(alarms=2, of=new).predict(new).tolist()
        [0, 1, 0, 1]
        """
        now = self._threshold_state()
        other = copy.copy(self)
        other._move(now.moved(metric, cost=cost, alarms=alarms, of=of, label=label))
        return other

    def plot(self, label: Label = None) -> "LayerChart":
        """Return a chart of precision and recall at every threshold, the operating point marked.

        Parameters
        ----------
        label : label, default=None
            The class; None if the model finds only one.

        Returns
        -------
        chart : altair.LayerChart
            Notebooks show it, and its `save` writes it as HTML, SVG or PNG. Without a network,
            notebooks show it after ``altair.renderers.enable("svg")``.

        Examples
        --------
        >>> from imbtext import RareTextClassifier
        >>> texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier(random_state=0).fit(texts, [1] * 6 + [0] * 27)
        >>> type(model.plot()).__name__
        'LayerChart'
        """
        now = self._threshold_state()
        c = now.class_index(label)
        return threshold_chart(now.held_out.of_class(c), float(now.point.thresholds[c]))

    def prevalence(self, X: Any, label: Label = None) -> Prevalence:
        """Estimate how many of some documents are of the class, without labels.

        The class may be more or less frequent than in training, which probabilities do not know. It
        is taken for granted that its documents still look as they did.

        Parameters
        ----------
        X : documents
            New documents, as for `predict`.
        label : label, default=None
            The class; None if the model finds only one.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.linear_model import LogisticRegression
        >>> from imbtext import ThresholdClassifier
        >>> X, y = make_classification(9000, weights=[0.9], class_sep=2.0, random_state=0)
        >>> model = ThresholdClassifier(LogisticRegression(), random_state=0)
        >>> model = model.fit(X[:3000], y[:3000])
        >>> new = X[3000:][y[3000:] == 1]  # nothing but the class
        >>> n_class = model.prevalence(new).n_class
        >>> n_class.lower <= len(new) <= n_class.upper
        True
        """
        now = self._threshold_state()
        c = now.class_index(label)
        probabilities = now.calibration.of_class(c).probabilities(now.scores_of(X)[:, c])
        return now.prevalence(probabilities, c)

    def audit(
        self,
        X: Any,
        budget: int = 60,
        *,
        label: Label = None,
        random_state: RandomState = 0,
    ) -> "Audit":
        """Name a few documents to read, to learn how much the model finds among all of them.

        Drift changes what a model finds, and without labels nobody knows by how much. An audit
        reads a quarter of its budget among the alarms and the rest among the other documents.

        Parameters
        ----------
        X : documents or iterator
            New documents, as for `predict`: all at once, or batch by batch.
        budget : int, default=60
            How many documents somebody will read. An audit with a larger budget names the same
            documents and more.
        label : label, default=None
            The class; None if the model finds only one.
        random_state : int, RandomState or None, default=0
            What decides which documents are read.

        Returns
        -------
        audit : Audit
            Its `rows` are the documents to read. Its `result`, with whether each of them is of the
            class, has recall and precision with two kinds of limits.

        Examples
        --------
        >>> from imbtext import RareTextClassifier
        >>> texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier(random_state=0).fit(texts, [1] * 6 + [0] * 27)
        >>> new = ["crude oil up", "rain and sun", "sun"] * 20
        >>> audit = model.audit(new, budget=24)
        >>> found = audit.result(["oil" in new[row] for row in audit.rows])
        >>> print(found.sentences()[0])
        24 of 60 documents were read: 6 of 6 alarms and 0 of 18 others are 1.
        """
        from imbtext.quality._model_audit import Audit

        now = self._threshold_state()
        c = now.class_index(label)
        curve = now.calibration.of_class(c)
        probabilities, is_alarm = [np.empty(0)], [np.empty(0, bool)]
        for batch in X if isinstance(X, Iterator) else iter([X]):
            scores = now.scores_of(batch)
            put = now.held_out.decide(now.held_out.margins_of(scores, now.point.thresholds))
            probabilities.append(curve.probabilities(scores[:, c]))
            is_alarm.append(put[:, c])
        shown = np.concatenate(probabilities)
        expected = now.prevalence(shown, c)
        return Audit(shown, np.concatenate(is_alarm), budget, now.labels[c], random_state, expected)

    def _repr_html_inner(self) -> str:
        # What a notebook shows: the card, and scikit-learn's diagram until there is one.
        if self.__sklearn_is_fitted__():  # type: ignore[attr-defined]
            return self.card().notebook_html()
        return str(super()._repr_html_inner())  # type: ignore[misc]

    def _repr_mimebundle_(self, **options: object) -> dict[str, str]:
        shown: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        return shown | {"text/html": self._repr_html_inner()} if "text/html" in shown else shown
