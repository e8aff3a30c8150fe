"""SetFit's way: an encoder tuned on pairs of documents, then balanced logistic regression.

It needs torch and sentence-transformers, and YARDSTICK_ENCODER, a folder with all-MiniLM-L6-v2.
"""

import os

import numpy as np
import torch

from encoder_tuned import setfit_way
from protocol import Answer, Given

TITLE = "SetFit's way"
FOLDER = os.environ["YARDSTICK_ENCODER"]


def contest(given: Given) -> Answer:
    torch.manual_seed(given.seed)
    rng = np.random.default_rng(given.seed)
    scores = setfit_way(FOLDER, given.texts, given.is_class, rng, given.new)
    return Answer(scores, scores > 0, scores > 0)
