"""The parameters of an estimator, written once: as the annotated names of its class."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, dataclass_transform

Estimator = TypeVar("Estimator", bound=type)

_SEEN: Final = "__dataclass_fields__"
_HIDDEN: Final = "_parameter_fields"


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def parameters(*, kw_only: bool = False) -> Callable[[Estimator], Estimator]:
    """Give an estimator the ``__init__`` of a dataclass, without making it one for others.

    Dask takes a dataclass for its fields alone: two samplers that learnt different things would be
    the same to it, and ``dask.compute`` would make a new one of the parameters.

    Examples
    --------
    >>> from dataclasses import is_dataclass
    >>> from sklearn.base import BaseEstimator
    >>> @parameters(kw_only=True)
    ... class Copying(BaseEstimator):
    ...     times: int = 2
    >>> Copying(times=3), is_dataclass(Copying)
    (Copying(times=3), False)
    """

    def with_init(cls: Estimator) -> Estimator:
        bases: list[Any] = [base for base in cls.__mro__[1:] if _HIDDEN in vars(base)]
        for base in bases:  # a dataclass takes over the fields of those it is made of
            setattr(base, _SEEN, vars(base)[_HIDDEN])
        dataclass(kw_only=kw_only, eq=False, repr=False)(cls)
        for each in (cls, *bases):
            setattr(each, _HIDDEN, vars(each)[_SEEN])
            delattr(each, _SEEN)
        return cls

    return with_init
