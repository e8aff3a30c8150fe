"""`compare`: what works best on the user's own documents, and by how much.

The steps: read the documents and plan what is compared (`_settings`, `_plan`), run every method on
every fold (`_running`), turn the scores into averages, intervals and tests (`_scores`), and those
into advice (`_advice`). The result is a `Comparison`. It computes the rest of its report when
somebody asks for it (`_inspection`, `report`).
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._messages import check_whole_number
from imbtext._typing import (
    Array,
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
from imbtext.comparison._kept_work import KeptWork
from imbtext.comparison._plan import Plan
from imbtext.comparison._running import (
    coverage_of,
    encode_ahead,
    notes_of_fits,
    pass_counts,
    resampled_fits,
    run,
)
from imbtext.comparison._scores import Coverage, ScoredFit, ScoreTable, score_frame
from imbtext.comparison._settings import (
    MEAN_OF_CLASSES,
    PLAIN,
    caveats_of_groups,
    check_share,
    choose_classes,
    choose_methods,
    deadline_after,
    deciding_metric,
    digest_of,
    get_classifier,
    groups_of,
    mask_of_class,
    names_of,
    read_documents,
    remarks_on_texts,
    with_one_class,
)
from imbtext.documents._duplicates import duplicate_notes, group_codes, near_duplicate_groups
from imbtext.documents._folds import Folds, assign_folds, assign_periods
from imbtext.documents._label_names import as_list
from imbtext.documents._labels import Unlabelled
from imbtext.documents._languages import languages_found
from imbtext.documents._tokenization import Tokenizer
from imbtext.methods._documents import PreparedDocuments, own_features
from imbtext.metrics import METRICS, get_goal
from imbtext.parallel import Pool

# A fold smaller than this part of an even one says too little about its documents.
_EVEN: Final = 0.5


def compare(
    texts: DocumentsLike,
    y: LabelsLike,
    *,
    text: ColumnNames = None,
    columns: ColumnNames = None,
    classes: Label | Collection[Label] = None,
    one_class: bool = False,
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
    unlabelled: Unlabelled | None = None,
    group_duplicates: bool = True,
    test: tuple[Column, ...] | None = None,
    tokenizer: Tokenizer | None = None,
    random_state: int = 0,
    n_jobs: int | Pool = 1,
    out: str | Path | None = None,
    time_limit: float | None = None,
    verbose: bool = False,
) -> Comparison:
    """Find out what works best for a rare class, on your own documents.

    Use it before you oversample. It says whether oversampling helps on your documents, which method
    does, by how much, and how certain that is. Every method is trained and tested in the same
    repeated stratified cross-validation. Vocabulary, idf, resampling and threshold tuning are
    learnt from the training side of each fold alone.

    Parameters
    ----------
    texts : list of str, list of token lists, a NumPy, pandas, Polars or Arrow column, or a table
        The documents.
    y : sequence
        One label per document, or one set (or list) of labels per document. Documents whose label
        is None, NaN or NA are left out.
    text : str or list of str, default=None
        The text columns, if `texts` is a table. ``rare`` keeps them apart, as
        `imbtext.RareTextClassifier` does; other methods see them as one text.
    columns : list of str or "all", default=None
        Columns beside the text, as in `imbtext.RareTextClassifier`. Only ``rare`` sees them.
    classes : label or list of labels, default=None
        The classes to find, each against the rest, on the same folds. None takes the rarer of two
        classes. If there are more, it takes those that have at least five documents and make up
        less than 5% of all, the smallest first, ten at most.
    one_class : bool, default=False
        Whether all of `classes` count as one class, named after the first. Use it if a class has
        several spellings, such as ``classes=["Fraud", "fraud"]``.
    methods : sequence of str, default=None
        Names as in `imbtext.methods.method_names`, parameters included; None takes
        `default_methods`, and ``rare`` with a sentence encoder if the extra ``encoder`` is
        installed and the texts are encoded within a minute. The plain classifier is always among
        them. Methods that tune a threshold (``rare``, ``threshold``, ``threshold(emco(0.1))``) tune
        it for `metric`, unless their name says otherwise, as ``rare(f1)`` does.
    features : str, vectorizer, callable or list of these, default="auto"
        What classifiers see of a document. With ``"auto"``, ``rare`` sees all that
        `imbtext.RareTextClassifier` sees by default, and other methods see tf-idf of words, as in
        the paper. With ``"words"``, ``"words+pairs"`` or ``"characters"`` (grams of four), all
        methods see the same. ``"best"`` takes, in each fold, the one of these three that ranks the
        training documents best. A scikit-learn vectorizer or a pipeline on text is fitted inside
        each fold. A callable from a list of documents to vectors, such as embeddings, is called
        once per document. A list puts several side by side, such as ``["auto", "meaning"]``;
        ``rare`` uses the list if all of it are names. Methods that write documents (EMCO, MCO, EDA)
        and methods on vectors (ROS, SMOTE, ADASYN) work with any features; DECOM and DRO need
        words.
    language : str or None, default="english"
        The language whose stems ``rare`` uses, as in `imbtext.RareTextClassifier`.
        ``"english+german"`` uses the language of each document, ``"auto"`` finds out which
        languages there are, and None uses words as they are. Other methods never use stems.
    classifier : str or estimator, default="linear-svm"
        ``"linear-svm"``, ``"logistic-regression"``, ``"complement-nb"``, an import path such as
        ``"sklearn.linear_model:RidgeClassifier"``, or a scikit-learn classifier.
    metric : str or pair of numbers, default="f2"
        The measure that decides. It can be anything that `imbtext.RareTextClassifier` can be
        trained for: ``"f1"``, ``"f2"`` or an F of any beta, ``"balanced_accuracy"``,
        ``"cost(10, 1)"``, ``"recall_at_precision(0.9)"``, ``"precision_at_recall(0.9)"`` or
        ``"alarms_per_thousand(5)"``. It can also be ``"average_precision"`` or ``"roc_auc"``, which
        judge the ranking alone.
        If precision, recall or the number of alarms has a limit, the score counts in full within
        the limit and in proportion beyond it. A cost is judged by the share of it that is saved,
        compared with finding nothing.
    share : float, default=0.2
        The share of all training documents that oversampling brings a class to.
    folds, repeats : int, default=5 and 2
        The number of folds of the cross-validation, and how often they are drawn anew. More repeats
        give narrower intervals and take longer.
    groups : sequence, default=None
        One value per document. Documents of one group are never in training and test at once.
    time : sequence, default=None
        One date, time or number per document. Folds are then periods that follow one another, and
        models that learnt from all earlier periods are tested on the next. There is only one way to
        cut periods, so `repeats` is 1. These scores are what to expect of the future; random folds
        promise more. ``rare`` chooses its threshold the same way, other methods by random folds of
        the past.
    ids : sequence, default=None
        What the report calls the documents: one value for each document of `texts`, or of `test`
        if there is one. None numbers the rows.
    ignore_labels : label or list of labels, default=None
        Labels whose documents are left out, such as ``"unknown"``.
    unlabelled : {"skip", "refuse", "no"} or None, default=None
        What to do with documents without a label: skip them, raise an error, or count them as
        documents outside every class, which needs `classes`. None skips them.
    group_duplicates : bool, default=True
        Whether near-duplicates are kept in the same fold, as in training: a copy of a training
        document is no test. Periods in time may have copies of earlier documents, as the future
        will. Near-duplicates are reported in any case.
    test : tuple of documents and labels, default=None
        A separate test set. Methods are then trained on all of `texts`, `repeats` times. Intervals
        come from a bootstrap of the test documents, which draws near-duplicates together. A third
        part, one value per test document, names groups that are drawn together too.
    tokenizer : callable, default=None
        Splits a string into words. None uses scikit-learn's token pattern, lower-cased.
    random_state : int, default=0
        The seed of all random numbers: the same seed gives the same scores for any `n_jobs`.
    n_jobs : int or Pool, default=1
        The number of processes; -1 uses one per core. A pool such as
        :class:`imbtext.distributed.DaskPool` runs them elsewhere.
    out : path, default=None
        A folder that keeps finished fits, so that an interrupted comparison resumes where it
        stopped. If a function is among the settings (a tokenizer, a callable as features, a method
        of your own), its fits are not kept, and a warning says so: the function may have changed in
        between.
    time_limit : float, default=None
        Seconds after which no new fit begins. Only what all methods finished counts; the plain
        classifier on the first fold always runs.
    verbose : bool, default=False
        Whether to show progress on stderr.

    Returns
    -------
    Comparison
        The scores, the tests and the recommendation; `Comparison.report` writes them as a page.

    See Also
    --------
    imbtext.ResampledClassifier : Trains one of the compared methods.
    imbtext.RareTextClassifier : The classifier behind the method ``rare``.

    Notes
    -----
    A free remedy (class weights, a tuned threshold) is recommended if it is better on average than
    the plain classifier. Oversampling is recommended only if it is credibly better than the best of
    these: by at least 0.01, with a p-value below 0.05 after Holm's correction for all methods
    tried. So if no method helps, oversampling is recommended for at most one class in twenty,
    however many methods are tried; ``benchmarks/advice.py`` counts it on simulated documents.

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
    if isinstance(classes, Iterator):  # it is read twice
        classes = list(classes)
    deadline = deadline_after(time_limit)
    share = check_share(share)
    folds = check_whole_number("folds", folds, least=2)
    repeats = check_whole_number("repeats", repeats, least=1)
    random_state = check_whole_number("random_state", random_state, least=0, most=2**32 - 1)
    metric = deciding_metric(metric if isinstance(metric, str) else get_goal(metric).name).name
    train, tested, n_left_out = read_documents(
        *(texts, y, test),
        text=text,
        columns=columns,
        groups=groups,
        time=time,
        ids=ids,
        ignore_labels=ignore_labels,
        unlabelled=unlabelled,
        classes=as_list(classes),
    )
    every = train.without_values()
    if tested is not None:
        every += tested.without_values()
    labels, test_labels = train.labels, None if tested is None else tested.labels
    joined: list[Label] = []
    if one_class:
        labels, test_labels, joined = with_one_class(labels, test_labels, classes)
        classes = joined[:1]
    in_time = train.times is not None and test is None
    n_folds = folds if test is None else None
    to_find, notes = choose_classes(labels, classes, share, n_folds)
    is_class = {str(label): mask_of_class(label, labels, test_labels) for label in to_find}
    estimator = get_classifier(classifier)
    language = languages_found(every.to_list()) if language == "auto" else language
    method_names, method_notes = choose_methods(
        methods, metric, features, language, estimator, every
    )
    notes = remarks_on_texts(every) + notes + method_notes
    given_groups = groups_of(train, tested)
    vectors = own_features(features)
    if vectors is not None:
        vectors = vectors.ask_once(every.to_list())
    prepared = PreparedDocuments.of(every, tokenizer, vectors)
    duplicates = near_duplicate_groups(prepared.corpus)
    design = n_folds or 1, 1 if in_time else repeats, random_state
    together = duplicates if group_duplicates and n_folds and not in_time else None
    layout, kept_together, caveats = _folds(
        is_class, given_groups, together, *design, times=train.times, separate=tested is not None
    )
    digest = digest_of(every, given_groups, labels, test_labels)
    kept, kept_notes = KeptWork.of(
        *(out, share, random_state, method_names),
        data=digest,
        n_test=0 if tested is None else len(tested),
        # Folds are shared, so they follow from all classes.
        classes=tuple(is_class),
        folds=folds,
        classifier=estimator,
        features=features,
        group_duplicates=group_duplicates,
        tokenizer=tokenizer,
        times=train.times,
        # A measure that has a name is scored whether it decides or not.
        metric=None if metric in METRICS else metric,
    )
    plan = Plan(
        prepared=prepared,
        labels=labels,
        test_labels=test_labels,
        to_find=tuple(to_find),
        is_class=is_class,
        methods=tuple(method_names),
        classifier=classifier if isinstance(classifier, str) else " ".join(repr(estimator).split()),
        estimator=estimator,
        feature_source=features,
        language=language,
        metric=metric,
        share=share,
        folds=design[0],
        repeats=design[1],
        random_state=random_state,
        layout=layout,
        kept_together=kept_together,
        drawn_together=duplicates if kept_together is None else kept_together,
        given_groups=given_groups,
        times=train.times,
        names=names_of(train, tested),
        n_left_out=n_left_out,
        joined=tuple(joined) if len(joined) > 1 else (),
        data=digest,
        kept=kept,
        deadline=deadline,
    )
    kept_notes += encode_ahead(method_names, every, verbose=verbose)
    fits = run(plan, n_jobs, verbose)
    caveats += caveats_of_groups(given_groups, len(train))
    return _conclude(plan, fits, duplicates, caveats, notes + kept_notes)


