"""Methods in words."""

from typing import Final

from imbtext.methods import get_method
from imbtext.methods._names import parse_name

_TITLES: Final = {
    "svm": "the plain classifier",
    "class-weight": "class weights",
    "threshold": "a tuned decision threshold",
    "ros": "random oversampling",
    "smote": "SMOTE",
    "adasyn": "ADASYN",
    "borderline-smote": "borderline SMOTE",
    "eda": "EDA",
    "mco": "MCO",
    "decom": "DECOM",
    "dro": "DRO",
}


def titled(method: str) -> str:
    """Say a method in words.

    Examples
    --------
    >>> titled("emco(0.1)")
    'EMCO with gamma 0.1'
    >>> titled("threshold(emco(0.1), f1)")
    'EMCO with gamma 0.1 and a tuned threshold'
    """
    call = parse_name(method)
    inner = [str(value) for value in call.args]
    if call.name == "threshold" and inner and get_method(method).works_on != "classifier":
        return f"{titled(inner[0])} and a tuned threshold"
    if call.name == "emco":
        gamma = inner[0] if inner else str(dict(call.kwargs).get("gamma", 1.0))
        return "EMCO with gamma from Heaps' law" if gamma == "heaps" else f"EMCO with gamma {gamma}"
    return _TITLES.get(call.name, method)
