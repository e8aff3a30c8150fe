"""Is this still the text that a model knows? New documents against what the model remembers.

``predict`` warns if alarms or known words are far off (``rare/_familiarity.py``). A
:class:`Checking` also looks at the scores, the length of the documents, everyday words (another
language has few of them) and, if the model has an encoder, at what the texts mean. It names the
words that rose and fell, and looks at each day, week or month. With labels, it compares what came
true with what the model promised.

Everything is compared with held-out documents. A comparison counts if chance alone, with what is
allowed for on top, explains it in at most `LEVEL` of files, shared out over all comparisons and
periods. ``benchmarks/rare_check.py`` counts how often files of the same source are called drifted,
and how often others are. Allowed for are: what ``rare/_familiarity.py`` says, 5% in the length of
documents, and `_SCORES_APART` in the distribution of scores, because a model of all documents is
not quite the models that held some out.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import astuple
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from imbtext._messages import DataWarning, listed, warn_user
from imbtext._typing import Column, DocumentsLike, Label, LabelsLike
from imbtext.documents._containers import rows_of
from imbtext.documents._documents import Documents
from imbtext.documents._label_names import as_list, is_named, is_no_label, label_name
from imbtext.documents._labels import Labels, Unlabelled, check_unlabelled
from imbtext.documents._periods import read_times
from imbtext.features._terms import Vectors, WordBlock
from imbtext.quality._model_check import (
    LEVEL,
    Finding,
    ModelCheck,
    WordChange,
    check_period,
    days_of,
)
from imbtext.rare._columns import unread_cells
from imbtext.rare._familiarity import NewDocuments
from imbtext.rare._fitted import FittedModel
from imbtext.rare._training_record import everyday_words, word_counts
from imbtext.statistics import CONFIDENCE, Interval
from imbtext.thresholds._choosing import Cuts
from imbtext.thresholds._expectation import Expectation, expect_at, of_hundred
from imbtext.thresholds._held_out import ClassScores, HeldOut, are_alarms, relative_weights
from imbtext.thresholds._plot import PeriodSeries
from imbtext.thresholds._prevalence import Prevalence, prevalence

_SCORES_APART: Final = 0.1
_LENGTH_APART: Final = 0.05
# How much more or less often the class may come true than its probabilities say.
_CALIBRATION_APART: Final = 0.2
_N_WORDS: Final = 12
_LEAST_WORD_TIMES: Final = 3
_WORD_SURPRISE: Final = 4.0
_MOST_UNKNOWN: Final = 50_000
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_BEFORE_PERIOD: Final = {"day": "on", "week": "in the", "month": "in"}


class Checking:
    """A check of documents that pass by in batches.

    Parameters
    ----------
    model : FittedModel
        A fitted model, as `RareTextClassifier.fitted_`.
    every : {"day", "week", "month"}
        How long a period is, where times are given.
    classes : str or sequence of str, default=()
        The labels that count as the class to find; by default its name.
    ignore_labels : label or collection of labels, default=None
        Labels whose documents are left out, also if a document has other labels too.
    unlabelled : {"skip", "refuse", "no"}, default=None
        Whether a document without a label has one that is not known, is an error, or counts as
        outside every class.

    Attributes
    ----------
    label_counts : Counter of str
        How many documents have each label, by name; ignored ones are left out.
    """

    def __init__(
        self,
        model: FittedModel,
        every: str = "week",
        classes: str | Sequence[str] = (),
        ignore_labels: Label | Collection[Label] = None,
        unlabelled: Unlabelled | None = None,
    ) -> None:
        check_period(every)
        check_unlabelled(unlabelled)
        names = [classes] if isinstance(classes, str) else classes
        modelled = model.labels
        if names and len(modelled) > 1:
            raise ValueError(
                f"classes are the labels of the one class that a model finds, and this model finds "
                f"{len(modelled)} classes; leave them out"
            )
        self.model, self.every, self.classes = model, every, frozenset(map(label_name, names))
        self._name_of = {label: label_name(label) for label in model.classes.classes.tolist()}
        self.ignored = frozenset(map(label_name, as_list(ignore_labels)))
        self.unlabelled, self._n_ignored = unlabelled, 0
        self.label_counts: Counter[str] = Counter()
        self._all = self._no_documents()
        self._periods: dict[str, NewDocuments] = {}
        # The sum of the probabilities of each class, over all documents and in each period.
        self._sum = np.zeros(len(modelled))
        self._sums: dict[str, NDArray[np.float64]] = {}
        # For each class, how many documents score above each threshold of its held-out scores.
        self._before = [_ScoreShares.of(model.held_out, c) for c in range(len(modelled))]
        self._n_above = [np.zeros(len(before.thresholds)) for before in self._before]
        self._lengths: list[NDArray[np.float64]] = []
        self._n_words = self._n_everyday = 0.0
        self._sum_of_meaning: NDArray[np.float64] | None = None
        self._frequencies: NDArray[np.int64] | None = None
        self._unknown_words: Counter[str] = Counter()
        # Of the documents that came with labels, None where one has no label.
        self._margins: list[NDArray[np.float64]] = []
        self._probabilities: list[NDArray[np.float64]] = []
        self._labels: list[frozenset[str] | None] = []
        self._text_hashes: list[int] = []
        self._days: list[str] = []

    def _no_documents(self) -> NewDocuments:
        return NewDocuments(self.model.alarm_rates, self.model.known_words)

    def add(
        self, X: DocumentsLike, labels: LabelsLike | None = None, time: Column | None = None
    ) -> None:
        """Look at some more documents, perhaps with labels and times."""
        model, names = self.model, None
        documents = model.documents(X)
        times = None if time is None else read_times(time, len(documents))
        if labels is not None:
            given = _read_labels(labels, len(documents), self.unlabelled)
            kept = [row for row, of_row in enumerate(given) if not is_named(of_row, self.ignored)]
            if len(kept) < len(given):
                self._n_ignored += len(given) - len(kept)
                if not kept:
                    return
                documents = documents.select(np.array(kept))
                times = None if times is None else times[kept]
            names = [self._names(given[row]) for row in kept]
        _, vectors, scores, _ = model.scored(documents)
        n, margins = len(scores), model.margins(scores)
        alarms = are_alarms(margins, exclusive=model.exclusive)
        unread = unread_cells(model.features, documents)
        self._all.add(n, alarms.sum(axis=0), vectors.known_shares, unread)
        probabilities = model.calibration.probabilities(scores)
        self._sum += probabilities.sum(axis=0)
        if times is not None:
            days = days_of(times, self.every)
            self._add_periods(days, alarms, probabilities, vectors.known_shares)
            self._days += days.tolist() if names is not None else []
        for c, before in enumerate(self._before):
            n_below = np.searchsorted(np.sort(scores[:, c]), before.thresholds, side="right")
            self._n_above[c] += n - n_below
        self._add_words(documents, vectors)
        if model.meaning is not None and n:
            total = model.meaning.vectors(documents).sum(axis=0, dtype=np.float64)
            if self._sum_of_meaning is not None:
                total += self._sum_of_meaning
            self._sum_of_meaning = total
        if names is not None:
            self._margins.append(margins)
            self._probabilities.append(probabilities)
            self._labels += names
            self._text_hashes += [hash(str(row)) for row in documents.to_list()]

    def _names(self, labels: frozenset[Label] | None) -> frozenset[str] | None:
        """Return the names of a document's labels, and count them.

        A label that equals one of the model's classes has the name of that class: pandas turns 1
        into 1.0 where other labels of the column are missing.
        """
        if labels is None:
            return None
        names = frozenset(self._name_of.get(label, label_name(label)) for label in labels)
        self.label_counts.update(names)
        return names

    def _add_periods(
        self,
        days: NDArray[np.str_],
        alarms: NDArray[np.bool_],
        probabilities: NDArray[np.float64],
        known_shares: NDArray[np.float64] | None,
    ) -> None:
        """Count alarms, probabilities and known words in the period of each document."""
        for day in np.unique(days).tolist():
            here = days == day
            of_period = self._periods.setdefault(day, self._no_documents())
            known = None if known_shares is None else known_shares[here]
            of_period.add(int(here.sum()), alarms[here].sum(axis=0), known)
            self._sums[day] = self._sums.get(day, 0.0) + probabilities[here].sum(axis=0)

    def _add_words(self, documents: Documents, vectors: Vectors) -> None:
        shares = vectors.known_shares
        counted = word_counts(self.model.features, vectors.terms)
        if counted is None or shares is None:
            return
        n_known, n_everyday = counted
        # The length of a document is not known if none of its words is; without words it is 0.
        n_words = np.divide(n_known, shares, out=np.full(len(shares), np.nan), where=shares > 0)
        n_words[np.isnan(shares)] = 0.0
        self._lengths.append(np.log1p(n_words[~np.isnan(n_words)]))
        self._n_words += float(np.nansum(n_words))
        self._n_everyday += float(n_everyday.sum())
        frequencies = vectors.terms.frequencies()
        self._frequencies = (
            frequencies if self._frequencies is None else self._frequencies + frequencies
        )
        text = self.model.features.text_terms
        if text is not None and isinstance(block := text.blocks[0], WordBlock):
            self._unknown_words.update(block.unknown_words(documents))
        if len(self._unknown_words) > 2 * _MOST_UNKNOWN:
            self._unknown_words = Counter(dict(self._unknown_words.most_common(_MOST_UNKNOWN)))

    def result(self) -> ModelCheck:
        """Return what was found."""
        if not self._all.n_documents:
            ignored = f": the labels of all {self._n_ignored:,} are ignored" * bool(self._n_ignored)
            raise ValueError(f"there are no documents to check{ignored}")
        labelled = self._labelled()
        # How often chance may decide is shared out over the periods and over what is compared.
        n_files = 1 + (len(self._periods) if len(self._periods) > 1 else 0)
        n_compared = 4 + (0 if labelled is None else 3) + (self._sum_of_meaning is not None)
        level = LEVEL / n_files / n_compared
        findings = self._findings(level)
        realised: list[Expectation] = []
        if labelled is not None:
            # A margin is a score less its threshold.
            expected = expect_at(self.model.labels, labelled, np.zeros(labelled.n_classes))
            realised = [came for came, _ in expected]
            findings += self._promises(realised, labelled, level)
        periods = self._over_time(LEVEL / n_files / 2) if len(self._periods) > 1 else []
        rose, fell = self._words()
        return ModelCheck(
            self._all.n_documents,
            tuple(findings),
            rose,
            fell,
            tuple(periods),
            tuple(realised),
            tuple(self._prevalences()),
            self._all.n_trained_on,
            tuple(self._series(LEVEL / n_files / 2, labelled) if periods else ()),
        )

    def _prevalences(self) -> Iterator[Prevalence]:
        """Estimate how many documents are of each class; training documents score too well."""
        if not _has_training_documents(self._all):
            for c in range(len(self.model.labels)):
                yield self._prevalence(c, self._sum, self._all.n_documents)

    def _prevalence(self, c: int, sums: NDArray[np.float64], n: int) -> Prevalence:
        held, shown = self._held_out[c]
        return prevalence(self.model.labels[c], held, shown, float(sums[c]), n)

    @cached_property
    def _held_out(self) -> list[tuple[ClassScores, NDArray[np.float64]]]:
        """The held-out documents of each class, and their probabilities."""
        views = map(self.model.held_out.of_class, range(len(self.model.labels)))
        curve = self.model.calibration.of_class
        return [(held, curve(c).probabilities(held.scores)) for c, held in enumerate(views)]

    def _series(self, level: float, labelled: HeldOut | None) -> Iterator[PeriodSeries]:
        """Yield the numbers of each period, where the model finds one class."""
        if len(self.model.labels) > 1:
            return
        periods = sorted(self._periods.items())
        counts = [(day, new.alarm_counts(level)[0]) for day, new in periods]
        yield PeriodSeries(
            "alarms", tuple((day, n.n_alarms, n.lower, n.upper, n.is_far) for day, n in counts)
        )
        known = [(day, new) for day, new in periods if not np.isnan(new.known_share)]
        if known and self.model.known_words.n_documents:
            expected = 100 * self.model.known_words.mean
            points = [
                (
                    *(day, 100 * new.known_share),
                    *(max(expected - 100 * new.fewer_known(level), 0.0), 100.0),
                    bool(new.doubts_of_words(level)),
                )
                for day, new in known
            ]
            yield PeriodSeries("known words, %", tuple(points))
        found = [
            (day, self._prevalence(0, self._sums[day], new.n_documents).n_class)
            for day, new in periods
        ]
        points = [(day, *astuple(n), False) for day, n in found if not np.isnan(n.mean)]
        if points:
            yield PeriodSeries("of the class", tuple(points))
        if labelled is not None and len(self._days) == len(self._labels):
            days = np.array(self._days)[self._labelled_indices]
            yield from _found_by_period(days, labelled)

    def _findings(self, level: float) -> list[Finding]:
        """Return what can be compared without labels."""
        findings = _alarm_findings(self._all, level)
        findings += self._known_words_findings(level)
        for name, doubt in self._all.unread_columns(level).items():
            findings.append(Finding(f"the column {name!r}", "unread", "read", True, doubt))
        if not _has_training_documents(self._all):
            findings += self._score_findings(level)
        findings += self._meaning_findings(level)
        return [*findings, *self._length_findings(level), *self._everyday_findings()]

    def _meaning_findings(self, level: float) -> Iterator[Finding]:
        """Compare what the texts mean, by the mean of their vectors."""
        meaning, total = self.model.meaning, self._sum_of_meaning
        if meaning is not None and total is not None:
            n = self._all.n_documents
            distance, allowed = meaning.known.distance(total / n, n, level)
            yield Finding(
                "meaning of the texts",
                f"{distance:.2f} deviations away",
                f"at most {allowed:.2f}",
                distance > allowed,
                f"the texts are about other things: on average they lie {distance:.2f} standard "
                f"deviations from the training documents in meaning, where at most {allowed:.2f} "
                "was expected",
                is_text=True,
            )

    def _known_words_findings(self, level: float) -> Iterator[Finding]:
        known, share = self.model.known_words, self._all.known_share
        if known.n_documents and not np.isnan(share):
            doubts = self._all.doubts_of_words(level)
            yield Finding(
                "known words",
                f"{100 * share:.1f}%",
                f"{100 * known.mean:.1f}%",
                bool(doubts),
                "; ".join(doubts),
                is_text=True,
            )

    def _length_findings(self, level: float) -> Iterator[Finding]:
        """Compare how many words a document has, by the mean of their logarithms."""
        lengths = np.concatenate([*self._lengths, np.empty(0)])
        expected = self.model.training_record.length
        if expected.n_documents and len(lengths):
            mean = float(lengths.mean())
            chance = expected.spread**2 * (1 / len(lengths) + 1 / expected.n_documents)
            allowed = stats.norm.isf(level / 2) * np.sqrt(chance + _LENGTH_APART**2)
            here, before = (f"{np.expm1(number):.0f}" for number in (mean, expected.mean))
            sentence = f"a typical document has {here} words, where {before} were expected"
            is_far = bool(abs(mean - expected.mean) > allowed)
            yield Finding("words in a document", here, before, is_far, sentence, is_text=True)

    def _everyday_findings(self) -> Iterator[Finding]:
        """Compare how much of the text are everyday words; another language has few of them."""
        features, expected = self.model.features, self.model.training_record.everyday
        if self._n_words and expected > 0 and features.text_terms is not None:
            share = self._n_everyday / self._n_words
            words = features.names(spelt=True)[everyday_words(features.text_terms)[:4]]
            yield Finding(
                f"everyday words ({', '.join(map(str, words))}...)",
                f"{100 * share:.0f}%",
                f"{100 * expected:.0f}%",
                share < expected / 2,
                f"everyday words make up {100 * share:.0f}% of the text, where "
                f"{100 * expected:.0f}% were expected; is it another language?",
                is_text=True,
            )

    def _score_findings(self, level: float) -> list[Finding]:
        """Compare the distribution of scores: the largest distance, as Kolmogorov and Smirnov."""
        findings, n = [], self._all.n_documents
        k = len(self._before)
        for label, before, n_above in zip(
            self.model.labels, self._before, self._n_above, strict=True
        ):
            if not before.n_groups:
                continue
            apart = float(np.abs(n_above / n - before.above).max())
            by_chance = np.sqrt(-np.log(level / k / 2) / 2 * (1 / n + 1 / before.n_groups))
            allowed = _SCORES_APART + float(by_chance)
            findings.append(
                Finding(
                    f'scores for "{label}"',
                    f"{100 * apart:.0f}% apart",
                    f"up to {100 * allowed:.0f}%",
                    apart > allowed,
                    f'the scores for "{label}" lie {100 * apart:.0f}% apart from those of '
                    f"held-out documents, where up to {100 * allowed:.0f}% were expected",
                )
            )
        return findings

    def _over_time(self, level: float) -> list[Finding]:
        """Compare alarms and known words in each period."""
        findings = []
        for day, new in sorted(self._periods.items()):
            period = _period_in_words(day, self.every)
            known = "" if np.isnan(new.known_share) else f", {100 * new.known_share:.0f}% known"
            doubts = "; ".join(new.doubts_of_words(level))
            for finding in _alarm_findings(new, level):
                findings.append(
                    Finding(
                        period if len(new.alarm_rates) == 1 else f"{period}: {finding.what}",
                        f"{finding.here}{known}",
                        finding.expected,
                        finding.is_far or bool(doubts),
                        f"{_BEFORE_PERIOD[self.every]} {period}, {finding.sentence or doubts}",
                    )
                )
        return findings

    def _labelled(self) -> HeldOut | None:
        """Return the documents that have labels, with their margins; None if there are none.

        Documents of the same text are one group.
        """
        indices = self._labelled_indices
        if not len(indices):
            return None
        names = [self._labels[i] or frozenset() for i in indices]
        of_classes = [self.classes or _spellings(label) for label in self.model.labels]
        is_class = np.array(
            [[bool(of_row & of_class) for of_class in of_classes] for of_row in names]
        )
        if not is_class.any():
            known = self.classes.union(*map(_spellings, self.model.classes.classes.tolist()))
            if not any(of_row & known for of_row in names):
                given = sorted(frozenset().union(*names))
                raise ValueError(
                    f"the labels are {listed(given)}, but the model knows "
                    f"{', '.join(sorted(known))}; say which labels are those of the class, as "
                    "classes (--class)"
                )
        if is_class.all() and len(indices) < len(self._labels) and self.unlabelled is None:
            warn_user(
                f"all {len(indices):,} documents with a label are of the class, so nothing is "
                "known of the others; if those without a label are outside it, pass "
                "unlabelled='no' (--unlabelled no)",
                DataWarning,
            )
        return HeldOut.of_scores(
            np.concatenate(self._margins)[indices],
            is_class,
            np.zeros(len(indices)),
            np.array(self._text_hashes)[indices],
            exclusive=self.model.exclusive,
        )

    @property
    def _labelled_indices(self) -> NDArray[np.int64]:
        """The places of the documents that have labels, among those that came with labels."""
        return np.array([i for i, names in enumerate(self._labels) if names is not None], int)

    def _promises(
        self, realised: Sequence[Expectation], labelled: HeldOut, level: float
    ) -> list[Finding]:
        """Compare what came true with what was promised."""
        findings = []
        k = len(realised)
        probabilities = np.concatenate(self._probabilities)[self._labelled_indices]
        for c, (came, promised) in enumerate(zip(realised, self.model.expectation, strict=True)):
            of = f' of "{came.label}"' if k > 1 else ""
            for what, n, promise in (
                ("documents found", came.n_class, promised.recall),
                ("alarms that are right", came.n_alarms, promised.precision),
            ):
                findings.append(_promise(f"{what}{of}", came.n_found, n, promise, level / k))
            stated = probabilities[:, c]
            total, true = float(stated.sum()), int(labelled.is_class[:, c].sum())
            error = np.sqrt(
                float((stated * (1 - stated)).sum()) + (_CALIBRATION_APART * total) ** 2
            )
            half = float(stats.norm.isf(level / k / 2) * error) + 1
            low, high = max(0.0, total - half), total + half
            findings.append(
                Finding(
                    f"documents of the class{of}",
                    f"{true:,}",
                    f"{low:.0f} to {high:.0f}",
                    not low <= true <= high,
                    f"{true:,} documents are of the class{of}, where the probabilities promised "
                    f"{low:.0f} to {high:.0f}",
                )
            )
        return findings

    def _words(self) -> tuple[tuple[WordChange, ...], tuple[WordChange, ...]]:
        """Return the words that rose and fell most, by the shares of documents that have them."""
        features, n = self.model.features.text_terms, self._all.n_documents
        if features is None or not isinstance(features.blocks[0], WordBlock):
            return (), ()
        block, n_before = features.blocks[0], features.n_documents
        if self._frequencies is None:
            return (), ()
        n_words = len(block.words)
        new = [
            (word, times)
            for word, times in self._unknown_words.items()
            if times >= _LEAST_WORD_TIMES
        ]
        names = [*block.spelt.tolist(), *(word for word, _ in new)]
        before = np.concatenate([features.frequencies[:n_words], np.zeros(len(new))])
        here = np.concatenate([self._frequencies[:n_words], [times for _, times in new]])
        pooled = (before + here) / (n_before + n)
        error = np.sqrt(np.maximum(pooled * (1 - pooled), 1e-12) * (1 / n_before + 1 / n))
        surprise = (here / n - before / n_before) / error
        order = np.argsort(-surprise, kind="stable")

        def change(j: int) -> WordChange:
            return WordChange(str(names[j]), float(before[j] / n_before), float(here[j] / n))

        rose = [change(j) for j in order[:_N_WORDS].tolist() if surprise[j] > _WORD_SURPRISE]
        fell = [change(j) for j in order[::-1][:_N_WORDS].tolist() if surprise[j] < -_WORD_SURPRISE]
        return tuple(rose), tuple(fell)


class _ScoreShares(NamedTuple):
    """The share of held-out documents above some thresholds, and the groups it is measured on."""

    thresholds: NDArray[np.float64]
    above: NDArray[np.float64]
    n_groups: int

    @classmethod
    def of(cls, held_out: HeldOut, c: int) -> "_ScoreShares":
        held = held_out.of_class(c)
        cuts, weights = Cuts.of(held.scores, held.is_class), relative_weights(held)
        confusion, places = cuts.confusion(weights), cuts.thinned()
        above = np.asarray(confusion.found + confusion.false_alarms)[places]
        shares = above / above[-1] if above[-1] else above
        return cls(cuts.thresholds[places], shares, len(np.unique(held.groups)))


def _found_by_period(days: NDArray[np.str_], labelled: HeldOut) -> Iterator[PeriodSeries]:
    """Yield the share of the class that is found, in each period that has documents of it."""
    is_class, found = labelled.is_class[:, 0], labelled.scores[:, 0] > 0
    points = []
    for day in np.unique(days[is_class]).tolist():
        of_day = found[is_class & (days == day)]
        n, share = len(of_day), 100 * float(of_day.mean())
        limits = stats.beta.interval(CONFIDENCE, of_day.sum() + 0.5, n - of_day.sum() + 0.5)
        lower, upper = (100 * float(limit) for limit in limits)
        points.append((day, share, min(lower, share), max(upper, share), False))
    if points:
        yield PeriodSeries("found of 100, of those labelled", tuple(points))


def _alarm_findings(new: NewDocuments, level: float) -> list[Finding]:
    findings, too_good = [], _has_training_documents(new)
    for count in new.alarm_counts(level):
        is_far = count.is_far and not too_good
        findings.append(
            Finding(
                f'alarms for "{count.label}"',
                f"{count.n_alarms:,}",
                f"{count.lower:,} to {count.upper:,}",
                is_far,
                count.sentence if is_far else "",
            )
        )
    return findings


def _has_training_documents(new: NewDocuments) -> bool:
    """Return whether the model was trained on some of the documents, and so ranks them too well."""
    return new.are_training_documents or new.n_trained_on > 0


def _spellings(label: Label) -> frozenset[str]:
    """Return how files and Python write the label of a class: true and True."""
    return frozenset({label_name(label), str(label)})


def _promise(what: str, n_hits: int, n: int, promise: Interval, level: float) -> Finding:
    """Test whether `n_hits` of `n` is fewer than the promised share allows (beta-binomial)."""
    middle = float(np.clip((promise.lower + promise.upper) / 2, 0.005, 0.995))
    error = max((promise.upper - promise.lower) / (2 * stats.norm.isf(0.025)), 1e-3)
    size = max(middle * (1 - middle) / error**2 - 1, 0.5)
    hits = stats.betabinom(n, middle * size, (1 - middle) * size)
    least = int(hits.ppf(level)) if n else 0
    here = f"{n_hits:,} of {n:,}"
    return Finding(
        what,
        here,
        f"at least {least:,}, promised {of_hundred(promise)} of 100",
        n_hits < least,
        f"{what}: {here}, where at least {least:,} were promised",
    )


def _period_in_words(day: str, every: str) -> str:
    """Return the name of a period that begins on this day.

    Examples
    --------
    >>> [_period_in_words("2002-05-01", every) for every in ("day", "week", "month")]
    ['2002-05-01', 'week of 2002-05-01', 'May 2002']
    """
    if every == "month":
        year, month, _ = day.rsplit("-", 2)
        return f"{_MONTHS[int(month) - 1]} {year}"
    return f"week of {day}" if every == "week" else day


def _read_labels(
    labels: LabelsLike, n_documents: int, unlabelled: Unlabelled | None
) -> list[frozenset[Label] | None]:
    """Return the labels of each document as a set, None where they are not known.

    Examples
    --------
    >>> _read_labels([1.0, {"oil"}, np.nan], 3, None)
    [frozenset({1.0}), frozenset({'oil'}), None]
    >>> _read_labels(["oil", ""], 2, "no")
    [frozenset({'oil'}), frozenset()]
    """
    if len(getattr(labels, "shape", (0,))) > 1:
        return [*Labels.of(labels, n_documents, several=True).sets]
    rows = rows_of(labels, "y", "a list or a column of labels")
    if len(rows) != n_documents:
        raise ValueError(
            f"X has {n_documents} documents and y has {len(rows)} labels; their numbers must match"
        )
    read: list[frozenset[Label] | None] = []
    for i, row in enumerate(rows):
        several = isinstance(row, set | frozenset | list | tuple | np.ndarray)
        if several or not is_no_label(row):
            try:
                read.append(frozenset(row if several else [row]))
            except TypeError:  # a list in a list, or a record
                raise ValueError(
                    f"y[{i}] is {row!r:.60}; a label must be a string, a number, true or false"
                ) from None
        elif unlabelled == "refuse":
            raise ValueError(f"y[{i}] is missing ({row!r}); give every document a label")
        else:
            read.append(frozenset() if unlabelled == "no" else None)
    return read
