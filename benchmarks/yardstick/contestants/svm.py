"""A linear SVM on the words of a text, with the settings that scikit-learn comes with."""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from protocol import Answer, Given

TITLE = "linear SVM"


def contest(given: Given) -> Answer:
    model = make_pipeline(TfidfVectorizer(), LinearSVC(random_state=given.seed))
    scores = model.fit(given.texts, given.is_class).decision_function(given.new)
    return Answer(scores, scores > 0, scores > 0)
