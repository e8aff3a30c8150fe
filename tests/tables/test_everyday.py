"""Everyday files: spreadsheets, zip archives with one table, JSON arrays."""

import json
import zipfile

import polars as pl
import pytest

from imbtext import RareTextClassifier
from imbtext.documents import Roles
from imbtext.files import predict_file
from imbtext.tables import TableError, read_documents

fastexcel = pytest.importorskip("fastexcel")
xlsxwriter = pytest.importorskip("xlsxwriter")
openpyxl = pytest.importorskip("openpyxl")
ROLES = Roles.of("body", label="topic")
ROWS = [("oil up", "oil", "007"), ("sun", "rain", "1"), ("=cmd", "rain", "2")]


def workbook(path, above=()):
    with xlsxwriter.Workbook(path) as book:
        book.add_worksheet("empty")
        sheet = book.add_worksheet("data")
        for i, row in enumerate([*above, ("body", "topic", "id"), *ROWS]):
            for j, cell in enumerate(row):
                sheet.write_string(i, j, cell)
    return path


@pytest.mark.parametrize("above", [(), (("Tickets of May",), ())])
def test_a_workbook_is_read_from_its_header_row(tmp_path, above):
    documents = read_documents(workbook(tmp_path / "t.xlsx", above), ROLES)
    assert (documents.to_list(), documents.y) == (
        [text for text, _, _ in ROWS],
        [topic for _, topic, _ in ROWS],
    )


def test_a_zip_with_one_table(tmp_path):
    table = "\n".join(["body,topic", *(f"{text},{topic}" for text, topic, _ in ROWS)])
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("folder/t.csv", table)
        archive.writestr("__MACOSX/._t.csv", "x")
        archive.writestr("README", "x")
    assert read_documents(tmp_path / "t.zip", ROLES).y == ["oil", "rain", "rain"]
    with zipfile.ZipFile(tmp_path / "t.zip", "a") as archive:
        archive.writestr("u.csv", table)
    with pytest.raises(TableError, match=r"zip archive with 'folder/t.csv', 'u.csv'; expected one"):
        read_documents(tmp_path / "t.zip", ROLES)


def test_a_json_array(tmp_path):
    name = "t.json"
    rows = [{"body": text, "topic": topic} for text, topic, _ in ROWS]
    (tmp_path / name).write_text(json.dumps(rows, indent=1))
    assert read_documents(tmp_path / name, ROLES).y == ["oil", "rain", "rain"]
    (tmp_path / name).write_text("[1]")
    with pytest.raises(TableError, match="JSON array whose entry 0 is '1'; expected objects"):
        read_documents(tmp_path / name, ROLES)


@pytest.mark.parametrize("source", ["t.xlsx", "t.parquet"])
def test_predictions_go_into_a_workbook_with_filters(tmp_path, source):
    if source == "t.xlsx":
        workbook(tmp_path / source)
    else:
        pl.DataFrame(ROWS, ["body", "topic", "id"], orient="row").write_parquet(tmp_path / source)
    texts = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain"] * 12
    model = RareTextClassifier(random_state=0).fit(texts, ["oil"] * 6 + ["weather"] * 24)
    predict_file(model, tmp_path / source, tmp_path / "queue.xlsx", text="body")
    sheet = openpyxl.load_workbook(tmp_path / "queue.xlsx").active
    rows = list(sheet.iter_rows(values_only=True))
    assert rows[0][:4] == ("body", "topic", "id", "decision")
    assert [row[:3] for row in rows[1:]] == ROWS
    assert isinstance(rows[1][4], float)
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref.startswith("A1:")
