"""Which labels are probably wrong: documents whose label the others contradict.

Every document is scored by rankings that have not seen it, so its own label cannot speak for
itself. Two rankings are asked. The firm one is that of `RareTextClassifier`: it follows details,
and so a few wrong labels, too. The soft one has a far smaller cost and stays close to the
difference between the mean documents of the classes, which wrong labels hardly move. The mean of
their log odds finds more wrong labels than either; see ``benchmarks/mislabelled.py``.

How many labels are wrong is estimated as in confident learning (Northcutt, Jiang and Chuang, JAIR
70, 2021). A document is confidently of a class if its probability is at least the mean over the
documents labelled so. Those that are confidently of another class than their label say which share
of each label is wrong. The documents that contradict their label most are taken, as many as that.

An encoder, if one is given, ranks the meaning of the texts in the same folds. Its scores are mixed
into those of both rankings, as `RareTextClassifier` mixes them.

The words that spoke are those of the firm ranking that has not seen the document. An explanation of
the final model would repeat the label that it was trained on.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import groupby
from operator import itemgetter
from typing import Final, overload

import numpy as np
import polars as pl
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from scipy.special import expit

from imbtext._messages import check_whole_number
from imbtext._typing import (
    Column,
    ColumnNames,
    DocumentsLike,
    FeaturesLike,
    Label,
    LabelsLike,
    RandomState,
)
from imbtext.documents._documents import Documents
from imbtext.documents._labels import OneVsRest, Unlabelled, members_table
from imbtext.documents._roles import Roles
from imbtext.features._features import Features, TrainingVectors
from imbtext.features.encoders import EncoderLike, get_encoders
from imbtext.progress import progress_bar
from imbtext.rare._columns import choose_columns
from imbtext.rare._explanation import words_behind
from imbtext.rare._mixture import Mixture, rank_by_meaning, vectors_of_meaning
from imbtext.rare._ranking import MOST_CLASSES, SVM_C, Rankings, Trained, Training
from imbtext.rare._training_documents import TrainingDocuments
from imbtext.thresholds._held_out import HeldOut

# What the soft ranking's errors cost, as a share of the firm one's.
_SOFTNESS: Final = 0.01
_N_WORDS: Final = 8
_N_COPIES: Final = 5
# A label of at most `_RARE_SPELLING` documents is a spelling of one with `_OFTEN` times as many, if
# the names are alike by `difflib`.
_RARE_SPELLING: Final = 3
_OFTEN: Final = 5
_ALIKE: Final = 0.8
_LONG_NAME: Final = 5
_DIGITS: Final = re.compile(r"\d+")


@dataclass(frozen=True)
class LabelDoubt:
    """A document whose label is doubted.

    Attributes
    ----------
    row : int
        Its place among the documents.
    label, suggested : object
        The label that it has and the one that fits better. Where documents have several labels,
        both are sets, and differ in one label.
    doubt : float
        The probability that the label does not hold, by rankings that have not seen the document.
    is_likely : bool
        Whether it is among the labels that are estimated to be wrong.
    words_for, words_against : tuple of str
        The words that speak for the suggested label and those that speak for the one it has, the
        weightiest first.
    copies : tuple of int
        Rows of near-duplicates that are labelled differently.
    """

    row: int
    label: Label
    suggested: Label
    doubt: float
    is_likely: bool
    words_for: tuple[str, ...]
    words_against: tuple[str, ...]
    copies: tuple[int, ...]


class LabelDoubts(Sequence[LabelDoubt]):
    """Doubted labels, the most doubtful first.

    Attributes
    ----------
    n_documents, n_judged, n_likely : int
        How many documents there are, how many of them could be judged, and how many labels are
        estimated to be wrong. A document cannot be judged if no other document has its label.
    """

    def __init__(
        self, doubts: Sequence[LabelDoubt], n_documents: int, n_judged: int, n_likely: int
    ) -> None:
        self._doubts = tuple(doubts)
        self.n_documents = n_documents
        self.n_judged = n_judged
        self.n_likely = n_likely

    def __len__(self) -> int:
        return len(self._doubts)

    @overload
    def __getitem__(self, place: int) -> LabelDoubt: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[LabelDoubt]: ...

    def __getitem__(self, place: int | slice) -> LabelDoubt | Sequence[LabelDoubt]:
        return self._doubts[place]

    def to_frame(self) -> pl.DataFrame:
        """Return a Polars table, one row per doubt."""
        return pl.DataFrame(
            {
                "row": [doubt.row for doubt in self],
                "label": [label_in_words(doubt.label) for doubt in self],
                "suggested": [label_in_words(doubt.suggested) for doubt in self],
                "doubt": [round(doubt.doubt, 6) for doubt in self],
                "words_for": [", ".join(doubt.words_for) for doubt in self],
                "words_against": [", ".join(doubt.words_against) for doubt in self],
            },
            schema={"row": pl.Int64, "label": pl.String, "suggested": pl.String}
            | {"doubt": pl.Float64, "words_for": pl.String, "words_against": pl.String},
        )

    def __repr__(self) -> str:
        n, judged, likely = self.n_documents, self.n_judged, self.n_likely
        return (
            f"{len(self)} doubted labels; {judged:,} of {n:,} could be judged, and about "
            f"{likely:,} seem to be wrong"
        )

    def _repr_html_(self) -> str:
        return self.to_frame()._repr_html_()


def label_in_words(label: object) -> str:
    """Return a label as text; several are joined.

    Examples
    --------
    >>> label_in_words({"rain", "oil"}), label_in_words(3)
    ('oil; rain', '3')
    """
    if isinstance(label, set | frozenset):
        return "; ".join(sorted(map(str, label)))
    return str(label)


def mislabelled(
    X: DocumentsLike,
    y: LabelsLike,
    *,
    text: ColumnNames = None,
    columns: ColumnNames = None,
    top: int | None = None,
    groups: Column | None = None,
    features: FeaturesLike = "auto",
    encoder: "EncoderLike | None" = None,
    language: str | None = "english",
    ignore_labels: Label | Collection[Label] = None,
    pos_label: Label = None,
    unlabelled: Unlabelled | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> LabelDoubts:
    """Find documents whose label is probably wrong, the most doubtful first.

    Use it before you train, or when a model disappoints: wrong labels cost a rare class more than
    anything else. Every document is judged by models that have not seen it or its near-duplicates.
    A label of few documents that is spelt nearly like a frequent one is a doubt itself.
    Read what it returns and correct what is wrong; hard documents with the right label are among
    them, so do not drop them unread.

    Parameters
    ----------
    X : documents or table
        As for `RareTextClassifier`.
    y : labels
        One label per document, a set of labels per document, or a column of 0 and 1 per class.
        Documents whose label is missing, or nothing but white space, are left out unless
        `unlabelled` says otherwise.
    text : str or list of str, optional
        The text columns, if `X` is a table.
    columns : list of str, "all" or None, default=None
        Columns of the table that stand beside the text. They have a say if they rank held-out
        documents better than the text alone.
    top : int, optional
        How many to return. By default as many as are estimated to be wrong.
    groups : array-like, optional
        One value per document; documents of a group do not judge one another.
    features, encoder, language, ignore_labels, pos_label, unlabelled, random_state, n_jobs, verbose
        As for `RareTextClassifier`; `n_jobs` is a number of threads.

    Returns
    -------
    LabelDoubts
        The doubted labels with a better one each, and the words that spoke. ``to_frame()`` makes a
        table of them.

    See Also
    --------
    RareTextClassifier : Learns from the corrected labels.

    Examples
    --------
    >>> places = ["Paris", "Rome", "Oslo", "Bern", "Kyiv", "Riga", "Bonn", "Lima", "Cairo", "Delhi"]
    >>> texts = [f"{what} {place}" for what in ("oil price in", "rain over") for place in places]
    >>> y = ["oil"] * 10 + ["weather"] * 10
    >>> y[12] = "oil"  # rain over Oslo
    >>> doubts = mislabelled(texts, y, random_state=0)
    >>> doubts[0].row, doubts[0].label, doubts[0].suggested, doubts[0].words_for[:2]
    (12, 'oil', 'weather', ('over', 'rain'))
    """
    if top is not None:
        check_whole_number("top", top, least=1)
    data = TrainingDocuments.of(
        Documents.of(X, y, roles=Roles.of(text, columns), groups=groups),
        features=features,
        language=language,
        ignore_labels=ignore_labels,
        random_state=random_state,
        pos_label=pos_label,
        unlabelled=unlabelled,
    )
    data.refuse_without_words()
    encoders = () if encoder is None else get_encoders(encoder)
    documents, one_vs_rest = data.documents, data.one_vs_rest
    source, training = data.features, data.training
    if data.has_columns:
        source, training = _with_columns(data, n_jobs)
    members, threads = training.members, int(effective_n_jobs(n_jobs))
    held_out = _TwoRankings.of(training, threads, verbose)
    if encoders:
        suited = [one.suited_to(documents) for one in encoders]
        meant = vectors_of_meaning(suited, documents, verbose=verbose)
        held_out = held_out.with_meaning(meant, threads)
    odds = held_out.log_odds(data.groups, exclusive=one_vs_rest.form == "multiclass")
    judged = _judge(one_vs_rest, members, odds)
    order = np.lexsort((judged.indices, -judged.doubts, ~judged.is_likely))
    n_likely = int(judged.is_likely.sum())
    chosen = judged.select(order[: n_likely if top is None else top])
    words = held_out.words(chosen, source, documents, one_vs_rest)
    copies = _copies(documents.near_duplicates, members, chosen.indices)
    doubts = [
        LabelDoubt(
            int(data.documents.rows[chosen.indices[i]]),
            *_labels_of(one_vs_rest, members, chosen, i),
            float(chosen.doubts[i]),
            bool(chosen.is_likely[i]),
            *words[i],
            tuple(data.documents.rows[np.array(copies[i], np.int64)].tolist()),
        )
        for i in range(len(chosen.indices))
    ]
    n_judged = len(np.unique(judged.indices))
    return LabelDoubts(doubts, len(documents), n_judged, n_likely)


def _with_columns(data: TrainingDocuments, n_jobs: int | None) -> tuple[Features, Training]:
    """Put the columns beside the text, if held-out documents are ranked better with them."""

    def train(vectors: TrainingVectors) -> Trained:
        return replace(data.training, vectors=vectors).run(effective_n_jobs(n_jobs))

    chosen = choose_columns(data, train)
    if not chosen.columns:
        return data.features, data.training
    vectors = chosen.features.learn(data.documents)
    return chosen.features, replace(data.training, vectors=vectors)


@dataclass(frozen=True, eq=False)
class _DoubtedLabels:
    """Labels, how much each is doubted, and a better one; one entry each.

    `labels` is the place of the label that the document has, `suggested` that of the best other
    one. Where documents have several labels, each class is judged for each document: `labels` is
    the class, and `suggested` is `_LOSE` if the document has it, `_GET` if it does not.
    """

    indices: NDArray[np.int64]
    labels: NDArray[np.int64]
    suggested: NDArray[np.int64]
    doubts: NDArray[np.float64]
    is_likely: NDArray[np.bool_]

    def select(self, indices: NDArray[np.int64]) -> "_DoubtedLabels":
        return _DoubtedLabels(*(column[indices] for column in vars(self).values()))


# What is suggested where documents have several labels: to lose a label, or to get it.
_LOSE: Final = -1
_GET: Final = -2


def _judge(
    one_vs_rest: OneVsRest, members: Sequence[NDArray[np.int64]], odds: NDArray[np.float64]
) -> _DoubtedLabels:
    """Judge the labels of all documents that could be held out."""
    known = ~np.isnan(odds)
    probabilities = expit(odds)
    if one_vs_rest.form in ("sets", "indicator"):
        parts = []
        for c, of_class in enumerate(members):
            indices = np.flatnonzero(known[:, c])
            has_label = np.isin(indices, of_class)
            pair = np.column_stack([1 - probabilities[indices, c], probabilities[indices, c]])
            judged = _judge_exclusive(indices, has_label.astype(np.int64), pair)
            suggested = np.where(has_label, _LOSE, _GET)
            parts.append(replace(judged, labels=np.full(len(indices), c), suggested=suggested))
        return _joined(*parts)
    labels = np.zeros(len(odds), np.int64)
    if one_vs_rest.form == "binary":
        labels[:] = 1 - one_vs_rest.modelled[0]
    for place, of_class in zip(one_vs_rest.modelled, members, strict=True):
        labels[of_class] = place
    # A class that could not be held out has no say; the label itself must have one, unless it is
    # another spelling of a label.
    of_classes = one_vs_rest.probabilities(np.where(known, probabilities, 0.0))
    spellings = _rare_spellings(one_vs_rest.classes.tolist(), np.bincount(labels))
    if one_vs_rest.form == "binary":
        is_known = known[:, 0]
    else:
        columns = np.searchsorted(one_vs_rest.modelled, labels)
        is_known = known[np.arange(len(labels)), columns] & (known.sum(axis=1) > 1)
    is_rare = np.isin(labels, list(spellings))
    indices = np.flatnonzero(is_known & ~is_rare)
    judged = _judge_exclusive(indices, labels[indices], of_classes[indices])
    return _joined(judged, _misspelt(labels, np.flatnonzero(is_rare), spellings))


def _misspelt(
    labels: NDArray[np.int64], indices: NDArray[np.int64], spellings: Mapping[int, int]
) -> _DoubtedLabels:
    """Doubt every rare spelling of a label."""
    suggested = np.array([spellings[label] for label in labels[indices].tolist()], np.int64)
    return _DoubtedLabels(
        indices, labels[indices], suggested, np.ones(len(indices)), np.ones(len(indices), bool)
    )


def _joined(*parts: _DoubtedLabels) -> _DoubtedLabels:
    columns = zip(*(vars(judged).values() for judged in parts), strict=True)
    return _DoubtedLabels(*map(np.concatenate, columns))


def _rare_spellings(classes: Sequence[Label], sizes: NDArray[np.int64]) -> dict[int, int]:
    """Return labels that are spelt nearly like a far more frequent one, and which one.

    Examples
    --------
    >>> _rare_spellings(["fraud", "Fruad", "q1", "q2"], np.array([80, 1, 90, 1]))
    {1: 0}
    """
    names = [label.strip().casefold() if isinstance(label, str) else None for label in classes]
    spellings = {}
    for place, name in enumerate(names):
        if name is None or sizes[place] > _RARE_SPELLING:
            continue
        frequent = {
            other: k
            for k, other in enumerate(names)
            if other is not None
            and k != place
            and sizes[k] >= _OFTEN * sizes[place]
            # Numbered labels differ by a digit, and mean different things.
            and _DIGITS.findall(other) == _DIGITS.findall(name)
        }
        # Letters that changed places, or another case; in longer names other letters, too.
        same = [other for other in frequent if sorted(other) == sorted(name)]
        longer = [other for other in frequent if len(other) >= _LONG_NAME]
        if nearest := same or get_close_matches(name, longer, 1, _ALIKE):
            spellings[place] = frequent[nearest[0]]
    return spellings


def _judge_exclusive(
    indices: NDArray[np.int64], labels: NDArray[np.int64], probabilities: NDArray[np.float64]
) -> _DoubtedLabels:
    """Judge one label per document by the probabilities of all classes."""
    places = np.arange(len(indices))
    others = probabilities.copy()
    others[places, labels] = -1.0
    suggested = others.argmax(axis=1)
    doubts = 1 - probabilities[places, labels]
    return _DoubtedLabels(indices, labels, suggested, doubts, _are_likely(labels, probabilities))


def _are_likely(labels: NDArray[np.int64], probabilities: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which labels are estimated to be wrong, by confident learning.

    Among the documents with label i that are confidently of some class, a share is confidently of
    j. The same share of all documents with label i is taken: those with the largest difference
    between the probabilities of j and i, unless their own label is the likeliest of all.
    """
    n_classes = probabilities.shape[1]
    counts = np.bincount(labels, minlength=n_classes)
    of_labels = probabilities[np.arange(len(labels)), labels]
    means = np.bincount(labels, of_labels, n_classes) / np.maximum(counts, 1)
    confident = np.where((probabilities >= means) & (counts > 0), probabilities, -1.0)
    best, is_confident = confident.argmax(axis=1), confident.max(axis=1) >= 0
    joint = np.zeros((n_classes, n_classes))
    np.add.at(joint, (labels[is_confident], best[is_confident]), 1)
    shares = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1)
    likely = np.zeros(len(labels), bool)
    for i, j in zip(*np.nonzero(shares), strict=True):
        n_wrong = round(shares[i, j] * counts[i])
        if i == j or not n_wrong:
            continue
        indices = np.flatnonzero(labels == i)
        margins = probabilities[indices, j] - probabilities[indices, i]
        likely[indices[np.argsort(-margins, kind="stable")[:n_wrong]]] = True
    return np.asarray(likely & (probabilities.argmax(axis=1) != labels))


