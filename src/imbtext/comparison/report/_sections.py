"""What the sections of a report say, as plain values: the templates give them their form."""

from collections.abc import Mapping
from typing import Any

from imbtext.advice._choice import CLEAR_GAIN, LEVEL
from imbtext.comparison._result import Comparison
from imbtext.comparison._scores import METRIC_NAMES
from imbtext.comparison.report import _charts


def subject(comparison: Comparison) -> str:
    """Return what the report is about: the class, or how many."""
    classes = comparison.settings.classes
    return classes[0] if len(classes) == 1 else f"{len(classes)} rare classes"


def facts(comparison: Comparison) -> list[tuple[str, str]]:
    """Return the key figures, each with what it counts."""
    settings = comparison.settings
    if len(settings.classes) == 1:
        count = comparison.balance.get(settings.classes[0], 0)
        asked = (f"{count:,}", f"of the class, {count / settings.n_documents:.1%}")
    else:
        asked = (f"{len(settings.classes)}", "rare classes, each against the rest")
    design = (
        (f"{settings.n_test:,}", "test documents of their own")
        if settings.n_test
        else (
            f"{settings.repeats} \u00d7 {settings.folds}",
            "repeats \u00d7 folds of cross-validation",
        )
    )
    return [
        (f"{settings.n_documents:,}", "documents"),
        asked,
        (f"{comparison.table().height}", "methods compared"),
        design,
    ]


def recall_precision(comparison: Comparison) -> dict[str, Any]:
    """Return the chart of recall against precision with its key."""
    methods = comparison.table()["method"].to_list()
    return {
        "chart": _charts.recall_precision_chart(comparison),
        "key": [
            {"method": comparison.title(method), "kind": _charts.kind_of(method)}
            for method in methods
        ],
    }


def gamma(comparison: Comparison) -> dict[str, Any]:
    """Return the trade-off of gamma, one frame per gamma; empty where no method has one."""
    rows = {row["method"]: row for row in comparison.table().to_dicts()}
    entries = [e for e in comparison.illustration.get("gammas", []) if e["method"] in rows]
    if not entries:
        return {}
    metric = comparison.settings.metric
    names = list(dict.fromkeys([metric, "recall", "precision"]))
    frames = [
        {
            "label": _gamma_words(entry),
            "tick": _charts.gamma_label(entry),
            "chart": _charts.gamma_chart(comparison, entries, place),
            "facts": [
                *((f"{rows[entry['method']][name]:.3f}", METRIC_NAMES[name]) for name in names),
                (f"{entry['n_new_words']:,}", "new words for the class"),
                (f"{entry['share_new']:.1%}", "of the synthetic text is new words"),
                (f"{entry['found_by_plain']:.0%}", "of its documents found by the plain model"),
            ],
            "examples": entry["examples"],
        }
        for place, entry in enumerate(entries)
    ]
    return {
        "class": comparison.illustration["class"],
        "frames": frames,
        "chosen": _first_shown(comparison, entries),
        "open": any(r.verdict == "oversample" for r in comparison.recommendations.values()),
    }


def growth(comparison: Comparison) -> dict[str, Any]:
    """Return vocabulary growth against Heaps' law; empty where no chain was drawn from."""
    found = comparison.illustration
    return {"chart": _charts.growth_chart(found), **found} if found else {}


def balance(comparison: Comparison) -> str:
    """Return the chart of class sizes."""
    return _charts.balance_chart(comparison)


def measurement(comparison: Comparison) -> list[str]:
    """Return how the numbers came about, a paragraph each."""
    settings = comparison.settings
    if settings.n_test:
        design = (
            f"Every method was trained on all {settings.n_documents:,} documents, "
            f"{settings.repeats} times with different random numbers, and tested on the "
            f"{settings.n_test:,} test documents. Intervals come from a bootstrap of the test "
            "documents."
        )
    else:
        design = (
            f"Cross-validation with {settings.folds} stratified folds, drawn {settings.repeats} "
            "times. Words, idf weights, synthetic documents and thresholds were learnt from the "
            "training side of each fold alone"
            + (", and groups of documents were never split up" if settings.groups else "")
            + ". Folds overlap, so intervals and p-values use the correction of Nadeau and Bengio "
            "(2003)."
        )
    tests = comparison.tests["test"].unique(maintain_order=True).to_list()
    return [
        f"{design} Classifier: {settings.classifier}; features: {settings.features}. "
        f"Oversampling brings a class to a share of {settings.share:g} of all training documents.",
        f"Tests: {'; '.join(tests) or 'none'}. What is free (class weights, a threshold) is "
        "recommended where it is better on average; oversampling only where it is credibly better "
        f"than that: a gain of at least {CLEAR_GAIN:g}, and p below {LEVEL:g} after Holm's "
        "correction.",
    ]


def _gamma_words(entry: Mapping[str, Any]) -> str:
    if entry["method"] == "mco":
        return "gamma 0 (MCO)"
    return f"gamma {_charts.gamma_label(entry)}"


def _first_shown(comparison: Comparison, entries: list[Mapping[str, Any]]) -> int:
    """Begin with the recommended gamma, or else with the best one."""
    methods = [entry["method"] for entry in entries]
    if comparison.recommendation.method in methods:
        return methods.index(comparison.recommendation.method)
    means = {
        row["method"]: row[comparison.settings.metric] for row in comparison.table().to_dicts()
    }
    return max(range(len(methods)), key=lambda i: (means[methods[i]], -i))
