"""The file format: exact round trips, and nothing read that the header does not account for."""

import json
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from imbtext.records import read_archive, write_archive

ARRAYS = {"a": np.arange(5), "b": np.ones((2, 3)), "none": np.zeros((0, 2), dtype=np.int32)}


def read(path):
    return read_archive(path, "thing", [1], lambda _, *content: content)


@given(
    arrays=st.dictionaries(
        st.text("abc.", min_size=1, max_size=4),
        hnp.arrays(
            st.sampled_from([np.int8, np.int64, np.uint64, np.float32, np.bool_]),
            hnp.array_shapes(min_dims=0, min_side=0),
        ),
        max_size=3,
    ),
    words=st.lists(st.text()),
)
def test_what_is_written_comes_back(tmp_path_factory, arrays, words):
    path = tmp_path_factory.mktemp("archive") / "file"
    try:
        json.dumps(words).encode()
    except UnicodeEncodeError:
        return
    write_archive(path, "thing", 1, {"words": words}, arrays)
    about, back = read(path)
    assert about == {"words": words}
    assert back.keys() == arrays.keys()
    for name, values in arrays.items():
        assert back[name].dtype == values.dtype
        np.testing.assert_array_equal(back[name], values)


def test_the_same_content_gives_the_same_bytes_and_numpy_reads_it(tmp_path):
    for name in ("one", "two"):
        write_archive(tmp_path / name, "thing", 1, {}, ARRAYS)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with zipfile.ZipFile(tmp_path / "one") as archive, archive.open("a.npy") as entry:
        np.testing.assert_array_equal(np.lib.format.read_array(entry), np.arange(5))


def rewritten(path, change, compression=zipfile.ZIP_STORED):
    """Write the archive again with its entries changed."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)


def header(entries, **changed):
    entries["header.json"] = json.dumps(json.loads(entries["header.json"]) | changed).encode()


def lying_shape(entries):
    entries["a.npy"] = entries["a.npy"].replace(b"(5,)", b"(1099511627776,)")


def lying_header(entries):
    arrays = json.loads(entries["header.json"])["arrays"]
    arrays["a"]["shape"] = [2**60]
    header(entries, arrays=arrays)
    lying_shape(entries)


def objects(entries):
    arrays = json.loads(entries["header.json"])["arrays"]
    arrays["a"]["dtype"] = arrays["a"]["stored"] = "|O"
    header(entries, arrays=arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda e: e.update({"more.npy": e["a.npy"]}), "not those that its header names"),
        (lambda e: e.pop("a.npy"), "not those that its header names"),
        (lambda e: e.pop("header.json"), "it has no"),
        (lambda e: header(e, kind="other"), "it holds a other of version 1"),
        (lambda e: header(e, version=2), "it holds a thing of version 2, not of version 1"),
        (lambda e: e.update({"header.json": b"[" * 100_000}), ""),
        (lying_shape, "not have the type, shape or size"),
        (lying_header, "not have the type, shape or size"),
        (objects, "something other than numbers"),
    ],
)
def test_a_file_that_does_not_keep_its_word_is_refused(tmp_path, change, message):
    path = tmp_path / "file"
    write_archive(path, "thing", 1, {}, ARRAYS)
    rewritten(path, change)
    with pytest.raises(ValueError, match="not a thing that this version") as caught:
        read(path)
    assert message in str(caught.value)


def test_bombs_are_refused_unread(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_archive(path, "thing", 1, {}, ARRAYS | {"big": np.zeros(1_000_000)})
    rewritten(path, lambda _: None, zipfile.ZIP_DEFLATED)
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("read"))
    with pytest.raises(ValueError, match="this format does not compress"):
        read(path)


def test_only_numbers_are_written(tmp_path):
    with pytest.raises(TypeError, match="only numbers and booleans"):
        write_archive(tmp_path / "file", "thing", 1, {}, {"a": np.array(["x"])})
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "file")


def test_large_numbers_beside_negative_ones_stay_integers(tmp_path):
    values = np.array([-1, 2**53 + 1])
    write_archive(tmp_path / "a", "thing", 1, {}, {"a": values})
    back = read(tmp_path / "a")[1]["a"]
    assert back.dtype.kind == "i"
    assert back.tolist() == values.tolist()


def test_words_of_any_script_are_stored_as_they_are(tmp_path):
    words = ["\u0446\u0435\u043d\u0430", "\u77f3\u6cb9", 'a "quoted" one\n', "half \ud83d", ""]
    write_archive(tmp_path / "a", "thing", 1, {"words": words}, {})
    assert words[0].encode() in (tmp_path / "a").read_bytes()
    assert read(tmp_path / "a")[0]["words"] == words
