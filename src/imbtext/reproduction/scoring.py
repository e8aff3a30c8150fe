"""One unit of work: oversample one category, train, predict the test side, score."""

import hashlib
import warnings
from dataclasses import replace
from typing import Final

from imbtext.evaluation.metrics import binary_scores
from imbtext.evaluation.store import UnitKey
from imbtext.methods import fit_method, get_method
from imbtext.oversampling._vectors import FallbackWarning
from imbtext.reproduction.protocol import AS_IN_THE_PAPER, Split, classifier, n_synthetic

# Raised when the numbers of all methods, or of one, change: their stored units are then computed
# anew and all others stay.
PROTOCOL_REVISION: Final = 1
METHOD_REVISIONS: Final[dict[str, int]] = {"eda": 2}


def unit_seed(key: UnitKey) -> int:
    """Derive the seed of a unit from its key.

    Methods and ratios of one repetition share the seed, so that what they have in common (a topic
    model, the first documents of a chain) is the same and needs computing once.

    Examples
    --------
    >>> key = UnitKey("reuters-titles", 0, "tin", 0.1, "ros", 0, 42, "abc")
    >>> unit_seed(key)
    1252818676
    """
    text = "|".join(map(str, (key.seed, key.experiment, key.fold, key.category, key.repetition)))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest()) >> 1


def score_unit(split: Split, key: UnitKey) -> dict[str, float]:
    """Compute the scores of one unit."""
    positive = split.positive(key.category)
    m = int(positive.sum())
    method = get_method(AS_IN_THE_PAPER.get(key.method, key.method))
    if method.scoring is not None and m < 2:
        # One document cannot be cross-validated: the threshold stays where the classifier put it.
        method = replace(method, scoring=None)
    n_new = n_synthetic(len(positive), m, key.ratio) if key.ratio else 0
    with warnings.catch_warnings():
        # The paper's own fallbacks for tiny classes; hundreds of units would repeat the message.
        warnings.simplefilter("ignore", FallbackWarning)
        fitted = fit_method(
            method, split.data, positive, n_new, unit_seed(key), classifier=classifier()
        )
    decision = fitted.decision_function(split.test)
    return binary_scores(split.test_positive(key.category), decision > fitted.threshold, decision)
