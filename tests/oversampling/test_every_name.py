"""What holds for every sampler in the table of names, whoever wrote it."""

import copy

import numpy as np
import pytest
from scipy import sparse

from imbtext.documents import Documents, encode_texts
from imbtext.methods import get_method, method_names
from imbtext.oversampling import Request
from imbtext.oversampling._names import SAMPLERS
from imbtext.testing import CHECKS

TEXTS = ["oil price up", "crude oil", "oil output up", "opec cuts oil", "oil up", "oil up again"]
TEXTS += ["rain today", "sun and rain", "snow", "sun and snow today"] * 4
# What a sampler needs that a test has not: PyTorch and minutes, a model on a server.
ELSEWHERE = {"language-model", "seqgan", "prompted"}
# EDA takes its synonyms from WordNet unless it is given some.
WRITTEN = {"eda": {"synonyms": {"oil": ["petroleum"]}}}
NAMES = [name for name in SAMPLERS if name not in ELSEWHERE]
OF_DOCUMENTS = [
    name
    for name in NAMES
    if SAMPLERS[name].is_ours and SAMPLERS[name].load().space in ("text", "ids")
]


def sampler(name):
    if name in WRITTEN:
        return SAMPLERS[name].load()(**WRITTEN[name])
    return get_method(name).sampler


def request(space):
    corpus = encode_texts(TEXTS)
    counts = corpus.counts()
    documents = {
        "text": Documents.of(TEXTS),
        "ids": corpus,
        "counts": counts,
        "tfidf": sparse.csr_array(counts / np.sqrt(counts.power(2).sum(axis=1))[:, None]),
    }
    return Request(documents[space], np.arange(6), n=9, seed=3, stream=1, label="oil")


def spelled(new):
    """Return what was drawn as plain values."""
    documents = new.documents
    if sparse.issparse(documents):
        documents = documents.toarray().tolist()
    elif hasattr(documents, "tokens"):
        documents = documents.tokens()
    return documents, new.parents.tolist()


@pytest.mark.filterwarnings("ignore::imbtext.oversampling.FallbackWarning")
@pytest.mark.parametrize("name", NAMES)
def test_drawing_changes_nothing_and_the_request_decides_about_everything(name):
    one = sampler(name)
    settings, asked = copy.deepcopy(one.__dict__), request(one.space)
    first, again = one.draw(asked), sampler(name).draw(request(one.space))
    assert spelled(first) == spelled(again) == spelled(one.draw(asked))
    assert len(first.parents) == 9
    assert set(first.parents.tolist()) <= {-1, *range(6)}
    assert repr(one.__dict__) == repr(settings)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", OF_DOCUMENTS)
def test_samplers_of_documents_pass_the_checks_of_any_sampler(name, check):
    check(sampler(name))


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_name_is_known_and_the_class_is_public(name):
    assert name in method_names()
    named = SAMPLERS[name]
    if named.is_ours and name not in ELSEWHERE:
        import imbtext

        assert getattr(imbtext, named.class_name) is named.load()
        assert named.title or named.load().title
