"""A recommendation in words, from the numbers of a comparison."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, get_args

from imbtext.comparison._applying import Application, snippet
from imbtext.comparison._choice import SAME, Numbers, Strength, choose, effort, titled
from imbtext.methods import get_method
from imbtext.metrics import METRIC_TABLE

Verdict = Literal["keep the plain classifier", "do not oversample", "oversample"]
_VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)


@dataclass(frozen=True)
class Recommendation:
    """What to do about one class, and why.

    Attributes
    ----------
    method : str
        The method to use.
    verdict : str
        ``"keep the plain classifier"``, ``"do not oversample"`` or ``"oversample"``.
    strength : {"clear", "on average", "none"}
        How sure the gain over the plain classifier is: clear after Holm's correction, seen on
        average only, or none.
    headline, reason, gain, trade : str
        The recommendation, why, what to expect with its uncertainty, and what it costs.
    others : str
        What would be chosen by other measures, as far as that can be said.
    snippet : str
        Python that applies it to ``texts``, ``y`` and ``new_texts``.
    command : str
        The command or commands that apply it, one per line; empty where there is none.
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


def recommend(found: Numbers, metric: str, application: Application) -> Recommendation:
    """Turn the averages and tests of one class into a recommendation."""
    chosen = choose(found, metric)
    words = _Wording(found, metric, chosen)
    return Recommendation(
        method=chosen,
        verdict=_VERDICTS[min(effort(chosen), 2)],
        strength=found.strength(metric, chosen, found.plain),
        headline=words.headline(),
        reason=words.reason(),
        gain=words.gain(),
        trade=words.trade(),
        others=words.others(),
        snippet=snippet(chosen, application),
        command=""
        if application.write_command is None
        else application.write_command(chosen, application),
    )


def with_exceptions(
    recommendations: Mapping[str, Recommendation], mean: str
) -> dict[str, Recommendation]:
    """Name in the headline for the mean of classes every class with other advice."""
    if mean not in recommendations:
        return dict(recommendations)
    overall = recommendations[mean]
    others: dict[str, list[str]] = {}
    for name, found in recommendations.items():
        if found.method != overall.method:
            others.setdefault(found.method, []).append(name)
    told = "; ".join(f"{titled(method)} for {_joined(names)}" for method, names in others.items())
    headline = f"On average over the classes, {overall.headline[:1].lower()}{overall.headline[1:]}"
    if told:
        headline += f" Other advice by class: {told}."
    return {**recommendations, mean: replace(overall, headline=headline)}


