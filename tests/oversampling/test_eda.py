"""EDA: each operation against a slow, obvious version of itself, then the sampler."""

import random
import re
from collections import Counter

import numpy as np
import pytest

from imbtext.documents import Corpus
from imbtext.oversampling import EDA, synonym_lookup
from imbtext.oversampling.eda_operations import Rates, augment
from imbtext.oversampling.synonyms import ENGLISH_STOPWORDS, SynonymTable
from imbtext.testing import parametrize_with_checks

SYNONYMS = {
    "oil": ["petroleum", "crude oil", "black gold"],
    "price": ["cost", "terms"],
    "up": ["upward"],
    "falls": ["drops", "waterfall", "autumns", "decrease in price"],
}
DOCUMENT = "the oil price falls and the oil stock is up".split()  # noqa: SIM905
ONLY = {
    "sr": Rates(0.2, 0, 0, 0),
    "ri": Rates(0, 0.2, 0, 0),
    "rs": Rates(0, 0, 0.2, 0),
    "rd": Rates(0, 0, 0, 0.2),
}


# The four operations as the authors describe them, on strings, one document at a time.


def slow_sr(words, n, rng):
    candidates = [w for w in set(words) if w not in ENGLISH_STOPWORDS and w in SYNONYMS]
    for candidate in rng.sample(sorted(candidates), min(n, len(candidates))):
        chosen = rng.choice(SYNONYMS[candidate])
        words = [chosen if word == candidate else word for word in words]
    return words


def slow_ri(words, n, rng):
    new = list(words)
    for _ in range(n):
        for _ in range(9):
            synonyms = SYNONYMS.get(rng.choice(words))
            if synonyms:
                new.insert(rng.randrange(len(new)), rng.choice(synonyms))
                break
    return new


def slow_rs(words, n, rng):
    new = list(words)
    for _ in range(n):
        i = rng.randrange(len(new))
        for _ in range(3):
            j = rng.randrange(len(new))
            if j != i:
                new[i], new[j] = new[j], new[i]
                break
    return new


def slow_rd(words, p, rng):
    kept = [word for word in words if rng.random() >= p]
    return kept if kept else [rng.choice(words)]


SLOW = {"sr": slow_sr, "ri": slow_ri, "rs": slow_rs, "rd": slow_rd}


def made_of(words, copies, rates, seed=0, **options):
    corpus = Corpus.from_tokens([words])
    table = SynonymTable.of(corpus.vocabulary, synonym_lookup(SYNONYMS), ENGLISH_STOPWORDS)
    new, _ = augment(corpus, table, copies, rates, seed=seed, **options)
    return new.texts()


@pytest.mark.parametrize("operation", ["sr", "ri", "rs", "rd"])
@pytest.mark.parametrize("words", [DOCUMENT, ["oil", "price"], ["a", "falls"]], ids=len)
def test_operation_has_the_distribution_of_its_slow_version(operation, words):
    n = 20_000
    rng = random.Random(1)
    strength = 0.2 if operation == "rd" else max(1, int(0.2 * len(words)))
    slow = Counter(" ".join(SLOW[operation](words, strength, rng)) for _ in range(n))
    fast = Counter(made_of(words, n, ONLY[operation]))
    # Two-sample chi-square over the texts common enough for it, the rest as one.
    common = [text for text in slow | fast if slow[text] + fast[text] >= 20]
    pairs = np.array([[slow[text], fast[text]] for text in common])
    pairs = np.vstack([pairs, n - pairs.sum(axis=0)])
    pairs = pairs[pairs.sum(axis=1) > 0]
    statistic = ((pairs[:, 0] - pairs[:, 1]) ** 2 / pairs.sum(axis=1)).sum()
    freedom = len(pairs) - 1
    assert statistic < freedom + 5 * np.sqrt(2 * freedom) + 10
    assert len(common) > 1


@pytest.mark.parametrize("length", [1, 2, 9, 10, 25, 40])
def test_numbers_of_changes(length):
    words = [f"w{i}" for i in range(length)]
    corpus = Corpus.from_tokens([words])
    table = SynonymTable.of(corpus.vocabulary, lambda word: [f"new{word}", f"new {word} two"])
    n = max(1, int(0.1 * length))
    kinds = {"sr": Rates(0.1, 0, 0, 0), "ri": Rates(0, 0.1, 0, 0), "rs": Rates(0, 0, 0.1, 0)}
    made = {k: augment(corpus, table, 200, r, seed=2)[0].texts() for k, r in kinds.items()}
    for text in made["sr"]:
        assert len(re.findall("new", text)) == n
        spelt_back = re.sub(r"new ?(w\d+)( two)?", r"\1", text)
        assert spelt_back.split() == words
    for text in made["ri"]:
        assert len(re.findall("new", text)) == n
        assert text.split()[-1] == words[-1]
        assert re.sub(r"new ?w\d+( two)?", "", text).split() == words
    for text in made["rs"]:
        assert Counter(text.split()) == Counter(words)
        moved = sum(a != b for a, b in zip(text.split(), words, strict=True))
        assert moved <= 2 * n
    if length == 25:
        # Two positions move unless three draws in a row hit the first one.
        moved = [sum(a != b for a, b in zip(t.split(), words, strict=True)) for t in made["rs"]]
        assert 3.5 < np.mean(moved) <= 4


