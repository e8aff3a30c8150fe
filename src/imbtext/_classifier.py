"""The paper's classifier, constructed once."""

from sklearn.svm import LinearSVC


def default_classifier() -> LinearSVC:
    """Return the linear support vector machine of the paper, our default everywhere."""
    return LinearSVC(loss="hinge", C=1.0, tol=1e-3, max_iter=100_000)
