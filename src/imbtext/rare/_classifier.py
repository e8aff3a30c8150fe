"""RareTextClassifier: the estimator. It reads, delegates and keeps what was fitted.

`fit` reads documents and labels and makes vectors of them (``_training_documents.py``). It trains a
ranking on all documents and without each fold (``_ranking.py``). On the held-out scores
(:mod:`imbtext.thresholds`) it chooses threshold and probabilities, and says what to expect. All of
it is one record, the :class:`FittedModel` (``_fitted.py``), and every other verb reads that.
"""

import copy
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted

from imbtext._estimator import TextEstimatorMixin, fit_context
from imbtext._messages import listed
from imbtext._typing import (
    Array,
    Column,
    ColumnName,
    ColumnNames,
    DocumentsLike,
    FeaturesLike,
    Label,
    LabelsLike,
    Matrix,
    MetricLike,
    RandomState,
)
from imbtext.documents._containers import check_names
from imbtext.documents._documents import Documents
from imbtext.documents._labels import Labels, Unlabelled, read_weights
from imbtext.documents._roles import Roles
from imbtext.documents._table_rows import TableDocument, is_table_row
from imbtext.documents._tokenization import is_missing
from imbtext.features.encoders import EncoderLike, get_encoders
from imbtext.metrics import get_goal
from imbtext.pages._page import Page
from imbtext.progress import progress_bar
from imbtext.rare._card import model_card
from imbtext.rare._columns import Chosen, choose_columns, unread_cells
from imbtext.rare._explanation import Explanation, words_behind, words_of_class
from imbtext.rare._fitted import FittedModel
from imbtext.rare._hub import file_from_hub, push_model
from imbtext.rare._mixture import MeaningPart
from imbtext.rare._nothing_known import held_out_lowered
from imbtext.rare._predictions import Predictions
from imbtext.rare._ranking import BLEND, N_FOLDS, SVM_C, LinearRanking, Trained, Training
from imbtext.rare._saved import load_model, restore_callables, save_model
from imbtext.rare._scoring_page import scoring_page
from imbtext.rare._skipping import Skipping
from imbtext.rare._training_documents import TrainingDocuments, kept_together
from imbtext.rare._training_record import TrainingRecord
from imbtext.thresholds._exclusive import ExclusiveRule
from imbtext.thresholds._expectation import KnownWords, expect_at
from imbtext.thresholds._held_out import HeldOut
from imbtext.thresholds._operating_point import MovedPoint, OperatingPoint, ThresholdState
from imbtext.thresholds._threshold_mixin import ThresholdMixin

if TYPE_CHECKING:
    from imbtext.parallel import Pool
    from imbtext.quality._model_check import ModelCheck


