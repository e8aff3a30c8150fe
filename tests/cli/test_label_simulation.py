"""``imbtext label --simulate`` says what the function finds, and draws it."""

import csv

import pytest

from imbtext.features import encoders
from imbtext.labelling import simulate

TEXTS = ["oil price", "crude oil", "rain", "sun", "ice", "more rain"] * 4
TOPICS = ["oil", "oil", "rain", "sun", "ice", "rain"] * 4


@pytest.fixture
def run(run_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "all.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            [["body", "topic"], *zip(TEXTS, TOPICS, strict=True), ["snow", ""]]
        )
    monkeypatch.setattr(encoders, "is_installed", lambda *_: False)
    return lambda *arguments: run_command("label", "all.csv", "--text", "body", *arguments)


def test_says_what_the_function_says_and_draws_it(run, tmp_path):
    options = ["--simulate", "--label", "topic", "--class", "oil", "--words", "oil"]
    result = run(*options, "--chart", "chart.svg")
    assert result.code == 0, result.err
    expected = simulate(TEXTS, TOPICS, "oil", words=["oil"]).sentences()
    assert result.out.splitlines()[: len(expected)] == expected
    assert (tmp_path / "chart.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--simulate"], "--simulate needs the labels"),
        (["--simulate", "--label", "topic"], "4 classes"),
        ([], "with -o"),
        (["-o", "x.csv", "--chart", "x.svg"], "--chart draws"),
    ],
)
def test_mistakes_are_one_line(run, arguments, message):
    result = run(*arguments)
    assert result.code == 2
    assert message in result.err
    assert len(result.err.splitlines()) == 1
