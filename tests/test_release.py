"""What stands in more than one place for the release says the same in each."""

import json
import re
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import imbtext

REPOSITORY = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def project():
    text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]


@pytest.fixture(scope="module")
def recipe():
    return (REPOSITORY / "recipe" / "recipe.yaml").read_text(encoding="utf-8")


def test_conda_asks_for_what_pip_asks_for(project, recipe):
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    asked = {tuple(line.strip("- ").split(" ")) for line in run.splitlines()}
    asked.remove(("python", ">=${{", "python_min", "}}"))
    # The recipe is for the Pythons that conda-forge builds for.
    asked_of_pip = [r.partition(";")[0] for r in project["dependencies"] if ">= '3.15'" not in r]
    promised = [re.split("(?=>=)", requirement) for requirement in asked_of_pip]
    assert asked == {(name.lower(), version) for name, version in promised}
    assert f"imbtext = {project['scripts']['imbtext']}" in recipe


def test_the_recipe_is_of_a_version_that_exists(recipe):
    version = re.search(r'version: "(.*)"', recipe)[1]
    changelog = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    assert version == imbtext.__version__ or f"## {version}" in changelog


def test_the_site_offers_this_version():
    offered = json.loads((REPOSITORY / "docs" / "extra" / "versions.json").read_text("utf-8"))
    assert imbtext.__version__ in {entry["version"] for entry in offered}


def test_a_release_is_the_newest_in_the_changelog_and_a_development_version_is_not():
    changelog = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", changelog, re.MULTILINE)[1]
    release, development, _ = imbtext.__version__.partition(".dev")
    assert (newest == release) is not bool(development)


def release_notes():
    spec = spec_from_file_location("release_notes", REPOSITORY / ".ci" / "release_notes.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_release_is_refused_until_all_is_ready():
    placeholders = {
        "urls": {"Source": "https://imbalanced-text.example/source/"},
        "authors": [{"name": "Us", "email": "maintainers@imbalanced-text.example"}],
    }
    assert release_notes().problems("0.2.0.dev0", "v0.2.0", "## 0.1.0 (2026)", placeholders) == [
        "the tag is v0.2.0, the version 0.2.0.dev0",
        "0.2.0.dev0 is a development version",
        "CHANGELOG.md has no section 0.2.0.dev0; run towncrier build",
        "[project.urls] in pyproject.toml still has placeholders",
        "the address in authors of pyproject.toml is still a placeholder",
    ]
    ready = {
        "urls": {"Source": "https://somewhere.org/imbalanced-text"},
        "authors": [{"name": "Us", "email": "us@somewhere.org"}],
    }
    assert release_notes().problems("0.2.0", "v0.2.0", "## 0.2.0 (2026)", ready) == []


def test_notes_and_recipe_are_those_of_the_release(recipe):
    changelog = "# Changelog\n\n## 0.2.0 (2026)\n\nNew.\n\n## 0.1.0 (2025)\n\nOld.\n"
    assert release_notes().notes_of("0.2.0", changelog) == "New.\n"
    filled = release_notes().filled(recipe, "0.2.0", "ab" * 32)
    assert 'version: "0.2.0"' in filled
    assert f'sha256: "{"ab" * 32}"' in filled
    assert len(filled.splitlines()) == len(recipe.splitlines())


def test_actions_are_pinned_and_no_job_writes_without_need():
    for path in (REPOSITORY / ".github" / "workflows").glob("*.yml"):
        text = path.read_text("utf-8")
        used = re.findall(r"uses: (\S+)", text)
        assert [name for name in used if not re.search("@[0-9a-f]{40}$", name)] == []
        assert "\npermissions:\n  contents: read\n" in text
        assert "secrets." not in text
