"""Comparisons on own data: fair folds, no leakage, honest numbers, clear errors."""

import inspect
import json
import time
from dataclasses import dataclass, field, fields
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

import imbtext.comparison._running as running
from imbtext import RareTextClassifier, minority_share
from imbtext.comparison import compare, default_methods
from imbtext.comparison._running import FoldTask, notes_of_fits, run_fold
from imbtext.comparison._scores import (
    Coverage,
    ResampledScores,
    ScoredFit,
    ScoreTable,
    draw_documents,
    resampled_scores,
    threshold_shifts,
)
from imbtext.comparison._settings import (
    GAMMAS,
    MEAN_OF_CLASSES,
    SHOWN_METRICS,
    choose_classes,
    choose_methods,
    deciding_metric,
    get_classifier,
)
from imbtext.documents._documents import Documents
from imbtext.documents._folds import assign_folds, tuning_folds
from imbtext.documents._labels import Labels
from imbtext.methods import (
    Method,
    ResampledClassifier,
    get_method,
    register_method,
    unregister_method,
)
from imbtext.metrics import METRIC_TABLE, Confusion, binary_scores, get_goal
from imbtext.statistics import (
    Interval,
    bootstrap_estimate,
    corrected_estimate,
    holm,
    share_interval,
)
from imbtext.store import Store
from tests.comparison.documents import documents
from tests.comparison_plan import plan_of

FEW = ["plain", "class-weight", "threshold(f1)", "ros", "emco(0.1)"]


@pytest.fixture(scope="module")
def comparison():
    texts, y = documents()
    return compare(texts, y, methods=FEW, folds=3, repeats=2)


def test_every_method_is_scored_on_every_fold(comparison):
    counted = comparison.scores.group_by("method").len()
    assert dict(counted.rows()) == dict.fromkeys(FEW, 6)
    assert set(SHOWN_METRICS) <= set(comparison.scores.columns)
    assert comparison.table()["method"].to_list() == FEW


def test_the_summary_is_the_mean_of_the_folds_with_the_corrected_interval(comparison):
    values = comparison.scores.filter(pl.col("method") == "ros")["f2"].to_numpy()
    row = comparison.summary.filter((pl.col("method") == "ros") & (pl.col("metric") == "f2")).row(
        0, named=True
    )
    mean = values.mean()
    assert row["mean"] == pytest.approx(mean)
    # Spelt out: the documents are resampled, and each fold is scored with the decisions it made.
    plan = comparison.plan
    fits = [fit for fit in comparison.fits if fit.method == "ros"]
    n = len(plan.drawn_together)
    (drawn,) = draw_documents(plan.drawn_together, 200, seed=0)
    resampled = []
    for times in drawn:
        of_folds = []
        for fit in fits:
            _, rows = plan.split("oil", fit.repeat, fit.fold)
            is_class, flagged = plan.is_class["oil"][rows], fit.decisions > 0
            right, alarms, n_class = (
                (times[rows] * which).sum() for which in (is_class & flagged, flagged, is_class)
            )
            if 0 < n_class < times[rows].sum():
                of_folds.append(5 * right / (4 * n_class + alarms))
        resampled.append(np.mean(of_folds))
    assert drawn.shape == (200, n)
    # Nadeau and Bengio's second term: n_test / n_train = 1 / 2. There are 6 folds.
    variance = np.var(resampled, ddof=1) + values.var(ddof=1) / 2
    # Wilson's limits, of as many trials as this variance implies.
    z, n_trials = stats.t.ppf(0.975, 5), mean * (1 - mean) / variance
    centre = (mean + z**2 / (2 * n_trials)) / (1 + z**2 / n_trials)
    half = z * np.sqrt(variance + (z / (2 * n_trials)) ** 2) / (1 + z**2 / n_trials)
    assert (row["lower"], row["upper"]) == pytest.approx((centre - half, centre + half))


def test_paired_tests_against_plain_and_simple_baselines_are_holm_corrected(comparison):
    tests = comparison.tests
    assert set(tests["reference"]) == {"plain", "class-weight", "threshold(f1)", "ros"}
    family = tests.filter((pl.col("reference") == "plain") & (pl.col("metric") == "recall"))
    assert family["p_holm"].to_list() == pytest.approx(holm(family["p_value"].to_list()))
    scores = comparison.scores
    by_hand = (
        scores.filter(pl.col("method") == "emco(0.1)")["recall"].to_numpy()
        - scores.filter(pl.col("method") == "plain")["recall"].to_numpy()
    )
    row = family.filter(pl.col("method") == "emco(0.1)").row(0, named=True)
    assert row["difference"] == pytest.approx(by_hand.mean())


def test_costs_count_the_rows_added(comparison):
    rows = dict(comparison.costs.select("method", "rows_added").rows())
    assert rows["plain"] == rows["class-weight"] == rows["threshold(f1)"] == 0
    # The paper's count: (0.2 * 66.7 - 10) / 0.8, cut to an integer.
    assert rows["ros"] == rows["emco(0.1)"] == pytest.approx(4, abs=0.5)


def test_same_seed_same_result_for_any_number_of_jobs(comparison):
    texts, y = documents()
    again = compare(texts, y, methods=FEW, folds=3, repeats=2, n_jobs=2)
    assert again.scores.drop("seconds").equals(comparison.scores.drop("seconds"))
    assert again.recommendations == comparison.recommendations
    other = compare(texts, y, methods=["emco(0.1)"], folds=3, repeats=2, random_state=1)
    mine = comparison.scores.filter(pl.col("method") == "emco(0.1)")
    assert not other.scores.filter(pl.col("method") == "emco(0.1)")["f1"].equals(mine["f1"])


def test_the_methods_of_the_default_are_those_the_documentation_names():
    methods = default_methods("f1")
    expected = ["plain", "class-weight", "threshold(f1)", "characters(f1)", "ros", "smote", "mco"]
    expected += [f"emco({gamma:g})" for gamma in GAMMAS]
    expected += ["emco(heaps)", "threshold(emco(0.1), f1)", "rare(f1)"]
    assert [method for method in methods if method != "eda"] == expected
    assert default_methods("alarms_per_thousand(5)")[2] == "threshold(alarms_per_thousand(5))"
    assert default_methods("roc_auc")[2] == "threshold"  # it has no threshold to tune


# No leakage ------------------------------------------------------------------------------------


def marked_plan(n_folds=3):
    """Every document carries a word of its own, so any use of a test document can be seen."""
    texts, y = documents()
    texts = [f"{text} mark{i}" for i, text in enumerate(texts)]
    layout = assign_folds({"oil": np.array(y) == "oil"}, n_folds, 1, seed=0)
    design = {"folds": n_folds, "repeats": 1, "random_state": 0, "layout": layout}
    return plan_of(texts, y, ["oil"], tokenizer=str.split, share=0.3, **design)


@pytest.mark.parametrize(
    "method", ["ros", "smote", "eda", "mco", "emco(0.1)", "emco(1)", "emco(heaps)"]
)
def test_no_synthetic_document_is_derived_from_a_test_document(method, monkeypatch):
    seen = []
    register_method("spy", lambda: Spy.around(get_method(method), seen))
    monkeypatch.setattr(minority_share, "missing", lambda *_: 60)
    try:
        plan = marked_plan()
        for fold in range(3):
            task = FoldTask("oil", 0, fold, ("spy", "threshold(spy, f1)"))
            fits = list(run_fold(plan, task))
            if method == "eda" and "WordNet" in fits[0].error:
                pytest.skip("WordNet is not installed (Debian: apt-get install wordnet-base)")
            assert [fit.error for fit in fits] == ["", ""]
            train, test = plan.split("oil", 0, fold)
            tested = {f"mark{i}" for i in test}
            assert seen
            for vocabulary, texts, rows, parents in seen:
                assert not tested & set(vocabulary)
                assert not tested & {text.split()[-1] for text in texts}
                assert rows <= len(train)
                assert parents.max(initial=-1) < len(train)
            seen.clear()
    finally:
        unregister_method("spy")


