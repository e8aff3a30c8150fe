# ruff: noqa: RUF001

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from imbtext import EMCO
from imbtext._extras import MissingExtraError
from imbtext.documents import (
    Corpus,
    Documents,
    encode_texts,
    extract_words,
    unicode_words,
    words_and_characters,
)
from imbtext.documents._corpus import UNSPACED
from imbtext.documents._tokenization import _WORDS_AND_CHARACTERS, DEFAULT_WORDS
from imbtext.features._terms import _ASCII_RUNS, _ASCII_WORDS, RUNS, WORDS, read_words

analyze = CountVectorizer().build_analyzer()


characters = st.characters(exclude_categories=["Cs", "Cn"])
# As in texts that mix scripts.
mixed = st.text(st.one_of(characters, st.sampled_from("oil5_ 石油ราคาน้ำ")))


@given(st.lists(st.text(characters.filter(lambda c: not re.match(f"[{UNSPACED}]", c))), max_size=5))
def test_default_words_are_scikit_learns(texts):
    assert encode_texts(texts).tokens() == [analyze(text) for text in texts]


@given(st.lists(mixed, max_size=5))
def test_the_default_is_words_and_characters(texts):
    assert encode_texts(texts).tokens() == [words_and_characters(text) for text in texts]


@given(st.lists(mixed, max_size=5))
def test_documents_written_as_text_keep_their_words(texts):
    corpus = encode_texts(texts)
    assert encode_texts(corpus.texts()).tokens() == corpus.tokens()


def test_only_scripts_without_spaces_are_written_without():
    texts = ["ราคาน้ำมัน OPEC up 石油", "naïve Ölpreis", "", "石"]
    written = ["ราคาน้ำมัน opec up 石油", "naïve ölpreis", "", "石"]
    assert encode_texts(texts).texts() == written


def test_a_tokenizer_that_reads_otherwise_gets_spaces():
    corpus = Corpus.from_tokens([["石油", "价", "格"], ["oil", "up"]])
    assert corpus.texts() == ["石油价格", "oil up"]
    assert corpus.texts(tokenizer=lambda text: text.split()) == ["石油 价 格", "oil up"]
    assert corpus.texts(tokenizer=lambda _: ["石油", "价", "格"]) == ["石油价格", "oil up"]


@pytest.mark.parametrize(
    "text",
    [
        "Ünïcode ÇA va",
        "İstanbul ΣΊΣΥΦΟΣ",
        "हिन्दी पाठ",
        "a_b c1 2x ½½",
        "x\u0301y naïve",
        "",
    ],
)
def test_default_words_beyond_english(text):
    assert encode_texts([text]).tokens() == [analyze(text)]


@pytest.mark.parametrize("result", ["a string", None, 7])
def test_tokenizer_that_returns_no_list_is_refused(result):
    with pytest.raises(TypeError, match="must return a list of strings"):
        encode_texts(["oil"], tokenizer=lambda text: result)


@pytest.mark.parametrize("n", [1, 50])
def test_missing_texts_are_refused(n):
    with pytest.raises(ValueError, match=rf"texts\[{n}\] is missing"):
        encode_texts(["oil up"] * n + [None])


def test_a_single_string_is_not_taken_for_documents():
    with pytest.raises(TypeError, match="wrap it in a list"):
        encode_texts("oil up")
    for documents in ("oil", ["oil", "up"]):
        with pytest.raises(TypeError, match="expected token lists, but found a string"):
            Corpus.from_tokens(documents)


def test_tokenizer_that_returns_numbers_is_refused():
    with pytest.raises(TypeError, match="document 1"):
        encode_texts(["oil", "up"], tokenizer=lambda text: ["a"] if text == "oil" else [1])


SEGMENTED = {
    "chinese": ("石油价格上涨，黄金下跌。", ["石油", "价格", "上涨", "黄金", "下跌"]),
    "japanese": ("石油の価格", ["石油", "の", "価格"]),
    "thai": ("ราคาน้ำมันสูง", ["ราคา", "น้ำมัน", "สูง"]),
    "english": ("OPEC don't _ pay $5.20!", ["opec", "don't", "pay", "5.20"]),
    "nothing": ("... _ ,", []),
}


@pytest.mark.parametrize("language", SEGMENTED)
def test_unicode_words_of_any_script(language):
    pytest.importorskip("icu4py")
    text, words = SEGMENTED[language]
    assert unicode_words(text) == words
    assert encode_texts([text], unicode_words).tokens() == [words]


def test_documents_of_unicode_words_keep_their_words():
    pytest.importorskip("icu4py")
    texts = ["石油价格上涨，黄金下跌。", "石油输出国组织宣布减产", "OPEC: 黄金 up!"] * 3
    y = [1, 0, 0] * 3
    tokens = EMCO(random_state=0).fit([unicode_words(text) for text in texts], y).sample(30, 1)
    for surface in (False, True):
        emco = EMCO(tokenizer=unicode_words, surface=surface, random_state=0)
        written = emco.fit(texts, y).sample(30, 1)
        assert [unicode_words(text) for text in written] == tokens
        assert sum(" " not in text for text in written) > 10


def test_without_icu_the_error_names_the_command(monkeypatch):
    class Absent:
        def find_spec(self, name, *_):
            if name.startswith("icu4py"):
                raise ModuleNotFoundError(name, name="icu4py")

    for name in [name for name in sys.modules if name.startswith("icu4py")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])
    with pytest.raises(MissingExtraError, match="pip install icu4py"):
        unicode_words("石油")


@pytest.mark.parametrize(
    "text",
    [
        "ราคาน้ำมันขึ้น %",
        "石油价格上涨",
        "コーヒー・豆",
        "လောင်စာဆီ။",
        "តម្លៃប្រេង។",
        "ລາຄານ້ຳມັນ",
        "𠀀oil油",
    ],
)
def test_samplers_and_the_classifier_read_scripts_without_spaces_alike(text):
    classifier_words, _ = read_words(Documents.of([text]), "english")
    assert encode_texts([text]).tokens() == classifier_words.tokens()


def test_punctuation_of_scripts_without_spaces_is_no_word():
    assert words_and_characters("豆・豆。ဆီ။") == ["豆", "豆", "ဆ", "ီ"]


@pytest.mark.parametrize("ascii_alone", [True, False])
@given(st.data())
def test_few_texts_are_read_as_many_are(ascii_alone, data):
    """Python's engine reads a few texts of ASCII, Polars' all others; their words are the same."""
    characters = st.characters(max_codepoint=127) if ascii_alone else st.characters(codec="utf-8")
    texts = data.draw(st.lists(st.text(characters, max_size=30), max_size=3))
    for pattern, of_ascii in (
        (DEFAULT_WORDS, _WORDS_AND_CHARACTERS),
        (WORDS, _ASCII_WORDS),
        (RUNS, _ASCII_RUNS),
    ):
        few = extract_words(texts, pattern, lower=True, ascii_pattern=of_ascii)
        many = extract_words([*texts, *[""] * 20], pattern, lower=True, ascii_pattern=of_ascii)
        assert few.tokens() == many.tokens()[: len(texts)]
        assert few.vocabulary.tolist() == many.vocabulary.tolist()
