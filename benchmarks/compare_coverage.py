"""Whether `compare` keeps its word: how often its intervals of 95% hold the truth.

Documents are drawn anew for each repetition, by the generators of ``rare_coverage.py`` (which says
what the kinds are), and `compare` is asked for its scores and how far methods differ. The truth of
a score is its mean over all repetitions: what the method scores on average when it learns from so
many documents of this kind. Printed is, for each kind and measure, how often intervals held it: on
average and for the worst class and method, and how wide they were.

How many documents of the class a data set has is chance here, and scores depend on it. The columns
"sized" take for the truth what a line through all repetitions says of so many documents of the
class (their logarithm). An interval may miss the truth by half of the last of three digits: where
two methods nearly always rank alike, their difference is 0 to 0, and its mean over all repetitions
a millionth.

    python benchmarks/compare_coverage.py [repetitions] [kind ...]
    python benchmarks/compare_coverage.py 100 groups --method "rare(f2)"     # for threshold(f2)

`compare` takes no weights, so that there is no such kind here. Copies are kept together
(``group_duplicates=True``).

A comparison takes about a second. ``--lean`` fits the plain and the balanced classifier alone, by
scikit-learn, ten times as fast, and hands their decisions to the same estimates.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from imbtext import compare
from imbtext.comparison._scores import Coverage, ResampledScores, ScoredFit, ScoreTable
from imbtext.comparison._settings import SHOWN_METRICS
from imbtext.metrics import METRIC_TABLE, binary_scores
from rare_coverage import KINDS, Sample, labels_of

METHODS = ["plain", "class-weight", "threshold(f2)"]
FOLDS, REPEATS = 5, 2
ROUNDS = [(repeat, fold) for repeat in range(REPEATS) for fold in range(FOLDS)]
TOLERANCE = 0.0005
# Fewer documents of a class than that cannot be spread over the folds.
LEAST = 6


def class_names(members: NDArray[np.bool_]) -> list[int]:
    """Return the columns that are looked for: not the class of most documents."""
    return [0] if members.shape[1] == 1 else [0, 1, 2]


def groups_of(kind: str, sample: Sample) -> NDArray[np.int64] | None:
    return np.arange(len(sample.texts)) // 10 if kind == "copies" else sample.groups


def by_compare(kind: str, sample: Sample, seed: int) -> pl.DataFrame:
    """Return mean and limits of scores and differences as `compare` has them."""
    y: Any = labels_of(kind, sample.members)
    classes: Any = class_names(sample.members)
    if kind == "labels":
        y = [set(np.flatnonzero(row).tolist()) for row in sample.members]
    comparison = compare(
        sample.texts,
        y,
        classes=classes if sample.members.shape[1] > 1 else True,
        methods=METHODS,
        groups=sample.groups,
        group_duplicates=kind == "copies",
        language=None,
        share=0.65,
        random_state=seed,
    )
    return joined(comparison.summary, comparison.tests)


def by_hand(kind: str, sample: Sample, seed: int) -> pl.DataFrame:
    """Return the same of two classifiers that are fitted without `compare`."""
    counts = CountVectorizer().fit_transform(sample.texts).astype(float)
    groups, fits, tested = groups_of(kind, sample), [], []
    for c in class_names(sample.members):
        members = sample.members[:, c]
        for repeat in range(REPEATS):
            for fold, rows in enumerate(folds(members, groups, seed * REPEATS + repeat)):
                is_trained = np.ones(len(members), dtype=bool)
                is_trained[rows] = False
                vectors = tf_idf(counts, is_trained)
                for method, weight in zip(METHODS[:2], (None, "balanced"), strict=True):
                    classifier = LinearSVC(class_weight=weight, random_state=0)
                    classifier.fit(vectors[is_trained], members[is_trained])
                    decision = classifier.decision_function(vectors[rows])
                    scores = binary_scores(members[rows], decision > 0, decision)
                    fit = ScoredFit(str(c), method, repeat, fold, scores, decisions=decision)
                    fits.append(fit)
                    tested.append((fit, rows, members[rows]))
    documents = np.arange(len(sample.texts)) if groups is None else groups
    metrics = {name: METRIC_TABLE[name] for name in SHOWN_METRICS}
    resampled = ResampledScores.of(tested, documents, metrics, seed)
    names = [str(c) for c in class_names(sample.members)]
    coverage = Coverage(names, METHODS[:2], ROUNDS, [])
    table = ScoreTable.of(fits, coverage, 1 / (FOLDS - 1), SHOWN_METRICS, resampled)
    return joined(table.summary(), table.tests(["plain"]))


def folds(
    members: NDArray[np.bool_], groups: NDArray[np.int64] | None, seed: int
) -> list[NDArray[np.int64]]:
    """Return the tested rows of folds that all have some of the class."""
    for attempt in range(20):
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        splitter = kind(FOLDS, shuffle=True, random_state=20 * seed + attempt)
        rows = [test for _, test in splitter.split(members, members, groups)]
        if all(members[test].any() for test in rows):
            return rows
    raise ValueError("the class cannot be spread over the folds")


def tf_idf(counts: Any, is_trained: NDArray[np.bool_]) -> Any:
    n_with = np.asarray((counts[is_trained] > 0).sum(axis=0)).ravel()
    idf = np.where(n_with > 0, np.log((1 + is_trained.sum()) / (1 + n_with)) + 1, 0.0)
    return normalize(counts @ sparse.diags_array(idf))


def joined(summary: pl.DataFrame, tests: pl.DataFrame) -> pl.DataFrame:
    """Return scores and differences from the plain classifier as one table."""
    differences = tests.filter(pl.col("reference") == "plain").select(
        "class",
        pl.format("{} - plain", "method").alias("method"),
        "metric",
        pl.col("difference").alias("mean"),
        "lower",
        "upper",
    )
    return pl.concat([summary, differences])


def repetitions(kind: str, n: int, *, lean: bool) -> Iterator[tuple[pl.DataFrame, int]]:
    """Compare on data sets; each comes with the number of its documents of the classes."""
    generator = np.random.default_rng(0)
    for repetition in range(n):
        sample = KINDS[kind][0](generator, 600)
        groups = groups_of(kind, sample)
        fits = [
            np.unique(np.flatnonzero(belong) if groups is None else groups[belong])
            for belong in sample.members.T
        ]
        if min(map(len, fits)) >= LEAST:
            try:
                found = (by_hand if lean else by_compare)(kind, sample, repetition)
                yield found, int(sample.members[:, class_names(sample.members)].sum())
            except ValueError as error:
                print(f"{kind}, repetition {repetition}: {error}")


def main() -> None:
    arguments = sys.argv[1:]
    if "--method" in arguments:
        place = arguments.index("--method")
        METHODS[-1] = arguments[place + 1]
        del arguments[place : place + 2]
    lean = "--lean" in arguments
    arguments = [argument for argument in arguments if argument != "--lean"]
    n = int(arguments[0]) if arguments else 200
    columns = ("covered", "worst", "width", "sized", "worst")
    print(f"{'':46}{'intervals':>12}" + "".join(f"{column:>8}" for column in columns))
    for kind in arguments[1:] or [kind for kind in KINDS if kind != "weights"]:
        rows: dict[tuple[str, str, str], list[tuple[float, ...]]] = defaultdict(list)
        for table, n_class in repetitions(kind, n, lean=lean):
            for name, method, metric, *limits in table.iter_rows():
                rows[name, method, metric].append((*limits, np.log(n_class)))
        for of_differences in (False, True):
            for metric in SHOWN_METRICS:
                covered, sized, widths, n_intervals = [], [], [], 0
                for (_, method, of_metric), intervals in rows.items():
                    if of_metric == metric and ("- plain" in method) == of_differences:
                        mean, lower, upper, size = np.array(intervals).T
                        known = ~np.isnan(lower)
                        line = np.polynomial.Polynomial.fit(size, mean, 1)(size)
                        for held, truth in ((covered, mean.mean()), (sized, line)):
                            inside = (lower <= truth + TOLERANCE) & (truth - TOLERANCE <= upper)
                            held.append(inside[known].mean())
                        widths.append((upper - lower)[known].mean())
                        n_intervals += int(known.sum())
                what = f"{kind}, {'difference of ' if of_differences else ''}{metric}"
                print(
                    f"{what:50}{n_intervals:>8}{np.mean(covered):>8.3f}{min(covered):>8.3f}"
                    f"{np.mean(widths):>8.3f}{np.mean(sized):>8.3f}{min(sized):>8.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