def test_deletion_rate():
    words = [f"w{i}" for i in range(50)]
    made = made_of(words, 4000, Rates(0, 0, 0, 0.1))
    lengths = np.array([len(text.split()) for text in made])
    assert abs(lengths.mean() - 45) < 4 * np.sqrt(50 * 0.09 / 4000)
    assert all(len(text.split()) == 1 for text in made_of(words, 50, Rates(0, 0, 0, 1)))


def test_synonyms_of_several_words_stay_together():
    made = Counter(made_of(["oil", "x"], 3000, Rates(0.1, 0, 0, 0)))
    assert set(made) == {"petroleum x", "crude oil x", "black gold x"}
    assert min(made.values()) > 850


def test_stopwords_are_not_replaced_whatever_their_case():
    corpus = Corpus.from_tokens([["The", "oil"]])
    table = SynonymTable.of(
        corpus.vocabulary, synonym_lookup({"The": ["that"], "oil": ["fuel"]}), {"the"}
    )
    new, _ = augment(corpus, table, 20, Rates(1, 0, 0, 0), seed=0)
    assert set(new.texts()) == {"The fuel"}


def test_operations_share_equally():
    # 13 copies: 4 of each operation made, shuffled, cut to 13; so 3 to 4 of most.
    words = [f"w{i}" for i in range(30)]
    corpus = Corpus.from_tokens([words] * 400)
    table = SynonymTable.of(corpus.vocabulary, lambda word: [f"new{word}"])
    texts = augment(corpus, table, 13, Rates(), seed=3)[0].tokens()
    kinds = Counter()
    for i, made in enumerate(texts):
        new = sum(word.startswith("new") for word in made)
        if new:
            kind = "sr" if len(made) == 30 else "ri"
        else:
            kind = "rs" if len(made) == 30 and made != words else "rd"
        kinds[i // 13, kind] += 1
    assert max(kinds.values()) <= 5  # a deletion of nothing or a swap undone is miscounted
    totals = Counter()
    for (_, kind), count in kinds.items():
        totals[kind] += count
    assert all(abs(total / 400 - 13 / 4) < 0.3 for total in totals.values())
    assert set(totals) == {"sr", "ri", "rs", "rd"}


def test_only_operations_in_use_are_drawn():
    made = made_of(DOCUMENT, 50, Rates(0, 0, 0.1, 0))
    assert all(Counter(text.split()) == Counter(DOCUMENT) for text in made)


def test_n_jobs_and_neighbours_change_nothing():
    rng = np.random.default_rng(0)
    words = [*SYNONYMS, "the", "x"]
    documents = [rng.choice(words, size).tolist() for size in rng.integers(0, 15, 60)]
    corpus = Corpus.from_tokens(documents, vocabulary=words)
    table = SynonymTable.of(words, synonym_lookup(SYNONYMS))
    copies = rng.integers(0, 6, 60)
    one, parents = augment(corpus, table, copies, Rates(), seed=5, stream=2)
    for n_jobs in (2, 3, 100):
        many, _ = augment(corpus, table, copies, Rates(), seed=5, stream=2, n_jobs=n_jobs)
        assert many.texts() == one.texts()
    first, _ = augment(corpus.select(np.arange(20)), table, copies[:20], Rates(), seed=5, stream=2)
    assert first.texts() == one.texts()[: copies[:20].sum()]
    assert parents.tolist() == np.repeat(np.arange(60), copies).tolist()
    for other in ({"seed": 6, "stream": 2}, {"seed": 5, "stream": 3}):
        assert augment(corpus, table, copies, Rates(), **other)[0].texts() != one.texts()


def test_rates_out_of_range():
    with pytest.raises(ValueError, match=r"alpha_ri is 1\.5"):
        Rates(alpha_ri=1.5)
    with pytest.raises(ValueError, match="use ROS"):
        Rates(0, 0, 0, 0)


@pytest.mark.parametrize(
    ("synonyms", "message"),
    [
        ({"oil": "fuel"}, "expected a list of strings"),
        ({"oil": [1]}, "expected strings"),
        ({"oil": ["fuel", ["crude"]]}, r"include \['crude'\] \(list\); expected strings"),
        (lambda word: None, "expected a list of strings"),
    ],
)
def test_bad_synonyms_are_named(synonyms, message):
    with pytest.raises(TypeError, match=message):
        SynonymTable.of(["oil"], synonym_lookup(synonyms))


def test_bad_sources():
    with pytest.raises(TypeError, match="expected None"):
        synonym_lookup(3)
    with pytest.raises(TypeError, match="collection of strings"):
        SynonymTable.of(["oil"], synonym_lookup({}), "the")


def test_order_of_a_set_of_synonyms_decides_nothing():
    tables = [
        SynonymTable.of(["a"], synonym_lookup({"a": form}))
        for form in (["z", "b", "a", "b", " "], {"b", "z"}, ("z", "b"), iter(["b", "z"]))
    ]
    assert {tuple(table.vocabulary[table.tokens]) for table in tables} == {("b", "z")}


# The sampler


@parametrize_with_checks([EDA(synonyms=SYNONYMS), EDA(synonyms={}, p_rd=0.0, stopwords=None)])
def test_contract(sampler, check):
    check(sampler)


@pytest.mark.parametrize("m", [1, 2, 5])
def test_exact_counts_and_even_parents(m):
    texts = ["oil price up", "", "oil", "?", "oil price up"][:m] + ["stock falls"] * 41
    y = [1] * m + [0] * 41
    eda = EDA(synonyms=SYNONYMS, random_state=0)
    new_texts, new_y = eda.fit_resample(texts, y)
    assert new_y.count(1) == new_y.count(0) == 41
    assert new_texts[: len(texts)] == texts
    children = np.bincount(eda.sample_indices_[len(texts) :], minlength=m)[:m]
    assert children.sum() == 41 - m
    assert children.max() - children.min() <= 1
    for text, parent in zip(
        new_texts[len(texts) :], eda.sample_indices_[len(texts) :], strict=True
    ):
        assert (text == "") == (texts[parent] in {"", "?"})


def test_remainder_is_drawn_by_lot():
    texts, y = ["oil"] * 10 + ["x"] * 13, [1] * 10 + [0] * 13
    chosen = set()
    for seed in range(10):
        eda = EDA(synonyms=SYNONYMS, random_state=seed)
        eda.fit_resample(texts, y)
        assert len(set(eda.sample_indices_[23:].tolist())) == 3
        chosen |= set(eda.sample_indices_[23:].tolist())
    assert len(chosen) > 6


def test_nothing_to_edit_still_yields_rows():
    texts, y = ["?", "", "Ox yoke"] + ["oil"] * 9, [1] * 3 + [0] * 9
    eda = EDA(synonyms={}, alpha_rs=0, p_rd=0, random_state=0)
    made, _ = eda.fit_resample(texts, y)
    assert made[12:] == ["", "", "", "", "ox yoke", "ox yoke"]
    assert eda.sample_indices_[12:].tolist() == [0, 0, 1, 1, 2, 2]


def test_other_languages_and_tokenizers():
    texts = ["Ölpreis STEIGT"] + ["Aktien fallen"] * 5
    eda = EDA(
        synonyms=lambda word: {"Ölpreis": ["Preis für Öl"]}.get(word, []),
        tokenizer=str.split,
        alpha_rs=0,
        p_rd=0,
        alpha_ri=0,
        random_state=0,
    )
    made, _ = eda.fit_resample(texts, [1] + [0] * 5)
    assert made[6:] == ["Preis für Öl STEIGT"] * 4


def test_token_lists():
    X = [["oil", "up"]] + [["x"]] * 5
    made, _ = EDA(synonyms=SYNONYMS, random_state=0).fit_resample(X, [1] + [0] * 5)
    assert all(isinstance(document, list) for document in made)
    assert len(made) == 10


@pytest.mark.parametrize(
    "parameters",
    [{"alpha_sr": -1}, {"p_rd": 2}, {"stopwords": "german"}, {"synonyms": 3}, {"n_jobs": "all"}],
)
def test_bad_parameters(parameters):
    with pytest.raises((ValueError, TypeError), match=next(iter(parameters))):
        EDA(**{"synonyms": {}, **parameters}).fit_resample(["a", "b", "c"], [0, 1, 1])


def test_wordnet_is_the_default(data_home, monkeypatch):
    monkeypatch.setenv("WNSEARCHDIR", str(data_home / "nltk_data" / "corpora"))
    texts = ["oil prices rise"] + ["the stock falls"] * 30
    made, _ = EDA(random_state=0).fit_resample(texts, [1] + [0] * 30)
    assert len({word for text in made[31:] for word in text.split()}) > 5
