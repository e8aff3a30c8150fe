"""Surface forms: the words stay as drawn, and look as the corpus writes them."""

# ruff: noqa: RUF001

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imbtext import EMCO, MCO, minority_share
from imbtext.documents import Corpus, encode_texts
from imbtext.markov._surface import SurfaceCounts

ENGLISH = ["Oil prices ROSE, Opec says.", "Oil: up again!", "(Gold) fell; oil rose."]
LANGUAGES = {
    "english": ENGLISH,
    "german": ["Der Ölpreis stieg – um 5 %!", "„Öl“ bleibt teuer; so die OPEC.", "Öl stieg."],
    "greek": ["Η τιμή του ΠΕΤΡΕΛΑΙΟΣ αυξήθηκε.", "ΛΟΓΟΣ.ΑΒΓ και λόγος", "Ο λόγος του ΟΔΟΣ"],
    "turkish": ["İstanbul'da petrol fiyatı ARTTI.", "Petrol İSTANBUL ısındı", "petrol arttı, evet"],
    "arabic": ["ارتفع سعر النفط، اليوم.", "النفط: مرتفع!", "سعر النفط"],
    "russian": ["Цена на Нефть выросла.", "НЕФТЬ — дорога!", "нефть выросла; да"],
    "odd": ["x", "", "...", "a\0b oil\0oil", "e\u0301te\u0301 oil", "İİ oil ΣΣ", "oil oil oil"],
}
PATTERNS = [r"\w+", r"[a-z]+", r"[^\s]+", r"[\u4e00-\u9fff]|[A-Za-z]+", r"\b\w\w+\b", r"."]