@dataclass(frozen=True)
class Spy(Method):
    """A method that notes what it is given and what its synthetic rows are made of."""

    seen: list = field(default_factory=list, hash=False)

    @classmethod
    def around(cls, inner, seen):
        settings = {f.name: getattr(inner, f.name) for f in fields(Method)}
        return cls(**settings | {"name": "spy"}, seen=seen)

    def resample(self, request):
        data, made = request.data, super().resample(request)
        used = np.unique(made.X.indices)
        words = data.corpus.vocabulary[used[used < data.corpus.n_words]]
        self.seen.append((words, data.documents, data.n_documents, made.parents))
        return made


def test_the_vocabulary_of_a_fold_is_that_of_its_training_documents():
    plan = marked_plan()
    train, test = plan.split("oil", 0, 0)
    with plan.fold("oil", 0, 0) as ready:
        words = ready.data.corpus.vocabulary
    assert {word for word in words if word.startswith("mark")} == {f"mark{i}" for i in train}
    assert ready.test_vectors.shape == (len(test), len(words))


def test_shuffled_labels_give_no_method_an_advantage():
    texts, y = documents(n_rare=30, n_common=150, noise=0.2)
    methods = ["plain", "class-weight", "threshold(f1)", "ros", "smote", "mco", "emco(0.1)"]
    tables = []
    for seed in range(4):
        shuffled = np.random.default_rng(seed).permutation(y)
        found = compare(texts, shuffled, methods=methods, share=0.3, folds=3, repeats=1)
        assert found.recommendation.verdict == "keep the plain classifier"
        tables.append(found.table().select("balanced_accuracy", "roc_auc").to_numpy())
    # Chance is 0.5 for both; a leak of test documents or their labels would lift it towards 1.
    assert np.all(np.abs(np.mean(tables, axis=0) - 0.5) < 0.1)
    honest = compare(texts, y, methods=methods[:1], share=0.3, folds=3, repeats=1)
    assert honest.table()["roc_auc"][0] > 0.9


def test_groups_are_never_split():
    classes = {"oil": np.arange(60) < 15, "tin": np.arange(60) % 20 > 16}
    groups = np.arange(60) // 3
    folds = assign_folds(classes, 3, 4, seed=0, groups=groups)
    for layout in folds.layouts:
        for repeat in layout:
            assert all(len(set(repeat[groups == group])) == 1 for group in range(20))
    for name, belong in classes.items():
        for repeat, fold in np.ndindex(4, 3):
            assert 0 < (folds.tested(name, repeat, fold) & belong).sum() < belong.sum()


def test_classes_share_folds_that_are_stratified_for_each():
    random = np.random.default_rng(0)
    codes = random.permutation(np.repeat(np.arange(6), [200, 40, 23, 12, 10, 5]))
    classes = {str(k): codes == k for k in range(1, 6)}
    folds = assign_folds(classes, 5, 2, seed=3)
    assert len(folds.layouts) == 1
    for name, belong in classes.items():
        for repeat in range(2):
            sizes = np.bincount(folds.layouts[0][repeat][belong], minlength=5)
            assert sizes.max() - sizes.min() <= 1, name


