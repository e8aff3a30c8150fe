"""`compare`: whether oversampling helps on the user's own documents, which method, and by how much.

The steps: read the documents and settle what is compared (`_settings`), run every method on every
fold (`_experiment`), turn the scores into averages, intervals and tests (`_scores`), and those into
advice (`_advice`). The result is a `Comparison`; what its report shows besides is computed when it
is asked for (`_inspection`, `report`).
"""

import time as clock
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._typing import (
    ClassifierLike,
    Column,
    ColumnNames,
    DocumentsLike,
    FeaturesLike,
    Label,
    LabelsLike,
    MetricLike,
)
from imbtext.comparison._advice import Recommendation, recommend, with_exceptions
from imbtext.comparison._choice import Evidence, simple_baselines
from imbtext.comparison._comparison import Comparison
from imbtext.comparison._documents import ComparedDocuments
from imbtext.comparison._experiment import (
    Experiment,
    coverage_of,
    pass_counts,
    resample_units,
    run,
    unit_notes,
)
from imbtext.comparison._kept_work import KeptWork
from imbtext.comparison._scores import (
    MEAN_OF_CLASSES,
    Coverage,
    ScoreTable,
    Unit,
    score_frame,
)
from imbtext.comparison._settings import (
    PLAIN,
    Settings,
    check_settings,
    choose_classes,
    choose_methods,
    deciding_metric,
    get_classifier,
)
from imbtext.documents import (
    Folds,
    Tokenizer,
    assign_folds,
    assign_periods,
    duplicate_notes,
    group_codes,
    languages_found,
    near_duplicate_groups,
)
from imbtext.features import name_of_features
from imbtext.methods import own_features
from imbtext.metrics import METRICS
from imbtext.parallel import Pool


