"""LightGBM on words, with balanced class weights and otherwise as it comes."""

import numpy as np
from lightgbm import LGBMClassifier
from sklearn.feature_extraction.text import TfidfVectorizer

from protocol import Answer, Given

TITLE = "LightGBM on words"


def contest(given: Given) -> Answer:
    words = TfidfVectorizer(dtype=np.float32)
    learnt = words.fit_transform(given.texts)
    model = LGBMClassifier(
        class_weight="balanced", random_state=given.seed, n_jobs=1, deterministic=True, verbose=-1
    )
    model.fit(learnt, given.is_class)
    scores = model.predict_proba(words.transform(given.new))[:, 1]
    return Answer(scores, scores > 0.5, scores > 0.5)
