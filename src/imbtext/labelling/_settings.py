"""What a session was begun with, in a small file beside the labels: a restart continues with it.

``labels.csv`` has ``labels.settings.json``. It holds the columns, the classes, the words that
somebody typed on the page and the random samples that were drawn. What a command gives again wins
over what is kept. The module stands alone because, like the labels' own file, it knows files and no
models.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, Self

from imbtext.writing import write_text

_VERSION: Final = 1
_VERSION_NAME: Final = "imbtext_labelling"


@dataclass(frozen=True)
class SampleDraw:
    """A random sample: how many documents were asked for, and which had been read by then."""

    n: int
    read: list[int]


@dataclass(frozen=True)
class SessionSettings:
    """How a session chooses and shows documents.

    Attributes
    ----------
    text, also, show : list of str
        The text columns, those beside the text that the model learns from, and those that are only
        shown.
    id : str or None
        The column that says what documents are called.
    classes : list of str
        The classes to find.
    features : list of str
        What the ranking sees; empty is the default of `Labelling`.
    language, seed, metric : str, int, str
        As the options of the commands.
    words, examples : dict of str to lists of str
        What to look for, by class, until enough is found.
    given : dict
        The words and examples that the command gave last. The same command again does not bring
        them back if somebody typed others on the page since.
    draws : list of SampleDraw
        The random samples.
    documents : str
        A checksum of the documents that they were drawn from.
    in_sample : bool
        Whether the sample is being read.
    """

    text: list[str] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    show: list[str] = field(default_factory=list)
    id: str | None = None
    classes: list[str] = field(default_factory=lambda: ["yes"])
    features: list[str] = field(default_factory=list)
    language: str = "english"
    seed: int = 0
    metric: str = "f2"
    words: dict[str, list[str]] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)
    given: dict[str, Any] = field(default_factory=dict)
    draws: list[SampleDraw] = field(default_factory=list)
    documents: str = ""
    in_sample: bool = False

    @classmethod
    def beside(cls, labels: Path) -> Self:
        """Return what was kept beside a file of labels; without labels, or settings, the defaults.

        Examples
        --------
        >>> SessionSettings.beside(Path("no/labels.csv")).classes
        ['yes']
        """
        path = path_beside(labels)
        if not labels.exists() or not path.exists():
            return cls()
        try:
            return cls._of(json.loads(path.read_text("utf-8")))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(
                f"the settings in {path} cannot be read ({error}); remove the file, and give the "
                "options of the command again"
            ) from None

    @classmethod
    def _of(cls, kept: dict[str, Any]) -> Self:
        if kept.pop(_VERSION_NAME, None) != _VERSION:
            raise ValueError("another version of imbtext wrote them")
        default = asdict(cls())
        for name, value in kept.items():
            if name != "id" and not isinstance(value, type(default[name])):
                raise TypeError(f"{name} is {value!r:.40}")
        draws = [SampleDraw(int(one["n"]), list(map(int, one["read"]))) for one in kept["draws"]]
        return cls(**kept | {"draws": draws})

    def save(self, labels: Path) -> None:
        """Keep the settings beside a file of labels."""
        kept = {_VERSION_NAME: _VERSION, **asdict(self)}
        write_text(json.dumps(kept, ensure_ascii=False) + "\n", path_beside(labels))

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """Return the settings with what a command gave; None is what it did not give."""
        known = {one.name for one in fields(self)}
        given = {name: value for name, value in options.items() if value is not None}
        if unknown := given.keys() - known:
            raise TypeError(f"a labelling session has no option {min(unknown)!r}")
        start: dict[str, Any] = {
            name: given.pop(name) for name in ("words", "examples") if name in given
        }
        changed = replace(self, **given)
        if start and start != self.given:
            changed = replace(changed, words={}, examples={}, given=start)
            changed = replace(changed, **start)
        return changed


def path_beside(labels: Path) -> Path:
    """Return the file of the settings that belong to a file of labels."""
    return labels.with_suffix(".settings.json")