def compare(
    texts: DocumentsLike,
    y: LabelsLike,
    *,
    text: ColumnNames = None,
    columns: ColumnNames = None,
    classes: Label | Collection[Label] = None,
    methods: Sequence[str] | None = None,
    features: FeaturesLike = "auto",
    language: str | None = "english",
    classifier: ClassifierLike = "linear-svm",
    metric: MetricLike = "f2",
    share: float = 0.2,
    folds: int = 5,
    repeats: int = 2,
    groups: Column | None = None,
    time: Column | None = None,
    ids: Column | None = None,
    ignore_labels: Label | Collection[Label] = None,
    group_duplicates: bool = False,
    test: tuple[Column, ...] | None = None,
    tokenizer: Tokenizer | None = None,
    random_state: int = 0,
    n_jobs: int | Pool = 1,
    out: str | Path | None = None,
    time_limit: float | None = None,
    verbose: bool = False,
) -> Comparison:
    """Compare what can be done about a rare class, on your own documents.

    Use it before you oversample: it says whether that helps on your documents, which method does,
    by how much, and how certain that is. Every method is trained and tested in the same repeated
    stratified cross-validation. Vocabulary, idf, resampling and threshold tuning are learnt from
    the training side of each fold alone.

    Parameters
    ----------
    texts : list of str, list of token lists, a NumPy, pandas, Polars or Arrow column, or a table
        The documents.
    y : sequence
        One label per document, or one set (or list) of labels per document. Documents whose label
        is None, NaN or NA are left out.
    text : str or list of str, default=None
        The text columns where `texts` is a table, as in `imbtext.RareTextClassifier`. Other methods
        see several as one text.
    columns : list of str or "all", default=None
        Columns beside the text, as in `imbtext.RareTextClassifier`. Only ``rare`` sees them.
    classes : label or list of labels, default=None
        The classes to look for, each against the rest, the smallest first; they share the folds.
        None takes the rarer of two classes. Of more than two it takes those under 5% of the
        documents that have at least five, the smallest first, and at most ten.
    methods : sequence of str, default=None
        Names as in `imbtext.methods.method_names`, parameters included; None takes
        `default_methods`. The plain classifier is always among them. Methods that tune (``rare``,
        ``threshold``, ``threshold(emco(0.1))``) are tuned for `metric` unless they name a measure
        themselves, as ``rare(f1)`` does.
    features : str, vectorizer, callable or list of these, default="auto"
        What classifiers see of a document. ``"auto"`` is what suits each: tf-idf of words, as in
        the paper, and all that `imbtext.RareTextClassifier` sees by default for ``rare``.
        ``"words"``, ``"words+pairs"`` and ``"characters"`` (grams of four) hold for ``rare`` too.
        ``"best"`` is, in each fold, the one of these that ranks its training documents best. A
        scikit-learn vectorizer or a pipeline on text is fitted inside each fold; a callable from a
        list of documents to vectors, such as embeddings, is called once per document. A list puts
        several side by side, such as ``["auto", "meaning"]``; ``rare`` takes those that are all
        names. Methods that write documents (EMCO, MCO, EDA) and methods on vectors (ROS, SMOTE,
        ADASYN) work with any of them; DECOM and DRO need words.
    language : str or None, default="english"
        The language whose stems ``rare`` uses, as in `imbtext.RareTextClassifier`;
        ``"english+german"`` takes those of each document's own, ``"auto"`` finds out which; None
        takes words as they are. Other methods always do.
    classifier : str or estimator, default="linear-svm"
        ``"linear-svm"``, ``"logistic-regression"``, ``"complement-nb"``, an import path such as
        ``"sklearn.linear_model:RidgeClassifier"``, or a scikit-learn classifier.
    metric : str or pair of numbers, default="f2"
        The measure that decides. All that `imbtext.RareTextClassifier` can be trained for:
        ``"f1"``, ``"f2"`` or an F of any beta, ``"balanced_accuracy"``, ``"cost(10, 1)"``,
        ``"recall_at_precision(0.9)"``, ``"precision_at_recall(0.9)"``,
        ``"alarms_per_thousand(5)"``; and ``"average_precision"`` and ``"roc_auc"``, which judge the
        ranking alone.
        Where precision, recall or the number of alarms has a limit, the score counts in full within
        it and in proportion beyond. A cost is judged by the share of it that is saved, against
        finding nothing.
    share : float, default=0.2
        The share of all training documents that oversampling brings a class to.
    folds, repeats : int, default=5 and 2
        Of the cross-validation. More repeats give narrower intervals and take longer.
    groups : sequence, default=None
        One value per document; documents of one group are never in training and test at once.
    time : sequence, default=None
        One date, time or number per document. Folds are then periods that follow one another, and
        each is tested by what was learnt from all before it; there is one such way to cut, so
        `repeats` is 1. Scores are what the future brings, where random folds promise more. ``rare``
        chooses its threshold the same way, other methods by random folds of the past.
    ids : sequence, default=None
        What the report calls the documents: one value for each document of `texts`, or of `test`
        if there is one; None is the row.
    ignore_labels : label or list of labels, default=None
        Labels whose documents are left out, such as ``"unknown"``.
    group_duplicates : bool, default=False
        Whether near-duplicates are kept together like groups. They are reported in any case.
    test : tuple of documents and labels, default=None
        A separate test set: methods are trained on all of `texts`, `repeats` times, and intervals
        come from a bootstrap of the test documents, which draws near-duplicates together. A third
        part, one value per test document, names groups that are drawn together too.
    tokenizer : callable, default=None
        From a string to its words; None takes scikit-learn's token pattern, lower-cased.
    random_state : int, default=0
        The seed of all random numbers: the same seed gives the same scores for any `n_jobs`.
    n_jobs : int or Pool, default=1
        Number of processes; -1 takes one per core. Or what runs them elsewhere, such as
        :class:`imbtext.distributed.DaskPool`.
    out : path, default=None
        A folder in which finished fits are kept, so that an interrupted comparison resumes where
        it stopped. Where a function is among the settings (a tokenizer, a callable as features)
        nothing is kept, and a warning says so: the function may have changed in between.
    time_limit : float, default=None
        Seconds after which no new fit is begun. Only what all methods finished counts; the plain
        classifier on the first fold always runs.
    verbose : bool, default=False
        Whether progress is shown on stderr.

    Returns
    -------
    Comparison
        The scores, the tests and the recommendation; `Comparison.report` writes them as a page.

    See Also
    --------
    imbtext.MethodClassifier : Trains one of the compared methods.
    imbtext.RareTextClassifier : The classifier behind the method ``rare``.

    Notes
    -----
    A free remedy (class weights, a tuned threshold) is recommended where it is better on average
    than the plain classifier; oversampling only where it is credibly better than the best of these:
    by at least 0.01, with a p-value below 0.05 after Holm's correction for all methods tried. Where
    no method helps, oversampling is therefore recommended for at most one class in twenty, however
    many methods are tried; ``benchmarks/advice.py`` counts it on simulated documents.

    Examples
    --------
    >>> texts = ["oil price up", "oil down", "crude oil", "oil barrel up"] * 3
    >>> texts += ["rain today", "sun and rain", "snow up north", "the sun", "wind"] * 12
    >>> y = ["oil"] * 12 + ["weather"] * 60
    >>> methods = ["plain", "emco(0.1)"]
    >>> comparison = compare(texts, y, methods=methods, share=0.4, folds=3, repeats=1)
    >>> comparison.recommendation.method
    'plain'
    >>> comparison.table()["recall"].to_list()
    [1.0, 1.0]
    """
    deadline = None if time_limit is None else clock.time() + time_limit
    check_settings(share, folds, repeats, random_state, time_limit)
    metric = deciding_metric(tuple(metric) if isinstance(metric, list) else metric).name
    documents = ComparedDocuments.of(
        texts, y, test, groups, tokenizer, text, columns, time, ids, ignore_labels
    )
    in_time = time is not None and test is None
    repeats = 1 if in_time else repeats
    labels, notes = choose_classes(documents.labels, classes, share, folds if test is None else 2)
    members = {str(label): documents.members(label) for label in labels}
    estimator = get_classifier(classifier)
    if language == "auto":
        language = languages_found(documents.rows)
    names, left_out = choose_methods(
        methods, metric, features, language, estimator, texts=documents.is_text
    )
    notes += left_out + documents.notes
    duplicates = near_duplicate_groups(documents.corpus)
    kept_together = duplicates if group_duplicates and test is None else None
    groupings = [codes for codes in (documents.groups, kept_together) if codes is not None]
    codes = group_codes(*groupings) if groupings else None
    drawn_together = duplicates if codes is None else group_codes(duplicates, codes)
    settings = Settings(
        n_documents=documents.n_train,
        classes=tuple(members),
        methods=tuple(names),
        classifier=classifier if isinstance(classifier, str) else " ".join(repr(estimator).split()),
        features=features if isinstance(features, str) else _shown(features),
        metric=metric,
        share=share,
        folds=folds if test is None else 1,
        repeats=repeats,
        groups=codes is not None,
        n_test=documents.n_test,
        multilabel=documents.labels.form != "single",
        random_state=random_state,
        data=documents.digest,
        in_time=in_time,
        labels=tuple(labels),
        estimator=estimator,
        feature_source=features,
        text_columns=documents.text_columns,
        columns=documents.columns_beside,
        own_groups=documents.groups is not None,
        n_left_out=documents.n_left_out,
    )
    kept, not_kept = KeptWork.of(
        out,
        data=settings.data,
        n_test=settings.n_test,
        # Folds are shared, so they follow from all classes.
        classes=settings.classes,
        folds=folds,
        classifier=estimator,
        features=features,
        group_duplicates=group_duplicates,
        tokenizer=tokenizer,
        times=documents.times,
        # All others are always scored.
        metric=None if metric in METRICS else metric,
    )
    experiment = Experiment(
        settings=settings,
        documents=documents,
        data=documents.data(tokenizer, own_features(features)),
        members=members,
        folds=_folds(documents, members, codes, settings),
        groups=codes,
        drawn_together=drawn_together,
        kept=kept,
        deadline=deadline,
    )
    units = run(experiment, n_jobs, verbose)
    coverage = coverage_of(units, settings)
    notes += not_kept + coverage.notes + unit_notes(units)
    notes += _notes_of_duplicates(duplicates, experiment, coverage)
    return _conclude(experiment, units, coverage, notes)


