"""The parameters of the samplers, as scikit-learn and Dask see them."""

from dataclasses import is_dataclass
from inspect import signature

import pytest
from sklearn.base import clone

from imbtext.oversampling import (
    DECOM,
    DRO,
    EDA,
    EMCO,
    MCO,
    ROS,
    PromptedSampler,
)

ESTIMATORS = [DECOM, DRO, EDA, EMCO, MCO, PromptedSampler, ROS]
OTHERS, LABELS = ["some rain", "more rain"], ["oil", "rain", "rain"]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_an_estimator_is_no_dataclass_for_others(estimator):
    assert not is_dataclass(estimator)


def test_a_subclass_has_the_parameters_of_its_base_and_may_fix_some():
    assert list(signature(MCO).parameters) == [
        *("sampling_strategy", "tokenizer", "text", "surface", "random_state", "n_jobs")
    ]


def test_users_subclass_estimators_as_any_of_scikit_learn():
    class Mine(EMCO):
        def __init__(self, gamma=0.2, *, extra=3, random_state=None):
            super().__init__(gamma, random_state=random_state)
            self.extra = extra

    mine = clone(Mine(extra=5, random_state=0))
    assert mine.get_params() == {"gamma": 0.2, "extra": 5, "random_state": 0}
    assert len(mine.fit_resample(["crude oil", *OTHERS], LABELS)[0]) == 4


def test_dask_tells_samplers_by_what_they_learnt_and_gives_them_back_as_they_are():
    dask = pytest.importorskip("dask")
    oil, gas = (
        EMCO(random_state=0).fit([first, *OTHERS], LABELS) for first in ("crude oil", "natural gas")
    )
    assert dask.tokenize.tokenize(oil) != dask.tokenize.tokenize(gas)
    assert dask.tokenize.tokenize(oil) == dask.tokenize.tokenize(oil)
    (given,), two = dask.compute([oil], dask.delayed(lambda: 2)())
    assert two == 2
    assert given.sample(1, "oil") == oil.sample(1, "oil")
