"""Directive ``commands``: every command and option of ``imbtext``, read from the commands."""

from typing import Any

import typer
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from imbtext.cli import app as application
from imbtext.cli._help import PANELS, panel_of


class Commands(SphinxDirective):
    """A section per command: what it does, how it is called, its options."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        root = typer.main.get_command(application)
        sections = []
        for name, command in _leaves(root, ()):
            title = " ".join(("imbtext", *name))
            section = nodes.section(ids=[nodes.make_id(title)])
            section += nodes.title(text=title)
            self.state.nested_parse(
                StringList(_markdown(title, command).splitlines(), source=title), 0, section
            )
            sections.append(section)
        return sections


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
    about = (command.help or "").replace("\b", "").strip()
    lines = [about, "", "```text", usage, "```", ""]
    panels = ("Options", *PANELS)
    panel = None
    for parameter in sorted(
        (*arguments, *options), key=lambda parameter: panels.index(panel_of(parameter))
    ):
        if panel_of(parameter) != panel:
            panel = panel_of(parameter)
            lines += [f"**{panel}**", ""]
        names = (
            _argument(parameter)
            if parameter in arguments
            else _option(parameter, [*parameter.opts, *parameter.secondary_opts])
        )
        lines += [f"`{names}`", f": {_described(parameter)}", ""]
    return "\n".join(lines)


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
    """Register the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
