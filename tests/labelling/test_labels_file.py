"""What was said is on disk when it is said, whatever happens next."""

import errno
import os

import pytest

from imbtext.labelling import Decision, LabelsFile
from imbtext.tables import DocumentColumns, TableError, TableWarning, read_documents

TEXTS = ["oil, up", 'she said "rain"\nand left', "=cmd()", "ice\r\nand snow", "sun"]
TIME = "2026-01-01T00:00:00Z"


def said(row, decision, labeller="anna", **more):
    return Decision(row, decision, labeller, time=TIME, **more)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "labels.csv"


def opened(path, texts=TEXTS):
    return LabelsFile(path, {"body": texts})


def test_a_decision_is_on_disk_before_add_returns(path):
    with opened(path) as file:
        for row, decision in enumerate(["yes", "no", "unsure", "yes"]):
            file.add(said(row, decision, note='a, "note"\nof two lines'))
            copy = path.with_name("copy.csv")
            copy.write_bytes(path.read_bytes())
            with opened(copy) as again:
                assert list(again) == list(file)
            copy.unlink()


def test_train_reads_the_last_label_of_each_document_and_no_others(path):
    with opened(path) as file:
        for row, decision in enumerate(["yes", "no", "unsure", "skip", "no"]):
            file.add(said(row, decision))
        file.add(said(4, "yes"))  # a second thought
        file.add(said(0, "yes", "ben"))  # agrees: the document still counts once
    with pytest.warns(TableWarning, match="no label"):
        read = read_documents(path, DocumentColumns("body", "label"))
    assert sorted(zip(read.texts, read.labels, strict=True)) == sorted(
        [(TEXTS[0], "yes"), (TEXTS[1], "no"), (TEXTS[4], "yes")]
    )


def test_labellers_who_disagree_leave_no_label_until_it_is_settled(path):
    with opened(path) as file:
        file.add(said(0, "yes"))
        file.add(said(0, "no", "ben"))
        assert file.disputed == [0]
        assert file.label_of(0) is None
        file.add(said(0, "no", "ben", chosen="disagreement"))
        assert file.disputed == []
        assert file.label_of(0) == "no"
    with opened(path) as again:
        assert again.label_of(0) == "no"


@pytest.mark.parametrize("n_bytes", [1, 5, 20, 30])
def test_half_a_line_that_a_kill_left_is_dropped_and_the_rest_is_there(path, n_bytes):
    with opened(path) as file:
        file.add(said(0, "yes"))
        before = path.read_bytes()
        file.add(said(1, "no"))
        whole = path.read_bytes()
    path.write_bytes(whole[: len(before) + n_bytes])
    with pytest.warns(TableWarning, match="cut off"):
        again = opened(path)
    with again:
        assert [decision.row for decision in again] == [0]
        again.add(said(1, "no"))
    assert path.read_bytes() == whole


def test_a_last_line_without_its_end_is_kept(path):
    with opened(path) as file:
        file.add(said(0, "yes"))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    with opened(path) as again:
        again.add(said(1, "no"))
        assert [decision.row for decision in again] == [0, 1]


def test_a_full_disk_saves_nothing_and_says_so(path, monkeypatch):
    with opened(path) as file:
        file.add(said(0, "yes"))
        before = path.read_bytes()

        def full(_handle):
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(OSError, match="No space left"):
                file.add(said(1, "no"))
        assert path.read_bytes() == before
        assert file.label_of(1) is None
        file.add(said(1, "no"))
        assert file.label_of(1) == "no"


def test_rows_that_moved_are_found_by_their_content(path):
    with opened(path) as file:
        file.add(said(1, "yes"))
        file.add(said(4, "no"))
    with pytest.warns(TableWarning, match="does not have"):
        moved = opened(path, ["new", *TEXTS[:4]])
    with moved as again:
        assert [(one.row, one.decision) for one in again] == [(2, "yes")]
        again.add(said(2, "no"))  # writes all anew
    assert "sun" in path.read_text()


def test_two_processes_do_not_write_one_file(path):
    with opened(path), pytest.raises(ValueError, match="another imbtext label"):
        opened(path)
    opened(path).close()


def test_columns_of_the_table_keep_their_names(path):
    with LabelsFile(path, {"note": ["a", "b"], "label": ["c", "d"]}) as file:
        file.add(said(0, "yes"))
        assert file.label_column == "imbtext_label"
    assert path.read_text().startswith("row,note,label,imbtext_label,decision")


def test_a_file_of_other_columns_is_refused(path):
    path.write_text("a,b\n1,2\n")
    with pytest.raises(TableError, match="name another file"):
        opened(path)
    assert path.read_text() == "a,b\n1,2\n"
