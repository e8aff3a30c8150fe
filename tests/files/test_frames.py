"""The same documents on Dask as in memory, whatever the partitions, the workers and the types."""

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from imbtext import EMCO, ROS, minority_share
from imbtext.distributed import fit, oversample


@pytest.fixture
def sampler():
    return EMCO(0.5, sampling_strategy=minority_share(0.3), random_state=7)


@pytest.fixture
def expected(table, sampler):
    return sampler.fit_resample(table["body"].tolist(), table["topic"].tolist())


def rows(frame, **options):
    made = oversample(frame, text="body", label="topic", **options).compute()
    return made["body"].tolist(), made["topic"].tolist(), made


@pytest.mark.slow
@pytest.mark.parametrize("n_partitions", [1, 3, 40])
def test_any_partitions_give_the_documents_of_memory(
    client, table, sampler, expected, n_partitions
):
    texts, labels, made = rows(
        dd.from_pandas(table, n_partitions), sampler=sampler, n_partitions=n_partitions // 2 or 1
    )
    assert (texts, labels) == expected
    assert made["synthetic"].tolist() == [False] * 400 + [True] * (len(texts) - 400)
    assert made["number"].tolist()[:400] == list(range(400))
    assert made["number"][400:].isna().all()


def test_without_a_cluster_at_hand_dask_does_it_too(table, sampler, expected):
    frame = oversample(dd.from_pandas(table, 3), text="body", label="topic", sampler=sampler)
    made = frame.compute(scheduler="synchronous")
    assert (made["body"].tolist(), made["topic"].tolist()) == expected


@pytest.mark.slow
def test_fit_gives_an_ordinary_sampler(client, table, sampler):
    fitted = fit(dd.from_pandas(table, 5), text="body", label="topic", sampler=sampler)
    at_home = EMCO(0.5, random_state=7).fit(table["body"].tolist(), table["topic"].tolist())
    assert fitted.sample(30, "rare") == at_home.sample(30, "rare")
    assert fitted.sample(30, "common") == at_home.sample(30, "common")
    assert fitted is not sampler


@pytest.mark.slow
def test_surface_forms_are_those_of_memory(client, table):
    rng = np.random.default_rng(5)
    table = table.assign(
        body=["".join(rng.choice([c, c.upper(), f"{c}, "]) for c in text) for text in table["body"]]
    )
    sampler = EMCO(surface=True, random_state=1, sampling_strategy={"rare": 60})
    texts, labels = table["body"].tolist(), table["topic"].tolist()
    assert rows(dd.from_pandas(table, 4), sampler=sampler)[:2] == sampler.fit_resample(
        texts, labels
    )
    fitted = fit(dd.from_pandas(table, 5), text="body", label="topic", sampler=sampler)
    assert fitted.sample(9, "rare") == EMCO(surface=True, random_state=1).fit(texts, labels).sample(
        9, "rare"
    )
    with pytest.raises(ValueError, match="similarity=2 compares every document"):
        fit(dd.from_pandas(table, 5), text="body", label="topic", sampler=EMCO(similarity=2))


def with_types(table, texts, labels):
    table = table.copy()
    table["body"] = table["body"].astype(texts)
    table["topic"] = (
        table["topic"].map({"rare": 8, "common": 3}) if labels == "int8" else table["topic"]
    )
    table["topic"] = table["topic"].astype(labels)
    return table


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        ("object", "category"),
        ("category", "string"),
        (pd.ArrowDtype(pa.large_string()), "int8"),
        (pd.ArrowDtype(pa.string()), pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
    ],
)
def test_types_of_texts_and_labels(table, sampler, expected, texts, labels):
    frame = dd.from_pandas(with_types(table, texts, labels), 4)
    made = oversample(frame, text="body", label="topic", sampler=sampler)
    result = made.compute(scheduler="synchronous")
    assert result["body"].tolist() == expected[0]
    names = {8: "rare", 3: "common"}
    assert [names.get(label, label) for label in result["topic"].tolist()] == expected[1]
    assert (result.dtypes == made.dtypes).all()


