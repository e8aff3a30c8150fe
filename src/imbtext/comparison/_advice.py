"""From averages and tests to advice: the rule, its words, and the Python that follows it.

The rule. Free remedies come first. Class weights, a tuned threshold and the like cost nothing but a
setting, so the best of them is taken where it is better on average than the plain classifier.
Oversampling changes the training documents, so it is taken only where it is credibly better than
that choice: by at least 0.01, with a p-value below 0.05 after Holm's correction for all the methods
that were tried. Where no method truly helps, oversampling is then advised for at most one class in
twenty, however many methods were tried. Among oversamplers, random oversampling stays the choice
unless another credibly beats it. Where no method ranks documents better than chance there is
nothing to choose, and neither where too few folds were run to say whether one does; the words tell
these two apart.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from typing import Final, Literal, NamedTuple, Self

import polars as pl
from sklearn.base import BaseEstimator

from imbtext._messages import listed
from imbtext._typing import Record
from imbtext.comparison._settings import Settings, deciding_metric
from imbtext.features import name_of_features
from imbtext.methods import get_method
from imbtext.metrics import METRIC_TABLE, Confusion

CLEAR_GAIN: Final = 0.01
LEVEL: Final = 0.05
# Less than this is the same number as printed.
SAME: Final = 0.0005
# Up to this average of ROC AUC an interval that holds 0.5 means chance; above it, too little data.
_ABOUT_CHANCE: Final = 0.6
# From so many folds on it is documents that are wanting, not folds.
_ENOUGH_FOLDS: Final = 5
_LONGEST_LINE: Final = 88

Strength = Literal["clear", "on average", "none"]
Ranking = Literal["better", "chance", "unclear"]
Verdict = Literal["keep the plain classifier", "do not oversample", "oversample"]


class Cost(IntEnum):
    """What a method asks of the user, from nothing to synthetic documents.

    Examples
    --------
    >>> [Cost.of(name).name for name in ("plain", "threshold(f1)", "ros", "threshold(emco(0.1))")]
    ['NOTHING', 'SETTING', 'COPIES', 'SYNTHESIS']
    >>> Cost.COPIES.oversamples, Cost.SETTING.oversamples
    (True, False)
    """

    NOTHING = 0  # the plain classifier
    SETTING = 1  # class weights, a threshold, or another classifier; the documents stay
    COPIES = 2  # random oversampling
    SYNTHESIS = 3  # any other oversampling

    @classmethod
    def of(cls, method: str) -> "Cost":
        """Return the cost of a method."""
        definition = get_method(method)
        if definition.works_on == "documents":
            return cls.SETTING
        if definition.works_on == "classifier":
            is_plain = definition.class_weight is None and definition.scoring is None
            return cls.NOTHING if is_plain else cls.SETTING
        return cls.COPIES if definition.family == "ros" else cls.SYNTHESIS

    @property
    def oversamples(self) -> bool:
        """Whether the training documents become more."""
        return self >= Cost.COPIES


_VERDICTS: Final[dict[Cost, Verdict]] = {
    Cost.NOTHING: "keep the plain classifier",
    Cost.SETTING: "do not oversample",
    Cost.COPIES: "oversample",
    Cost.SYNTHESIS: "oversample",
}


def titled(method: str) -> str:
    """Return the words that stand for a method in a sentence."""
    return get_method(method).title


def simple_baselines(methods: Sequence[str]) -> list[str]:
    """Return the methods that others have to beat: free remedies and random oversampling."""
    return [method for method in methods if Cost.of(method) in (Cost.SETTING, Cost.COPIES)]


@dataclass(frozen=True, eq=False)
class Evidence:
    """The averages and tests of one class, or of the mean of classes, by metric and method.

    `plain` does nothing about the imbalance; `summary` and `tests` are those of a comparison.
    `counts` are what one pass through the folds finds, by method, on average over `n_passes`; they
    are empty for the mean of classes.
    """

    name: str
    plain: str
    summary: pl.DataFrame
    tests: pl.DataFrame
    counts: Mapping[str, Confusion] = field(default_factory=dict)
    n_passes: int = 1

    @cached_property
    def _averages(self) -> dict[tuple[str, str], Record]:
        rows = self.summary.filter(pl.col("class") == self.name).to_dicts()
        return {(row["metric"], row["method"]): row for row in rows}

    @cached_property
    def _tests(self) -> dict[tuple[str, str, str], Record]:
        rows = self.tests.filter(pl.col("class") == self.name).to_dicts()
        return {(row["metric"], row["method"], row["reference"]): row for row in rows}

    @property
    def methods(self) -> list[str]:
        """The methods that have numbers."""
        rows = self._averages.values()
        return list(dict.fromkeys(row["method"] for row in rows if not math.isnan(row["mean"])))

    def mean(self, metric: str, method: str) -> float:
        """Return the average of a measure."""
        return float(self._averages[metric, method]["mean"])

    def limits(self, metric: str, method: str) -> tuple[float, float]:
        """Return the limits of the 95% interval; not numbers where there is none."""
        row = self._averages[metric, method]
        return row["lower"], row["upper"]

    def best(self, metric: str, methods: Sequence[str]) -> str:
        """Return the method with the largest average, the first of equals."""
        # Rounded, so that the first of equals wins whatever the last bit says.
        return max(methods, key=lambda method: round(self.mean(metric, method), 9))

    def test(self, metric: str, method: str, reference: str) -> Record | None:
        """Return the test of one method against another, if there is one."""
        return self._tests.get((metric, method, reference))

    def strength(self, metric: str, method: str, reference: str) -> Strength:
        """Say how sure it is that a method is better than another."""
        test = self.test(metric, method, reference)
        if test is None:
            return "none"
        p = test["p_holm"]
        if not math.isnan(p) and p < LEVEL and test["difference"] >= CLEAR_GAIN:
            return "clear"
        return "on average" if test["difference"] >= SAME else "none"

    def ranking(self) -> Ranking:
        """Say whether most methods rank documents better than tossing coins would.

        One among many would now and then, by chance. Where averages are well above chance and
        intervals reach down to it, the folds are too few, or too different, to say.
        """
        rows = [self._averages["roc_auc", method] for method in self.methods]
        # Without intervals (a single fold) the mean has to do.
        limits = [row["mean"] if math.isnan(row["lower"]) else row["lower"] for row in rows]
        if sum(bool(limit > 0.5) for limit in limits) > len(limits) / 2:
            return "better"
        n_above = sum(bool(row["mean"] > _ABOUT_CHANCE) for row in rows)
        return "unclear" if n_above > len(rows) / 2 else "chance"


def choose(evidence: Evidence, metric: str, methods: Sequence[str] | None = None) -> str:
    """Return the method to use, among `methods` or all that have numbers.

    The rule is told at the top of this module.
    """
    if evidence.ranking() != "better":
        return evidence.plain
    allowed = [m for m in evidence.methods if methods is None or m in methods]
    choice = evidence.plain
    free = [method for method in allowed if Cost.of(method) is Cost.SETTING]
    if free:
        best = evidence.best(metric, free)
        if evidence.mean(metric, best) - evidence.mean(metric, evidence.plain) >= SAME:
            choice = best
    for cost in (Cost.COPIES, Cost.SYNTHESIS):
        better = [
            method
            for method in allowed
            if Cost.of(method) is cost and evidence.strength(metric, method, choice) == "clear"
        ]
        if better:
            choice = evidence.best(metric, better)
    return choice


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
    result : str
        What it finds and how many of its alarms are right, in one sentence, with what the plain
        classifier finds.
    headline, reason, gain, trade : str
        The recommendation, why, what to expect with its uncertainty, and what it costs.
    others : str
        What would be chosen by other measures, as far as that can be said.
    snippet : str
        Python that applies it to ``texts``, ``y`` and ``new_texts``.
    command : str
        The command or commands that apply it, one per line; empty unless the documents came from
        a file, see `Comparison.with_commands`.
    """

    method: str
    verdict: Verdict
    strength: Strength
    result: str
    headline: str
    reason: str
    gain: str
    trade: str
    others: str
    snippet: str
    command: str = ""


