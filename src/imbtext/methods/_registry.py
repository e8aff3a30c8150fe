"""Methods by name: what each name means, and methods that users add.

A name that stands for a sampler is looked up in the table of names
(:mod:`imbtext.oversampling._names`), and the sampler is built from what stands in its parentheses:
its first arguments are the sampler's `in_names`, and every parameter can be given by its own name.
``weight`` is a parameter of every sampler: how much a synthetic document counts in training. A few
names stand for something else than a sampler, and have a function each.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, get_args

from imbtext._messages import did_you_mean
from imbtext._typing import Column, FeaturesLike
from imbtext.features._sources import get_features, name_of_features
from imbtext.features.encoders import get_encoders
from imbtext.methods._method import Method, Problem
from imbtext.methods._parsing import Call, Value, parse_name
from imbtext.metrics import GOAL_NAMES, METRICS, get_goal
from imbtext.oversampling._foreign import Foreign
from imbtext.oversampling._names import SAMPLERS, Named
from imbtext.oversampling._sampler import Draws, Space
from imbtext.rare._classifier import RareTextClassifier

Factory = Callable[..., Any]
_Parameter = inspect.Parameter
_TUNABLE: Final = ("balanced_accuracy", "f1", "f2")
# Parameters of samplers that whoever fits a method decides about.
_NOT_IN_NAMES: Final = ("sampling_strategy", "random_state", "tokenizer", "classifier", "text")
# Words that stand for a value in a name: ``emco(heaps)``, ``threshold(f2)``.
_RESERVED = {"true", "false", "none", "heaps", *METRICS, *GOAL_NAMES}
# Each factory of a user with what its sampler takes, if it is another package's.
_REGISTERED: dict[str, tuple[Factory, Space | None]] = {}


def plain() -> Method:
    """No oversampling: the plain classifier."""
    return Method("plain", title="the plain classifier")


def class_weight() -> Method:
    """No oversampling: the rarer the class, the more its errors cost."""
    return Method("class-weight", title="class weights", class_weight="balanced")


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
    method = methods[0] if methods else replace(plain(), family="plain")
    return method.with_threshold(scores[0] if scores else "balanced_accuracy")


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


def characters(metric: str = "f2") -> Method:
    """A linear SVM on words and characters with a threshold tuned for `metric`.

    What a good engineer would try before anything special: sublinear tf-idf of words and of grams
    of three to five characters.
    """
    from imbtext.methods._characters import CharacterDocuments  # it fits, so it needs this module

    goal = get_goal(metric)
    return Method(
        "characters",
        title="a linear SVM on words and characters",
        scoring=goal.name,
        estimator=CharacterDocuments(goal.name),
    )


def rare(
    metric: str = "f2",
    features: str = "auto",
    language: str | None = "english",
    encoder: str | None = None,
) -> Method:
    """`RareTextClassifier`: its own features, ranking and threshold, for the measure `metric`.

    The parameters are those of the classifier; ``rare(f2, encoder=minilm)`` also reads what the
    text means. In a comparison, its own settings hold for what the name leaves out.
    """
    given = {"metric": metric, "features": features, "language": language, "encoder": encoder}
    for parameter, value in given.items():
        if isinstance(value, Method):
            raise ValueError(
                f"rare's {parameter} is {value.name}, which is a method; choose a {parameter}"
            )
    goal = get_goal(metric)
    get_features(features, language)
    if encoder is not None:
        get_encoders(encoder)
    return Method(
        "rare",
        title="RareTextClassifier" + (f" with {encoder}" if encoder else ""),
        scoring=goal.name,
        estimator=RareDocuments(goal.name, features, language, encoder),
    )


@dataclass(frozen=True)
class RareDocuments:
    """Fits a `RareTextClassifier` that finds the class of a problem."""

    metric: str
    features: str
    language: str | None
    encoder: str | None = None

    def __call__(
        self, problem: Problem, groups: Column | None = None, times: Column | None = None
    ) -> RareTextClassifier:
        model = RareTextClassifier(
            self.metric,
            features=self.features,
            encoder=self.encoder,
            language=self.language,
            pos_label=True,
            random_state=problem.seed % 2**32,
        )
        model.fit(problem.data.documents, problem.is_class, groups=groups, time=times)
        return model


_SPECIAL: Final[dict[str, Factory]] = {
    "plain": plain,
    "class-weight": class_weight,
    "threshold": threshold,
    "characters": characters,
    "rare": rare,
}


def register_method(name: str, factory: Factory, space: Space | None = None) -> None:
    """Make a method known by `name` to every command and experiment.

    Parameters
    ----------
    name : str
        What users will write, in lower case, such as ``"my-method"``.
    factory : class or callable
        A sampler's class, or a function. It is called with the parameters in the name:
        ``my-method(k=3)`` calls ``factory(k=3)``. It returns a sampler or a `Method`.
    space : {"text", "ids", "counts", "tfidf"}, default=None
        What the ``fit_resample`` of another package's sampler takes: texts, token lists, word
        counts or tf-idf vectors. A `Sampler` says it itself.

    Examples
    --------
    >>> from imblearn.over_sampling import SVMSMOTE
    >>> register_method("svm-smote", SVMSMOTE, space="tfidf")
    >>> get_method("svm-smote(k_neighbors=3)").sampler
    Foreign(SVMSMOTE(k_neighbors=3), 'tfidf', exact=True)
    >>> unregister_method("svm-smote")
    """
    if not isinstance(name, str) or not callable(factory):
        raise TypeError(
            f"got the name {name!r:.60} and the factory {factory!r:.60}; expected a string and "
            "a callable that returns a Method or a sampler"
        )
    if space is not None and space not in get_args(Space):
        raise ValueError(
            f"space is {space!r}; expected one of {', '.join(map(repr, get_args(Space)))}"
        )
    if name in _RESERVED:
        raise ValueError(f"{name!r} already has a meaning inside names; choose another name")
    call = parse_name(name)
    if str(call) != name or call.name != name:
        raise ValueError(
            f"{name!r} cannot be a method's name; use a lower-case word such as {call.name!r}"
        )
    if name in method_names():
        raise ValueError(f"there already is a method {name!r}; choose another name")
    _REGISTERED[name] = (factory, space)


def unregister_method(name: str) -> None:
    """Forget the method that was registered under that name."""
    if name not in _REGISTERED:
        raise _unknown(name)
    del _REGISTERED[name]


def method_names() -> list[str]:
    """Return the names of all methods: samplers, the others, and those that users registered.

    Examples
    --------
    >>> "emco" in method_names()
    True
    """
    return ["plain", *SAMPLERS, *(name for name in _SPECIAL if name != "plain"), *_REGISTERED]


def registered_by_users(name: str) -> bool:
    """Return whether a name contains a method that was registered outside this package.

    Examples
    --------
    >>> registered_by_users("threshold(emco(0.1), f2)")
    False
    """

    def names(value: Value) -> Iterator[str]:
        if isinstance(value, Call):
            yield value.name
            for argument in (*value.args, *dict(value.kwargs).values()):
                yield from names(argument)

    return any(known in _REGISTERED for known in names(parse_name(name)))


def get_method(name: str | Method | Draws) -> Method:
    """Return the method that `name` describes, parameters included.

    A sampler is a method, too.

    Examples
    --------
    >>> get_method("emco(0.1, similarity=3)").sampler
    EMCO(gamma=0.1, similarity=3)
    >>> get_method("threshold(emco(0.1), f2)").scoring
    'f2'
    >>> get_method("smoot")
    Traceback (most recent call last):
    ...
    ValueError: there is no method 'smoot'; did you mean 'smote'?
    """
    if isinstance(name, Method):
        return name
    if not isinstance(name, str) and hasattr(name, "draw"):
        if hasattr(name, "_validate_params"):
            name._validate_params()
        return Method(repr(name), name, name.title)
    if not isinstance(name, str):
        advice = "give its name, such as 'emco(0.1)', a sampler, or a Method"
        if hasattr(name, "fit_resample"):
            advice = "wrap another package's sampler, as in Foreign(SMOTE(), space='tfidf')"
        raise TypeError(f"the method is {name!r:.60} ({type(name).__name__}); {advice}")
    return replace(_make(parse_name(name)), name=name.strip())


def _make(call: Call) -> Method:
    if call.name in SAMPLERS:
        named = SAMPLERS[call.name]
        return _of_sampler(call, named.load(), named)
    if call.name in _SPECIAL:
        factory, space = _SPECIAL[call.name], None
    elif call.name in _REGISTERED:
        factory, space = _REGISTERED[call.name]
        if isinstance(factory, type) and hasattr(factory, "in_names"):
            return _of_sampler(call, factory, Named(home=""))
    else:
        raise _unknown(call.name)
    bound = _bound(call, inspect.signature(factory), argument_of)
    method = _as_method(factory(*bound.args, **bound.kwargs), call.name, space)
    if method.family:  # of the method whose threshold is tuned, or which users registered again
        return replace(method, name=str(call))
    bound.apply_defaults()
    parameters, title = dict(bound.arguments), method.title or str(call)
    return replace(method, name=str(call), family=call.name, parameters=parameters, title=title)


def _of_sampler(call: Call, kind: type[Any], named: Named) -> Method:
    """Build a sampler of the class `kind` from a name, and the method around it."""
    bound = _bound(call, _signature(kind, named), _plain)
    given = dict(bound.arguments)
    title = _with_values(named.title or kind.title, given)
    bound.apply_defaults()
    weight = given.pop("weight", 1.0)
    _check_weight(call.name, weight)
    sampler: Any
    if named.space is None:
        # One sampler reads the rest of its parameters from the environment.
        sampler = validated = getattr(kind, "of_name", kind)(**named.sets, **given)
    else:
        exact = given.pop("exact", True)
        validated = kind(**named.sets, **given)
        sampler = Foreign(validated, named.space, title, exact=bool(exact))
    validated._validate_params()  # now, not on the first fold
    return Method(
        str(call),
        sampler,
        title,
        family=call.name,
        parameters=dict(bound.arguments),
        weight=float(weight),
    )


def _signature(kind: type[Any], named: Named) -> inspect.Signature:
    """Return what can stand in the parentheses of a sampler's name."""
    own, in_names = inspect.signature(kind).parameters, named.in_names or kind.in_names
    defaults = {
        name: None if parameter.default is parameter.empty else parameter.default
        for name, parameter in own.items()
        if name in in_names or name not in (*_NOT_IN_NAMES, *named.sets)
    }
    if named.space is not None:
        defaults["exact"] = True
    defaults["weight"] = 1.0
    return inspect.Signature(
        [
            _Parameter(name, _Parameter.POSITIONAL_OR_KEYWORD, default=defaults[name])
            for name in in_names
        ]
        + [
            _Parameter(name, _Parameter.KEYWORD_ONLY, default=default)
            for name, default in defaults.items()
            if name not in in_names
        ]
    )


