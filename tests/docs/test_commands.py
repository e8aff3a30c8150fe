"""What the pages tell people to type exists: commands, their options, and options named in text."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from imbtext.cli import app
from paper.__main__ import parser
from paper.reproduce import all_names

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / "docs" / "start").glob("*.md"),
    # The page on three files adds a command of its own, which its test runs.
    *(ROOT / "docs" / "guides").glob("[!s]*.md"),
    *(page for page in (ROOT / "docs" / "guides").glob("s*.md") if "three_files" not in page.name),
    ROOT / "docs" / "index.md",
    ROOT / "paper" / "README.md",
    ROOT / "README.md",
]


def options(command):
    return {name for p in command.params for name in (*p.opts, *p.secondary_opts)} | {"--help"}


def command_of(words):
    """Return the command that a line calls, and the options it gives."""
    command, words = typer.main.get_command(app), words[1:]
    while getattr(command, "commands", None) and words and not words[0].startswith("-"):
        assert words[0] in command.commands, f"there is no command {words[0]!r}"
        command, words = command.commands[words[0]], words[1:]
    return command, [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]


def lines_of(text):
    blocks = re.findall(r"^```[a-z]*\n(.*?)^```", text, flags=re.M | re.S)
    for block in blocks:
        for line in block.replace("\\\n", " ").splitlines():
            for part in line.partition("#")[0].split("&&"):
                if part.strip().startswith("imbtext "):
                    yield part.strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_command_and_option_on_a_page_exists(page):
    text = page.read_text(encoding="utf-8")
    for line in lines_of(text):
        command, given = command_of(shlex.split(line))
        assert set(given) <= options(command), line
    for line in re.findall(r"`(imbtext [a-z][^`\n]*)`", text):
        command, given = command_of(line.split())
        assert set(given) <= options(command), line
    known = set().union(*(options(command) for command in leaves(typer.main.get_command(app))))
    known |= set(parser()._option_string_actions)
    for arguments in re.findall(r"^python -m paper ([^#\n]*)", text, flags=re.M):
        if "--help" not in arguments:
            assert set(parser().parse_args(shlex.split(arguments)).names) <= set(all_names())
    named = set(re.findall(r"`(--[a-z-]+)", text))
    assert named <= known


def leaves(command):
    children = getattr(command, "commands", None)
    if children is None:
        return [command]
    return [leaf for child in children.values() for leaf in leaves(child)]


def test_the_search_for_commands_finds_them():
    assert list(lines_of("```\npip install . && imbtext demo   # see\n```\n")) == ["imbtext demo"]
    assert sum(len(list(lines_of(page.read_text(encoding="utf-8")))) for page in PAGES) > 15


@pytest.mark.slow
def test_the_commands_of_the_readme_run_as_printed(tmp_path, monkeypatch, run_command):
    text = (ROOT / "README.md").read_text("utf-8")
    subprocess.run(
        [sys.executable, ROOT / "cookbook" / "tickets.py", "--clean"], cwd=tmp_path, check=True
    )
    assert "python cookbook/tickets.py --clean" in text
    monkeypatch.chdir(tmp_path)
    in_table = re.findall(r"^\|[^|]*\| `(imbtext [a-z]+ [^`]+)`", text, flags=re.M)
    printed = {}
    for line in (*lines_of(text), *in_table):
        command, *arguments = shlex.split(line)[1:]
        if command in ("demo", "label", "serve"):  # the first has tests of its own, others serve
            continue
        result = run_command(command, *arguments)
        assert result.code == 0, (line, result.err)
        printed[command] = result.out
    assert {"train", "predict", "mislabelled", "compare", "check", "oversample"} <= set(printed)
    quoted = re.search(r"```\n(Learnt from .*?)```", text, re.S)
    assert quoted is not None
    said = "\n".join(printed["train"].splitlines()[:4])
    assert re.sub(r"\d+", "N", said) == re.sub(r"\d+", "N", quoted[1].strip())
    for number, expected in zip(
        re.findall(r"\d+", said), re.findall(r"\d+", quoted[1]), strict=True
    ):
        assert abs(int(number) - int(expected)) <= 5  # libraries of other versions round otherwise
