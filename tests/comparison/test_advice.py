"""Recommendations: what the numbers of a comparison turn into, in words and in code that runs."""

import math
from dataclasses import replace

import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from imbtext.comparison._advice import recommend, titled
from imbtext.comparison._choice import Evidence, simple_baselines
from imbtext.comparison._settings import MEAN_OF_CLASSES, SHOWN_METRICS
from imbtext.comparison._snippet import snippet
from imbtext.metrics import Confusion
from tests.comparison_plan import comparison_plan as plan


def numbers(means, p_values, auc=0.9):
    """A summary and tests of one class: F1 means, and p-values of (method, reference) pairs."""
    rows = []
    for method, mean in means.items():
        for metric in SHOWN_METRICS:
            value = auc if metric == "roc_auc" and not math.isnan(mean) else mean
            limits = {"lower": value - 0.01, "upper": value + 0.01}
            rows.append(
                {"class": "oil", "method": method, "metric": metric, "mean": value, **limits}
            )
    tests = []
    for reference in ["plain", *simple_baselines(list(means))]:
        for method in means:
            if method != reference:
                p = p_values.get((method, reference), 1.0)
                difference = means[method] - means[reference]
                for metric in SHOWN_METRICS:
                    tests.append(
                        {
                            "class": "oil",
                            "metric": metric,
                            "method": method,
                            "reference": reference,
                            "difference": difference,
                            "lower": difference - 0.1,
                            "upper": difference + 0.1,
                            "p_value": p,
                            "p_holm": min(1.0, 2 * p),
                            "test": "t",
                        }
                    )
    return pl.DataFrame(rows), pl.DataFrame(tests)


def advice(means, p_values, **options):
    summary, tests = numbers(means, p_values, **options)
    return recommend(Evidence("oil", summary, tests), plan("oil"))


def test_an_oversampler_that_is_not_credibly_better_is_not_advised():
    found = advice({"plain": 0.5, "emco(0.1)": 0.6}, {("emco(0.1)", "plain"): 0.04})
    assert (found.method, found.strength) == ("plain", "none")
    assert found.headline.startswith("Keep the plain classifier")
    assert "p = 0.040 on its own, p = 0.080 after Holm's correction" in found.reason
    assert "label more documents of the class to settle it" in found.reason
    assert found.command == ""


def test_a_free_remedy_is_advised_where_it_is_better_on_average():
    found = advice({"plain": 0.5, "threshold(f1)": 0.55, "emco(0.1)": 0.6}, {})
    assert (found.method, found.strength) == ("threshold(f1)", "on average")
    assert found.headline == "Use a tuned decision threshold (better on average, but not clearly)."
    assert "better than the plain classifier on average" in found.reason


@pytest.mark.parametrize("mean", [0.499, 0.5, 0.5004])
def test_a_free_remedy_that_is_no_better_is_not_advised(mean):
    assert advice(
        {"plain": 0.5, "class-weight": mean}, {("class-weight", "plain"): 1e-6}
    ).method == ("plain")


def test_a_threshold_that_does_the_same_is_preferred_to_oversampling():
    means = {"plain": 0.5, "threshold(f1)": 0.6, "ros": 0.58, "emco(0.1)": 0.61}
    sure = {(m, "plain"): 0.001 for m in means}
    found = advice(means, sure)
    assert found.method == "threshold(f1)"
    assert found.verdict == "do not oversample"
    assert found.strength == "clear"
    assert found.headline == "Use a tuned decision threshold."
    assert "the best oversampler, EMCO with gamma 0.1, is ahead" in found.reason


def test_oversampling_is_recommended_where_it_beats_the_simple_remedies_too():
    means = {"plain": 0.5, "threshold(f1)": 0.55, "ros": 0.56, "emco(0.1)": 0.7}
    sure = {("emco(0.1)", reference): 0.001 for reference in means}
    found = advice(means, sure)
    assert (found.method, found.verdict, found.strength) == ("emco(0.1)", "oversample", "clear")
    assert (
        "Against the best simple remedy, random oversampling, it is ahead by 0.140" in found.reason
    )
    assert "+0.200 against the plain classifier (95% interval +0.100 to +0.300)" in found.gain


