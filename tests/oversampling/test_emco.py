"""EMCO and MCO as a user meets them: the contract, odd inputs, saving, reproducibility."""

import ast
import gc
import json
import os
import pickle
import re
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
import sklearn
from imblearn.pipeline import Pipeline
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

import imbtext.testing
from imbtext import EMCO, MCO, minority_share
from imbtext.documents import encode_texts
from imbtext.oversampling import ROS, Request
from imbtext.oversampling._counting import CountedClass
from imbtext.randomness import draw_seed
from imbtext.testing import CHECKS, check_text_sampler, parametrize_with_checks
from tests.archives import changed_archive

RARE = ["oil price up", "crude oil price falls", "oil output cut"]
COMMON = [
    "share price of the firm up",
    "firm output rises on cash",
    "bank cuts rate and the price of cash",
    "the bank rate is up",
] * 3
TEXTS, Y = RARE + COMMON, ["rare"] * 3 + ["common"] * 12


@parametrize_with_checks([EMCO(), EMCO(0.1), MCO()])
def test_checks(sampler, check):
    check(sampler)


@pytest.mark.parametrize("check", CHECKS)
def test_checks_catch_a_broken_sampler(check):
    class Broken(EMCO):
        """Wrong in every way that the checks look at."""

        def __init__(
            self,
            gamma=1.0,
            sampling_strategy="auto",
            random_state=None,
            n_jobs=None,
            tokenizer=None,
        ):
            super().__init__(
                gamma=gamma, sampling_strategy=sampling_strategy, random_state=random_state
            )
            self.early_ = True

        def fit_resample(self, X, y, **params):
            np.random.random()  # noqa: NPY002
            self.is_synthetic_ = self.sample_indices_ = np.arange(2)
            self.n_generated_ = {"oil": 0}
            return ["one", "two"], ["oil", "oil"]

        def draw(self, request):
            self.drawn = getattr(self, "drawn", 0) + 1
            return super().draw(request)

    with pytest.raises((AssertionError, ValueError, TypeError, RuntimeError)):
        check(Broken())


def test_every_check_says_what_it_found():
    tree = ast.parse(Path(imbtext.testing.__file__).read_text("utf-8"))
    asserts = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    assert len(asserts) > 20
    assert [node.lineno for node in asserts if node.msg is None] == []


def test_fractions_of_documents_are_refused():
    with pytest.raises(ValueError, match=r"fraction of a document .*class 'rare'"):
        EMCO(sampling_strategy={"rare": len(TEXTS) + 0.5}).fit_resample(TEXTS, Y)


@pytest.mark.parametrize("sampler", [EMCO(random_state=0), ROS(random_state=0)])
@pytest.mark.parametrize("as_callable", [False, True])
@pytest.mark.parametrize(
    ("targets", "error", "says"),
    [
        ({"rear": 20}, ValueError, "no class 'rear'; the classes are .*did you mean 'rare'"),
        ({"rare": 2}, ValueError, "class 'rare' has 3 documents, more than the 2 asked for"),
        ({"rare": "20"}, TypeError, "asks for '20' documents of class 'rare'"),
        ({"rare": float("inf")}, ValueError, "fraction of a document"),
        ({"rare": float("nan")}, ValueError, "fraction of a document"),
    ],
)
def test_strategies_that_cannot_be_met_name_the_class(sampler, as_callable, targets, error, says):
    strategy = (lambda y: targets) if as_callable else targets
    with pytest.raises(error, match=says):
        clone(sampler).set_params(sampling_strategy=strategy).fit_resample(TEXTS, Y)


@pytest.mark.parametrize("returned", [None, [("rare", 20)], 0.5])
def test_a_strategy_must_return_a_dict(returned):
    with pytest.raises(TypeError, match="must return a dict from each class"):
        EMCO(sampling_strategy=lambda y: returned).fit_resample(TEXTS, Y)


