"""The methods that the paper compares, and those that a practitioner would add.

Each is a function with the parameters of its name; ``_engines.py`` does the work.

The generators (networks and language models) cost minutes or money. Each is imported when somebody
names it: PyTorch is an extra, and takes seconds to load.
"""

import inspect
import math
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeGuard

from sklearn.base import BaseEstimator

from imbtext._messages import did_you_mean
from imbtext._typing import FeaturesLike
from imbtext.features import get_features, name_of_features
from imbtext.methods._engines import (
    DistributionalRows,
    MarkovDocuments,
    PublishedEDA,
    RandomRows,
    RareDocuments,
    TopicDocuments,
)
from imbtext.methods._method import Method, SamplerMethod, Unchanged, WorksOn
from imbtext.methods._registry import (
    argument_of,
    get_method,
    method_names,
    parse_name,
    register_method,
)
from imbtext.metrics import get_goal
from imbtext.oversampling import (
    ADASYN,
    EDA,
    LATENTS,
    SMOTE,
    BorderlineSMOTE,
    Latent,
    MarkovOversampling,
    PromptedSampler,
    TopicOversampling,
)

_TUNABLE: Final = ("balanced_accuracy", "f1", "f2")
_MODEL: Final = "IMBTEXT_PROMPT_MODEL"
_URL: Final = "OPENAI_BASE_URL"


def _registered(factory: Callable[..., Method]) -> Callable[..., Method]:
    register_method(factory.__name__.replace("_", "-"), factory)
    return factory


def _sampling(name: str, works_on: WorksOn, sampler: BaseEstimator, title: str) -> Method:
    sampler._validate_params()  # now, not on the first fold
    return Method(name, works_on, SamplerMethod(sampler, works_on), title)


@_registered
def plain() -> Method:
    """No oversampling: the plain classifier."""
    return Method("plain", "classifier", Unchanged(), "the plain classifier")


@_registered
def ros() -> Method:
    """Random oversampling."""
    return Method("ros", "tfidf", RandomRows(), "random oversampling")


@_registered
def smote(k_neighbors: int = 5) -> Method:
    """SMOTE on tf-idf vectors."""
    return _sampling("smote", "tfidf", SMOTE(k_neighbors=k_neighbors), "SMOTE")


@_registered
def adasyn(n_neighbors: int = 5, exact: bool = True) -> Method:
    """ADASYN on tf-idf vectors; with ``exact=false`` it chooses how many rows, as in the paper."""
    return _sampling("adasyn", "tfidf", ADASYN(n_neighbors=n_neighbors, exact=exact), "ADASYN")


@_registered
def borderline_smote(k_neighbors: int = 5, m_neighbors: int = 10) -> Method:
    """Borderline-SMOTE on tf-idf vectors."""
    sampler = BorderlineSMOTE(k_neighbors=k_neighbors, m_neighbors=m_neighbors)
    return _sampling("borderline-smote", "tfidf", sampler, "borderline SMOTE")


@_registered
def dro(latent: Latent = "documents") -> Method:
    """Distributional random oversampling; ``dro(words)`` and ``dro(topics)`` are relatives."""
    if latent not in LATENTS:
        written = latent.name if isinstance(latent, Method) else repr(latent)
        raise ValueError(f"dro's latent is {written}; choose from {', '.join(LATENTS)}")
    title = "DRO" if latent == "documents" else f"DRO on {latent}"
    return Method("dro", "tfidf", DistributionalRows(latent), title)


@_registered
def decom(n_topics: int = 30) -> Method:
    """Word counts drawn from a topic model of the class."""
    _check_whole_number("decom's n_topics", n_topics)
    engine = TopicOversampling(n_topics)
    return Method("decom", "counts", TopicDocuments(engine), "DECOM")


@_registered
def decoder(n_topics: int = 30) -> Method:
    """DECOM that also draws the original documents of the class anew."""
    _check_whole_number("decoder's n_topics", n_topics)
    engine = TopicOversampling(n_topics, smooth=True)
    return Method("decoder", "counts", TopicDocuments(engine), "DECODER")


@_registered
def eda(alpha: float = 0.1, published: bool = False) -> Method:
    """Easy data augmentation with all four rates at `alpha`.

    ``eda(published=true)`` is the paper's experiment, see `PublishedEDA`.
    """
    is_good = _is_number(alpha) and 0 <= alpha <= 1
    _check("eda's alpha", alpha, is_good, "a number from 0 to 1")
    _check("eda's published", published, isinstance(published, bool), "true or false")
    if published:
        if alpha != 0.1:
            raise ValueError(
                f"alpha is {alpha}, and eda(published=true) always has the rates 0.1; leave it out"
            )
        return Method("eda", "text", PublishedEDA(), "EDA")
    sampler = EDA(alpha_sr=alpha, alpha_ri=alpha, alpha_rs=alpha, p_rd=alpha)
    return _sampling("eda", "text", sampler, "EDA")


