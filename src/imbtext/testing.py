"""Checks for any sampler of documents, ours or yours.

In a test module::

    from imbtext.testing import parametrize_with_checks

    @parametrize_with_checks([MySampler(), MySampler(strength=2)])
    def test_my_sampler(sampler, check):
        check(sampler)

Or run all at once: ``check_text_sampler(MySampler())``. A check that fails says what it found.
"""

import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pyarrow as pa
from imblearn.pipeline import Pipeline
from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from imbtext._typing import Column
from imbtext.documents._corpus import Corpus
from imbtext.documents._documents import Documents
from imbtext.oversampling._sampler import Request
from imbtext.oversampling._strategy import minority_share

if TYPE_CHECKING:
    import pytest

__all__ = ["check_text_sampler", "parametrize_with_checks"]

Check = Callable[[BaseEstimator], None]

_TEXTS = [
    "crude oil price up in early trade",
    "crude oil output falls again",
    "oil price falls as output rises",
    "gold price up on weak dollar",
    "bank cuts prime rate again",
    "dollar falls against yen in late trade",
    "bank rate up as dollar rises",
    "firm says quarterly profit rises",
    "firm to buy bank for cash",
    "profit falls as rate rises",
]
_LABELS = ["oil"] * 3 + ["gold"] + ["money"] * 6


def check_parameters(sampler: BaseEstimator) -> None:
    """Parameters survive get_params, set_params and clone, and `__init__` only stores them."""
    parameters = sampler.get_params()
    assert {"sampling_strategy", "random_state"} <= set(parameters), (
        f"parameters are {sorted(parameters)}; sampling_strategy and random_state are expected"
    )
    copy = clone(sampler)
    for name, value in copy.get_params().items():
        assert type(value) is type(parameters[name]), f"clone changed parameter {name!r}"
    fitted = [name for name in vars(copy) if name.endswith("_") and not name.startswith("_")]
    assert not fitted, f"an unfitted sampler has fitted attributes: {fitted}"
    copy.set_params(random_state=3)
    assert copy.get_params()["random_state"] == 3, "set_params did not set random_state"


def check_exact_counts(sampler: BaseEstimator) -> None:
    """Every form of `sampling_strategy` gives exactly the counts it asks for."""
    for strategy, expected in (
        ("auto", {"oil": 6, "gold": 6, "money": 6}),
        ("minority", {"oil": 3, "gold": 6, "money": 6}),
        ({"oil": 9, "gold": 2}, {"oil": 9, "gold": 2, "money": 6}),
        ({"oil": 3}, {"oil": 3, "gold": 1, "money": 6}),
        (minority_share(0.25), {"oil": 3, "gold": 3, "money": 6}),
    ):
        chosen = clone(sampler).set_params(sampling_strategy=strategy, random_state=0)
        X, y = chosen.fit_resample(_TEXTS, _LABELS)
        sizes = dict(Counter(y))
        assert sizes == expected, f"{strategy!r} gave {sizes}, expected {expected}"
        assert len(X) == len(y), f"{strategy!r} gave {len(X)} documents and {len(y)} labels"
        for label, n in chosen.n_generated_.items():
            added = expected[label] - _LABELS.count(label)
            assert n == added, f"n_generated_[{label!r}] is {n}, but {added} were added"
    half = clone(sampler).set_params(sampling_strategy=0.5, random_state=0)
    _, y = half.fit_resample(_TEXTS[:2] + _TEXTS[4:], ["oil"] * 2 + ["money"] * 6)
    assert dict(Counter(y)) == {"oil": 3, "money": 6}, "a float is minority over majority"


def check_originals_and_provenance(sampler: BaseEstimator) -> None:
    """Originals come first, untouched; every row says where it comes from."""
    texts, labels = list(_TEXTS), list(_LABELS)
    chosen = clone(sampler).set_params(sampling_strategy="auto", random_state=0)
    X, y = chosen.fit_resample(texts, labels)
    assert texts == _TEXTS, "the documents passed in were changed"
    assert labels == _LABELS, "the labels passed in were changed"
    assert X[:10] == _TEXTS, "the originals do not come first, in order"
    assert y[:10] == _LABELS, "the labels of the originals do not come first, in order"
    assert all(isinstance(text, str) for text in X), "strings in, but not only strings out"
    is_synthetic, parents = chosen.is_synthetic_, chosen.sample_indices_
    assert is_synthetic.dtype == bool, "is_synthetic_ is not boolean"
    assert is_synthetic.tolist() == [False] * 10 + [True] * (len(X) - 10), (
        f"is_synthetic_ is {is_synthetic.tolist()}, expected False for the 10 originals alone"
    )
    assert parents[:10].tolist() == list(range(10)), "sample_indices_ of originals is their row"
    for row, parent in enumerate(parents.tolist()):
        assert -1 <= parent < 10, f"sample_indices_[{row}] is {parent}, not a row"
        assert parent < 0 or labels[parent] == y[row], (
            f"row {row} of class {y[row]!r} was derived from a document of {labels[parent]!r}"
        )


