"""The indexes of results and of benchmarks name all there is, and commands that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
RESULTS = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
CLAIMS = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")


def rows(text):
    """Cells of the rows that begin with a link."""
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| [")]


def test_every_folder_of_results_has_a_sentence_a_command_and_a_day():
    named = {re.search(r"\((.+?)/README\.md\)", cells[0]).group(1) for cells in rows(RESULTS)}
    here = {path.parent.name for path in (ROOT / "results").glob("*/README.md")}
    paper = {path.parent for path in (ROOT / "paper" / "results").rglob("README.md")}
    of_paper = {f"../{path.relative_to(ROOT).as_posix()}" for path in paper}
    assert named == here | of_paper
    for _, sentence, command, day in rows(RESULTS):
        assert sentence.endswith(".")
        assert re.match(r"`python (benchmarks/|-m paper )", command)
        assert re.fullmatch(r"2\d{3}-\d\d-\d\d", day)


def test_commands_name_scripts_that_are_there():
    for path in re.findall(r"python (benchmarks/[\w/]+(?:\.py)?)", RESULTS + CLAIMS):
        assert (ROOT / path).exists(), path


def test_claims_name_scripts_that_are_there():
    for name in re.findall(r"`(\w+)\.py`", CLAIMS):
        assert (ROOT / "benchmarks" / f"{name}.py").exists(), name


def test_claims_have_the_numbers_of_their_results(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_ext"))
    numbers = __import__("numbers_from_results").numbers(ROOT)
    labelling = (ROOT / "results" / "labelling" / "README.md").read_text(encoding="utf-8")
    read = re.search(r"\| reported \| 95% \| ([\d.]+) \|", labelling).group(1)
    for claim in (
        "ranks best of thirteen methods on {halves_first} of {halves_sets} held-out halves, and "
        "decides best on {halves_first_f1} (F1) and {halves_first_f2} (F2)".format(**numbers),
        "in all {n_rare_cells} cells".format(**numbers),
        "published ones by {mean_difference} on average".format(**numbers),
        f"reads {read} times as many documents",
    ):
        assert claim in CLAIMS, claim


def test_data_and_prose_alone_stand_in_results():
    for folder in (ROOT / "results", ROOT / "paper" / "results"):
        assert not list(folder.rglob("*.py"))


def test_numbers_have_a_zero_before_the_point():
    for folder in ("results", "paper/results", "docs/guides"):
        for path in (ROOT / folder).rglob("*.md"):
            text = re.sub(r"`[^`]*`|```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
            assert not re.findall(r"(?<![\w.\])/}])\.\d", text), path
