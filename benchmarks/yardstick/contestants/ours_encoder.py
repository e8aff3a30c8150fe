"""RareTextClassifier that also reads what a text means, with a small sentence encoder."""

from imbtext import RareTextClassifier
from protocol import Answer, Given
from tuning import of_ours

TITLE = "RareTextClassifier with an encoder"
ENCODER = "minilm"


def contest(given: Given) -> Answer:
    return of_ours(RareTextClassifier(encoder=ENCODER, random_state=given.seed), given)
