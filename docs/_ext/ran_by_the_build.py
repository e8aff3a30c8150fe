"""Directives ``terminal`` and ``python``: what a page shows was run when the site was built.

A page's commands share a folder of their own, which begins with the script ``tickets.py`` in it.
A command that ends otherwise than the page says fails the build, so no page gets stale.
"""

import ast
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from for_machines import note
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

DOCS = Path(__file__).parents[1]
TICKETS = DOCS.parent / "cookbook" / "tickets.py"
WIDTH = "88"


class Terminal(SphinxDirective):
    """Run each command (a line after ``$``, lines that end in a backslash go on) and show both."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "exit": directives.nonnegative_int,
        "lines": directives.nonnegative_int,
    }

    def run(self) -> list[nodes.Node]:
        """Return a block for each command and one for what it printed."""
        shown: list[nodes.Node] = []
        for command in re.split(r"^\$ ", "\n".join(self.content), flags=re.M)[1:]:
            printed, code = run_command(command, _folder(self))
            if code != self.options.get("exit", 0):
                raise self.error(f"{command.strip()} ended with {code} and printed {printed}")
            shown.append(_block(command.rstrip(), "shell", "command"))
            if printed.strip():
                shown.append(_block(_first(printed, self.options.get("lines")), "text", "output"))
        note(self, _as_markdown(shown))
        return shown


class Python(SphinxDirective):
    """Run Python code, in the namespace that all blocks of a page share, and show both."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"lines": directives.nonnegative_int}

    def run(self) -> list[nodes.Node]:
        """Return a block with the code and one for what it printed."""
        code = "\n".join(self.content)
        namespace = self.env.temp_data.setdefault("python_of_page", {"__name__": "page"})
        folder = _folder(self)
        sys.path.insert(0, str(folder))
        try:
            with _inside(folder) as printed:
                _execute(code, namespace)
        except Exception as error:
            raise self.error(f"{error!r} in {code}") from error
        finally:
            sys.path.remove(str(folder))
        shown: list[nodes.Node] = [_block(code, "python", "command")]
        if text := printed.getvalue():
            shown.append(_block(_first(text, self.options.get("lines")), "text", "output"))
        note(self, _as_markdown(shown))
        return shown


def run_command(command: str, folder: Path) -> tuple[str, int]:
    """Run a command in a folder; return what it printed, and its exit code.

    ``imbtext`` runs in this process, which has loaded and compiled everything already.
    """
    words = shlex.split(command.replace("\\\n", " "))
    if words[0] == "imbtext" and "|" not in words:
        return _run_imbtext(words, folder)
    binaries = Path(sys.executable).parent
    environment = {**os.environ, "COLUMNS": WIDTH, "PATH": f"{binaries}:{os.environ['PATH']}"}
    ran = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=600,
    )
    return ran.stdout, ran.returncode


def _run_imbtext(words: list[str], folder: Path) -> tuple[str, int]:
    from imbtext.cli import main
    from imbtext.tables import _recognition

    _recognition._warned.clear()  # a reader's command is a process of its own
    before = sys.argv
    sys.argv = words
    try:
        with _inside(folder) as printed:
            main()
        return printed.getvalue(), 0
    except SystemExit as ended:
        return printed.getvalue(), int(ended.code or 0)
    finally:
        sys.argv = before


@contextmanager
def _inside(folder: Path) -> Iterator[io.StringIO]:
    printed = io.StringIO()
    columns = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    try:
        with (
            chdir(folder),
            redirect_stdout(printed),
            redirect_stderr(printed),
            warnings.catch_warnings(),
        ):
            yield printed
    finally:
        os.environ.pop("COLUMNS")
        if columns is not None:
            os.environ["COLUMNS"] = columns


def _execute(code: str, namespace: dict[str, Any]) -> None:
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "page", "exec"), namespace)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "page", "eval"), namespace)  # type: ignore[attr-defined]
        if value is not None:
            print(repr(value))


def _folder(directive: SphinxDirective) -> Path:
    folder = DOCS / "_build" / "ran" / directive.env.docname
    if "folder_of_page" not in directive.env.temp_data:
        directive.env.temp_data["folder_of_page"] = folder
        directive.env.note_dependency(str(TICKETS))
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.copy(TICKETS, folder)
    return folder


def _first(text: str, n_lines: int | None) -> str:
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    if n_lines is not None and len(lines) > n_lines:
        lines = [*lines[:n_lines], "..."]
    return "\n".join(lines)


def _block(text: str, language: str, kind: str) -> nodes.literal_block:
    block = nodes.literal_block(text, text, language=language)
    block["classes"].append(kind)
    return block


def _as_markdown(blocks: list[nodes.Node]) -> str:
    return "\n\n".join(f"```{block['language']}\n{block.astext()}\n```" for block in blocks)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("terminal", Terminal)
    app.add_directive("python", Python)
    return {"parallel_read_safe": False}
