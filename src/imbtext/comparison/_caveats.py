"""What a reader must know before believing the numbers of a comparison."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from imbtext.comparison._classes import Target
from imbtext.comparison._cross_validation import Unit, Workload
from imbtext.comparison._result import Settings
from imbtext.evaluation.duplicates import leaked


def unit_notes(units: Sequence[Unit]) -> list[str]:
    """Say which methods failed or warned, and on how many folds."""
    notes = []
    failed = Counter((unit.method, unit.error) for unit in units if unit.error)
    caught = Counter((unit.method, message) for unit in units for message in unit.caught)
    for (method, error), n in failed.items():
        notes.append(f"{method} failed on {n} of the folds and is not judged there: {error}")
    for (method, message), n in list(caught.items())[:10]:
        notes.append(f"{method}, on {n} of the folds: {' '.join(message.split())[:300]}")
    return notes


def duplicate_notes(
    duplicates: NDArray[np.int64],
    workload: Workload,
    settings: Settings,
    targets: Sequence[Target],
) -> list[str]:
    """Say how many tested documents have a near-duplicate in their training documents."""
    sizes = np.bincount(duplicates)
    n = int((sizes[duplicates] > 1).sum())
    if not n:
        return []
    everyone, rare = [], []
    for target in targets[:20]:
        for repeat in range(settings.repeats):
            for fold in range(settings.folds):
                train, test = workload.rows(target.name, repeat, fold)
                seen = leaked(duplicates, train, test)
                everyone.append(seen.mean())
                rare.append(seen[workload.positives[target.name][test]].mean())
    words = (
        f"{n:,} of {len(duplicates):,} documents have a near-duplicate (four fifths of their words "
        "or more in common)."
    )
    if np.mean(everyone) == 0:
        return [f"{words} None of them is in training and test at once."]
    remedy = (
        "remove them from the test set"
        if settings.n_test
        else "keep them together with group_duplicates (--group-duplicates)"
    )
    return [
        f"{words} On average {np.mean(everyone):.1%} of the tested documents, and "
        f"{np.mean(rare):.1%} of those of the rare class, have one in their training documents, so "
        f"scores may be too good for new documents; {remedy} to see."
    ]
