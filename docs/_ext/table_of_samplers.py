"""The table of samplers in the guide, made of the table of names and the classes' docstrings."""

import inspect

import imbtext
from imbtext.oversampling._names import SAMPLERS, Named


def table_of_samplers() -> str:
    """Return a row for each name: how it is written, and the first sentence about its class."""
    rows = [_row(name, named) for name, named in SAMPLERS.items()]
    return "\n".join(["| name | what it does |", "|---|---|", *rows])


def _row(name: str, named: Named) -> str:
    try:
        kind = named.load()
    except ImportError as error:  # the networks, where PyTorch is not installed
        return f"| `{name}` | {str(error).splitlines()[0]} |"
    in_names = named.in_names or kind.in_names
    written = f"{name}({', '.join(in_names)})" if in_names else name
    if not named.is_ours:
        return f"| `{written}` | imbalanced-learn's {named.class_name} |"
    summary = (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")
    sets = ", ".join(f"{parameter}={value}" for parameter, value in named.sets.items())
    is_with = f" With `{sets}`: {named.title}." if sets else ""
    home = "imbtext" if named.class_name in imbtext.__all__ else "imbtext.neural"
    return f"| `{written}` | {{class}}`~{home}.{named.class_name}`: {summary}{is_with} |"
