"""Geometric-SMOTE, of the package imbalanced-learn-extra, for text's many dimensions."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from imblearn.over_sampling.base import BaseOverSampler
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.utils._param_validation import Interval, StrOptions

from imbtext._extras import require
from imbtext.oversampling._base import ClassRequest
from imbtext.oversampling._parameters import parameters
from imbtext.oversampling._vectors import NeighbourSampler

_LARGEST = 2**31


@parameters(kw_only=True)
class GeometricSMOTE(NeighbourSampler, BaseOverSampler):
    """Geometric-SMOTE, for classes of any size.

    A new vector is drawn from a geometric region around a document of the class, a ball by
    default, instead of from the line to a neighbour. It needs the extra ``geometric``. Tiny
    classes are treated as by :class:`SMOTE`.

    Parameters
    ----------
    sampling_strategy, random_state
        As in imbalanced-learn.
    k_neighbors : int, default=5
        Neighbours within the class among which the one that sets the radius is drawn.
    truncation_factor : float, default=1.0
        From -1 to 1: how much of the ball is cut off, and on which side.
    deformation_factor : float, default=0.0
        From 0, a ball, to 1, a line.
    selection_strategy : {"combined", "minority", "majority"}, default="combined"
        Where the radius comes from: a neighbour in the class, the nearest one outside it, or the
        nearer of the two.

    Attributes
    ----------
    sample_indices_ : ndarray of int64
        Originals point to themselves, copies to their original, new vectors are -1.
    is_synthetic_, n_generated_
        As for every sampler here.

    Notes
    -----
    The package works on dense arrays of all documents. Here it is given the documents of the class
    and the nearest one outside it of each, which are all it looks at: the same vectors, without
    the rest of the corpus in memory. The new vectors are dense by the nature of the method.

    References
    ----------
    Douzas, G. and Bacao, F. (2019). Geometric SMOTE: a geometrically enhanced drop-in replacement
    for SMOTE. Information Sciences 501.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0], [5.0, 6.0], [6.0, 6.0]])
    >>> y = np.array([1, 1, 0, 0, 0, 0])
    >>> GeometricSMOTE(k_neighbors=1, random_state=0).fit_resample(X, y)[1].tolist()
    [1, 1, 0, 0, 0, 0, 1, 1]
    """

    sampling_strategy: Any = "auto"
    random_state: Any = None
    k_neighbors: int = 5
    truncation_factor: float = 1.0
    deformation_factor: float = 0.0
    selection_strategy: str = "combined"

    _parameter_constraints = {
        **BaseOverSampler._parameter_constraints,
        "random_state": ["random_state"],
        "k_neighbors": [Interval(Integral, 1, None, closed="left")],
        "truncation_factor": [Interval(Real, -1, 1, closed="both")],
        "deformation_factor": [Interval(Real, 0, 1, closed="both")],
        "selection_strategy": [StrOptions({"combined", "minority", "majority"})],
    }

    @property
    def _kind(self) -> Any:
        return require("imblearn_extra.gsmote", extra="geometric").GeometricSMOTE

    def _interpolated(
        self, sampler: Any, X: Any, y: NDArray[np.int64], wanted: ClassRequest
    ) -> Any:
        n_bytes = 8 * X.shape[1] * (wanted.n + 2 * len(wanted.rows))
        if n_bytes > _LARGEST:
            raise ValueError(
                f"Geometric-SMOTE's {wanted.n} dense vectors of {X.shape[1]} dimensions would take "
                f"{n_bytes / 2**30:.1f} GiB; put TruncatedSVD(100) before it, or use SMOTE"
            )
        rows = _within_sight(X, y == 1)
        is_sparse, container = bool(sparse.issparse(X)), type(X)
        near = X[rows].toarray() if is_sparse else X[rows]
        made = super()._interpolated(sampler, near, y[rows], wanted)
        return container(made) if is_sparse else made


def _within_sight(X: Any, is_class: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the rows of the class and the nearest row outside it of each, in order."""
    own, others = np.flatnonzero(is_class), np.flatnonzero(~is_class)
    if not len(others):
        return own
    nearest = NearestNeighbors(n_neighbors=1).fit(X[others]).kneighbors(X[own])[1].ravel()
    return np.union1d(own, others[nearest])
