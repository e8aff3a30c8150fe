"""Geometric-SMOTE: the package's own vectors, with little of the corpus in memory."""

import sys

import numpy as np
import pytest
from scipy import sparse

from imbtext import FallbackWarning, GeometricSMOTE
from imbtext._extras import MissingExtraError
from imbtext.randomness import draw_estimator_seed, draw_seed, keyed_random_state

gsmote = pytest.importorskip(
    "imblearn_extra.gsmote",
    reason="imbalanced-learn-extra is not installed (pip install 'imbalanced-text[geometric]')",
)


def data(n=60, m=9, seed=0):
    source = np.random.default_rng(seed)
    X = source.random((n, 12)) * (source.random((n, 12)) < 0.4)
    return X, np.arange(n) < m


@pytest.mark.parametrize("strategy", ["combined", "minority", "majority"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_the_vectors_are_those_of_the_package_on_all_documents(strategy, kind):
    X, y = data()
    ours = GeometricSMOTE(selection_strategy=strategy, random_state=3)
    found, y_found = ours.fit_resample(kind(X), y)
    assert type(found) is type(kind(X))
    made = found[len(X) :].toarray() if sparse.issparse(found) else found[len(X) :]
    seed = draw_estimator_seed(keyed_random_state(draw_seed(3), 1))
    theirs = gsmote.GeometricSMOTE(selection_strategy=strategy, random_state=seed)
    np.testing.assert_allclose(made, theirs.fit_resample(X, y)[0][len(X) :])
    assert y_found.sum() == (~y).sum()
    assert ours.n_generated_ == {True: 42}
    assert (ours.sample_indices_[len(X) :] == -1).all()


def test_tiny_classes_fall_back_with_a_warning():
    X, y = data(m=3)
    with pytest.warns(FallbackWarning, match="it uses 2"):
        GeometricSMOTE(random_state=0).fit_resample(X, y)
    X, y = data(m=1)
    with pytest.warns(FallbackWarning, match="at random instead"):
        found, _ = GeometricSMOTE(random_state=0).fit_resample(X, y)
    assert (found[len(X) :] == X[0]).all()


def test_vectors_that_would_fill_the_memory_are_refused():
    X = sparse.csr_array((np.ones(60), (np.arange(60), np.arange(60))), shape=(60, 10**7))
    with pytest.raises(ValueError, match=r"GiB; put TruncatedSVD\(100\) before it"):
        GeometricSMOTE().fit_resample(X, np.arange(60) < 9)


class Absent:
    """Finds nothing where imbalanced-learn-extra would be."""

    def find_spec(self, name, path=None, target=None):
        if name.startswith("imblearn_extra"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_without_the_package_the_error_names_the_command(monkeypatch):
    X, y = data()
    for name in [name for name in sys.modules if name.startswith("imblearn_extra")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Absent(), *sys.meta_path])
    with pytest.raises(MissingExtraError, match="pip install imbalanced-learn-extra"):
        GeometricSMOTE().fit_resample(X, y)


def test_text_is_refused():
    with pytest.raises(TypeError, match="GeometricSMOTE works on vectors"):
        GeometricSMOTE().fit_resample(["oil", "gold"], [0, 1])
