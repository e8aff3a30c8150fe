"""The language of documents, and what the classifier makes of it."""

import pytest

from imbtext import RareTextClassifier
from imbtext._messages import DataWarning
from imbtext.documents import main_language

GERMAN = ["Der Preis für Öl steigt weiter an", "Heute regnet es im ganzen Land sehr stark"]
FRENCH = ["Le prix du pétrole augmente encore", "Il pleut aujourd'hui dans tout le pays"]
JAPANESE = ["原油の価格が上昇しています", "今日は全国で雨が降っています"]


def test_the_language_of_most_documents():
    assert main_language(GERMAN * 10 + FRENCH) == "german"
    assert main_language(FRENCH) == "french"
    assert main_language([text.split() for text in GERMAN]) == "german"


def test_a_language_without_stems_and_no_text_at_all():
    assert main_language(JAPANESE) is None
    assert main_language(["", " "]) is None


def test_several_languages_are_told():
    with pytest.warns(DataWarning, match="several languages .*german 50%"):
        assert main_language(GERMAN * 5 + FRENCH * 5) is None


def test_the_classifier_takes_the_stems_of_the_documents():
    words = [a + b for a in ("Haus", "Baum", "Brot", "Wein", "Berg") for b in ("tür", "ende")]
    texts = [f"{text} und {word} neben {word}" for word in words for text in GERMAN]
    y = [1, 0] * 10
    found = RareTextClassifier(language="auto", random_state=0).fit(texts, y)
    named = RareTextClassifier(language="german", random_state=0).fit(texts, y)
    assert found.get_feature_names_out().tolist() == named.get_feature_names_out().tolist()
