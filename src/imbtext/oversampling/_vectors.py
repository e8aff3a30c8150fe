"""imbalanced-learn's samplers on vectors, with the paper's fallbacks for tiny classes.

Random oversampling needs no fallback: use ``imblearn.over_sampling.RandomOverSampler``. SMOTE and
its relatives interpolate between neighbours within the class, and a class may have fewer documents
than they want neighbours, or only one. This module says, once, what happens then. Each fallback
gives a `FallbackWarning` that names it.
"""

from abc import abstractmethod

import numpy as np
from imblearn import over_sampling
from imblearn.base import BaseSampler
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from imbtext._estimator import DocumentedEstimatorMixin
from imbtext._messages import warn_user
from imbtext._typing import Array, Label, LabelsLike, Matrix, RandomState, SamplingStrategy
from imbtext.oversampling._base import (
    ClassByClass,
    ClassRequest,
    Synthetic,
    missing_by_label,
    refuse_text,
)
from imbtext.randomness import draw_estimator_seed, keyed_random_state


class VectorSampler(ClassByClass, DocumentedEstimatorMixin):
    """What samplers of vectors share, with imbalanced-learn's base behind it."""

    _reads = "vectors: put it behind TfidfVectorizer"

    def _check_X_y(  # noqa: N802
        self, X: Matrix, y: LabelsLike, accept_sparse: object = None
    ) -> tuple[Matrix, Array, bool]:
        refuse_text(X, f"{type(self).__name__} works on {self._reads}")
        checked: tuple[Matrix, Array, bool] = super()._check_X_y(  # type: ignore[misc]
            X, y, accept_sparse
        )
        self._missing_by_label(*checked[:2])  # before imbalanced-learn, whose errors name no class
        return checked

    def _fit_resample(self, X: Matrix, y: Array) -> tuple[Matrix, Array]:
        self.sampling_strategy_ = self._missing_by_label(X, y)
        blocks, labels = [X], [y]
        for request, synthetic in self._generate_all(X, y):
            blocks.append(synthetic.documents)
            labels.append(np.full(len(synthetic.parents), request.label, dtype=y.dtype))
        return _stacked(blocks), np.concatenate(labels)

    def _missing_by_label(self, X: Matrix, y: Array) -> dict[Label, int]:
        vector_bytes = 0 if sparse.issparse(X) else X.shape[1] * X.itemsize
        return missing_by_label(self.sampling_strategy, y, vector_bytes)


class NeighbourSampler(VectorSampler):
    """Run another package's sampler of neighbours on one class at a time, with fallbacks.

    The samplers this is mixed into treat classes independently of one another, so one call per
    class gives what one call for all would.
    """

    _neighbours = "k_neighbors"

    @property
    @abstractmethod
    def _kind(self) -> type[BaseSampler]:
        """The other package's sampler."""

    def _generate(self, request: ClassRequest) -> Synthetic:
        X: Matrix = request.documents
        m, name, kind = len(request.rows), type(self).__name__, self._kind
        if m == 1:
            warn_user(
                f"{name} needs two documents of a class, but {request.class_name} has one; it is "
                "oversampled at random instead"
            )
            parents = np.repeat(request.rows, request.n)
            return Synthetic(X[parents], parents)
        sampler_seed = draw_estimator_seed(keyed_random_state(request.seed, request.stream))
        parameters = {
            name: clone(getattr(self, name), safe=False)
            for name in kind._get_param_names()
            if hasattr(self, name) and name not in ("sampling_strategy", "random_state")
        }
        sampler = kind(
            sampling_strategy={1: m + request.n}, random_state=sampler_seed, **parameters
        )
        neighbours = getattr(self, self._neighbours)
        if isinstance(neighbours, int | np.integer) and neighbours > m - 1:
            warn_user(
                f"{name} asks for {neighbours} neighbours, but {request.class_name} has "
                f"{m} documents; it uses {m - 1}"
            )
            sampler.set_params(**{self._neighbours: m - 1})
        y = np.isin(np.arange(X.shape[0]), request.rows).astype(np.int64)
        new = self._interpolated(sampler, X, y, request)
        return Synthetic(new, np.full(new.shape[0], -1))

    def _interpolated(
        self,
        sampler: BaseSampler,
        X: Matrix,
        y: NDArray[np.int64],
        request: ClassRequest,  # noqa: ARG002
    ) -> Matrix:
        """Return the sampler's new rows of class 1; subclasses handle a sampler that has none."""
        return sampler.fit_resample(X, y)[0][X.shape[0] :]

    def _smote_rows(
        self, sampler: BaseSampler, X: Matrix, y: NDArray[np.int64], n: int, reason: str = ""
    ) -> Matrix:
        """Return new rows of SMOTE instead, with the same neighbours and seed."""
        if reason:
            warn_user(f"{reason}; SMOTE is used instead")
        smote = over_sampling.SMOTE(
            sampling_strategy={1: int(y.sum()) + n},
            k_neighbors=getattr(sampler, self._neighbours),
            random_state=sampler.random_state,
        )
        return smote.fit_resample(X, y)[0][X.shape[0] :]