def recommend(evidence: Evidence, settings: Settings) -> Recommendation:
    """Turn the averages and tests of one class, or of the mean of classes, into a recommendation.

    `settings` are those of the comparison with the class, or the classes, that the advice is for.
    """
    method = choose(evidence, settings.metric)
    words = _Wording(evidence, settings, method)
    return Recommendation(
        method=method,
        verdict=_VERDICTS[Cost.of(method)],
        strength=evidence.strength(settings.metric, method, evidence.plain),
        result=words.result(),
        headline=words.headline(),
        reason=words.reason(),
        gain=words.gain(),
        trade=words.trade(),
        others=words.others(),
        snippet=snippet(method, settings),
    )


def with_exceptions(
    recommendations: Mapping[str, Recommendation], mean: str
) -> dict[str, Recommendation]:
    """Name in the headline for the mean of classes every class with other advice."""
    if mean not in recommendations:
        return dict(recommendations)
    overall = recommendations[mean]
    others: dict[str, list[str]] = {}
    for name, advice in recommendations.items():
        if advice.method != overall.method:
            others.setdefault(advice.method, []).append(name)
    headline = f"For all classes together, {overall.headline[:1].lower()}{overall.headline[1:]}"
    for method, names in others.items():
        headline += f" For {_joined(names)} alone, use {titled(method)}."
    return {**recommendations, mean: replace(overall, headline=headline)}


