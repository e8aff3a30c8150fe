"""Files of counts: what is read is what was written, and damage is refused."""

import numpy as np
import pytest

from imbtext import EMCO
from imbtext.markov import CorpusCounts, CountsAccumulator, load_counts, save_counts
from tests.archives import assert_same_counts, changed_archive


def counted(texts, labels) -> CorpusCounts:
    accumulator = CountsAccumulator()
    accumulator.add(texts, labels)
    return accumulator.result()


@pytest.fixture
def counts():
    return counted(["oil up", "gold", "oil price up", ""], ["a", "b", "b", "c"])


def assert_same(one, two):
    assert one.vocabulary.to_list() == two.vocabulary.to_list()
    assert dict(one.sizes) == dict(two.sizes)
    for label, own in one.classes.items():
        assert np.array_equal(own.word_ids, two.classes[label].word_ids)
        assert_same_counts(own.counts, two.classes[label].counts)


def test_what_is_read_is_what_was_written(counts, tmp_path):
    path = tmp_path / "c.counts"
    save_counts(counts, path)
    assert_same(load_counts(path), counts)
    empty = CountsAccumulator().result()
    save_counts(empty, path)
    assert_same(load_counts(path), empty)


def test_counts_of_two_files_add_up_to_those_of_one(tmp_path):
    first, second = ["oil up", "gold up"], ["silver", "oil oil gold", "up"]
    save_counts(counted(first, ["a", "b"]), tmp_path / "1")
    save_counts(counted(second, ["b", "c", "a"]), tmp_path / "2")
    both = load_counts(tmp_path / "1") + load_counts(tmp_path / "2")
    assert_same(both, counted(first + second, ["a", "b", "b", "c", "a"]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"vocabulary": ["oil", "gold", "price", "up"]}, "not distinct and in order"),
        ({"vocabulary": [1, 2, 3, 4]}, "something other than words"),
        ({"vocabulary": {"gold": 0, "oil": 1, "price": 2, "up": 3}}, "something other than words"),
        ({"label": "a"}, "not distinct"),
        ({"size": 1}, "fewer documents"),
        ({"size": "2"}, "not of the type int"),
        ({"vocabulary": ["gold", "oil", "price", "up", "zinc"]}, "no class has"),
        ({"classes": []}, "no class has"),
    ],
)
def test_files_that_do_not_hold_together_are_refused(counts, tmp_path, change, message):
    def swap(about, _):
        stored = about["counts"]
        (stored if change.keys() <= stored.keys() else stored["classes"][1]).update(change)

    path = tmp_path / "c.counts"
    save_counts(counts, path)
    changed_archive(path, swap)
    with pytest.raises(ValueError, match=message):
        load_counts(path)


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "c.counts"
    path.write_text("oil")
    with pytest.raises(ValueError, match=r"c\.counts is not a file of counts"):
        load_counts(path)


def test_labels_that_no_file_holds(tmp_path):
    with pytest.raises(TypeError, match=r"labels such as .* \(tuple\) cannot be saved"):
        save_counts(counted(["oil"], [("a", "b")]), tmp_path / "c")
    with pytest.raises(ValueError, match="the label inf cannot be saved; use finite numbers"):
        save_counts(counted(["oil"], [float("inf")]), tmp_path / "c")


@pytest.mark.parametrize("indptr", [[0, 5000, 0], [0, -1, 0], [1, 1, 0], [0, 0, 1], [0, 0], []])
def test_rows_of_transitions_that_end_out_of_bounds_are_refused(tmp_path, indptr):
    # Nothing is stored in this class, so scipy does not look at indptr, and then writes there.
    path = tmp_path / "chain"
    EMCO().fit(["oil", "crude", "gold up", "gold"], list("aabb")).save(path)
    values = np.array(indptr, dtype=np.int64)
    name = "counts.classes.0.counts.counts.pairs.indptr"
    changed_archive(path, lambda _, arrays: arrays.update({name: values}))
    with pytest.raises(ValueError, match=r"rows of transitions|something other than counts"):
        EMCO.load(path)
