"""RareTextClassifier as it comes, on the words of a text."""

from imbtext import RareTextClassifier
from protocol import Answer, Given
from tuning import of_ours

TITLE = "RareTextClassifier"


def contest(given: Given) -> Answer:
    return of_ours(RareTextClassifier(random_state=given.seed), given)