class Finds(NamedTuple):
    """What a method finds of how many documents, and how many of its alarms are right.

    Examples
    --------
    >>> Finds.counted(2.5, 0.5, n_class=9)
    Finds(found=3, n_class=9, right=3, alarms=4)
    >>> Finds.per_hundred(recall=0.62, precision=0.7)
    Finds(found=62, n_class=100, right=70, alarms=100)
    """

    found: int
    n_class: int
    right: int
    alarms: int

    @classmethod
    def counted(cls, found: float, wrong: float, n_class: float) -> Self:
        """Round averages of counts to whole documents."""
        return cls(whole(found), whole(n_class), whole(found), whole(found) + whole(wrong))

    @classmethod
    def per_hundred(cls, recall: float, precision: float) -> Self:
        """Say averages of several classes per hundred."""
        return cls(whole(100 * recall), 100, whole(100 * precision), 100)


@dataclass(frozen=True)
class _Wording:
    """The sentences about one choice."""

    evidence: Evidence
    settings: Settings
    chosen: str

    @property
    def metric(self) -> str:
        return self.settings.metric

    @property
    def title(self) -> str:
        return deciding_metric(self.metric).title

    def headline(self) -> str:
        evidence, words = self.evidence, titled(self.chosen)
        ranking = evidence.ranking()
        if ranking == "chance":
            return "Keep the plain classifier: no method tells this class from the rest."
        if ranking == "unclear":
            return f"Keep the plain classifier: there are too few {self._wanting} to say more."
        cost = Cost.of(self.chosen)
        if cost is Cost.NOTHING:
            return "Keep the plain classifier: nothing here is reliably better."
        sure = evidence.strength(self.metric, self.chosen, evidence.plain) == "clear"
        surely = "" if sure else " (better on average, but not clearly)"
        return f"Use {words}{surely}."

    def result(self) -> str:
        """Say what is found and how many alarms are right, now and before.

        Counts are those that the rest of a report repeats. The mean of classes has none, so
        averages per hundred stand for them.
        """
        evidence, plain = self.evidence, self.evidence.plain
        whose = f"\u201c{evidence.name}\u201d documents"
        if evidence.ranking() == "chance":
            return f"No method tells {whose} from the rest."
        if self.settings.n_test:
            whose = f"\u201c{evidence.name}\u201d test documents"
        if len(self.settings.labels) > 1:
            whose = f"documents on average over {len(self.settings.labels)} classes"
        is_counted = self.chosen in evidence.counts and plain in evidence.counts
        now, before = (self._finds(method, counted=is_counted) for method in (self.chosen, plain))
        of = f"the {now.n_class:,}" if is_counted else "100"
        sentence = f"Finds {now.found:,} of {of} {whose}"
        if self.chosen != plain:
            sentence += f" ({before.found:,} before)"
        if not now.alarms:
            return f"{sentence}, and raises no alarm."
        sentence += f"; {now.right:,} of {_counted(now.alarms, 'alarm')} {_are(now.right)} right"
        if self.chosen != plain:
            right_before = f"{before.right:,} of {before.alarms:,}" if before.alarms else "no alarm"
            sentence += f" ({right_before} before)"
        return f"{sentence}."

    def _finds(self, method: str, *, counted: bool) -> Finds:
        if counted:
            counts = self.evidence.counts[method]
            return Finds.counted(counts.found, counts.alarms, counts.n_class)
        recall, precision = (self.evidence.mean(name, method) for name in ("recall", "precision"))
        return Finds.per_hundred(recall, precision)

    def reason(self) -> str:
        if self.evidence.ranking() == "chance":
            return (
                "No method ranks documents of the class better than chance would (ROC AUC about "
                "0.5), so the other measures are noise. Check the labels, or gather more documents "
                "of the class."
            )
        if self.evidence.ranking() == "unclear":
            return self._why_unclear()
        parts = [] if self.chosen == self.evidence.plain else [self._why_not_plain()]
        parts += self._why_no_more()
        if not parts:
            parts.append(
                f"By {self.title}, no method is better than {titled(self.evidence.plain)}."
            )
        return " ".join(parts)

    @property
    def _wanting(self) -> str:
        """What there is too little of."""
        if self.settings.n_test:
            return "test documents"
        return "folds" if len(self.settings.rounds) < _ENOUGH_FOLDS else "documents of the class"

    def _why_unclear(self) -> str:
        best = self.evidence.best("roc_auc", self.evidence.methods)
        lower, upper = self.evidence.limits("roc_auc", best)
        remedy = {
            "folds": "use more folds or repeats",
            "test documents": "use a larger test set",
            "documents of the class": "gather more documents of the class",
        }[self._wanting]
        n = f"{len(self.settings.rounds)} folds are" if self._wanting == "folds" else "There are"
        what = "" if self._wanting == "folds" else f" {self._wanting}"
        return (
            f"{n} too few{what} to say whether any method ranks documents better than chance: ROC "
            f"AUC is {self.evidence.mean('roc_auc', best):.2f} on average for {titled(best)}, with "
            f"a 95% interval of {lower:.2f} to {upper:.2f}; {remedy}."
        )

    def _why_not_plain(self) -> str:
        evidence, words = self.evidence, titled(self.chosen)
        plain = titled(evidence.plain)
        doubt = _in_parentheses(evidence.test(self.metric, self.chosen, evidence.plain))
        are, need = ("are", "need") if words.endswith("weights") else ("is", "needs")
        if evidence.strength(self.metric, self.chosen, evidence.plain) == "clear":
            reason = f"By {self.title}, {words} {are} clearly better than {plain}{doubt}."
        else:
            reason = (
                f"By {self.title}, {words} {are} better than {plain} on average{doubt}, and {need} "
                "no synthetic documents."
            )
        rivals = [m for m in evidence.methods if Cost.NOTHING < Cost.of(m) < Cost.of(self.chosen)]
        rival = evidence.best(self.metric, rivals) if rivals else evidence.plain
        versus = evidence.test(self.metric, self.chosen, rival) if rivals else None
        if versus is not None:
            reason += (
                f" Against the best simple remedy, {titled(rival)}, it is ahead by "
                f"{versus['difference']:.3f}{_in_parentheses(versus)}."
            )
        return reason

    def _why_no_more(self) -> list[str]:
        evidence, words = self.evidence, titled(self.chosen)
        others = [method for method in evidence.methods if Cost.of(method) > Cost.of(self.chosen)]
        if not others:
            return []
        top = evidence.best(self.metric, others)
        difference = evidence.mean(self.metric, top) - evidence.mean(self.metric, self.chosen)
        first_oversampler = Cost.of(top).oversamples and not Cost.of(self.chosen).oversamples
        kind = "oversampler" if first_oversampler else "alternative"
        if difference < SAME:
            behind = f"is {-difference:.3f} behind" if difference <= -SAME else "does as well"
            return [
                f"By {self.title}, no {kind} is better than {words}; the best of them, "
                f"{titled(top)}, {behind}."
            ]
        test = evidence.test(self.metric, top, self.chosen)
        parts = [
            f"By {self.title}, the best {kind}, {titled(top)}, is ahead of {words} by "
            f"{difference:.3f}{_in_parentheses(test)}. That is too little, or too uncertain, to be "
            "worth the effort."
        ]
        if difference >= 0.02:
            parts.append(
                "If such a gain matters to you, label more documents of the class to settle it."
            )
        return parts

    def gain(self) -> str:
        evidence, chosen = self.evidence, self.chosen
        interval = _interval(*evidence.limits(self.metric, chosen), ".3f")
        expected = (
            f"Expect {self.title} to be about {evidence.mean(self.metric, chosen):.3f}{interval}"
        )
        test = evidence.test(self.metric, chosen, evidence.plain)
        if chosen == evidence.plain or test is None:
            return f"{expected}."
        limits = _interval(test["lower"], test["upper"], "+.3f")
        return f"{expected}: {test['difference']:+.3f} against {titled(evidence.plain)}{limits}."

    def trade(self) -> str:
        if self.chosen in self.evidence.counts and self.evidence.plain in self.evidence.counts:
            return self._counted_trade()
        evidence, plain = self.evidence, self.evidence.plain
        recall, precision = (
            evidence.mean("recall", self.chosen),
            evidence.mean("precision", self.chosen),
        )
        if recall == 0 and self.chosen == plain:
            return "It finds none of the documents."
        now = f"On average it finds {100 * recall:.0f} of 100 documents of the class"
        alarms = f"and {100 * precision:.0f} of 100 of its alarms are right"
        if self.chosen == plain:
            return f"{now}, {alarms}."
        before, before_precision = evidence.mean("recall", plain), evidence.mean("precision", plain)
        return (
            f"{now} ({100 * before:.0f} of 100 for {titled(plain)}), {alarms} "
            f"({100 * before_precision:.0f} of 100). Recall {recall - before:+.3f}, "
            f"precision {precision - before_precision:+.3f}."
        )

    def _counted_trade(self) -> str:
        """Say what is found of how many documents: the numbers that a report's slider starts at."""
        plain = self.evidence.plain
        now, before = self.evidence.counts[self.chosen], self.evidence.counts[plain]
        n_class, found, alarms = whole(now.n_class), whole(now.found), whole(now.alarms)
        kind = "test documents" if self.settings.n_test else "documents"
        sentence = f"It finds {found:,} of the {n_class:,} {kind} of the class"
        right = "raises no alarm"
        if found + alarms:
            right = f"{found:,} of its {_counted(found + alarms, 'alarm')} {_are(found)} right"
        if self.chosen == plain:
            return f"{sentence}, and {right}.{self._passes()}"
        plain_found, plain_alarms = whole(before.found), whole(before.alarms)
        plain_right = "no alarm"
        if plain_found + plain_alarms:
            plain_right = f"{plain_found:,} of {plain_found + plain_alarms:,}"
        return (
            f"{sentence} ({titled(plain)}: {plain_found:,}), and {right} ({titled(plain)}: "
            f"{plain_right}).{self._passes()}"
        )

    def _passes(self) -> str:
        n = self.evidence.n_passes
        return f" These are averages over {n} repeats." if n > 1 else ""

    def others(self) -> str:
        """Say what other measures would choose, where that can be said.

        A threshold tuned for one measure tells nothing of one tuned for another, so a measure of
        decisions is spoken of only where a threshold was tuned for it; a measure of the ranking
        needs none.
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
        return " ".join(
            f"By {_joined(names)} the choice would be "
            + ("the same." if choice == self.chosen else f"{titled(choice)}.")
            for choice, names in choices.items()
        )


def _ranks_alike(method: str, other: str) -> bool:
    """Say whether two methods differ in the threshold alone, which leaves the ranking as it is."""
    first, second = (
        (definition.family, dict(definition.parameters), definition.class_weight)
        for definition in (get_method(method), get_method(other))
    )
    return first == second


def _interval(lower: float, upper: float, form: str) -> str:
    return "" if math.isnan(lower) else f" (95% interval {lower:{form}} to {upper:{form}})"


def whole(count: float) -> int:
    """Round an average of counts as the page's script does."""
    return math.floor(count + 0.5)


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _in_parentheses(test: Mapping[str, float] | None) -> str:
    words = "" if test is None else p_values(test)
    return f" ({words})" if words else ""


