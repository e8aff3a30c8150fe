"""Random oversampling of documents: copies, counts, provenance."""

import numpy as np
import polars as pl
import pytest
from imblearn.over_sampling import RandomOverSampler

from imbtext.oversampling._ros import ROS
from imbtext.testing import parametrize_with_checks


@parametrize_with_checks([ROS()])
def test_contract(sampler, check):
    check(sampler)


@pytest.mark.parametrize("m", [1, 2, 5])
def test_copies_are_verbatim_and_name_their_source(m):
    texts = [f"Rare, No. {i}!" for i in range(m)] + ["", "x"] * 10
    y = np.array([1] * m + [0] * 20)
    ros = ROS(random_state=0)
    new_texts, new_y = ros.fit_resample(texts, y)
    assert new_texts == [texts[i] for i in ros.sample_indices_]
    assert new_y.tolist() == y[ros.sample_indices_].tolist()
    assert (new_y == 1).sum() == (new_y == 0).sum() == 20
    assert set(ros.sample_indices_[len(texts) :]) <= set(range(m))


def test_draws_are_uniform_with_replacement():
    y = [1] * 4 + [0] * 4004
    ros = ROS(random_state=1)
    ros.fit_resample(["d"] * len(y), y)
    drawn = np.bincount(ros.sample_indices_[len(y) :], minlength=4)
    assert drawn.sum() == 4000
    # Four standard deviations of a binomial(4000, 1/4) count.
    assert (np.abs(drawn - 1000) < 110).all()
    assert len(set(drawn.tolist())) > 1


def test_counts_are_those_of_imbalanced_learn():
    y = np.array(["a"] * 3 + ["b"] * 7 + ["c"] * 12)
    X = pl.Series("text", [f"t{i}" for i in range(len(y))])
    ours, y_ours = ROS(sampling_strategy="not majority", random_state=0).fit_resample(X, y)
    _, y_theirs = RandomOverSampler(random_state=0).fit_resample(np.arange(len(y))[:, None], y)
    assert sorted(y_ours) == sorted(y_theirs)
    assert isinstance(ours, pl.Series)
    assert ours.name == "text"


def test_token_lists_stay_token_lists():
    X = [["Rare", "one"], ["b"], ["c"], []]
    new, _ = ROS(random_state=0).fit_resample(X, [1, 0, 0, 0])
    assert new[4:] == [["Rare", "one"], ["Rare", "one"]]
