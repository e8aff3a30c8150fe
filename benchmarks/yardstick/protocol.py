"""Classes, sizes, draws and measures of the yardstick: the same for every contestant.

* **Classes.** Two of each set. Candidates have 60 documents or more for training and 25 or more for
  testing; the largest class of a set is none. Of the candidates by size, those at one and three
  quarters of the list are taken.
* **Sizes.** 3, 5, 10, 20, 50 and all (at most 100) documents of the class, three draws of each and
  one of all. With each document of the class come 39 others, as far as the set has them: a class
  is 1 in 40 of what was labelled, as if somebody had labelled documents as they came.
* **Test.** At most 50 documents of the class and again 39 others for each, the same for all sizes
  and draws. What was promised in training can therefore be tested.
* **Seeds** are a checksum of set, class, size and draw.

Measured are average precision, F1 of the decision that was made for F1, F2 of the one for F2, the
recall that the ranking reaches while nine of ten alarms are right, processor seconds to learn and
to score the test documents, and what is needed to say whether stated intervals of recall and
precision held.
"""

import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, fbeta_score, precision_recall_curve

from sets import read

SIZES, DRAWS, ALL = (3, 5, 10, 20, 50, 0), 3, 100  # 0: all
OTHERS, TESTED = 39, 50
LEAST_TRAINED, LEAST_TESTED = 60, 25
PRECISION = 0.9


@dataclass(frozen=True, eq=False)
class Given:
    """What a contestant is given: documents, which are of the class, and new documents."""

    texts: list[str]
    is_class: NDArray[np.bool_]
    new: list[str]
    seed: int
    label: str


@dataclass(frozen=True, eq=False)
class Answer:
    """What a contestant answers about the new documents, in their order.

    `f1` and `f2` are the decisions made for that metric. `recall` and `precision` are the intervals
    of 95% that it states for the decision `f2`, if it states any.
    """

    scores: NDArray[np.float64]
    f1: NDArray[np.bool_]
    f2: NDArray[np.bool_]
    recall: tuple[float, float] | None = None
    precision: tuple[float, float] | None = None


Contestant = Callable[[Given], Answer]


@dataclass(frozen=True, eq=False)
class Task:
    """One class of a set: documents to learn from in a fixed order, and those to test on."""

    label: str
    texts: list[str]
    inside: NDArray[np.int64]
    others: NDArray[np.int64]
    tested: NDArray[np.int64]
    is_class: NDArray[np.bool_]


@cache
def tasks(name: str, folder: Path) -> dict[str, Task]:
    """Return the two classes of a set."""
    rows = read(name, folder)
    texts = [row["text"] for row in rows]
    is_test = np.array([row["split"] == "test" for row in rows])
    labels = [set(row["label"].split("|")) for row in rows]
    names = sorted(set().union(*labels) - {""})
    members = {each: np.array([each in of_row for of_row in labels]) for each in names}
    order = np.random.default_rng(seed_of(name)).permutation(len(texts))
    train, test = order[~is_test[order]], order[is_test[order]]
    found = {}
    for label in chosen(members, is_test):
        is_class = members[label]
        hits = test[is_class[test]][:TESTED]
        tested = np.concatenate([hits, test[~is_class[test]][: OTHERS * len(hits)]])
        inside, others = train[is_class[train]][:ALL], train[~is_class[train]][: OTHERS * ALL]
        found[label] = Task(label, texts, inside, others, tested, is_class)
    return found


def chosen(members: dict[str, NDArray[np.bool_]], is_test: NDArray[np.bool_]) -> list[str]:
    """Return the names of two classes, by the rule above."""
    by_size = sorted(members, key=lambda label: (int(members[label].sum()), label))
    candidates = [
        label
        for label in by_size[:-1]
        if (members[label] & ~is_test).sum() >= LEAST_TRAINED
        and (members[label] & is_test).sum() >= LEAST_TESTED
    ]
    places = {len(candidates) // 4, 3 * len(candidates) // 4}
    return [candidates[place] for place in sorted(places)] if candidates else []


def cases(name: str, task: Task) -> Iterator[tuple[int, int, Given]]:
    """Yield size, draw and what a contestant is given; the size 0 is all."""
    new = [task.texts[i] for i in task.tested]
    for size in SIZES:
        for draw in range(DRAWS if size else 1):
            seed = seed_of(name, task.label, size, draw)
            rng = np.random.default_rng(seed)
            inside = rng.permutation(task.inside)[: size or ALL]
            others = rng.permutation(task.others)[: OTHERS * len(inside)]
            learnt = rng.permutation(np.concatenate([inside, others]))
            texts = [task.texts[i] for i in learnt]
            yield size, draw, Given(texts, task.is_class[learnt], new, seed % 2**31, task.label)


def measured(contestant: Contestant, given: Given, true: NDArray[np.bool_]) -> dict[str, float]:
    """Return what a contestant reaches on the new documents."""
    cpu, wall = time.process_time(), time.perf_counter()
    answer = contestant(given)
    seconds, waited = time.process_time() - cpu, time.perf_counter() - wall
    found = int((answer.f2 & true).sum())
    low, high = answer.recall or (np.nan, np.nan)
    precision_low, precision_high = answer.precision or (np.nan, np.nan)
    return {
        "average_precision": average_precision_score(true, answer.scores),
        "f1": fbeta_score(true, answer.f1, beta=1, zero_division=0.0),
        "f2": fbeta_score(true, answer.f2, beta=2, zero_division=0.0),
        "recall_at_precision": recall_at_precision(true, answer.scores),
        "found": found,
        "n_tested": int(true.sum()),
        "alarms": int(answer.f2.sum()),
        "recall_low": low,
        "recall_high": high,
        "precision_low": precision_low,
        "precision_high": precision_high,
        "cpu_seconds": seconds,
        "seconds": waited,
    }


def recall_at_precision(true: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """Return the most that the ranking finds while nine of ten alarms are right.

    >>> recall_at_precision(np.array([True, True, False, True]), np.array([4.0, 3, 2, 1]))
    0.6666666666666666
    """
    precision, recall, _ = precision_recall_curve(true, scores)
    return float(recall[precision >= PRECISION].max())


def seed_of(*parts: object) -> int:
    """Return a checksum of set, class, size and draw as a seed."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6])
