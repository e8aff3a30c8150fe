"""A page is listed under the title that it has, so that readers recognise where they are."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
LISTS = ["guides/index.md", "guides/your_own.md", "start/index.md", "results/index.md"]


@pytest.mark.parametrize("page", LISTS)
def test_entries_are_the_titles_of_their_pages(page):
    path = DOCS / page
    entries = re.findall(r"^\* \[([^]]+)\]\(([^)#]+\.md)\)", path.read_text("utf-8"), flags=re.M)
    assert len(entries) > 2
    for entry, target in entries:
        title = re.search(r"^# (.+)$", (path.parent / target).read_text("utf-8"), flags=re.M)
        assert title is not None
        assert entry == title[1]
