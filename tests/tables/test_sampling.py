"""All documents of a class and a sample of the others, from tables larger than memory."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

from imbtext.tables import DocumentColumns, TableError, _csv, _sampling, read_sample

COLUMNS = DocumentColumns("body", "topic", group="team", time="day")


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
    kept = sample.documents
    numbers = [int(text.split()[1]) for text in kept.texts]
    assert numbers == sorted(numbers)
    assert Counter(kept.labels) == {"oil": 60, "crude": 20, "rest": 200}
    assert (sample.n_class, sample.n_others, sample.n_sampled) == (80, 2920, 200)
    assert sample.weights.sum() == pytest.approx(3000)
    assert {w for w, label in zip(sample.weights, kept.labels, strict=True) if label != "rest"} == {
        1
    }
    # Groups and times stay with their documents.
    assert kept.groups == [str(i % 7) for i in numbers]
    assert list(map(int, kept.times)) == numbers


def test_the_sample_is_even_and_follows_from_the_seed(frame, tmp_path):
    frame.write_csv(tmp_path / "a.csv")
    drawn = np.zeros(3000)
    for seed in range(40):
        sample = read_sample(tmp_path / "a.csv", COLUMNS, ["oil"], 300, seed=seed)
        drawn[[int(text.split()[1]) for text in sample.documents.texts]] += 1
    others = drawn[np.arange(3000) % 50 != 0]
    # Thirds of the table are drawn alike: 40 * 300 / 3 from each.
    assert others.reshape(3, -1).sum(axis=1) == pytest.approx([4000] * 3, rel=0.04)
    again = read_sample(tmp_path / "a.csv", COLUMNS, ["oil"], 300, seed=39)
    assert again.documents == sample.documents


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
    assert sample.documents.texts == frame["body"].to_list()
    assert set(sample.weights) == {1.0}


def test_a_class_that_is_not_there_is_one_line(frame, tmp_path):
    frame.write_csv(tmp_path / "a.csv")
    with pytest.raises(ValueError, match=r"there is no class 'oli'.* did you mean 'oil'"):
        read_sample(tmp_path / "a.csv", COLUMNS, ["oli"], 10)
    with pytest.raises(TableError, match="documents of one class alone"):
        read_sample(tmp_path / "a.csv", COLUMNS, ["oil", "rest", "crude"], 10)
