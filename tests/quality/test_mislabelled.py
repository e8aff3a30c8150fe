"""Wrong labels are found where they were planted, and the words say why."""

import numpy as np
import polars as pl
import pytest
from cleanlab.filter import find_label_issues

from imbtext import RareTextClassifier, mislabelled, progress
from imbtext._messages import DataWarning
from imbtext.datasets import load_docstrings
from imbtext.quality._mislabelled import _are_likely, _rare_spellings

PLACES = ["Paris", "Rome", "Oslo", "Bern", "Kyiv", "Riga", "Bonn", "Lima", "Cairo", "Delhi", "Graz"]
WORDS = {"oil": "crude oil price in", "rain": "heavy rain over", "wine": "red wine from"}
TEXTS = [f"{words} {place}" for words in WORDS.values() for place in PLACES]
LABELS = [label for label in WORDS for _ in PLACES]


def test_planted_labels_are_found_with_a_better_one_and_the_words():
    labels = LABELS.copy()
    labels[2], labels[14] = "wine", "oil"
    doubts = mislabelled(TEXTS, labels, random_state=0)
    found = {doubt.row: doubt for doubt in doubts}
    assert {2, 14} <= set(found)
    assert [doubt.row for doubt in doubts[:2]] in ([2, 14], [14, 2])
    assert (found[2].label, found[2].suggested) == ("wine", "oil")
    assert {"crude", "oil", "price"} & set(found[2].words_for)
    assert not {"crude", "oil", "price"} & set(found[2].words_against)
    assert found[2].is_likely
    assert found[2].doubt > 0.5


def test_of_two_classes_both_directions_are_found():
    texts, labels = TEXTS[:22], [label == "oil" for label in LABELS[:22]]
    labels[3], labels[15] = False, True
    first = {doubt.row: doubt for doubt in mislabelled(texts, labels, top=2, random_state=0)}
    assert set(first) == {3, 15}
    assert (first[3].label, first[3].suggested) == (False, True)
    assert {"crude", "oil"} & set(first[3].words_for)
    assert "rain" in first[15].words_for


def test_of_several_labels_one_is_lost_or_gained():
    sets = [{label} | ({"hot"} if i % 2 else set()) for i, label in enumerate(LABELS)]
    texts = [text + " hot sunny day" * (i % 2) for i, text in enumerate(TEXTS)]
    sets[1] = {"hot"}
    sets[2] = {"oil", "hot"}
    found = {doubt.row: doubt for doubt in mislabelled(texts, sets, top=2, random_state=0)}
    assert set(found) == {1, 2}
    assert (found[1].label, found[1].suggested) == ({"hot"}, {"hot", "oil"})
    assert (found[2].label, found[2].suggested) == ({"oil", "hot"}, {"oil"})
    assert "oil" in found[1].words_for


def test_the_explanation_is_of_a_model_that_has_not_seen_the_document():
    # A word that the document alone has would speak for its wrong label.
    texts, labels = TEXTS[:22], LABELS[:22]
    texts = [*texts, "heavy rain over Zanzibar"]
    labels = [*labels, "oil"]
    (doubt,) = mislabelled(texts, labels, top=1, random_state=0)
    assert doubt.row == 22
    assert not any("anzibar" in word for word in doubt.words_against)


def test_copies_that_are_labelled_differently_are_named():
    text = "crude oil price in the city of Oslo rose again today by two per cent"
    doubts = mislabelled([*TEXTS, text, text], [*LABELS, "oil", "wine"], top=3, random_state=0)
    (doubt,) = [doubt for doubt in doubts if doubt.row == 34]
    assert doubt.copies == (33,)


def test_likely_ones_are_those_of_confident_learning():
    rng = np.random.default_rng(0)
    for n_classes in (2, 5):
        truth = rng.integers(0, n_classes, 2_000)
        given = np.where(rng.random(2_000) < 0.1, rng.integers(0, n_classes, 2_000), truth)
        scores = rng.normal(size=(2_000, n_classes)) + 2.5 * np.eye(n_classes)[truth]
        probabilities = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        ours = _are_likely(given, probabilities)
        theirs = find_label_issues(given, probabilities, n_jobs=1)
        assert ours.sum() > 50
        assert np.mean(ours == theirs) > 0.99


def test_results_are_a_table_and_a_line():
    labels = LABELS.copy()
    labels[2] = "wine"
    doubts = mislabelled(TEXTS, labels, random_state=0)
    frame = doubts.to_frame()
    assert frame.columns == ["row", "label", "suggested", "doubt", "words_for", "words_against"]
    assert len(frame) == len(doubts) == doubts.n_likely
    assert "33 of 33 could be judged" in repr(doubts)
    assert "<table" in doubts._repr_html_()
    assert mislabelled(TEXTS, LABELS, random_state=0).to_frame().schema == frame.schema


def test_the_same_for_any_number_of_threads_and_any_container():
    labels = LABELS.copy()
    labels[2] = "wine"
    one = mislabelled(TEXTS, labels, top=5, random_state=0)
    frame = pl.DataFrame({"body": TEXTS, "id": range(len(TEXTS))})
    assert list(mislabelled(TEXTS, labels, top=5, random_state=0, n_jobs=2)) == list(one)
    assert list(mislabelled(frame, labels, text="body", top=5, random_state=0)) == list(one)


def test_wrong_arguments_are_refused():
    for top in (0, 2.5, True):
        with pytest.raises(ValueError, match=f"top is {top}"):
            mislabelled(TEXTS, LABELS, top=top)
    with pytest.raises(ValueError, match="none of the 33 documents has a word"):
        mislabelled([""] * 33, LABELS)
    with pytest.raises(ValueError, match="features"):
        mislabelled(TEXTS, LABELS, features="wrds")


