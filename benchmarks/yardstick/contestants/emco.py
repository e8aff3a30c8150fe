"""EMCO with gamma 0.1, then a linear SVM."""

from imbtext import ResampledClassifier
from protocol import Answer, Given

TITLE = "EMCO(0.1)"


def contest(given: Given) -> Answer:
    model = ResampledClassifier("emco(0.1)", pos_label=True, random_state=given.seed)
    scores = model.fit(given.texts, given.is_class).decision_function(given.new)
    return Answer(scores, scores > 0, scores > 0)
