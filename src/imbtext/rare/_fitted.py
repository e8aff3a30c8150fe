"""FittedModel: all that `RareTextClassifier.fit` leaves, as one record.

The estimator is parameters, `fit`, and verbs that read a :class:`FittedModel`. The card, the check,
the server and the file read the same record, so a loaded model answers what the fitted one did. The
type hints of the record are the format of the file (:mod:`imbtext.records`).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import Column, ColumnNames, DocumentsLike, Label
from imbtext.documents._containers import adopted, is_table, names_of
from imbtext.documents._documents import Documents
from imbtext.documents._labels import Form, OneVsRest, label_array
from imbtext.documents._roles import Roles
from imbtext.features._features import Features
from imbtext.features._terms import Vectors
from imbtext.features.encoders import EncoderLike, EncoderRecord, get_encoders
from imbtext.metrics import get_goal
from imbtext.rare._mixture import MeaningPart
from imbtext.rare._nothing_known import lowered, nothing_known, without_meaning
from imbtext.rare._ranking import LinearRanking, RankingRecord
from imbtext.rare._skipping import Skipping, SkippingMeaning
from imbtext.rare._training_record import TrainingRecord
from imbtext.records import StoredAs, check_labels, rising
from imbtext.thresholds._calibration import Calibration
from imbtext.thresholds._expectation import AlarmRate, Expectation, KnownWords
from imbtext.thresholds._held_out import HeldOut, less_best_other
from imbtext.thresholds._operating_point import MovedPoint, OperatingPoint, class_index


class Scored(NamedTuple):
    """Documents, their vectors, and their score for each class that is looked for.

    `nothing_known` says of which of them the model knows nothing.
    """

    documents: Documents
    vectors: Vectors
    scores: NDArray[np.float64]
    nothing_known: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ClassesRecord:
    """How the classes of a model are stored: labels as a list, which may be strings or numbers."""

    form: Form
    labels: tuple[Label, ...]
    modelled: NDArray[np.int64]

    @classmethod
    def of(cls, classes: OneVsRest) -> "ClassesRecord":
        """Take the classes; raise if a file cannot hold their labels."""
        check_labels(classes.classes)
        return cls(classes.form, tuple(classes.classes.tolist()), classes.modelled)

    def restored(self) -> OneVsRest:
        """Return the classes again."""
        if len(set(map(type, self.labels))) != 1:
            raise ValueError("its labels are of several types, or there are none")
        modelled = rising(self.modelled, np.int64, len(self.labels))
        return OneVsRest(self.form, label_array(list(self.labels)), modelled)


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A fitted model: what it ranks by, where it cuts, and what it says to expect.

    Attributes
    ----------
    metric : str or pair of numbers
        What the thresholds serve.
    language : str or None
        The language of the documents.
    text_columns : tuple of str or int
        The names of the columns that the documents came in; empty if they had none.
    columns : tuple of str
        The columns beside the text that the model reads.
    classes : OneVsRest
        The classes, and which of them are separated from the rest.
    ranking : LinearRanking
        What gives a document its scores.
    meaning : MeaningPart or None
        What reads the meaning of a text beside its words, if an encoder was given.
    skipping : Skipping or None
        Which texts need no encoder where only alarms are wanted, if that is known.
    share_of_best_other : float
        Which share of the best other class's score is subtracted from the score of a class.
    calibration : Calibration
        From scores to probabilities.
    point : OperatingPoint
        Its thresholds, one per class that is looked for, and what to expect there.
    known_words : KnownWords
        Which share of a held-out document's words the other documents have.
    training_record : TrainingRecord
        What it was trained on, in numbers.
    report : dict
        The ingredients that were chosen, and why.
    held_out : HeldOut
        The held-out scores, on which thresholds move; of very many documents, the lowest are
        counted together.
    """

    metric: str | tuple[int | float, int | float]
    language: str | None
    text_columns: tuple[str | int, ...]
    columns: tuple[str, ...]
    classes: Annotated[OneVsRest, StoredAs(ClassesRecord)]
    ranking: Annotated[LinearRanking, StoredAs(RankingRecord)]
    meaning: MeaningPart | None
    skipping: Skipping | None
    share_of_best_other: float
    calibration: Calibration
    point: OperatingPoint
    known_words: KnownWords
    training_record: TrainingRecord
    report: dict[str, str]
    held_out: HeldOut

    def __post_init__(self) -> None:
        numbers = {
            *(len(self.classes.modelled), len(self.training_record.class_sizes)),
            *(len(self.thresholds), len(self.calibration.slope), self.held_out.n_classes),
            sum(len(batch.constants) for batch in self.ranking.batches),
        }
        if self.meaning is not None:
            numbers.add(len(self.meaning.ranking.constants))
        if self.skipping is not None and (self.meaning is None or len(self.labels) > 1):
            raise ValueError("it skips texts without an encoder, or for several classes")
        if len(numbers) != 1:
            raise ValueError("its parts are of different numbers of classes")
        if not 0 <= self.share_of_best_other < 1:
            raise ValueError("the share of its other classes is not between 0 and 1")
        labels = [[one.label for one in of] for of in (self.expectation, self.alarm_rates)]
        if labels != [self.labels, self.labels]:
            raise ValueError("what to expect is of other classes")
        held_out, record = self.held_out, self.training_record
        if (
            held_out.exclusive != self.exclusive
            or held_out.n_documents != record.n_documents
            or held_out.class_sizes != record.class_sizes
        ):
            raise ValueError("its held-out scores are of other documents or classes")
        get_goal(self.metric)

    @property
    def labels(self) -> list[Label]:
        """The classes that are looked for."""
        return self.classes.labels

    @property
    def exclusive(self) -> bool:
        """Whether a document is put into exactly one of several classes."""
        return self.classes.form == "multiclass"

    @property
    def features(self) -> Features:
        """Where the vectors come from."""
        return self.ranking.features

    @property
    def thresholds(self) -> NDArray[np.float64]:
        """The score above which a document is put into a class, one per class."""
        return self.point.thresholds

    @property
    def expectation(self) -> tuple[Expectation, ...]:
        """What to expect of new documents, one entry per class."""
        return self.point.expectation

    @property
    def alarm_rates(self) -> tuple[AlarmRate, ...]:
        """How many held-out documents are put into each class."""
        return self.point.alarm_rates

    def moved(self, moved: MovedPoint) -> "FittedModel":
        """Return the model where a user moved it, with a report of that."""
        report = {k: v for k, v in self.report.items() if k != "expectation"}
        if moved.c is None:
            report |= {"operating point": moved.report}
            return replace(self, point=moved.point, metric=moved.metric, report=report)
        of_class = f'; for "{self.labels[moved.c]}", {moved.report}'
        report |= {"operating point": report["operating point"] + of_class}
        return replace(self, point=moved.point, report=report)

    def with_encoder(self, encoder: EncoderLike) -> "FittedModel":
        """Return the model with the encoder given back that it was trained with."""
        if self.meaning is None:
            raise ValueError("an encoder was given, but the model was trained without one")
        trained_with, given = self.meaning.encoders, get_encoders(encoder)
        if len(given) != len(trained_with):
            raise ValueError(
                f"the model was trained with {len(trained_with)} encoders "
                f"({', '.join(map(repr, trained_with))}), and {len(given)} were given; give as "
                "many, in this order"
            )
        for known, one in zip(trained_with, given, strict=True):
            EncoderRecord.of(known).check(one)
        encoders = tuple(
            one.reading(known.n_tokens) for known, one in zip(trained_with, given, strict=True)
        )
        return replace(self, meaning=replace(self.meaning, encoders=encoders))

    def for_alarms(self) -> "FittedModel | None":
        """Return the model that encodes a text only if it may become an alarm.

        None if no such rule was measured on held-out documents at the model's threshold.
        """
        skipping = self.skipping
        if self.meaning is None or skipping is None or self.thresholds[0] != skipping.threshold:
            return None
        return replace(self, meaning=SkippingMeaning.of(self.meaning, skipping))

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of each class that is looked for.

        Those of exclusive classes sum to one. This is the one number that users see.
        """
        of_classes = self.classes.probabilities(self.calibration.probabilities(scores))
        return np.asarray(of_classes[:, self.classes.modelled])

    def margins(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a margin for each document and class, above 0 if its threshold is exceeded.

        Of exclusive classes, a document gets the one with the largest margin.
        """
        return self.held_out.margins_of(scores, self.thresholds)

    def class_index(self, label: Label) -> int:
        """Return the index of a label among the classes; None names the only one."""
        return class_index(label, self.labels)

    def documents(self, X: DocumentsLike | Documents) -> Documents:
        """Read documents, in tables those columns that the model was fitted on."""
        if isinstance(X, Documents):
            return X
        container: Column = adopted(X)
        roles = Roles.of(self._text_of(container), self.columns or None)
        return Documents.of(container, roles=roles)

    def scored(self, X: DocumentsLike | Documents) -> Scored:
        """Return documents, their vectors, and their score for each class."""
        documents = self.documents(X)
        vectors = self.ranking.vectors(documents)
        scores = self.ranking.scores(vectors)
        nothing = nothing_known(self.features, documents, vectors, self.known_words)
        if self.meaning is not None:
            scores = self.meaning.mixed(scores, documents, nothing)
            nothing = without_meaning(nothing, documents, self.meaning.encoders)
        scores = less_best_other(scores, self.share_of_best_other)
        if nothing.any():
            scores = lowered(scores, nothing, self.lowest, self._most_frequent)
            if self._most_frequent is not None:  # exceeded, so that this class is decided for
                of_class, cut = scores[:, self._most_frequent], self.thresholds[self._most_frequent]
                of_class[nothing] = np.maximum(of_class[nothing], np.nextafter(cut, np.inf))
        return Scored(documents, vectors, scores, nothing)

    @cached_property
    def lowest(self) -> NDArray[np.float64]:
        """A score of each class below every held-out document, and not above its threshold."""
        held_out = self.held_out.scores.astype(np.float64)
        known = np.fmin.reduce(held_out, axis=0, initial=np.inf)
        return np.fmin(np.where(np.isfinite(known), known, 0.0) - 1.0, self.thresholds)

    @cached_property
    def _most_frequent(self) -> int | None:
        """Of exclusive classes, the index of the most frequent one."""
        return int(np.argmax(self.held_out.class_sizes)) if self.exclusive else None

    def _text_of(self, X: DocumentsLike) -> ColumnNames:
        """Return the text columns to take from `X`: those that the model was fitted on."""
        names = list(self.text_columns)
        if self.columns or len(names) > 1:
            return names
        if not names or not is_table(X, arrays=True):
            return None
        columns = names_of(X)
        # A table of one column is that column, whatever its name.
        return columns[0] if len(columns) == 1 else names[0]
