"""The threshold that the goal itself chooses, on held-out scores in any order."""

import numpy as np

from imbtext.thresholds._choosing import Cuts


def choose_threshold(goal, scores, is_class, weights=None):
    """Return the threshold above which a document is put into the class."""
    order = np.argsort(-scores, kind="stable")
    weights = None if weights is None else weights[order]
    return Cuts.of(scores[order], is_class[order]).choose(goal, weights)