class SMOTE(NeighbourSampler, over_sampling.SMOTE):
    """imbalanced-learn's SMOTE, for classes of any size.

    A class of m documents with m - 1 below `k_neighbors` is given m - 1 neighbours; a class of one
    document is oversampled at random. Both give a `FallbackWarning`. Parameters are those of
    ``imblearn.over_sampling.SMOTE``.

    Attributes
    ----------
    sample_indices_ : ndarray of int64
        Originals point to themselves, copies to their original, interpolations are -1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0], [5.0, 6.0], [6.0, 6.0]])
    >>> y = np.array([1, 1, 0, 0, 0, 0])
    >>> X_resampled, y_resampled = SMOTE(k_neighbors=1, random_state=0).fit_resample(X, y)
    >>> y_resampled.tolist()
    [1, 1, 0, 0, 0, 0, 1, 1]
    """

    _kind = over_sampling.SMOTE


class BorderlineSMOTE(NeighbourSampler, over_sampling.BorderlineSMOTE):
    """imbalanced-learn's Borderline-SMOTE, for classes of any size.

    Tiny classes are treated as by `SMOTE`. Where no document of the class lies at the border, there
    is nothing for the method to start from, and SMOTE is used. Each gives a `FallbackWarning`.
    Parameters are those of ``imblearn.over_sampling.BorderlineSMOTE``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [0.2, 1.0], [0.1, 0.8], [0.5, 0.6], [0.6, 0.5], [0.0, 0.0]])
    >>> y = np.array([1, 1, 0, 0, 0, 0])
    >>> sampler = BorderlineSMOTE(k_neighbors=1, m_neighbors=3, random_state=0)
    >>> sampler.fit_resample(X, y)[1].tolist()
    [1, 1, 0, 0, 0, 0, 1, 1]
    """

    _kind = over_sampling.BorderlineSMOTE

    def _interpolated(
        self, sampler: BaseSampler, X: Matrix, y: NDArray[np.int64], request: ClassRequest
    ) -> Matrix:
        others = len(y) - 1
        if isinstance(sampler.m_neighbors, int | np.integer) and sampler.m_neighbors > others:
            warn_user(
                f"BorderlineSMOTE looks at {sampler.m_neighbors} neighbours to find the border, "
                f"but there are {others} other documents; it looks at {others}"
            )
            sampler.set_params(m_neighbors=others)
        new = super()._interpolated(sampler, X, y, request)
        if new.shape[0] == request.n:
            return new
        reason = f"BorderlineSMOTE finds no document of {request.class_name} at the border"
        return self._smote_rows(sampler, X, y, request.n, reason)


class ADASYN(NeighbourSampler, over_sampling.ADASYN):
    """imbalanced-learn's ADASYN, for classes of any size and with exact counts.

    Tiny classes are treated as by `SMOTE`. Where no document of the class has a neighbour outside
    it, or where ADASYN rounds every document's share down to nothing, SMOTE is used. Each gives a
    `FallbackWarning`.

    ADASYN rounds the share of every document, so its total is only near the one asked for. With
    `exact`, rows too many are dropped at random and rows too few are made by SMOTE.

    Parameters
    ----------
    exact : bool, default=True
        Whether to return exactly as many rows as asked for; False leaves ADASYN's own number,
        as in the paper.
    sampling_strategy, random_state, n_neighbors
        As in ``imblearn.over_sampling.ADASYN``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.4], [0.5, 0.6], [0.6, 0.5], [0.0, 0.0]])
    >>> y = np.array([1, 1, 0, 0, 0, 0])
    >>> ADASYN(n_neighbors=1, random_state=0).fit_resample(X, y)[1].tolist()
    [1, 1, 0, 0, 0, 0, 1, 1]
    """

    _kind = over_sampling.ADASYN
    _neighbours = "n_neighbors"
    _parameter_constraints = {
        **over_sampling.ADASYN._parameter_constraints,
        "exact": ["boolean"],
    }

    def __init__(
        self,
        *,
        sampling_strategy: SamplingStrategy = "auto",
        random_state: RandomState = None,
        n_neighbors: int | BaseEstimator = 5,
        exact: bool = True,
    ) -> None:
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state
        self.n_neighbors = n_neighbors
        self.exact = exact

    def _interpolated(
        self, sampler: BaseSampler, X: Matrix, y: NDArray[np.int64], request: ClassRequest
    ) -> Matrix:
        n = request.n
        try:
            new = super()._interpolated(sampler, X, y, request)
        except (RuntimeError, ValueError) as error:
            if "majority" in str(error):
                reason = f"ADASYN finds no neighbour of {request.class_name} outside it"
            elif "No samples will be generated" in str(error):
                reason = f"ADASYN's shares of {n} rows of {request.class_name} all round to 0"
            else:
                raise
            return self._smote_rows(sampler, X, y, n, reason)
        missing = n - new.shape[0]
        if not self.exact or missing == 0:
            return new
        if missing > 0:
            return _stacked([new, self._smote_rows(sampler, X, y, missing)])
        rng = np.random.default_rng(sampler.random_state)
        return new[np.sort(rng.choice(new.shape[0], size=n, replace=False))]


def _stacked(blocks: list[Matrix]) -> Matrix:
    kind = type(blocks[0])
    return kind(sparse.vstack(blocks)) if sparse.issparse(blocks[0]) else np.vstack(blocks)