def test_random_oversampling_that_does_the_same_is_preferred_to_emco():
    means = {"plain": 0.5, "threshold(f1)": 0.5, "ros": 0.6, "emco(0.1)": 0.61}
    sure = {(m, r): 0.001 for m in ("ros", "emco(0.1)") for r in ("plain", "threshold(f1)")}
    assert advice(means, sure).method == "ros"


def test_a_gain_too_small_to_matter_is_no_gain():
    found = advice({"plain": 0.5, "emco(0.1)": 0.505}, {("emco(0.1)", "plain"): 1e-6})
    assert found.method == "plain"


def test_a_worse_method_is_not_recommended_however_sure_the_difference():
    found = advice({"plain": 0.5, "emco(0.1)": 0.3}, {("emco(0.1)", "plain"): 1e-6})
    assert found.method == "plain"
    assert "no oversampler is better" in found.reason


def test_other_measures_are_spoken_of_only_where_a_threshold_was_tuned_for_them():
    means = {"plain": 0.5, "threshold(f1)": 0.6}
    assert advice(means, {}).others == ("By average precision the choice would be the same.")
    both = advice({**means, "threshold(f2)": 0.55}, {})
    assert both.method == "threshold(f1)"
    # By F2 the threshold tuned for F1 is not even looked at.
    assert "By F2 the choice would be a tuned decision threshold" in both.others
    assert "balanced" not in both.others


def test_no_better_than_chance_is_said():
    found = advice({"plain": 0.0, "emco(0.1)": 0.3}, {("emco(0.1)", "plain"): 1e-6}, auc=0.505)
    assert found.method == "plain"
    assert "no method tells this class from the rest" in found.headline


def test_too_few_folds_to_say_is_not_chance():
    summary, tests = numbers({"plain": 0.4, "ros": 0.5}, {}, auc=0.89)
    wide = pl.when(pl.col("metric") == "roc_auc").then(0.2).otherwise("lower").alias("lower")
    evidence = Evidence("oil", summary.with_columns(wide), tests)
    found = recommend(evidence, replace(plan("oil"), folds=2, repeats=1))
    assert found.method == "plain"
    assert found.headline == "Keep the plain classifier: there are too few folds to say more."
    assert "2 folds are too few to say whether any method ranks documents better" in found.reason
    assert "the ROC AUC of the plain classifier is 0.89 on average" in found.reason
    assert "Use more folds or repeats" in found.reason
    found = recommend(evidence, plan("oil"))
    assert "There are too few documents of the class to say" in found.reason
    # A time limit ended the ten rounds that were asked for after two.
    found = recommend(replace(evidence, n_rounds=2), plan("oil"))
    assert "2 folds are too few to say" in found.reason
    near = Evidence("oil", numbers({"plain": 0.4}, {}, auc=0.505)[0], tests)
    assert recommend(near, plan("oil")).headline.endswith("tells this class from the rest.")


def test_a_p_value_that_no_correction_changes_is_told_once():
    summary, tests = numbers({"plain": 0.5, "ros": 0.6}, {("ros", "plain"): 0.097})
    evidence = Evidence("oil", summary, tests.with_columns(p_holm="p_value"))
    found = recommend(evidence, plan("oil"))
    assert "(p = 0.097)" in found.reason
    assert "Holm" not in found.reason


def test_the_result_is_one_sentence_of_counts():
    summary, tests = numbers({"plain": 0.5, "threshold(f1)": 0.6}, {})
    counts = {"plain": Confusion(1, 0, 9, 91), "threshold(f1)": Confusion(2.5, 0.6, 9, 91)}

    def result(names=("oil",), **changed):
        evidence = Evidence("oil", summary, tests, counts | changed)
        return recommend(evidence, plan(*names)).result

    assert result() == (
        "Finds 3 of the 9 \u201coil\u201d documents (the plain classifier: 1); 3 of 4 alarms are "
        "right (1 of 1)."
    )
    silent_before = result(plain=Confusion(0, 0, 9, 91))
    assert silent_before.endswith("3 of 4 alarms are right (no alarm).")
    silent = Confusion(0, 0, 9, 91)
    assert result(**{"threshold(f1)": silent}).endswith(
        "(the plain classifier: 1); it raises no alarm (1 of 1)."
    )


