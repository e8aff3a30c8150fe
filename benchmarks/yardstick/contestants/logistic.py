"""Logistic regression on words with balanced class weights."""

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from protocol import Answer, Given

TITLE = "balanced logistic regression"


def contest(given: Given) -> Answer:
    logistic = LogisticRegression(class_weight="balanced", max_iter=1000)
    model = make_pipeline(TfidfVectorizer(), logistic).fit(given.texts, given.is_class)
    scores = model.decision_function(given.new)
    return Answer(scores, scores > 0, scores > 0)
