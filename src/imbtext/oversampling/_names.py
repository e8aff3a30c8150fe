"""The table of names: what each name means, and where the class is. No class is imported here.

The names that commands, ``compare`` and `imbtext.ResampledClassifier` know come from this table,
and so do the public names of ``imbtext`` and ``imbtext.oversampling``. The guide's table of
samplers, the pages of the reference and the checks that every sampler runs through derive from it,
too. A sampler of this package is one line; what it works on, its title and its parameters stand in
its class.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, Literal


@dataclass(frozen=True)
class Named:
    """The sampler that a name stands for.

    Attributes
    ----------
    home : str
        The module and the class, as in ``"imblearn.over_sampling:SMOTE"``.
    sets : mapping
        Parameters that the name sets.
    title : str
        What it is called in words; by default the `title` of the class.
    space : str or None
        What a class of another package takes.
    in_names : tuple of str
        The parameters of such a class that need no name of their own.
    """

    home: str
    sets: Mapping[str, Any] = field(default_factory=dict, hash=False)
    title: str = ""
    space: Literal["text", "ids", "counts", "tfidf"] | None = None
    in_names: tuple[str, ...] = ()

    @property
    def module(self) -> str:
        """Where the class is."""
        return self.home.partition(":")[0]

    @property
    def class_name(self) -> str:
        """The name of the class."""
        return self.home.partition(":")[2]

    @property
    def is_ours(self) -> bool:
        """Whether the class is one of this package."""
        return self.module.partition(".")[0] == "imbtext"

    def load(self) -> Any:
        """Import the class."""
        return getattr(import_module(self.module), self.class_name)


_HERE: Final = "imbtext.oversampling"
_IMBLEARN: Final = "imblearn.over_sampling"
_SMOTE: Final = ("k_neighbors",)

SAMPLERS: Final[dict[str, Named]] = {
    "ros": Named(f"{_HERE}._ros:ROS"),
    "smote": Named(f"{_IMBLEARN}:SMOTE", {}, "SMOTE", "tfidf", _SMOTE),
    "adasyn": Named(f"{_IMBLEARN}:ADASYN", {}, "ADASYN", "tfidf", ("n_neighbors",)),
    "borderline-smote": Named(
        f"{_IMBLEARN}:BorderlineSMOTE", {}, "borderline SMOTE", "tfidf", _SMOTE
    ),
    "dro": Named(f"{_HERE}._dro:DRO"),
    "decom": Named(f"{_HERE}._decom:DECOM"),
    "decoder": Named(f"{_HERE}._decom:DECOM", {"smooth": True}, "DECODER"),
    "eda": Named(f"{_HERE}._eda:EDA"),
    "mco": Named(f"{_HERE}._emco:MCO"),
    "emco": Named(f"{_HERE}._emco:EMCO"),
    "language-model": Named("imbtext.neural:LanguageModelSampler"),
    "seqgan": Named("imbtext.neural:SeqGAN"),
    "prompted": Named(f"{_HERE}._prompted:PromptedSampler"),
}


def public_classes(package: str) -> dict[str, str]:
    """Return the classes of samplers that a package shows, each with its module.

    Examples
    --------
    >>> public_classes("imbtext.oversampling")["EMCO"]
    'imbtext.oversampling._emco'
    """
    return {
        named.class_name: named.module
        for named in SAMPLERS.values()
        if named.module.startswith(package)
    }
