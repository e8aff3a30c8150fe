"""The settings of a session, kept in a small file beside the labels.

``labels.csv`` has ``labels.settings.json``. It holds the columns, the classes, the words that
somebody typed on the page and the random samples that were drawn. Options of a new command win
over it.
"""

import json
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Final, Self

from imbtext._typing import Record
from imbtext.writing import write_text

_VERSION: Final = 1
# What a user writes who wants words alone.
NO_ENCODER: Final = "none"
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
        The text columns, the columns beside the text that the model learns from, and those that are
        only shown.
    id : str or None
        The column that identifies documents.
    classes : list of str
        The classes to find.
    features : list of str
        Which terms the ranking sees; empty is the default of `Labelling`.
    encoder : str
        The sentence encoder; ``"none"``, or empty, is none.
    language, seed, metric : str, int, str
        As the options of the commands.
    words, examples : dict of str to lists of str
        What to look for, by class, until enough is found.
    given : dict
        The words and examples of the last command. If somebody typed others on the page since, the
        same command does not bring the old ones back.
    draws : list of SampleDraw
        The random samples.
    documents : str
        A checksum of the documents that the samples were drawn from.
    in_sample : bool
        Whether labellers are reading a sample.
    """

    text: list[str] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    show: list[str] = field(default_factory=list)
    id: str | None = None
    classes: list[str] = field(default_factory=lambda: ["yes"])
    features: list[str] = field(default_factory=list)
    encoder: str = ""
    language: str = "english"
    seed: int = 0
    metric: str = "f2"
    words: dict[str, list[str]] = field(default_factory=dict)
    examples: dict[str, list[str]] = field(default_factory=dict)
    given: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    draws: list[SampleDraw] = field(default_factory=list)
    documents: str = ""
    in_sample: bool = False

    @classmethod
    def load(cls, labels: Path) -> Self:
        """Return the settings kept beside a file of labels; the defaults if there are none.

        Examples
        --------
        >>> SessionSettings.load(Path("no/labels.csv")).classes
        ['yes']
        """
        path = settings_path(labels)
        if not path.exists():
            return cls()
        try:
            kept = json.loads(path.read_text("utf-8"))
            if not isinstance(kept, dict) or _VERSION_NAME not in kept:
                raise ValueError("another program wrote them")
            return cls._of(kept) if labels.exists() else cls()
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(
                f"the settings in {path} cannot be read ({error}); move the file away and repeat "
                "the options of your first command, or name another file for the labels"
            ) from None

    @classmethod
    def _of(cls, kept: Record) -> Self:
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
        write_text(json.dumps(kept, ensure_ascii=False) + "\n", settings_path(labels))

    def with_options(self, options: Record) -> Self:
        """Return the settings with the options of a command; None stands for one not given."""
        changes = {name: value for name, value in options.items() if value is not None}
        if unknown := changes.keys() - {one.name for one in fields(self)}:
            raise TypeError(f"a labelling session has no option {min(unknown)!r}")
        start = {name: changes.pop(name) for name in ("words", "examples") if name in changes}
        if start and start != self.given:
            changes |= {"words": {}, "examples": {}, "given": start} | start
        return replace(self, **changes)


def settings_path(labels: Path) -> Path:
    """Return the path of the settings that belong to a file of labels."""
    return labels.with_suffix(".settings.json")
