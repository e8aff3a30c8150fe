"""The advice: what to do about a class, why, and what it costs.

The rule that chooses the method is in ``_choice.py``, and ``_snippet.py`` writes the Python that
follows the advice.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from imbtext.comparison._choice import LEVEL, SAME, Cost, Evidence, Strength, beside, choose
from imbtext.comparison._headline import Finds, in_words
from imbtext.comparison._meaning import what_meaning_adds
from imbtext.comparison._plan import Plan
from imbtext.comparison._settings import deciding_metric
from imbtext.comparison._snippet import snippet
from imbtext.methods._registry import get_method
from imbtext.metrics import METRIC_TABLE

# With this many folds, more folds would not help: more documents would.
_ENOUGH_FOLDS: Final = 5
# Classes that a headline names.
_MOST_NAMED: Final = 4

Verdict = Literal["keep the plain classifier", "do not oversample", "oversample"]
_VERDICTS: Final[dict[Cost, Verdict]] = {
    Cost.NOTHING: "keep the plain classifier",
    Cost.SETTING: "do not oversample",
    Cost.COPIES: "oversample",
    Cost.SYNTHESIS: "oversample",
}


def titled(method: str) -> str:
    """Return what a sentence calls a method."""
    return get_method(method).title


@dataclass(frozen=True, repr=False)
class Recommendation:
    """What to do about one class, and why. Print it to read it.

    Attributes
    ----------
    method : str
        The method to use.
    verdict : str
        ``"keep the plain classifier"``, ``"do not oversample"`` or ``"oversample"``.
    strength : {"clear", "on average", "none"}
        How sure the gain over the plain classifier is: clear after Holm's correction, seen on
        average only, or none.
    result : str
        One sentence: what the method finds, how many of its alarms are right, and the same for the
        best free remedy and the plain classifier.
    headline, reason, gain : str
        The recommendation, why, and what to expect with its uncertainty.
    others : str
        What a sentence encoder adds, if one was compared, and what other measures would choose, as
        far as the comparison can say.
    snippet : str
        Python that applies it to ``texts``, ``y`` and ``new_texts``.
    command : str
        The command or commands that apply it, one per line. It is empty if the documents did not
        come from a file or no command does it, see `Comparison.with_commands`.
    """

    method: str
    verdict: Verdict
    strength: Strength
    result: str
    headline: str
    reason: str
    gain: str
    others: str
    snippet: str
    command: str = ""

    def __repr__(self) -> str:
        sentences = [self.result, self.headline, self.reason, self.gain, self.others]
        return "\n".join([*filter(None, sentences), "", self.snippet])


def recommend(evidence: Evidence, plan: Plan) -> Recommendation:
    """Turn the averages and tests of one class, or of the mean of classes, into a recommendation.

    `plan` is that of the comparison, with the class, or the classes, that the advice is for.
    """
    method = choose(evidence, plan.metric)
    wording = _Wording(evidence, plan, method)
    return Recommendation(
        method=method,
        verdict=_VERDICTS[Cost.of(method)],
        strength=evidence.strength(plan.metric, method, evidence.plain),
        result=wording.result(),
        headline=wording.headline(),
        reason=wording.reason(),
        gain=wording.gain(),
        others=wording.others(),
        snippet=snippet(method, plan),
    )


def with_exceptions(
    recommendations: Mapping[str, Recommendation], mean: str
) -> dict[str, Recommendation]:
    """Add to the headline for the mean of classes what the classes with other advice need."""
    if mean not in recommendations:
        return dict(recommendations)
    overall = recommendations[mean]
    others: dict[str, list[str]] = {}
    for name, advice in recommendations.items():
        if advice.method != overall.method:
            others.setdefault(advice.headline, []).append(name)
    parts = [
        "For all classes together",
        *(f"For {_class_names(names)} alone" for names in others.values()),
    ]
    headlines = (f"{text[:1].lower()}{text[1:]}" for text in (overall.headline, *others))
    headline = " ".join(f"{part}, {text}" for part, text in zip(parts, headlines, strict=True))
    return {**recommendations, mean: replace(overall, headline=headline)}


@dataclass(frozen=True)
class _Wording:
    """The sentences about one choice."""

    evidence: Evidence
    plan: Plan
    chosen: str

    @property
    def metric(self) -> str:
        return self.plan.metric

    @property
    def metric_title(self) -> str:
        return deciding_metric(self.metric).title

    @property
    def chosen_title(self) -> str:
        return titled(self.chosen)

    @property
    def plain_title(self) -> str:
        return titled(self.evidence.plain)

    @property
    def is_mean(self) -> bool:
        """Whether the advice is for several classes together."""
        return len(self.plan.to_find) > 1

    @property
    def is_counted(self) -> bool:
        """Whether there are counts of documents, not only averages."""
        shown = {self.chosen, *beside(self.evidence, self.metric, self.chosen)}
        return shown <= self.evidence.counts.keys()

    @property
    def of_class(self) -> str:
        return "of these classes" if self.is_mean else "of the class"

    @property
    def kind_of_documents(self) -> str:
        return "test documents" if self.plan.n_test else "documents"

    def headline(self) -> str:
        evidence = self.evidence
        ranking = evidence.ranking()
        if ranking == "chance":
            classes = "these classes" if self.is_mean else "this class"
            return f"Keep the plain classifier: no method tells {classes} from the rest."
        if ranking == "unclear":
            return f"Keep the plain classifier: there are too few {self._shortage} to say more."
        if Cost.of(self.chosen) is Cost.NOTHING:
            return "Keep the plain classifier: nothing here is reliably better."
        is_clear = evidence.strength(self.metric, self.chosen, evidence.plain) == "clear"
        caveat = "" if is_clear else " (better on average, but not clearly)"
        return f"Use {self.chosen_title}{caveat}."

    def result(self) -> str:
        """Say what is found and how many alarms are right, beside the best free remedy.

        The counts are the ones that the rest of a report repeats. The mean of classes has no
        counts, so it gives averages per hundred.
        """
        evidence = self.evidence
        n_classes = len(self.plan.to_find)
        documents = f"\u201c{evidence.name}\u201d {self.kind_of_documents}"
        if evidence.ranking() == "chance":
            classes = f"these {n_classes} classes" if self.is_mean else documents
            return f"No method tells {classes} from the rest."
        if self.is_mean:
            documents = f"documents on average over {n_classes} classes"
        rivals = beside(evidence, self.metric, self.chosen)
        finds = [self._finds(method) for method in (self.chosen, *rivals)]
        found, right = in_words(finds, documents)
        return f"Finds {found}; {right}."

    def _finds(self, method: str) -> Finds:
        if self.is_counted:
            counts = self.evidence.counts[method]
            return Finds.counted(titled(method), counts.found, counts.alarms, counts.n_class)
        recall, precision = (self.evidence.mean(name, method) for name in ("recall", "precision"))
        return Finds.per_hundred(titled(method), recall, precision)

    def reason(self) -> str:
        if self.evidence.ranking() == "chance":
            return (
                f"No method ranks documents {self.of_class} better than chance (ROC AUC about "
                "0.5), so the other measures are noise. Check the labels, or gather more documents "
                f"{self.of_class}."
            )
        if self.evidence.ranking() == "unclear":
            return self._why_unclear()
        parts = [] if self.chosen == self.evidence.plain else [self._why_not_plain()]
        parts += self._why_nothing_costlier()
        if not parts:
            parts.append(f"By {self.metric_title}, no method is better than {self.plain_title}.")
        return " ".join(parts)

    @property
    def _n_rounds(self) -> int:
        return self.evidence.n_rounds or len(self.plan.rounds)

    @property
    def _shortage(self) -> str:
        """What there are too few of."""
        if self.plan.n_test:
            return "test documents"
        few_folds = self._n_rounds < _ENOUGH_FOLDS
        return "folds" if few_folds else f"documents {self.of_class}"

    def _why_unclear(self) -> str:
        best = self.evidence.best("roc_auc", self.evidence.methods)
        lower, upper = self.evidence.limits("roc_auc", best)
        remedies = {"folds": "Use more folds or repeats", "test documents": "Use a larger test set"}
        remedy = remedies.get(self._shortage, f"Gather more {self._shortage}")
        n = self._n_rounds
        too_few = f"{_counted(n, 'fold')} {_are(n)} too few"
        if self._shortage != "folds":
            too_few = f"There are too few {self._shortage}"
        interval = _interval(lower, upper, ".2f")
        return (
            f"{too_few} to say whether any method ranks documents better than chance: the ROC AUC "
            f"of {titled(best)} is {self.evidence.mean('roc_auc', best):.2f} on average{interval}. "
            f"{remedy}."
        )

    def _why_not_plain(self) -> str:
        evidence, chosen = self.evidence, self.chosen
        p_value = _in_parentheses(evidence.test(self.metric, chosen, evidence.plain))
        is_plural = self.chosen_title.endswith("weights")
        are, need = ("are", "need") if is_plural else ("is", "needs")
        subject = f"By {self.metric_title}, {self.chosen_title} {are}"
        if evidence.strength(self.metric, chosen, evidence.plain) == "clear":
            reason = f"{subject} clearly better than {self.plain_title}{p_value}."
        else:
            reason = (
                f"{subject} better than {self.plain_title} on average{p_value}, and {need} no "
                "synthetic documents."
            )
        simpler = [m for m in evidence.methods if Cost.NOTHING < Cost.of(m) < Cost.of(chosen)]
        if not simpler:
            return reason
        rival = evidence.best(self.metric, simpler)
        test = evidence.test(self.metric, chosen, rival)
        if test is None:
            return reason
        return (
            f"{reason} Against the best simple remedy, {titled(rival)}, it is ahead by "
            f"{test['difference']:.3f}{_in_parentheses(test)}."
        )

    def _why_nothing_costlier(self) -> list[str]:
        evidence, chosen = self.evidence, self.chosen
        costlier = [method for method in evidence.methods if Cost.of(method) > Cost.of(chosen)]
        if not costlier:
            return []
        rival = evidence.best(self.metric, costlier)
        difference = evidence.mean(self.metric, rival) - evidence.mean(self.metric, chosen)
        only_rival_oversamples = Cost.of(rival).oversamples and not Cost.of(chosen).oversamples
        kind = "oversampler" if only_rival_oversamples else "alternative"
        if difference < SAME:
            behind = f"is {-difference:.3f} behind" if difference <= -SAME else "does as well"
            return [
                f"By {self.metric_title}, no {kind} is better than {self.chosen_title}; the best "
                f"of them, {titled(rival)}, {behind}."
            ]
        test = evidence.test(self.metric, rival, chosen)
        parts = [
            f"By {self.metric_title}, the best {kind}, {titled(rival)}, is ahead of "
            f"{self.chosen_title} by {difference:.3f}{_in_parentheses(test)}. That is too little, "
            "or too uncertain, to be worth the effort."
        ]
        if difference >= 0.02:
            parts.append(
                f"If such a gain matters to you, label more documents {self.of_class} to settle it."
            )
        return parts

    def gain(self) -> str:
        evidence, chosen = self.evidence, self.chosen
        interval = _interval(*evidence.limits(self.metric, chosen), ".3f")
        mean = evidence.mean(self.metric, chosen)
        expected = f"Expect {self.metric_title} to be about {mean:.3f}{interval}"
        test = evidence.test(self.metric, chosen, evidence.plain)
        if chosen == evidence.plain or test is None:
            return f"{expected}."
        limits = _interval(test["lower"], test["upper"], "+.3f")
        return f"{expected}: {test['difference']:+.3f} against {self.plain_title}{limits}."

    def others(self) -> str:
        """Say what other measures would choose, as far as the comparison can say.

        A threshold tuned for one measure says nothing about one tuned for another. So a measure of
        decisions is mentioned only if a threshold was tuned for it; a measure of the ranking needs
        none.
        """
        choices: dict[str, list[str]] = {}
        for other in ("balanced_accuracy", "f1", "f2", "average_precision"):
            methods = self.evidence.methods
            if other == self.metric:
                continue
            if METRIC_TABLE[other].of_ranking is None:
                if not any(get_method(m).scoring == other for m in methods):
                    continue
                methods = [m for m in methods if get_method(m).scoring in (None, other)]
            choice = choose(self.evidence, other, methods)
            if METRIC_TABLE[other].of_ranking is not None and _ranks_alike(choice, self.chosen):
                choice = self.chosen
            choices.setdefault(choice, []).append(METRIC_TABLE[other].title)
        sentences = [
            f"By {_enumerated(names)} the choice would be "
            + ("the same." if choice == self.chosen else f"{titled(choice)}.")
            for choice, names in choices.items()
        ]
        added = what_meaning_adds(self.evidence, self.metric)
        return " ".join([*([added] if added else []), *sentences])


def _ranks_alike(method: str, other: str) -> bool:
    """Say whether two methods differ only in the threshold, which leaves the ranking as it is."""
    first, second = (
        (definition.family, dict(definition.parameters), definition.class_weight)
        for definition in (get_method(method), get_method(other))
    )
    return first == second


def _interval(lower: float, upper: float, form: str) -> str:
    return "" if math.isnan(lower) else f" (95% interval {lower:{form}} to {upper:{form}})"


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _in_parentheses(test: Mapping[str, float] | None) -> str:
    words = "" if test is None else p_values(test)
    return f" ({words})" if words else ""


def p_values(test: Mapping[str, float]) -> str:
    """Return the p-value of a test in words, and the corrected one if that differs.

    Examples
    --------
    >>> p_values({"p_value": 0.04, "p_holm": 0.4})
    "p = 0.040 on its own, p = 0.40 after Holm's correction"
    >>> p_values({"p_value": 0.097, "p_holm": 0.097})
    'p = 0.097'
    """
    if math.isnan(test["p_value"]):
        return ""
    alone, corrected = _equation(test["p_value"]), _equation(test["p_holm"])
    if alone == corrected:
        return alone
    if test["p_holm"] < LEVEL:
        return f"{corrected} after Holm's correction"
    return f"{alone} on its own, {corrected} after Holm's correction"


def _class_names(names: list[str]) -> str:
    """Name classes, the first of them if there are many: a report has a table of all."""
    if len(names) > _MOST_NAMED:
        names = [*names[: _MOST_NAMED - 1], f"{len(names) - _MOST_NAMED + 1} more classes"]
    return _enumerated(names)


def _enumerated(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 2 else names)


def _equation(p_value: float) -> str:
    if p_value < 0.001:
        return "p < 0.001"
    return f"p = {p_value:.3f}" if p_value < 0.1 else f"p = {p_value:.2f}"
