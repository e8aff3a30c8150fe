"""A file is opened once to look and once to read."""

import sys
from collections import Counter
from functools import partial

import polars as pl
import pytest

from imbtext import RareTextClassifier
from imbtext.documents import Roles
from imbtext.files import predict_file
from imbtext.tables import read_documents

# The model predicts the documents that it was trained on, and says so.
pytestmark = pytest.mark.filterwarnings("ignore::imbtext.rare.UnfamiliarTextWarning")
OPENED = Counter()


def _count(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and "w" not in str(arguments[1]):
        OPENED[arguments[0]] += 1


sys.addaudithook(_count)  # which nothing can remove again
TEXTS = ["oil price up", "crude oil price"] * 6 + ["rain today", "sun and rain"] * 20
LABELS = ["oil"] * 12 + ["weather"] * 40


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "t.csv"
    rows = [f"{text},{label}" for text, label in zip(TEXTS, LABELS, strict=True)]
    path.write_text("\n".join(["body,topic", *rows]))
    OPENED.clear()
    return path


@pytest.fixture(scope="module")
def model():
    return RareTextClassifier(random_state=0).fit(TEXTS, LABELS)


@pytest.mark.parametrize("out", ["out.csv", "out.jsonl", "out.parquet"])
@pytest.mark.parametrize("options", [{}, {"top": 3}, {"explain": True}, {"id_column": "topic"}])
def test_predict_opens_its_input_twice(model, path, tmp_path, out, options):
    predict_file(model, path, tmp_path / out, text="body", **options)
    assert OPENED[str(path)] == 2


def test_alarms_are_counted_in_a_pass_of_their_own(model, path, tmp_path):
    predict_file(model, path, tmp_path / "out.csv", text="body", alarms=5)
    assert OPENED[str(path)] == 3


def test_training_documents_are_read_once(path):
    read_documents(path, Roles.of("body", label="topic"))
    assert OPENED[str(path)] == 2


def test_train_opens_its_input_twice(path, tmp_path, run_command):
    command = ("train", path, "-o", tmp_path / "m.model", "--text", "body", "--label", "topic")
    command = (*command, "--quiet", "--class", "oil")
    assert run_command(*command).code == 0
    assert OPENED[str(path)] == 2


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_train_opens_a_table_that_is_too_large_twice_too(ending, tmp_path, run_command):
    texts = [f"{text} {i}" for i, text in enumerate(TEXTS * 30)]
    table = pl.DataFrame({"body": texts, "topic": LABELS * 30})
    path = tmp_path / f"t.{ending}"
    write = {
        "csv": table.write_csv,
        "jsonl": table.write_ndjson,
        "parquet": partial(table.write_parquet, compression="uncompressed"),
    }
    write[ending](path)
    OPENED.clear()
    command = ("train", path, "-o", tmp_path / "m.model", "--text", "body", "--label", "topic")
    result = run_command(*command, "--class", "oil", "--memory", "0.001")
    assert result.code == 0
    assert "documents of the class and " in result.out + result.err
    assert OPENED[str(path)] == 2


def test_keys_of_json_lines_are_read_before_a_header_is_written(model, tmp_path):
    path = tmp_path / "t.jsonl"
    pl.DataFrame({"body": TEXTS}).write_ndjson(path)
    for out, n_opened in (("out.jsonl", 2), ("out.csv", 3)):
        OPENED.clear()
        predict_file(model, path, tmp_path / out, text="body")
        assert OPENED[str(path)] == n_opened
