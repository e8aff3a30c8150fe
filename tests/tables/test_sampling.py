"""All documents of a class and a sample of the others, from tables larger than memory."""

from collections import Counter
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imbtext.documents import Documents
from imbtext.randomness import draw_seed, keyed_generator
from imbtext.tables import Roles, TableError, _csv, _sampling
from imbtext.tables._sampling import Sampling, key_limit, read_sample, sample_in_words

COLUMNS = Roles.of("body", label="topic", group="team", time="day")


@pytest.fixture
def frame():
    n = 3000
    return pl.DataFrame(
        {
            "body": [f"text {i}" for i in range(n)],
            "topic": [
                "oil" if i % 50 == 0 else "crude" if i % 75 == 0 else "rest" for i in range(n)
            ],
            "team": [str(i % 7) for i in range(n)],
            "day": range(n),
        }
    )


def test_the_class_is_kept_and_others_stand_for_those_not_drawn(frame, tmp_path, monkeypatch):
    monkeypatch.setattr(_csv, "_BATCH_ROWS", 100)
    frame.write_csv(tmp_path / "a.csv")
    sample = read_sample(tmp_path / "a.csv", COLUMNS, ["oil", "crude"], 200)
    numbers = [int(text.split()[1]) for text in sample]
    assert numbers == sorted(numbers)
    assert Counter(sample.y) == {"oil": 60, "crude": 20, "rest": 200}
    words = sample_in_words(sample, ["oil", "crude"])
    assert words.startswith("all 80 documents of the class and 200 of 2,920 others")
    assert sample.weights.sum() == pytest.approx(3000)
    assert {w for w, label in zip(sample.weights, sample.y, strict=True) if label != "rest"} == {1}
    # Groups and times stay with their documents.
    assert list(sample.groups) == [str(i % 7) for i in numbers]
    assert sample.times.tolist() == numbers


def test_few_of_many_others_are_told_in_plain_numbers(frame, tmp_path):
    frame.write_csv(tmp_path / "a.csv")
    for n, words in ((2, "1,460"), (7, "417"), (200, "14.6")):
        sample = read_sample(tmp_path / "a.csv", COLUMNS, ["oil", "crude"], n)
        assert sample_in_words(sample, ["oil", "crude"]).endswith(
            f"each of which counts {words} times"
        )


def test_the_sample_is_even_and_follows_from_the_seed(frame, tmp_path):
    frame.write_csv(tmp_path / "a.csv")
    drawn = np.zeros(3000)
    for seed in range(40):
        sample = read_sample(tmp_path / "a.csv", COLUMNS, ["oil"], 300, random_state=seed)
        drawn[[int(text.split()[1]) for text in sample]] += 1
    others = drawn[np.arange(3000) % 50 != 0]
    # Thirds of the table are drawn alike: 40 * 300 / 3 from each.
    assert others.reshape(3, -1).sum(axis=1) == pytest.approx([4000] * 3, rel=0.04)
    again = read_sample(tmp_path / "a.csv", COLUMNS, ["oil"], 300, random_state=39)
    assert list(again) == list(sample)


def test_no_more_is_held_than_the_class_and_twice_the_sample(frame, tmp_path, monkeypatch):
    monkeypatch.setattr(_csv, "_BATCH_ROWS", 100)
    frame.write_csv(tmp_path / "a.csv")
    held = []
    add = _sampling._Kept.add

    def spy(self, *arguments):
        add(self, *arguments)
        held.append(len(self.keys))

    monkeypatch.setattr(_sampling._Kept, "add", spy)
    read_sample(tmp_path / "a.csv", COLUMNS, ["oil"], 100)
    assert max(held) <= 200


def test_all_are_kept_where_they_are_few_and_folders_are_read(frame, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    for i, part in enumerate(frame.iter_slices(1000)):
        part.write_parquet(folder / f"{i}.parquet")
    sample = read_sample(folder, COLUMNS, ["oil"], 10_000)
    assert sample.to_list() == frame["body"].to_list()
    assert set(sample.weights) == {1.0}


def test_a_class_that_is_not_there_is_one_line(frame, tmp_path):
    frame.write_csv(tmp_path / "a.csv")
    with pytest.raises(ValueError, match=r"there is no class 'oli'.* did you mean 'oil'"):
        read_sample(tmp_path / "a.csv", COLUMNS, ["oli"], 10)
    with pytest.raises(TableError, match=r"all of the .* documents of .* are of the class"):
        read_sample(tmp_path / "a.csv", COLUMNS, ["oil", "rest", "crude"], 10)
    with pytest.raises(ValueError, match="n_sampled is 0; keep at least 1"):
        read_sample(tmp_path / "a.csv", COLUMNS, ["oil"], 0)
    of_name = read_sample(str(tmp_path / "a.csv"), COLUMNS, "oil", 10)
    in_list = read_sample(tmp_path / "a.csv", COLUMNS, ["oil"], 10)
    assert list(of_name) == list(in_list)


@given(st.integers(0, 50), st.integers(0, 30))
def test_keys_follow_from_the_place(first, n):
    all_keys = keyed_generator(3, _sampling._STREAM).random(80)
    np.testing.assert_array_equal(_sampling._keys(3, first, n), all_keys[first : first + n])


@given(
    st.lists(st.sampled_from("abcdddddd"), min_size=1, max_size=60),
    st.integers(1, 40),
    st.lists(st.integers(0, 60), max_size=4),
    st.randoms(),
)
def test_parts_in_any_order_give_the_sample_of_the_whole(labels, n, cuts, random):
    # Texts are the places. The obvious way: all keys, and the lowest of the others.
    seed, places = draw_seed(0), list(range(len(labels)))
    keys = keyed_generator(seed, _sampling._STREAM).random(len(labels))
    others = [place for place in places if labels[place] not in "ab"]
    drawn = sorted(others, key=keys.__getitem__)[:n]
    expected = [p for p in places if labels[p] in "ab" or p in drawn]

    n_class = len(labels) - len(others)
    limit = key_limit(seed, len(labels), n_class, n)
    bounds = sorted({0, len(labels), *(cut for cut in cuts if cut < len(labels))})
    parts = []
    for first, end in pairwise(bounds):
        part = Sampling("ab", n, seed, first, limit)
        for place in range(first, end):  # batches of one document
            part.add(Documents.of([str(place)], [labels[place]]))
        assert len(part.others.keys) <= 2 * n
        parts.append(part)
    assert sum(len(part.others.keys) for part in parts) <= n + n_class
    random.shuffle(parts)
    whole = Sampling("ab", n, seed)
    for part in parts:
        whole.merge(part)
    whole.others.prune(n)
    documents, places = whole.of_class.followed_by(whole.others)
    assert sorted(places.tolist()) == expected
    assert documents.to_list() == [str(place) for place in places.tolist()]
    assert (whole.n_read, whole.n_class) == (len(labels), n_class)