def _bound(
    call: Call, signature: inspect.Signature, argument: Callable[[Value], Any]
) -> inspect.BoundArguments:
    """Return the arguments of a name, as the signature takes them."""
    args = [argument(value) for value in call.args]
    kwargs = {key: argument(value) for key, value in call.kwargs}
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
        raise ValueError(
            f"cannot read {str(call)!r}: {error}; the parameters are "
            f"{call.name}{inspect.Signature(parameters)}"
        ) from None


def _plain(value: Value) -> Any:
    """Return a value of a sampler's parameter: a word is a string."""
    return str(value) if isinstance(value, Call) else value


def _with_values(title: str, given: Mapping[str, object]) -> str:
    """Add the parameters that a name gives to a title.

    Examples
    --------
    >>> _with_values("EMCO", {"gamma": 0.1, "weight": 0.5})
    'EMCO with gamma 0.1 and weight 0.5'
    """
    values = [f"{name} {value}" for name, value in given.items()]
    if not values:
        return title
    *before, last = values
    return f"{title} with {', '.join(before)}{' and ' if before else ''}{last}"


def _check_weight(name: str, weight: object) -> None:
    is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
    if not is_number or not 0 < float(str(weight)) <= 1:
        raise ValueError(f"{name}'s weight is {weight!r}; give a number above 0 and up to 1")