@pytest.mark.slow
def test_most_of_what_was_flipped_in_docstrings_comes_first():
    corpus = load_docstrings()
    is_class = corpus.in_class("scipy.stats").astype(int)
    rng = np.random.default_rng(0)
    flipped = rng.choice(len(is_class), len(is_class) // 20, replace=False)
    labels = is_class.copy()
    labels[flipped] = 1 - labels[flipped]
    doubts = mislabelled(corpus.texts, labels, top=len(flipped), random_state=0)
    assert np.isin([doubt.row for doubt in doubts], flipped).mean() > 0.8


def test_columns_beside_the_text_have_a_say():
    """Texts that tell nothing, and a column that tells the class but for two wrong labels."""
    generator = np.random.default_rng(0)
    words = np.array(["lorem", "ipsum", "dolor", "sit", "amet", "elit", "sed", "do"])
    texts = [" ".join(generator.choice(words, 6)) for _ in range(160)]
    is_class = np.arange(160) % 4 == 0
    sender = np.where(is_class ^ (generator.random(160) < 0.1), "abroad", "home")
    table = pl.DataFrame({"body": texts, "sender": sender})
    y = is_class.copy()
    wrong = [8, 13]
    y[wrong] = ~y[wrong]
    sender_tells = [row for row in wrong if (sender[row] == "abroad") == is_class[row]]
    doubts = mislabelled(table, y, text=["body"], columns=["sender"], random_state=0, top=40)
    assert set(sender_tells) <= {doubt.row for doubt in doubts}
    first = next(doubt for doubt in doubts if doubt.row in sender_tells)
    assert any("sender" in word for word in first.words_for)


def test_documents_without_a_label_are_left_out_and_rows_stay_theirs():
    labels = [None, "unclear", *LABELS]
    labels[4], labels[16] = "wine", "oil"
    texts = ["no label", "?", *TEXTS]
    with pytest.warns(DataWarning, match="1 of 35 documents have no label"):
        doubts = mislabelled(texts, labels, ignore_labels="unclear", random_state=0)
    assert doubts.n_documents == len(TEXTS)
    assert {doubt.row for doubt in doubts[:2]} == {4, 16}


def test_a_table_of_text_alone_has_no_columns_to_ask():
    labels = LABELS.copy()
    labels[2] = "wine"
    table = pl.DataFrame({"body": TEXTS})
    alone = mislabelled(TEXTS, labels, top=5, random_state=0)
    assert list(
        mislabelled(table, labels, text="body", columns="all", top=5, random_state=0)
    ) == list(alone)


def test_a_class_of_one_document_takes_nothing_from_the_others():
    labels = LABELS.copy()
    labels[2], labels[14] = "wine", "oil"
    before = mislabelled(TEXTS, labels, random_state=0)
    alone = [*labels, "beer", "tea"]
    after = mislabelled([*TEXTS, "a dark beer", "some green tea"], alone, random_state=0)
    assert {2, 14} <= {doubt.row for doubt in after}
    assert before.n_judged == len(TEXTS)
    assert after.n_judged == len(TEXTS)
    assert after.n_documents == len(TEXTS) + 2
    assert f"{len(TEXTS)} of {len(TEXTS) + 2} could be judged" in repr(after)


def test_a_rare_spelling_is_a_doubt_itself():
    labels = ["wine", *LABELS[1:]]
    labels[5], labels[20] = "Oil ", "rian"
    doubts = {doubt.row: doubt for doubt in mislabelled(TEXTS, labels, random_state=0)}
    assert {0, 5, 20} <= set(doubts)
    for row, suggested in ((5, "oil"), (20, "rain")):
        assert doubts[row].suggested == suggested
        assert doubts[row].is_likely
        assert doubts[row].doubt == 1


def test_numbered_labels_are_no_spellings_of_each_other():
    sizes = np.array([50, 1, 50, 1])
    assert _rare_spellings(["step 1", "step 2", "rain", 7], sizes) == {}
    assert _rare_spellings(["rain", "RAIN ", "rein"], np.array([50, 3, 6])) == {1: 0}
    assert _rare_spellings(["oil", "soil", "weather", "wether"], np.array([50, 1, 50, 1])) == {3: 2}


def test_an_encoder_judges_what_texts_mean_beside_their_words():
    asked = []

    def encode(texts):
        asked.extend(texts)
        return [[float("oil" in s or "petrol" in s), float("rain" in s), 0.1] for s in texts]

    texts, labels = [*TEXTS[:22], "petrol up"], [*LABELS[:22], "rain"]
    options = {"top": 23, "random_state": 0}
    words = {doubt.row: doubt for doubt in mislabelled(texts, labels, **options)}
    doubts = mislabelled(texts, labels, encoder=encode, verbose=True, **options)
    assert (doubts[0].row, doubts[0].suggested) == (22, "oil")
    assert words[22].doubt < 0.5 < doubts[0].doubt  # no other document has a word of it
    assert sorted(asked) == sorted(texts)
    with pytest.raises(ValueError, match="did you mean 'minilm'"):
        mislabelled(texts, labels, encoder="minlm")


def test_many_texts_say_how_many_are_encoded(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_FIRST_LINE", 0.0)
    options = {"encoder": lambda texts: [[len(text)] for text in texts], "random_state": 0}
    mislabelled(TEXTS[:22], LABELS[:22], **options)
    assert "Encoding" not in capsys.readouterr().err
    mislabelled(TEXTS[:22], LABELS[:22], verbose=True, **options)
    assert "22 of 22, last: Encoding texts" in capsys.readouterr().err
    model = RareTextClassifier(verbose=True, **options).fit(TEXTS[:22], LABELS[:22])
    assert model.fitted_.meaning is not None
    assert "22 of 22, last: Encoding texts" in capsys.readouterr().err
