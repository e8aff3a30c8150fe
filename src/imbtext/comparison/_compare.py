"""Whether oversampling helps on the user's own documents, which method, and by how much."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import polars as pl

from imbtext.comparison._applying import Application
from imbtext.comparison._caveats import duplicate_notes, unit_notes
from imbtext.comparison._classes import choose_targets
from imbtext.comparison._classifiers import get_classifier, takes_class_weight
from imbtext.comparison._cross_validation import Workload
from imbtext.comparison._documents import ComparedDocuments, read_labelling, settings_digest
from imbtext.comparison._folds import assign_folds, group_codes
from imbtext.comparison._illustrate import illustrate
from imbtext.comparison._recommend import recommend, simple_baselines
from imbtext.comparison._result import Comparison, Settings
from imbtext.comparison._rounds import PLAIN, fair_part, run_rounds, score_frame
from imbtext.comparison._scores import LEAST_CLASSES, MEAN_OF_CLASSES, ScoreTable
from imbtext.containers import Documents
from imbtext.evaluation.duplicates import near_duplicate_groups
from imbtext.methods import get_method
from imbtext.tokenization import Tokenizer

GAMMAS: Final = (0.01, 0.1, 1.0)
DECIDING_METRICS: Final = ("balanced_accuracy", "f1", "f2", "average_precision", "roc_auc")


@dataclass(frozen=True)
class Source:
    """Where the documents came from, for the command in the recommendation."""

    path: str = "train.csv"
    text_column: str = "text"
    label_column: str = "label"


def default_methods(metric: str = "f1", *, texts: bool = True) -> tuple[list[str], list[str]]:
    """Return the methods that a comparison runs by default, and notes on those it cannot run.

    Parameters
    ----------
    metric : str, default="f1"
        The deciding measure; thresholds are tuned for it where that can be done.
    texts : bool, default=True
        Whether there are texts, and not only token lists.

    Examples
    --------
    >>> methods, notes = default_methods("f1")
    >>> methods[:3]
    ['svm', 'class-weight', 'threshold(f1)']
    """
    tuned = f", {metric}" if metric in ("f1", "f2") else ""
    alone = f"threshold({metric})" if tuned else "threshold"
    methods, notes = [PLAIN, "class-weight", alone, "ros", "smote"], []
    if not texts:
        notes.append("EDA was left out: it works on text, and the documents are token lists.")
    else:
        from imbtext.augmentation._wordnet import find_wordnet

        try:
            find_wordnet()
            methods.append("eda")
        except FileNotFoundError as error:
            notes.append(f"EDA was left out: {error}")
    methods += ["mco", *(f"emco({gamma:g})" for gamma in GAMMAS), "emco(heaps)"]
    methods.append(f"threshold(emco(0.1){tuned})")
    return methods, notes


def compare(
    texts: Any,
    y: Any,
    *,
    methods: Sequence[str] | None = None,
    classifier: Any = "linear-svm",
    positive: Any = None,
    share: float = 0.2,
    folds: int = 5,
    repeats: int = 2,
    groups: Any = None,
    group_duplicates: bool = False,
    test: tuple[Any, Any] | None = None,
    metric: str = "f1",
    tokenizer: Tokenizer | None = None,
    seed: int = 0,
    jobs: int = 1,
    out: str | Path | None = None,
    time_limit: float | None = None,
    quiet: bool = True,
    source: Source | None = None,
) -> Comparison:
    """Compare what can be done about a rare class, on the user's own documents.

    Repeated stratified cross-validation. Vocabulary, idf, resampling and threshold tuning are
    learnt from the training side of each fold alone.

    Parameters
    ----------
    texts : list of str, list of token lists, or a NumPy, pandas, Polars or Arrow column
        The documents.
    y : sequence
        One label a document, or one set (or list) of labels a document.
    methods : sequence of str, default=None
        Names as in `imbtext.methods.method_names`, parameters included; None takes
        `default_methods`. The plain classifier is always among them.
    classifier : str or estimator, default="linear-svm"
        See `imbtext.comparison._classifiers.get_classifier`.
    positive : label or list of labels, default=None
        The classes to find; None is the rarer of two classes, or every class that makes up less
        than `share` of the documents.
    share : float, default=0.2
        The share of all training documents that oversampling brings a class to.
    folds, repeats : int, default=5 and 2
        Of the cross-validation.
    groups : sequence, default=None
        One value a document; documents of one group are never in training and test at once.
    group_duplicates : bool, default=False
        Whether near-duplicates are kept together like groups, and not only reported.
    test : tuple of documents and labels, default=None
        A test set of its own: methods are trained on all of `texts`, `repeats` times, and
        intervals come from a bootstrap of the test documents.
    metric : str, default="f1"
        The measure that decides: balanced_accuracy, f1, f2, average_precision or roc_auc.
    tokenizer : callable, default=None
        From a string to its words; None takes scikit-learn's token pattern, lower-cased.
    seed : int, default=0
        Owns all randomness: the same seed gives the same scores for any `jobs`.
    jobs : int, default=1
        Number of processes; -1 takes one a core.
    out : path, default=None
        A folder in which finished units are kept, so that an interrupted comparison goes on where
        it stopped.
    time_limit : float, default=None
        Seconds after which no new fit is begun. Only rounds that all methods finished count; the
        plain classifier on the first fold always runs.
    quiet : bool, default=True
        Show no progress.
    source : Source, default=None
        Where the documents came from, for the command that is recommended.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> texts = ["oil price up", "oil down", "crude oil", "oil barrel up"] * 3
    >>> texts += ["rain today", "sun and rain", "snow up north", "the sun", "wind"] * 12
    >>> y = ["oil"] * 12 + ["weather"] * 60
    >>> comparison = compare(texts, y, methods=["svm", "emco(0.1)"], share=0.4, folds=3, repeats=1)
    >>> comparison.recommendation.method
    'svm'
    >>> comparison.table()["recall"].to_list()
    [1.0, 1.0]
    """
    start = time.time()
    _check(share, folds, repeats, metric, seed, time_limit)
    documents = Documents.of(texts, "texts")
    labelling = read_labelling(y, len(documents), "y")
    estimator = get_classifier(classifier)
    targets, notes = choose_targets(labelling, positive, share, folds if test is None else 2)
    if methods is None:
        names, missing = default_methods(metric, texts=not documents.is_tokens)
        notes += missing
    else:
        names = _method_names(methods)
    if not takes_class_weight(estimator):
        weighted = [name for name in names if get_method(name).class_weight is not None]
        if weighted:
            names = [name for name in names if name not in weighted]
            notes.append(f"{', '.join(weighted)} left out: the classifier takes no class weights.")
    data = ComparedDocuments.of(documents, labelling, targets, test, groups, tokenizer)
    notes += data.notes
    codes = None if data.groups is None else group_codes(data.groups)
    duplicates = near_duplicate_groups(data.corpus)
    if group_duplicates and test is None:
        codes = group_codes(data.groups, duplicates)
    workload = Workload(
        corpus=data.corpus,
        texts=data.rows,
        positives=data.positives,
        folds={}
        if test is not None
        else {
            target.name: assign_folds(target.positive, folds, repeats, seed, codes, target.name)
            for target in targets
        },
        n_train=-1 if test is None else len(documents),
        classifier=estimator,
        share=share,
        seed=seed,
        settings=settings_digest(data.digest, folds, estimator, group_duplicates, tokenizer),
        tokenizer=tokenizer,
        groups=codes,
    )
    settings = Settings(
        n_documents=len(documents),
        classes=tuple(target.name for target in targets),
        methods=tuple(names),
        classifier=classifier if isinstance(classifier, str) else " ".join(repr(estimator).split()),
        metric=metric,
        share=share,
        folds=folds if test is None else 1,
        repeats=repeats,
        groups=codes is not None,
        n_test=0 if test is None else data.corpus.n_documents - len(documents),
        multilabel=labelling.multilabel,
        seed=seed,
        data=data.digest,
    )
    deadline = None if time_limit is None else start + time_limit
    units, rounds = run_rounds(workload, settings, jobs, deadline, out, quiet)
    names, classes, rounds, cut = fair_part(units, settings, rounds)
    notes += cut
    # From here on it is about what was finished in time.
    settings = replace(settings, classes=tuple(classes), methods=tuple(names))
    targets = [target for target in targets if target.name in set(classes)]
    notes += unit_notes(units)
    notes += duplicate_notes(duplicates, workload, settings, targets)
    if len(rounds) == 1 and test is None:
        tested = (
            ", and tests over classes alone" if len(classes) >= LEAST_CLASSES else " and no tests"
        )
        notes.append(f"Only one fold was finished, so there are no intervals{tested}.")
    table = ScoreTable.of(units, classes, names, rounds, 1 / (folds - 1) if folds > 1 else 1.0)
    summary = table.summary()
    references = [PLAIN, *simple_baselines(names)]
    tests = table.tests(dict.fromkeys(table.questions, references))
    origin = source or Source()
    recommendations = {}
    for question in table.questions:
        labels = tuple(t.label for t in targets if question in (t.name, MEAN_OF_CLASSES))
        application = Application(
            labels=labels,
            multilabel=labelling.multilabel,
            share=share,
            seed=seed,
            classifier=estimator,
            source=origin.path,
            text_column=origin.text_column,
            label_column=origin.label_column,
        )
        recommendations[question] = recommend(question, summary, tests, metric, PLAIN, application)
    scores = score_frame(units, classes, names, rounds)
    return Comparison(
        scores=scores,
        summary=summary,
        tests=tests,
        costs=scores.group_by("class", "method", maintain_order=True).agg(
            pl.col("seconds", "rows_added").mean()
        ),
        balance={str(label): count for label, count in labelling.counts.items()},
        warnings=tuple(dict.fromkeys(notes)),
        recommendations=recommendations,
        settings=settings,
        illustration=illustrate(workload, classes[0], names),
    )


def _check(
    share: float, folds: int, repeats: int, metric: str, seed: int, time_limit: float | None
) -> None:
    if not 0 < share < 1:
        raise ValueError(f"share is {share}; give a number between 0 and 1, such as 0.2")
    if folds < 2:
        raise ValueError(f"folds is {folds}; cross-validation needs two folds at least")
    if repeats < 1:
        raise ValueError(f"repeats is {repeats}; give 1 or more")
    if not 0 <= seed < 2**32:
        raise ValueError(f"seed is {seed}; give a whole number from 0 to {2**32 - 1}")
    if metric not in DECIDING_METRICS:
        raise ValueError(
            f"metric is {metric!r}; what decides must be one of {', '.join(DECIDING_METRICS)} "
            "(recall or precision alone is won by saying always or never)"
        )
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"time_limit is {time_limit}; give a number of seconds above 0")


def _method_names(methods: Sequence[str]) -> list[str]:
    if isinstance(methods, str):
        raise TypeError(f"methods is the string {methods!r}; give a list of names")
    names = [get_method(method).name for method in methods]
    return list(dict.fromkeys([PLAIN, *names]))
