"""The paper's classifier, and the form of vectors that it takes."""

import numpy as np
from scipy import sparse
from sklearn.svm import LinearSVC

from imbtext._typing import Matrix


def default_classifier() -> LinearSVC:
    """Return the linear support vector machine of the paper, our default everywhere."""
    return LinearSVC(loss="hinge", C=1.0, tol=1e-3, max_iter=100_000)


def for_liblinear(X: Matrix) -> sparse.csr_array:
    """Return sparse rows with indices of 32 bits, the only ones that liblinear takes."""
    rows = sparse.csr_array(X)
    rows.indices = rows.indices.astype(np.int32, copy=False)
    rows.indptr = rows.indptr.astype(np.int32, copy=False)
    return rows
