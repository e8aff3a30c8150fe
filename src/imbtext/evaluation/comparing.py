"""Whether oversampling helps on the user's own documents, which method, and by how much."""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.markup import escape

from imbtext.containers import Documents
from imbtext.corpus import Corpus
from imbtext.datasets.dataset import content_checksum
from imbtext.evaluation.classifiers import get_classifier, takes_class_weight
from imbtext.evaluation.comparison import Comparison, Settings
from imbtext.evaluation.cross_validation import (
    Task,
    Unit,
    Workload,
    found_units,
    run_tasks,
)
from imbtext.evaluation.duplicates import leaked, near_duplicate_groups
from imbtext.evaluation.folds import assign_folds, group_codes
from imbtext.evaluation.illustrate import illustrate
from imbtext.evaluation.recommend import Application, recommend, simple_baselines
from imbtext.evaluation.score_table import MEAN_OF_CLASSES, SHOWN_METRICS, ScoreTable
from imbtext.evaluation.targets import Labelling, Target, choose_targets
from imbtext.methods import get_method
from imbtext.progress import progress_bar
from imbtext.tokenization import Tokenizer

PLAIN: Final = "svm"
GAMMAS: Final = (0.01, 0.1, 1.0)
DECIDING_METRICS: Final = ("balanced_accuracy", "f1", "f2", "average_precision", "roc_auc")
# Raised when the numbers of a comparison change, so that stored ones are computed anew.
_REVISION: Final = 1


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
        from imbtext.wordnet import find_wordnet

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
        See `imbtext.evaluation.classifiers.get_classifier`.
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
    labelling = _labelling(y, len(documents), "y")
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
    data = _Data.of(documents, labelling, targets, test, groups, tokenizer)
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
        settings=_digest(data.digest, folds, repeats, estimator, group_duplicates, tokenizer),
        tokenizer=tokenizer,
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
    units, rounds = _run(workload, settings, jobs, deadline, out, quiet)
    names, classes, rounds, cut = _fair_part(units, settings, rounds)
    notes += cut
    notes += _unit_notes(units)
    notes += _duplicate_notes(duplicates, workload, settings, targets)
    if len(rounds) == 1 and test is None:
        notes.append("Only one fold was finished, so there are no intervals and no tests.")
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
    scores = _scores(units, classes, names, rounds)
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


def _labelling(y: Any, n: int, name: str) -> Labelling:
    labelling = Labelling.of(y)
    if len(labelling.sets) != n:
        raise ValueError(
            f"there are {n} documents and {len(labelling.sets)} labels in {name}; "
            "give one label a document"
        )
    return labelling


@dataclass(frozen=True, eq=False)
class _Data:
    """Documents of both sides, encoded once, and everything known about each of them."""

    corpus: Corpus
    rows: Sequence[Any]
    positives: dict[str, NDArray[np.bool_]]
    groups: NDArray[Any] | None
    digest: str
    notes: list[str]

    @classmethod
    def of(
        cls,
        documents: Documents,
        labelling: Labelling,
        targets: Sequence[Target],
        test: tuple[Any, Any] | None,
        groups: Any,
        tokenizer: Callable[[str], Sequence[str]] | None,
    ) -> "_Data":
        rows: Sequence[Any] = documents.rows
        sets = labelling.sets
        if test is not None:
            if groups is not None:
                raise ValueError(
                    "groups belong to cross-validation; leave them out with a test set"
                )
            held_out = Documents.of(test[0], "the test texts")
            if held_out.is_tokens != documents.is_tokens:
                raise TypeError("training and test documents must both be texts or token lists")
            rows = [*rows, *held_out.rows]
            sets = (*sets, *_labelling(test[1], len(held_out), "the test labels").sets)
        joint = Documents.of(rows, "texts") if test is not None else documents
        corpus = joint.corpus(tokenizer)
        positives = {
            target.name: np.fromiter((target.label in labels for labels in sets), bool, len(sets))
            for target in targets
        }
        for name, positive in positives.items() if test is not None else ():
            side = positive[len(documents) :]
            if not side.any() or side.all():
                which = "no documents of" if not side.any() else "documents of no class but"
                raise ValueError(
                    f"the test set has {which} the class {name!r}, so nothing can be measured on "
                    "it; use another test set or cross-validation"
                )
        codes = None
        if groups is not None:
            from imbtext.containers import Labels

            codes = Labels.of(groups, len(documents), "groups").values
        texts = [row if isinstance(row, str) else "\0".join(row) for row in rows]
        labels = ["\0".join(sorted(map(repr, labels))) for labels in sets]
        named = [] if codes is None else [str(code) for code in codes.tolist()]
        notes = []
        empty = int((corpus.lengths == 0).sum())
        if empty:
            notes.append(f"{empty:,} of {len(rows):,} documents have no words.")
        return cls(corpus, rows, positives, codes, content_checksum(texts, labels, named), notes)


