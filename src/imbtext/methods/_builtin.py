"""The methods that the paper compares, and those that a practitioner would add."""

import math
from dataclasses import replace
from typing import Any, Final

from imbtext.classification._goals import get_goal
from imbtext.evaluation.metrics import get_metric
from imbtext.features import FEATURES
from imbtext.latent.space import LATENTS, Latent
from imbtext.methods._generators import language_model, prompted, seqgan
from imbtext.methods._method import Method
from imbtext.methods._rare import RareDocuments
from imbtext.methods._registry import method_names, nearest, register_method
from imbtext.methods._samplers import (
    DistributionalRows,
    MarkovDocuments,
    PublishedEDA,
    RandomRows,
    SamplerMethod,
    TopicDocuments,
    Unchanged,
)
from imbtext.oversampling._geometric import GeometricSMOTE
from imbtext.oversampling._vectors import ADASYN, SMOTE, BorderlineSMOTE

_TUNABLE: Final = ("balanced_accuracy", "f1", "f2")


def _on_vectors(name: str, sampler: Any, title: str) -> Method:
    return Method(name, "tfidf", SamplerMethod(sampler, "tfidf"), title)


def svm() -> Method:
    """No oversampling: the plain classifier."""
    return Method("svm", "classifier", Unchanged(), "the plain classifier")


def ros() -> Method:
    """Random oversampling."""
    return Method("ros", "tfidf", RandomRows(), "random oversampling")


def smote(k_neighbors: int = 5) -> Method:
    """SMOTE on tf-idf vectors."""
    return _on_vectors("smote", SMOTE(k_neighbors=k_neighbors), "SMOTE")


def adasyn(n_neighbors: int = 5, exact: bool = True) -> Method:
    """ADASYN on tf-idf vectors; ``exact=false`` leaves its own number of rows, as in the paper."""
    return _on_vectors("adasyn", ADASYN(n_neighbors=n_neighbors, exact=exact), "ADASYN")


def borderline_smote(k_neighbors: int = 5, m_neighbors: int = 10) -> Method:
    """Borderline-SMOTE on tf-idf vectors."""
    sampler = BorderlineSMOTE(k_neighbors=k_neighbors, m_neighbors=m_neighbors)
    return _on_vectors("borderline-smote", sampler, "borderline SMOTE")


def geometric_smote(k_neighbors: int = 5) -> Method:
    """Geometric-SMOTE on tf-idf vectors; needs the extra ``geometric``."""
    return _on_vectors(
        "geometric-smote", GeometricSMOTE(k_neighbors=k_neighbors), "Geometric-SMOTE"
    )


def dro(latent: Latent = "documents") -> Method:
    """Distributional random oversampling; ``dro(words)`` and ``dro(topics)`` are relatives."""
    if latent not in LATENTS:
        raise ValueError(
            f"dro's latent features are {_shown(latent)}; choose from {', '.join(LATENTS)}"
        )
    title = "DRO" if latent == "documents" else f"DRO on {latent}"
    return Method("dro", "tfidf", DistributionalRows(latent), title)


def decom(n_topics: int = 30) -> Method:
    """Word counts drawn from a topic model of the class."""
    topics = _whole("decom", "n_topics", n_topics)
    return Method("decom", "counts", TopicDocuments(smooth=False, n_topics=topics), "DECOM")


def decoder(n_topics: int = 30) -> Method:
    """DECOM that draws the original documents of the class anew as well."""
    topics = _whole("decoder", "n_topics", n_topics)
    return Method("decoder", "counts", TopicDocuments(smooth=True, n_topics=topics), "DECODER")


def eda(alpha: float = 0.1, published: bool = False) -> Method:
    """Easy data augmentation with all four rates at `alpha`.

    ``eda(published=true)`` is the paper's experiment, see `PublishedEDA`.
    """
    if published:
        if alpha != 0.1:
            raise ValueError(f"eda(published=true) has the rates 0.1, not {alpha}")
        return Method("eda", "text", PublishedEDA(), "EDA")
    from imbtext.oversampling._eda import EDA

    sampler = EDA(alpha_sr=alpha, alpha_ri=alpha, alpha_rs=alpha, p_rd=alpha)
    return Method("eda", "text", SamplerMethod(sampler, "text"), "EDA")


def _whole(name: str, parameter: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name}'s {parameter} is {_shown(value)}; give a whole number from 1")
    return value


def _shown(value: Any) -> str:
    return value.name if isinstance(value, Method) else repr(value)


def _weight(name: str, weight: Any) -> float:
    number = isinstance(weight, int | float) and not isinstance(weight, bool)
    if not (number and 0 < weight <= 1):
        raise ValueError(f"{name}'s weight is {_shown(weight)}; give a number above 0 and up to 1")
    return float(weight)


