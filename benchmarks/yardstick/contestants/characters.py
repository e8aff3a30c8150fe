"""A linear SVM on words and characters, with a tuned threshold: the strongest free rival."""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

from protocol import Answer, Given
from tuning import with_tuned_threshold

TITLE = "words and characters, tuned threshold"


def contest(given: Given) -> Answer:
    words = TfidfVectorizer(sublinear_tf=True)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    model = make_pipeline(make_union(words, characters), LinearSVC(random_state=given.seed))
    return with_tuned_threshold(model, given.texts, given.new, given)
