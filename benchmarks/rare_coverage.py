"""Whether RareTextClassifier keeps its word: its expectation against new documents.

By simulation, documents are drawn anew for each repetition and the model is fitted and asked what
to expect. The truth is what it then does with one large sample of new documents from the same
generator. Printed is how often the intervals of 95% of recall, precision and alarms held the
truth, and how wide they were. The kinds of documents:

* plain: each on its own, 6% of them in the class;
* small: 2% in the class, about ten documents;
* copies: ten copies of each of 150 documents, which the model has to notice;
* groups: about twelve documents each, mostly of the class in one of five groups and hardly ever in
  the others; in a third of all groups the class is hard to find. New documents are those of new
  groups;
* few 1, few 2, few 3, few 4, few 8: as many groups of 30 documents as the name says hold the
  class. They differ in how hard their documents are to find. New documents are of new groups;
* weights: one in ten of the documents outside the class was kept, with a weight of 10;
* classes: four exclusive classes, from 4% to 60%;
* labels: three labels, any number of them per document.

On real documents, 1,500 HuffPost headlines to learn from are drawn anew for every repetition. New
ones are all other headlines of the class, so that the true recall is no estimate from a few of
them, and 12,000 of the rest, which count for all the rest. The kind is the name of a class, or
``huffpost`` for all three.

    python benchmarks/rare_coverage.py [repetitions] [kind ...]
    python benchmarks/rare_coverage.py 60 huffpost
    python benchmarks/rare_coverage.py 100 "LATINO VOICES"
    python benchmarks/rare_coverage.py 60 "few 1" "few 2" ... --out results/coverage
"""

import argparse
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext import RareTextClassifier
from imbtext.datasets import load_huffpost

METRICS = ("f2", "f1", "balanced_accuracy")
N_LEARNT, N_NEW = 600, 6000
# Words that say nothing, and what stands for a class; neither has digits, which are not words.
WORDS = np.array(["".join(letters) for letters in product("bdfgklmn", "aeiou", "prst", "aeo")])
MARKS = np.array(
    [[f"class{c}{mark}" for mark in ("up", "on", "in", "at", "by", "of")] for c in "abcd"]
)
HUFFPOST_CLASSES = ("PARENTING", "WOMEN", "LATINO VOICES")
N_HEADLINES, N_NEW_HEADLINES, LEAST_ALARMS = 1500, 12_000, 20
CLASS_SHARES = (0.04, 0.1, 0.26, 0.6)
LABEL_SHARES = (0.05, 0.1, 0.2)


class Sample(NamedTuple):
    """Documents, which classes each is in (a column per class), and what else `fit` takes."""

    texts: list[str]
    members: NDArray[np.bool_]
    weights: NDArray[np.float64] | None = None
    groups: NDArray[np.int64] | None = None


def write(generator: np.random.Generator, marks: NDArray[np.float64]) -> list[str]:
    """Write documents of six words that say nothing, and up to three marks of each class.

    `marks` is how likely each of the three is, a row per document and a column per class.
    """
    words = WORDS[(len(WORDS) * generator.random((len(marks), 6)) ** 2).astype(int)]
    marked = generator.random((len(marks), 3, marks.shape[1])) < marks[:, None, :]
    kinds = generator.integers(MARKS.shape[1], size=marked.shape)
    return [
        " ".join([*words[row], *(MARKS[c, kinds[row, k, c]] for k, c in np.argwhere(marked[row]))])
        for row in range(len(marks))
    ]


def draw_labels(generator: np.random.Generator, n: int, shares: Any) -> Sample:
    """Each document is in each class by chance."""
    members = generator.random((n, len(shares))) < shares
    return Sample(write(generator, np.where(members, 0.35, 0.03)), members)


def new_labels(generator: np.random.Generator, n: int, shares: Any) -> Sample:
    """The same for the truth: more documents of the classes, each of which counts for less."""
    even = np.full(len(shares), 0.5 if len(shares) == 1 else 0.25)
    new = draw_labels(generator, n, even)
    odds = np.where(new.members, shares / even, (1 - np.array(shares)) / (1 - even))
    return new._replace(weights=odds.prod(axis=1))