def _flag(name: str, parameter: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{name}'s {parameter} is {_shown(value)}; give true or false")
    return value


def mco(order: int = 1, weight: float = 1.0, surface: bool = True) -> Method:
    """Markov chain oversampling: EMCO with gamma 0.

    A synthetic document counts `weight` in training, where an original counts 1. Features that are
    made of text, such as characters, are given words as the documents write them; with
    ``surface=false`` joined by spaces. To vectors of words it is all the same.
    """
    markov = MarkovDocuments(
        0.0,
        _whole("mco", "order", order),
        _weight("mco", weight),
        surface=_flag("mco", "surface", surface),
    )
    return Method("mco", "tokens", markov, f"MCO{_written(weight, surface)}")


def emco(
    gamma: float | str = 1.0,
    order: int = 1,
    weight: float = 1.0,
    similarity: float | None = None,
    surface: bool = True,
) -> Method:
    """Extrapolated Markov chain oversampling; gamma a number, or ``heaps``.

    `weight` and `surface` as for ``mco``, `similarity` as for :class:`imbtext.EMCO`.
    """
    number = isinstance(gamma, int | float) and not isinstance(gamma, bool)
    if gamma != "heaps" and not (number and 0 <= gamma < math.inf):  # type: ignore[operator]
        raise ValueError(f"emco's gamma is {_shown(gamma)}; give a number from 0 up, or heaps")
    chosen = "from Heaps' law" if gamma == "heaps" else gamma
    title = f"EMCO with gamma {chosen}"
    if similarity is not None:
        number = isinstance(similarity, int | float) and not isinstance(similarity, bool)
        if not (number and 0 < similarity < math.inf):
            raise ValueError(
                f"emco's similarity is {_shown(similarity)}; give a number above 0, or none"
            )
        title += f" and similarity {similarity:g}"
    markov = MarkovDocuments(
        gamma,
        _whole("emco", "order", order),
        _weight("emco", weight),
        similarity,
        _flag("emco", "surface", surface),
    )
    return Method("emco", "tokens", markov, title + _written(weight, surface))


def _written(weight: float, surface: bool) -> str:
    weighted = "" if weight == 1 else f", weighted {weight:g}"
    return weighted + ("" if surface else ", without surface forms")


def class_weight() -> Method:
    """No oversampling: errors on the class cost as much more as it is rarer."""
    return Method(
        "class-weight", "classifier", Unchanged(), "class weights", class_weight="balanced"
    )


def rare(metric: str = "f2", features: str = "auto") -> Method:
    """`RareTextClassifier`: its own features, ranking and threshold, for the measure `metric`."""
    goal = get_goal(metric)
    if features not in FEATURES:
        raise ValueError(f"rare's features are {features!r}; choose one of {', '.join(FEATURES)}")
    return Method(
        "rare",
        "documents",
        Unchanged(),
        "RareTextClassifier",
        scoring=goal.name,
        estimator=RareDocuments(goal.name, features),
    )


def paper_methods() -> dict[str, str]:
    """Return the name here of each column of the paper's tables.

    Examples
    --------
    >>> paper_methods()["EMCO(0.1)"]
    'emco(0.1)'
    """
    return {
        "SVM": "svm",
        "ADASYN": "adasyn(exact=false)",
        "DECOM": "decom",
        "DRO": "dro",
        "EDA": "eda(published=true)",
        "EMCO(1)": "emco(1)",
        "EMCO(0.1)": "emco(0.1)",
        "MCO": "mco",
        "ROS": "ros",
        "SMOTE": "smote",
    }


def threshold(*arguments: Any) -> Method:
    """Tune the decision threshold, on the plain classifier or on top of another method.

    ``threshold``, ``threshold(f2)``, ``threshold(emco(0.1), f2)``.
    """
    scoring, method = "balanced_accuracy", None
    given: list[str] = []
    for argument in arguments:
        given.append("method" if isinstance(argument, Method) else "score")
        if isinstance(argument, Method):
            method = argument
            continue
        try:
            scoring = get_metric(argument, among=_TUNABLE).name
        except ValueError:
            near = nearest(str(argument), [*method_names(), *_TUNABLE])
            raise ValueError(
                f"threshold takes a method and a score, and {argument!r} is neither"
                f"{f' (did you mean {near!r}?)' if near else ''}; "
                f"the scores are {', '.join(_TUNABLE)}, as in threshold(emco(0.1), f2)"
            ) from None
    if len(set(given)) < len(given) or (method is not None and method.scoring is not None):
        raise ValueError(
            "threshold takes one method, which tunes no threshold itself, and one score, "
            "as in threshold(emco(0.1), f2)"
        )
    if method is None:
        return replace(svm(), scoring=scoring, title="a tuned decision threshold", family="svm")
    return replace(method, scoring=scoring, title=f"{method.title} and a tuned threshold")


for _name, _factory in [
    ("svm", svm),
    ("ros", ros),
    ("smote", smote),
    ("adasyn", adasyn),
    ("borderline-smote", borderline_smote),
    ("geometric-smote", geometric_smote),
    ("dro", dro),
    ("decom", decom),
    ("decoder", decoder),
    ("eda", eda),
    ("mco", mco),
    ("emco", emco),
    ("class-weight", class_weight),
    ("threshold", threshold),
    ("rare", rare),
    ("language-model", language_model),
    ("seqgan", seqgan),
    ("prompted", prompted),
]:
    register_method(_name, _factory)
