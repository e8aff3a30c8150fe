"""Everyday files: spreadsheets, zip archives with one table, JSON arrays."""

import gzip
import io
import json
import shutil
import zipfile

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imbtext import RareTextClassifier
from imbtext.documents import Roles
from imbtext.files import predict_file
from imbtext.tables import (
    LabelRules,
    Layout,
    TableError,
    TableWarning,
    _excel,
    _jsonl,
    read_documents,
)
from imbtext.tables._jsonl import lines_of_array

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
    packed = tmp_path / "packed.json.gz"
    packed.write_bytes(gzip.compress(json.dumps(rows).encode()))
    assert read_documents(packed, ROLES).y == ["oil", "rain", "rain"]
    (tmp_path / name).write_text("[1]")
    with pytest.raises(TableError, match="JSON array whose entry 0 is '1'; expected objects"):
        read_documents(tmp_path / name, ROLES)


@given(
    rows=st.lists(st.dictionaries(st.text(), st.none() | st.floats(allow_nan=False) | st.text())),
    indent=st.none() | st.integers(0, 3),
    piece=st.integers(1, 50),
)
def test_a_json_array_is_read_in_pieces_of_any_size(rows, indent, piece):
    text = json.dumps(rows, indent=indent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_jsonl, "_PIECE", piece)
        lines = list(lines_of_array(io.StringIO(text), "t.json"))
        assert [json.loads(line) for line in lines] == rows
        assert not any("\n" in line for line in lines)
        with pytest.raises(TableError, match="begins a JSON array and is not JSON"):
            list(lines_of_array(io.StringIO(text[:-1]), "t.json"))
        with pytest.raises(TableError, match="something follows its end"):
            list(lines_of_array(io.StringIO(text + "\n x"), "t.json"))


def test_an_entry_that_fills_the_memory_is_refused(monkeypatch):
    monkeypatch.setattr(_jsonl, "_PIECE", 10)
    monkeypatch.setattr(_jsonl, "LONGEST_LINE", 100)
    with pytest.raises(TableError, match="has a row of more than"):
        list(lines_of_array(io.StringIO(json.dumps([{"body": "oil " * 100}])), "t.json"))


def test_a_folder_of_workbooks_or_of_json_arrays(tmp_path):
    rows = [{"body": text, "topic": topic} for text, topic, _ in ROWS]
    for name in ("may", "june"):
        for kind in ("books", "arrays"):
            (tmp_path / kind).mkdir(exist_ok=True)
        workbook(tmp_path / "books" / f"{name}.xlsx")
        (tmp_path / "arrays" / f"{name}.json").write_text(json.dumps(rows))
    for source in ("books", "arrays", "books/*.xlsx"):
        documents = read_documents(tmp_path / source, ROLES)
        assert documents.y == ["oil", "rain", "rain"] * 2
        assert documents.to_list() == [text for text, _, _ in ROWS] * 2


def test_the_sheet_with_the_most_cells_is_read_unless_one_is_named(tmp_path):
    path = workbook(tmp_path / "t.xlsx")
    book = openpyxl.load_workbook(path)
    book.create_sheet("cover", 0).append(["Export of May"])
    book.create_sheet("other").append(["body", "topic"])
    book["other"].append(["wind", "rain"])
    book.save(path)
    with pytest.warns(TableWarning, match="read from its sheet 'data', which has the most cells"):
        assert read_documents(path, ROLES).y == ["oil", "rain", "rain"]
    layout = Layout(sheet="other")
    rules = LabelRules()
    assert read_documents(path, ROLES, layout, rules, for_test=True).to_list() == ["wind"]
    with pytest.raises(TableError, match=r"no sheet 'Data'; its sheets are .* did you mean 'data'"):
        read_documents(path, ROLES, Layout(sheet="Data"))


def test_workbooks_that_would_fill_the_memory_are_refused(tmp_path, monkeypatch):
    corners = tmp_path / "corners.xlsx"
    with xlsxwriter.Workbook(corners) as book:
        sheet = book.add_worksheet()
        sheet.write_string(0, 0, "body")
        sheet.write_string(1_048_575, 16_383, "far away")
    with pytest.raises(
        ValueError, match=r"17,179,869,184 places of a sheet in .*corners\.xlsx take"
    ):
        read_documents(corners, ROLES)
    monkeypatch.setattr(_excel, "_MOST_BYTES", 10_000)
    with pytest.raises(TableError, match="unpacks to more than 1 GiB; save the table as CSV"):
        read_documents(workbook(tmp_path / "t.xlsx"), ROLES)


@pytest.mark.parametrize(
    ("cells", "n_places"),
    [
        ('<row r="1"><c r="A1"/></row><row r="9"><c s="1" r="AB9" t="s"/></row>', 9 * 28),
        ("<row><c/><c/></row><x:row r='7'><x:c/><x:c/><x:c/></x:row><row><c/></row>", 8 * 3),
        ('<cols><col min="1"/></cols><row r="1048576"><c r="XFD1048576"/></row>', 2**34),
        ('<row r="99999999999"><c/></row>', 99_999_999),
        ("", 0),
    ],
)
@pytest.mark.parametrize("piece", [20, 1 << 20])
def test_places_are_counted_however_cells_say_where_they_are(tmp_path, cells, n_places, piece):
    with (
        pytest.MonkeyPatch.context() as patch,
        zipfile.ZipFile(tmp_path / "t.zip", "w") as archive,
    ):
        patch.setattr(_excel, "_PIECE", piece)
        archive.writestr("sheet", f"<sheetData>{cells}</sheetData>")
        assert _excel._n_places(archive, archive.getinfo("sheet")) == n_places


@pytest.mark.parametrize("part", ["xl/workbook.xml", "xl/worksheets/sheet2.xml"])
def test_a_damaged_workbook_is_refused_in_our_words(tmp_path, part):
    path, cut = workbook(tmp_path / "t.xlsx"), tmp_path / "cut.xlsx"
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(cut, "w") as to:
        for name in archive.namelist():
            content = archive.read(name)
            to.writestr(name, content[: len(content) // (2 if name == part else 1)])
    with pytest.raises(TableError, match=r"cut\.xlsx is a damaged workbook \(.*; save it again"):
        read_documents(cut, ROLES)


def test_a_workbook_cannot_unpack_to_more_than_it_says(tmp_path):
    path, liar = workbook(tmp_path / "t.xlsx"), tmp_path / "liar.xlsx"
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(liar, "w", zipfile.ZIP_DEFLATED) as to:
        for name in archive.namelist():
            content = archive.read(name)
            to.writestr(name, content + b" " * 100_000 * name.endswith("sheet2.xml"))
            said = to.getinfo(name)
            said.file_size = min(
                said.file_size, len(content)
            )  # the directory is written at the end
    with pytest.raises(TableError, match="damaged zip archive or workbook"):
        read_documents(liar, ROLES)


def test_a_zip_needs_room_to_unpack(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t.csv", "body,topic\noil,oil\n")
    usage = shutil.disk_usage(tmp_path)._replace(free=3)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(TableError, match=r"t\.csv in .* has 0\.0 GiB, and .* GiB left; unpack it"):
        read_documents(tmp_path / "t.zip", ROLES)


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