def test_any_mapping_is_a_strategy():
    for strategy in ({"rare": 20}, MappingProxyType({"rare": 20.0}), lambda y: {"rare": 20}):
        emco = EMCO(sampling_strategy=strategy, random_state=0)
        assert emco.fit_resample(TEXTS, Y)[1].count("rare") == 20
        assert emco.sampling_strategy_ == emco.n_generated_ == {"rare": 17}


def test_all_checks_at_once():
    check_text_sampler(EMCO(gamma=0.5))


def test_synthetic_documents_expand_the_vocabulary_only_with_gamma():
    own = {word for text in RARE for word in text.split()}
    for sampler, leaves in ((MCO(random_state=0), False), (EMCO(1, random_state=0), True)):
        X, _ = sampler.set_params(sampling_strategy={"rare": 60}).fit_resample(TEXTS, Y)
        new = {word for text in X[15:] for word in text.split()}
        assert (not new <= own) == leaves
        assert new <= {word for text in TEXTS for word in text.split()}


def test_fit_resample_draws_what_sample_draws():
    emco = EMCO(random_state=7)
    X, _ = emco.fit_resample(TEXTS, Y)
    assert X[15:] == EMCO(random_state=7).fit(TEXTS, Y).sample(9, label="rare")
    assert emco.sample(9, label="rare") == X[15:]
    assert emco.sample(4, label="rare") == X[15:19]
    assert emco.sample(9, label="rare", random_state=8) != X[15:]
    assert emco.sample(0, label="rare") == []


def test_sample_of_a_fixed_length_and_of_any_class():
    emco = EMCO(random_state=0).fit(TEXTS, Y)
    assert {len(text.split()) for text in emco.sample(20, label="common", length=11)} == {11}
    tokens = EMCO(random_state=0).fit([t.split() for t in TEXTS], Y).sample(2, label="rare")
    assert all(isinstance(document, list) for document in tokens)


@pytest.mark.parametrize(("n", "length"), [(-1, None), (1.5, None), (True, None), (1, 0), (1, 2.5)])
def test_sample_refuses_odd_numbers(n, length):
    with pytest.raises(ValueError, match="whole number"):
        EMCO().fit(TEXTS, Y).sample(n, label="rare", length=length)


def test_sample_needs_a_fit_and_a_known_class():
    with pytest.raises(NotFittedError):
        EMCO().sample(1, label="rare")
    with pytest.raises(ValueError, match="no class 'gone'; the classes are 'common', 'rare'"):
        EMCO().fit(TEXTS, Y).sample(1, label="gone")
    with pytest.raises(ValueError, match="no class array"):
        EMCO().fit(TEXTS, Y).sample(1, label=np.array(["rare", "common"]))


@pytest.mark.parametrize("gamma", [-0.1, float("nan"), float("inf"), "a", None])
def test_gamma_must_be_a_finite_number_from_zero(gamma):
    with pytest.raises(ValueError, match="gamma"):
        EMCO(gamma=gamma).fit_resample(TEXTS, Y)
    with pytest.raises(ValueError, match="gamma"):
        EMCO().fit(TEXTS, Y).set_params(gamma=gamma).sample(1, "rare")


def test_class_whose_documents_are_all_empty_is_named():
    with pytest.raises(ValueError, match="class 'empty' has no document with a word"):
        EMCO().fit_resample(["", " ", "oil up", "gold up", "oil"], ["empty"] * 2 + ["full"] * 3)


def test_tokenizer_that_returns_nothing_is_explained():
    with pytest.raises(ValueError, match="tokenizer"):
        EMCO(tokenizer=lambda text: []).fit_resample(TEXTS, Y)


def test_tokenizer_of_the_users_own():
    X, _ = EMCO(tokenizer=list, random_state=0).fit_resample(["ab", "ba", "cab"], [0, 1, 1])
    assert set(X[-1]) <= set("abc ")


def test_class_of_one_document():
    X, y = MCO(random_state=0).fit_resample(["oil up now", *COMMON], [1] + [0] * 12)
    assert set(X[13:]) == {"oil up now"}
    assert np.bincount(y).tolist() == [12, 12]


