"""No headline of a page compares with less than the best free remedy."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "docs" / "_build" / "html"
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "start").glob("*.md")),
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
    *sorted((ROOT / "cookbook").glob("*.py")),
    *sorted((ROOT / "examples").glob("*.py")),
    *(page for name in ("index", "example/report") if (page := BUILT / f"{name}.html").exists()),
]
# As `in_words` says it: what the others found, each by its name.
BESIDE = re.compile(r"(?:[Ff]inds|found) [^.()]*\(([^()]*the plain classifier: [\d,]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_headline_names_a_free_remedy_beside_the_plain_classifier(page):
    text = " ".join(re.sub(r"</?(?:span|strong)[^>]*>", "", page.read_text("utf-8")).split())
    assert not re.findall(r"\([\d,]+(?: of [\d,]+)? before\)", text)
    alone = [said for said in BESIDE.findall(text) if said.startswith("the plain classifier")]
    assert alone == []


def test_the_example_report_leaves_no_free_remedy_out():
    from imbtext.comparison._choice import Effort
    from imbtext.comparison._settings import default_methods
    from imbtext.methods._registry import with_settings

    made = (ROOT / "docs" / "_ext" / "pictures.py").read_text("utf-8")
    named = re.search(r"--methods '([^']+)'", made).group(1).split(",")
    compared = {with_settings(name, "f2", "auto", "english") for name in named}
    free = {name for name in default_methods("f2") if Effort.of(name) <= Effort.SETTING}
    assert "characters(f2)" in free
    assert free <= compared


def test_the_words_of_a_headline_are_recognised():
    from imbtext.comparison._headline import Finds, in_words

    ours, plain = Finds("ours", 82, 102, 82, 92), Finds("the plain classifier", 55, 102, 55, 56)
    said = f"Finds {in_words([ours, plain], 'reports')[0]}"
    assert BESIDE.findall(said) == ["the plain classifier: 55"]
