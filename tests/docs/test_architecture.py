"""docs/architecture.md shows the packages that there are, and names files that exist."""

import ast
import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "architecture.md"
SOURCE = REPOSITORY / "src" / "imbtext"
LAYERS = REPOSITORY / "tests" / "test_layers.py"
TABLE = re.compile(r"(?<=<!-- packages -->\n).*?(?=<!-- end of packages -->)", re.DOTALL)


def packages():
    """Return the packages in the order of the layers."""
    tree = ast.parse(LAYERS.read_text("utf-8"))
    assigned = (node for node in tree.body if isinstance(node, ast.Assign))
    layers = next(node for node in assigned if ast.unparse(node.targets[0]) == "LAYERS")
    names = " ".join(ast.literal_eval(layers.value)).split()
    return [name for name in names if (SOURCE / name / "__init__.py").exists()]


def first_sentence(name):
    path = SOURCE / name / "__init__.py"
    text = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    return " ".join(re.split(r"(?<=[.!?])\s|\n\n", text)[0].split())


def table():
    rows = [f"| `{name}/` | {first_sentence(name).rstrip('.')} |" for name in packages()]
    return "\n".join(["", "| package | holds |", "|---|---|", *rows, "", ""])


def test_the_table_is_made_from_the_packages():
    assert TABLE.search(PAGE.read_text("utf-8")).group() == table()


def test_the_files_of_the_call_paths_exist():
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", PAGE.read_text("utf-8"))) - {"__init__.py"}
    assert len(named) > 15
    homes = (SOURCE, REPOSITORY)
    assert [n for n in named if not any((home / n).exists() for home in homes)] == []


if __name__ == "__main__":
    PAGE.write_text(TABLE.sub(lambda _: table(), PAGE.read_text("utf-8")), "utf-8")
