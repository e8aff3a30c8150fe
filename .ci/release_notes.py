"""Write the notes of a release and its conda recipe, and refuse what is not ready to be tagged.

``python .ci/release_notes.py FOLDER``: the distributions are in FOLDER/dist, the notes (the section
of CHANGELOG.md) go to FOLDER/notes.md, the recipe with version and checksum to FOLDER/recipe.yaml.
With the environment variable TAG, the version must be that of the tag, and the placeholders in
pyproject.toml must be replaced; without it, this is a dry run that only says so.
"""

import hashlib
import os
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]


def notes_of(version: str, changelog: str) -> str:
    """Return the section of a version, the newest section if it is not there."""
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    named = [section for section in sections if section.split()[0] == version]
    return (named or sections)[0].partition("\n")[2].strip() + "\n"


def filled(recipe: str, version: str, checksum: str) -> str:
    """Return the recipe with the version and the checksum of the sdist."""
    recipe = re.sub(r'(?m)^  version: ".*"', f'  version: "{version}"', recipe, count=1)
    return re.sub(r'sha256: ".*"', f'sha256: "{checksum}"', recipe, count=1)


def problems(version: str, tag: str, changelog: str, project: dict[str, Any]) -> list[str]:
    """Return what is missing for a release."""
    found = []
    if tag and tag != f"v{version}":
        found.append(f"the tag is {tag}, the version {version}")
    if "dev" in version:
        found.append(f"{version} is a development version")
    if f"## {version} " not in changelog:
        found.append(f"CHANGELOG.md has no section {version}; run towncrier build")
    if any(".example/" in url for url in project["urls"].values()):
        found.append("[project.urls] in pyproject.toml still has placeholders")
    if any(author["email"].endswith(".example") for author in project["authors"]):
        found.append("the address in authors of pyproject.toml is still a placeholder")
    return found


def main() -> None:
    """Write both files, and say what is missing."""
    folder = Path(sys.argv[1])
    [sdist] = (folder / "dist").glob("*.tar.gz")
    version = sdist.name.removesuffix(".tar.gz").rpartition("-")[2]
    changelog = (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    recipe = (REPOSITORY / "recipe" / "recipe.yaml").read_text("utf-8")
    checksum = hashlib.sha256(sdist.read_bytes()).hexdigest()
    (folder / "notes.md").write_text(notes_of(version, changelog), "utf-8")
    (folder / "recipe.yaml").write_text(filled(recipe, version, checksum), "utf-8")
    tag = os.environ.get("TAG", "")
    missing = problems(version, tag, changelog, project)
    for problem in missing:
        print(f"not ready: {problem}")
    if tag and missing:
        sys.exit(1)
    print(f"{folder / 'notes.md'} and {folder / 'recipe.yaml'} are of {version}")


if __name__ == "__main__":
    main()