def test_document_of_a_million_words():
    rng = np.random.default_rng(0)
    long = " ".join(np.char.add("w", rng.integers(0, 5000, 1_000_000).astype(str)))
    X, _ = EMCO(random_state=0).fit_resample([long, "oil up", "oil down"], [0, 1, 1])
    assert len(X) == 4
    assert len(X[3].split()) == 1_000_000


def test_two_hundred_thousand_distinct_words():
    rng = np.random.default_rng(0)
    ids = rng.permutation(np.concatenate([np.arange(200_000), rng.integers(0, 200_000, 100_000)]))
    docs = [[f"w{i}" for i in part] for part in ids.reshape(-1, 30).tolist()]
    emco = EMCO(sampling_strategy=minority_share(0.1), random_state=0)
    emco.fit_resample(docs, [1] * 50 + [0] * (len(docs) - 50))
    assert len(emco.vocabulary_) == 200_000


def test_duplicates_in_the_labels_type_are_kept():
    _, y = EMCO(random_state=0).fit_resample(TEXTS, [np.int8(label == "rare") for label in Y])
    assert all(isinstance(label, np.int8) for label in y)


def test_series_keeps_its_name_and_gets_a_fresh_index():
    X = pd.Series(TEXTS, name="body", index=range(50, 65))
    X_out, y_out = EMCO(random_state=0).fit_resample(X, pd.Series(Y, index=X.index))
    assert X_out.name == "body"
    assert X_out.index.equals(pd.RangeIndex(24))
    assert y_out.index.equals(X_out.index)


@pytest.mark.parametrize("sampler", [EMCO, ROS])
def test_a_document_of_several_columns_cannot_be_written(sampler):
    table = pd.DataFrame({"subject": TEXTS, "body": TEXTS})
    with pytest.raises(ValueError, match=r"columns 'subject', 'body', but .* join them"):
        sampler(text=["subject", "body"]).fit_resample(table, Y)
    longer, _ = sampler(text=["body"], random_state=0).fit_resample(table, Y)
    assert longer.shape == (24, 2)


def test_grid_search_over_gamma_in_a_pipeline():
    model = Pipeline(
        [("emco", EMCO(random_state=0)), ("tfidf", TfidfVectorizer()), ("svm", LinearSVC())]
    )
    search = GridSearchCV(model, {"emco__gamma": [0, 0.1, 1]}, scoring="balanced_accuracy", cv=3)
    search.fit(TEXTS, Y)
    assert search.best_params_["emco__gamma"] in (0, 0.1, 1)
    assert len(search.predict(["oil up"])) == 1


def test_metadata_routing_passes_by():
    with sklearn.config_context(enable_metadata_routing=True):
        emco = EMCO(random_state=0)
        assert emco.get_metadata_routing().fit_resample.requests == {}
        svm = LinearSVC().set_fit_request(sample_weight=True)
        model = Pipeline([("emco", emco), ("tfidf", TfidfVectorizer()), ("svm", svm)])
        # 24 documents after resampling: the weights are for the step that asks for them.
        model.fit(TEXTS, Y, sample_weight=np.ones(24))
        assert len(model.predict(TEXTS)) == 15


def test_unknown_metadata_is_refused():
    with pytest.raises(TypeError, match="takes X and y, not"):
        EMCO().fit_resample(TEXTS, Y, weights=[1])


