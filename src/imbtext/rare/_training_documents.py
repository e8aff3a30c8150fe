"""The documents that a model is trained on, as `fit` and `mislabelled` read them.

Both begin alike. They leave out documents without a label, and find out which classes to separate
from the rest. Near-duplicates, or the groups that a user names, are held out together, so folds are
dealt, or periods are cut, with these in mind. Then every document becomes a vector.
:meth:`TrainingDocuments.of` does all of it once; ``_ranking.py`` trains on the vectors.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext._messages import DataWarning, warn_user
from imbtext._typing import FeaturesLike, Label, RandomState
from imbtext.documents._documents import Documents
from imbtext.documents._duplicates import group_codes
from imbtext.documents._folds import DealtFolds, deal_folds
from imbtext.documents._labels import OneVsRest, Unlabelled, members_table
from imbtext.documents._periods import Periods, cut_periods
from imbtext.features._features import Features
from imbtext.features._sources import get_features
from imbtext.randomness import draw_seed
from imbtext.rare._ranking import N_FOLDS, Training
from imbtext.thresholds._held_out import HeldOut

# With fewer documents of a class, hardly anything can be known.
_LEAST_OF_CLASS: Final = 4
_MOST_NAMED: Final = 5


class FewDocumentsWarning(DataWarning):
    """A class has so few documents that nobody can know what a model finds of it."""


@dataclass(frozen=True, eq=False)
class TrainingDocuments:
    """Documents that have a label, and all that is known of them before anything is trained.

    Attributes
    ----------
    documents : Documents
        Those that have a label, and none that is ignored.
    one_vs_rest : OneVsRest
        Which classes are separated from the rest.
    groups : ndarray of int64
        The group of each document, see :func:`kept_together`.
    seed : int
        What dealt the folds.
    features : Features
        Where the vectors come from.
    training : Training
        The vectors, the documents of each class, and the folds or, where times were given, periods.
    """

    documents: Documents
    one_vs_rest: OneVsRest
    groups: NDArray[np.int64]
    seed: int
    features: Features
    training: Training

    @classmethod
    def of(
        cls,
        documents: Documents,
        *,
        features: FeaturesLike,
        language: str | None,
        ignore_labels: Label | Collection[Label],
        random_state: RandomState,
        pos_label: Label = None,
        unlabelled: Unlabelled | None = None,
    ) -> "TrainingDocuments":
        """Take documents with their labels; the parameters are those of `RareTextClassifier`."""
        names = documents.text_columns
        fields = names if len(names) > 1 else ()
        source = get_features(features, language, fields)  # refused before anything takes time
        classes = () if pos_label is None else (pos_label,)
        documents = documents.labelled(
            ignored=ignore_labels, unlabelled=unlabelled, classes=classes
        )
        n = len(documents)
        one_vs_rest, members = documents.labels.one_vs_rest(pos_label)
        seed = draw_seed(random_state)
        together = kept_together(documents)
        folds: DealtFolds | Periods
        if documents.times is None:
            dealt = deal_folds(members, n, together, N_FOLDS, seed)
            folds = DealtFolds(dealt, documents.near_duplicates)
        else:
            folds = cut_periods(documents.times, members, N_FOLDS, documents.groups)
        # Models of several classes on the same documents share their features.
        key = tuple(features) if isinstance(features, list) else features
        learnt, vectors = documents.of_all(
            ("features", key, language, fields), lambda: (source, source.learn(documents))
        )
        training = Training(vectors, members, folds, documents.weights)
        return cls(documents, one_vs_rest, together, seed, learnt, training)

    def warn_of_few(self) -> None:
        """Warn of classes of one to three documents, of which hardly anything can be known."""
        few = {
            label: len(of_class)
            for label, of_class in zip(self.one_vs_rest.labels, self.training.members, strict=True)
            if len(of_class) < _LEAST_OF_CLASS
        }
        if few:
            each = [f"{label!r} ({n})" for label, n in list(few.items())[:_MOST_NAMED]]
            n_more = len(few) - len(each)
            more = f" and {n_more:,} more" * (n_more > 0)
            warn_user(
                f"too few documents of {', '.join(each)}{more} to know what the model finds: with "
                f"fewer than {_LEAST_OF_CLASS}, threshold and expectation are guesses. Label some "
                "more, better ten or twenty",
                FewDocumentsWarning,
            )

    @property
    def has_columns(self) -> bool:
        """Whether there are columns beside the text."""
        return self.documents.columns is not None

    def refuse_without_words(self) -> None:
        """Raise a ValueError if no document has a word."""
        text = self.features.text_terms
        if text is not None and not len(text.weights):
            raise ValueError(
                f"none of the {len(self.documents):,} documents has a word, so there is nothing to "
                f"learn ({text.about}); is this the right column?"
            )

    def held_out(self, scores: NDArray[np.float32]) -> HeldOut:
        """Return scores of these documents by rankings that have not seen them."""
        training = self.training
        return HeldOut.of_scores(
            scores,
            members_table(training.members, len(self.documents)),
            training.folds.numbers,
            self.groups,
            training.weights,
            in_time=training.folds.in_time,
            exclusive=self.one_vs_rest.form == "multiclass",
            seed=self.seed,
        )

    def folds_in_words(self) -> str:
        """Return how documents are held out, in words."""
        folds = self.training.folds
        if isinstance(folds, Periods):
            return folds.in_words() + self._class_in_periods(folds)
        n_repeated = len(self.documents) - int(self.documents.near_duplicates.max()) - 1
        return (
            f"{N_FOLDS}, shared by all classes; {n_repeated:,} near-duplicates never in training "
            "and test at once"
        )

    def _class_in_periods(self, periods: Periods) -> str:
        """Return how rare the class was in each tested period, in words; empty for several classes.

        What to expect follows the last periods more than the first, if the class comes and goes.
        """
        members, given = self.training.members, self.training.weights
        if len(members) > 1:
            return ""
        is_class = members_table(members, len(self.documents))[:, 0]
        weights = np.ones(len(is_class)) if given is None else given
        shares = []
        for period in periods.tested:
            here = periods.numbers == period
            if weights[here].any():
                shares.append(f"{100 * np.average(is_class[here], weights=weights[here]):.2g}%")
        return f"; the class made up {', '.join(shares)} of their documents"


def kept_together(documents: Documents) -> NDArray[np.int64]:
    """Return a number for each document; those of a group, or else near-duplicates, share it.

    Not both: short texts recur in many groups and would chain these together, at worst to one group
    of most documents. A near-duplicate in another group is left out of training instead.
    """
    groups = documents.groups
    return documents.near_duplicates if groups is None else group_codes(groups)