def _check(parameter: str, value: object, is_good: bool, expected: str) -> None:
    """Refuse a value that somebody wrote into the name of a method."""
    if not is_good:
        written = value.name if isinstance(value, Method) else repr(value)
        raise ValueError(f"{parameter} is {written}; give {expected}")


def _check_whole_number(parameter: str, value: object) -> None:
    is_good = isinstance(value, int) and not isinstance(value, bool) and value >= 1
    _check(parameter, value, is_good, "a whole number from 1 up")


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and value < math.inf


def _markov(
    name: str,
    title: str,
    gamma: float | str,
    weight: float,
    similarity: float | None,
    surface: bool,
) -> Method:
    is_good = _is_number(weight) and 0 < weight <= 1
    _check(f"{name}'s weight", weight, is_good, "a number above 0 and up to 1")
    _check(f"{name}'s surface", surface, isinstance(surface, bool), "true or false")
    title += "" if weight == 1 else f", weighted {weight:g}"
    title += "" if surface else ", without surface forms"
    engine = MarkovOversampling(gamma, similarity)
    return Method(name, "tokens", MarkovDocuments(engine, float(weight), surface), title)


@_registered
def mco(weight: float = 1.0, surface: bool = True) -> Method:
    """Markov chain oversampling: EMCO with gamma 0.

    In training a synthetic document counts `weight`, and an original counts 1. Features that are
    made of text, such as characters, see words as the documents write them; with ``surface=false``
    they see words joined by spaces. It makes no difference to vectors of words.
    """
    return _markov("mco", "MCO", 0.0, weight, None, surface)


@_registered
def emco(
    gamma: float | str = 1.0,
    weight: float = 1.0,
    similarity: float | None = None,
    surface: bool = True,
) -> Method:
    """Extrapolated Markov chain oversampling; gamma a number, or ``heaps``.

    `weight` and `surface` as for ``mco``, `similarity` as for :class:`imbtext.EMCO`.
    """
    is_good = gamma == "heaps" or (_is_number(gamma) and gamma >= 0)
    _check("emco's gamma", gamma, is_good, "a number from 0 up, or heaps")
    gamma_in_words = "from Heaps' law" if gamma == "heaps" else gamma
    title = f"EMCO with gamma {gamma_in_words}"
    if similarity is not None:
        is_good = _is_number(similarity) and similarity > 0
        _check("emco's similarity", similarity, is_good, "a number above 0, or none")
        title += f" and similarity {similarity:g}"
    return _markov("emco", title, gamma, weight, similarity, surface)


@_registered
def class_weight() -> Method:
    """No oversampling: the rarer the class, the more its errors cost."""
    return Method(
        "class-weight", "classifier", Unchanged(), "class weights", class_weight="balanced"
    )


@_registered
def threshold(*arguments: object) -> Method:
    """Tune the decision threshold, on the plain classifier or on top of another method.

    ``threshold``, ``threshold(f2)``, ``threshold(emco(0.1), f2)``,
    ``threshold(alarms_per_thousand(5))``. If the name has no score, it is balanced accuracy, or in
    a comparison the measure that decides.
    """
    methods = [argument for argument in arguments if isinstance(argument, Method)]
    names = [argument for argument in arguments if not isinstance(argument, Method)]
    scores = [_tunable(name) for name in names]
    if max(len(methods), len(scores)) > 1:
        raise ValueError(
            "threshold takes one method and one score at most, as in threshold(emco(0.1), f2)"
        )
    tuned = [method.name for method in methods if method.scoring]
    if tuned:
        raise ValueError(
            f"threshold cannot tune {tuned[0]}, which tunes a threshold itself; choose another "
            "method, as in threshold(emco(0.1), f2)"
        )
    scoring = scores[0] if scores else "balanced_accuracy"
    if not methods:
        return replace(plain(), scoring=scoring, title="a tuned decision threshold", family="plain")
    return replace(methods[0], scoring=scoring, title=f"{methods[0].title} and a tuned threshold")


def _tunable(name: object) -> str:
    try:
        return get_goal(name).name
    except ValueError:
        if "(" in str(name):
            raise
        raise ValueError(
            f"threshold takes a method and a score, and {name!r} is neither"
            f"{did_you_mean(name, [*method_names(), *_TUNABLE])}; "
            f"the scores are {', '.join(_TUNABLE)}, as in threshold(emco(0.1), f2)"
        ) from None


