"""Balanced logistic regression on the vectors of a sentence encoder, with a tuned threshold."""

from sklearn.linear_model import LogisticRegression

from encoding import vectors
from protocol import Answer, Given
from tuning import with_tuned_threshold

TITLE = "encoder and logistic regression"
ENCODER = "minilm"


def contest(given: Given) -> Answer:
    model = LogisticRegression(class_weight="balanced", max_iter=1000)
    learnt, new = (vectors(ENCODER, texts) for texts in (given.texts, given.new))
    return with_tuned_threshold(model, learnt, new, given)
