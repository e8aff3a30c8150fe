"""The compiled features against scikit-learn's vectorizers, and folds against starting anew."""

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import Stemmer
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer

from imbtext.datasets import load_docstrings
from imbtext.documents import Documents
from imbtext.features import TextFeatures
from imbtext.features._terms import idf_weights

ODD = [
    "",
    "  ",
    "a",
    "…!?",
    "Straße ÉTÉ été",
    "x\x1cy\xa0z",
    "日本語 テキスト",
    "7 11",
    "call 08712300220 or 00447123456789, 24h",
    "٣٤ \uff15",
    "don't — can't",
]


@pytest.fixture(scope="module")
def texts():
    return [*load_docstrings().texts[:300], *ODD, *ODD]


def digits(n):
    return "[1 digit]" if n == 1 else f"[{n} digits]" if n < 12 else "[12 or more digits]"


def stem_analyzer(language, pairs):
    stem = Stemmer.Stemmer(language).stemWord if language else str

    def analyze(text):
        unspaced = r"\u3041-\u30ff\u3400-\u9fff"
        words = re.findall(rf"[{unspaced}]|[^\W\d_{unspaced}]+|\d+", text.lower())
        if language:
            words = [word for word in words if len(word) > 1 or word > "\u3000" or word.isdigit()]
        words = [digits(len(word)) if word.isdigit() else stem(word) for word in words]
        return words + ([f"{a} {b}" for a, b in pairwise(words)] if pairs else [])

    return analyze


def oracle(kind, language, train):
    """Return scikit-learn's vectorizers for the blocks of a kind."""
    blocks = []
    if kind != "characters":
        analyze = stem_analyzer(language, pairs=kind != "words")
        n_documents = Counter(term for text in train for term in set(analyze(text)))
        alone = stem_analyzer(language, pairs=False)
        words = {word for text in train for word in alone(text)}
        known = [term for term, n in n_documents.items() if n >= 2 or term in words]
        blocks.append(TfidfVectorizer(analyzer=analyze, vocabulary=known, sublinear_tf=True))
    if kind in ("auto", "characters"):
        grams = {"analyzer": "char_wb", "ngram_range": (4, 4)}
        blocks.append(TfidfVectorizer(**grams, sublinear_tf=True))
    return blocks


def side_by_side(blocks, matrices, names_of_ours):
    """Put scikit-learn's columns into our order."""
    theirs = {}
    for b, block in enumerate(blocks):
        for name in block.get_feature_names_out():
            theirs[b, name] = len(theirs)
    order, b, seen = [], 0, set()
    sizes = [len(block.vocabulary_) for block in blocks]
    for column, name in enumerate(names_of_ours):
        b = 0 if column < sizes[0] else 1
        order.append(theirs[b, name])
        seen.add((b, name))
    assert seen == set(theirs)
    return sparse.hstack(matrices).tocsr()[:, order] / np.sqrt(len(blocks))


@pytest.mark.parametrize("language", ["english", None, "german"])
@pytest.mark.parametrize("kind", ["words", "words+pairs", "characters", "auto"])
def test_values_are_scikit_learns(texts, kind, language):
    train, new = texts[::2], texts[1::2]
    features = TextFeatures(kind, language)
    ours, ours_new = features.fit_transform(train), features.transform(new)
    blocks = oracle(kind, language, train)
    names = features.names()
    theirs = side_by_side(blocks, [block.fit_transform(train) for block in blocks], names)
    assert abs(ours - theirs).max() < 1e-7
    theirs_new = side_by_side(blocks, [block.transform(new) for block in blocks], names)
    assert abs(ours_new - theirs_new).max() < 1e-7


def test_held_out_documents_are_weighed_as_new_ones(texts):
    rows = np.arange(0, len(texts), 2)
    held_out = np.arange(1, len(texts), 2)
    features = TextFeatures()
    terms = features.learn(Documents.of(texts)).terms
    known = terms.vectors(idf_weights(terms.frequencies(rows), len(rows), features.least))
    anew = TextFeatures().fit([texts[i] for i in rows])
    expected = anew.transform([texts[i] for i in held_out])
    names = features.names()
    # A stem can be a gram too: the blocks are told apart by where they begin.
    n_words, n_words_anew = len(features.blocks[0].least), len(anew.blocks[0].least)
    columns = {(i >= n_words_anew, name): i for i, name in enumerate(anew.names())}
    weighed = np.flatnonzero(known.weights > 0)
    same = [columns[bool(j >= n_words), names[j]] for j in weighed]
    assert abs(known.matrix()[held_out][:, weighed] - expected[:, same]).max() < 1e-7
    assert sorted(same) == list(range(expected.shape[1]))


def test_token_lists_are_taken_as_they_are():
    features = TextFeatures("words+pairs").fit([["The", "Oils"], ["The", "Oils"], ["x"]])
    assert features.names().tolist() == ["Oils", "The", "x", "The Oils"]


def test_documents_without_known_words_are_empty_rows():
    features = TextFeatures().fit(["oil up", "oil up"])
    assert features.transform(["", "zzz", "日本"]).nnz == 0


def test_nothing_to_learn_from():
    assert TextFeatures().fit_transform(["", ""]).shape == (2, 0)


def test_wrong_choices_are_named():
    with pytest.raises(ValueError, match="features is 'letters'; choose one of auto, words"):
        TextFeatures("letters")
    with pytest.raises(ValueError, match=r"language is 'klingon'.*english"):
        TextFeatures(language="klingon")


def test_features_that_have_learnt_nothing_say_so():
    with pytest.raises(NotFittedError, match="have not learnt any terms yet; call fit first"):
        TextFeatures().transform(["oil up"])


def test_a_language_that_is_not_text_is_refused():
    words = r"language is 5, whose stems are not known; .* or None \(--language none\) for words"
    with pytest.raises(ValueError, match=words):
        TextFeatures(language=5)
