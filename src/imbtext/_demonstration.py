"""The demonstration: one rare class of the embedded corpus, with and without oversampling.

Only ``imbtext demo`` uses it. It stands apart because modules of `cli/` parse arguments and print,
while this one trains and measures, and its tests look at numbers instead of at a terminal.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit

from imbtext.datasets import TextDataset
from imbtext.documents import encode_texts
from imbtext.methods import MethodClassifier
from imbtext.metrics import binary_scores
from imbtext.oversampling import EMCO, minority_share

METHODS = (
    "plain",
    "class-weight",
    "threshold(f1)",
    "rare(f1)",
    "ros",
    "mco",
    "emco(0.1)",
    "emco(1)",
)
GAMMAS = (0.0, 0.1, 1.0)


@dataclass(frozen=True)
class Growth:
    """The words that synthetic documents add to those of the class, by gamma.

    New are those that the class's training documents lack; useful those of them that held-out
    documents of the class do use.
    """

    gamma: float
    new_words: int
    useful: int


@dataclass(frozen=True)
class Demonstration:
    """What the demonstration found.

    Scores are means over random halves, of each measure and method on held-out documents; words are
    those of the first half. ``n_unseen_words`` are what held-out documents of the class add to its
    vocabulary, among those that training documents of other classes know.
    """

    label: str
    n_documents: int
    n_rare: int
    n_splits: int
    scores: dict[str, dict[str, float]]
    examples: list[list[tuple[str, bool]]]  # words, each with whether it is a majority-only word
    n_class_words: int
    n_unseen_words: int
    growth: list[Growth]


def demonstrate(
    dataset: TextDataset,
    label: str,
    *,
    share: float = 0.2,
    n_splits: int = 5,
    seed: int = 0,
    step: Callable[[], None] = lambda: None,
) -> Demonstration:
    """Compare methods on random halves of the corpus and look at the synthetic documents.

    `step` is called after each of the ``n_splits * len(METHODS)`` fits.
    """
    positive = dataset.in_class(label)
    if positive.sum() < 4:
        raise ValueError(
            f"class {label!r} has {int(positive.sum())} documents; "
            "at least 4 are needed to learn from half of them and test on the rest"
        )
    texts = np.array(dataset.texts, dtype=object)
    splits = list(
        StratifiedShuffleSplit(n_splits, test_size=0.5, random_state=seed).split(texts, positive)
    )
    scores: dict[str, list[dict[str, float]]] = {method: [] for method in METHODS}
    for train, test in splits:
        for method in METHODS:
            model = MethodClassifier(method, share=share, pos_label=True, random_state=seed)
            model.fit(texts[train], positive[train])
            decision = model.decision_function(texts[test])
            scores[method].append(binary_scores(positive[test], decision > 0, decision))
            step()
    train, test = splits[0]
    samplers = [_fitted(texts[train], positive[train], gamma, share, seed) for gamma in GAMMAS]
    class_words = _words(texts[train][positive[train]])
    unseen_words = _words(texts[test][positive[test]]) - class_words
    return Demonstration(
        label=label,
        n_documents=len(texts),
        n_rare=int(positive.sum()),
        n_splits=n_splits,
        scores={
            method: {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
            for method, rows in scores.items()
        },
        examples=[
            [(word, word not in class_words) for word in text.split()]
            for text in samplers[1][1][:3]
        ],
        n_class_words=len(class_words),
        n_unseen_words=len(unseen_words & set(samplers[0][0].vocabulary_)),
        growth=[
            Growth(gamma, len(new := _words(synthetic) - class_words), len(new & unseen_words))
            for gamma, (_, synthetic) in zip(GAMMAS, samplers, strict=True)
        ],
    )


def _fitted(
    texts: NDArray[np.object_], positive: NDArray[np.bool_], gamma: float, share: float, seed: int
) -> tuple[EMCO, list[str]]:
    sampler = EMCO(gamma, sampling_strategy=minority_share(share, label=True), random_state=seed)
    resampled, _ = sampler.fit_resample(texts, positive)
    return sampler, resampled[len(texts) :].tolist()


def _words(texts: NDArray[np.object_] | list[str]) -> set[str]:
    return set(encode_texts(list(texts)).vocabulary)