@_registered
def rare(metric: str = "f2", features: str = "auto", language: str | None = "english") -> Method:
    """`RareTextClassifier`: its own features, ranking and threshold, for the measure `metric`.

    The parameters are those of the classifier. In a comparison, its own settings hold for what the
    name leaves out.
    """
    for parameter, value in {"metric": metric, "features": features, "language": language}.items():
        if isinstance(value, Method):
            raise ValueError(
                f"rare's {parameter} is {value.name}, which is a method; choose a {parameter}"
            )
    goal = get_goal(metric)
    get_features(features, language)
    return Method(
        "rare",
        "documents",
        Unchanged(),
        "RareTextClassifier",
        scoring=goal.name,
        estimator=RareDocuments(goal.name, features, language),
    )


def with_settings(name: str, metric: str, features: FeaturesLike, language: str | None) -> str:
    """Return the name of a method with the settings of a comparison that it leaves open.

    A method that tunes a threshold is tuned for `metric`, unless it names a measure of its own;
    ``rare`` also takes the features and the language. Some settings cannot become part of a name
    and are left out: a measure of the ranking, for which nothing can be tuned, and features of the
    user's own.

    Examples
    --------
    >>> with_settings("rare", "f1", "auto", "english")
    'rare(f1)'
    >>> with_settings("threshold(ros)", "f1", "auto", "english")
    'threshold(ros, f1)'
    >>> with_settings("rare(f2)", "f1", "words", "german")
    'rare(f2, words, german)'
    >>> with_settings("rare", "f1", ["auto", "meaning"], "english")
    'rare(f1, auto+meaning)'
    """
    method, call = get_method(name), parse_name(name)
    try:
        goal = get_goal(metric).name
    except ValueError:
        goal = None
    if call.name == "threshold" and goal is not None:
        names_measure = any(not isinstance(argument_of(value), Method) for value in call.args)
        arguments = [*map(str, call.args), goal]
        return method.name if names_measure else f"threshold({', '.join(arguments)})"
    if call.name != "rare":
        return method.name
    settings: dict[str, str | None] = {"language": language}
    if goal is not None:
        settings["metric"] = goal
    feature_names = name_of_features(features)
    if feature_names not in (None, "best"):
        settings["features"] = feature_names
    in_name = {*list(method.parameters)[: len(call.args)], *dict(call.kwargs)}
    values = [
        value if parameter in in_name else settings.get(parameter, value)
        for parameter, value in method.parameters.items()
    ]
    defaults = [parameter.default for parameter in inspect.signature(rare).parameters.values()]
    # As short as possible, but always with the measure it is tuned for.
    while len(values) > 1 and values[-1] == defaults[len(values) - 1]:
        values.pop()
    return f"rare({', '.join('none' if value is None else str(value) for value in values)})"


@_registered
def language_model(epochs: int = 50) -> Method:
    """Documents of a recurrent language model tuned to the class; needs the extra ``neural``."""
    from imbtext.neural import LanguageModelSampler

    sampler = LanguageModelSampler(epochs=epochs)
    return _sampling("language-model", "tokens", sampler, "a language model")


@_registered
def seqgan(steps: int = 50) -> Method:
    """Documents of a sequence generative adversarial network; needs the extra ``neural``."""
    from imbtext.neural import SeqGAN

    return _sampling("seqgan", "tokens", SeqGAN(steps=steps), "SeqGAN")


@_registered
def prompted(max_total_tokens: int | None = None, documents_per_request: int = 5) -> Method:
    """Documents of a large language model that environment variables name.

    ``IMBTEXT_PROMPT_MODEL`` is the model, ``OPENAI_BASE_URL`` the server (OpenAI's by default),
    ``OPENAI_API_KEY`` the key, and ``IMBTEXT_PROMPT_CACHE`` a file that keeps the answers.
    `max_total_tokens` is a cap for each class and fold. It needs the extra ``prompting``. For more
    settings, register a :class:`imbtext.PromptedSampler`.
    """
    from imbtext.oversampling import OpenAIModel

    model = os.environ.get(_MODEL)
    if not model:
        raise ValueError(
            f"prompted needs a model: set the environment variable {_MODEL} to its name and {_URL} "
            "to its server, or register a PromptedSampler of your own with register_method"
        )
    sampler = PromptedSampler(
        OpenAIModel(model, base_url=os.environ.get(_URL) or None),
        cache=os.environ.get("IMBTEXT_PROMPT_CACHE") or None,
        max_total_tokens=max_total_tokens,
        documents_per_request=documents_per_request,
    )
    return _sampling("prompted", "text", sampler, "a prompted language model")


def paper_methods() -> dict[str, str]:
    """Return the name here of each column of the paper's tables.

    Examples
    --------
    >>> paper_methods()["EMCO(0.1)"]
    'emco(0.1)'
    """
    return {
        "SVM": "plain",
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
