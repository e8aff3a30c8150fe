"""The editor of `.ci/check_prose.py` finds the sentences that readers stumbled over."""

import subprocess
import sys
from pathlib import Path

import pytest

EDITOR = Path(__file__).parents[2] / ".ci" / "check_prose.py"

pytest.importorskip("proselint", reason="proselint is missing: pip install -e '.[docs]'")


def findings(path: Path) -> list[str]:
    answer = subprocess.run(
        [sys.executable, EDITOR, path], capture_output=True, text=True, check=False
    )
    assert answer.returncode == bool(answer.stdout), answer.stderr
    return answer.stdout.splitlines()


def test_odd_sentences_are_found(tmp_path: Path) -> None:
    odd = [
        "Of 100 documents of yes it finds about 59.",
        "Keep them together to see.",
        "The threshold asks for no new documents.",
        "Name classes to look for them.",
        "X holds token lists, and what was learnt from were texts.",
        "We read the file and it is no archive of arrays.",
        "The chain may leave the words of the class by ways the language offers.",
        "It reaches the best published value of whichever method.",
        "The same command goes on where you were.",
        "The documents that you read are no fair sample.",
        "Precision is above 90 % there.",
        "The rows " + "and the columns " * 12 + "are counted.",
    ]
    page = tmp_path / "page.md"
    page.write_text("\n\n".join(odd))
    lines = {int(line.split(":")[1]) for line in findings(page)}
    assert lines == {1 + 2 * i for i in range(len(odd))}


def test_plain_sentences_code_and_quotations_pass(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "The model finds 59 of 100 fraud reports.\n\n"
        "```\nwhichever in order to\n```\n\n"
        '| whichever |\n\nA table, `whichever`, and "it is no archive" are fine.\n'
    )
    assert findings(page) == []


def test_docstrings_and_messages_are_read(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        '"""Count words in order to find documents of the class."""\n\n\n'
        "def fail():\n    raise ValueError('give whichever class you want to find')\n"
    )
    assert [line.split(":")[1] for line in findings(module)] == ["1", "5"]


def test_templates_and_scripts_are_read(tmp_path: Path) -> None:
    template = tmp_path / "page.html"
    template.write_text(
        "{% if a > 90 %}\n<p>It finds {{ n }} of them.</p>\n{% endif %}\n"
        "<p class='x'>A stopped run goes on where it <b>was</b>.</p>\n"
    )
    assert [line.split(":")[1] for line in findings(template)] == ["4"]
    script = tmp_path / "page.js"
    script.write_text('const a = "x";\nsay("the work goes on where it was, they said");\n')
    assert [line.split(":")[1] for line in findings(script)] == ["2"]