def _folds(
    documents: ComparedDocuments,
    members: dict[str, NDArray[np.bool_]],
    groups: NDArray[np.int64] | None,
    settings: Settings,
) -> Folds | None:
    """Deal folds, or cut periods where there are times; a separate test set needs neither."""
    if documents.test_labels is not None:
        return None
    if documents.times is not None:
        return assign_periods(members, settings.folds, documents.times, groups)
    return assign_folds(members, settings.folds, settings.repeats, settings.random_state, groups)


def _notes_of_duplicates(
    duplicates: NDArray[np.int64], experiment: Experiment, coverage: Coverage
) -> list[str]:
    """Say where near-duplicates were in training and test at once, and what to do about it."""
    tested = (
        (*experiment.split(name, *round_), experiment.members[name])
        for name in coverage.classes
        for round_ in coverage.rounds
    )
    remedy = (
        "remove them from the test set to find out"
        if experiment.settings.n_test
        else "use group_duplicates=True (--group-duplicates) to keep them in the same fold"
    )
    return duplicate_notes(duplicates, tested, remedy)


def _shown(features: FeaturesLike) -> str:
    return name_of_features(features) or " ".join(repr(features).split())[:80]


def _conclude(
    experiment: Experiment, units: list[Unit], coverage: Coverage, notes: list[str]
) -> Comparison:
    """Turn finished units into averages, tests and advice."""
    asked = experiment.settings
    label_of = dict(zip(asked.classes, asked.labels, strict=True))
    # From here on, the settings are those of what was finished in time.
    settings = replace(
        asked,
        classes=tuple(coverage.classes),
        labels=tuple(label_of[name] for name in coverage.classes),
        methods=tuple(coverage.methods),
        repeats=1 + max(repeat for repeat, _ in coverage.rounds),
    )
    if len(coverage.rounds) == 1 and not settings.n_test:
        notes.append("Only one fold was finished, so there are no intervals and no tests.")
    test_to_train = None if settings.n_test else 1 / max(settings.folds - 1, 1)
    if settings.in_time:
        splits = [experiment.split(settings.classes[0], *round_) for round_ in coverage.rounds]
        test_to_train = float(np.mean([len(test) / len(train) for train, test in splits]))
    metrics = tuple(settings.metric_titles)
    resampled = resample_units(experiment, units, coverage)
    table = ScoreTable.of(units, coverage, test_to_train, metrics, resampled)
    summary = table.summary()
    tests = table.tests([PLAIN, *simple_baselines(coverage.methods)])
    scores = score_frame(units, coverage, metrics)
    passes = coverage.passes(settings.folds)
    counts = pass_counts(experiment, units, passes)

    def advice_for(name: str) -> Recommendation:
        labels = settings.labels if name == MEAN_OF_CLASSES else (label_of[name],)
        evidence = Evidence(name, PLAIN, summary, tests, counts.get(name, {}), len(passes))
        return recommend(evidence, replace(settings, labels=labels))

    return Comparison(
        scores=scores,
        summary=summary,
        tests=tests,
        costs=scores.group_by("class", "method", maintain_order=True).agg(
            pl.col("seconds", "rows_added").mean()
        ),
        balance={str(label): count for label, count in experiment.documents.labels.counts.items()},
        warnings=tuple(dict.fromkeys(notes)),
        recommendations=with_exceptions(
            {name: advice_for(name) for name in table.names}, MEAN_OF_CLASSES
        ),
        settings=settings,
        counts=counts,
        experiment=replace(experiment, settings=settings),
        units=tuple(units),
    )