def p_values(test: Mapping[str, float]) -> str:
    """Return the p-value of a test in words, and the corrected one where that differs.

    Examples
    --------
    >>> p_values({"p_value": 0.04, "p_holm": 0.4})
    "p = 0.040 on its own, p = 0.40 after Holm's correction"
    >>> p_values({"p_value": 0.097, "p_holm": 0.097})
    'p = 0.097'
    """
    if math.isnan(test["p_value"]):
        return ""
    alone, corrected = _p(test["p_value"]), _p(test["p_holm"])
    if alone == corrected:
        return alone
    if test["p_holm"] < LEVEL:
        return f"{corrected} after Holm's correction"
    return f"{alone} on its own, {corrected} after Holm's correction"


def _joined(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 2 else names)


def _p(value: float) -> str:
    return (
        "p < 0.001" if value < 0.001 else f"p = {value:.3f}" if value < 0.1 else f"p = {value:.2f}"
    )


def snippet(method: str, settings: Settings) -> str:
    """Return Python that fits the method on ``texts`` and ``y`` and predicts ``new_texts``."""
    definition = get_method(method)
    belongs = (
        "label in labels for labels in y"
        if settings.multilabel
        else "document_label == label for document_label in y"
    )
    if definition.family == "rare":
        lines = ["from imbtext import RareTextClassifier", ""]
        name, values = "RareTextClassifier", [repr(definition.scoring)]
        if settings.text_columns:
            values += [f"text={list(settings.text_columns)!r}"]
        if settings.columns:
            values += [f"columns={list(settings.columns)!r}"]
        if definition.parameters["features"] != "auto":
            values += [f"features={definition.parameters['features']!r}"]
        if definition.parameters["language"] != "english":
            values += [f"language={definition.parameters['language']!r}"]
    else:
        imports, classifier = construction(settings.estimator)
        more, features = _features(settings.feature_source)
        imports = "\n".join(sorted({*imports.splitlines(), *more.splitlines()}))
        lines = [imports, "from imbtext.methods import MethodClassifier", ""]
        if settings.text_columns:
            lines += [f"# texts: {listed(settings.text_columns)} of each row, one below the other"]
        name = "MethodClassifier"
        values = [repr(method), f"classifier={classifier}", *features]
        values += [f"share={settings.share!r}"]
    values += ["pos_label=True", f"random_state={settings.random_state}"]
    model = [f"model = {name}({', '.join(values)})"]
    if len(model[0]) > _LONGEST_LINE or any("#" in value for value in values):
        # A comment ends its line, so the comma stands before it.
        ended = (re.sub(r"(  #.*)?$", r",\1", value, count=1) for value in values)
        model = [f"model = {name}(", *(f"    {value}" for value in ended), ")"]
    model += [f"model.fit(texts, [{belongs}])"]
    if len(settings.labels) == 1:
        lines += [
            f"label = {settings.labels[0]!r}",
            *model,
            "in_class = model.predict(new_texts)  # True where a document belongs to the class",
        ]
    else:
        lines += [
            "in_class = {}  # for every label: True where a document belongs to the class",
            f"for label in {list(settings.labels)!r}:",
            *(f"    {line}" for line in model),
            "    in_class[label] = model.predict(new_texts)",
        ]
    return "\n".join(lines)