@pytest.mark.slow
def test_hash_seed_and_process_do_not_matter():
    code = (
        "from imbtext import EMCO; import sys, json;"
        "t, y = json.load(sys.stdin);"
        "print(json.dumps(EMCO(0.5, random_state=3).fit_resample(t, y)[0]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=json.dumps([TEXTS, Y]),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {json.dumps(EMCO(0.5, random_state=3).fit_resample(TEXTS, Y)[0]) + "\n"}


def test_order_of_the_documents_of_the_majority_does_not_matter():
    one = EMCO(random_state=0).fit(TEXTS, Y).sample(20, label="rare")
    other = EMCO(random_state=0).fit(RARE + COMMON[::-1], Y).sample(20, label="rare")
    assert one == other


@pytest.mark.parametrize(
    ("sampler", "y"),
    [
        (EMCO(0.3, random_state=5), Y),
        (EMCO(0.3, random_state=5), [int(label == "rare") for label in Y]),
        (MCO(random_state=5), [label == "rare" for label in Y]),
    ],
)
def test_saved_chain_draws_the_same_elsewhere(tmp_path, sampler, y):
    path = tmp_path / "chain.npz"
    sampler.fit(TEXTS, y).save(path)
    loaded = type(sampler).load(path)
    assert loaded.get_params() == sampler.get_params()
    for label in sampler.classes_:
        assert loaded.sample(30, label=label) == sampler.sample(30, label=label)
    assert list(tmp_path.iterdir()) == [path]


def test_any_damage_to_a_file_is_a_value_error(tmp_path):
    path = tmp_path / "chain.npz"
    EMCO(random_state=0).fit(TEXTS, Y).save(path)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(150):
        damaged = np.frombuffer(whole, dtype=np.uint8).copy()
        places = rng.integers(len(damaged), size=3)
        damaged[places] = rng.integers(256, size=3)
        path.write_bytes(damaged.tobytes())
        try:
            EMCO.load(path)
        except ValueError as error:
            assert "not a chain that this version" in str(error)  # noqa: PT017
            refused += 1
    assert refused > 75


@pytest.mark.parametrize("similarities", [(None, 2.0), (2.0, None), (2.0, 3.0)])
def test_a_fitted_chain_keeps_its_similarity(tmp_path, similarities):
    before, after = similarities
    emco = EMCO(similarity=before, random_state=0).fit(TEXTS, Y)
    emco.sample(5, label="rare")  # one class is counted before the change, the other after it
    emco.set_params(similarity=after).save(tmp_path / "chain.npz")
    loaded = EMCO.load(tmp_path / "chain.npz")
    assert loaded.similarity == before
    whole = EMCO(similarity=before, random_state=0).fit(TEXTS, Y)
    for label in ("rare", "common"):
        assert loaded.sample(5, label) == emco.sample(5, label) == whole.sample(5, label)


def test_mco_loads_a_chain_with_similarity_and_saves_it_again(tmp_path):
    EMCO(0, similarity=2.0, random_state=0).fit(TEXTS, Y).save(tmp_path / "emco.npz")
    mco = MCO.load(tmp_path / "emco.npz")
    assert mco.sample(9, "rare") == MCO(random_state=0).fit(TEXTS, Y).sample(9, "rare")
    mco.save(tmp_path / "mco.npz")
    assert MCO.load(tmp_path / "mco.npz").sample(9, "rare") == mco.sample(9, "rare")


class WithoutOrder(EMCO):
    """A sampler of a user's own, with fewer parameters and one of its own."""

    def __init__(self, gamma=0.2, *, extra=3, random_state=None):
        super().__init__(gamma, random_state=random_state)
        self.extra = extra


def test_a_subclass_loads_what_it_saved(tmp_path):
    mine = WithoutOrder(0.5, random_state=0).fit(TEXTS, Y)
    mine.save(tmp_path / "chain.npz")
    loaded = WithoutOrder.load(tmp_path / "chain.npz")
    assert loaded.get_params() == mine.get_params()
    assert loaded.sample(9, "rare") == mine.sample(9, "rare")


def test_threads_may_ask_for_a_class_for_the_first_time_together(monkeypatch):
    count, both_are_counting = CountedClass.of, threading.Barrier(2, timeout=10)

    def count_together(*arguments):
        both_are_counting.wait()
        return count(*arguments)

    emco = EMCO(random_state=0).fit(TEXTS, Y)
    monkeypatch.setattr(CountedClass, "of", count_together)
    with ThreadPoolExecutor(2) as pool:
        one, two = pool.map(emco.sample, [3, 3], ["rare", "rare"])
    assert one == two


def test_chains_for_many_numbers_of_documents_are_not_all_kept():
    emco = EMCO("heaps", random_state=0).fit(TEXTS, Y)
    chains = [weakref.ref(emco.chain("rare", n)) for n in range(1, 30)]
    gc.collect()
    assert sum(chain() is not None for chain in chains) == 1
    assert emco.chain("rare", 29) is chains[-1]()


def test_a_sampler_whose_fit_failed_is_not_fitted():
    emco = EMCO(tokenizer=lambda text: None)
    with pytest.raises(TypeError, match="tokenizer"):
        emco.fit_resample(TEXTS, Y)
    with pytest.raises(NotFittedError):
        emco.sample(1, "rare")


def test_a_new_fit_forgets_what_was_generated():
    emco = EMCO("heaps", random_state=0)
    emco.fit_resample(TEXTS, Y)
    assert emco.chain("rare").gamma == emco.chain("rare", 9).gamma
    emco.fit(TEXTS * 2, Y * 2)
    assert not hasattr(emco, "n_generated_")
    with pytest.raises(ValueError, match="pass the number"):
        emco.chain("rare")


def test_a_file_name_is_not_counts():
    with pytest.raises(TypeError, match=r"load_counts reads from a file"):
        EMCO().fit_counts("monday.counts")
    counts = EMCO().fit(TEXTS, Y).corpus_counts()
    with pytest.raises(ValueError, match="gamma"):
        EMCO(gamma=-1).fit_counts(counts)


def test_a_class_without_words_is_called_by_the_name_of_the_request():
    corpus = encode_texts(["?", "gold up", "rain"])
    with pytest.raises(ValueError, match="class 'oil' has no document with a word in it"):
        EMCO().draw(Request(corpus, np.array([0]), 3, seed=0, label="oil"))


def test_draw_is_pure_and_draws_what_the_sampler_adds():
    emco = EMCO(0.5, random_state=4)
    expected = emco.fit_resample(TEXTS, Y)[0][len(TEXTS) :]
    fresh, rows = EMCO(0.5), np.flatnonzero(np.array(Y) == "rare")
    corpus, stream = encode_texts(TEXTS), sorted(set(Y)).index("rare")
    request = Request(corpus, rows, len(expected), draw_seed(4), stream)
    before = dict(vars(fresh))
    for _ in range(2):
        assert fresh.draw(request).documents.texts() == expected
    assert vars(fresh) == before


class Evil:
    def __reduce__(self):
        return (os.system, ("touch pwned",))


def test_load_never_runs_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "evil.npz"
    np.savez(path, about=np.array([Evil()], dtype=object))
    with pytest.raises(ValueError, match="not a chain"):
        EMCO.load(path)
    path.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(ValueError, match="not a chain"):
        EMCO.load(path)
    assert not (tmp_path / "pwned").exists()


def test_load_refuses_what_is_not_a_chain(tmp_path):
    path = tmp_path / "chain.npz"
    EMCO().fit(TEXTS, Y).save(path)
    whole = path.read_bytes()
    for broken in (b"", b"text", whole[: len(whole) // 2]):
        path.write_bytes(broken)
        with pytest.raises(ValueError, match="not a chain"):
            EMCO.load(path)
    path.write_bytes(b"text")
    with pytest.raises(ValueError, match="it is not an archive of arrays"):
        EMCO.load(path)
    with pytest.raises(FileNotFoundError):
        EMCO.load(tmp_path / "gone.npz")
    EMCO(1.0).fit(TEXTS, Y).save(path)
    with pytest.raises(ValueError, match=r"use EMCO\.load"):
        MCO.load(path)


def tampered(path, sampler, change):
    """Save a sampler, and again with its content changed."""
    sampler.fit(TEXTS, Y).save(path)
    changed_archive(path, change)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("counts.classes.1.counts.counts.pairs.indices", lambda values: values + 1000),
        ("counts.classes.1.counts.counts.pairs.data", lambda values: values * 0.5),
        ("counts.classes.1.counts.counts.pairs.data", lambda values: values * 0 + 2**62),
        ("counts.classes.0.counts.word_ids", lambda values: values + 1000),
        ("counts.classes.0.counts.word_ids", lambda values: values[::-1]),
        ("counts.classes.1.counts.counts.ending", lambda values: values[:-1]),
        ("counts.classes.1.counts.counts.ending", lambda values: values * 0),
        ("counts.classes.1.counts.counts.initial", lambda values: -values),
        ("counts.classes.1.counts.counts.lengths", lambda values: values * 0),
        ("counts.classes.1.counts.counts.lengths", lambda values: values * 0 + 2**62),
        ("counts.classes.1.counts.counts.length_counts", lambda values: values * 0),
        ("counts.classes.1.counts.counts.length_counts", lambda values: values * 0 + 2**62),
        ("counts.classes.1.counts.counts.words", lambda values: values * 0),
        ("counts.classes.1.counts.counts.words", lambda values: values + 1),
    ],
)
def test_load_refuses_arrays_that_do_not_fit(tmp_path, name, change):
    def swap(_, arrays):
        arrays[name] = change(arrays[name])

    for sampler in (EMCO(), EMCO("heaps")):
        tampered(tmp_path / "chain", sampler, swap)
        with pytest.raises(ValueError, match="not a chain"):
            EMCO.load(tmp_path / "chain")


@pytest.mark.parametrize(
    "change",
    [
        lambda about, _: about.pop("gamma"),
        lambda about, _: about["counts"]["vocabulary"].pop(),
        lambda about, _: about["counts"].update(vocabulary=[1] * 20),
        lambda about, _: about["counts"]["classes"].reverse(),
        lambda about, _: about["counts"].update(classes=[]),
        lambda _, arrays: arrays.update(extra=np.zeros(3)),
        lambda _, arrays: arrays.update({"counts.classes.1.counts.counts.extra": np.zeros(3, int)}),
        lambda _, arrays: arrays.pop("counts.classes.1.counts.counts.words"),
    ],
)
def test_load_refuses_what_is_missing_or_unknown(tmp_path, change):
    tampered(tmp_path / "chain", EMCO(), change)
    with pytest.raises(ValueError, match="not a chain"):
        EMCO.load(tmp_path / "chain")


@pytest.mark.parametrize("length", [2**62, 2**61, 2**40])
def test_documents_that_no_memory_holds_are_refused(length):
    emco = EMCO(random_state=0).fit(TEXTS, Y)
    with pytest.raises(ValueError, match="do not fit into the memory"):
        emco.sample(4, "rare", length=length)
    with pytest.raises(ValueError, match="do not fit into the memory"):
        emco.sample(length, "rare")


def test_clone_of_a_fitted_sampler_is_unfitted():
    with pytest.raises(NotFittedError):
        clone(EMCO().fit(TEXTS, Y)).sample(1, label="rare")


THAI = ["ราคาน้ำมันสูงขึ้น OPEC says", "น้ำมันดิบลดลง oil up", "ทองคำราคาตก gold", "บริษัทกำไร bank"] * 3


@pytest.mark.parametrize("surface", [False, True])
@pytest.mark.parametrize("door", ["fit", "partial_fit"])
def test_scripts_without_spaces_are_drawn_by_characters_and_written_without_spaces(surface, door):
    """The words are those of `RareTextClassifier`, and no word runs into another."""
    y = [1, 1, 0, 0] * 3
    emco = getattr(EMCO(surface=surface, random_state=0), door)(THAI, y)
    tokens = EMCO(random_state=0).fit(encode_texts(THAI).tokens(), y).sample(100, 1)
    written = emco.sample(100, 1)
    assert encode_texts(written).tokens() == tokens
    # With surface forms, a space that stands before other scripts may come between two of Thai.
    assert surface or not any(
        re.search("[\u0e01-\u0e4e] +[\u0e01-\u0e4e]", text) for text in written
    )
