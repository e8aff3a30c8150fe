"""Writes the reference of the commands before the build: a page per command, and a list of them.

A page begins with a command line of the guide that shows the command at work. The directive
``command`` shows what a command does, how it is called, and its options.
"""

import re
from pathlib import Path
from typing import Any

import typer
from docutils import nodes
from docutils.statemachine import StringList
from for_machines import note
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from imbtext.cli import app as application
from imbtext.cli._help import JOBS, sections

PAGES = Path(__file__).parents[1] / "reference" / "commands"
# The page that shows a command at work.
AT_WORK = {
    "demo": "start/install",
    "label": "guides/labelling",
    "mislabelled": "guides/wrong_labels",
    "compare": "guides/compare",
    "train": "guides/train_and_predict",
    "predict": "guides/train_and_predict",
    "show": "guides/trust_and_watch",
    "check": "guides/trust_and_watch",
    "serve": "guides/serve",
    "oversample": "guides/oversampling",
}


class Command(SphinxDirective):
    """What a command does, how it is called, its options."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the content of its page."""
        name = self.arguments[0]
        command = dict(_leaves(typer.main.get_command(application), ()))[(name,)]
        content = nodes.container()
        text = _markdown(f"imbtext {name}", command)
        note(self, text)
        self.state.nested_parse(StringList(text.splitlines(), source=name), 0, content)
        return content.children


def write_pages(*_: object) -> None:
    """Write a page per command, and the page that lists them by job."""
    PAGES.mkdir(parents=True, exist_ok=True)
    commands = dict(_leaves(typer.main.get_command(application), ()))
    about = {name: _first_sentence(command) for (name,), command in commands.items()}
    for old in PAGES.glob("*.md"):
        if old.stem not in about:
            old.unlink()
    for name in about:
        example, title = _at_work(name)
        lines = [f"# imbtext {name}", "", "```shell", example, "```", ""]
        lines += [f"At work: [{title}](../../{AT_WORK[name]}.md).", ""]
        lines += [f"```{{command}} {name}", "```", ""]
        _write(PAGES / f"{name}.md", "\n".join(lines))
    lines = ["# Commands", "", "Each page is made from the command itself; `--help` says the same."]
    for job in dict.fromkeys(JOBS.values()):
        lines += ["", f"## {job}", ""]
        lines += [
            f"* [imbtext {name}](commands/{name}.md): {about[name]}"
            for name, of_command in JOBS.items()
            if of_command == job
        ]
    lines += [
        "",
        "```{toctree}",
        ":hidden:",
        "",
        *(f"commands/{name}" for name in about),
        "```",
        "",
    ]
    _write(PAGES.parent / "commands.md", "\n".join(lines))


def _at_work(name: str) -> tuple[str, str]:
    """Return the first line with this command on its page, and the title of the page."""
    text = (PAGES.parents[1] / f"{AT_WORK[name]}.md").read_text("utf-8")
    example = re.search(rf"^(?:\$ )?(imbtext {name}\b(?:.*\\\n)*.*)", text, flags=re.M)
    title = re.search(r"^# (.+)$", text, flags=re.M)
    if example is None or title is None:
        raise ValueError(f"{AT_WORK[name]} shows no line with imbtext {name}")
    return example[1], title[1]


def _first_sentence(command: Any) -> str:
    return " ".join((command.help or "").split("\n\n")[0].split())


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")


def _leaves(command: Any, path: tuple[str, ...]) -> Any:
    children = getattr(command, "commands", None)
    if children is None:
        yield path, command
        return
    for name in command.list_commands(typer.Context(command)):
        child = children[name]
        if not child.hidden:
            yield from _leaves(child, (*path, name))


def _markdown(title: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    required = [_option(p, p.opts[:1]) for p in options if p.required]
    optional = ["[OPTIONS]"] if len(required) < len(options) else []
    usage = " ".join([title, *map(_argument, arguments), *required, *optional])
    about = _marked((command.help or "").replace("\b", "").strip())
    lines = [about, "", "```text", usage, "```", ""]
    for section, parameters in sections(command.name, [*arguments, *options]).items():
        lines += [f"**{section}**", ""]
        for parameter in parameters:
            names = (
                _argument(parameter)
                if parameter in arguments
                else _option(parameter, [*parameter.opts, *parameter.secondary_opts])
            )
            lines += [f"`{names}`", f": {_marked(_described(parameter))}", ""]
    return "\n".join(lines)


def _marked(text: str) -> str:
    """Return a text with options and quoted values as code."""
    return re.sub(r"(?<![\w`'-])(--[a-z-]+|'[^' ][^']*')(?![\w`'])", r"`\1`", text)


def _argument(parameter: Any) -> str:
    name = str(parameter.metavar or parameter.name.upper())
    return name if parameter.required else f"[{name}]"


def _option(parameter: Any, names: list[str]) -> str:
    value = "" if parameter.is_flag else f" {parameter.metavar or parameter.name.upper()}"
    return ", ".join(names) + value


def _described(parameter: Any) -> str:
    text = " ".join((getattr(parameter, "help", None) or "").split())
    default = parameter.default
    if callable(default) or default in (None, False, True, "", (), []) or "default" in text.lower():
        return text or " "
    return f"{text} Default: `{default}`."


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive, and write the pages before Sphinx looks for them."""
    app.add_directive("command", Command)
    app.connect("config-inited", write_pages)
    return {"parallel_read_safe": True}
