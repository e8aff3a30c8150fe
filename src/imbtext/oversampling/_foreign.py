"""Other packages' samplers, and what happens where a class is too small for them.

A name runs imbalanced-learn's own sampler (``smote``, ``adasyn``, ``borderline-smote``), and users
register theirs. SMOTE and its relatives interpolate between neighbours within the class, and a
class may have fewer documents than they want neighbours, or only one: 25 of 88 Reuters categories
have five documents or fewer. This module says once what happens then, with a `FallbackWarning`:
fewer neighbours, a copy of the only document, and SMOTE where a relative of it finds no document to
start from.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from imblearn import over_sampling
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from imbtext._messages import warn_user
from imbtext._typing import Record
from imbtext.documents._corpus import Corpus
from imbtext.documents._documents import Documents
from imbtext.oversampling._sampler import New, Request, Space, stacked
from imbtext.randomness import draw_estimator_seed, keyed_random_state

# Parameters with a number of neighbours in the class, and of neighbours in all documents.
_IN_CLASS: Final = ("k_neighbors", "n_neighbors")
_IN_ALL: Final = "m_neighbors"
# What ADASYN says where no document of the class, or no share of one, gives it a start.
_NO_START: Final = ("majority class", "No samples will be generated")


@dataclass(frozen=True, eq=False)
class Foreign:
    """A sampler with imbalanced-learn's ``fit_resample``, asked for one class at a time.

    Attributes
    ----------
    sampler : estimator
        The sampler. It is cloned, and gets the number of documents and the random state. It must
        return the originals first, in their order.
    space : {"text", "ids", "counts", "tfidf"}
        What its ``fit_resample`` takes: texts, token lists, word counts or tf-idf vectors.
    title : str
        What it is called in words.
    exact : bool
        Whether a sampler of neighbours returns exactly as many rows as asked for. ADASYN rounds
        the share of every document, so its own number is only near it. With True, rows too many
        are dropped at random, and rows too few are made by SMOTE.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [5.0, 5.0], [6.0, 5.0], [5.0, 6.0], [6.0, 6.0]])
    >>> smote = Foreign(over_sampling.SMOTE(k_neighbors=1), "tfidf")
    >>> smote.draw(Request(X, np.array([0, 1]), n=3, seed=0)).documents.shape
    (3, 2)
    """

    sampler: BaseEstimator
    space: Space
    title: str = ""
    exact: bool = True

    def __repr__(self) -> str:
        return f"Foreign({self.sampler!r}, {self.space!r}, exact={self.exact})"

    def draw(self, request: Request) -> New:
        """Return the new rows of the class."""
        if not request.n:
            return New(np.empty(0, dtype=np.int64))
        name, parameters = type(self.sampler).__name__, self.sampler.get_params(deep=False)
        in_class = next((p for p in _IN_CLASS if p in parameters), None)
        if self.space in ("text", "ids") or in_class is None:
            return self._resampled(self._asked(request), request)
        m = len(request.rows)
        if m == 1:
            warn_user(
                f"{name} needs two documents of a class, but {request.class_name} has one; it is "
                "oversampled at random instead"
            )
            return New(np.repeat(request.rows, request.n))
        sampler = self._asked(request)
        _limit(sampler, in_class, m - 1, f"{request.class_name} has {m} documents")
        others = request.documents.shape[0] - 1
        _limit(sampler, _IN_ALL, others, f"there are {others} other documents")
        return self._of_neighbours(sampler, request, in_class)

    def _asked(self, request: Request) -> BaseEstimator:
        """Return a copy of the sampler that is asked for the documents of the request."""
        sampler = clone(self.sampler)
        asked: Record = {"sampling_strategy": {1: len(request.rows) + request.n}}
        if "random_state" in sampler.get_params(deep=False):
            state = keyed_random_state(request.seed, request.stream)
            asked["random_state"] = draw_estimator_seed(state)
        try:
            sampler.set_params(**asked)
        except ValueError as error:
            raise TypeError(
                f"{type(sampler).__name__} cannot be told how many documents to make; give it the "
                "parameter sampling_strategy"
            ) from error
        return sampler

    def _of_neighbours(self, sampler: BaseEstimator, request: Request, in_class: str) -> New:
        """Return the new rows of SMOTE or one of its relatives, with SMOTE as the fallback."""
        smote = over_sampling.SMOTE(
            k_neighbors=getattr(sampler, in_class), random_state=sampler.random_state
        )
        try:
            new = self._resampled(sampler, request)
        except (RuntimeError, ValueError) as error:
            if not any(reason in str(error) for reason in _NO_START):
                raise
            new = New(np.empty(0, dtype=np.int64))
        n, n_made = request.n, len(new.parents)
        if not n_made:
            warn_user(
                f"{type(sampler).__name__} finds no document of {request.class_name} from which to "
                f"make {n} new ones; SMOTE is used instead"
            )
            return self._resampled(_sized(smote, request, n), request)
        if n_made == n or not self.exact:
            return new
        if n_made < n:
            more = self._resampled(_sized(smote, request, n - n_made), request)
            parents = np.concatenate([new.parents, more.parents])
            return New(parents, stacked([new.documents, more.documents]))
        rng = np.random.default_rng(sampler.random_state)
        kept = np.sort(rng.choice(n_made, size=n, replace=False))
        return New(new.parents[kept], new.documents[kept])

    def _resampled(self, sampler: BaseEstimator, request: Request) -> New:
        X = _as_taken(request.documents)
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        is_class = np.isin(np.arange(n), request.rows).astype(np.int64)
        resampled, y = sampler.fit_resample(X, is_class)
        y = np.asarray(y)
        if not (np.array_equal(y[:n], is_class) and np.all(y[n:] == 1)):
            raise ValueError(
                f"{type(sampler).__name__} must return all documents in their order, followed by "
                "new ones of the class, and did not; use a sampler that only adds documents"
            )
        parents: NDArray[np.int64] = np.full(len(y) - n, -1)
        if hasattr(sampler, "sample_indices_"):
            parents = np.asarray(sampler.sample_indices_)[n:]
        return New(parents, resampled[n:])


def _as_taken(documents: Any) -> Any:
    """Return documents as other packages' samplers take them."""
    if isinstance(documents, Documents):
        return documents.to_list()
    return documents.tokens() if isinstance(documents, Corpus) else documents


def _limit(sampler: BaseEstimator, parameter: str, most: int, reason: str) -> None:
    """Lower a number of neighbours to what there is."""
    asked = sampler.get_params(deep=False).get(parameter)
    if isinstance(asked, int | np.integer) and asked > most:
        warn_user(
            f"{type(sampler).__name__} asks for {asked} neighbours, but {reason}; it uses {most}"
        )
        sampler.set_params(**{parameter: most})


def _sized(smote: BaseEstimator, request: Request, n: int) -> BaseEstimator:
    return clone(smote).set_params(sampling_strategy={1: len(request.rows) + n})
