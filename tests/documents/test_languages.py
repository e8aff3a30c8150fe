"""The languages of documents, and what the classifier makes of them."""

import numpy as np
import polars as pl
import pytest

from imbtext import RareTextClassifier
from imbtext.documents import Documents
from imbtext.documents._languages import language_of_each, languages_found
from imbtext.features import TextFeatures

GERMAN = ["Der Preis für Öl steigt weiter an", "Heute regnet es im ganzen Land sehr stark"]
FRENCH = ["Le prix du pétrole augmente encore", "Il pleut aujourd'hui dans tout le pays"]
ENGLISH = ["The price of oil keeps on rising", "It rains heavily all over the country today"]
POLISH = ["Cena ropy naftowej nadal rośnie", "Dzisiaj pada deszcz w całym kraju"]
JAPANESE = ["原油の価格が上昇しています", "今日は全国で雨が降っています"]


def test_the_languages_that_documents_are_in_the_most_frequent_first():
    assert languages_found(FRENCH) == "french"
    assert languages_found([text.split() for text in GERMAN]) == "german"
    assert languages_found(GERMAN * 10 + FRENCH * 3) == "german+french"
    assert languages_found(GERMAN * 10 + FRENCH) == "german"


def test_a_language_without_stems_and_no_text_at_all():
    assert languages_found(JAPANESE) is None
    assert languages_found(["", " "]) is None
    assert languages_found(ENGLISH * 2 + POLISH) == "english+pl"


def test_titles_and_shouting_are_no_other_language():
    titles = [
        "COCOA SHIPMENTS UNDER REVIEW",
        "U.S. GRAIN CERTIFICATE REDEMPTIONS PUT AT 88.4 MLN BU",
    ]
    titles += ["CHAMPION PRODUCTS APPROVES STOCK SPLIT", "NATIONAL AMUSEMENTS UPS VIACOM BID"]
    assert languages_found([title.title() for title in titles] + titles) == "english"


def terms_of_each(features, documents):
    matrix, names = features.transform(documents), features.names()
    return [sorted(names[row.indices[row.data > 0]].tolist()) for row in matrix]


@pytest.mark.parametrize("kind", ["words", "auto"])
def test_a_document_gets_the_terms_that_its_own_language_gives_it(kind):
    of_language = {"german": GERMAN, "french": FRENCH, "english": ENGLISH}
    texts = [text for both in zip(*of_language.values(), strict=True) for text in both] * 2
    features = TextFeatures(kind, "auto").fit(texts)
    assert set(features.language.split("+")) == set(of_language)
    for name, own in of_language.items():
        alone = TextFeatures(kind, name).fit(own * 2)
        assert terms_of_each(features, own) == terms_of_each(alone, own)


def test_words_of_a_language_without_stems_stay_as_they_are():
    features = TextFeatures("words", "auto").fit(ENGLISH * 2 + POLISH)
    names = set(features.names())
    assert {"cena", "rośnie", "naftowej", "rise"} <= names  # English rising, and Polish as it is
    assert "rising" not in names


def test_no_language_among_several_for_a_text_without_words():
    texts = pl.Series(["", "1 2 3", *GERMAN])
    assert language_of_each(texts, "english+german").tolist()[2:] == [1, 1]
    assert language_of_each(texts, "english+german")[0] == 0


def test_the_classifier_takes_the_stems_of_the_documents():
    words = [a + b for a in ("Haus", "Baum", "Brot", "Wein", "Berg") for b in ("tür", "ende")]
    texts = [f"{text} und {word} neben {word}" for word in words for text in GERMAN]
    y = [1, 0] * 10
    found = RareTextClassifier(language="auto", random_state=0).fit(texts, y)
    named = RareTextClassifier(language="german", random_state=0).fit(texts, y)
    assert found.get_feature_names_out().tolist() == named.get_feature_names_out().tolist()


@pytest.fixture
def mixed():
    rng = np.random.default_rng(0)
    more = ["haus", "baum", "brot", "wein", "berg", "stadt", "fluss", "wald", "feld", "wiese"]
    rows = []
    for i in range(60):
        kind = i % 2
        own = [GERMAN, FRENCH][i % 3 == 0]
        rows.append((own[kind], " ".join(rng.choice(more, 3)), "oil" if kind == 0 else "weather"))
    return pl.DataFrame(rows, ["subject", "body", "y"], orient="row")


def test_a_saved_model_of_several_languages_reads_as_it_did(mixed, tmp_path):
    model = RareTextClassifier(
        text=["subject", "body"], language="auto", pos_label="oil", random_state=0
    ).fit(mixed, mixed["y"])
    assert model.report_["features"].startswith(
        "words and pairs of words, and grams of four characters, stems of each document's language"
    )
    model.save(tmp_path / "m.model")
    loaded = RareTextClassifier.load(tmp_path / "m.model")
    assert loaded.language in ("german+french", "french+german")
    np.testing.assert_array_equal(loaded.decision_function(mixed), model.decision_function(mixed))
    # The language is that of the whole row, also where a column alone would be read otherwise.
    reasons = loaded.explanations(mixed)
    for reason in (reasons[0], reasons[2]):
        assert reason.score == pytest.approx(reason.constant + sum(p for _, p in reason.parts))
    assert any(word.startswith("subject: ") for word in reasons[0].words_for)


def test_documents_know_their_languages_once(monkeypatch):
    documents, asked = Documents.of(GERMAN + FRENCH), []
    from imbtext.features import _terms

    found = language_of_each
    monkeypatch.setattr(
        _terms, "language_of_each", lambda *given: asked.append(given) or found(*given)
    )
    features = TextFeatures("auto", "german+french")
    features.learn(documents)
    features.find(documents)
    features.read(documents)
    assert len(asked) == 1


@pytest.mark.parametrize("language", ["english+klingon", "english+english", "pl", "+", "german+"])
def test_what_is_no_language_is_refused(language):
    with pytest.raises(ValueError, match=r"language is .*several such as english\+german"):
        TextFeatures(language=language)
