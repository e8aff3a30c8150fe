"""The words that a class gains: from more of its documents, and from synthetic ones."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import check_random_state

from imbtext.documents import Corpus


@dataclass(frozen=True, eq=False)
class FamiliarShare:
    """How many of the words a class gains are known from the other documents, half by half.

    Attributes
    ----------
    new_words : ndarray of int64
        For each half, the words of the class that its documents lack.
    familiar_words : ndarray of int64
        Those of them that occur in the other documents.
    n_words : int
        All words of the class.
    """

    new_words: NDArray[np.int64]
    familiar_words: NDArray[np.int64]
    n_words: int

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each half's new words that is familiar; nan where nothing is new."""
        none = self.new_words == 0
        return np.where(none, np.nan, self.familiar_words / np.where(none, 1, self.new_words))

    @property
    def share(self) -> float:
        """The share over all halves together; nan where the class never gains a word."""
        new = int(self.new_words.sum())
        return float(self.familiar_words.sum() / new) if new else float("nan")


def familiar_share(
    corpus: Corpus,
    is_class: ArrayLike,
    *,
    halves: int = 100,
    halve_rest: bool = True,
    random_state: int = 0,
) -> FamiliarShare:
    """Count the words a class gains from half to all of its documents, and those the rest has.

    Figure 1 of the paper shows this for one half of the headlines on "trade"; here it is done for
    many halves, drawn at random.

    Parameters
    ----------
    corpus : Corpus
        All documents.
    is_class : array of bool
        Which of them belong to the class.
    halves : int, default=100
        How many halves to draw.
    halve_rest : bool, default=True
        Whether to look for the new words in a random half of the other documents, as the paper
        does, or in all of them.
    random_state : int, default=0
        Controls which halves are drawn.

    Examples
    --------
    >>> from imbtext.documents import encode_texts
    >>> corpus = encode_texts(["oil up", "oil down", "gold up", "gold down", "rain"])
    >>> result = familiar_share(corpus, [True, True, False, False, False], halve_rest=False)
    >>> result.n_words, set(result.new_words.tolist()), result.share
    (3, {1}, 1.0)
    """
    mask = _class_mask(is_class, corpus.n_documents)
    if not isinstance(halves, Integral) or halves < 1:
        raise ValueError(f"halves is {halves}; expected a whole number from 1 up")
    m, n_rest = int(mask.sum()), int((~mask).sum())
    if m < 2:
        raise ValueError(f"the class has {m} document{'s' * (m != 1)}; halving it takes 2 or more")
    if not n_rest:
        raise ValueError(
            "all documents belong to the class; there are no others to find its words in"
        )
    present = corpus.counts()
    present.data[:] = 1
    of_class = present[np.flatnonzero(mask)]
    words = np.flatnonzero(of_class.sum(axis=0))
    class_columns = sparse.csr_array(of_class[:, words].T)
    rest_columns = sparse.csr_array(present[np.flatnonzero(~mask)][:, words].T)
    random = check_random_state(random_state)
    new_words, familiar_words = np.empty((2, halves), dtype=np.int64)
    for half in range(halves):
        kept = _random_half(m, random)
        rest = _random_half(n_rest, random) if halve_rest else np.ones(n_rest, dtype=np.int64)
        is_new = class_columns @ kept == 0
        new_words[half] = is_new.sum()
        familiar_words[half] = (is_new & (rest_columns @ rest > 0)).sum()
    return FamiliarShare(new_words, familiar_words, len(words))


def _random_half(n: int, random: np.random.RandomState) -> NDArray[np.int64]:
    mask = np.zeros(n, dtype=np.int64)
    mask[random.permutation(n)[: n // 2]] = 1
    return mask


@dataclass(frozen=True)
class ExpansionReport:
    """Synthetic words as a classification of the majority-only vocabulary (section 7).

    A majority-only word is a positive if unseen documents of the class use it, and predicted
    positive if the synthetic documents do.

    Attributes
    ----------
    recall : float
        Share of the positives that the synthetic documents use; nan where there are none.
    tnr : float
        Share of the negatives that they leave alone; nan where there are none.
    new_words : int
        Majority-only words in the synthetic documents.
    n_positive, n_negative : int
        Majority-only words that unseen documents of the class do and do not use.
    """

    recall: float
    tnr: float
    new_words: int
    n_positive: int
    n_negative: int

    @property
    def balanced_accuracy(self) -> float:
        """Mean of recall and true negative rate."""
        return (self.recall + self.tnr) / 2


def expansion_of_words(
    minority: NDArray[np.bool_], synthetic: NDArray[np.bool_], unseen: NDArray[np.bool_]
) -> ExpansionReport:
    """Judge synthetic documents of a class by the new words that they bring.

    The three masks over the words of the vocabulary mark those of the class, of its synthetic
    documents, and of documents of the class that were not trained on. Words that no training
    document has are in none of them: a classifier has no feature for them.

    Examples
    --------
    >>> minority = np.array([True, True, False, False, False])  # oil up down rain snow
    >>> synthetic = np.array([True, False, True, True, False])
    >>> unseen = np.array([True, False, True, False, False])
    >>> report = expansion_of_words(minority, synthetic, unseen)
    >>> report.new_words, report.recall, report.tnr
    (2, 1.0, 0.5)
    """
    majority_only = ~minority
    positive = majority_only & unseen
    predicted = majority_only & synthetic
    n_positive = int(positive.sum())
    n_negative = int(majority_only.sum()) - n_positive
    hits = int((predicted & positive).sum())
    new_words = int(predicted.sum())
    return ExpansionReport(
        recall=hits / n_positive if n_positive else float("nan"),
        tnr=1 - (new_words - hits) / n_negative if n_negative else float("nan"),
        new_words=new_words,
        n_positive=n_positive,
        n_negative=n_negative,
    )


def _class_mask(is_class: ArrayLike, n_documents: int) -> NDArray[np.bool_]:
    mask = np.asarray(is_class)
    if mask.dtype != bool or mask.shape != (n_documents,):
        raise ValueError(
            f"is_class is an array of {mask.dtype} of shape {mask.shape}; expected one True or "
            f"False for each of the {n_documents} documents, such as y == label"
        )
    return mask
