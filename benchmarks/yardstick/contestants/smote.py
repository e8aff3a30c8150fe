"""SMOTE on vectors of words, then a linear SVM."""

from imbtext import ResampledClassifier
from protocol import Answer, Given

TITLE = "SMOTE"


def contest(given: Given) -> Answer:
    model = ResampledClassifier("smote", pos_label=True, random_state=given.seed)
    scores = model.fit(given.texts, given.is_class).decision_function(given.new)
    return Answer(scores, scores > 0, scores > 0)
