"""The compiled training against scikit-learn's LinearSVC on scaled copies of the documents."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from imbtext.datasets import load_docstrings
from imbtext.documents import Documents
from imbtext.features import TextFeatures
from imbtext.features._terms import Terms, idf_weights
from imbtext.rare._ranking import BLEND, SVM_C, class_factors, fit_rankings


@pytest.fixture(scope="module")
def seen():
    data = load_docstrings()
    texts = [*data.texts[::6], "", "…"]
    labels = np.array([*data.labels[::6], "none", "none"])
    features = TextFeatures()
    terms = features.learn(Documents.of(texts)).terms
    rows = np.flatnonzero(np.arange(len(texts)) % 4 > 0)
    frequencies = terms.frequencies(rows)
    return (
        terms.vectors(idf_weights(frequencies, len(rows), features.least)),
        rows,
        frequencies,
        labels,
    )


@pytest.mark.parametrize("blend", [1.0, 0.7])
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_are_those_of_linear_svc(seen, blend, weighted):
    vectors, rows, frequencies, labels = seen
    positive = labels == "scipy.stats"
    weights = np.linspace(0.5, 2, len(labels)) if weighted else None
    ranking = fit_rankings(
        vectors,
        rows,
        [np.flatnonzero(positive)],
        frequencies=frequencies,
        weights=weights,
        blend=blend,
        tolerance=1e-5,
    )
    inside = vectors.terms.frequencies(rows[positive[rows]])
    factors = class_factors(inside, frequencies - inside, vectors.weights > 0, blend)
    X = normalize(vectors.matrix() @ sparse.diags_array(factors)) if blend < 1 else (
        normalize(vectors.matrix())
    )  # fmt: skip
    X = sparse.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    svm = LinearSVC(C=SVM_C, tol=1e-7, max_iter=100_000).fit(
        X[rows], positive[rows], None if weights is None else weights[rows]
    )
    np.testing.assert_allclose(ranking.scores(vectors)[:, 0], svm.decision_function(X), atol=2e-4)


@pytest.mark.parametrize("n_classes", [1, 7])
@pytest.mark.parametrize("with_terms", [True, False])
def test_vectors_beside_terms_are_those_of_linear_svc(seen, n_classes, with_terms):
    """The dense block is appended once the terms have unit length, and is not scaled."""
    vectors, rows, frequencies, labels = seen
    if not with_terms:
        vectors = Terms.of_matrix(np.empty((len(labels), 0))).vectors(np.empty(0))
        frequencies = None
    rng = np.random.default_rng(0)
    names = ["scipy.stats", "numpy.linalg", *np.unique(labels)[:5]][:n_classes]
    dense = 0.3 * rng.normal(size=(len(labels), 9)) + 0.7 * (labels == "scipy.stats")[:, None]
    dense[rows[3]] = 0.0
    vectors = replace(vectors, dense=dense.astype(np.float32))
    members = [np.flatnonzero(labels == name) for name in names]
    rankings = fit_rankings(vectors, rows, members, frequencies=frequencies, tolerance=1e-5)
    positive = labels == "scipy.stats"
    X = dense
    if with_terms:
        inside = vectors.terms.frequencies(rows[positive[rows]])
        factors = class_factors(inside, frequencies - inside, vectors.weights > 0, BLEND)
        terms = replace(vectors, dense=dense[:, :0]).matrix()
        X = sparse.hstack([normalize(terms @ sparse.diags_array(factors)), dense]).tocsr()
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    svm = LinearSVC(C=SVM_C, tol=1e-7, max_iter=100_000).fit(X[rows], positive[rows])
    np.testing.assert_allclose(rankings.scores(vectors)[:, 0], svm.decision_function(X), atol=2e-4)
    some = np.array([0, 5, len(labels) - 1])
    for row, added in zip(some, rankings.contributions(vectors, some, 0), strict=True):
        total = sum(added.values()) + rankings.constants[0]
        assert total == pytest.approx(rankings.scores(vectors)[row, 0], abs=1e-5)


def test_contributions_sum_to_the_score(seen):
    vectors, rows, frequencies, labels = seen
    members = [np.flatnonzero(labels == name) for name in ("scipy.stats", "numpy.linalg")]
    rankings = fit_rankings(vectors, rows, members, frequencies=frequencies)
    scores = rankings.scores(vectors)[:, 1]
    rows = np.array([0, 7, len(labels) - 1])
    for row, added in zip(rows, rankings.contributions(vectors, rows, 1), strict=True):
        assert sum(added.values()) + rankings.constants[1] == pytest.approx(scores[row], abs=1e-5)


def test_training_does_not_look_at_other_rows(seen):
    vectors, rows, frequencies, labels = seen
    positive = labels == "scipy.stats"
    other = positive.copy()
    held_out = np.setdiff1d(np.arange(len(labels)), rows)
    other[held_out] = ~other[held_out]
    one = fit_rankings(vectors, rows, [np.flatnonzero(positive)], frequencies=frequencies)
    two = fit_rankings(vectors, rows, [np.flatnonzero(other)], frequencies=frequencies)
    np.testing.assert_array_equal(one.weights, two.weights)


@pytest.mark.parametrize("n_classes", [3, 7, 16])
def test_a_class_does_not_see_those_beside_it(seen, n_classes):
    """Four lanes or sixteen, alone or in company: the same bits."""
    vectors, rows, frequencies, labels = seen
    names, sizes = np.unique(labels, return_counts=True)
    names = names[np.argsort(-sizes, kind="stable")][:n_classes]
    members = [np.flatnonzero(labels == name) for name in names]
    together = fit_rankings(vectors, rows, members, frequencies=frequencies)
    for c in range(0, n_classes, 2):
        alone = fit_rankings(vectors, rows, members[c : c + 1], frequencies=frequencies)
        np.testing.assert_array_equal(together.weights[:, c], alone.weights[:, 0])
        assert together.constants[c] == alone.constants[0]
        np.testing.assert_array_equal(together.scores(vectors)[:, c], alone.scores(vectors)[:, 0])


def test_a_document_that_counts_nothing_teaches_nothing(seen):
    vectors, rows, _, labels = seen
    members = [np.flatnonzero(labels == "scipy.stats")]
    weights = np.ones(len(labels))
    weights[rows[::3]] = 0.0
    kept = np.setdiff1d(rows, rows[::3])
    one = fit_rankings(vectors, rows, members, frequencies=None, weights=weights, tolerance=1e-6)
    two = fit_rankings(vectors, kept, members, frequencies=None, tolerance=1e-6)
    np.testing.assert_allclose(one.scores(vectors), two.scores(vectors), atol=1e-4)