def test_columns_of_other_types_pass_through(table, sampler):
    table = table.assign(
        flag=True,
        small=np.int8(1),
        when=pd.Timestamp("2020-01-01"),
        kind=pd.Categorical(["x", "y"] * 200),
        tags=pd.Series([[1, 2]] * 400, dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
        price=1.5,
    )
    made = oversample(dd.from_pandas(table, 3), text="body", label="topic", sampler=sampler)
    result = made.compute(scheduler="synchronous")
    assert (result.dtypes == made.dtypes).all()
    originals = result[~result["synthetic"]]
    for name in table:
        assert originals[name].tolist() == table[name].tolist(), name
    others = result[result["synthetic"]].drop(columns=["body", "topic", "synthetic"])
    assert others.isna().all(axis=None)


def test_partitions_that_differ(table, sampler, expected):
    parts = [table.iloc[:0], table.iloc[:100], table.iloc[100:250], table.iloc[250:]]
    parts[2] = parts[2].assign(topic=parts[2]["topic"].astype("category"))
    frame = dd.from_map(lambda part: parts[part], [0, 1, 2, 3], meta=table.iloc[:0])
    result = oversample(frame, text="body", label="topic", sampler=sampler).compute(
        scheduler="synchronous"
    )
    assert (result["body"].tolist(), result["topic"].tolist()) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"topic": None}, "row 51 of partition 1 has no label in column 'topic'"),
        ({"topic": ""}, "row 51 of partition 1 has no label in column 'topic'"),
        ({"body": 7}, "partition 1 has a column of mixed types .* column body"),
        ({"topic": float("inf")}, "mixed types .* column topic"),
    ],
)
def test_what_is_no_document_is_refused(table, change, message):
    table = table.astype({"body": object, "topic": object})
    for name, value in change.items():
        table.loc[250:, name] = value
    # Dask would make strings of everything: these partitions are as a user's own reader gives them.
    parts = [table.iloc[:200], table.iloc[200:]]
    with dask.config.set({"dataframe.convert-string": False}):
        frame = dd.from_map(lambda part: parts[part], [0, 1], meta=table.iloc[:0])
        made = oversample(frame, text="body", label="topic")
        with pytest.raises(ValueError, match=message):
            made.compute(scheduler="synchronous")


def test_names_of_columns_need_not_be_strings(table, sampler, expected):
    frame = dd.from_pandas(table.rename(columns={"body": 1, "topic": 0}), 2)
    made = oversample(frame, text=1, label=0, sampler=sampler).compute(scheduler="synchronous")
    assert (made[1].tolist(), made[0].tolist()) == expected
    with pytest.raises(ValueError, match="no column 7; its columns are 1, 0"):
        oversample(frame, text=7, label=0)


def test_texts_of_another_type_are_refused_as_in_files(table):
    parts = [table.assign(body=7)]
    frame = dd.from_map(lambda part: parts[part], [0], meta=parts[0].iloc[:0])
    with pytest.raises(ValueError, match=r"row 1 of partition 0 has 7 .* texts must be strings"):
        oversample(frame, text="body", label="topic").compute(scheduler="synchronous")


def test_misuse_is_explained(table):
    frame = dd.from_pandas(table, 2)
    with pytest.raises(ValueError, match="no column 'text'; its columns are 'body'"):
        oversample(frame, text="text", label="topic")
    with pytest.raises(TypeError, match="not a DataFrame; for a table in memory"):
        oversample(table, text="body", label="topic")
    with pytest.raises(TypeError, match="expected an EMCO or MCO"):
        oversample(frame, text="body", label="topic", sampler=ROS())
    with pytest.raises(ValueError, match="already has a column 'number'"):
        oversample(frame, text="body", label="topic", synthetic_column="number")
    with pytest.raises(ValueError, match="both 'body'"):
        oversample(frame, text="body", label="body")
    one = dd.from_pandas(table.assign(topic="a"), 2)
    with pytest.raises(ValueError, match="only one class, 'a'"):
        oversample(one, text="body", label="topic").compute(scheduler="synchronous")


def test_labels_of_two_kinds_are_refused(table):
    parts = [table.iloc[:200], table.iloc[200:].assign(topic=1)]
    frame = dd.from_map(lambda part: parts[part], [0, 1], meta=table.iloc[:0])
    with pytest.raises(ValueError, match="numbers and others strings"):
        oversample(frame, text="body", label="topic").compute(scheduler="synchronous")
