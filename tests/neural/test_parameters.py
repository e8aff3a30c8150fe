"""The parameters of the networks, as scikit-learn and Dask see them."""

from dataclasses import is_dataclass
from inspect import signature

import pytest

pytest.importorskip("torch", reason="torch is missing: pip install torch==2.13.0")
from imbtext.neural import LanguageModelSampler, LSTMClassifier, SeqGAN


@pytest.mark.parametrize("estimator", [LanguageModelSampler, LSTMClassifier, SeqGAN])
def test_an_estimator_is_no_dataclass_for_others(estimator):
    assert not is_dataclass(estimator)


def test_seqgan_has_the_parameters_of_the_language_model_and_more():
    assert set(signature(LanguageModelSampler).parameters) < set(signature(SeqGAN).parameters)