def test_the_result_stands_beside_the_best_free_remedy_and_not_the_plain_classifier_alone():
    means = {"plain": 0.5, "class-weight": 0.55, "threshold(f1)": 0.58, "rare(f1)": 0.6}
    found = {"plain": 55, "class-weight": 70, "threshold(f1)": 80, "rare(f1)": 82}
    counts = {method: Confusion(n, 10, 102, 900) for method, n in found.items()}
    summary, tests = numbers(means | {"rare(f1, words)": 0.59}, {})
    counts["rare(f1, words)"] = counts["rare(f1)"]  # a variant of ours is no rival
    said = recommend(Evidence("oil", summary, tests, counts), plan("oil")).result
    assert said == (
        "Finds 82 of the 102 \u201coil\u201d documents (a tuned decision threshold: 80, the plain "
        "classifier: 55); 82 of 92 alarms are right (80 of 90, 55 of 65)."
    )


def test_the_result_of_several_classes_is_an_average():
    summary, tests = numbers({"plain": 0.5, "threshold(f1)": 0.6}, {})
    evidence = Evidence("oil", summary, tests)
    assert recommend(evidence, plan("oil", "tin")).result == (
        "Finds 60 of 100 documents on average over 2 classes (the plain classifier: 50); 60 of 100 "
        "alarms are right (50)."
    )


def test_several_classes_that_cannot_be_told_from_the_rest_are_not_called_one():
    summary, tests = numbers({"plain": 0.0, "ros": 0.3}, {}, auc=0.505)
    mean = pl.lit(MEAN_OF_CLASSES).alias("class")
    evidence = Evidence(MEAN_OF_CLASSES, summary.with_columns(mean), tests.with_columns(mean))
    found = recommend(evidence, plan("oil", "tin"))
    assert found.result == "No method tells these 2 classes from the rest."
    assert found.headline == (
        "Keep the plain classifier: no method tells these classes from the rest."
    )
    assert "gather more documents of these classes" in found.reason


def test_a_recommendation_is_shown_in_words():
    found = advice({"plain": 0.5, "rare(f2)": 0.6}, {})
    shown = repr(found).splitlines()
    assert shown[:2] == [found.result, found.headline]
    assert shown[-1].startswith("in_class = model.predict(new_texts)")
    assert "rare(f2)" not in repr(found)


def test_methods_that_failed_do_not_count_as_no_better_than_chance():
    means = {"plain": 0.5, "threshold(f1)": 0.6, "ros": math.nan, "emco(0.1)": math.nan}
    assert advice(means, {}).method == "threshold(f1)"


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("emco(heaps)", "EMCO with gamma heaps"),
        ("threshold", "a tuned decision threshold"),
        ("threshold(emco(gamma=0.5), f2)", "EMCO with gamma 0.5 and a tuned threshold"),
        ("borderline-smote", "borderline SMOTE"),
    ],
)
def test_methods_in_words(method, words):
    assert titled(method) == words


# What applies it -------------------------------------------------------------------------------

HOSTILE = "o'il \"<script>\n=cmd()"


@pytest.mark.parametrize(
    "method",
    ["plain", "class-weight", "threshold(f1)", "ros", "emco(0.1)", "threshold(emco(1), f2)"],
)
@pytest.mark.parametrize("label", ["oil", HOSTILE])
def test_the_snippet_runs(method, label):
    texts = ["oil price up", "oil down", "crude oil"] * 3 + ["rain", "sun", "snow and rain"] * 8
    names = {
        "texts": texts,
        "y": [label] * 9 + ["weather"] * 24,
        "new_texts": ["oil oil up", "rain and sun"],
    }
    exec(snippet(method, plan(label)), names)
    assert names["in_class"].tolist() == [True, False]


def test_the_snippet_runs_for_several_classes_and_multi_label():
    labels = [{"a"}] * 6 + [{"a", "b"}] * 6 + [set()] * 18
    names = {
        "texts": ["apple pie"] * 6 + ["apple banana"] * 6 + ["rain", "snow", "sun"] * 6,
        "y": labels,
        "new_texts": ["apple", "rain"],
    }
    classifier = LogisticRegression(C=10.0)
    both = plan("a", "b", multilabel=True, share=0.45, random_state=0, estimator=classifier)
    exec(snippet("ros", both), names)
    assert names["in_class"]["a"].tolist() == [True, False]
    assert set(names["in_class"]) == {"a", "b"}
