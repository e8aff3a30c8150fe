"""Workers sample what one machine samples, and the models are the same, byte for byte."""

from dataclasses import asdict

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client

from imbtext import RareTextClassifier, distributed
from imbtext.distributed import DaskPool
from tests.files.conftest import local_cluster
from tests.files.faults import die, patched

COLUMNS = {"text": ["subject", "body"], "label": "topic", "group": "team", "time": "day"}
TRAIN = ("--text", "subject", "--text", "body", "--label", "topic", "--also", "amount")
TRAIN += ("--group", "team", "--time", "day", "--class", "fraud", "--class", "scam", "--one-class")
TRAIN += ("--ignore-label", "unknown", "--negatives", "150", "--seed", "3", "--quiet")
MODEL = RareTextClassifier(columns=["amount"], ignore_labels=["unknown"], random_state=3)


@pytest.fixture(scope="module")
def rows():
    """900 rows: of fraud, scam, other things and unknown ones, and some without a label."""
    rng = np.random.default_rng(0)
    topics = rng.choice(
        ["fraud", "scam", "rest", "more", "unknown", None],
        900,
        p=[0.05, 0.03, 0.5, 0.3, 0.07, 0.05],
    )
    common = np.array([f"word{i}" for i in range(80)])
    own = {"fraud": ["money", "urgent"], "scam": ["prize", "urgent"]}
    bodies = [" ".join([*rng.choice(common, 8), *own.get(topic, [])]) for topic in topics]
    return pd.DataFrame(
        {
            "subject": rng.choice(common, 900),
            "body": bodies,
            "topic": topics,
            "amount": rng.lognormal(size=900).round(2),
            "team": [f"t{i % 90}" for i in range(900)],
            "day": pd.date_range("2024-01-01", periods=900).astype(str),
            "other": range(900),
        }
    )