def _folds(
    is_class: dict[str, NDArray[np.bool_]],
    given_groups: Array | None,
    duplicates: NDArray[np.int64] | None,
    n_folds: int,
    repeats: int,
    seed: int,
    *,
    times: Array | None,
    separate: bool,
) -> tuple[Folds | None, NDArray[np.int64] | None, list[str]]:
    """Deal folds, or cut periods if there are times; a separate test set needs neither.

    Returns the folds, what is kept together in them, and a caveat where near-duplicates are too
    many of a class to be kept together.
    """
    groups = None if given_groups is None else group_codes(given_groups)
    if separate:
        return None, groups, []
    if times is not None:
        return assign_periods(is_class, n_folds, times, groups), groups, []
    if duplicates is None or len(np.unique(duplicates)) == len(duplicates):
        return assign_folds(is_class, n_folds, repeats, seed, groups), groups, []
    both = duplicates if groups is None else group_codes(groups, duplicates)
    try:
        folds = assign_folds(is_class, n_folds, repeats, seed, both)
        smallest = min(np.bincount(dealt).min() for layout in folds.layouts for dealt in layout)
        if smallest >= _EVEN * len(both) / n_folds:
            return folds, both, []
        why = "too many resemble each other, and folds would be of very different size"
    except ValueError as error:
        why = str(error)
    folds = assign_folds(is_class, n_folds, repeats, seed, groups)
    return folds, groups, [f"Near-duplicates are not kept in the same fold: {why}."]


