"""The generators as methods by name: only where they are named, and with clear errors."""

import sys

import numpy as np
import pytest

from imbtext._extras import MissingExtraError
from imbtext.comparison import default_methods
from imbtext.methods import (
    PreparedDocuments,
    Problem,
    fit_method,
    get_method,
    register_method,
    unregister_method,
)
from imbtext.oversampling import OpenAIModel, PromptedSampler

TEXTS = ["oil price up", "crude oil", "oil output up"] + ["rain today", "sun and rain", "snow"] * 4
IS_OIL = np.arange(15) < 3


def problem():
    return Problem(PreparedDocuments.of(TEXTS), IS_OIL, 9, seed=0)


@pytest.mark.parametrize("name", ["language-model(epochs=1)", "seqgan(steps=0)"])
def test_networks_add_documents_of_the_class(name):
    pytest.importorskip("torch", reason="torch is missing: pip install torch==2.13.0")
    resampled = get_method(name).resample(problem())
    assert resampled.y.sum() == 12
    assert resampled.counts.shape[0] == 24
    assert fit_method(name, problem()).classifier is not None


def test_networks_without_torch_name_the_command(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("imbtext.neural")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match="pip install torch"):
        get_method("language-model")


def test_a_prompted_model_comes_from_the_environment(monkeypatch, tmp_path):
    pytest.importorskip("openai")
    monkeypatch.delenv("IMBTEXT_PROMPT_MODEL", raising=False)
    with pytest.raises(ValueError, match="set the environment variable IMBTEXT_PROMPT_MODEL"):
        get_method("prompted")
    monkeypatch.setenv("IMBTEXT_PROMPT_MODEL", "a-model")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("IMBTEXT_PROMPT_CACHE", str(tmp_path / "answers.sqlite"))
    method = get_method("prompted(max_total_tokens=1000)")
    sampler = method.sampler
    assert sampler.model == OpenAIModel("a-model", base_url="http://127.0.0.1:9/v1")
    assert sampler.max_total_tokens == 1000


def test_a_prompted_function_is_a_method_like_any_other():
    register_method("my-writer", lambda: PromptedSampler(lambda m: '["oil is up"]'))
    try:
        resampled = get_method("my-writer").resample(problem())
    finally:
        unregister_method("my-writer")
    assert resampled.y.sum() == 12


def test_nothing_that_costs_minutes_or_money_runs_by_default():
    names = default_methods("f1")
    assert not {"language-model", "seqgan", "prompted"} & {name.split("(")[0] for name in names}