@dataclass(frozen=True)
class _Wording:
    """The sentences about one choice."""

    found: Numbers
    metric: str
    chosen: str

    @property
    def title(self) -> str:
        return METRIC_TABLE[self.metric].title

    def headline(self) -> str:
        found, words = self.found, titled(self.chosen)
        if not found.better_than_chance():
            return "Keep the plain classifier: no method tells this class from the rest."
        rank = effort(self.chosen)
        if rank == 0:
            return "Keep the plain classifier: nothing here is reliably better."
        sure = found.strength(self.metric, self.chosen, found.plain) == "clear"
        surely = "" if sure else " (better on average, not certainly)"
        return f"{'Do not oversample' if rank == 1 else 'Oversample'}: use {words}{surely}."

    def reason(self) -> str:
        if not self.found.better_than_chance():
            return (
                "No method ranks documents of the class above others better than chance would (ROC "
                "AUC about 0.5), so whatever the other measures say is noise. Look at the labels, "
                "or gather more documents of the class."
            )
        parts = [] if self.chosen == self.found.plain else [self._why_not_plain()]
        parts += self._why_no_more()
        if not parts:
            parts.append(f"By {self.title}, no method is better than {titled(self.found.plain)}.")
        return " ".join(parts)

    def _why_not_plain(self) -> str:
        found, words = self.found, titled(self.chosen)
        plain = titled(found.plain)
        doubt = _doubt(found.test(self.metric, self.chosen, found.plain))
        are, ask = ("are", "ask") if words.endswith("weights") else ("is", "asks")
        if found.strength(self.metric, self.chosen, found.plain) == "clear":
            reason = f"By {self.title}, {words} {are} clearly better than {plain}{doubt}."
        else:
            reason = (
                f"By {self.title}, {words} {are} better than {plain} on average{doubt}, and {ask} "
                "for no new documents."
            )
        rivals = [m for m in found.methods if 0 < effort(m) < effort(self.chosen)]
        rival = found.best(self.metric, rivals) if rivals else found.plain
        versus = found.test(self.metric, self.chosen, rival) if rivals else None
        if versus is not None:
            reason += (
                f" Against the best simple remedy, {titled(rival)}, it is ahead by "
                f"{versus['difference']:.3f}{_doubt(versus)}."
            )
        return reason

    def _why_no_more(self) -> list[str]:
        found, words = self.found, titled(self.chosen)
        others = [method for method in found.methods if effort(method) > effort(self.chosen)]
        if not others:
            return []
        top = found.best(self.metric, others)
        difference = found.mean(self.metric, top) - found.mean(self.metric, self.chosen)
        kind = "oversampler" if effort(self.chosen) < 2 <= effort(top) else "alternative"
        if difference < SAME:
            behind = f"is {-difference:.3f} behind" if difference <= -SAME else "does as well"
            return [
                f"By {self.title}, no {kind} is better than {words}; the best, {titled(top)}, "
                f"{behind}."
            ]
        test = found.test(self.metric, top, self.chosen)
        parts = [
            f"By {self.title}, the best {kind}, {titled(top)}, is ahead of {words} by "
            f"{difference:.3f}{_doubt(test)}: too little, or too uncertain, to ask more of you."
        ]
        if difference >= 0.02:
            parts.append(
                "If a gain of that size matters to you, more documents of the class would settle "
                "it."
            )
        return parts

    def gain(self) -> str:
        found, chosen = self.found, self.chosen
        interval = _interval(*found.limits(self.metric, chosen), ".3f")
        expected = f"Expect {self.title} of about {found.mean(self.metric, chosen):.3f}{interval}"
        test = found.test(self.metric, chosen, found.plain)
        if chosen == found.plain or test is None:
            return f"{expected}."
        limits = _interval(test["lower"], test["upper"], "+.3f")
        return f"{expected}: {test['difference']:+.3f} against {titled(found.plain)}{limits}."

    def trade(self) -> str:
        found, plain = self.found, self.found.plain
        recall, precision = found.mean("recall", self.chosen), found.mean("precision", self.chosen)
        now = f"It finds {100 * recall:.0f} of 100 documents of the class"
        alarms = f"and {100 * precision:.0f} of 100 of its alarms are right"
        if self.chosen == plain:
            return f"{now}, {alarms}."
        before, before_precision = found.mean("recall", plain), found.mean("precision", plain)
        return (
            f"{now} ({100 * before:.0f} of 100 for {titled(plain)}), {alarms} "
            f"({100 * before_precision:.0f} of 100). Recall {recall - before:+.3f}, "
            f"precision {precision - before_precision:+.3f}."
        )

    def others(self) -> str:
        """Say what other measures would choose, where that can be said.

        A threshold tuned for one measure tells nothing of one tuned for another, so a measure of
        decisions is spoken of only where a threshold was tuned for it; a measure of the ranking
        needs none.
        """
        choices: dict[str, list[str]] = {}
        for other in ("balanced_accuracy", "f1", "f2", "average_precision"):
            methods = self.found.methods
            if other == self.metric:
                continue
            if METRIC_TABLE[other].of_ranking is None:
                if not any(get_method(m).scoring == other for m in methods):
                    continue
                methods = [m for m in methods if get_method(m).scoring in (None, other)]
            choice = choose(self.found, other, methods)
            if METRIC_TABLE[other].of_ranking is not None and _ranks_alike(choice, self.chosen):
                choice = self.chosen
            choices.setdefault(choice, []).append(METRIC_TABLE[other].title)
        return " ".join(
            f"By {_joined(names)} the choice would be "
            + ("the same." if choice == self.chosen else f"{titled(choice)}.")
            for choice, names in choices.items()
        )


def _ranks_alike(method: str, other: str) -> bool:
    """Say whether two methods differ in the threshold alone, which leaves the ranking as it is."""
    first, second = (
        (made.family, dict(made.parameters), made.class_weight)
        for made in (get_method(method), get_method(other))
    )
    return first == second


def _interval(lower: float, upper: float, form: str) -> str:
    return "" if math.isnan(lower) else f" (95 % interval {lower:{form}} to {upper:{form}})"


def _doubt(test: Mapping[str, Any] | None) -> str:
    if test is None or math.isnan(test["p_value"]):
        return ""
    if test["p_holm"] < 0.05:
        return f" ({_p(test['p_holm'])} after Holm's correction)"
    return f" ({_p(test['p_value'])} on its own, {_p(test['p_holm'])} after Holm's correction)"


def _joined(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 2 else names)


def _p(value: float) -> str:
    return (
        "p < 0.001" if value < 0.001 else f"p = {value:.3f}" if value < 0.1 else f"p = {value:.2f}"
    )
