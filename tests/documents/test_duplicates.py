"""Near-duplicates: exactly the pairs that comparing all documents with all others would find."""

import itertools

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from imbtext.documents._corpus import Corpus
from imbtext.documents._duplicates import near_copies, near_duplicate_groups
from imbtext.documents._tokenization import encode_texts


def by_all_pairs(rows, overlap=0.8):
    """The slow, obvious way."""
    linked = np.zeros((len(rows), len(rows)))
    for i, j in itertools.combinations(range(len(rows)), 2):
        both = len(rows[i] & rows[j])
        linked[i, j] = bool(rows[i] and rows[j]) and both >= overlap * len(rows[i] | rows[j])
    return connected_components(linked, directed=False)[1]


def together(groups):
    return groups[:, None] == groups[None, :]


def found(rows, overlap=0.8):
    return near_duplicate_groups(Corpus.from_tokens([sorted(row) for row in rows]), overlap)


@pytest.mark.parametrize("seed", range(12))
def test_groups_are_those_of_all_pairs_on_boilerplate_texts(seed):
    random = np.random.default_rng(seed)
    boilerplate = {f"b{i}" for i in range(random.integers(0, 60))}
    n_words = random.integers(20, 200)
    rows = [
        boilerplate | {f"w{word}" for word in random.integers(0, n_words, random.integers(0, 25))}
        for _ in range(150)
    ]
    rows[3] = rows[4] = set()
    assert np.array_equal(together(found(rows)), together(by_all_pairs(rows)))


def test_pairs_just_above_the_limit_are_all_found():
    # 40 words of boilerplate and 10 of their own: pairs share 45 of 55 or 56 words, or 40 of 60.
    random = np.random.default_rng(0)
    rows = []
    for i in range(200):
        own = [f"d{i}-{k}" for k in range(10)]
        shared = {f"b{k}" for k in range(40)}
        rows.append(shared | set(own))
        kept = random.permutation(own)[:5].tolist()
        rows.append(shared | set(kept) | {f"e{i}-{k}" for k in range(5 + i % 2)})
    groups = found(rows)
    pairs = groups[0::2] == groups[1::2]
    # 45 / 55 is above four fifths, 45 / 56 is above it too, and nothing else is.
    assert pairs.all()
    assert len(np.unique(groups)) == 200


@pytest.mark.parametrize("overlap", [0.5, 0.8, 1.0])
def test_any_overlap(overlap):
    random = np.random.default_rng(1)
    rows = [set(map(str, random.integers(0, 12, 6))) for _ in range(120)]
    assert np.array_equal(together(found(rows, overlap)), together(by_all_pairs(rows, overlap)))


def test_no_documents_and_no_words():
    assert found([]).tolist() == []
    assert found([set(), set()]).tolist() == [0, 1]


def test_of_scripts_without_spaces_three_characters_are_compared():
    """All six are of the same seven characters, in another order but for the first and the last."""
    texts = ["ราคาน้ำมัน oil", "มันาราคาน้ำ oil", "น้ำราคามัน oil", "", "าคารน้ำมัน", "ราคาน้ำมัน oil"]
    corpus = encode_texts(texts)
    assert near_duplicate_groups(corpus).tolist() == [0, 1, 2, 3, 4, 0]
    assert near_copies(corpus.select([5, 4]), corpus.select([0, 1, 2])).tolist() == [0, -1]


@pytest.mark.parametrize("seed", range(3))
def test_fingerprints_are_grams_by_hand(seed):
    generator = np.random.default_rng(seed)
    rows = [
        generator.choice(["石", "油", "价", "oil", "up"], size=generator.integers(9)).tolist()
        for _ in range(40)
    ]
    grams = []
    for row in rows:
        words = [*row, "oil", "oil"]
        gram_rows = []
        for i, word in enumerate(words[:-2]):
            n = next((k for k in range(3) if words[i + k].isascii()), 3)
            gram_rows.append("".join(words[i : i + n]) or word)
        grams.append(set(gram_rows))
    groups = near_duplicate_groups(Corpus.from_tokens(rows))
    np.testing.assert_array_equal(together(groups), together(by_all_pairs(grams)))
