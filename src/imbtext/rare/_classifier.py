"""RareTextClassifier: the estimator. It validates, delegates and keeps what was fitted."""

import copy
import os
from dataclasses import astuple, dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import check_is_fitted

from imbtext._estimator import TextEstimatorMixin
from imbtext.documents import Documents, Labels, deal_folds, group_codes, read_groups, read_weights
from imbtext.features import Vectors, get_features
from imbtext.progress import progress_bar
from imbtext.randomness import draw_seed
from imbtext.rare._expectation import expect
from imbtext.rare._explanation import Explanation, shared_out, weightiest
from imbtext.rare._fitting import N_FOLDS, Training, less_rivals
from imbtext.rare._goals import Goal, get_goal
from imbtext.rare._operating_point import Calibration, calibrate, choose_threshold
from imbtext.rare._ranking import BLEND, COST, MOST_CLASSES, Rankings
from imbtext.rare._saved import load_model, save_model


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a model says of documents, one entry each."""

    decisions: NDArray[Any]
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]


class RareTextClassifier(TextEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Find the documents of a rare class.

    A linear classifier on words, pairs of words and parts of words, its terms stretched by how much
    they tell the class, with the threshold that serves `metric` best on documents held out by
    cross-validation. Nothing has to be chosen. Synthetic documents are not used: on the paper's
    data they move the threshold, which is chosen anyway, and seldom improve the ranking.

    Parameters
    ----------
    metric : str or pair of numbers, default="f2"
        What the decision is to be good at: ``"balanced_accuracy"``, ``"f1"``, ``"f2"`` or an F of
        any beta, a cost pair such as ``(10, 1)`` or ``"cost(10, 1)"`` (a missed document against a
        false alarm), ``"recall_at_precision(0.9)"``, ``"precision_at_recall(0.9)"``, or
        ``"alarms(5)"``, at most five documents per thousand put into the class.
    features : str, vectorizer or callable, default="auto"
        ``"auto"`` (words, pairs and character grams), ``"words"``, ``"words+pairs"`` or
        ``"characters"``; or a scikit-learn vectorizer, fitted anew in each fold; or a callable from
        a list of documents to vectors, such as embeddings.
    language : str or None, default="english"
        Whose stems are used, any that PyStemmer knows; None takes words as they are.
    pos_label : label, default=None
        Of two classes, the one to find; None is the rarer.
    random_state : int, RandomState instance or None, default=None
        Owns how documents are dealt to folds.
    n_jobs : int, pool or None, default=None
        Threads over classes and folds; -1 takes one per core. Or a pool that runs them elsewhere,
        such as `imbtext.distributed.DaskPool`. The result does not depend on it.
    verbose : bool, default=False
        Show progress on a terminal.

    Attributes
    ----------
    classes_ : ndarray
        The labels; columns of an indicator matrix are numbered.
    thresholds_ : ndarray of float64
        The score above which a document is put into the class, one per class (the class that is
        found, of two).
    expectation_ : list of Expectation
        What to expect of new documents, per class, by cross-validation.
    report_ : dict
        The ingredients that were chosen, and why.

    Notes
    -----
    `decision_function` is a score less the threshold of its class. Of more than two classes, a
    document gets the one whose threshold its score exceeds most (or misses least); with several
    labels per document, all whose threshold it exceeds. Probabilities of more than two exclusive
    classes are those of each class against the rest, made to sum to one.

    Examples
    --------
    >>> texts = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain", "sun"] * 9
    >>> y = ["oil"] * 6 + ["weather"] * 27
    >>> model = RareTextClassifier(random_state=0).fit(texts, y)
    >>> model.predict(["price of oil", "more rain"]).tolist()
    ['oil', 'weather']
    """

    _parameter_constraints: dict[str, Any] = {
        # Their own readers list the choices, and see more than a type.
        "metric": "no_validation",
        "features": "no_validation",
        "language": [str, None],
        "pos_label": "no_validation",
        "random_state": ["random_state"],
        "n_jobs": [Integral, HasMethods(["completed"]), None],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        metric: Any = "f2",
        *,
        features: Any = "auto",
        language: str | None = "english",
        pos_label: Any = None,
        random_state: Any = None,
        n_jobs: Any = None,
        verbose: bool = False,
    ) -> None:
        self.metric = metric
        self.features = features
        self.language = language
        self.pos_label = pos_label
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn from documents and labels.

        Parameters
        ----------
        X : list of str, list of token lists, or a NumPy, pandas, Polars or Arrow column
            The documents.
        y : labels
            One label per document, one set of labels per document, or a column of 0 and 1 per
            class.
        sample_weight : array-like, default=None
            How much each document counts, in training and in the choice of the threshold.
        groups : array-like, default=None
            One value per document; those of a group are held out together, as near-duplicates
            always are.
        """
        goal = get_goal(self.metric)
        features = get_features(self.features, self.language)
        documents = Documents.of(X)
        labels = Labels.of(y, len(documents), several=True)
        self._labels, members = labels.one_vs_rest(self.pos_label)
        weights = read_weights(sample_weight, len(documents))
        seed = draw_seed(self.random_state)
        together = documents.near_duplicates
        n_repeated = len(documents) - int(together.max()) - 1
        if groups is not None:
            together = group_codes(together, read_groups(groups, len(documents)))
        folds = deal_folds(members, len(documents), together, N_FOLDS, seed)
        with progress_bar(quiet=not self.verbose) as bar:
            work = bar.add_task("Training", total=(N_FOLDS + 1) * len(members))
            # Models of several classes on the same documents share their features.
            self._features, vectors = documents.derived(
                "features",
                (self.features, self.language),
                lambda: (features, features.learn(documents)),
            )
            training = Training(vectors, members, folds, weights)
            workers = self.n_jobs
            if workers is None or isinstance(workers, int):
                workers = effective_n_jobs(workers)
            held_out, self._rankings = training.run(workers, lambda n: bar.advance(work, n))
        # Where documents have one class each, being like another class is evidence against this.
        exclusive = self._labels.form == "multiclass"
        self._rivalry = held_out.rivalry(members) if exclusive else 0.0
        held_out = held_out.less_rivals(self._rivalry)
        self.classes_ = self._labels.classes
        self._evidence = [held_out.evidence(c, rows, weights) for c, rows in enumerate(members)]
        curves = [calibrate(*evidence[:3]) for evidence in self._evidence]
        self._calibration = Calibration(*np.transpose([astuple(curve) for curve in curves]))
        self.report_ = {
            "features": self._features.about,
            "ranking": (
                f"squared hinge loss, C {COST:g}, no class weights; "
                + (
                    f"terms keep {BLEND:.0%} and share the rest by how much they tell the class"
                    if self._rankings[0].inside is not None
                    else "columns as they are, since they need not be terms"
                )
            ),
            "folds": (
                f"{N_FOLDS}, shared by all classes; {n_repeated:,} near-duplicates kept together"
            ),
            "other classes": f"{self._rivalry:.0%} of the best other class's score is taken away",
            "synthetic documents": (
                "none: they move the threshold, which is chosen anyway, and seldom rank better"
            ),
        }
        return self._decide_by(goal, seed)

    def at(self, metric: Any) -> Self:
        """Return the same ranking with the operating point of another metric; nothing is refitted.

        Examples
        --------
        >>> texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier("f1", random_state=0).fit(texts, [1] * 6 + [0] * 27)
        >>> model.at("recall_at_precision(0.9)").metric
        'recall_at_precision(0.9)'
        """
        check_is_fitted(self)
        if not self._evidence:
            raise ValueError("a loaded model has no held-out scores; fit again with the metric")
        other = copy.copy(self)
        other.metric = metric
        return other._decide_by(get_goal(metric), self._seed)

    def _decide_by(self, goal: Goal, seed: int) -> Self:
        self._seed = seed
        self.report_ = self.report_ | {
            "operating point": f"best {goal.title} on held-out documents of all folds together"
        }
        self.thresholds_ = np.array([choose_threshold(goal, *e[:3]) for e in self._evidence])
        self.expectation_ = [
            expect(self.classes_[place], goal, *evidence, seed)
            for place, evidence in zip(self._labels.modelled, self._evidence, strict=True)
        ]
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return scores less thresholds.

        Of two classes, one number per document, above 0 where it is put into ``classes_[1]``; else
        one column per class.
        """
        scores = self._read(X)[2]
        return self._labels.decision(scores - self.thresholds_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return labels in the form of `y`."""
        scores = self._read(X)[2]
        return self._labels.decide(scores - self.thresholds_)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, one column per class."""
        scores = self._read(X)[2]
        return self._labels.probabilities(self._calibration.probabilities(scores))

    def predictions(self, X: Any) -> Predictions:
        """Return decision, score less threshold and probability of each document, read once.

        Score and probability are those of the class that is found (of two), of the one that is
        predicted, or of the likeliest (of several labels per document).
        """
        scores = self._read(X)[2]
        margins = scores - self.thresholds_
        best = np.argmax(margins, axis=1)
        rows = np.arange(len(scores))
        probabilities = self._labels.probabilities(self._calibration.probabilities(scores))
        return Predictions(
            self._labels.decide(margins),
            margins[rows, best],
            probabilities[rows, self._labels.modelled[best]],
        )

    def explain(self, document: Any, label: Any = None) -> Explanation:
        """Say which words of a document spoke for a class and which against it.

        Parameters
        ----------
        document : str or list of str
            One document.
        label : label, default=None
            The class; None is the one that is found of two, else the one that is predicted.

        Examples
        --------
        >>> texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier(random_state=0).fit(texts, [1] * 6 + [0] * 27)
        >>> model.explain("The OIL prices, and rain").words_for[0]
        'OIL'
        """
        return self.explanations([document], label)[0]

    def explanations(self, X: Any, label: Any = None) -> list[Explanation]:
        """Explain several documents, which is faster than one after the other."""
        documents, vectors, scores = self._read(X)
        best = np.argmax(scores - self.thresholds_, axis=1)
        places = best if label is None else np.full(len(scores), self._place(label))
        added: list[Any] = [None] * len(scores)
        for c in np.unique(places).tolist():
            rows = np.flatnonzero(places == c)
            rankings, lane = self._ranking(c)
            for row, found in zip(rows, rankings.contributions(vectors, rows, lane), strict=True):
                added[row] = found
        probabilities = self._calibration.probabilities(scores)
        occurrences = self._features.find(documents.rows)
        if occurrences is None:
            names = self._features.names().tolist()
            behind = [weightiest((names[j], add) for j, add in each.items()) for each in added]
        else:
            behind = list(map(shared_out, added, occurrences))
        return [
            Explanation(
                label=self.classes_[self._labels.modelled[c]],
                score=float(scores[row, c]),
                threshold=float(self.thresholds_[c]),
                probability=float(probabilities[row, c]),
                constant=float(scores[row, c]) - sum(added[row].values()),
                parts=parts,
            )
            for row, (c, parts) in enumerate(zip(places.tolist(), behind, strict=True))
        ]

    def top_features(self, label: Any = None, n: int = 20) -> list[tuple[str, float]]:
        """Return the `n` terms that weigh most for a class, as training documents spell them.

        Examples
        --------
        >>> texts = ["oil prices", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier(features="words", random_state=0)
        >>> [word for word, _ in model.fit(texts, [1] * 6 + [0] * 27).top_features(n=3)]
        ['oil', 'prices', 'crude']
        """
        check_is_fitted(self)
        rankings, lane = self._ranking(self._place(label))
        weights = rankings.weights[:, lane]
        names = self._features.names(spelt=True)
        best = np.argsort(-weights, kind="stable")[:n]
        return [(str(names[j]), float(weights[j])) for j in best.tolist() if weights[j] > 0]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model without the documents it was trained on, as plain arrays and no code."""
        check_is_fitted(self)
        save_model(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load a saved model; a damaged or foreign file is a ValueError."""
        return load_model(path, cls)

    def _place(self, label: Any) -> int:
        """Return which of the modelled classes a label names; None the only one."""
        if label is None and len(self._labels.modelled) == 1:
            return 0
        found = np.flatnonzero(self.classes_[self._labels.modelled] == label)
        if not len(found):
            named = self.classes_[self._labels.modelled].tolist()
            raise ValueError(f"label is {label!r}; choose one of {', '.join(map(repr, named))}")
        return int(found[0])

    def _ranking(self, c: int) -> tuple[Rankings, int]:
        """Return the rankings that a class is among, and its place there."""
        return self._rankings[c // MOST_CLASSES], c % MOST_CLASSES

    def get_feature_names_out(self) -> NDArray[np.object_]:
        """Return the name of each column of the vectors."""
        check_is_fitted(self)
        return self._features.names()

    def _read(self, X: Any) -> tuple[Documents, Vectors, NDArray[np.float64]]:
        check_is_fitted(self)
        documents = Documents.of(X)
        vectors = documents.derived(
            "vectors", self._features, lambda: self._features.read(documents)
        )
        scores = np.hstack([r.scores(vectors) for r in self._rankings])
        return documents, vectors, less_rivals(scores, self._rivalry)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_rankings")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
