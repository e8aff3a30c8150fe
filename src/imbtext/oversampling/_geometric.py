"""Geometric-SMOTE from the package imbalanced-learn-extra, adapted to vectors of text."""

from numbers import Integral, Real

import numpy as np
from imblearn.base import BaseSampler
from imblearn.over_sampling.base import BaseOverSampler
from numpy.typing import NDArray
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.utils._param_validation import Interval, StrOptions

from imbtext._extras import require
from imbtext._typing import Matrix, RandomState, SamplingStrategy
from imbtext.oversampling._base import ClassRequest
from imbtext.oversampling._vectors import NeighbourSampler

_LARGEST = 2**31


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
    The package works on dense arrays of all documents. It only looks at the documents of the class
    and at the nearest document outside the class of each, so it is given just those: the new
    vectors are the same, without the rest of the corpus in memory. The method makes them dense.

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

    _parameter_constraints = {
        **BaseOverSampler._parameter_constraints,
        "random_state": ["random_state"],
        "k_neighbors": [Interval(Integral, 1, None, closed="left")],
        "truncation_factor": [Interval(Real, -1, 1, closed="both")],
        "deformation_factor": [Interval(Real, 0, 1, closed="both")],
        "selection_strategy": [StrOptions({"combined", "minority", "majority"})],
    }

    def __init__(
        self,
        *,
        sampling_strategy: SamplingStrategy = "auto",
        random_state: RandomState = None,
        k_neighbors: int = 5,
        truncation_factor: float = 1.0,
        deformation_factor: float = 0.0,
        selection_strategy: str = "combined",
    ) -> None:
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state
        self.k_neighbors = k_neighbors
        self.truncation_factor = truncation_factor
        self.deformation_factor = deformation_factor
        self.selection_strategy = selection_strategy

    @property
    def _kind(self) -> type[BaseSampler]:
        kind: type[BaseSampler] = require("imblearn_extra.gsmote", extra="geometric").GeometricSMOTE
        return kind

    def _interpolated(
        self, sampler: BaseSampler, X: Matrix, y: NDArray[np.int64], request: ClassRequest
    ) -> Matrix:
        n_bytes = 8 * X.shape[1] * (request.n + 2 * len(request.rows))
        if n_bytes > _LARGEST:
            raise ValueError(
                f"Geometric-SMOTE's {request.n} dense vectors of {X.shape[1]} dimensions would "
                f"take {n_bytes / 2**30:.1f} GiB; put TruncatedSVD(100) before it, or use SMOTE"
            )
        rows = _class_and_nearest(X, y == 1)
        is_sparse, container = bool(sparse.issparse(X)), type(X)
        near = X[rows].toarray() if is_sparse else X[rows]
        new = super()._interpolated(sampler, near, y[rows], request)
        return container(new) if is_sparse else new


def _class_and_nearest(X: Matrix, is_class: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the rows of the class and the nearest row outside it of each, in order."""
    members, others = np.flatnonzero(is_class), np.flatnonzero(~is_class)
    if not len(others):
        return members
    nearest = NearestNeighbors(n_neighbors=1).fit(X[others]).kneighbors(X[members])[1].ravel()
    return np.union1d(members, others[nearest])