@dataclass(frozen=True, eq=False)
class _TwoRankings:
    """Scores of documents by two rankings that have not seen them, and the firm rankings."""

    training: Training
    firm: NDArray[np.float32]
    soft: NDArray[np.float32]
    rankings: dict[tuple[int, int], Rankings]

    @classmethod
    def of(cls, training: Training, n_jobs: int, verbose: bool) -> "_TwoRankings":
        """Train both rankings without each fold."""
        folds = training.folds.numbers
        firm, soft = np.full((2, len(folds), len(training.members)), np.nan, np.float32)
        rankings: dict[tuple[int, int], Rankings] = {}

        def train(fold: int) -> None:
            weighed, held = training.weighed_without(fold), folds == fold
            for first in training.firsts:
                batch = slice(first, first + MOST_CLASSES)
                for scores, svm_c in ((firm, SVM_C), (soft, _SOFTNESS * SVM_C)):
                    ranking = training.fit_batch(fold, first, weighed, svm_c)
                    scores[held, batch] = training.score_fold(fold, first, ranking, weighed.vectors)
                    rankings.setdefault((fold, first), ranking)  # the firm one, which comes first
            bar.advance(task)

        held_out_folds = training.held_out_folds
        with progress_bar(quiet=not verbose) as bar:
            task = bar.add_task("Judging", total=len(held_out_folds))
            Parallel(n_jobs, backend="threading")(delayed(train)(fold) for fold in held_out_folds)
        return cls(training, firm, soft, rankings)

    def with_meaning(self, vectors: Sequence[NDArray[np.float32]], n_jobs: int) -> "_TwoRankings":
        """Return both rankings, each mixed with a ranking by the meaning of the texts."""
        members, weights = self.training.members, self.training.weights
        meaning, _ = rank_by_meaning(self.training, vectors, n_jobs)
        firm, soft = (
            Mixture.of_held_out(words, meaning, members, weights)
            .mixed(words, meaning)
            .astype(np.float32)
            for words in (self.firm, self.soft)
        )
        return replace(self, firm=firm, soft=soft)

    def log_odds(self, groups: NDArray[np.int64], *, exclusive: bool) -> NDArray[np.float64]:
        """Return the mean log odds of both rankings, one column per modelled class."""
        members, folds = self.training.members, self.training.folds.numbers
        odds = np.zeros(self.firm.shape)
        for scores in (self.firm, self.soft):
            is_class = members_table(members, len(folds))
            held_out = HeldOut.of_scores(scores, is_class, folds, groups)
            if exclusive:
                held_out = held_out.less_best_other(held_out.best_share())
            curves = held_out.calibration()
            odds += (curves.slope * held_out.scores + curves.constant) / 2
        return odds

    def words(
        self,
        judged: _DoubtedLabels,
        features: Features,
        documents: Documents,
        one_vs_rest: OneVsRest,
    ) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Return for each entry the words for the suggested label and those for the present one."""
        sides = [
            _sides(one_vs_rest, label, suggested)
            for label, suggested in zip(
                judged.labels.tolist(), judged.suggested.tolist(), strict=True
            )
        ]
        folds = self.training.folds.numbers
        # Documents of a fold share its vectors.
        questions = sorted(
            (int(folds[index]), c, index, entry)
            for entry, index in enumerate(judged.indices.tolist())
            for c, _ in sides[entry]
        )
        answers: dict[tuple[int, int], Sequence[tuple[str, float]]] = {}
        for fold, of_fold in groupby(questions, itemgetter(0)):
            vectors, _ = self.training.weighed_without(fold)
            for c, of_class in groupby(of_fold, itemgetter(1)):
                _, _, of_questions, entries = zip(*of_class, strict=True)
                indices = np.array(of_questions)
                ranking = self.rankings[fold, c - c % MOST_CLASSES]
                contributions = ranking.contributions(vectors, indices, c % MOST_CLASSES)
                words = words_behind(features, documents.select(indices), contributions)
                answers |= {(entry, c): parts for entry, parts in zip(entries, words, strict=True)}
        return [
            _words_of_sides(of_entry, [answers[entry, c] for c, _ in of_entry])
            for entry, of_entry in enumerate(sides)
        ]


def _sides(one_vs_rest: OneVsRest, label: int, suggested: int) -> list[tuple[int, int]]:
    """Return which modelled classes to ask, and with which sign they speak for the suggestion."""
    if suggested in (_LOSE, _GET):
        return [(label, 1 if suggested == _GET else -1)]
    if one_vs_rest.form == "binary":
        return [(0, 1 if suggested == one_vs_rest.modelled[0] else -1)]
    return [(suggested, 1), (label, -1)]


def _words_of_sides(
    sides: list[tuple[int, int]], answers: list[Sequence[tuple[str, float]]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words for the suggested label and for the present one, from what each class says.

    If two classes were asked, the words for the present label are those that speak for it, not just
    against the other.
    """
    _, sign = sides[0]
    words_for = [words for words, weight in answers[0] if sign * weight > 0]
    if len(answers) > 1:
        words_against = [words for words, weight in answers[1] if weight > 0]
    else:
        words_against = [words for words, weight in answers[0] if sign * weight < 0]
    return tuple(words_for[:_N_WORDS]), tuple(words_against[:_N_WORDS])


def _labels_of(
    one_vs_rest: OneVsRest, members: Sequence[NDArray[np.int64]], judged: _DoubtedLabels, i: int
) -> tuple[Label, Label]:
    """Return the label that a document has and the suggested one, in the form of `y`."""
    classes = one_vs_rest.classes.tolist()
    label, suggested = int(judged.labels[i]), int(judged.suggested[i])
    if suggested not in (_LOSE, _GET):
        return classes[label], classes[suggested]
    index = judged.indices[i]
    labels = frozenset(classes[c] for c, of_class in enumerate(members) if index in of_class)
    return labels, labels ^ {classes[label]}


def _copies(
    groups: NDArray[np.int64], members: Sequence[NDArray[np.int64]], indices: NDArray[np.int64]
) -> list[tuple[int, ...]]:
    """Return the near-duplicates of each document that are labelled differently."""
    codes = np.zeros((len(groups), len(members)), bool)
    for c, of_class in enumerate(members):
        codes[of_class, c] = True
    return [
        tuple(other.tolist()[:_N_COPIES])
        for index in indices
        for same in [np.flatnonzero(groups == groups[index])]
        for other in [same[(codes[same] != codes[index]).any(axis=1)]]
    ]
