"""The layout of help: commands by their job, options by their subject.

Options mean the same in every command, so one table says what each is about. Typer's own panels
are boxes, which leave a terminal of 80 columns little room for sentences; plain sections also pipe,
copy and read aloud well. A new command or option gets an entry in its tables.
"""

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from typer.core import TyperGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typer._click import Command, Context, HelpFormatter, Parameter

# Each command with its job, in the order in which one uses them. A command is the module of `cli`
# that has its name.
JOBS: Final = {
    "demo": "See it work",
    "label": "Get the labels right",
    "mislabelled": "Get the labels right",
    "compare": "Find the rare class",
    "train": "Find the rare class",
    "predict": "Find the rare class",
    "show": "Trust a model and use it",
    "check": "Trust a model and use it",
    "serve": "Trust a model and use it",
    "oversample": "Write synthetic documents",
}

# The options by what they are about, in the order in which they are shown.
PANELS: Final = {
    "What to read": (
        *("MODEL", "IN", "--text", "--label", "--from", "--label-separator", "--also"),
        *("--show", "--id", "--time", "--group", "--test", "--data-home"),
    ),
    "What to find": (
        *("--class", "--one-class", "--words", "--example", "--like", "--metric", "--cost"),
        *("--alarms", "--methods"),
    ),
    "How to learn": (
        *("--negatives", "--memory"),
        "--features",
        "--language",
        "--encoder",
        "--cache",
        "--classifier",
        "--folds",
        "--repeats",
    ),
    "How to oversample": (*("--method", "--gamma", "--surface", "--share", "--ratio", "--count"),),
    "What to write": (
        *(
            "--budget",
            "--labels",
            "--out",
            "--model",
            "--explain",
            "--each-class",
            "--top",
            "--uncertain",
        ),
        *("--report", "--page", "--every", "--resume", "--chart", "--markdown"),
        *("--prefix", "--output-format", "--synthetic-column", "--no-synthetic-column"),
        "--overwrite",
    ),
    "Who labels, and where": ("--labeller", "--next", "--browser", "--train", "--simulate"),
    "Where to serve": ("--host", "--port", "--token", "--workers", "--body-megabytes", "--seconds"),
    "How to run": (
        *("--seed", "--jobs", "--dask", "--time-limit", "--quiet"),
        *("--version", "--help", "--install-completion", "--show-completion"),
    ),
    "For unusual files": (
        *("--format", "--delimiter", "--quotes", "--encoding", "--sheet", "--query"),
        "--time-format",
        *("--unlabelled", "--ignore-label"),
        "--many-classes",
    ),
}
# What people use most, for commands with many options; the other options follow in their sections.
MOST_USED: Final = {
    "compare": "IN --text --label --class --metric --methods --test --report --out --resume",
    "train": "IN --text --label --class --out --metric --also --features --time --test",
    "predict": "MODEL IN --out --top --alarms --class --metric --explain --id --text",
    "oversample": "IN --text --label --class --out --share --count --method --gamma --seed",
    "label": "IN --text --class --words --out --next --label --show --train --simulate",
    "check": "MODEL IN --text --label --class --time --every --report --budget --out",
    "mislabelled": "IN --text --label --class --out --top --id --also --features",
}
_MOST_USED: Final = "What matters most"
_OTHER: Final = "Options"
_WIDTH: Final = 24
# What stands for a value, and the range that Typer adds to a default: a sentence says it better.
_VALUES: Final = {"int": "N", "float": "NUMBER", "str": "NAME", "path": "FILE", "list[str]": ""}
_KINDS: Final = re.compile(r"<(int|float|str|path|list\[str\])(?: range)?>")
_RANGE: Final = re.compile(
    r"; \d*(?:<=)?x(?:>=\d+|<=\d+)(?=\])|  \[x>=[\d.]+\]|(?<=\[)\d+<=x<=\d+; "
)
_TOLD_DEFAULT: Final = re.compile(r"\[default: \((.*)\)\]")
_PANEL_OF: Final = {name: panel for panel, names in PANELS.items() for name in names}


def sections(name: str | None, parameters: "Sequence[Parameter]") -> "dict[str, list[Parameter]]":
    """Return the arguments and options of the command `name` by the sections of its help."""
    most_used = MOST_USED.get(name or "", "").split()
    placed: dict[str, list[Parameter]] = {}
    for parameter in sorted(parameters, key=partial(_place, most_used)):
        is_first = _name(parameter) in most_used
        section = _MOST_USED if is_first else _PANEL_OF.get(_name(parameter), _OTHER)
        placed.setdefault(section, []).append(parameter)
    return {title: placed[title] for title in (_MOST_USED, _OTHER, *PANELS) if title in placed}


def _name(parameter: "Parameter") -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper()).strip("[].")
    return str(next(name for name in parameter.opts if name.startswith("--")))


def _place(most_used: list[str], parameter: "Parameter") -> int:
    names = [*most_used, *_PANEL_OF]
    return names.index(_name(parameter)) if _name(parameter) in names else -1


def _value_of(kind: re.Match[str]) -> str:
    return _VALUES[kind[1]]


def usage_pieces(pieces: list[str]) -> list[str]:
    """Return the pieces of a usage line without Typer's braces around what is required.

    Examples
    --------
    >>> usage_pieces(["[OPTIONS]", "{MODEL}", "{NAMES}..."])
    ['[OPTIONS]', 'MODEL', 'NAMES...']
    """
    return [re.sub(r"^\{(.*)\}", r"\1", piece) for piece in pieces]


def write_options(command: "Command", ctx: "Context", formatter: "HelpFormatter") -> None:
    """Write the arguments and options of a command, a section for each panel."""
    shown = [p for p in command.get_params(ctx) if p.get_help_record(ctx) is not None]
    of_sections = sections(command.name, shown)
    for title, parameters in of_sections.items():
        rows = []
        for parameter in parameters:
            names, about = parameter.get_help_record(ctx) or ("", "")
            is_argument = parameter.param_type_name == "argument"
            names = _KINDS.sub("" if is_argument else _value_of, names)
            about = _TOLD_DEFAULT.sub(r"[default: \1]", _RANGE.sub("", about))
            rows.append((names.ljust(_WIDTH), about))  # the same width in all sections
        with formatter.section(title if len(of_sections) > 1 else _OTHER):
            formatter.write_dl(rows, col_max=_WIDTH)


class CommandsByJob(TyperGroup):
    """A group that lists its commands by job, with their first sentences, whole."""

    def list_commands(self, ctx: "Context") -> list[str]:
        """Return the names of the commands in the order in which one uses them."""
        ordered = [name for name in JOBS if name in self.commands]
        return ordered + [name for name in super().list_commands(ctx) if name not in ordered]

    def format_commands(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write the commands, a section for each job."""
        jobs: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                sentence = " ".join((command.help or "").partition("\n\n")[0].split())
                jobs.setdefault(JOBS.get(name, "Commands"), []).append((name, sentence))
        width = max(len(name) for rows in jobs.values() for name, _ in rows)
        for job, rows in jobs.items():
            with formatter.section(job):
                formatter.write_dl([(name.ljust(width), sentence) for name, sentence in rows])

    def format_options(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write the commands, then the few options that go before them."""
        self.format_commands(ctx, formatter)
        write_options(self, ctx, formatter)
