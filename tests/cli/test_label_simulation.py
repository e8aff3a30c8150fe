"""``imbtext label --simulate`` says what the function finds, and draws it."""

import csv
import subprocess
import sys

from imbtext.labelling import simulate

TEXTS = ["oil price", "crude oil", "rain", "sun", "ice", "more rain"] * 4
TOPICS = ["oil", "oil", "rain", "sun", "ice", "rain"] * 4


def run(tmp_path, *arguments):
    path = tmp_path / "all.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(
            [["body", "topic"], *zip(TEXTS, TOPICS, strict=True), ["snow", ""]]
        )
    command = [sys.executable, "-m", "imbtext", "label", str(path), "--text", "body", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)


def test_says_what_the_function_says_and_draws_it(tmp_path):
    chart = tmp_path / "chart.svg"
    options = ["--simulate", "--label", "topic", "--class", "oil", "--words", "oil"]
    result = run(tmp_path, *options, "--chart", str(chart))
    assert result.returncode == 0, result.stderr
    expected = simulate(TEXTS, TOPICS, "oil", words=["oil"]).sentences()
    assert result.stdout.splitlines()[: len(expected)] == expected
    assert chart.read_text().startswith("<svg")


def test_mistakes_are_one_line(tmp_path):
    for arguments, message in [
        (["--simulate"], "--simulate needs the labels"),
        (["--simulate", "--label", "topic"], "4 classes"),
        ([], "with -o"),
        (["-o", str(tmp_path / "x.csv"), "--chart", "x.svg"], "--chart draws"),
    ]:
        result = run(tmp_path, *arguments)
        assert result.returncode == 2
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1
