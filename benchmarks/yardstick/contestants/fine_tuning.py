"""A small encoder, all of whose weights are tuned below a linear head.

It needs torch and sentence-transformers, and YARDSTICK_ENCODER, a folder with all-MiniLM-L6-v2.
"""

import os

import numpy as np
import torch

from encoder_tuned import fine_tuned
from protocol import Answer, Given

TITLE = "fine-tuning"
FOLDER = os.environ["YARDSTICK_ENCODER"]


def contest(given: Given) -> Answer:
    torch.manual_seed(given.seed)
    rng = np.random.default_rng(given.seed)
    scores = fine_tuned(FOLDER, given.texts, given.is_class, rng, given.new)
    return Answer(scores, scores > 0, scores > 0)
