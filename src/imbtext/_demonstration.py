"""The demonstration: a rare subject found in the embedded corpus.

``imbtext demo`` prints what is measured here.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedShuffleSplit

from imbtext.datasets._dataset import TextDataset
from imbtext.documents._tokenization import encode_texts
from imbtext.methods._classifier import ResampledClassifier
from imbtext.metrics import Confusion, get_goal
from imbtext.oversampling._emco import EMCO
from imbtext.oversampling._strategy import minority_share
from imbtext.rare._classifier import RareTextClassifier

OURS = "RareTextClassifier"
FREE = ("threshold(f2)", "characters(f2)")
METHODS = ("plain", *FREE, "emco(0.1)", OURS)
_GAMMA = 0.1
_N_PAGES = 3
_N_WORDS = 4


@dataclass(frozen=True)
class FoundPage:
    """A page that `RareTextClassifier` finds likeliest to be of the class.

    It has the first line of the page, the words that spoke for it, and whether it is of the class.
    """

    first_line: str
    words: list[str]
    of_class: bool


@dataclass(frozen=True)
class Demonstration:
    """What the demonstration found.

    ``finds`` says what each method finds among held-out documents, on average over random halves,
    and ``rival`` is the best of the free remedies by F2. ``promises`` is what `RareTextClassifier`
    said beforehand of each half: how many of 100 documents of the class it would find, and the
    limits of the 95% interval; ``kept`` is how many of 100 it then found. ``pages`` and ``example``
    come from the first half. The example is a synthetic document: its words, and whether each is
    new to the class.
    """

    label: str
    n_documents: int
    n_rare: int
    n_splits: int
    finds: dict[str, Confusion]
    rival: str
    promises: list[tuple[float, float, float]]
    kept: list[float]
    pages: list[FoundPage]
    example: list[tuple[str, bool]]
    n_new_words: int


def demonstrate(
    dataset: TextDataset,
    label: str,
    *,
    share: float = 0.2,
    n_splits: int = 3,
    seed: int = 0,
    step: Callable[[], None] = lambda: None,
) -> Demonstration:
    """Compare methods on random halves of the corpus, and look at what they find.

    `step` is called after each of the ``n_splits * len(METHODS)`` fits.
    """
    positive = dataset.in_class(label)
    if (n := int(positive.sum())) < 4:
        raise ValueError(
            f"class {label!r} has {n} document{'s' * (n != 1)}; choose one with at least 4, to "
            "learn from half of them and test on the rest"
        )
    texts = np.array(dataset.texts, dtype=object)
    splits = list(
        StratifiedShuffleSplit(n_splits, test_size=0.5, random_state=seed).split(texts, positive)
    )
    counts: dict[str, list[Confusion]] = {method: [] for method in METHODS}
    models: list[RareTextClassifier] = []
    for train, test in splits:
        for method in METHODS:
            model = _model(method, share, seed).fit(texts[train], positive[train])
            flagged = model.decision_function(texts[test]) > 0
            counts[method].append(Confusion.of(positive[test], flagged))
            if isinstance(model, RareTextClassifier):
                models.append(model)
            step()
    finds = {method: _mean(of_method) for method, of_method in counts.items()}
    rival = max(FREE, key=lambda method: float(get_goal("f2").value(finds[method])))
    recalls = [model.expectation_[-1].recall for model in models]
    train, test = splits[0]
    likeliest = test[np.argsort(-models[0].decision_function(texts[test]), kind="stable")]
    example, n_new_words = _synthetic(texts[train], positive[train], share, seed)
    return Demonstration(
        label=label,
        n_documents=len(texts),
        n_rare=int(positive.sum()),
        n_splits=n_splits,
        finds=finds,
        rival=rival,
        promises=[(100 * r.mean, 100 * r.lower, 100 * r.upper) for r in recalls],
        kept=[100 * c.found / c.n_class for c in counts[OURS]],
        pages=_pages(models[0], texts[likeliest[:_N_PAGES]], positive[likeliest[:_N_PAGES]]),
        example=example,
        n_new_words=n_new_words,
    )


def _model(method: str, share: float, seed: int) -> RareTextClassifier | ResampledClassifier:
    if method == OURS:
        return RareTextClassifier("f2", pos_label=True, random_state=seed)
    return ResampledClassifier(method, share=share, pos_label=True, random_state=seed)


def _mean(counts: list[Confusion]) -> Confusion:
    columns = ("found", "false_alarms", "n_class", "n_rest")
    return Confusion(*(float(np.mean([getattr(c, name) for c in counts])) for name in columns))


def _pages(
    model: RareTextClassifier, texts: NDArray[np.object_], is_class: NDArray[np.bool_]
) -> list[FoundPage]:
    """Describe pages by their first line and the words that speak for them."""
    pages = []
    explanations = model.explanations(texts.tolist())
    for text, explanation, of_class in zip(texts, explanations, is_class, strict=True):
        # Without pieces of markup.
        words = [word for word in explanation.words_for if word.replace("-", "").isalpha()]
        first_line = text.strip().partition("\n")[0]
        pages.append(FoundPage(first_line, words[:_N_WORDS], bool(of_class)))
    return pages


def _synthetic(
    texts: NDArray[np.object_], positive: NDArray[np.bool_], share: float, seed: int
) -> tuple[list[tuple[str, bool]], int]:
    """Return a synthetic document, and how many new words all of them bring to the class."""
    sampler = EMCO(_GAMMA, sampling_strategy=minority_share(share, label=True), random_state=seed)
    resampled, _ = sampler.fit_resample(texts, positive)
    synthetic = resampled[len(texts) :].tolist()
    class_words = set(encode_texts(texts[positive].tolist()).vocabulary)
    new = set(encode_texts(synthetic).vocabulary) - class_words
    example = max(
        synthetic[:10], key=lambda text: sum(word not in class_words for word in text.split()[:30])
    )
    return [(word, word not in class_words) for word in example.split()], len(new)
