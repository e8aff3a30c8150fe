"""Learning in pieces: any cut of the documents gives the sampler that learned them at once."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from imbtext import EMCO, MCO
from imbtext.markov import load_counts, save_counts
from imbtext.randomness import draw_seed


@pytest.fixture(scope="module")
def documents():
    rng = np.random.default_rng(3)
    words = np.array([f"w{i}" for i in range(80)])
    texts = [" ".join(rng.choice(words, rng.integers(0, 7))) for _ in range(120)]
    # The class that sorts first comes last: the streams are those of the sorted labels.
    labels = ["b" if i < 90 or i % 3 else "a" for i in range(120)]
    labels[50] = "c"
    return texts, labels


def drawn(sampler):
    return [sampler.sample(15, label) for label in ("a", "b", "c")]


@pytest.mark.parametrize("size", [1, 7, 60, 120])
@pytest.mark.parametrize(
    "sampler",
    [EMCO(0.5, random_state=4), EMCO("heaps", random_state=4), MCO(random_state=4)],
)
def test_any_cut_gives_the_documents_of_fit(documents, size, sampler):
    texts, labels = documents
    whole = type(sampler)(**sampler.get_params()).fit(texts, labels)
    pieces = type(sampler)(**sampler.get_params())
    for start in range(0, 120, size):
        pieces.partial_fit(texts[start : start + size], labels[start : start + size])
    assert pieces.classes_.tolist() == ["a", "b", "c"]
    assert drawn(pieces) == drawn(whole)
    assert pieces.vocabulary_.tolist() == whole.vocabulary_.tolist()


def test_partial_fit_only_collects_and_reading_an_attribute_computes_nothing(documents):
    sampler = EMCO(0.5, random_state=1).partial_fit(*documents)
    computed = ("vocabulary_", "counts_", "gamma_")
    assert not any(hasattr(sampler, name) for name in computed)
    sampler.corpus_counts()
    assert all(name in vars(sampler) for name in computed)
    assert sampler.gamma_ == {"a": 0.5, "b": 0.5, "c": 0.5}
    sampler.partial_fit(["w1 w2"], ["a"])
    assert not any(hasattr(sampler, name) for name in computed)


def test_any_run_of_the_documents_can_be_drawn_by_itself(documents):
    for sampler in (EMCO("heaps", random_state=1), EMCO(0.2, surface=True, random_state=1)):
        sampler.fit(*documents)
        new = sampler.synthetic_documents("a", 40, seed=draw_seed(1))
        assert len(new) == 40
        assert (
            [*new.draw(0, 7), *new.draw(7, 40, n_jobs=2)] == new.draw() == sampler.sample(40, "a")
        )


def test_sampling_between_pieces_changes_nothing(documents):
    texts, labels = documents
    sampler = EMCO(random_state=1).partial_fit(texts[:60], labels[:60])
    first = sampler.sample(5, "b")
    assert first == EMCO(random_state=1).fit(texts[:60], labels[:60]).sample(5, "b")
    sampler.partial_fit([], []).partial_fit(texts[60:], labels[60:])
    assert drawn(sampler) == drawn(EMCO(random_state=1).fit(texts, labels))


def test_fitted_and_loaded_samplers_go_on(documents, tmp_path):
    texts, labels = documents
    whole = drawn(EMCO(random_state=1).fit(texts, labels))
    fitted = EMCO(random_state=1).fit(texts[:60], labels[:60])
    fitted.save(tmp_path / "first.chain")
    loaded = EMCO.load(tmp_path / "first.chain")
    for sampler in (fitted, loaded):
        assert drawn(sampler.partial_fit(texts[60:], labels[60:])) == whole
    # and a new fit begins anew
    assert fitted.fit(texts[:60], labels[:60]).classes_.tolist() == ["b", "c"]


def test_token_lists(documents):
    tokens, labels = [text.split() for text in documents[0]], documents[1]
    sampler = EMCO(random_state=1)
    for start in range(0, 120, 50):
        sampler.partial_fit(tokens[start : start + 50], labels[start : start + 50])
    assert drawn(sampler) == drawn(EMCO(random_state=1).fit(tokens, labels))


def test_counts_of_samplers_add_up(documents, tmp_path):
    texts, labels = documents
    for name, rows in (("1", slice(0, 70)), ("2", slice(70, 120))):
        own = EMCO(random_state=1).fit(texts[rows], labels[rows])
        save_counts(own.corpus_counts(), tmp_path / name)
    sampler = EMCO(random_state=1)
    sampler.fit_counts(load_counts(tmp_path / "1") + load_counts(tmp_path / "2"))
    assert drawn(sampler) == drawn(EMCO(random_state=1).fit(texts, labels))


def test_misuse():
    sampler = EMCO().partial_fit(["oil"], ["a"])
    with pytest.raises(TypeError, match="X holds token lists, but earlier documents were strings"):
        sampler.partial_fit([["oil"]], ["a"])
    with pytest.raises(TypeError, match="y holds numbers, but earlier documents had str labels"):
        sampler.partial_fit(["oil"], [1])
    with pytest.raises(ValueError, match="only one class, 'a'"):
        sampler.sample(1, "a")
    with pytest.raises(NotFittedError):
        EMCO().sample(1, "a")


def test_counts_tell_the_documents_without_words_too(documents, tmp_path):
    texts, labels = documents
    assert any(not text for text in texts)
    sizes = {label: labels.count(label) for label in "abc"}
    fitted = EMCO(random_state=1).fit(texts, labels)
    pieces = EMCO(random_state=1).partial_fit(texts, labels)
    fitted.save(tmp_path / "all.chain")
    for sampler in (fitted, pieces, EMCO.load(tmp_path / "all.chain")):
        assert sampler.corpus_counts().sizes == sizes


@pytest.mark.parametrize("labels", [[0, 2**64 - 1], [-1, 2**63], [3, 2**70]])
def test_large_whole_numbers_stay_whole(tmp_path, labels):
    texts = ["oil up", "gold down"]
    sampler = EMCO(random_state=1).fit(texts, labels)
    sampler.save(tmp_path / "chain")
    pieces = (
        EMCO(random_state=1).partial_fit(texts[:1], labels[:1]).partial_fit(texts[1:], labels[1:])
    )
    for known in (sampler, pieces, EMCO.load(tmp_path / "chain")):
        assert known.classes_.tolist() == labels
        assert all(type(label) is int for label in known.classes_.tolist())
        assert known.sample(1, labels[1]) == ["gold down"]


def test_counts_of_another_kind_are_refused_at_once_and_change_nothing(documents):
    sampler = EMCO(random_state=1).fit(*documents)
    before = drawn(sampler)
    with pytest.raises(ValueError, match="cannot add counts"):
        sampler.set_params(surface=True).partial_fit(["w1 w2"], ["a"])
    assert drawn(sampler) == before


def test_a_batch_that_fails_changes_nothing(documents):
    def tokenizer(text):
        return None if text == "odd" else text.split()

    sampler = EMCO(tokenizer=tokenizer, random_state=1)
    with pytest.raises(TypeError, match="tokenizer returned None"):
        sampler.partial_fit(["odd"], ["a"])
    with pytest.raises(NotFittedError):
        sampler.sample(1, "a")
    sampler.partial_fit(*documents)
    with pytest.raises(TypeError, match="tokenizer returned None"):
        sampler.partial_fit(["odd"], ["a"])
    whole = EMCO(tokenizer=tokenizer, random_state=1).fit(*documents)
    assert drawn(sampler) == drawn(whole)