def test_a_class_that_shared_folds_cannot_spread_has_folds_of_its_own():
    # Every document of "a" is also one of a rarer class, five documents each.
    rarer = {f"b{k}": np.arange(100) // 5 == k for k in range(2)}
    classes = rarer | {"a": np.isin(np.arange(100), [0, 1, 2, 3, 5, 6, 7])}
    for seed in range(20):
        folds = assign_folds(classes, 5, 1, seed)
        for name, belong in classes.items():
            assert set(folds.layouts[folds.layout_of[name]][0][belong]) == set(range(5))


def test_groups_are_not_split_where_a_threshold_is_tuned():
    positive = np.arange(40) % 5 == 0
    groups = np.arange(40) // 4
    for train, test in tuning_folds(positive, 4, 0, groups):
        assert not set(groups[train]) & set(groups[test])
        assert positive[train].any()
        assert positive[test].any()
    # One group alone cannot be spread: then the folds are those without groups.
    assert len(tuning_folds(positive, 4, 0, np.zeros(40))) == 4


def test_compare_takes_groups():
    texts, y = documents()
    found = compare(texts, y, methods=["threshold"], folds=3, repeats=1, groups=np.arange(100) // 2)
    assert "groups:yes" in found.signature


# Near-duplicates -------------------------------------------------------------------------------


def test_near_duplicates_stay_in_one_fold_unless_told_otherwise():
    texts, y = documents()
    texts, y = texts + [f"{t}!" for t in texts[:5]], y + y[:5]
    kept = compare(texts, y, methods=["ros"], folds=3, repeats=1)
    assert "None of them is in training and test at once" in kept.warnings[-1]
    apart = compare(texts, y, methods=["ros"], folds=3, repeats=1, group_duplicates=False)
    assert "too good for new documents; remove the copies to find out" in apart.warnings[0]


def test_a_class_of_copies_cannot_be_kept_together_and_says_so():
    texts, y = documents(20, 80)
    texts[:20] = ["oil price up again today"] * 18 + ["crude oil barrel", "gas pipe leak"]
    found = compare(texts, y, methods=["ros"], folds=4, repeats=1, share=0.4)
    assert "too good for new documents" in found.warnings[0]
    assert "Near-duplicates are not kept in the same fold: the class 'oil'" in found.warnings[1]


def test_without_near_duplicates_the_folds_are_those_of_single_documents():
    texts, y = documents()
    unlike = [f"{text} word{i} other{i} third{i} fourth{i}" for i, text in enumerate(texts)]
    together, apart = (
        compare(unlike, y, methods=["ros"], folds=3, repeats=1, group_duplicates=kept).scores
        for kept in (True, False)
    )
    assert together.drop("seconds").equals(apart.drop("seconds"))


def test_notes_stand_by_weight():
    texts, y = documents()
    texts, y = texts + [f"{t}!" for t in texts[:5]] + ["?!", "..."], [*y, *y[:5], "big", "big"]
    notes = compare(texts, y, methods=["ros"], folds=3, repeats=1, group_duplicates=False).warnings
    places = [
        next(i for i, note in enumerate(notes) if words in note)
        for words in ("too good", "Documents without words: 2 of")
    ]
    assert places[0] == 0 < places[1]


def test_nobody_is_told_of_methods_that_they_did_not_ask_for(monkeypatch):
    def absent():
        raise FileNotFoundError("there is no WordNet")

    monkeypatch.setattr("imbtext.comparison._settings.find_wordnet", absent)
    assert "eda" not in default_methods("f2")
    estimator = get_classifier("linear-svm")
    texts = Documents.of(["oil up", "rain"])
    _, notes = choose_methods(None, "f2", "words", "english", estimator, texts)
    assert not notes


# Classes, labels and test sets -----------------------------------------------------------------


def test_a_class_called_as_the_mean_is_compared_alone():
    y = ["oil"] * 20 + [MEAN_OF_CLASSES] * 15 + ["big"] * 85
    labels = Labels.of(y, 120)
    with pytest.raises(ValueError, match="as the tables call the mean of all classes; rename"):
        choose_classes(labels, ["oil", MEAN_OF_CLASSES], 0.5, 4)
    assert choose_classes(labels, MEAN_OF_CLASSES, 0.5, 4)[0] == [MEAN_OF_CLASSES]


def test_every_class_and_their_mean():
    texts, y = documents(20, 100)
    y = ["oil"] * 20 + ["b"] * 15 + ["c"] * 15 + ["big"] * 67 + ["tiny"] * 3
    classes = ["oil", "b", "c"]
    found = compare(texts, y, classes=classes, methods=["ros"], folds=4, repeats=1)
    assert found.plan.classes == ("b", "c", "oil")  # the smallest first
    assert found.overall == MEAN_OF_CLASSES
    summary = found.summary.filter((pl.col("metric") == "f1") & (pl.col("method") == "ros"))
    means = dict(summary.select("class", "mean").rows())
    assert means[MEAN_OF_CLASSES] == pytest.approx(np.mean([means[c] for c in ["oil", "b", "c"]]))
    assert len(found.table("b")) == 2
    for name in ("d", 5):
        with pytest.raises(ValueError, match=f"no class '{name}'"):
            found.table(name)


def test_the_rarest_classes_are_looked_for_unless_others_are_named():
    sizes = {f"c{i:02}": 5 + i // 2 for i in range(13)} | {"tiny": 4, "mid": 60, "big": 900}
    labels = Labels.of([name for name, n in sizes.items() for _ in range(n)], sum(sizes.values()))
    chosen, notes = choose_classes(labels, None, 0.2, 3)
    assert chosen == [f"c{i:02}" for i in range(10)]
    assert [note.split(":")[0] for note in notes] == [
        "Left out, with fewer than 5 documents",
        "Left out, beyond the 10 smallest",
        "Left out, since they make up 5% of the documents or more",
    ]
    assert "'tiny'" in notes[0]
    assert "'c10', 'c11', 'c12'" in notes[1]
    assert "'mid', 'big'" in notes[2]
    assert choose_classes(labels, ["tiny", "mid"], 0.2, 3) == (["tiny", "mid"], [])
    # None is that rare: the smallest.
    even = Labels.of(["a"] * 10 + ["b"] * 40 + ["c"] * 50, 100)
    assert choose_classes(even, None, 0.2, 5)[0] == ["a"]


def test_multi_label():
    texts, y = documents()
    sets = [{label, "even"} if i % 2 else {label} for i, label in enumerate(y)]
    sets[50] = set()
    found = compare(texts, sets, classes="oil", methods=["ros"], folds=3, repeats=1)
    assert found.plan.multilabel
    assert "label in labels for labels in y" in found.recommendation.snippet
    assert found.balance["even"] == 50


def test_a_test_set_of_its_own():
    texts, y = documents(seed=1)
    new_texts, new_y = documents(n_rare=10, n_common=90, seed=2)
    found = compare(texts, y, methods=["ros", "emco(1)"], test=(new_texts, new_y), repeats=2)
    assert found.plan.n_test == 100
    assert found.scores.group_by("method").len()["len"].to_list() == [2, 2, 2]
    table = found.table()
    assert (table["recall_lower"] <= table["recall"]).all()
    assert (table["recall_upper"] > table["recall_lower"]).all()
    assert found.tests["test"].unique().to_list() == [
        "paired bootstrap of the test documents, Holm"
    ]
    # The plain model has no randomness: both repeats are the same.
    plain = found.scores.filter(pl.col("method") == "plain")
    assert plain["f1"].n_unique() == 1


def test_repeats_on_one_test_set_do_not_make_its_intervals_narrower():
    texts, y = documents(seed=1)
    test = documents(n_rare=10, n_common=90, seed=2)
    found = [
        compare(texts, y, methods=["class-weight"], test=test, repeats=repeats)
        for repeats in (1, 2, 5)
    ]
    # Neither method has any randomness: all repeats are the same, and so is what they tell.
    for one in found[1:]:
        for column in ("mean", "lower", "upper"):
            assert one.summary[column].to_list() == pytest.approx(
                found[0].summary[column].to_list()
            )
        assert one.tests["p_value"].to_list() == pytest.approx(
            found[0].tests["p_value"].to_list(), nan_ok=True
        )
    table = found[0].table()
    assert (table["f1_upper"] > table["f1_lower"]).all()


def test_any_container_gives_the_same_scores():
    import pandas as pd
    import pyarrow as pa

    texts, y = documents()
    wanted = compare(texts, y, methods=["ros"], folds=2, repeats=1).scores.drop("seconds")
    for make in (np.array, pd.Series, pl.Series, pa.array):
        got = compare(make(texts), make(y), methods=["ros"], folds=2, repeats=1)
        assert got.scores.drop("seconds").equals(wanted)
    tokens = compare([text.split() for text in texts], y, methods=["ros"], folds=2, repeats=1)
    assert tokens.scores.drop("seconds").equals(wanted)


@pytest.mark.parametrize(
    "classifier",
    ["logistic-regression", "complement-nb", "sklearn.linear_model:SGDClassifier"],
)
def test_other_classifiers(classifier):
    texts, y = documents()
    found = compare(
        texts, y, classifier=classifier, methods=["class-weight", "ros"], folds=2, repeats=1
    )
    weighted = "class-weight" in found.table()["method"].to_list()
    assert weighted == (classifier != "complement-nb")
    assert weighted != any("takes no class weights" in note for note in found.warnings)


def test_a_classifier_object_is_used_as_it_is():
    texts, y = documents()
    weak = compare(texts, y, classifier=LogisticRegression(C=1e-6), methods=[], folds=2, repeats=1)
    assert weak.table()["recall"][0] == 0
    assert "C=1e-06" in weak.signature


# Running ---------------------------------------------------------------------------------------


def test_finished_units_are_not_run_again(tmp_path, monkeypatch):
    texts, y = documents()
    options = {"methods": ["ros", "emco(1)"], "folds": 2, "repeats": 1, "out": tmp_path / "run"}
    first = compare(texts, y, **options)
    monkeypatch.setattr(running, "fit_method", lambda *a, **k: pytest.fail("ran again"))
    second = compare(texts, y, **options)
    assert second.scores.equals(first.scores)
    # Other documents have other fits.
    with pytest.raises(pytest.fail.Exception, match="ran again"):
        compare(texts[::-1], y[::-1], **options)


def test_an_interrupted_comparison_goes_on_where_it_stopped(tmp_path, monkeypatch):
    texts, y = documents()
    options = {"methods": ["ros", "emco(1)"], "folds": 2, "repeats": 1}
    whole = compare(texts, y, **options)
    real, calls = running.fit_method, []

    def failing(*args, **kwargs):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return real(*args, **kwargs)

    monkeypatch.setattr(running, "fit_method", failing)
    with pytest.raises(KeyboardInterrupt):
        compare(texts, y, **options, out=tmp_path)
    resumed = compare(texts, y, **options, out=tmp_path)
    assert len(calls) == 4 + 3
    assert resumed.scores.drop("seconds").equals(whole.scores.drop("seconds"))


def test_the_time_limit_leaves_whole_rounds_only(monkeypatch):
    texts, y = documents()
    real, begun = running.fit_method, []

    def slow(*args, **kwargs):
        begun.append(args[0])
        # Two rounds of three methods, then one more fit, and the time is over.
        if len(begun) == 7:
            time.sleep(60 * 60)
        return real(*args, **kwargs)

    now = [0.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    monkeypatch.setattr(running, "fit_method", slow)
    found = compare(texts, y, methods=["ros", "emco(1)"], folds=3, repeats=2, time_limit=60)
    assert found.scores.group_by("method").len()["len"].to_list() == [2, 2, 2]
    assert any("after 2 of 6 rounds" in note for note in found.warnings)


def test_a_fold_that_only_some_methods_finished_counts_nowhere(monkeypatch):
    texts, y = documents()
    real, begun, now = running.fit_method, [], [0.0]

    def slow(*args, **kwargs):
        # One round of three methods, then two more fits, and the time is over.
        begun.append(args[0])
        now[0] += 3600 * (len(begun) == 5)
        return real(*args, **kwargs)

    monkeypatch.setattr(time, "time", lambda: now[0])
    monkeypatch.setattr(running, "fit_method", slow)
    cut = compare(texts, y, methods=["threshold", "ros"], folds=3, repeats=2, time_limit=60)
    assert begun[3:] == ["plain", "threshold(f2)"]
    assert "Only one fold was finished" in " ".join(cut.warnings)
    _, tested = cut.plan.split("oil", 0, 0)
    n_class = int(cut.plan.is_class["oil"][tested].sum())
    for row in cut.table().to_dicts():
        counts = cut.counts["oil"][row["method"]]
        assert counts.n_class == n_class
        assert counts.n_class + counts.n_rest == len(tested)
        assert counts.found / n_class == pytest.approx(row["recall"])
        curve = cut.inspection["oil"].methods[row["method"]].curve
        assert curve.own_share(n_class) == pytest.approx((row["recall"], row["precision"]))
    assert f" of the {n_class} " in cut.recommendation.result
    assert {fit.key[2] for fit in cut.fits} == {(0, 0)}


def test_what_failed_or_worked_beyond_the_covered_folds_is_not_judged(monkeypatch):
    texts, y = documents()
    real, begun, now = running.fit_method, [], [0.0]

    def slow(method, *args, **kwargs):
        # ros fails on the fold that all methods try, and works on the next.
        begun.append(method)
        now[0] += 3600 * (len(begun) == 5)
        if method == "ros" and begun.count("ros") == 1:
            raise RuntimeError("no can do")
        return real(method, *args, **kwargs)

    monkeypatch.setattr(time, "time", lambda: now[0])
    monkeypatch.setattr(running, "fit_method", slow)
    cut = compare(texts, y, methods=["ros", "smote"], folds=3, repeats=1, time_limit=60)
    assert begun[3:] == ["plain", "ros"]
    assert cut.table()["method"].to_list() == ["plain", "smote"]
    assert any("ros failed on 1 of the folds" in note for note in cut.warnings)


def test_methods_that_failed_on_different_folds_are_not_counted_on_different_documents(
    monkeypatch,
):
    texts, y = documents()
    real, begun = running.fit_method, []

    def failing(method, *args, **kwargs):
        begun.append(method)
        if (method, begun.count(method)) in (("plain", 1), ("ros", 2)):
            raise RuntimeError("no can do")
        return real(method, *args, **kwargs)

    monkeypatch.setattr(running, "fit_method", failing)
    found = compare(texts, y, methods=["ros", "smote"], folds=3, repeats=1)
    assert {m: c.n_class for m, c in found.counts["oil"].items()} == {"smote": 15}
    assert " of 100 " in found.recommendation.result


SPELLINGS = ["Oil", "oil", "oil ", "OIL?"]


@pytest.mark.parametrize("kind", ["labels", "sets", "numbers", "indicator"])
def test_several_labels_can_be_one_class(kind):
    texts, y = documents()
    spelled = [SPELLINGS[i % 4] if label == "oil" else label for i, label in enumerate(y)]
    joined = [SPELLINGS[0] if label in SPELLINGS else label for label in spelled]
    names, numbers = SPELLINGS, dict(zip([*SPELLINGS, "other"], range(5), strict=True))
    if kind == "sets":
        spelled, joined = ([{label, "seen"} for label in given] for given in (spelled, joined))
        spelled[0] |= {"oil"}
    elif kind != "labels":
        names = list(range(4))
        spelled, joined = (np.array([numbers[v] for v in given]) for given in (spelled, joined))
    if kind == "indicator":
        spelled, joined = (np.eye(5, dtype=int)[given] for given in (spelled, joined))
    settings = {"methods": ["ros"], "folds": 2, "repeats": 1}
    found = compare(texts, spelled, classes=names, one_class=True, **settings)
    expected = compare(texts, joined, classes=names[0], **settings)
    assert found.scores.drop("seconds").equals(expected.scores.drop("seconds"))
    assert found.balance == expected.balance
    assert found.plan.to_find == expected.plan.to_find
    assert json.loads(found.to_json())["settings"]["joined"] == list(map(str, names))
    apart = compare(texts, spelled, classes=names[:2], **settings)
    assert len(apart.plan.classes) == 2


def test_several_labels_are_one_class_in_the_test_set_and_in_the_snippet():
    texts, y = documents()
    spelled = [SPELLINGS[i % 4] if label == "oil" else label for i, label in enumerate(y)]
    settings = {"methods": ["ros"], "folds": 2, "repeats": 1, "test": (texts, spelled)}
    found = compare(texts, spelled, classes=SPELLINGS, one_class=True, **settings)
    assert found.counts["Oil"]["plain"].n_class == 15
    predicted = {"texts": texts, "y": spelled, "new_texts": texts}
    exec(found.recommendation.snippet, predicted)
    assert predicted["model"].classes_.tolist() == [False, True]
    assert (predicted["in_class"][:15]).mean() > 0.5
    with pytest.raises(ValueError, match=r"one_class \(--one-class\) joins the labels that"):
        compare(texts, spelled, one_class=True, **settings)
    with pytest.raises(ValueError, match="only one class"):
        compare(texts, spelled, classes=[*SPELLINGS, "other"], one_class=True, **settings)


def test_a_time_limit_within_the_first_fold_names_what_was_not_tried():
    texts, y = documents()
    found = compare(texts, y, methods=["ros", "emco(1)"], folds=3, repeats=1, time_limit=1e-9)
    assert found.table()["method"].to_list() == ["plain"]
    assert found.plan.methods == ("plain",)
    # One fold says nothing of its own uncertainty.
    assert found.table()["f1_lower"].is_nan().all()
    assert found.table()["f1_upper"].is_nan().all()
    assert "interval" not in found.recommendation.gain
    assert any("Not tried in time: ros, emco(1)" in note for note in found.warnings)


def test_a_time_limit_finds_the_plain_classifier_even_where_later_folds_were_kept(tmp_path):
    texts, y = documents()
    options = {"methods": ["ros"], "folds": 3, "repeats": 1, "out": tmp_path}
    whole = compare(texts, y, **options)
    # As a killed run of several processes may leave it: the last fold alone is finished.
    with Store(tmp_path / "comparison.sqlite") as store:
        store._connection.execute("DELETE FROM units WHERE fold < 2")
    found = compare(texts, y, **options, time_limit=1e-9)
    assert found.plan.methods == ("plain", "ros")
    assert found.scores["fold"].to_list() == [2, 2]
    # And of that fold, too, the plain classifier is missing.
    with Store(tmp_path / "comparison.sqlite") as store:
        store._connection.execute("DELETE FROM units WHERE method = 'plain'")
    found = compare(texts, y, **options, time_limit=1e-9)
    assert found.plan.methods == ("plain",)
    mine = whole.scores.filter((pl.col("method") == "plain") & (pl.col("fold") == 0))
    assert found.scores.drop("seconds").equals(mine.drop("seconds"))


def test_a_method_that_fails_is_reported_and_the_others_stand():
    class Broken:
        def fit_resample(self, X, y):
            raise RuntimeError("no can do")

        def get_params(self, deep=True):
            return {}

        def set_params(self, **_):
            return self

        def __sklearn_clone__(self):
            return self

    register_method("broken", Broken, space="tfidf")
    try:
        texts, y = documents()
        found = compare(texts, y, methods=["broken", "ros"], folds=2, repeats=1)
    finally:
        unregister_method("broken")
    assert found.table()["method"].to_list() == ["plain", "ros"]
    assert any(
        "broken failed on 2 of the folds" in note and "no can do" in note for note in found.warnings
    )


def test_a_note_does_not_tell_addresses_in_memory():
    def failed(fold):
        error = f"TypeError: cannot clone <Sampler object at {hex(fold + 2**40)}>"
        return SimpleNamespace(method="ros", class_name="oil", error=error, messages=[])

    assert notes_of_fits([failed(0), failed(1)]) == [
        "ros failed on 2 of the folds and is not judged there: "
        "TypeError: cannot clone <Sampler object>"
    ]


def test_notes_call_classes_by_their_names():
    texts, y = documents(n_rare=6)
    found = compare(texts, y, methods=["smote"], folds=2, repeats=1)
    assert any("class 'oil' has 3 documents; it uses 2" in note for note in found.warnings)
    assert not any("class 1" in note for note in found.warnings)


# Statistics ------------------------------------------------------------------------------------


def test_the_correction_makes_intervals_wider():
    values = [0.1, 0.3, 0.2, 0.4]
    corrected = corrected_estimate(values, 0.25)
    plain = corrected_estimate(values, 0.0)
    assert plain.p_value == pytest.approx(stats.ttest_1samp(values, 0).pvalue)
    assert corrected.upper - corrected.lower > plain.upper - plain.lower
    assert corrected.p_value > plain.p_value


def test_estimates_without_spread():
    assert corrected_estimate([0.0, 0.0], 0.25).p_value == 1.0
    assert corrected_estimate([0.1] * 4, 0.25).p_value == 0.125
    assert np.isnan(corrected_estimate([0.1], 0.25).lower)
    assert np.isnan(corrected_estimate([], 0.25).mean)
    assert bootstrap_estimate(0.0, [0.0, 0.0]).p_value == 1.0


def test_resampled_documents_take_the_place_of_independent_folds():
    values = [0.1, 0.3, 0.2, 0.4]
    resampled = [0.2, 0.3, 0.25, 0.1]
    estimate = corrected_estimate(values, 0.25, resampled)
    variance = np.var(resampled, ddof=1) + 0.25 * np.var(values, ddof=1)
    half = stats.t.ppf(0.975, 3) * np.sqrt(variance)
    assert (estimate.lower, estimate.upper) == pytest.approx((0.25 - half, 0.25 + half))
    # Folds that agree say nothing about other documents; the resampled documents do.
    agreeing = corrected_estimate([0.2] * 4, 0.25, resampled)
    assert agreeing.upper - agreeing.lower > 0.2


def test_limits_of_a_share_are_wilsons():
    n, found = 40, 38
    error = np.sqrt(0.95 * 0.05 / n)
    half = stats.norm.ppf(0.975) * error
    limits = share_interval(Interval(0.95, 0.95 - half, 0.95 + half))
    wilson = stats.binomtest(found, n).proportion_ci(method="wilson")
    assert (limits.lower, limits.upper) == pytest.approx((wilson.low, wilson.high))
    none = stats.binomtest(0, 12).proportion_ci(method="wilson")
    limits = share_interval(Interval(0.0, 0.0, 0.0), n=12)
    assert (limits.lower, limits.upper) == pytest.approx((none.low, none.high))
    # A share of two documents cannot be known better than two documents tell.
    two = share_interval(Interval(0.5, 0.49, 0.51), n=2, binomial=True)
    assert two.upper - two.lower > 0.5
    # From one half up, as balanced accuracy has it: the same on a scale half as long.
    upper_half = share_interval(Interval(0.975, 0.975 - half / 2, 0.975 + half / 2), least=0.5)
    assert upper_half.lower == pytest.approx(0.5 + wilson.low / 2)
    # Worse than chance, or unknown: still limits around the mean, or none.
    assert share_interval(Interval(-0.1, -0.2, 0.0), n=10).lower == 0.0
    assert np.isnan(share_interval(Interval(0.5, np.nan, np.nan)).lower)


def test_resampled_scores_are_those_of_the_resampled_documents():
    random = np.random.default_rng(0)
    true = random.random(40) < 0.3
    decision = random.integers(-3, 4, 40) / 2 + true
    (drawn,) = draw_documents(np.arange(40), 5, seed=3)
    assert drawn.sum(axis=1).tolist() == [40] * 5
    scores = resampled_scores(true, decision, drawn, METRIC_TABLE)
    for i, times in enumerate(drawn.astype(int)):
        rows = np.repeat(np.arange(40), times)
        wanted = binary_scores(true[rows], decision[rows] > 0, decision[rows])
        assert {metric: values[i] for metric, values in scores.items()} == pytest.approx(
            wanted, abs=1e-6
        )
    drawn[0, true] = 0
    assert np.isnan(resampled_scores(true, decision, drawn, METRIC_TABLE)["f1"][0])


def folds_of_scores(scores, is_class, threshold=0.0, n_folds=4):
    """One repeat of a method that tuned its threshold, as fits and what they tested."""
    fold_of = np.arange(len(scores)) % n_folds
    tested = []
    for fold in range(n_folds):
        rows = np.flatnonzero(fold_of == fold)
        decision = scores[rows] - threshold
        found = binary_scores(is_class[rows], decision > 0, decision)
        fit = ScoredFit("c", "tuned", 0, fold, found, decisions=decision, threshold=threshold)
        tested.append((fit, rows, is_class[rows]))
    return tested


@pytest.mark.parametrize(
    "metric", ["f2", "balanced_accuracy", "cost(5, 1)", "alarms_per_thousand(100)"]
)
@pytest.mark.parametrize("in_time", [False, True])
def test_a_threshold_is_chosen_again_on_the_resampled_documents_that_a_fold_learns_from(
    metric, in_time
):
    random = np.random.default_rng(0)
    is_class = random.random(80) < 0.2
    scores = (8 * random.normal(size=80)).round() / 8 + is_class
    tested, goal = folds_of_scores(scores, is_class, threshold=0.25), get_goal(metric)
    (drawn,) = draw_documents(np.arange(80) // 2, 6, seed=0)
    drawn[0, is_class] = 0
    shifts = threshold_shifts(tested, drawn, {"tuned": goal}, in_time=in_time)
    assert threshold_shifts(tested, drawn, {"another": goal}) == {}
    assert set(shifts) == {fit.key for fit, _, _ in tested[1 if in_time else 0 :]}

    def value(threshold, rows):
        return float(goal.value(Confusion.of(is_class[rows], scores[rows] > threshold)))

    for fit, rows, _ in tested:
        if fit.key in shifts:
            # Without documents of the class there is nothing to choose by.
            assert shifts[fit.key][0] == 0
            for times, above in zip(drawn[1:], shifts[fit.key][1:], strict=True):
                learnt = np.concatenate(
                    [o for u, o, _ in tested if (u.fold < fit.fold if in_time else u is not fit)]
                )
                copies = np.repeat(learnt, times[learnt].astype(int))
                best = max(value(cut, copies) for cut in [*(scores - 1 / 16), scores.max()])
                assert value(above + 0.25, copies) == pytest.approx(best)
        assert fit.scores_of_documents == pytest.approx(scores[rows])


def test_the_interval_of_a_tuned_method_knows_that_its_threshold_might_have_been_another():
    # Two thirds of the class are plain to see; to find the others takes 200 false alarms. F2 is 5/7
    # either way, and all folds chose the same.
    random = np.random.default_rng(0)
    order = random.permutation(400)
    is_class = (np.arange(400) < 99)[order]
    scores = np.repeat([2.0, 1.0, 0.0], [66, 233, 101])[order] + random.uniform(0, 0.5, 400)
    tested = folds_of_scores(scores, is_class, threshold=1.75)
    metrics, groups = {m: METRIC_TABLE[m] for m in SHOWN_METRICS}, np.arange(400)
    coverage = Coverage(["c"], ["tuned"], [fit.key[2] for fit, _, _ in tested], [])

    def limits(metric, goals):
        resampled = ResampledScores.of(tested, groups, metrics, 0, goals)
        table = ScoreTable.of([u for u, _, _ in tested], coverage, 1 / 3, resampled=resampled)
        (row,) = table.summary().filter(metric=metric).to_dicts()
        return row["lower"], row["upper"]

    # Of other documents like these, half would choose the one and half the other.
    truth = (2 / 3 + 1) / 2
    fixed, again = limits("recall", None), limits("recall", {"tuned": get_goal("f2")})
    assert not fixed[0] < truth < fixed[1]
    assert again[0] < truth < again[1]
    # What a threshold does not move stays as it was.
    assert limits("roc_auc", None) == limits("roc_auc", {"tuned": get_goal("f2")})


def test_a_gain_on_a_method_that_finds_nothing_reaches_as_far_as_the_score_itself():
    random = np.random.default_rng(0)
    values = np.zeros((1, 2, 10, len(SHOWN_METRICS)))
    spread = np.zeros((1, 2, 200, len(SHOWN_METRICS)))
    values[0, 1] = 0.08 + 0.05 * random.normal(size=(10, 1))
    spread[0, 1] = 0.08 + 0.05 * random.normal(size=(200, 1))
    table = ScoreTable(("c",), ("plain", "other"), values, spread, 0.25, n_class={"c": 12})
    (score,) = table.summary().filter(metric="f1", method="other").to_dicts()
    for reference, sign in (("plain", 1), ("other", -1)):
        (gain,) = table.tests([reference]).filter(metric="f1").to_dicts()
        limits = sorted((sign * gain["lower"], sign * gain["upper"]))
        assert limits[1] == pytest.approx(score["upper"])
        # Towards 0 it is the paired t test, with which the p-value agrees.
        assert limits[0] < 0
        assert gain["p_value"] > 0.05


def test_a_tuned_method_keeps_the_scores_that_it_cut(comparison):
    of = {fit.key[1:]: fit for fit in comparison.fits}
    for round_ in {fit.key[2] for fit in comparison.fits}:
        tuned, plain = of["threshold(f1)", round_], of["plain", round_]
        assert tuned.scores_of_documents == pytest.approx(plain.decisions, abs=1e-5)


def test_interval_and_p_value_of_the_mean_of_classes_are_of_one_estimate():
    random = np.random.default_rng(0)
    methods = ["plain", *(f"emco(0.{k})" for k in range(1, 9))]
    rounds = [(0, fold) for fold in range(5)]
    fits = [
        ScoredFit(
            f"c{c}",
            method,
            *round_,
            scores=dict.fromkeys(SHOWN_METRICS, 0.5)
            | {"f1": 0.5 + 0.02 * m * random.random() + 0.02 * random.normal()},
        )
        for c in range(6)
        for m, method in enumerate(methods)
        for round_ in rounds
    ]
    coverage = Coverage([f"c{c}" for c in range(6)], methods, rounds, [])
    tests = ScoreTable.of(fits, coverage, 0.25).tests(["plain"])
    rows = tests.filter(
        (pl.col("metric") == "f1") & (pl.col("class") == MEAN_OF_CLASSES)
    ).to_dicts()
    assert {row["p_value"] < 0.05 for row in rows} == {True, False}
    for row in rows:
        assert (row["p_value"] < 0.05) == (row["lower"] > 0 or row["upper"] < 0)


def test_methods_that_find_the_same_few_documents_may_differ_on_new_ones():
    names = (*SHOWN_METRICS,)
    values = np.full((1, 2, 10, len(names)), 0.5)
    values[0, 1, :, names.index("f2")] = 0.51  # other alarms, the same finds
    spread = np.full((1, 2, 50, len(names)), 0.5)
    spread[0, 1, :, names.index("f2")] = 0.51

    def difference(metric, n):
        table = ScoreTable(("c",), ("plain", "other"), values, spread, 0.25, names, {"c": n})
        (row,) = table.tests(["plain"]).filter(metric=metric).to_dicts()
        return row

    # No more than Wilson's limit for none of n, and a little wider by Student's quantile.
    limit = share_interval(Interval(0.0, 0.0, 0.0), 6).upper
    for metric, mean in (("recall", 0.0), ("f2", 0.01)):
        row = difference(metric, 6)
        assert limit < row["upper"] - mean < 1.3 * limit
        assert row["lower"] < 0 < row["upper"]
        assert row["p_value"] > 0.5
    assert difference("recall", 600)["upper"] < 0.01
    # Rankings differ where scores do, which resampled documents show.
    assert difference("average_precision", 6)["upper"] == 0


def test_a_few_documents_that_rank_low_do_not_make_average_precision_certain():
    random = np.random.default_rng(0)
    place = SHOWN_METRICS.index("average_precision")

    def limits(mean, n):
        values = np.full((1, 1, 10, len(SHOWN_METRICS)), 0.5)
        spread = np.full((1, 1, 200, len(SHOWN_METRICS)), 0.5)
        values[..., place] = mean + 0.001 * random.normal(size=10)
        spread[..., place] = mean + 0.004 * random.normal(size=200)
        table = ScoreTable(("c",), ("plain",), values, spread, 0.25, n_class={"c": n})
        (row,) = table.summary().filter(metric="average_precision").to_dicts()
        return row["lower"], row["upper"]

    wilson = share_interval(Interval(0.02, 0.02, 0.02), n=12, binomial=True)
    assert limits(0.02, 12) == pytest.approx((wilson.lower, wilson.upper), abs=0.01)
    # Many documents, or means far from 0 and 1, tell their own spread.
    for mean, n in ((0.02, 1000), (0.5, 40)):
        lower, upper = limits(mean, n)
        assert upper - lower < 0.03


def test_copies_of_a_test_document_are_drawn_together():
    random = np.random.default_rng(1)
    true = random.random(60) < 0.4
    decision = random.normal(size=60) + true

    def resampled(copies, groups):
        fit = ScoredFit("c", "m", 0, 0, decisions=np.repeat(decision, copies))
        tested = [(fit, np.arange(60 * copies), np.repeat(true, copies))]
        found = ResampledScores.of(tested, groups, METRIC_TABLE, seed=0)
        assert found.n_class == {"c": len(np.unique(groups[np.repeat(true, copies)]))}
        assert found.n_alarms == {
            ("c", "m"): len(np.unique(groups[np.repeat(decision, copies) > 0]))
        }
        (scores,) = found.of_fits.values()
        return dict(zip(METRIC_TABLE, scores, strict=True))

    once = resampled(1, np.arange(60))
    copied = resampled(10, np.repeat(np.arange(60), 10))
    apart = resampled(10, np.arange(600))
    for metric in ("f1", "recall", "precision", "roc_auc"):
        # Ten copies of each document tell as much as one, to the last bit.
        np.testing.assert_allclose(copied[metric], once[metric], atol=1e-6)
        assert np.std(apart[metric]) < 0.5 * np.std(once[metric])


def test_intervals_of_folds_count_copies_and_groups_once():
    """The same documents in disguise: nothing but the groups says that they are copies."""
    texts, y = documents(n_rare=20, n_common=80, noise=0.8)
    disguised = [
        f"{text} {' '.join(f'x{k}{i}' for i in range(9))}" for k in range(4) for text in texts
    ]

    def widths(groups):
        options = {"methods": ["class-weight"], "share": 0.3, "repeats": 1}
        found = compare(disguised, y * 4, groups=groups, **options)
        rows = found.summary.filter(pl.col("method") == "plain")
        return dict(zip(rows["metric"], rows["upper"] - rows["lower"], strict=True))

    together = widths(list(range(100)) * 4)
    resampled = widths(list(range(400)))
    for metric in ("recall", "precision", "roc_auc"):
        assert together[metric] > 1.2 * resampled[metric]


def test_a_text_that_many_groups_share_does_not_make_them_one():
    texts, y = documents(n_rare=40, n_common=160, noise=0.8)

    def width(everywhere):
        groups = [*range(100), *range(100), *range(100)]
        options = {"methods": ["class-weight"], "repeats": 1, "metric": "f1"}
        found = compare([*texts, *everywhere], [*y, *y[-1:] * 100], groups=groups, **options)
        row = found.table().row(0, named=True)
        return row["f1_upper"] - row["f1_lower"]

    apart = width([f"new x{i} y{i} z{i}" for i in range(100)])
    assert width(["new upstream release"] * 100) == pytest.approx(apart, rel=0.2)


def test_intervals_of_a_test_set_count_copies_and_groups_once():
    texts, y = documents(n_rare=20, n_common=100, noise=0.7)
    new_texts, new_y = documents(n_rare=10, n_common=60, seed=2, noise=0.7)
    options = {"methods": ["class-weight"], "repeats": 1, "metric": "f1"}

    def width(test, **more):
        row = compare(texts, y, test=test, **options, **more).table().row(0, named=True)
        return row["f1_upper"] - row["f1_lower"]

    once = width((new_texts, new_y))
    assert width((new_texts * 5, new_y * 5)) == pytest.approx(once)
    # The same documents in disguise: nothing but the groups says that they are copies.
    disguised = [
        f"{text} {' '.join(f'x{k}{i}' for i in range(9))}" for k in range(5) for text in new_texts
    ]
    groups = list(range(70)) * 5
    alone = width((disguised, new_y * 5))
    together = width((disguised, new_y * 5, groups), groups=list(range(1000, 1120)))
    assert alone < 0.6 * once
    assert together > 0.9 * once
    found = compare(texts, y, test=(new_texts, new_y, groups[:70]), groups=[*range(120)], **options)
    assert any("belong to a group of the training documents" in note for note in found.warnings)
    with pytest.raises(ValueError, match="test has 1 parts"):
        compare(texts, y, test=(new_texts,))


# The measure that decides ----------------------------------------------------------------------


def test_methods_that_tune_follow_the_measure_that_decides():
    texts, y = documents()
    methods = ["rare", "threshold", "threshold(emco(0.1))", "threshold(f2)", "rare(f2)"]
    options = {"share": 0.3, "folds": 2, "repeats": 1}
    found = compare(texts, y, methods=methods, metric="f1", **options)
    names = ["plain", "rare(f1)", "threshold(f1)", "threshold(emco(0.1), f1)"]
    assert list(found.plan.methods) == [*names, "threshold(f2)", "rare(f2)"]
    named = compare(texts, y, methods=["rare(f1)", "threshold(f1)"], metric="f2", **options)
    for name in ("rare(f1)", "threshold(f1)"):
        first, second = (
            each.scores.filter(pl.col("method") == name).drop("seconds") for each in (found, named)
        )
        assert first.equals(second)


def test_rare_follows_features_and_language():
    texts, y = documents()
    options = {"methods": ["rare"], "share": 0.3, "folds": 2, "repeats": 1}
    found = compare(texts, y, features="words+pairs", language=None, **options)
    assert found.plan.methods == ("plain", "rare(f2, words+pairs, none)")
    found = compare(texts, y, language="german", **options)
    assert found.plan.methods == ("plain", "rare(f2, auto, german)")
    with pytest.raises(ValueError, match="whose stems are not known"):
        compare(texts, y, language="klingon", **options)


GOALS = [
    "alarms_per_thousand(50)",
    "recall_at_precision(0.9)",
    "precision_at_recall(0.8)",
    "cost(10, 1)",
    "f0.5",
]


@pytest.mark.parametrize("with_test_set", [False, True])
@pytest.mark.parametrize("metric", GOALS)
def test_what_a_model_can_be_trained_for_can_decide(metric, with_test_set, tmp_path):
    texts, y = documents()
    test = documents(n_rare=10, n_common=40, seed=3) if with_test_set else None
    options = {"methods": ["threshold", "rare"], "folds": 3, "repeats": 1, "test": test}
    found = compare(texts, y, metric=metric, out=tmp_path, **options)
    assert found.plan.methods[1:] == (f"threshold({metric})", f"rare({metric})")
    assert found.table()[metric].is_between(-10, 1).all()
    assert {metric, f"{metric}_lower"} <= set(found.table().columns)
    assert json.loads(found.to_json())["settings"]["metric"] == metric
    title = found.plan.metric_titles[metric]
    assert title in found.recommendation.gain
    found.report(tmp_path / "report.html")
    assert title in (tmp_path / "report.html").read_text("utf-8")
    again = compare(texts, y, metric=metric, out=tmp_path, **options)
    assert again.summary.equals(found.summary)
    assert again.costs["seconds"].equals(found.costs["seconds"])  # taken from what was kept


def test_scores_with_a_limit_count_in_proportion_beyond_it():
    # 8 of 10 found, 2 false alarms, 100 documents.
    confusion = Confusion(found=8, false_alarms=2, n_class=10, n_rest=90)
    values = {
        "recall_at_precision(0.8)": 0.8,
        "recall_at_precision(1)": 0.8 * 0.8,
        "precision_at_recall(0.4)": 0.8,
        "precision_at_recall(1)": 0.8 * 0.8,
        "alarms_per_thousand(100)": 0.8,
        "alarms_per_thousand(50)": 0.8 / 2,
        "cost(10, 1)": 1 - 22 / 100,
        "cost(1, 10)": 1 - 22 / 10,
    }
    for metric, value in values.items():
        assert deciding_metric(metric).of_confusion(confusion) == pytest.approx(value)


def test_compare_and_the_classifier_have_the_same_defaults():
    mine = inspect.signature(compare).parameters
    its = inspect.signature(RareTextClassifier).parameters
    for name in ("metric", "features", "language"):
        assert mine[name].default == its[name].default
    assert inspect.signature(ResampledClassifier).parameters["features"].default == "auto"


# Results as files ------------------------------------------------------------------------------


def test_json_is_valid_and_whole(comparison, tmp_path):
    path = tmp_path / "found.json"
    text = comparison.to_json(path)
    assert path.read_text("utf-8") == text
    content = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in the JSON"))
    assert content["signature"] == comparison.signature
    assert len(content["scores"]) == comparison.scores.height
    assert content["recommendations"]["oil"]["method"] == comparison.recommendation.method


def test_formulas_in_class_names_are_neutralised_in_csv(tmp_path):
    texts, y = documents()
    y = [{"oil": "=cmd()"}.get(label, label) for label in y]
    found = compare(texts, y, methods=["ros"], folds=2, repeats=1)
    rows = pl.read_csv(found.to_csv(tmp_path / "found.csv").encode())
    assert rows["class"].to_list() == ["'=cmd()"] * 2
    assert rows["method"].to_list() == ["plain", "ros"]
    assert found.recommendation.snippet.count("label = '=cmd()'") == 1


# Errors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"share": 1.5}, "share is 1.5; give a number between 0 and 1"),
        ({"folds": 1}, "folds is 1; give a whole number from 2 up"),
        ({"folds": 2.0}, "folds is 2.0; give a whole number from 2 up"),
        ({"repeats": 0}, "repeats is 0"),
        ({"repeats": True}, "repeats is True; give a whole number from 1 up"),
        ({"share": "0.2"}, "share is '0.2'; give a number between 0 and 1"),
        ({"metric": {}}, "metric is {}; choose balanced_accuracy"),
        ({"time_limit": "5m"}, "time_limit is '5m'; give a number of seconds"),
        ({"random_state": None}, "random_state is None; give a whole number from 0 to 4294967295"),
        ({"metric": "recall"}, "always or never saying yes wins it"),
        ({"time_limit": 0}, "time_limit is 0"),
        ({"random_state": -1}, "random_state is -1"),
        ({"methods": ["emcoo"]}, "did you mean 'emco'"),
        ({"classes": "oill"}, "did you mean 'oil'"),
        ({"classes": []}, "empty list"),
        ({"classes": "other"}, "already makes up 85% of .* adds nothing; choose a rarer class$"),
        ({"folds": 16}, "has 15 documents, and 16 folds need at least 16"),
        ({"language": "klingon"}, "language is 'klingon', whose stems are not known"),
        ({"test": np.zeros(3)}, "test is not a tuple; give its documents, their labels"),
        ({"groups": np.zeros(100)}, "lies in 1 groups"),
        ({"groups": [1, 2]}, "100 documents and groups has 2"),
        ({"classifier": "nosuch.module:Class"}, "cannot import the classifier"),
        ({"classifier": "sklearn.svm:Nope"}, "has no 'Nope'"),
        ({"classifier": "..svm:LinearSVC"}, "cannot import the classifier '..svm:LinearSVC'"),
        ({"test": (["a b"], ["other"])}, "no documents of the class 'oil'"),
    ],
)
def test_clear_errors(change, message):
    texts, y = documents()
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        compare(texts, y, **{"methods": ["ros"], **change})


def test_type_errors():
    texts, y = documents()
    with pytest.raises(TypeError, match="methods is the string"):
        compare(texts, y, methods="ros")
    with pytest.raises(TypeError, match="methods is 5; give a list of names"):
        compare(texts, y, methods=5)
    with pytest.raises(TypeError, match=r"methods holds Method.* with register_method"):
        compare(texts, y, methods=[get_method("ros")])
    with pytest.raises(TypeError, match="not a scikit-learn classifier"):
        compare(texts, y, classifier=3)
    with pytest.raises(TypeError, match=r"cannot make the classifier 'sklearn\.pipeline:Pipeline'"):
        compare(texts, y, classifier="sklearn.pipeline:Pipeline")


def test_a_class_of_one_document_cannot_be_compared():
    texts, y = documents()
    y = ["tin", *y[1:]]
    with pytest.raises(ValueError, match=r"'tin' has 1 document, and 5 folds need .* 5; gather"):
        compare(texts, y, classes="tin")
    with pytest.raises(ValueError, match="'tin' has 1 document, and at least 2 are needed; gather"):
        compare(texts, y, classes="tin", test=(texts, y))


def test_numbers_of_numpy_are_as_good_as_pythons(comparison):
    texts, y = documents()
    options = {"share": np.float64(0.2), "folds": np.int64(3), "repeats": np.int32(2)}
    found = compare(texts, y, methods=FEW, random_state=np.int64(0), **options)
    assert found.recommendations == comparison.recommendations  # the Python to copy included
    assert found.signature == comparison.signature
    assert json.loads(found.to_json())["settings"] == json.loads(comparison.to_json())["settings"]


@pytest.mark.parametrize("container", [list, tuple, set, np.array, pl.Series, dict.fromkeys, iter])
def test_classes_come_in_any_container(container):
    texts, y = documents()
    found = compare(texts, y, classes=container(["oil"]), methods=[], folds=2, repeats=1)
    assert found.plan.classes == ("oil",)


def test_a_method_that_is_written_in_several_ways_is_one_method():
    texts, y = documents()
    methods = ["Plain", "ros", "ROS", "emco(.1)", "emco( 0.1 )", "threshold(ros,f1)"]
    found = compare(texts, y, methods=methods, folds=2, repeats=1)
    # Called as it was written first.
    assert found.plan.methods == ("plain", "ros", "emco(.1)", "threshold(ros,f1)")


class Scoreless(LogisticRegression):
    """Scores that are not one number per document, once classes have weights."""

    def decision_function(self, X):
        scores = super().decision_function(X)
        return scores * np.nan if self.class_weight else scores


class TwoColumns(LogisticRegression):
    def decision_function(self, X):
        scores = super().decision_function(X)
        return np.column_stack([-scores, scores])


def test_a_classifier_without_scores_is_a_failure_of_its_method():
    texts, y = documents()
    options = {"methods": ["class-weight", "ros"], "folds": 2, "repeats": 1}
    found = compare(texts, y, classifier=Scoreless(), **options)
    assert found.table()["method"].to_list() == ["plain", "ros"]
    assert any("class-weight failed on 2" in w and "holds NaN" in w for w in found.warnings)
    with pytest.raises(ValueError, match=r"decision_function .* TwoColumns has 2 dimensions"):
        compare(texts, y, classifier=TwoColumns(), **options)


def test_labels_that_cannot_be_compared():
    with pytest.raises(ValueError, match="y has only one class, 'a'"):
        compare(["x", "y"], ["a", "a"])
    with pytest.raises(ValueError, match="2 documents and y has 1 labels"):
        compare(["x", "y"], ["a"])
    with pytest.raises(TypeError, match=r"mixes .* and strings"):
        compare(["x", "y", "z"], [1, "1", 2])
    with pytest.raises(ValueError, match=r"y\[1\] is 'b', and other documents have collections"):
        compare(["x", "y"], [{"a"}, "b"])
    with pytest.raises(ValueError, match=r"2 documents and test\[1\] has 1 labels"):
        compare(["x", "y"], ["a", "b"], test=(["x", "y"], ["a"]))


def test_a_class_that_lacks_less_than_a_document_is_compared():
    texts = [f"the market rose {i}" for i in range(30)] + [f"oil was found {i}" for i in range(6)]
    found = compare(texts, [False] * 30 + [True] * 6, methods=["emco(0.1)"], folds=2, repeats=1)
    assert found.illustration == {}
