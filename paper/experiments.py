"""The paper's experiments, in the order of its section 5.

Documents become bags of stemmed words with tf-idf weights. Every category rare enough to be
oversampled is, in turn, the minority class against all the rest. The training side is oversampled
to a ratio, a linear SVM is trained, and its predictions on the untouched test side are scored.
Scores are averaged over repetitions (or folds) within a category, then over categories.

What the text of the paper leaves out (which rows are dropped, how HuffPost is shuffled and cut, how
counts are rounded) follows the behaviour of the authors' code.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from imbtext.methods import Method, get_method
from paper.eda import PublishedEDA  # noqa: F401  registers its name
from paper.published import PUBLISHED_METHODS

Frequency = Literal["very_low", "low"]

RATIOS: Final = (0.1, 0.2)
PAPER_METHODS: Final = tuple(name.lower() for name in PUBLISHED_METHODS)
# Ours, for comparison: no synthetic documents, so nothing to repeat but the solver's order.
EXTRA_METHODS: Final = ("class-weight", "threshold(balanced_accuracy)", "threshold(f2)")
# Where a method's default differs from what the paper did: there, ADASYN is imbalanced-learn's,
# which adds only about as many documents as asked for, and EDA makes the same number of new
# documents of each document, from raw text.
AS_IN_THE_PAPER: Final = {"adasyn": "adasyn(exact=false)", "eda": "eda-published"}
# The paper's column of the classifier without oversampling; the package calls that method "plain".
NO_OVERSAMPLING: Final = "svm"

# The methods of the LSTM experiment, as units are stored and as the published table calls them.
PLAIN_LSTM: Final = "LSTM"
LSTM_NAMES: Final = {"lstm": PLAIN_LSTM, "eda": "EDA", "emco(0.1)": "EMCO"}

# A category is a minority class where its share of the documents is below this part of the ratio.
_OVERSAMPLED_BELOW: Final = 0.75
_VERY_LOW_BELOW: Final = 0.015


@dataclass(frozen=True)
class PaperExperiment:
    """One row of the paper's tables: a data set, a kind of text, and how often it is run.

    Attributes
    ----------
    name, title : str
        As the command and as the tables call it.
    dataset : str
        Such as ``"reuters"``; a data set cut into folds ends in ``"-5fold"``.
    text : {"titles", "full"}
        Headlines, or whole documents.
    repetitions, folds : int
        How often each unit is repeated, and into how many folds the data set is cut.
    """

    name: str
    title: str
    dataset: str
    text: Literal["titles", "full"]
    repetitions: int = 1
    folds: int = 1

    @property
    def described_as(self) -> tuple[str, str]:
        """The data set and kind of text as the paper describes them: whole, not cut into folds."""
        return self.dataset.removesuffix("-5fold"), self.text


# In the order of the published tables.
EXPERIMENTS: Final = {
    row.name: row
    for row in (
        PaperExperiment("reuters-titles", "Reuters titles", "reuters", "titles", repetitions=5),
        PaperExperiment("reuters-full", "Reuters full", "reuters", "full", repetitions=5),
        PaperExperiment(
            "huffpost-titles-5fold", "HuffPost titles*", "huffpost-5fold", "titles", folds=5
        ),
        PaperExperiment("huffpost-titles", "HuffPost titles", "huffpost", "titles"),
        PaperExperiment("huffpost-full-5fold", "HuffPost full*", "huffpost-5fold", "full", folds=5),
        PaperExperiment("20newsgroups", "20Newsgroups", "20newsgroups", "full", repetitions=5),
    )
}
ROW_TITLES: Final[dict[tuple[str, str], str]] = {
    (row.dataset, row.text): row.title for row in EXPERIMENTS.values()
}


def method_named(name: str) -> Method:
    """Return a method by the paper's name for it, or by the package's.

    Examples
    --------
    >>> method_named("svm").family, method_named("emco(0.1)").family
    ('plain', 'emco')
    """
    return get_method("plain" if name == NO_OVERSAMPLING else name)


def stored_name(name: str) -> str:
    """Return the name under which a method's units are stored: the paper's, where it has one.

    Examples
    --------
    >>> stored_name("plain"), stored_name("emco(0.1)")
    ('svm', 'emco(0.1)')
    """
    return NO_OVERSAMPLING if name == "plain" else name


def is_oversampled(share: float, ratio: float) -> bool:
    """Say whether a category of that share is a minority class at that sampling ratio.

    Examples
    --------
    >>> is_oversampled(0.07, ratio=0.1), is_oversampled(0.08, ratio=0.1)
    (True, False)
    """
    return share < _OVERSAMPLED_BELOW * ratio


def chosen_categories(names: Sequence[str] | None, known: Sequence[str], owner: str) -> list[str]:
    """Return the named categories in the order of the known ones; None names all.

    A name that `owner`, the data set, does not have is a ValueError.

    Examples
    --------
    >>> chosen_categories(["tin"], ["gas", "tin"], "reuters")
    ['tin']
    """
    unknown = sorted(set(names or ()) - set(known))
    if unknown:
        raise ValueError(
            f"{owner} has no category {unknown[0]!r}; its categories are {', '.join(known)}"
        )
    return [category for category in known if not names or category in names]


def frequency_group(share: float) -> Frequency:
    """Return the group in which the paper reports a category.

    Examples
    --------
    >>> frequency_group(0.0149), frequency_group(0.015)
    ('very_low', 'low')
    """
    return "very_low" if share < _VERY_LOW_BELOW else "low"


def n_synthetic(n: int, m: int, ratio: float) -> int:
    """Return how many synthetic documents bring a class of `m` among `n` to the ratio.

    The paper's rounding, for its experiments alone; users get `imbtext.minority_share`.

    Examples
    --------
    >>> n_synthetic(n=1000, m=10, ratio=0.2)
    237
    >>> n_synthetic(n=1000, m=200, ratio=0.2)
    1
    """
    return max(1, int((ratio * n - m) / (1 - ratio)))


def eda_copies(n: int, m: int, ratio: float) -> int:
    """Return how many new documents EDA makes of each of the `m` documents of a class.

    Examples
    --------
    >>> eda_copies(n=7769, m=20, ratio=0.2)
    96
    """
    return int(1 + (ratio * n - m) / ((1 - ratio) * m))