def _features(features: object) -> tuple[str, list[str]]:
    """Return the import lines and the argument of the call that give the features compared."""
    if isinstance(features, str) or name_of_features(features) is not None:
        return "", [] if features in ("auto", "words") else [f"features={features!r}"]
    if hasattr(features, "get_params"):
        imports, vectorizer = construction(features)
        return imports, [f"features={vectorizer}"]
    return "", ["features=features  # the callable that was compared"]


def construction(classifier: BaseEstimator) -> tuple[str, str]:
    """Return the import lines and the expression that make an equal classifier.

    Examples
    --------
    >>> from sklearn.naive_bayes import ComplementNB
    >>> construction(ComplementNB())
    ('from sklearn.naive_bayes import ComplementNB', 'ComplementNB()')
    """
    parts = [classifier, *classifier.get_params(deep=True).values()]
    kinds = [type(part) for part in parts if hasattr(part, "get_params")]
    # Public home: scikit-learn's classes live in private modules below it.
    imports = [f"from {k.__module__.split('._', maxsplit=1)[0]} import {k.__name__}" for k in kinds]
    # Longer ones than 700 characters are shortened by scikit-learn unless told not to.
    is_known = isinstance(classifier, BaseEstimator)
    text = classifier.__repr__(N_CHAR_MAX=10**9) if is_known else repr(classifier)
    return "\n".join(sorted(set(imports))), " ".join(text.split())