def _as_method(product: Any, name: str, space: Space | None) -> Method:
    if isinstance(product, Method):
        return product
    if hasattr(product, "draw"):
        return Method(name, product)
    if not hasattr(product, "fit_resample"):
        raise TypeError(
            f"the factory of method {name!r} returned {product!r}; "
            "it must return a Method or a sampler with fit_resample(X, y)"
        )
    if not hasattr(product, "get_params"):
        raise TypeError(
            f"the sampler of method {name!r} ({type(product).__name__}) has no get_params, so it "
            "cannot be cloned for each fold; derive it from sklearn.base.BaseEstimator"
        )
    if space is None:
        raise ValueError(
            f"the factory of method {name!r} returned a sampler of another package; register it "
            "with space='text', 'ids', 'counts' or 'tfidf'"
        )
    return Method(name, Foreign(product, space))


def argument_of(value: Value) -> "int | float | bool | str | Method | None":
    """Turn a word that names a method into that method and any other word into a string."""
    if not isinstance(value, Call):
        return value
    if value.name in GOAL_NAMES:
        return str(value)
    if value.name in method_names() or value.args or value.kwargs:
        return _make(value)
    return value.name


def _unknown(name: str) -> ValueError:
    names = method_names()
    hint = did_you_mean(name, names) or f"; choose one of {', '.join(names)}"
    return ValueError(f"there is no method {name!r}{hint}")


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
    >>> with_settings("characters", "f1", "auto", "english")
    'characters(f1)'
    >>> with_settings("rare(f2)", "f1", "words", "german")
    'rare(f2, words, german)'
    >>> with_settings("rare", "f1", ["auto", "meaning"], "english")
    'rare(f1, auto+meaning)'
    >>> with_settings("rare(encoder='numpy:asarray')", "f1", "auto", "english")
    "rare(f1, encoder='numpy:asarray')"
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
    if call.name == "characters" and goal is not None:
        return method.name if call.args or call.kwargs else f"characters({goal})"
    if call.name != "rare":
        return method.name
    settings: dict[str, str | None] = {"language": language}
    if goal is not None:
        settings["metric"] = goal
    feature_names = name_of_features(features)
    if feature_names not in (None, "best"):
        settings["features"] = feature_names
    in_name = {*list(method.parameters)[: len(call.args)], *dict(call.kwargs)}
    *values, encoder = [
        value if parameter in in_name else settings.get(parameter, value)
        for parameter, value in method.parameters.items()
    ]
    defaults = [parameter.default for parameter in inspect.signature(rare).parameters.values()]
    # As short as possible, but always with the measure it is tuned for.
    while len(values) > 1 and values[-1] == defaults[len(values) - 1]:
        values.pop()
    written = ["none" if value is None else str(value) for value in values]
    if encoder is not None:  # a folder, a hub's name or package.module:function is no plain name
        named = encoder if encoder.isidentifier() else repr(encoder)
        written.append(f"encoder={named}")
    return f"rare({', '.join(written)})"