def _digest(
    data: str,
    folds: int,
    repeats: int,
    classifier: Any,
    group_duplicates: bool,
    tokenizer: Tokenizer | None,
) -> str:
    # Repeats are left out: more of them add to what is there.
    del repeats
    settings = (
        _REVISION,
        data,
        folds,
        repr(classifier),
        group_duplicates,
        "" if tokenizer is None else getattr(tokenizer, "__qualname__", repr(tokenizer)),
    )
    return hashlib.blake2b(repr(settings).encode(), digest_size=8).hexdigest()


def _run(
    workload: Workload,
    settings: Settings,
    jobs: int,
    deadline: float | None,
    out: str | Path | None,
    quiet: bool,
) -> tuple[list[Unit], list[tuple[int, int]]]:
    rounds = [(r, f) for r in range(settings.repeats) for f in range(settings.folds)]
    store_path, found = None, {}
    if out is not None:
        folder = Path(out)
        folder.mkdir(parents=True, exist_ok=True)
        store_path = folder / "comparison.sqlite"
        found = found_units(workload, store_path)
    units, tasks = [], []
    for repeat, fold in rounds:
        for target in settings.classes:
            keys = {m: workload.key(target, m, repeat, fold) for m in settings.methods}
            units += [found[key] for key in keys.values() if key in found]
            missing = tuple(method for method, key in keys.items() if key not in found)
            if missing:
                tasks.append(Task(repeat, fold, target, missing))
    total = sum(len(task.methods) for task in tasks)
    # The plain classifier on the first fold runs whatever the limit: without it there is nothing.
    if tasks and deadline is not None and PLAIN in tasks[0].methods and not units:
        first = tasks[0]
        plain = Task(first.repeat, first.fold, first.target, (PLAIN,))
        rest = tuple(method for method in first.methods if method != PLAIN)
        units += run_tasks(workload, [plain], store_path=store_path)
        tasks[0] = Task(first.repeat, first.fold, first.target, rest)
    with progress_bar(quiet=quiet) as bar:
        shown = bar.add_task(
            "comparing", total=total, completed=total - sum(len(t.methods) for t in tasks)
        )
        for unit in run_tasks(workload, tasks, jobs=jobs, deadline=deadline, store_path=store_path):
            units.append(unit)
            where = f"{unit.target[:30]}, repeat {unit.repeat + 1}, fold {unit.fold + 1}"
            bar.update(shown, advance=1, description=escape(f"{unit.method} on {where}"))
    return units, rounds


def _fair_part(
    units: Sequence[Unit], settings: Settings, rounds: list[tuple[int, int]]
) -> tuple[list[str], list[str], list[tuple[int, int]], list[str]]:
    """Return the methods, classes and rounds that make up a fair comparison, and what was cut.

    Fair: every method was tried on the same folds of the same classes.
    """
    methods, classes = list(settings.methods), list(settings.classes)
    done: dict[tuple[str, tuple[int, int]], set[str]] = {}
    for unit in units:
        done.setdefault((unit.target, (unit.repeat, unit.fold)), set()).add(unit.method)
    complete = {key for key, found in done.items() if len(found) == len(methods)}
    whole = [r for r in rounds if all((name, r) in complete for name in classes)]
    if len(whole) == len(rounds):
        return _not_failed(units, methods), classes, rounds, []
    if whole:
        cut = f"The time limit ended the comparison after {len(whole)} of {len(rounds)} rounds."
        return _not_failed(units, methods), classes, whole, [cut]
    first = rounds[0]
    finished = [name for name in classes if (name, first) in complete]
    if finished:
        cut = (
            f"The time limit ended the comparison within its first fold; it covers "
            f"{len(finished)} of {len(classes)} classes."
        )
        return _not_failed(units, methods), finished, [first], [cut]
    tried = done.get((classes[0], first), set())
    kept = [method for method in methods if method in tried]
    cut = (
        "The time limit ended the comparison within its first fold; not tried: "
        f"{', '.join(method for method in methods if method not in tried)}."
    )
    return _not_failed(units, kept), classes[:1], [first], [cut]