@pytest.fixture(scope="module")
def files(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for i in range(4):
        rows[250 * i : 250 * (i + 1)].to_parquet(folder / f"{i}.parquet")
    return folder


@pytest.fixture(scope="module")
def threads():
    """Dask in this process, for tests of what it computes."""
    with Client(processes=False, dashboard_address=":0") as client:
        yield client


@pytest.fixture
def here(files, tmp_path, run_command):
    """The model of ``imbtext train`` on one machine."""
    ran = run_command("train", files, *TRAIN, "-o", tmp_path / "here.model")
    assert ran.code == 0, ran.err
    assert "have no label in column 'topic'" in ran.err
    return RareTextClassifier.load(tmp_path / "here.model")


def assert_same(model, other, rows):
    assert model.report_ == other.report_
    # Equal where a precision is not a number, too.
    np.testing.assert_equal(*[[asdict(e) for e in m.expectation_] for m in (model, other)])
    assert (model.text_columns_, model.columns_) == (other.text_columns_, other.columns_)
    np.testing.assert_array_equal(model.thresholds_, other.thresholds_)
    np.testing.assert_array_equal(model.decision_function(rows), other.decision_function(rows))


@pytest.mark.filterwarnings("ignore:.* have no label")
@pytest.mark.parametrize("n_partitions", [1, 7])
def test_a_frame_gives_the_model_of_the_command(here, rows, threads, n_partitions):
    frame = dd.from_pandas(rows, n_partitions)
    model = distributed.train(
        frame, **COLUMNS, classes=["fraud", "scam"], one_class=True, negatives=150, model=MODEL
    )
    n_class = rows["topic"].isin(["fraud", "scam"]).sum()
    n_others = rows["topic"].isin(["rest", "more"]).sum()
    assert here.report_["sample"] == (
        f"all {n_class} documents of the class and 150 of {n_others} others, each of which counts "
        f"{n_others / 150:.3g} times"
    )
    assert_same(model, here, rows)
    assert model.get_params()["n_jobs"] is None
    assert model.ignore_labels == ["unknown"]


@pytest.mark.filterwarnings("ignore:.* have no label")
def test_without_a_number_all_that_fit_are_kept(rows, threads, tmp_path, run_command):
    rows.to_csv(tmp_path / "a.csv", index=False)
    frame, columns = dd.from_pandas(rows, 3), {"text": "body", "label": "topic"}
    model = RareTextClassifier(random_state=0)
    all_kept = distributed.train(frame, **columns, classes="fraud", model=model)
    assert "sample" not in all_kept.report_
    target = tmp_path / "a.model"
    plain = ("--text", "body", "--label", "topic", "--quiet", "-o", target)
    assert run_command("train", tmp_path / "a.csv", *plain, "--class", "fraud").code == 0
    assert_same(all_kept, RareTextClassifier.load(target), rows["body"])
    few = distributed.train(frame, **columns, classes="fraud", model=model, memory=0.001)
    assert "of the class and" in few.report_["sample"]
    # Without a class all classes are looked for, in all documents.
    all_classes = distributed.train(frame, **columns, model=model)
    assert run_command("train", tmp_path / "a.csv", *plain, "--class", "all").code == 0
    assert_same(all_classes, RareTextClassifier.load(target), rows["body"])
    # Of two classes a document may have either or none.
    two = distributed.train(frame, **columns, classes=["fraud", "scam"], model=model)
    named = ("--class", "fraud", "--class", "scam")
    assert run_command("train", tmp_path / "a.csv", *plain, *named).code == 0
    assert two.classes_.tolist() == ["fraud", "scam"]
    assert_same(two, RareTextClassifier.load(target), rows["body"])


def test_labels_that_are_numbers_go_by_name(rows, threads):
    frame = dd.from_pandas(rows.assign(y=(rows["topic"] == "fraud") * 1), 3)
    model = distributed.train(frame, text="body", label="y", classes=1, negatives=200)
    assert model.classes_.tolist() == ["1", "not 1"]


def test_misuse_is_one_line(rows, threads):
    frame, columns = dd.from_pandas(rows, 3), {"text": "body", "label": "topic"}
    with pytest.raises(TypeError, match=r"not a DataFrame; .* use RareTextClassifier.fit"):
        distributed.train(rows, **columns)
    with pytest.raises(TypeError, match="the model is a str"):
        distributed.train(frame, **columns, model="f2")
    with pytest.raises(ValueError, match="name the class with classes"):
        distributed.train(frame, **columns, negatives=10)
    with pytest.raises(ValueError, match="negatives is 0; keep at least one"):
        distributed.train(frame, **columns, classes="fraud", negatives=0)
    with pytest.raises(ValueError, match=r"no column 'topics'.*did you mean 'topic'"):
        distributed.train(frame, text="body", label="topics")
    with pytest.raises(ValueError, match=r"no class 'frod'.*did you mean 'fraud'"):
        distributed.train(frame, **columns, classes="frod")
    parts = [rows[:500], rows[500:].assign(topic=1)]
    mixed = dd.from_map(lambda i: parts[i], [0, 1], meta=rows.iloc[:0])
    with pytest.raises(ValueError, match="numbers and others strings"):
        distributed.train(mixed, **columns, classes="fraud")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* have no label")
def test_workers_sample_what_one_machine_does_though_some_die(
    here, rows, files, tmp_path, run_command
):
    with local_cluster(n_workers=2) as cluster, Client(cluster) as client:
        # One worker dies while labels are counted, the other while documents are read.
        tasks = ("_count_labels", "_sample_part")
        for task in tasks:
            flag = str(tmp_path / task)
            client.run(patched, "imbtext.files._training", task, flag, die)
        model = distributed.train(
            dd.from_pandas(rows, 5),
            **COLUMNS,
            classes=["fraud", "scam"],
            one_class=True,
            negatives=150,
            model=MODEL,
        )
        assert all((tmp_path / task).exists() for task in tasks), "no worker died"
        assert_same(model, here, rows)
        target, address = tmp_path / "there.model", client.scheduler.address
        ran = run_command("train", files, *TRAIN, "--dask", address, "-o", target)
        assert ran.code == 0, ran.err
        assert_same(RareTextClassifier.load(target), here, rows)


def test_a_client_is_no_address(threads):
    with pytest.raises(TypeError, match="address is a Client; leave it out"):
        list(DaskPool(threads).completed(str, [1]))