def check_token_lists(sampler: BaseEstimator) -> None:
    """Token lists in, token lists out."""
    documents = [text.split() for text in _TEXTS]
    X, _ = clone(sampler).set_params(random_state=0).fit_resample(documents, _LABELS)
    assert X[:10] == documents, "the originals do not come first, in order"
    for document in X:
        assert isinstance(document, list), f"token lists in, but {type(document).__name__} out"
        assert all(isinstance(word, str) for word in document), "a token is not a string"


def check_containers(sampler: BaseEstimator) -> None:
    """What comes back is of the kind that went in."""
    reference, labels = clone(sampler).set_params(random_state=0).fit_resample(_TEXTS, _LABELS)
    for X, y in _containers():
        out, y_out = clone(sampler).set_params(random_state=0).fit_resample(X, y)
        for before, after in ((X, out), (y, y_out)):
            assert type(after) is type(before), (
                f"{type(before).__name__} in, but {type(after).__name__} out"
            )
            kind, kind_out = (
                getattr(a, "dtype", getattr(a, "type", None)) for a in (before, after)
            )
            if not isinstance(before, np.ndarray):  # fixed-width strings get wider
                assert kind == kind_out, f"dtype {kind} in, but {kind_out} out"
            assert getattr(before, "name", None) == getattr(after, "name", None), (
                "the name was lost"
            )
        assert _listed(out) == list(reference), (
            f"{type(X).__name__} gives other documents than list"
        )
        assert _listed(y_out) == list(labels), f"{type(y).__name__} gives other labels than a list"


def _containers() -> Iterator[tuple[Column, Column]]:
    yield tuple(_TEXTS), tuple(_LABELS)
    yield np.array(_TEXTS), np.array(_LABELS)
    yield np.array(_TEXTS, dtype=object), np.array(_LABELS, dtype=object)
    if find_spec("pandas"):
        import pandas as pd

        index = list(range(100, 110))
        yield pd.Series(_TEXTS, name="t", index=index), pd.Series(_LABELS, name="l", index=index)
        for dtype in ("string", "string[pyarrow]"):
            yield pd.Series(_TEXTS, dtype=dtype), pd.Series(_LABELS, dtype="category")
    yield pl.Series("t", _TEXTS), pl.Series("l", _LABELS)
    yield pa.array(_TEXTS), pa.array(_LABELS)
    yield pa.chunked_array([_TEXTS]), pa.chunked_array([_LABELS])


def _listed(values: Column) -> list[object]:
    return [getattr(value, "as_py", lambda v=value: v)() for value in values]


def check_random_state(sampler: BaseEstimator) -> None:
    """The same seed gives the same documents, every time, for any number of jobs."""
    jobs = [1, 2] if "n_jobs" in sampler.get_params() else [None]
    outputs = []
    for n_jobs in [*jobs, jobs[0]]:
        chosen = clone(sampler).set_params(random_state=42)
        if n_jobs is not None:
            chosen.set_params(n_jobs=n_jobs)
        outputs.append(chosen.fit_resample(_TEXTS, _LABELS)[0])
    assert all(output == outputs[0] for output in outputs), "one seed gave different documents"
    before = np.random.get_state(legacy=True)  # noqa: NPY002
    clone(sampler).set_params(random_state=0).fit_resample(_TEXTS, _LABELS)
    after = np.random.get_state(legacy=True)  # noqa: NPY002
    assert str(before) == str(after), "the global random state of NumPy was used"