def _not_failed(units: Sequence[Unit], methods: list[str]) -> list[str]:
    """Leave out methods that failed on every fold they were tried on."""
    worked = {unit.method for unit in units if not unit.error}
    failed = {unit.method: unit for unit in units if unit.error}
    if PLAIN not in worked:
        error = failed[PLAIN].error if PLAIN in failed else "it was not run"
        raise ValueError(f"the classifier cannot be trained on these documents: {error}")
    return [method for method in methods if method in worked]


def _unit_notes(units: Sequence[Unit]) -> list[str]:
    notes = []
    failed: dict[tuple[str, str], int] = {}
    caught: dict[tuple[str, str], int] = {}
    for unit in units:
        if unit.error:
            key = (unit.method, unit.error)
            failed[key] = failed.get(key, 0) + 1
        for message in unit.caught:
            caught[unit.method, message] = caught.get((unit.method, message), 0) + 1
    for (method, error), n in failed.items():
        notes.append(f"{method} failed on {n} of the folds and is not judged there: {error}")
    for (method, message), n in list(caught.items())[:10]:
        notes.append(f"{method}, on {n} of the folds: {' '.join(message.split())[:300]}")
    return notes


def _duplicate_notes(
    duplicates: NDArray[np.int64],
    workload: Workload,
    settings: Settings,
    targets: Sequence[Target],
) -> list[str]:
    sizes = np.bincount(duplicates)
    n = int((sizes[duplicates] > 1).sum())
    if not n:
        return []
    everyone, rare = [], []
    for target in targets[:20]:
        for repeat in range(settings.repeats):
            for fold in range(settings.folds):
                train, test = workload.rows(target.name, repeat, fold)
                seen = leaked(duplicates, train, test)
                everyone.append(seen.mean())
                rare.append(seen[workload.positives[target.name][test]].mean())
    words = (
        f"{n:,} of {len(duplicates):,} documents have a near-duplicate (four fifths of their words "
        "or more in common)."
    )
    if np.mean(everyone) == 0:
        return [f"{words} None of them is in training and test at once."]
    remedy = (
        "remove them from the test set"
        if settings.n_test
        else "keep them together with group_duplicates (--group-duplicates)"
    )
    return [
        f"{words} On average {np.mean(everyone):.1%} of the tested documents, and "
        f"{np.mean(rare):.1%} of those of the rare class, have one in their training documents, so "
        f"scores may be too good for new documents; {remedy} to see."
    ]


def _scores(
    units: Sequence[Unit],
    classes: Sequence[str],
    methods: Sequence[str],
    rounds: Sequence[tuple[int, int]],
) -> pl.DataFrame:
    order = {
        (name, method, r): i
        for i, (name, method, r) in enumerate(
            (name, method, r) for name in classes for method in methods for r in rounds
        )
    }
    kept = [
        (order[key], unit)
        for unit in units
        if (key := (unit.target, unit.method, (unit.repeat, unit.fold))) in order and not unit.error
    ]
    return pl.DataFrame(
        [
            {
                "class": unit.target,
                "method": unit.method,
                "repeat": unit.repeat,
                "fold": unit.fold,
                **{metric: unit.scores[metric] for metric in SHOWN_METRICS},
                "rows_added": unit.rows_added,
                "seconds": unit.seconds,
            }
            for _, unit in sorted(kept, key=lambda item: item[0])
        ],
        infer_schema_length=None,
    )
