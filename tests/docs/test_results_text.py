"""The pages of results show texts that stand beside results, and in their order."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "results").glob("*.md"))


def shown_texts(page):
    """Yield each part of a text that a page shows."""
    for name, options in re.findall(r"```\{results-text\} (\S+)\n(.*?)```", page, re.S):
        text = (ROOT / name).read_text(encoding="utf-8")
        marks = {key: mark.strip('"') for key, mark in re.findall(r":(\w+): (.+)", options)}
        text = text[text.index(marks["from"]) :]
        yield text[: text.index(marks["until"])] if "until" in marks else text


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_no_section_is_shown_before_the_paragraphs_that_precede_it(page):
    """A directive puts its sections before its paragraphs, so it shows one kind or the other."""
    for text in shown_texts(page.read_text(encoding="utf-8")):
        has_sections = re.search(r"^#+ ", text, re.M) is not None
        assert text.startswith("#") or not has_sections, text[:80]


@pytest.mark.parametrize(
    "page", [path for path in PAGES if path.stem != "index"], ids=lambda path: path.stem
)
def test_every_page_of_results_shows_a_command_that_made_it(page):
    text = page.read_text(encoding="utf-8")
    shown = [re.sub(r"```\{.*?```", "", text, flags=re.S), *shown_texts(text)]
    assert re.search(r"python (-m paper|benchmarks/)", "".join(shown))


def test_every_number_of_the_first_page_has_a_link_to_its_results():
    text = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    parts = re.split(r"\n\n|\n\* ", text)
    stated = [part for part in parts if "{{" in part]
    assert len(stated) >= 4
    for part in stated:
        assert re.search(r"\]\(results/(?!index)\w+\.md\)", part), part
