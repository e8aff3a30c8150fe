"""The advice: what to do about a class, why, and what it costs.

The rule that chooses the method is in ``_choice.py``. Here it is put into words: `_SENTENCES` has
every sentence with its gaps, and `_Wording` chooses the sentences and fills the gaps.
``_snippet.py`` writes the Python that follows the advice.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

from imbtext.comparison._choice import LEVEL, SAME, Effort, Evidence, Strength, choose, rivals_of
from imbtext.comparison._headline import Finds, in_words
from imbtext.comparison._plan import Plan
from imbtext.comparison._settings import PLAIN, deciding_metric
from imbtext.comparison._snippet import snippet
from imbtext.methods._registry import get_method
from imbtext.metrics import METRIC_TABLE

# With this many folds, more folds would not help: more documents would.
_ENOUGH_FOLDS: Final = 5
# A gain that more labels could make certain.
_WORTH_SETTLING: Final = 0.02
# Classes that a headline names.
_MOST_NAMED: Final = 4

Verdict = Literal["keep the plain classifier", "do not oversample", "oversample"]
_VERDICTS: Final[dict[Effort, Verdict]] = {
    Effort.NOTHING: "keep the plain classifier",
    Effort.SETTING: "do not oversample",
    Effort.COPIES: "oversample",
    Effort.SYNTHESIS: "oversample",
}
# The sentences by the situation that they describe. `_Wording.common` fills most gaps.
_SENTENCES: Final = {
    # The headline.
    "keep: chance": "Keep the plain classifier: no method tells {classes} from the rest.",
    "keep: unclear": "Keep the plain classifier: there are too few {shortage} to say more.",
    "keep: best": "Keep the plain classifier: nothing here is reliably better.",
    "use: clear": "Use {chosen}.",
    "use: on average": "Use {chosen} (better on average, but not clearly).",
    # What is found.
    "finds nothing": "No method tells {documents} from the rest.",
    "finds": "Finds {found}; {right}.",
    # Why.
    "chance": "No method ranks documents {of_class} better than chance (ROC AUC about 0.5), so the "
    "other measures are noise. Check the labels, or gather more documents {of_class}.",
    "few folds": "{n_folds} too few",
    "few documents": "There are too few {shortage}",
    "unclear": "{too_few} to say whether any method ranks documents better than chance: the ROC "
    "AUC of {best} is {mean:.2f} on average{interval}. {remedy}.",
    "remedy: folds": "Use more folds or repeats",
    "remedy: test documents": "Use a larger test set",
    "remedy: documents": "Gather more {shortage}",
    "better: clear": "By {metric}, {chosen} {are} clearly better than {plain}{p_value}.",
    "better: on average": "By {metric}, {chosen} {are} better than {plain} on average{p_value}, "
    "and {need} no synthetic documents.",
    "better than simple": "Against the best simple remedy, {rival}, it is ahead by "
    "{difference:.3f}{p_value}.",
    "none better": "By {metric}, no method is better than {plain}.",
    "none costlier": "By {metric}, no {kind} is better than {chosen}; the best of them, {rival}, "
    "{behind}.",
    "costlier": "By {metric}, the best {kind}, {rival}, is ahead of {chosen} by "
    "{difference:.3f}{p_value}. That is too little, or too uncertain, to be worth the effort.",
    "worth settling": "If such a gain matters to you, label more documents {of_class} to settle "
    "it.",
    # What to expect.
    "expect": "Expect {metric} to be about {mean:.3f}{interval}",
    "gain": "{expected}: {difference:+.3f} against {plain}{limits}.",
    # What an encoder adds.
    "meaning": "Reading what texts mean, with the encoder {encoder}, adds {difference:+.3f} to "
    "{metric} of RareTextClassifier{limits}.",
    # Other measures.
    "others: same": "By {metrics} the choice would be the same.",
    "others": "By {metrics} the choice would be {other}.",
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
        verdict=_VERDICTS[Effort.of(method)],
        strength=evidence.strength(plan.metric, method, PLAIN),
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
    def is_mean(self) -> bool:
        """Whether the advice is for several classes together."""
        return len(self.plan.to_find) > 1

    @property
    def is_counted(self) -> bool:
        """Whether there are counts of documents, not only averages."""
        shown = {self.chosen, *rivals_of(self.chosen, self.evidence, self.metric)}
        return shown <= self.evidence.counts.keys()

    @cached_property
    def common(self) -> dict[str, str]:
        """The words for the gaps that many sentences have."""
        title = titled(self.chosen)
        is_plural = title.endswith("weights")
        of_class = "of these classes" if self.is_mean else "of the class"
        return {
            "metric": deciding_metric(self.metric).title,
            "chosen": title,
            "plain": titled(PLAIN),
            "are": "are" if is_plural else "is",
            "need": "need" if is_plural else "needs",
            "classes": "these classes" if self.is_mean else "this class",
            "of_class": of_class,
            "shortage": "test documents"
            if self.plan.n_test
            else "folds"
            if self._n_rounds < _ENOUGH_FOLDS
            else f"documents {of_class}",
        }

    @property
    def _n_rounds(self) -> int:
        return self.evidence.n_rounds or len(self.plan.rounds)

    def _sentence(self, situation: str, **gaps: object) -> str:
        """Return the sentence for a situation, its gaps filled."""
        return _SENTENCES[situation].format(**self.common | gaps)

    def _strength(self) -> str:
        strength = self.evidence.strength(self.metric, self.chosen, PLAIN)
        return "clear" if strength == "clear" else "on average"

    def headline(self) -> str:
        ranking = self.evidence.ranking()
        if ranking in ("chance", "unclear"):
            return self._sentence(f"keep: {ranking}")
        if Effort.of(self.chosen) is Effort.NOTHING:
            return self._sentence("keep: best")
        return self._sentence(f"use: {self._strength()}")

    def result(self) -> str:
        """Return what is found and how many alarms are right, beside the best free remedy.

        The counts are the ones that the rest of a report repeats. The mean of classes has no
        counts, so it gives averages per hundred.
        """
        evidence, n_classes = self.evidence, len(self.plan.to_find)
        kind = "test documents" if self.plan.n_test else "documents"
        documents = f"\u201c{evidence.name}\u201d {kind}"
        if evidence.ranking() == "chance":
            documents = f"these {n_classes} classes" if self.is_mean else documents
            return self._sentence("finds nothing", documents=documents)
        if self.is_mean:
            documents = f"documents on average over {n_classes} classes"
        rivals = rivals_of(self.chosen, evidence, self.metric)
        finds = [self._finds(method) for method in (self.chosen, *rivals)]
        found, right = in_words(finds, documents)
        return self._sentence("finds", found=found, right=right)

    def _finds(self, method: str) -> Finds:
        if self.is_counted:
            counts = self.evidence.counts[method]
            return Finds.counted(titled(method), counts.found, counts.false_alarms, counts.n_class)
        recall, precision = (self.evidence.mean(name, method) for name in ("recall", "precision"))
        return Finds.per_hundred(titled(method), recall, precision)

    def reason(self) -> str:
        ranking = self.evidence.ranking()
        if ranking == "chance":
            return self._sentence("chance")
        if ranking == "unclear":
            return self._why_unclear()
        parts = [] if self.chosen == PLAIN else self._why_not_plain()
        parts += self._why_nothing_costlier()
        return " ".join(parts or [self._sentence("none better")])

    def _why_unclear(self) -> str:
        shortage, n = self.common["shortage"], self._n_rounds
        folds = f"{n:,} fold{'' if n == 1 else 's'} {'is' if n == 1 else 'are'}"
        too_few = "few folds" if shortage == "folds" else "few documents"
        is_known = f"remedy: {shortage}" in _SENTENCES
        best = self.evidence.best("roc_auc", self.evidence.methods)
        return self._sentence(
            "unclear",
            too_few=self._sentence(too_few, n_folds=folds),
            best=titled(best),
            mean=self.evidence.mean("roc_auc", best),
            interval=_interval(*self.evidence.limits("roc_auc", best), ".2f"),
            remedy=self._sentence(f"remedy: {shortage if is_known else 'documents'}"),
        )

    def _why_not_plain(self) -> list[str]:
        evidence, chosen = self.evidence, self.chosen
        p_value = _in_parentheses(evidence.test(self.metric, chosen, PLAIN))
        parts = [self._sentence(f"better: {self._strength()}", p_value=p_value)]
        simpler = [m for m in evidence.methods if Effort.NOTHING < Effort.of(m) < Effort.of(chosen)]
        if simpler:
            rival = evidence.best(self.metric, simpler)
            test = evidence.test(self.metric, chosen, rival)
            if test is not None:
                parts.append(self._ahead("better than simple", rival, test["difference"], test))
        return parts

    def _ahead(
        self,
        situation: str,
        rival: str,
        difference: float,
        test: Mapping[str, float] | None,
        **gaps: str,
    ) -> str:
        gaps |= {"rival": titled(rival), "p_value": _in_parentheses(test)}
        return self._sentence(situation, difference=difference, **gaps)

    def _why_nothing_costlier(self) -> list[str]:
        evidence, chosen = self.evidence, self.chosen
        costlier = [method for method in evidence.methods if Effort.of(method) > Effort.of(chosen)]
        if not costlier:
            return []
        rival = evidence.best(self.metric, costlier)
        difference = evidence.mean(self.metric, rival) - evidence.mean(self.metric, chosen)
        only_rival_oversamples = Effort.of(rival).oversamples and not Effort.of(chosen).oversamples
        kind = "oversampler" if only_rival_oversamples else "alternative"
        if difference < SAME:
            behind = f"is {-difference:.3f} behind" if difference <= -SAME else "does as well"
            return [self._sentence("none costlier", kind=kind, rival=titled(rival), behind=behind)]
        test = evidence.test(self.metric, rival, chosen)
        parts = [self._ahead("costlier", rival, difference, test, kind=kind)]
        return (
            [*parts, self._sentence("worth settling")] if difference >= _WORTH_SETTLING else parts
        )

    def gain(self) -> str:
        evidence, chosen = self.evidence, self.chosen
        expected = self._sentence(
            "expect",
            mean=evidence.mean(self.metric, chosen),
            interval=_interval(*evidence.limits(self.metric, chosen), ".3f"),
        )
        test = evidence.test(self.metric, chosen, PLAIN)
        if chosen == PLAIN or test is None:
            return f"{expected}."
        limits = _interval(test["lower"], test["upper"], "+.3f")
        return self._sentence(
            "gain", expected=expected, difference=test["difference"], limits=limits
        )

    def others(self) -> str:
        """Return what other measures would choose, as far as the comparison knows.

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
            self._sentence(
                "others: same" if choice == self.chosen else "others",
                metrics=_enumerated(names),
                other=titled(choice),
            )
            for choice, names in choices.items()
        ]
        return " ".join([*self._meaning_adds(), *sentences])

    def _meaning_adds(self) -> list[str]:
        """Return how much better methods with an encoder are than the same without one."""
        evidence, metric = self.evidence, self.metric
        sentences = []
        for method in evidence.methods:
            encoder = get_method(method).parameters.get("encoder")
            twin = _without_encoder(method, evidence.methods)
            if encoder is None or twin is None:
                continue
            gain = evidence.mean(metric, method) - evidence.mean(metric, twin)
            test = evidence.test(metric, method, twin)
            limits = "" if test is None else _interval(test["lower"], test["upper"], "+.3f")
            sentences.append(
                self._sentence("meaning", encoder=encoder, difference=gain, limits=limits)
            )
        return sentences


def _without_encoder(method: str, methods: Sequence[str]) -> str | None:
    """Return the method that differs only in having no encoder, if it was compared."""
    definition = get_method(method)
    parameters = {**definition.parameters, "encoder": None}
    for other in methods:
        one = get_method(other)
        if one.family == definition.family and dict(one.parameters) == parameters:
            return other
    return None


def _ranks_alike(method: str, other: str) -> bool:
    """Return whether two methods differ only in the threshold, so that they rank alike."""
    first, second = (
        (definition.family, dict(definition.parameters), definition.class_weight)
        for definition in (get_method(method), get_method(other))
    )
    return first == second


def _interval(lower: float, upper: float, form: str) -> str:
    return "" if math.isnan(lower) else f" (95% interval {lower:{form}} to {upper:{form}})"


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
