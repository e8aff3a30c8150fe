"""The paper is the first user of the package: it imports no module or name with an underscore."""

import ast
from pathlib import Path

import paper

LABORATORY = Path(paper.__file__).parent


def names_of_imbtext():
    """Yield file and dotted name of what the laboratory imports from the package, in any form."""
    for path in sorted(LABORATORY.rglob("*.py")):
        if "tests" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                names = [node.value] if node.value.startswith("imbtext.") else []
            else:
                continue
            yield from ((path.name, name) for name in names if name.split(".")[0] == "imbtext")


def test_nothing_private_is_imported():
    assert len(list(names_of_imbtext())) > 30
    private = [
        (file, name)
        for file, name in names_of_imbtext()
        if any(part.startswith("_") for part in name.split("."))
    ]
    assert private == []


def test_the_readme_names_every_module():
    readme = (LABORATORY / "README.md").read_text("utf-8")
    modules = [path.name for path in LABORATORY.glob("*.py") if path.name != "__init__.py"]
    assert [name for name in modules if f"`{name}`" not in readme] == []
