"""A linear SVM on words, with the threshold that scikit-learn chooses for each metric."""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from protocol import Answer, Given
from tuning import with_tuned_threshold

TITLE = "linear SVM, tuned threshold"


def contest(given: Given) -> Answer:
    model = make_pipeline(TfidfVectorizer(), LinearSVC(random_state=given.seed))
    return with_tuned_threshold(model, given.texts, given.new, given)
