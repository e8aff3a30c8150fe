import warnings
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imblearn.over_sampling import RandomOverSampler
from imblearn.utils import check_sampling_strategy

from imbtext import minority_share
from imbtext.methods import PreparedDocuments, Problem, get_method
from imbtext.oversampling import (
    DECOM,
    DRO,
    EDA,
    EMCO,
    MCO,
    ROS,
    PromptedSampler,
    Sampler,
)
from imbtext.oversampling._sampler import New
from imbtext.oversampling._strategy import check_new_documents, missing_documents


@given(st.integers(1, 200), st.integers(1, 2000), st.integers(1, 99))
def test_share_is_reached_as_nearly_as_whole_documents_allow(m, rest, percent):
    y = ["rare"] * m + ["z"] * rest
    if m > rest:
        return
    share = percent / 100
    exact = Fraction(percent, 100)
    if m > exact * (m + rest) or int(exact * rest / (1 - exact)) < m:
        with pytest.raises(ValueError, match="already"):
            minority_share(share)(y)
        return
    target = minority_share(share)(y)["rare"]
    assert Fraction(target, target + rest) <= exact < Fraction(target + 1, target + 1 + rest)


def test_papers_count():
    n, m, r = 7769, 41, 0.2
    y = [1] * m + [0] * (n - m)
    assert minority_share(r)(y)[1] - m == int((r * n - m) / (1 - r))


def test_works_with_imbalanced_learns_own_samplers():
    y = [1] * 10 + [0] * 90
    _, resampled = RandomOverSampler(sampling_strategy=minority_share(0.2)).fit_resample(
        [[i] for i in range(100)], y
    )
    assert sum(resampled) == 22


def test_float_of_imbalanced_learn_is_another_ratio():
    y = [1] * 10 + [0] * 90
    assert minority_share(0.2)(y)[1] == int(0.2 / 0.8 * 90)


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, float("nan")])
def test_share_outside_its_range(share):
    with pytest.raises(ValueError, match="between 0 and 1"):
        minority_share(share)


@pytest.mark.parametrize("kind", [float, np.float64, np.float32, np.float16])
def test_a_share_of_any_precision_is_the_decimal_that_was_written(kind):
    assert minority_share(kind(0.7))(["rare"] + ["z"] * 30) == {"rare": 70}


def test_a_share_for_no_class_is_refused():
    with pytest.raises(ValueError, match="names no class"):
        minority_share(0.2, label=[])


def test_a_share_that_is_too_small_is_told_in_full():
    with pytest.raises(ValueError, match=r"1 of 31 documents, already 1e-05% or more"):
        minority_share(1e-7)(["rare"] + ["z"] * 30)


@pytest.mark.parametrize("share", ["0.2", None, True])
def test_share_that_is_no_number(share):
    with pytest.raises(TypeError, match="expected a number"):
        minority_share(share)


def test_classes_by_name():
    y = ["a"] * 2 + ["b"] * 4 + ["c"] * 10
    assert minority_share(0.25, label="b")(y) == {"b": 4}
    assert minority_share(0.25, label=["b", "b"])(y) == {"b": 4}
    with pytest.raises(ValueError, match="no class 'd' in y"):
        minority_share(0.2, label="d")(y)
    with pytest.raises(ValueError, match="cannot each make up"):
        minority_share(0.5, label=["a", "b"])(y)