def draw_copies(generator: np.random.Generator, n: int) -> Sample:
    once = draw_labels(generator, n // 4, [0.15])
    return Sample([text for text in once.texts for _ in range(10)], once.members.repeat(10, axis=0))


def draw_groups(generator: np.random.Generator, n: int) -> Sample:
    sizes = generator.integers(4, 21, size=n // 8)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    shares = np.where(generator.random(len(sizes)) < 0.2, 0.9, 0.01)
    is_class = generator.random(len(groups)) < shares[groups]
    is_hard = generator.random(len(sizes)) < 1 / 3
    return Sample(
        write_groups(generator, is_class, is_hard[groups]), is_class[:, None], None, groups
    )


def new_groups(generator: np.random.Generator, n: int) -> Sample:
    """One document of each new group; groups of any size are alike."""
    is_class = np.arange(n) % 2 == 0
    texts = write_groups(generator, is_class, generator.random(n) < 1 / 3)
    share = 0.2 * 0.9 + 0.8 * 0.01
    return Sample(texts, is_class[:, None], np.where(is_class, share, 1 - share))


def write_groups(generator: np.random.Generator, is_class: Any, is_hard: Any) -> list[str]:
    marks = np.where(is_class, np.where(is_hard, 0.08, 0.5), 0.03)
    return write(generator, marks[:, None])


def draw_few(generator: np.random.Generator, n: int, n_groups: int) -> Sample:
    n_others = n // 15
    groups = np.append(np.repeat(np.arange(n_groups), 30), n_groups + np.arange(n) % n_others)
    is_class = np.arange(len(groups)) < 30 * n_groups
    ease = generator.normal(0, 1, n_groups + n_others)[groups]
    return Sample(write_uneven(generator, is_class, ease), is_class[:, None], None, groups)


def new_of_few(generator: np.random.Generator, n: int, n_groups: int) -> Sample:
    """One document of each new group."""
    is_class = np.arange(n) % 2 == 0
    texts = write_uneven(generator, is_class, generator.normal(0, 1, n))
    share = 30 * n_groups / (30 * n_groups + N_LEARNT)
    return Sample(texts, is_class[:, None], np.where(is_class, share, 1 - share))


def write_uneven(generator: np.random.Generator, is_class: Any, ease: Any) -> list[str]:
    odds = np.where(is_class, 0.5, 0.03) * np.exp(ease)
    return write(generator, (odds / (1 + odds))[:, None])


def draw_sampled(generator: np.random.Generator, n: int) -> Sample:
    is_class = generator.random(8 * n) < 0.02
    is_class = is_class[is_class | (generator.random(8 * n) < 0.1)]
    texts = write(generator, np.where(is_class, 0.35, 0.03)[:, None])
    return Sample(texts, is_class[:, None], weights=np.where(is_class, 1.0, 10.0))


def draw_classes(generator: np.random.Generator, n: int, shares: Any = CLASS_SHARES) -> Sample:
    members = generator.choice(4, p=shares, size=n)[:, None] == np.arange(4)
    return Sample(write(generator, np.where(members, 0.35, 0.03)), members)


def new_classes(generator: np.random.Generator, n: int) -> Sample:
    new = draw_classes(generator, n, [0.25] * 4)
    return new._replace(weights=new.members @ CLASS_SHARES)


Draw = Callable[[np.random.Generator, int], Sample]
# How documents to learn from are drawn, and new ones: without copies, and without sampling down.
KINDS: dict[str, tuple[Draw, Draw]] = {
    "plain": (partial(draw_labels, shares=[0.06]), partial(new_labels, shares=[0.06])),
    "small": (partial(draw_labels, shares=[0.02]), partial(new_labels, shares=[0.02])),
    "copies": (draw_copies, partial(new_labels, shares=[0.15])),
    "groups": (draw_groups, new_groups),
    "weights": (draw_sampled, partial(new_labels, shares=[0.02])),
    "classes": (draw_classes, new_classes),
    "labels": (partial(draw_labels, shares=LABEL_SHARES), partial(new_labels, shares=LABEL_SHARES)),
} | {
    f"few {k}": (partial(draw_few, n_groups=k), partial(new_of_few, n_groups=k))
    for k in (1, 2, 3, 4, 8)
}


def labels_of(kind: str, members: NDArray[np.bool_]) -> Any:
    """Return `y` as the kind of documents has it."""
    if kind == "classes":
        return members.argmax(axis=1)
    return members.astype(int) if kind == "labels" else members[:, 0]


class Tally:
    """How often intervals held the truth, how far their means were off, how wide they were."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, ...], list[tuple[bool, float, float]]] = defaultdict(list)

    def add(
        self, key: tuple[str, ...], expectation: Any, put: Any, is_class: Any, weights: Any
    ) -> None:
        """Compare what was expected of a class with the documents that were put into it."""
        right, alarms = weights[put & is_class].sum(), weights[put].sum()
        truths = {
            "recall": right / weights[is_class].sum(),
            "precision": right / alarms if put.sum() >= LEAST_ALARMS else np.nan,
            "alarms": 1000 * alarms / weights.sum(),
        }
        for name, truth in truths.items():
            interval = getattr(expectation, name)
            if not np.isnan([interval.mean, truth]).any():
                inside = interval.lower <= truth <= interval.upper
                width = interval.upper - interval.lower
                self.rows[*key, name].append((inside, interval.mean - truth, width))

    def show(self) -> list[list[object]]:
        """Print and return a row per kind, metric and share."""
        table: list[list[object]] = []
        print(f"{'':48}{'intervals':>10}{'covered':>9}{'off':>9}{'width':>9}")
        for key, rows in self.rows.items():
            covered, off, width = np.mean(np.array(rows, float), axis=0)
            name = ", ".join(key)
            table.append([*key, len(rows), *np.round([covered, off, width], 3).tolist()])
            print(f"{name:48}{len(rows):>10}{covered:>9.3f}{off:>+9.3f}{width:>9.3f}", flush=True)
        self.rows.clear()
        return table


def simulate(kind: str, n_repetitions: int) -> list[list[object]]:
    generator = np.random.default_rng(0)
    draw, draw_new = KINDS[kind]
    new = draw_new(generator, N_NEW)
    weights = np.ones(len(new.texts)) if new.weights is None else new.weights
    tally = Tally()
    for repetition in range(n_repetitions):
        sample = draw(generator, N_LEARNT)
        if (sample.members.sum(axis=0) < 3).any():
            continue
        model = RareTextClassifier("f2", features="words", language=None, random_state=repetition)
        y = labels_of(kind, sample.members)
        model.fit(sample.texts, y, sample.weights, sample.groups)
        predictions = model.predictions(new.texts)
        for metric in METRICS:
            at = model.at(metric)
            put = predictions.alarms_at(at.thresholds_)
            for c, expectation in enumerate(at.expectation_):
                tally.add((kind, metric), expectation, put[:, c], new.members[:, c], weights)
    return tally.show()


def huffpost(name: str, n_splits: int) -> list[list[object]]:
    data = load_huffpost("titles")
    texts, y = np.array(data.texts, dtype=object), data.in_class(name)
    tally = Tally()
    for split in range(n_splits):
        order = np.random.default_rng(split).permutation(len(texts))
        train, left = order[:N_HEADLINES], order[N_HEADLINES:]
        if y[train].sum() < 3:
            continue
        others = left[~y[left]]
        new = np.concatenate([left[y[left]], others[:N_NEW_HEADLINES]])
        weights = np.where(y[new], 1.0, len(others) / N_NEW_HEADLINES)
        model = RareTextClassifier(random_state=split).fit(list(texts[train]), y[train])
        scores = model.decision_function(list(texts[new])) + model.thresholds_[0]
        for metric in METRICS:
            at = model.at(metric)
            put = scores > at.thresholds_[0]
            tally.add((name, metric), at.expectation_[0], put, y[new], weights)
    return tally.show()


def main() -> None:
    """Run each kind, and write the table where ``--out`` says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repetitions", type=int, nargs="?", default=300)
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--out", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    table: list[list[object]] = []
    for kind in given.kinds or KINDS:
        for name in HUFFPOST_CLASSES if kind == "huffpost" else [kind]:
            run = huffpost if name in HUFFPOST_CLASSES else simulate
            table += run(name, given.repetitions)
    if given.out is not None:
        given.out.mkdir(exist_ok=True)
        header = ["kind", "metric", "share", "intervals", "covered", "off", "width"]
        pl.DataFrame(table, header, orient="row").write_csv(given.out / "coverage.csv")


if __name__ == "__main__":
    main()
