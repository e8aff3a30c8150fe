"""imbalanced-learn's ``sampling_strategy`` from the sizes of the classes alone.

imbalanced-learn counts the labels it is given. Where documents come in streams or lie on other
machines, they are counted already; the meaning is the same, as a test holds.
"""

from collections.abc import Hashable, Mapping
from typing import Any

from imbtext.oversampling._strategy import minority_share


def strategy_targets(strategy: Any, sizes: Mapping[Hashable, int]) -> dict[Hashable, int]:
    """Return the number of documents that each class to oversample shall have.

    Parameters
    ----------
    strategy : str, float, dict or minority_share
        As the `sampling_strategy` of the samplers. Another callable asks for all labels, which are
        in no one place.
    sizes : mapping of labels to int
        Documents per class, in sorted order of the labels.

    Examples
    --------
    >>> strategy_targets("auto", {"a": 10, "b": 2, "c": 7})
    {'b': 10, 'c': 10}
    >>> strategy_targets(0.5, {"a": 10, "b": 2})
    {'b': 5}
    """
    if isinstance(strategy, minority_share):
        return strategy.targets(dict(sizes))
    if isinstance(strategy, str):
        return _by_name(strategy, sizes)
    if isinstance(strategy, Mapping):
        return _by_label(strategy, sizes)
    if isinstance(strategy, int | float) and not isinstance(strategy, bool):
        return _by_ratio(float(strategy), sizes)
    raise TypeError(
        f"sampling_strategy is {strategy!r}; expected a string, a number, a dict or minority_share"
    )


def _by_name(strategy: str, sizes: Mapping[Hashable, int]) -> dict[Hashable, int]:
    largest = max(sizes, key=lambda label: sizes[label])
    smallest = min(sizes, key=lambda label: sizes[label])
    chosen = {
        "minority": [smallest],
        "not minority": [label for label in sizes if label != smallest],
        "not majority": [label for label in sizes if label != largest],
        "auto": [label for label in sizes if label != largest],
        "all": list(sizes),
    }
    if strategy not in chosen:
        raise ValueError(
            f"sampling_strategy is {strategy!r}; expected one of {', '.join(map(repr, chosen))}"
        )
    return dict.fromkeys(chosen[strategy], sizes[largest])


def _by_label(strategy: Mapping[Hashable, int], sizes: Mapping[Hashable, int]) -> dict[Any, int]:
    for label, n in strategy.items():
        if label not in sizes:
            known = ", ".join(map(repr, list(sizes)[:10]))
            raise ValueError(f"there is no class {label!r}; the classes are {known}")
        if n < sizes[label]:
            raise ValueError(
                f"class {label!r} has {sizes[label]} documents, more than the {n} asked for; "
                "oversampling cannot remove documents: ask for more"
            )
    return dict(strategy)


def _by_ratio(strategy: float, sizes: Mapping[Hashable, int]) -> dict[Hashable, int]:
    if not 0 < strategy <= 1:
        raise ValueError(
            f"sampling_strategy is {strategy}; expected a number above 0 and up to 1, the size of "
            "the smaller class relative to the larger"
        )
    if len(sizes) != 2:
        raise ValueError(
            f"sampling_strategy is a number, which is for two classes; there are {len(sizes)}: "
            "give a dict of sizes, or minority_share"
        )
    largest = max(sizes, key=lambda label: sizes[label])
    (smaller,) = (label for label in sizes if label != largest)
    n_new = int(strategy * sizes[largest] - sizes[smaller])
    if n_new <= 0:
        raise ValueError(
            f"class {smaller!r} has {sizes[smaller]} documents to {sizes[largest]}, already the "
            f"ratio {strategy:g} or more; oversampling cannot remove documents: ask for more"
        )
    return {smaller: sizes[smaller] + n_new}