class RareTextClassifier(ThresholdMixin, TextEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Find the documents of a rare class.

    Use it when a class makes up a few per cent of your documents or less, and you want decisions,
    probabilities and an honest estimate of how good they are. Nothing has to be tuned.

    It is a linear classifier on words, pairs of words and parts of words. Numbers with equally many
    digits count as the same word. Each term is scaled by how strongly it indicates the class. The
    threshold is the one that serves `metric` best on documents held out by cross-validation.
    Synthetic documents are not used: on the paper's data they move the threshold, which is chosen
    anyway, and seldom improve the ranking. Put no sampler in front of it: the class would no longer
    be rare, and `expectation_` would be measured on synthetic documents.

    Parameters
    ----------
    metric : str or pair of numbers, default="f2"
        What the decision should be good at. It sets the threshold and leaves the ranking alone.
        Choose ``"balanced_accuracy"``, ``"f1"``, ``"f2"`` or an F of any beta. ``(10, 1)`` or
        ``"cost(10, 1)"`` is the cost of a missed document and of a false alarm. Limits are
        ``"recall_at_precision(0.9)"``, ``"precision_at_recall(0.9)"`` and
        ``"alarms_per_thousand(5)"``, which flags at most five documents per thousand.
    text : str, list of str or None, default=None
        The column of the documents, if `X` is a table, or several such as ``["subject", "body"]``.
        Columns of an array are named by their numbers. A missing cell is an empty text. Other
        columns of the table are ignored. With None, `X` itself holds the documents.
    columns : list of str, "all" or None, default=None
        Columns of the table beside the text: numbers, categories, dates, short strings. Cells may
        be missing. ``"all"`` takes every column but the text. They are used if they rank held-out
        documents better than the text alone; `report_` says so. Needs skrub.
    features : str, vectorizer, callable or list of these, default="auto"
        ``"auto"`` (words, pairs and character grams), ``"words"``, ``"words+pairs"`` or
        ``"characters"``; or a scikit-learn vectorizer, fitted anew in each fold; or a callable from
        a list of documents to vectors, such as a sentence encoder. A list puts several side by
        side: ``["auto", encode]``. ``["auto", "meaning"]`` adds vectors of the words' meanings, of
        the package wordllama; it helps with short texts and fewer than a hundred documents of the
        class.
    encoder : str, path, object, callable or list of these, default=None
        A sentence encoder, which says what a text means beside its words: ``"minilm"`` (English)
        or ``"use"`` (16 languages), from the extra ``encoder``; a folder, a name on the Hugging
        Face hub, an object with ``encode`` or a callable, see
        :func:`imbtext.features.get_encoder`. ``"minilm+use"``, or a list, uses several: the mean
        of their scores counts, at the cost of each. Worth it with fewer than a few hundred
        documents of the class; every text costs milliseconds.
    language : str or None, default="english"
        The language of the documents, which decides how words are stemmed: any that PyStemmer
        knows, or None to keep words as they are. ``"english+german"`` is for documents in either;
        ``"auto"`` detects the languages. Both need py3langid, and stem each document in its own.
    pos_label : label, default=None
        The class to find if there are two; None is the rarer one.
    ignore_labels : label or list of labels, default=None
        Labels whose documents are skipped, such as ``"unknown"``.
    unlabelled : {"skip", "refuse", "no"} or None, default=None
        What to do with documents without a label: skip them, raise an error, or count them as
        documents outside the class, which `pos_label` must name. None skips them. A label is
        missing if it is None, NaN, NA or nothing but white space; an empty set is an answer.
    random_state : int, RandomState instance or None, default=None
        Decides how documents are dealt to folds. An integer makes results repeatable.
    n_jobs : int, pool or None, default=None
        Number of threads, which share out classes and folds; -1 takes one per core. Or a pool that
        runs them elsewhere, such as `imbtext.distributed.DaskPool`. The result does not depend on
        it.
    verbose : bool, default=False
        Show progress on a terminal.

    Attributes
    ----------
    fitted_ : FittedModel
        Everything that `fit` learnt, as one frozen record. The attributes below read it.
    classes_ : ndarray
        The labels; columns of an indicator matrix are numbered.
    thresholds_ : ndarray of float64
        The score above which a document is put into a class, one per class. A model of two classes
        has one threshold, that of the class to find.
    expectation_ : list of Expectation
        What to expect of new documents, one entry per class, by cross-validation.
    alarm_rates_ : list of AlarmRate
        How many held-out documents are put into each class.
    known_words_ : KnownWords
        Which share of a held-out document's words the other documents have.
    text_columns_ : tuple
        The names of the columns that the documents came in; empty if they had none.
    training_record_ : TrainingRecord
        What it was trained on, in numbers.
    columns_ : tuple
        The columns beside the text that the model reads; empty if the text alone was as good.
    report_ : dict
        The ingredients that were chosen, and why.

    See Also
    --------
    ResampledClassifier : Oversample by a method of your choice, then fit a classifier.
    compare : Find out which method serves your documents best.

    Notes
    -----
    `decision_function` returns scores less thresholds. With more than two classes, a document gets
    one of those whose threshold its score exceeds: the one with the largest (p - q) / (1 - q), for
    its probability p and that of the threshold q, divided by the root of the number of training
    documents of the class. If it exceeds none, it gets the one that it misses least, in log odds.
    `decision_function` then returns these margins, and its largest entry is the class. Where
    documents have several labels, it gets every class whose threshold it exceeds. Probabilities of
    more than two exclusive classes are those of each class against the rest, made to sum to one.

    Examples
    --------
    >>> texts = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain", "sun"] * 9
    >>> y = ["oil"] * 6 + ["weather"] * 27
    >>> model = RareTextClassifier(random_state=0).fit(texts, y)
    >>> model.predict(["price of oil", "more rain"]).tolist()
    ['oil', 'weather']
    """

    _parameter_constraints: dict[str, str | list[object]] = {
        # Their own readers list the choices, and see more than a type.
        "metric": "no_validation",
        "text": [str, Integral, list, tuple, None],
        "columns": [str, Integral, list, tuple, None],
        "features": "no_validation",
        "encoder": "no_validation",
        "language": [str, None],
        "pos_label": "no_validation",
        "ignore_labels": "no_validation",
        "unlabelled": [StrOptions({"skip", "refuse", "no"}), None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, HasMethods(["completed"]), None],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        metric: MetricLike = "f2",
        *,
        text: ColumnNames = None,
        columns: ColumnNames = None,
        features: FeaturesLike = "auto",
        encoder: "EncoderLike | None" = None,
        language: str | None = "english",
        pos_label: Label = None,
        ignore_labels: Label | Collection[Label] = None,
        unlabelled: Unlabelled | None = None,
        random_state: RandomState = None,
        n_jobs: "int | Pool | None" = None,
        verbose: bool = False,
    ) -> None:
        self.metric = metric
        self.text = text
        self.columns = columns
        self.features = features
        self.encoder = encoder
        self.language = language
        self.pos_label = pos_label
        self.ignore_labels = ignore_labels
        self.unlabelled = unlabelled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: DocumentsLike,
        y: LabelsLike,
        sample_weight: Column | None = None,
        groups: Column | None = None,
        time: Column | None = None,
    ) -> Self:
        """Learn from documents and labels.

        Parameters
        ----------
        X : list of str, list of token lists, a NumPy, pandas, Polars or Arrow column, or a table
            The documents. If `X` is a table, `text` names the columns to read.
        y : labels
            One label per document, one set of labels per document, or a column of 0 and 1 per
            class. Documents whose label is None, NaN or NA are skipped.
        sample_weight : array-like, default=None
            How much each document counts: in training, in the choice of the threshold, in
            probabilities and in `expectation_`. If you kept one in ten of the documents outside the
            class, give those a weight of 10, and the expectation is for all documents.
        groups : array-like, default=None
            One value per document; those of a group are held out together. The intervals of
            `expectation_` then hold for documents of new groups. By default near-duplicates are
            held out together.
        time : array-like, default=None
            One date, time or number per document. The model is then tested on periods that follow
            one another, each by a model of what came before it, and `expectation_` says what the
            next such period will bring. Near-duplicates of earlier documents are left where they
            are, as the future will have them too.
        """
        documents = Documents.of(X, roles=Roles.of(self.text, self.columns))
        self.fitted_, _ = self._learn(
            Documents.of(documents, y, groups=groups, time=time, sample_weight=sample_weight)
        )
        return self

    def _learn(self, documents: Documents) -> tuple[FittedModel, HeldOut]:
        """Return the model, and the held-out scores of all that have a label, in their order."""
        goal = get_goal(self.metric)
        data = TrainingDocuments.of(
            documents,
            features=self.features,
            language=self.language,
            ignore_labels=self.ignore_labels,
            unlabelled=self.unlabelled,
            random_state=self.random_state,
            pos_label=self.pos_label,
        )
        data.refuse_without_words()
        data.warn_of_few()
        encoders = () if self.encoder is None else get_encoders(self.encoder)
        # Interrupted until here, a model that was fitted before stays as it was.
        training = data.training
        if data.has_columns:
            chosen = choose_columns(
                data, lambda vectors: self._train(replace(training, vectors=vectors))
            )
        else:
            chosen = Chosen(data.features, self._train(training))
        meaning, scores = None, chosen.trained.scores
        if encoders:
            meaning, scores = MeaningPart.fit(
                encoders,
                data.documents,
                training,
                chosen.trained,
                self._n_threads(),
                verbose=bool(self.verbose),
            )
        held_out = data.held_out(scores)
        share = held_out.best_share() if held_out.exclusive else 0.0
        held_out = held_out.less_best_other(share)
        known_shares = training.vectors.known_shares(
            training.folds.numbers, in_time=training.folds.in_time
        )
        held_out = held_out_lowered(
            held_out,
            chosen.features,
            data.documents,
            known_shares,
            () if meaning is None else meaning.encoders,
        )
        calibration = held_out.calibration()
        classes = data.one_vs_rest
        if held_out.exclusive:
            held_out = replace(held_out, rule=ExclusiveRule(calibration, held_out.class_sizes))
        kept = held_out.kept()
        point = OperatingPoint.best(goal, kept, classes.labels)
        skipping = None
        if meaning is not None and data.documents.weights is None:
            words = chosen.trained.scores
            skipping = Skipping.of_held_out(words, scores, training.members, point.thresholds[0])
        ranking = LinearRanking(chosen.features, chosen.trained.batches)
        terms = getattr(training.vectors, "terms", None)
        text = chosen.features.text_terms
        fitted = FittedModel(
            metric=_plain_metric(self.metric),
            language=self.language if text is None else text.language,
            text_columns=documents.text_columns,
            columns=chosen.columns,
            classes=classes,
            ranking=ranking,
            meaning=meaning,
            skipping=skipping,
            share_of_best_other=share,
            calibration=calibration,
            point=point,
            known_words=KnownWords.of(known_shares),
            training_record=TrainingRecord.of(
                len(data.documents), training.members, chosen.features, terms
            ),
            report=_ingredients(ranking, meaning, share, data.folds_in_words(), chosen.report)
            | {"operating point": goal.chosen_on_held_out},
            held_out=kept,
        )
        return fitted, held_out

    @property
    def classes_(self) -> Array:
        """The labels; columns of an indicator matrix are numbered."""
        return self.fitted_.classes.classes

    @property
    def thresholds_(self) -> NDArray[np.float64]:
        """The score above which a document is put into a class, one per class."""
        return self.fitted_.thresholds

    @property
    def known_words_(self) -> KnownWords:
        """Which share of a held-out document's words the other documents have."""
        return self.fitted_.known_words

    @property
    def text_columns_(self) -> tuple[ColumnName, ...]:
        """The names of the columns that the documents came in; empty if they had none."""
        return self.fitted_.text_columns

    @property
    def columns_(self) -> tuple[str, ...]:
        """The columns beside the text that the model reads."""
        return self.fitted_.columns

    @property
    def training_record_(self) -> TrainingRecord:
        """What it was trained on, in numbers."""
        return self.fitted_.training_record

    @property
    def report_(self) -> dict[str, str]:
        """The ingredients that were chosen, and why."""
        return self.fitted_.report

    def decision_function(self, X: DocumentsLike) -> NDArray[np.float64]:
        """Return scores less thresholds.

        Two classes have one number per document; above 0 means ``classes_[1]``, as everywhere in
        scikit-learn. If that is not the class to find, rank by `predictions`, which scores the
        class to find. More classes have a column each.
        """
        model = self._model()
        return model.classes.decision(model.margins(model.scored(X).scores))

    def predict(self, X: DocumentsLike) -> Array:
        """Return labels in the form of `y`."""
        model = self._model()
        return model.classes.decide(model.margins(model.scored(X).scores))

    def predict_proba(self, X: DocumentsLike) -> NDArray[np.float64]:
        """Return the probability of each class, one column per class."""
        model = self._model()
        return model.classes.probabilities(model.calibration.probabilities(model.scored(X).scores))

    def predictions(self, X: DocumentsLike) -> Predictions:
        """Return decision, score, threshold and probability of each document, read once.

        With two classes, they are those of the class to find, so that ranking by `score` does not
        depend on which label sorts first. With more, they are those of the predicted class, and
        where documents have several labels, those of the class whose threshold it exceeds most.
        """
        model = self._model()
        documents, vectors, scores, nothing_known = model.scored(X)
        margins = model.margins(scores)
        best = np.argmax(margins, axis=1)
        rows = np.arange(len(scores))
        probabilities = model.probabilities(scores)
        return Predictions(
            model.classes.decide(margins),
            scores[rows, best],
            model.thresholds[best],
            probabilities[rows, best],
            scores,
            model.thresholds,
            model.exclusive,
            vectors.known_shares,
            nothing_known,
            X,
            partial(unread_cells, model.features, documents),
            model.held_out.rule,
        )

    def score(self, X: DocumentsLike, y: LabelsLike, sample_weight: Column | None = None) -> float:
        """Return the accuracy: the share of documents whose labels are predicted exactly.

        Where documents have several labels, one label too many or too few makes a document wrong.
        A rare class hardly moves this number; `expectation_` and `tested_on` say more.

        Parameters
        ----------
        X, y : documents and labels
            Documents and their labels, in the form of those in `fit`.
        sample_weight : array-like, default=None
            How much each document counts.
        """
        if self._model().classes.form != "sets":
            return float(super().score(X, y, sample_weight))
        predicted = self.predict(X)
        n = len(predicted)
        labels = Labels.of(y, n, several=True)
        if labels.form == "indicator":
            raise ValueError(
                "y is a matrix of 0 and 1, but the model was fitted on sets of labels; give each "
                "document a set of its labels"
            )
        is_right = [a == b for a, b in zip(predicted, labels.sets, strict=True)]
        return float(np.average(is_right, weights=read_weights(sample_weight, n)))

    def explain(self, document: Any, label: Label = None) -> Explanation:
        """Return which words of a document spoke for a class and which against it.

        Parameters
        ----------
        document : str, list of str, dict or pandas Series
            One document. If the model reads columns of a table, a row: a dict of the cells by
            column, or a row of a pandas table such as ``table.iloc[0]``.
        label : label, default=None
            The class. None means the class to find if there are two, else the predicted one.

        Examples
        --------
        >>> texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier(random_state=0).fit(texts, [1] * 6 + [0] * 27)
        >>> model.explain("The OIL prices, and rain").words_for[0]
        'OIL'
        """
        check_is_fitted(self)
        if is_table_row(document, self.text_columns_):
            document = self.document_of(document)
        terms = self.fitted_.features.text_terms
        of_text = terms is not None and not terms.reads_tokens
        if not isinstance(document, str if of_text else str | list | tuple | np.ndarray):
            kind = "a string" if of_text else "a string or a list of words"
            if len(self.text_columns_) > 1 or self.columns_:
                kind = "a dict of cells by column"
            raise TypeError(
                f"explain takes one document, {kind}, but got a {type(document).__name__}; pass "
                "one of its documents, or all to explanations()"
            )
        return self.explanations([document], label)[0]

    def explanations(self, X: DocumentsLike, label: Label = None) -> list[Explanation]:
        """Explain several documents, which is faster than one after the other."""
        model = self._model()
        documents, vectors, scores, _ = model.scored(X)
        best = np.argmax(model.margins(scores), axis=1)
        explained = best if label is None else np.full(len(scores), model.class_index(label))
        # What each term of a document, and its meaning, add to its score.
        contributions: list[dict[int, float]] = [{}] * len(scores)
        meant = np.zeros(len(scores))
        near: list[tuple[str, ...]] = [()] * len(scores)
        for c in np.unique(explained).tolist():
            indices = np.flatnonzero(explained == c)
            rankings, column = model.ranking.batch_of(c)
            of_terms = rankings.contributions(vectors, indices, column)
            if model.meaning is not None:
                of_terms = model.meaning.shrunk(of_terms, c)
                meant[indices] = model.meaning.contributions(documents, c)[indices]
                nearest = model.meaning.nearest(documents, words_of_class(model.ranking, c))
                for i in indices.tolist():
                    near[i] = nearest[i]
            for i, added in zip(indices.tolist(), of_terms, strict=True):
                contributions[i] = added
        probabilities = model.probabilities(scores)
        words = words_behind(model.features, documents, contributions)
        texts = documents.strings()
        return [
            Explanation(
                label=model.labels[c],
                score=float(scores[row, c]),
                threshold=float(model.thresholds[c]),
                probability=float(probabilities[row, c]),
                constant=float(scores[row, c])
                - sum(contributions[row].values())
                - float(meant[row]),
                parts=parts,
                text=texts[row],
                meaning=float(meant[row]),
                near=near[row],
            )
            for row, (c, parts) in enumerate(zip(explained.tolist(), words, strict=True))
        ]

    def document_of(self, cells: Mapping[Any, Any]) -> TableDocument:
        """Return a row of a table as a document, from its cells by column; others are ignored.

        The cells are a dict, or a row of a pandas table.

        Examples
        --------
        >>> import polars as pl
        >>> table = pl.DataFrame({"subject": ["oil", "rain"] * 9, "body": ["crude", "sun"] * 9})
        >>> model = RareTextClassifier(text=["subject", "body"], random_state=0)
        >>> model = model.fit(table, ["oil", "weather"] * 9)
        >>> model.predict([model.document_of({"subject": "Oil", "body": "", "id": 7})]).tolist()
        ['oil']
        """
        check_is_fitted(self)
        if not self.text_columns_:
            raise ValueError(
                "the model was fitted on texts and knows no columns; pass the text itself"
            )
        names = list(cells.keys())  # a pandas Series iterates over its values
        # A model remembers columns beside the text by their names as strings.
        spelt = {str(name): name for name in names}
        beside_names = [name if name in names else spelt.get(name, name) for name in self.columns_]
        check_names(names, [*self.text_columns_, *beside_names], "the document")
        texts = ["" if is_missing(cells[name]) else cells[name] for name in self.text_columns_]
        for name, text in zip(self.text_columns_, texts, strict=True):
            if not isinstance(text, str):
                raise TypeError(
                    f"the document's {name!r} is {text!r:.40} ({type(text).__name__}); expected a "
                    "string: convert it first, such as with str()"
                )
        beside = [cells[name] for name in beside_names]
        return TableDocument(
            tuple(self.text_columns_), tuple(texts), tuple(self.columns_), tuple(beside)
        )

    def top_features(self, label: Label = None, n: int = 20) -> list[tuple[str, float]]:
        """Return the `n` terms that weigh most for a class, as training documents spell them.

        A source of vectors, such as ``"meaning"``, is one entry. Its weight is the length of the
        weights of its columns: the most it can add to the score of a vector of length 1.

        Examples
        --------
        >>> texts = ["oil prices", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier(features="words", random_state=0)
        >>> [word for word, _ in model.fit(texts, [1] * 6 + [0] * 27).top_features(n=3)]
        ['oil', 'prices', 'crude']
        """
        model = self._model()
        rankings, column = model.ranking.batch_of(model.class_index(label))
        weights, names = rankings.weights[:, column], model.features.names(spelt=True)
        beside = model.features.vectors_beside
        n_terms = len(names) - sum(beside.values())
        ends = np.cumsum([n_terms, *beside.values()])
        lengths = [np.linalg.norm(part) for part in np.split(weights, ends)[1:-1]]
        weights = np.append(weights[:n_terms], lengths)
        names = np.append(names[:n_terms], list(beside))
        best = np.argsort(-weights, kind="stable")[:n]
        return [(str(names[j]), float(weights[j])) for j in best.tolist() if weights[j] > 0]

    def get_feature_names_out(self) -> NDArray[np.object_]:
        """Return the name of each column of the vectors."""
        return self._model().features.names()

    def _threshold_state(self) -> ThresholdState:
        model = self._model()
        return ThresholdState(
            *(model.point, model.held_out, model.labels),
            lambda X: model.scored(X).scores,
            model.calibration,
        )

    def _move(self, moved: MovedPoint) -> None:
        self.fitted_ = self.fitted_.moved(moved)
        self.metric = self.fitted_.metric

    def tested_on(self, X: DocumentsLike, y: LabelsLike, groups: Column | None = None) -> Self:
        """Return the model with what to expect measured on other documents, such as later ones.

        Parameters
        ----------
        X, y : documents and labels
            Documents that were not trained on, and their labels as in `fit`.
        groups : array-like, default=None
            One value per document; those of a group are counted as one. By default
            near-duplicates are.

        Examples
        --------
        >>> texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier(random_state=0).fit(texts, [1] * 6 + [0] * 27)
        >>> model.tested_on(["more oil", "rain", "sunny"], [1, 0, 0]).expectation_[0].n_documents
        3
        """
        model = self._model()
        documents = Documents.of(model.documents(X), y, groups=groups)
        documents = documents.labelled(
            ignored=self.ignore_labels,
            unlabelled=self.unlabelled,
            classes=() if self.pos_label is None else (self.pos_label,),
            purpose="tested on",
        )
        _, vectors, scores, _ = model.scored(documents)
        labels = documents.labels
        known = self.classes_.tolist()
        unknown = [label for label in labels.counts if label not in known]
        if unknown:
            raise ValueError(
                f"the documents to test on have labels that the model does not know: "
                f"{listed(unknown)}; it knows {listed(known)}"
            )
        n = len(scores)
        if not any(label in labels.counts for label in model.labels):
            raise ValueError(
                f"none of the {n:,} documents to test on is of the class {listed(model.labels)}"
            )
        tested = HeldOut.of_scores(
            scores,
            np.stack([labels.mask(label) for label in model.labels], axis=1),
            np.zeros(n),
            kept_together(documents),
            exclusive=model.exclusive,
        )
        tested = replace(tested, rule=model.held_out.rule)
        expected = expect_at(model.labels, tested, model.thresholds)
        other = copy.copy(self)
        other.fitted_ = replace(
            model,
            point=OperatingPoint(model.thresholds, *zip(*expected, strict=True)),
            known_words=KnownWords.of(vectors.known_shares),
            report=model.report
            | {"expectation": f"measured on {n:,} documents that were not trained on"},
        )
        return other

    def check(
        self,
        X: DocumentsLike,
        y: LabelsLike | None = None,
        *,
        time: Column | None = None,
        every: str = "week",
        classes: str | Sequence[str] = (),
        ignore_labels: Label | Collection[Label] = None,
        unlabelled: Unlabelled | None = None,
    ) -> "ModelCheck":
        """Check whether new documents are still the kind of text that the model knows.

        Parameters
        ----------
        X : documents
            New documents, as for `predict`.
        y : labels, default=None
            Their labels; None, NaN or NA where a label is not known. What came true is then
            compared with what the model promised.
        time : array-like, default=None
            One date per document. Alarms and known words are then compared in each period, too.
        every : {"day", "week", "month"}, default="week"
            How long a period is.
        classes : str or sequence of str, default=()
            The labels that count as the class to find; by default its name.
        ignore_labels : label or list of labels, default=None
            Labels that mean that the class is not known, such as ``"n/a"``. Documents with such a
            label are left out. None stands for the `ignore_labels` of the model.
        unlabelled : {"skip", "refuse", "no"} or None, default=None
            Whether the class of a document without a label is not known, or it is an error, or it
            counts as outside every class. None stands for "no" if the model was fitted so, and
            else for "skip".

        Examples
        --------
        >>> texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier(random_state=0).fit(texts, [1] * 6 + [0] * 27)
        >>> model.check(["Regen und Sonne", "Preis des Rohstoffs"] * 40).drifted
        True
        """
        from imbtext.quality._check import Checking

        ignored = self.ignore_labels if ignore_labels is None else ignore_labels
        if unlabelled is None and self.unlabelled == "no":
            unlabelled = "no"
        checking = Checking(self._model(), every, classes, ignored, unlabelled)
        checking.add(X, y, time)
        return checking.result()

    def card(self, name: str = "MODEL") -> Page:
        """Return a model card: what is in the model, what to expect of it, how to use it.

        It holds counts and words, and no documents. ``print(model.card())`` shows it in a terminal,
        ``model.card().markdown()`` and ``model.card().html()`` return it as Markdown and as one
        HTML page. In a notebook, a fitted model shows itself as its card.

        Parameters
        ----------
        name : str, default="MODEL"
            What the model file is called in the commands of the card.

        Examples
        --------
        >>> texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier(random_state=0).fit(texts, ["oil"] * 6 + ["rain"] * 27)
        >>> print(model.card().markdown().splitlines()[0])
        # A model that finds "oil"
        """
        return model_card(self._model(), name)

    def page(self, name: str = "MODEL") -> str:
        """Return the model as one HTML page that scores texts in the browser.

        Somebody without Python pastes a text or drops a CSV file, sees the same scores as `predict`
        gives, and moves the threshold. Nothing leaves the machine. The page holds the words of the
        training documents, as the model file does. It is for models of words that find one class;
        another model gives an error that says why it cannot be a page.

        Parameters
        ----------
        name : str, default="MODEL"
            What the model is called on the page.

        Examples
        --------
        >>> texts = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
        >>> model = RareTextClassifier(random_state=0).fit(texts, ["oil"] * 6 + ["rain"] * 27)
        >>> "<title>A model that finds &#34;oil&#34;: oil.model</title>" in model.page("oil.model")
        True
        """
        return scoring_page(self._model(), name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model without the documents it was trained on, as plain arrays and no code.

        The file keeps only the name and the number of columns of a callable among the features.
        """
        save_model(path, self._model())

    def push_to_hub(
        self,
        repository: str,
        *,
        private: bool = True,
        token: str | None = None,
        message: str = "A model of imbalanced-text",
    ) -> str:
        """Put the model on the Hugging Face hub, with its card; return the commit's address.

        The repository gets the file that `save` writes, which holds no code, and the card. What to
        expect stands where the hub looks for results. The file holds the words of the training
        documents, so a new repository is private unless you say otherwise. Needs huggingface_hub
        (the extra ``hub``); ``HF_ENDPOINT`` names another hub.

        Parameters
        ----------
        repository : str
            Owner and name, such as ``"acme/fraud"``. It is made if it does not exist.
        private : bool, default=True
            Whether a new repository is private. One that exists stays as it is.
        token : str, default=None
            Your access token; by default the one of ``hf auth login``.
        message : str, default="A model of imbalanced-text"
            What the commit says.

        Examples
        --------
        >>> model.push_to_hub("acme/fraud")  # doctest: +SKIP
        'https://huggingface.co/acme/fraud/commit/...'
        """
        return push_model(self._model(), repository, private=private, token=token, message=message)

    @classmethod
    def from_hub(
        cls,
        repository: str,
        *,
        revision: str | None = None,
        token: str | None = None,
        features: Mapping[str, Callable[..., Matrix]] | None = None,
        encoder: "EncoderLike | None" = None,
    ) -> Self:
        """Load a model that `push_to_hub` put on the Hugging Face hub.

        The file is fetched once and read as `load` reads it: nothing in it is run.

        Parameters
        ----------
        repository : str
            Owner and name, such as ``"acme/fraud"``.
        revision : str, default=None
            A branch, tag or commit. Name a commit to get the same model tomorrow.
        token : str, default=None
            Your access token, for a private repository; by default the one of ``hf auth login``.
        features, encoder : as for `load`
            What a file cannot hold.

        Examples
        --------
        >>> model = RareTextClassifier.from_hub("acme/fraud")  # doctest: +SKIP
        """
        path = file_from_hub(repository, revision=revision, token=token)
        return cls.load(path, features, encoder)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        features: Mapping[str, Callable[..., Matrix]] | None = None,
        encoder: "EncoderLike | None" = None,
    ) -> Self:
        """Load a saved model; a damaged or foreign file is a ValueError.

        Parameters
        ----------
        path : str or path
            What `save` wrote.
        features : dict, default=None
            The callables that the model was trained with, by name, such as ``{"encode": encode}``,
            because a file holds no code.
        encoder : str, path, object or callable, default=None
            The encoder that the model was trained with, as for the class: its weights are not in
            the file. ``"minilm"`` and ``"use"`` are found without it.
        """
        fitted = load_model(path)
        if encoder is not None:
            fitted = fitted.with_encoder(encoder)
        several = len(fitted.text_columns) > 1 or fitted.columns
        encoders = [] if fitted.meaning is None else [*fitted.meaning.encoders]
        model = cls(
            fitted.metric,
            text=list(fitted.text_columns) if several else None,
            columns=list(fitted.columns) or None,
            features=restore_callables(fitted.features, path, features or {}),
            encoder=encoders[0] if len(encoders) == 1 else encoders or None,
            language=fitted.language,
        )
        model.fitted_ = fitted
        return model

    def _model(self) -> FittedModel:
        check_is_fitted(self)
        return self.fitted_

    def _n_threads(self) -> int:
        """Return how many threads share the work that no pool takes."""
        given = self.n_jobs
        is_number = given is None or isinstance(given, Integral)
        return int(effective_n_jobs(given if is_number else None))

    def _train(self, training: Training) -> Trained:
        workers = self.n_jobs
        if workers is None or isinstance(workers, Integral):
            workers = self._n_threads()
        if not self.verbose:
            return training.run(workers)
        with progress_bar() as bar:
            task = bar.add_task("Training", total=(N_FOLDS + 1) * len(training.members))
            return training.run(workers, lambda n: bar.advance(task, n))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _ingredients(
    ranking: LinearRanking,
    meaning: MeaningPart | None,
    share_of_best_other: float,
    folds: str,
    columns: str,
) -> dict[str, str]:
    """Return what was chosen, in words; `columns` says why they are used or not."""
    scaling = (
        "columns as they are, since they need not be terms"
        if ranking.batches[0].inside is None
        else f"terms keep {BLEND:.0%} of their weight and share the rest by how strongly they "
        "indicate the class"
    )
    report = {
        "features": ranking.features.about,
        "ranking": f"squared hinge loss, C {SVM_C:g}, no class weights; {scaling}",
        "folds": folds,
        "other classes": (
            f"{share_of_best_other:.0%} of the best other class's score is subtracted"
        ),
        "synthetic documents": (
            "none: they move the threshold, which is chosen anyway, and seldom rank better"
        ),
    }
    if meaning is not None:
        report["meaning"] = meaning.about
    return report | ({"columns": columns} if columns else {})


def _plain_metric(metric: MetricLike) -> str | tuple[float, float]:
    """Return a metric with costs as numbers of Python."""
    if isinstance(metric, str):
        return metric
    miss, alarm = (c.item() if isinstance(c, np.generic) else c for c in metric)
    return miss, alarm