def check_draw(sampler: BaseEstimator) -> None:
    """`draw` changes nothing, and the request alone decides about the documents."""
    if not hasattr(sampler, "draw"):  # another package's sampler
        return
    documents = Documents.of(_TEXTS)
    in_space = documents if sampler.space == "text" else documents.corpus()
    drawing = clone(sampler).set_params(random_state=0)
    settings = repr(vars(drawing))
    answers = []
    for state in (0, 1):
        asked = Request(in_space, np.array([0, 1, 2]), n=4, seed=7, stream=1, label="oil")
        new = drawing.set_params(random_state=state).draw(asked)
        drawn = new.documents.tokens() if isinstance(new.documents, Corpus) else new.documents
        answers.append((drawn, new.parents.tolist()))
    assert answers[0] == answers[1], "the same request gave different documents"
    assert set(answers[0][1]) <= {-1, 0, 1, 2}, (
        f"the parents are {answers[0][1]}, and the class has the rows 0, 1 and 2"
    )
    drawing.set_params(random_state=0)
    assert repr(vars(drawing)) == settings, "draw changed the sampler; keep what is learnt in fit"


def check_odd_documents(sampler: BaseEstimator) -> None:
    """Empty and one-word documents, duplicates and a class of one document work."""
    texts = ["oil up again", "", "   ", "oil", "oil up again", "gold", *_TEXTS[4:], "", "?!"]
    labels = ["oil"] * 5 + ["gold"] + ["money"] * 8
    X, y = clone(sampler).set_params(random_state=0).fit_resample(texts, labels)
    assert X[: len(texts)] == texts, "the originals do not come first, in order"
    sizes = dict(Counter(y))
    assert sizes == {"oil": 8, "gold": 8, "money": 8}, f"the classes are not balanced: {sizes}"


def check_pipeline(sampler: BaseEstimator) -> None:
    """The sampler works in front of a vectorizer and a classifier, and can be pickled."""
    model = Pipeline(
        [
            ("sampler", clone(sampler).set_params(random_state=0)),
            ("tfidf", TfidfVectorizer()),
            ("svm", LinearSVC()),
        ]
    )
    predicted = model.fit(_TEXTS, _LABELS).predict(_TEXTS)
    assert len(predicted) == len(_TEXTS), "resampling must not happen at prediction"
    again = pickle.loads(pickle.dumps(model)).predict(_TEXTS)
    assert again.tolist() == predicted.tolist(), "a pickled pipeline predicts something else"


def check_bad_input(sampler: BaseEstimator) -> None:
    """Bad input is refused with ValueError or TypeError."""
    texts, labels = _TEXTS, _LABELS
    for mistake, X, y, strategy in (
        ("a missing document", [None, *texts[1:]], labels, "auto"),
        ("NaN", [float("nan"), *texts[1:]], labels, "auto"),
        ("a number", [1, *texts[1:]], labels, "auto"),
        ("bytes", [b"oil", *texts[1:]], labels, "auto"),
        ("a string instead of a list", "oil", labels, "auto"),
        ("labels of another length", texts, labels[:-1], "auto"),
        ("a single class", texts, ["oil"] * 10, "auto"),
        ("a missing label", texts, [None, *labels[1:]], "auto"),
        ("an unknown class", texts, labels, {"silver": 5}),
        ("fewer documents than there are", texts, labels, {"money": 2}),
    ):
        chosen = clone(sampler).set_params(sampling_strategy=strategy)
        try:
            chosen.fit_resample(X, y)
        except (ValueError, TypeError):
            continue
        raise AssertionError(f"{mistake} was not refused")


CHECKS: tuple[Check, ...] = (
    check_parameters,
    check_exact_counts,
    check_originals_and_provenance,
    check_token_lists,
    check_containers,
    check_random_state,
    check_draw,
    check_odd_documents,
    check_pipeline,
    check_bad_input,
)


def check_text_sampler(sampler: BaseEstimator) -> None:
    """Run a sampler of documents through every check.

    Parameters
    ----------
    sampler : object
        An instance; the checks clone it and do not change it.

    Examples
    --------
    >>> from imbtext import EMCO
    >>> check_text_sampler(EMCO(gamma=0.1))
    """
    for check in CHECKS:
        check(sampler)


def parametrize_with_checks(samplers: Iterable[BaseEstimator]) -> "pytest.MarkDecorator":
    """Return a pytest decorator that runs a test once for each sampler and check."""
    import pytest

    # Addresses differ from process to process, and workers must agree on the names of tests.
    cases = [
        pytest.param(
            sampler, check, id=re.sub(" at 0x[0-9a-f]+", "", f"{sampler!r}-{check.__name__}")
        )
        for sampler in samplers
        for check in CHECKS
    ]
    return pytest.mark.parametrize(("sampler", "check"), cases)
