"""Whether oversampling helps on the user's own documents, which method, and by how much.

The steps: take the documents in and choose classes and methods, run every method on every fold
(`_rounds`, `_experiment`), arrange the scores (`_scores`), and turn them into advice
(`imbtext.comparison`).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import polars as pl

from imbtext.comparison._applying import Application
from imbtext.comparison._choice import Numbers, simple_baselines
from imbtext.comparison._classes import choose_classes
from imbtext.comparison._classifiers import get_classifier
from imbtext.comparison._digest import NotDigestibleError, settings_digest
from imbtext.comparison._documents import ComparedDocuments
from imbtext.comparison._experiment import Experiment, Unit
from imbtext.comparison._illustrate import illustrate
from imbtext.comparison._methods import choose_methods
from imbtext.comparison._result import Comparison, Settings
from imbtext.comparison._rounds import PLAIN, fair_part, run, unit_notes
from imbtext.comparison._scores import (
    LEAST_CLASSES,
    MEAN_OF_CLASSES,
    FairPart,
    ScoreTable,
    score_frame,
)
from imbtext.comparison._wording import recommend, with_exceptions
from imbtext.documents import (
    Tokenizer,
    assign_folds,
    duplicate_notes,
    group_codes,
    near_duplicate_groups,
)
from imbtext.methods._features import own_features
from imbtext.parallel import Pool

DECIDING_METRICS: Final = ("balanced_accuracy", "f1", "f2", "average_precision", "roc_auc")
# Raised when the numbers of a comparison change, so that stored ones are computed anew.
_REVISION: Final = 3


def compare(
    texts: Any,
    y: Any,
    *,
    classes: Any = None,
    methods: Sequence[str] | None = None,
    features: Any = "words",
    classifier: Any = "linear-svm",
    metric: str = "f1",
    share: float = 0.2,
    folds: int = 5,
    repeats: int = 2,
    groups: Any = None,
    group_duplicates: bool = False,
    test: tuple[Any, Any] | None = None,
    tokenizer: Tokenizer | None = None,
    seed: int = 0,
    jobs: int | Pool = 1,
    out: str | Path | None = None,
    time_limit: float | None = None,
    verbose: bool = False,
    write_command: Callable[[str, Application], str] | None = None,
) -> Comparison:
    """Compare what can be done about a rare class, on the user's own documents.

    Repeated stratified cross-validation. Vocabulary, idf, resampling and threshold tuning are
    learnt from the training side of each fold alone.

    Parameters
    ----------
    texts : list of str, list of token lists, or a NumPy, pandas, Polars or Arrow column
        The documents.
    y : sequence
        One label per document, or one set (or list) of labels per document.
    classes : label or list of labels, default=None
        The classes to look for, each against the rest, on folds they share, the smallest first.
        None is the rarer of two classes; of more,
        those under 5 % of the documents with at least five of them, the smallest first and ten at
        most.
    methods : sequence of str, default=None
        Names as in `imbtext.methods.method_names`, parameters included; None takes
        `default_methods`. The plain classifier is always among them.
    features : str, vectorizer or callable, default="words"
        What classifiers see of a document: tf-idf of ``"words"``, of ``"words+pairs"`` or of
        ``"characters"`` (grams of four), or ``"auto"``, in each fold the one of these that ranks
        its training documents best; a scikit-learn vectorizer or a pipeline on text, fitted inside
        each fold; or a callable from a list of documents to vectors, such as embeddings, asked once
        per document. Methods that write documents (EMCO, MCO, EDA) and methods on vectors (ROS,
        SMOTE, ADASYN) work with any of them; DECOM and DRO need words.
    classifier : str or estimator, default="linear-svm"
        ``"linear-svm"``, ``"logistic-regression"``, ``"complement-nb"``, an import path such as
        ``"sklearn.linear_model:RidgeClassifier"``, or a scikit-learn classifier.
    metric : str, default="f1"
        The measure that decides: balanced_accuracy, f1, f2, average_precision or roc_auc.
    share : float, default=0.2
        The share of all training documents that oversampling brings a class to.
    folds, repeats : int, default=5 and 2
        Of the cross-validation.
    groups : sequence, default=None
        One value per document; documents of one group are never in training and test at once.
    group_duplicates : bool, default=False
        Whether near-duplicates are kept together like groups, and not only reported.
    test : tuple of documents and labels, default=None
        A test set of its own: methods are trained on all of `texts`, `repeats` times, and
        intervals come from a bootstrap of the test documents.
    tokenizer : callable, default=None
        From a string to its words; None takes scikit-learn's token pattern, lower-cased.
    seed : int, default=0
        Owns all randomness: the same seed gives the same scores for any `jobs`.
    jobs : int or Pool, default=1
        Number of processes; -1 takes one per core. Or what runs them elsewhere, such as
        :class:`imbtext.distributed.DaskPool`.
    out : path, default=None
        A folder in which finished fits are kept, so that an interrupted comparison goes on where
        it stopped. What cannot surely be told apart from another experiment (a tokenizer that
        uses what is defined outside it) is computed anew, and a warning says so.
    time_limit : float, default=None
        Seconds after which no new fit is begun. Only what all methods finished counts; the plain
        classifier on the first fold always runs.
    verbose : bool, default=False
        Whether progress is shown on stderr.
    write_command : callable, default=None
        From a method and an `Application` to the command that applies it, where the documents came
        from a file.

    Returns
    -------
    Comparison

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
    >>> comparison = compare(texts, y, methods=["svm", "emco(0.1)"], share=0.4, folds=3, repeats=1)
    >>> comparison.recommendation.method
    'svm'
    >>> comparison.table()["recall"].to_list()
    [1.0, 1.0]
    """
    deadline = None if time_limit is None else time.time() + time_limit
    _check(share, folds, repeats, metric, seed, time_limit)
    documents = ComparedDocuments.of(texts, y, test, groups, tokenizer)
    labels, notes = choose_classes(documents.labels, classes, share, folds if test is None else 2)
    estimator = get_classifier(classifier)
    names, missing = choose_methods(methods, metric, estimator, texts=documents.is_text)
    notes += missing + documents.notes
    duplicates = near_duplicate_groups(documents.corpus)
    kept_together = duplicates if group_duplicates and test is None else None
    groupings = [each for each in (documents.groups, kept_together) if each is not None]
    codes = group_codes(*groupings) if groupings else None
    members = {str(label): documents.members(label) for label in labels}
    kept, digest, unsure = _kept(
        out,
        data=documents.digest,
        n_test=documents.n_test,
        # Folds are shared, so they follow from all classes.
        classes=tuple(members),
        folds=folds,
        classifier=estimator,
        features=features,
        group_duplicates=group_duplicates,
        tokenizer=tokenizer,
    )
    notes += unsure
    experiment = Experiment(
        documents=documents,
        data=documents.data(tokenizer, own_features(features)),
        choose_features=isinstance(features, str) and features == "auto",
        members=members,
        folds=None if test is not None else assign_folds(members, folds, repeats, seed, codes),
        groups=codes,
        classifier=estimator,
        share=share,
        seed=seed,
        digest=digest,
        kept=kept,
        deadline=deadline,
    )
    settings = Settings(
        n_documents=documents.n_train,
        classes=tuple(members),
        methods=tuple(names),
        classifier=classifier if isinstance(classifier, str) else " ".join(repr(estimator).split()),
        features=features if isinstance(features, str) else " ".join(repr(features).split())[:80],
        metric=metric,
        share=share,
        folds=folds if test is None else 1,
        repeats=repeats,
        groups=codes is not None,
        n_test=documents.n_test,
        multilabel=documents.labels.form != "single",
        seed=seed,
        data=documents.digest,
    )
    units = run(experiment, settings, jobs, verbose)
    part = fair_part(units, settings)
    notes += part.notes + unit_notes(units)
    tested = (
        (*experiment.split(name, *round_), experiment.members[name])
        for name in part.classes
        for round_ in part.rounds
    )
    remedy = "remove them from the test set" if settings.n_test else "keep them together"
    notes += duplicate_notes(duplicates, tested, remedy)
    by_name = {str(label): label for label in labels}
    application = Application(
        labels=tuple(by_name[name] for name in part.classes),
        multilabel=settings.multilabel,
        share=share,
        seed=seed,
        classifier=estimator,
        features=features,
        write_command=write_command,
    )
    return _conclude(experiment, settings, units, part, notes, application)


def _conclude(
    experiment: Experiment,
    settings: Settings,
    units: list[Unit],
    part: FairPart,
    notes: list[str],
    application: Application,
) -> Comparison:
    """Turn finished units into averages, tests and advice."""
    # From here on it is about what was finished in time.
    settings = replace(
        settings,
        classes=tuple(part.classes),
        methods=tuple(part.methods),
        repeats=1 + max(repeat for repeat, _ in part.rounds),
    )
    if len(part.rounds) == 1 and not settings.n_test:
        over_classes = len(part.classes) >= LEAST_CLASSES
        tested = ", and tests over classes alone" if over_classes else " and no tests"
        notes.append(f"Only one fold was finished, so there are no intervals{tested}.")
    test_to_train = 1 / (settings.folds - 1) if settings.folds > 1 else 1.0
    table = ScoreTable.of(units, part, test_to_train)
    summary = table.summary()
    tests = table.tests([PLAIN, *simple_baselines(part.methods)])
    scores = score_frame(units, part)
    labels = {MEAN_OF_CLASSES: application.labels}
    labels |= {name: (label,) for name, label in zip(part.classes, application.labels, strict=True)}
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
            {
                name: recommend(
                    Numbers(name, PLAIN, summary, tests),
                    settings.metric,
                    replace(application, labels=labels[name]),
                )
                for name in table.names
            },
            MEAN_OF_CLASSES,
        ),
        settings=settings,
        illustration=illustrate(experiment, part.classes[0], part.methods),
        experiment=experiment,
        units=tuple(units),
    )


def _kept(out: str | Path | None, **settings: Any) -> tuple[Path | None, str, list[str]]:
    """Return the store of finished units, the digest they are kept under, and what to say of it."""
    if out is None:
        return None, "", []
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(
            f"cannot keep finished work in {folder}: it is a file; name a folder"
        )
    try:
        digest = settings_digest(revision=_REVISION, **settings)
    except NotDigestibleError as error:
        return None, "", [f"Nothing was kept in {folder} or taken from it: {error}."]
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "comparison.sqlite", digest, []


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
