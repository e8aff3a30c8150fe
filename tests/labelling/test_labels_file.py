"""What was said is on disk when it is said, whatever happens next."""

import csv
import errno
import os

import pytest

from imbtext.labelling import _labels_file
from imbtext.labelling._decisions import Decision
from imbtext.labelling._labels_file import LabelsFile
from imbtext.tables import Roles, TableError, TableWarning, read_documents

TEXTS = ["oil, up", 'she said "rain"\nand left', "=cmd()", "ice\r\nand snow", "sun"]
TIME = "2026-01-01T00:00:00Z"


def said(row, decision, labeller="anna", **more):
    return Decision(row, decision, labeller, time=TIME, **more)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "labels.csv"


def opened(path, texts=TEXTS):
    return LabelsFile(path, {"body": texts})


def labels_of(file):
    return {one.row: one.decision for one in file}


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
        read = read_documents(path, Roles.of("body", label="label"))
    assert sorted(zip(read, read.y, strict=True)) == sorted(
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


def test_two_names_of_a_file_share_its_lock(path):
    link = path.with_name("link.csv")
    with opened(path):
        link.symlink_to(path)
        with pytest.raises(ValueError, match="another imbtext label"):
            opened(link)


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_the_lock_never_follows_a_link(path):
    other = path.with_name("precious.txt")
    other.write_text("years of work")
    path.with_name(".labels.csv.lock").symlink_to(other)
    with pytest.raises(OSError, match=r"cannot lock .*csv\.lock: it is a symbolic link; remove"):
        opened(path)
    assert other.read_text() == "years of work"


def test_a_file_that_stands_where_the_lock_goes_is_left_alone(path):
    others = path.with_name(".labels.csv.lock")
    others.write_text("years of work")
    with pytest.raises(OSError, match="it holds something that imbtext did not write; move it"):
        opened(path)
    assert others.read_text() == "years of work"


def test_a_disk_without_locks_is_named(path, monkeypatch):
    def refuse(_lock):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(_labels_file.FileLock, "acquire", refuse)
    with pytest.raises(OSError, match="No locks available; keep the labels on a disk"):
        opened(path)


def test_a_file_that_stands_where_disagreements_go_is_left_alone(path):
    others = path.with_suffix(".disagreements.csv")
    others.write_text("body,topic\noil,yes\n")
    with pytest.raises(ValueError, match="another program wrote it; name another file"):
        opened(path)
    assert others.read_text() == "body,topic\noil,yes\n"
    assert not path.exists()


def test_a_row_number_of_thousands_of_digits_is_no_row(path):
    with opened(path) as file:
        file.add(said(1, "yes"))
    path.write_text(path.read_text().replace("\n1,", f"\n{'1' * 4301},"))
    with opened(path) as file:  # the text says which document it is
        assert [one.row for one in file] == [1]


def test_columns_of_the_table_keep_their_names(path):
    with LabelsFile(path, {"note": ["a", "b"], "label": ["c", "d"]}) as file:
        file.add(said(0, "yes"))
        assert file.own_column("label") == "imbtext_label"
    assert path.read_text().startswith("row,note,label,imbtext_label,decision")


@pytest.mark.parametrize("content", ["a,b\n1,2\n", "a,b\n1,2", "a", 'a,"b'])
def test_a_file_of_other_columns_is_refused_and_left_alone(path, content):
    path.write_text(content)
    with pytest.raises(TableError, match="name another file"):
        opened(path)
    assert path.read_text() == content


def test_skipping_a_disagreement_does_not_settle_it(path):
    with opened(path) as file:
        file.add(said(0, "yes"))
        file.add(said(0, "no", "ben"))
        for decision in ("skip", "unsure"):
            file.add(said(0, decision, "carl", chosen="disagreement"))
            assert file.disputed == [0]
            assert file.label_of(0) is None
        file.add(said(0, "yes", "carl", chosen="disagreement"))
        assert file.disputed == []
        assert file.label_of(0) == "yes"


def test_what_could_not_be_saved_leaves_the_order_as_it_was(path, monkeypatch):
    with opened(path) as file:
        for row in range(3):
            file.add(said(row, "no"))
        before = list(file)
        with monkeypatch.context() as patch:
            patch.setattr(file, "_write_all", lambda: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                file.add(said(0, "yes"))
        assert list(file) == before
        assert file.last_of("anna").row == 2


def test_documents_that_are_alike_keep_a_label_each_when_they_move(path):
    texts = ["rain", "rain", "sun", "rain"]
    with opened(path, texts) as file:
        for row, decision in enumerate(["yes", "no", "unsure"]):
            file.add(said(row, decision))
    with opened(path, ["new", *texts]) as again:
        assert sorted(labels_of(again).values()) == ["no", "unsure", "yes"]
        assert labels_of(again)[3] == "unsure"
    with path.open(newline="") as stream:
        rows = {int(line["row"]): line["body"] for line in csv.DictReader(stream)}
    assert rows == {row: ["new", *texts][row] for row in rows}
    with pytest.warns(TableWarning, match="1 line about"):
        fewer = opened(path, ["sun", "rain"])
    with fewer:
        assert len(list(fewer)) == 2
    assert path.read_text().count("rain") == 2


def test_a_document_is_known_by_its_text_and_id_and_not_by_what_is_shown(path):
    def with_days(days, ids=("007", "008"), texts=("rain", "rain")):
        return LabelsFile(path, {"id": ids, "body": texts, "day": days}, ["body"], "id")

    with with_days(["Mon", "Tue"]) as file:
        file.add(said(1, "yes"))
    with with_days(["Wed", "Thu"]) as again:
        assert labels_of(again) == {1: "yes"}
    assert "Thu" in path.read_text()
    with with_days(["Wed", "Thu"], ["008", "007"]) as again:
        assert labels_of(again) == {0: "yes"}
    with with_days(["Wed", "Thu"], ["8", "7"]) as again:  # as spreadsheets change ids
        assert labels_of(again) == {0: "yes"}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_file_that_a_spreadsheet_wrote_is_read_and_written_as_before(path, delimiter):
    with opened(path) as file:
        for row, decision in enumerate(["yes", "no", "unsure", "yes"]):
            file.add(said(row, decision, note="a; b"))
    before = path.read_bytes()
    with path.open(newline="") as stream:
        lines = list(csv.reader(stream))
    with path.open("w", newline="", encoding="utf-8-sig") as stream:
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\r\n")
        writer.writerows([[cell.replace("\r\n", "\n") for cell in line] for line in lines])
    with opened(path) as again:
        assert labels_of(again) == {0: "yes", 1: "no", 2: "unsure", 3: "yes"}
        assert path.read_bytes() == before
        again.add(said(4, "no"))
    assert path.read_bytes().startswith(before)


def test_an_edited_decision_counts_and_an_edited_label_is_refused(path):
    with opened(path) as file:
        file.add(said(0, "no"))
        file.add(said(4, "no"))
    edited = path.read_text().replace("sun,no,no", "sun,yes,no")
    path.write_text(edited)
    with pytest.raises(TableError, match="the label 'yes' for row 4, but its decisions give 'no'"):
        opened(path)
    assert path.read_text() == edited
    path.write_text(edited.replace("sun,yes,no", "sun,,yes"))
    with opened(path) as again:
        assert again.label_of(4) == "yes"
    assert "sun,yes,yes" in path.read_text()
    path.write_text(path.read_text().replace("sun,yes,yes", "sun,,"))
    with pytest.warns(TableWarning, match="without a decision"):
        cleared = opened(path)
    with cleared:
        assert labels_of(cleared) == {0: "no"}


def test_a_quotation_mark_that_never_ends_loses_no_labels(path):
    with opened(path) as file:
        for row in (0, 2, 4):
            file.add(said(row, "yes"))
    whole = path.read_text()
    path.write_text(whole.replace("0,", '0,"', 1))
    with pytest.raises(TableError, match=r"line 2 of .*quotation mark"):
        opened(path)
    assert path.read_text() == whole.replace("0,", '0,"', 1)
    path.write_text(whole.replace("yes,yes,anna,", 'yes,yes,anna,5" disk', 1))
    with opened(path) as again:
        assert [one.note for one in again] == ['5" disk', "", ""]


def test_another_encoding_is_named_without_options_of_the_documents(path):
    with opened(path) as file:
        file.add(said(0, "yes", note="\u00fc"))
    path.write_bytes(path.read_text("utf-8").encode("latin-1"))
    with pytest.raises(TableError, match="Save the file as CSV in UTF-8") as caught:
        opened(path)
    assert "pass " not in str(caught.value)
    assert not caught.value.setting


def test_changes_of_another_program_are_not_overwritten(path):
    with opened(path) as file:
        file.add(said(0, "yes"))
        edited = path.read_text().replace("yes,yes", "no,no")
        path.write_text(edited)
        for change in (
            lambda: file.add(said(1, "no")),
            lambda: file.add(said(0, "unsure")),
            lambda: file.remove(file.last_of("anna")),
        ):
            with pytest.raises(OSError, match="another program changed it"):
                change()
        assert labels_of(file) == {0: "yes"}
    assert path.read_text() == edited


def test_a_file_that_another_program_removed_is_written_again(path):
    with opened(path) as file:
        file.add(said(0, "yes"))
        path.unlink()
        file.add(said(1, "no"))
    with opened(path) as again:
        assert labels_of(again) == {0: "yes", 1: "no"}