def recombined(corpus, seed, n=30):
    """Documents of random words of a corpus, met nowhere in it."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 7, n)
    ids = rng.integers(0, corpus.n_words, lengths.sum()).astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Corpus(ids, offsets, corpus.vocabulary)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_default_tokenizer_finds_exactly_the_drawn_words(language):
    texts = LANGUAGES[language]
    corpus = encode_texts(texts)
    surface = SurfaceCounts.of(texts, corpus)
    for seed in range(20):
        drawn = recombined(corpus, seed)
        assert encode_texts(surface.write(drawn, seed)).tokens() == drawn.tokens()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=8), st.integers(0, 9))
def test_the_default_tokenizer_finds_them_in_any_text(texts, seed):
    corpus = encode_texts(texts)
    if not corpus.n_words:
        return
    drawn = recombined(corpus, seed, n=10)
    written = SurfaceCounts.of(texts, corpus).write(drawn, seed)
    assert encode_texts(written).tokens() == drawn.tokens()


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.text("aAbB .,!-_\n石油", max_size=12), min_size=1, max_size=6),
    st.sampled_from(PATTERNS),
    st.integers(0, 9),
)
def test_any_regular_expression_finds_them(texts, pattern, seed):
    for tokenizer in (re.compile(pattern).findall, lambda text: re.findall(pattern, text)):
        corpus = encode_texts(texts, tokenizer)
        if not corpus.n_words:
            return
        drawn = recombined(corpus, seed, n=8)
        written = SurfaceCounts.of(texts, corpus, tokenizer).write(drawn, seed, tokenizer=tokenizer)
        for text, words in zip(written, drawn.tokens(), strict=True):
            plain = list(tokenizer(" ".join(words)))
            assert list(tokenizer(text)) in (words, plain)


def test_a_text_that_is_all_there_is_comes_back():
    for language, texts in LANGUAGES.items():
        if language == "greek":  # its capital sigma is not moved
            continue
        corpus = encode_texts(texts[-1:])
        assert SurfaceCounts.of(texts[-1:], corpus).write(corpus, seed=5) == texts[-1:]


def test_neighbours_decide_where_they_meet():
    texts = ["Oil, price"] * 3 + ["gold; oil - up"] * 3
    corpus = encode_texts(texts)
    surface = SurfaceCounts.of(texts, corpus)
    drawn = Corpus.from_tokens([["oil", "price"], ["gold", "oil", "up"]], corpus.vocabulary)
    assert set(surface.write(drawn, 1)) == {"Oil, price", "gold; oil - up"}
    # Words that never met: any of the gaps behind the left one, none of the ends of documents.
    apart = Corpus.from_tokens([["oil", "gold"]] * 200, corpus.vocabulary)
    assert set(surface.write(apart, 2)) == {"Oil, gold", "Oil - gold"}


def test_scripts_without_spaces_are_written_without_spaces():
    texts = ["石油价格上涨。", "石油下跌，黄金上涨！", "黄金价格"]
    tokenizer = re.compile(r"[\u4e00-\u9fff]").findall
    emco = EMCO(surface=True, tokenizer=tokenizer, random_state=0).fit(texts, [1, 0, 0])
    plain = EMCO(tokenizer=tokenizer, random_state=0).fit(texts, [1, 0, 0])
    for written, words in zip(emco.sample(30, 1), plain.sample(30, 1), strict=True):
        assert " " not in written
        assert tokenizer(written) == tokenizer(words)


def test_counts_add_and_move_with_the_words():
    corpus = encode_texts(ENGLISH)
    whole = SurfaceCounts.of(ENGLISH, corpus)
    parts = [SurfaceCounts.of(ENGLISH[i : i + 1], corpus.select([i])) for i in range(3)]
    added = parts[2] + parts[0] + parts[1]
    for kind in ("forms", "gaps"):
        for name in ("pairs", "texts", "counts", "strings"):
            mine, theirs = (getattr(getattr(one, kind), name) for one in (whole, added))
            assert mine.tolist() == theirs.tolist()
    words = np.array(sorted([*corpus.vocabulary, "aaa", "zzz"]), dtype=object)
    new_ids = np.searchsorted(words, corpus.vocabulary)
    moved = whole.relabel(new_ids, len(words))
    drawn = recombined(corpus, 3)
    there = drawn.relabel(new_ids, words)
    assert moved.write(there, 7) == whole.write(drawn, 7)


def test_a_document_is_written_the_same_alone_and_among_others():
    corpus = encode_texts(ENGLISH)
    surface = SurfaceCounts.of(ENGLISH, corpus)
    drawn = recombined(corpus, 0)
    written = surface.write(drawn, 4, 2)
    assert surface.write(drawn.select(np.arange(11, 19)), 4, 2, first=11) == written[11:19]
    assert surface.write(drawn, 5, 2) != written


TEXTS = ENGLISH + ["The bank, however, cut rates.", "RATES were cut; banks fell!"] * 4
Y = [1] * 3 + [0] * 8


@pytest.mark.parametrize("sampler", [EMCO(0.5), MCO()])
def test_samplers_write_what_they_draw(sampler, tmp_path):
    sampler.set_params(sampling_strategy=minority_share(0.6), random_state=3)
    plain, _ = sampler.set_params(surface=False).fit_resample(TEXTS, Y)
    written, _ = sampler.set_params(surface=True).fit_resample(TEXTS, Y)
    assert written[: len(TEXTS)] == TEXTS
    assert encode_texts(written).texts() == encode_texts(plain).texts()
    assert any(re.search("[A-Z]", text) for text in written[len(TEXTS) :])
    again, _ = sampler.set_params(n_jobs=2).fit_resample(pl.Series(TEXTS), Y)
    assert again.to_list() == written
    sampler.save(tmp_path / "chain")
    loaded = type(sampler).load(tmp_path / "chain")
    assert loaded.surface
    assert loaded.sample(20, label=1) == sampler.sample(20, label=1)


def test_token_lists_have_no_surface():
    with pytest.raises(ValueError, match="token lists have no text"):
        EMCO(surface=True).fit([["a", "b"], ["c"]], [0, 1])


def test_stems_are_written_as_they_are():
    texts = ["Oils rising", "golds falling", "oils falling"]

    def stem(text):
        return [word[:3].upper() for word in text.split()]

    emco = EMCO(surface=True, tokenizer=stem, random_state=0).fit(texts, [1, 0, 0])
    for written in emco.sample(20, 1):
        assert stem(written) == [word[:3] for word in written.upper().split()]
