"""What to do, in words, from the numbers of a comparison.

The rule: the simplest method that no other reliably beats. Methods are ranked by how much they ask
of the user: the plain classifier, then class weights and a tuned threshold (no new documents), then
random oversampling, then everything else; each rank is represented by its best method. One method
beats another clearly if Holm's correction leaves a p below 0.05 and the gain is at least 0.01, and
likely if p is below 0.1 before the correction and the gain at least 0.02. The words say which of
the two it was. Where the ranking of documents is no better than chance there is nothing to choose.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import polars as pl

from imbtext.comparison._applying import Application, command, snippet
from imbtext.methods import get_method
from imbtext.methods._names import parse_name

METRIC_NAMES: Final = {
    "balanced_accuracy": "balanced accuracy",
    "f1": "F1",
    "f2": "F2",
    "recall": "recall",
    "precision": "precision",
    "average_precision": "average precision",
    "roc_auc": "ROC AUC",
}
CLEAR_GAIN: Final = 0.01
LIKELY_GAIN: Final = 0.02

Verdict = Literal["keep the plain classifier", "do not oversample", "oversample"]
Strength = Literal["clear", "likely", "none"]


@dataclass(frozen=True)
class Recommendation:
    """What to do about one class, and why.

    Attributes
    ----------
    method : str
        The method to use.
    verdict : str
        ``"keep the plain classifier"``, ``"do not oversample"`` or ``"oversample"``.
    strength : {"clear", "likely", "none"}
        How sure the gain over the next simpler choice is.
    headline, reason, gain, trade : str
        The recommendation, why, what to expect with its uncertainty, and what it costs.
    others : str
        What would be chosen by the other measures.
    snippet : str
        Python that applies it to ``texts``, ``y`` and ``new_texts``.
    command : str
        The command that applies it; empty where there is nothing to oversample.
    """

    method: str
    verdict: Verdict
    strength: Strength
    headline: str
    reason: str
    gain: str
    trade: str
    others: str
    snippet: str
    command: str


def effort(method: str) -> int:
    """Rank a method by how much it asks of the user.

    Examples
    --------
    >>> [effort(name) for name in ("svm", "threshold(f1)", "ros", "threshold(emco(0.1))")]
    [0, 1, 2, 3]
    """
    made = get_method(method)
    if made.works_on == "classifier":
        return 0 if made.class_weight is None and made.scoring is None else 1
    return 2 if parse_name(method).name == "ros" else 3


def recommend(
    question: str,
    summary: pl.DataFrame,
    tests: pl.DataFrame,
    metric: str,
    plain: str,
    application: Application,
) -> Recommendation:
    """Turn the averages and tests of one class into a recommendation.

    Parameters
    ----------
    question : str
        The class, or the name of the mean of classes.
    summary, tests : polars DataFrame
        As in `Comparison`.
    metric : str
        The measure that decides.
    plain : str
        The method that does nothing about the imbalance.
    application : Application
        What snippet and command need.
    """
    found = _Numbers(question, summary, tests)
    chosen = _choose(found, metric, plain)
    rank = effort(chosen)
    strength = found.strength(metric, chosen, plain)
    if rank and strength == "none":
        # It is another method that beats the plain classifier, and this one is as good and simpler.
        strength = "likely"
    verdict: Verdict = (
        "keep the plain classifier"
        if rank == 0
        else "do not oversample"
        if rank == 1
        else "oversample"
    )
    return Recommendation(
        method=chosen,
        verdict=verdict,
        strength=strength,
        headline=_headline(found, chosen, verdict, strength),
        reason=_reason(found, metric, chosen, plain),
        gain=_gain(found, metric, chosen, plain),
        trade=_trade(found, chosen, plain),
        others=_others(found, metric, chosen, plain),
        snippet=snippet(chosen, application),
        command=command(chosen, application),
    )


@dataclass(frozen=True)
class _Numbers:
    """The rows about one question, looked up by method and metric."""

    question: str
    summary: pl.DataFrame
    tests: pl.DataFrame

    @property
    def methods(self) -> list[str]:
        rows = self.summary.filter((pl.col("class") == self.question) & pl.col("mean").is_not_nan())
        return rows["method"].unique(maintain_order=True).to_list()

    def mean(self, metric: str, method: str) -> float:
        rows = self.summary.filter(
            (pl.col("class") == self.question)
            & (pl.col("metric") == metric)
            & (pl.col("method") == method)
        )
        return float(rows["mean"][0])

    def interval(self, metric: str, method: str) -> str:
        """Return the limits of a mean in words, or nothing where there are none."""
        rows = self.summary.filter(
            (pl.col("class") == self.question)
            & (pl.col("metric") == metric)
            & (pl.col("method") == method)
        )
        lower, upper = rows["lower"][0], rows["upper"][0]
        return "" if math.isnan(lower) else f" (95 % interval {lower:.3f} to {upper:.3f})"

    def best(self, metric: str, methods: list[str]) -> str:
        # Rounded, so that the first and simplest of equals wins whatever the last bit says.
        return max(methods, key=lambda method: round(self.mean(metric, method), 9))

    def beater(self, metric: str, method: str) -> str | None:
        """Return the best of the methods that reliably beat this one."""
        by = [other for other in self.methods if self.strength(metric, other, method) != "none"]
        return self.best(metric, by) if by else None

    def better_than_chance(self) -> bool:
        """Say whether most methods rank documents better than tossing coins would.

        One among many would now and then, by chance.
        """
        rows = self.summary.filter(
            (pl.col("class") == self.question) & (pl.col("metric") == "roc_auc")
        )
        # Without intervals (a single fold) the mean has to do.
        limits = rows.select(pl.col("lower").fill_nan(pl.col("mean")))["lower"]
        return int((limits > 0.5).sum()) > len(limits) / 2

    def test(self, metric: str, method: str, reference: str) -> Mapping[str, Any] | None:
        rows = self.tests.filter(
            (pl.col("class") == self.question)
            & (pl.col("metric") == metric)
            & (pl.col("method") == method)
            & (pl.col("reference") == reference)
        )
        return rows.row(0, named=True) if rows.height else None

    def strength(self, metric: str, method: str, reference: str) -> Strength:
        test = self.test(metric, method, reference)
        if test is None or math.isnan(test["p_value"]):
            return "none"
        if test["p_holm"] < 0.05 and test["difference"] >= CLEAR_GAIN:
            return "clear"
        if test["p_value"] < 0.1 and test["difference"] >= LIKELY_GAIN:
            return "likely"
        return "none"


def _p_words(test: Mapping[str, Any], strength: Strength) -> str:
    if strength == "clear":
        return f"{_p(test['p_holm'])} after Holm's correction"
    return f"{_p(test['p_value'])} on its own, {_p(test['p_holm'])} after Holm's correction"


def _choose(found: _Numbers, metric: str, plain: str) -> str:
    """Return the simplest method that no other reliably beats."""
    if not found.better_than_chance():
        return plain
    candidates = [plain]
    for rank in (1, 2, 3):
        methods = [method for method in found.methods if effort(method) == rank]
        if methods:
            candidates.append(found.best(metric, methods))
    for candidate in candidates[:-1]:
        if found.beater(metric, candidate) is None:
            return candidate
    return candidates[-1]


def simple_baselines(methods: list[str]) -> list[str]:
    """Return the methods a user can have without this package: class weights, threshold, ROS.

    Examples
    --------
    >>> simple_baselines(["svm", "class-weight", "ros", "emco(0.1)"])
    ['class-weight', 'ros']
    """
    return [method for method in methods if effort(method) in (1, 2)]


_DESCRIPTIONS: Final = {
    "svm": "the plain classifier",
    "class-weight": "class weights",
    "threshold": "a tuned decision threshold",
    "ros": "random oversampling",
    "smote": "SMOTE",
    "adasyn": "ADASYN",
    "borderline-smote": "borderline SMOTE",
    "eda": "EDA",
    "mco": "MCO",
    "decom": "DECOM",
    "dro": "DRO",
}


def described(method: str) -> str:
    """Say a method in words.

    Examples
    --------
    >>> described("emco(0.1)")
    'EMCO with gamma 0.1'
    >>> described("threshold(emco(0.1), f1)")
    'EMCO with gamma 0.1 and a tuned threshold'
    """
    call = parse_name(method)
    inner = [str(value) for value in call.args]
    if call.name == "threshold" and inner and get_method(method).works_on != "classifier":
        return f"{described(inner[0])} and a tuned threshold"
    if call.name == "emco":
        gamma = inner[0] if inner else str(dict(call.kwargs).get("gamma", 1.0))
        return "EMCO with gamma from Heaps' law" if gamma == "heaps" else f"EMCO with gamma {gamma}"
    return _DESCRIPTIONS.get(call.name, method)


def _headline(found: _Numbers, chosen: str, verdict: Verdict, strength: Strength) -> str:
    words = described(chosen)
    if not found.better_than_chance():
        return "Keep the plain classifier: no method tells this class from the rest."
    if verdict == "keep the plain classifier":
        return "Keep the plain classifier: nothing here is reliably better."
    surely = "" if strength == "clear" else " (likely better, not certainly)"
    if verdict == "do not oversample":
        return f"Do not oversample: use {words}{surely}."
    return f"Oversample: use {words}{surely}."


def _reason(found: _Numbers, metric: str, chosen: str, plain: str) -> str:
    name, words = METRIC_NAMES[metric], described(chosen)
    if not found.better_than_chance():
        return (
            "No method ranks documents of the class above others better than chance would (ROC "
            "AUC about 0.5), so whatever the other measures say is noise. Look at the labels, or "
            "gather more documents of the class."
        )
    parts = []
    if chosen != plain:
        parts.append(_why_not_plain(found, metric, chosen, plain))
    others = [method for method in found.methods if effort(method) > effort(chosen)]
    if others:
        top = found.best(metric, others)
        difference = found.mean(metric, top) - found.mean(metric, chosen)
        test = found.test(metric, top, chosen)
        doubt = (
            f" ({_p(test['p_value'])} on its own)"
            if test and not math.isnan(test["p_value"])
            else ""
        )
        kind = "oversampler" if effort(chosen) < 2 and effort(top) >= 2 else "alternative"
        if difference > 0:
            parts.append(
                f"By {name}, the best {kind}, {described(top)}, is ahead of {words} by "
                f"{difference:.3f}{doubt}: too little, or too uncertain, to ask more of you."
            )
            if difference >= LIKELY_GAIN:
                parts.append(
                    "If a gain of that size matters to you, more documents of the class would "
                    "settle it."
                )
        else:
            parts.append(
                f"By {name}, no {kind} is better than {words}; the best, {described(top)}, is "
                f"{-difference:.3f} behind."
            )
    if not parts:
        parts.append(f"By {name}, no method is reliably better than {described(plain)}.")
    return " ".join(parts)


def _why_not_plain(found: _Numbers, metric: str, chosen: str, plain: str) -> str:
    name, words = METRIC_NAMES[metric], described(chosen)
    strength = found.strength(metric, chosen, plain)
    test = found.test(metric, chosen, plain)
    simple = [m for m in found.methods if 0 < effort(m) < effort(chosen)]
    if strength != "none" and test is not None:
        sure = "clearly" if strength == "clear" else "likely"
        reason = (
            f"By {name}, {words} is {sure} better than {described(plain)} "
            f"({_p_words(test, strength)})."
        )
    else:
        beater = found.beater(metric, plain) or chosen
        by = found.test(metric, beater, plain)
        sure = found.strength(metric, beater, plain)
        proof = f" ({_p_words(by, sure)})" if by is not None else ""
        reason = (
            f"By {name}, {described(beater)} is likely better than {described(plain)}{proof}, and "
            f"{words} is not reliably behind it while asking less."
        )
    if simple:
        rival = found.best(metric, simple)
        versus = found.test(metric, chosen, rival)
        if versus is not None:
            reason += (
                f" Against the best simple remedy, {described(rival)}, it is ahead by "
                f"{versus['difference']:.3f} ({_p(versus['p_value'])} on its own, "
                f"{_p(versus['p_holm'])} after Holm's correction)."
            )
    return reason


def _gain(found: _Numbers, metric: str, chosen: str, plain: str) -> str:
    value = found.mean(metric, chosen)
    expected = f"Expect {METRIC_NAMES[metric]} of about {value:.3f}{found.interval(metric, chosen)}"
    test = found.test(metric, chosen, plain)
    if chosen == plain or test is None:
        return f"{expected}."
    limits = (
        ""
        if math.isnan(test["lower"])
        else f" (95 % interval {test['lower']:+.3f} to {test['upper']:+.3f})"
    )
    return f"{expected}: {test['difference']:+.3f} against {described(plain)}{limits}."


def _trade(found: _Numbers, chosen: str, plain: str) -> str:
    recall, precision = found.mean("recall", chosen), found.mean("precision", chosen)
    now = f"It finds {_per_hundred(recall)} documents of the class"
    alarms = f"and {_per_hundred(precision)} of its alarms are right"
    if chosen == plain:
        return f"{now}, {alarms}."
    return (
        f"{now} ({_per_hundred(found.mean('recall', plain))} for {described(plain)}), {alarms} "
        f"({_per_hundred(found.mean('precision', plain))}). Recall "
        f"{recall - found.mean('recall', plain):+.3f}, precision "
        f"{precision - found.mean('precision', plain):+.3f}."
    )


def _others(found: _Numbers, metric: str, chosen: str, plain: str) -> str:
    choices: dict[str, list[str]] = {}
    for other in ("balanced_accuracy", "f1", "f2", "average_precision"):
        if other != metric:
            choice = _choose(found, other, plain)
            choices.setdefault(choice, []).append(METRIC_NAMES[other])
    return " ".join(
        f"By {_joined(names)} the choice would be "
        + ("the same." if choice == chosen else f"{described(choice)}.")
        for choice, names in choices.items()
    )


def _joined(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 2 else names)


def _p(value: float) -> str:
    return (
        "p < 0.001" if value < 0.001 else f"p = {value:.3f}" if value < 0.1 else f"p = {value:.2f}"
    )


def _per_hundred(value: float) -> str:
    return f"{100 * value:.0f} of 100"