@pytest.mark.parametrize(
    "strategy",
    [
        *("auto", "minority", "not minority", "not majority", "all", {"b": 5}, {"b": 30, "c": 7}),
        *(minority_share(0.3), minority_share(0.45, label=["b", "c"]), lambda y: {"c": len(y)}),
    ],
)
def test_sizes_say_what_labels_say(strategy):
    y = np.array(["a"] * 10 + ["b"] * 2 + ["c"] * 7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        from_labels = check_sampling_strategy(strategy, y, "over-sampling")
    from_sizes = missing_documents(strategy, {"a": 10, "b": 2, "c": 7})
    assert from_sizes == {str(label): n for label, n in from_labels.items()}


def test_a_ratio_from_sizes():
    y = ["a"] * 10 + ["b"] * 2
    assert missing_documents(0.5, {"a": 10, "b": 2}) == {"b": 3}
    assert check_sampling_strategy(0.5, y, "over-sampling") == {"b": 3}


@pytest.mark.parametrize(
    ("strategy", "says"),
    [
        ({"d": 5}, "no class 'd'; the classes are 'a', 'b', 'c'"),
        ({"a": 5}, "class 'a' has 10 documents, more than the 5 asked for"),
        ({"b": 5.5}, "a fraction of a document"),
        (lambda y: {"b": 5.5}, "a fraction of a document"),
        ("most", "sampling_strategy"),
        (0.5, "two|binary"),
    ],
)
def test_what_cannot_be_asked_for_from_sizes(strategy, says):
    with pytest.raises(ValueError, match=says):
        missing_documents(strategy, {"a": 10, "b": 2, "c": 7})


@pytest.mark.parametrize("n", [True, "5", None])
def test_a_number_of_documents_that_is_no_number(n):
    with pytest.raises(TypeError, match=f"asks for {n!r} documents of class 'b'; give whole"):
        missing_documents({"b": n}, {"a": 10, "b": 2})


class Copies(Sampler):
    """A sampler of vectors."""

    space, title = "tfidf", "copies"

    def __init__(self, *, sampling_strategy="auto", random_state=None):
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state

    def draw(self, request):
        return New(np.resize(request.rows, request.n))


def refuse_to_write(messages):
    raise AssertionError("nothing may be written")


TOO_MANY = [minority_share(0.9999999999), {"b": 10**11}, {"b": 10**30}, lambda y: {"b": 10**30}]


@pytest.mark.parametrize("strategy", TOO_MANY)
@pytest.mark.parametrize(
    "sampler",
    [ROS(), EMCO(), MCO(), EDA(synonyms={}), PromptedSampler(refuse_to_write)],
    ids=lambda sampler: type(sampler).__name__,
)
def test_more_documents_than_memory_holds_are_refused_before_one_is_made(sampler, strategy):
    sampler.set_params(sampling_strategy=strategy)
    with pytest.raises(ValueError, match=r"new documents of class 'b' take at least .* GiB and do"):
        sampler.fit_resample(["oil up"] * 2 + ["rain"] * 20, ["b"] * 2 + ["a"] * 20)


@pytest.mark.parametrize(
    "sampler",
    [Copies(), DECOM(), DRO()],
    ids=lambda sampler: type(sampler).__name__,
)
def test_more_vectors_than_memory_holds_are_refused_before_one_is_made(sampler):
    X, y = np.eye(22), np.array([1] * 2 + [0] * 20)
    sampler.set_params(sampling_strategy=minority_share(0.9999999999))
    fit = sampler.fit if isinstance(sampler, DRO) else sampler.fit_resample
    with pytest.raises(ValueError, match="new documents of class 1 take at least"):
        fit(X, y)


def test_the_size_of_dense_vectors_counts():
    X, y = np.zeros((22, 100_000), dtype=np.float32), np.array([1] * 2 + [0] * 20)
    with pytest.raises(ValueError, match="100,000,000 new documents of class 1 take at least 37,2"):
        Copies(sampling_strategy={1: 10**8 + 2}).fit_resample(X, y)


def test_the_documents_of_all_classes_share_the_memory(monkeypatch):
    monkeypatch.setattr("imbtext._memory.memory_size", lambda: 2**27)
    check_new_documents({"a": 2**20, "b": 2**20})
    with pytest.raises(
        ValueError, match=r"2,097,153 new documents of 2 classes take .*\(0.1 GiB\)"
    ):
        check_new_documents({"a": 2**20, "b": 2**20 + 1})


def test_one_class_asks_for_too_many_documents_at_once():
    data = PreparedDocuments.of(["oil up", "rain"])
    problem = Problem(data, np.array([True, False]), 10**12, seed=0, label="oil")
    with pytest.raises(ValueError, match="new documents of class 'oil' take at least"):
        get_method("ros").resample(problem)


@pytest.mark.parametrize("sampler", [Copies(), DECOM()], ids=["Copies", "DECOM"])
@pytest.mark.parametrize(
    ("strategy", "error", "says"),
    [
        ({"d": 5}, ValueError, "there is no class 'd'; the classes are 'a', 'b'"),
        ({"a": 5}, ValueError, "class 'a' has 20 documents, more than the 5 asked for"),
        ({"b": "5"}, TypeError, "asks for '5' documents of class 'b'"),
        (lambda y: None, TypeError, "the function given as sampling_strategy returned None"),
    ],
)
def test_samplers_of_vectors_name_the_class_that_cannot_be_asked_for(
    sampler, strategy, error, says
):
    sampler.set_params(sampling_strategy=strategy)
    with pytest.raises(error, match=says):
        sampler.fit_resample(np.eye(22), ["b"] * 2 + ["a"] * 20)


def test_strategies_of_vectors_are_read_as_those_of_documents():
    X, y = np.arange(16.0).reshape(8, 2), np.array([1, 1, 0, 0, 0, 0, 0, 0])
    copies = Copies(random_state=0, sampling_strategy=MappingProxyType({1: 5.0}))
    assert copies.fit_resample(X, y)[1].tolist() == [*y, 1, 1, 1]
    with pytest.raises(ValueError, match="fraction of a document"):
        Copies(sampling_strategy={1: 5.5}).fit_resample(X, y)
