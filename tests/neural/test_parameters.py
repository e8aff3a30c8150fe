"""The parameters of the networks, as scikit-learn and Dask see them."""

from dataclasses import is_dataclass
from inspect import signature

import pytest

pytest.importorskip("torch", reason="torch is missing: pip install torch==2.13.0")
import imbtext._estimator
from imbtext.documents import Corpus
from imbtext.neural import LanguageModelSampler, SeqGAN, padded


@pytest.mark.parametrize("estimator", [LanguageModelSampler, SeqGAN])
def test_an_estimator_is_no_dataclass_for_others(estimator):
    assert not is_dataclass(estimator)


def test_seqgan_has_the_parameters_of_the_language_model_and_more():
    assert set(signature(LanguageModelSampler).parameters) < set(signature(SeqGAN).parameters)


def test_padding_cuts_the_end_and_fills_with_zeros():
    corpus = Corpus.from_tokens([list("abcd"), [], ["d"], ["b", "a"]])
    assert padded(corpus, 3).tolist() == [[1, 2, 3], [0, 0, 0], [4, 0, 0], [2, 1, 0]]


@pytest.mark.parametrize("estimator", [LanguageModelSampler, SeqGAN])
def test_the_html_links_to_the_page_of_the_reference(monkeypatch, estimator):
    monkeypatch.setattr(imbtext._estimator, "documentation_site", lambda: "https://example.org")
    assert estimator()._get_doc_link().endswith(f"/imbtext.neural.{estimator.__name__}.html")
