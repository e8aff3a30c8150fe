"""Groups of options, each a plain dataclass that a command takes as one argument.

``_options.py`` defines single options. A group has those that belong together as its fields, and
builds from them what the package takes, such as a layout, when the command runs. Typer knows
nothing of groups: :func:`ungrouped` gives a command their fields as its own parameters.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

from imbtext.cli import _options as options

if TYPE_CHECKING:
    from imbtext.distributed._cluster import DaskPool
    from imbtext.documents._roles import Roles
    from imbtext.features.encoders import Encoder
    from imbtext.rare._classifier import RareTextClassifier
    from imbtext.tables._formats import Layout
    from imbtext.tables._rules import LabelRules


def ungrouped(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command whose parameters are options: a group is replaced by its fields.

    Examples
    --------
    >>> def show(count: int, runs: RunOptions) -> None: ...
    >>> list(inspect.signature(ungrouped(show)).parameters)
    ['count', 'seed', 'jobs', 'quiet']
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name not in groups:
            parameters.append(
                parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=hints[name])
            )
            continue
        of_group = get_type_hints(groups[name], include_extras=True)
        for option in fields(groups[name]):
            default = parameter.empty if option.default is MISSING else option.default
            parameters.append(
                inspect.Parameter(
                    option.name,
                    parameter.KEYWORD_ONLY,
                    default=default,
                    annotation=of_group[option.name],
                )
            )

    @wraps(command)
    def run(**given: Any) -> Any:
        built = {
            name: group(**{option.name: given.pop(option.name) for option in fields(group)})
            for name, group in groups.items()
        }
        return command(**given, **built)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """How IN is written."""

    input_format: options.InputFormat = None
    delimiter: options.Delimiter = None
    quotes: options.Quotes = True
    encoding: options.Encoding = None
    sheet: options.Sheet = None
    query: options.Query = None

    def layout(self) -> "Layout":
        """Return the layout of IN."""
        from imbtext.tables._formats import Layout

        how = (self.input_format, self.delimiter, self.quotes, self.encoding)
        return Layout(*how, self.sheet, self.query)


@dataclass(frozen=True, kw_only=True)
class LabelOptions:
    """Which rows are learnt from, by their labels."""

    unlabelled: options.Unlabelled = None
    ignore_label: options.IgnoreLabel = None
    many_classes: options.ManyClasses = False

    def rules(self, *, classes_are_named: bool = False, several: bool = True) -> "LabelRules":
        """Return the rules; classes that a user names are no ids."""
        from imbtext.tables._rules import LabelRules

        if self.unlabelled == "no" and not classes_are_named:
            raise ValueError(
                "--unlabelled no counts rows without a label as outside the class; name the class "
                "with --class"
            )
        ignored = tuple(self.ignore_label or ())
        many_classes = self.many_classes or classes_are_named
        return LabelRules(self.unlabelled, ignored, many_classes, several)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """Which columns of IN hold the documents, their labels and what stands beside them."""

    text: options.TextColumnsOfFile = None
    label: options.LabelColumnOfFile = None
    also: options.Also = None
    label_separator: options.LabelSeparator = None
    group: options.Group = None

    def roles(
        self,
        source: Path,
        *,
        time: str | None = None,
        time_format: str | None = None,
        id_column: str | None = None,
    ) -> "Roles":
        """Return which columns of a file mean what."""
        from imbtext.documents._roles import Roles

        if not self.text or self.label is None:
            raise ValueError(
                f"say which columns of {source} hold the documents and their classes: --text COL "
                f"--label COL"
            )
        return Roles(
            tuple(self.text),
            self.label,
            self.beside,
            group=self.group,
            time=time,
            time_format=time_format,
            id=id_column,
            separator=self.label_separator,
        )

    @property
    def beside(self) -> tuple[str, ...] | Literal["all"]:
        """The columns that ``--also`` names; "all" stands for every other column."""
        return columns_beside(self.also)


@dataclass(frozen=True, kw_only=True)
class RequiredColumnOptions(ColumnOptions):
    """The same, of a command that cannot do without a text and a label."""

    text: options.TextColumns = field()
    label: options.LabelColumn = field()


@dataclass(frozen=True, kw_only=True)
class VectorOptions:
    """What the classifier sees of a document."""

    features: options.Features = None
    language: options.Language = "english"

    @property
    def names(self) -> str | list[str]:
        """The features, one or several.

        Examples
        --------
        >>> VectorOptions().names, VectorOptions(features=["auto,meaning"]).names
        ('auto', ['auto', 'meaning'])
        """
        names = split_names(self.features) or ["auto"]
        return names[0] if len(names) == 1 else names

    @property
    def stems(self) -> str | None:
        """The language whose stems the classifier sees; None takes words as they are."""
        return stems_of(self.language)


@dataclass(frozen=True, kw_only=True)
class EncoderOptions:
    """What reads the meaning of a text."""

    encoder: options.Encoder = None
    cache: options.UseCache = True

    def named(self) -> "Encoder | list[Encoder] | None":
        """Return the encoder to train with, or several, if any is named."""
        from imbtext.features.encoders import get_encoders

        if self.encoder is None:
            return None
        encoders = [*get_encoders(self.encoder, cache=self.cache)]
        return encoders[0] if len(encoders) == 1 else encoders

    def loaded(self, model: Path | str) -> "RareTextClassifier":
        """Return a model from its file, with the encoder given back that it was trained with."""
        from imbtext.rare._classifier import RareTextClassifier

        loaded = RareTextClassifier.load(model, encoder=self.named())
        if loaded.fitted_.meaning is not None:
            for encoder in loaded.fitted_.meaning.encoders:
                encoder.cache = self.cache
        return loaded


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How a command runs."""

    seed: options.Seed = 0
    jobs: options.Jobs = 1
    quiet: options.Quiet = False


def cluster(dask: str | None) -> "DaskPool | None":
    """Return the cluster that ``--dask`` names, if it is given."""
    if dask is None:
        return None
    from imbtext.distributed._cluster import DaskPool

    return DaskPool(dask)


def columns_beside(also: Sequence[str] | None) -> tuple[str, ...] | Literal["all"]:
    """Return the columns that ``--also`` names; "all" stands for every other column."""
    return "all" if also is not None and "all" in also else tuple(also or ())


def stems_of(language: str) -> str | None:
    """Return the language that ``--language`` names; None takes words as they are."""
    return None if language == "none" else language


def reading_options(layout: "Layout") -> list[str]:
    """Return the options that read another file in this layout."""
    from imbtext.tables._errors import typeable

    words = [] if layout.format is None else ["--format", layout.format]
    words += [] if layout.delimiter is None else ["--delimiter", typeable(layout.delimiter)]
    words += [] if layout.quotes else ["--no-quotes"]
    words += [] if layout.encoding is None else ["--encoding", layout.encoding]
    words += [] if layout.sheet is None else ["--sheet", layout.sheet]
    return words + ([] if layout.query is None else ["--query", layout.query])


def split_names(texts: Sequence[str] | None) -> list[str] | None:
    """Return the names of an option that takes commas and repetition, each once; None without it.

    Names are split at the commas outside parentheses.

    Examples
    --------
    >>> split_names(["ros, threshold(emco(0.1), f2)", "svm", "ros"])
    ['ros', 'threshold(emco(0.1), f2)', 'svm']
    """
    if texts is None:
        return None
    names, depth = [""], 0
    for character in ",".join(texts):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth <= 0:
            names.append("")
            depth = 0
        else:
            names[-1] += character
    return list(dict.fromkeys(name.strip() for name in names if name.strip()))