def _notes_of_duplicates(
    duplicates: NDArray[np.int64], plan: Plan, coverage: Coverage
) -> tuple[list[str], list[str]]:
    """Return a caveat if near-duplicates were in training and test at once, or else a remark."""
    tested = (
        (*plan.split(name, *round_), plan.is_class[name])
        for name in coverage.classes
        for round_ in coverage.rounds
    )
    where = " from the test set" if plan.n_test else ""
    return duplicate_notes(duplicates, tested, f"remove the copies{where} to find out")


def _conclude(
    plan: Plan,
    finished_fits: list[ScoredFit],
    duplicates: NDArray[np.int64],
    caveats: list[str],
    remarks: list[str],
) -> Comparison:
    """Turn finished fits into averages, tests and advice, all of them from the same folds."""
    coverage = coverage_of(finished_fits, plan)
    fits = coverage.covered(finished_fits)
    # What makes the scores too good or too uncertain comes first, what was left out comes last.
    too_good, harmless = _notes_of_duplicates(duplicates, plan, coverage)
    notes = too_good + caveats + coverage.notes
    if len(coverage.rounds) == 1 and not plan.n_test:
        notes.append("Only one fold was finished, so there are no intervals and no tests.")
    notes += notes_of_fits(fits) + remarks + harmless
    label_of = dict(zip(plan.classes, plan.to_find, strict=True))
    # From here on, the plan is of what was finished in time.
    plan = replace(
        plan,
        to_find=tuple(label_of[name] for name in coverage.classes),
        methods=tuple(coverage.methods),
        repeats=1 + max(repeat for repeat, _ in coverage.rounds),
    )
    test_to_train = None if plan.n_test else 1 / max(plan.folds - 1, 1)
    if plan.in_time:
        splits = [plan.split(plan.classes[0], *round_) for round_ in coverage.rounds]
        test_to_train = float(np.mean([len(test) / len(train) for train, test in splits]))
    metrics = tuple(plan.metric_titles)
    resampled = resampled_fits(plan, fits, coverage)
    table = ScoreTable.of(fits, coverage, test_to_train, metrics, resampled)
    summary = table.summary()
    tests = table.tests([PLAIN, *simple_baselines(coverage.methods)])
    scores = score_frame(fits, coverage, metrics)
    passes = coverage.passes(plan.folds)
    counts = pass_counts(plan, fits, passes)

    def advice_for(name: str) -> Recommendation:
        labels = plan.to_find if name == MEAN_OF_CLASSES else (label_of[name],)
        evidence = Evidence(name, summary, tests, counts.get(name, {}), len(coverage.rounds))
        return recommend(evidence, replace(plan, to_find=labels))

    return Comparison(
        scores=scores,
        summary=summary,
        tests=tests,
        costs=scores.group_by("class", "method", maintain_order=True).agg(
            pl.col("seconds", "rows_added").mean()
        ),
        balance={str(label): count for label, count in plan.labels.counts.items()},
        warnings=tuple(dict.fromkeys(notes)),
        recommendations=with_exceptions(
            {name: advice_for(name) for name in table.names}, MEAN_OF_CLASSES
        ),
        counts=counts,
        plan=plan,
        fits=tuple(fits),
    )
