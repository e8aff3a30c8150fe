"""``imbtext train`` and ``imbtext predict``: from file to model to file, as the API does it."""

import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings
from imbtext.files import predict_file
from imbtext.tables import _csv, _jsonl, _parquet


@pytest.fixture(scope="module")
def frame():
    data = load_docstrings()
    kept = np.flatnonzero(np.isin(data.labels, ["scipy.sparse", "scipy.stats", "numpy"]))[::2]
    return pl.DataFrame(
        {
            "id": range(len(kept)),
            "body": [data.texts[i][:400] for i in kept],
            "topic": [data.labels[i] for i in kept],
        }
    )


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    """Tables in every format, and a model trained through the API."""
    path = tmp_path_factory.mktemp("train")
    frame.write_csv(path / "train.csv")
    frame.write_parquet(path / "train.parquet")
    frame.write_ndjson(path / "train.jsonl")
    labels = np.where(frame["topic"] == "scipy.sparse", "scipy.sparse", "not scipy.sparse")
    model = RareTextClassifier(random_state=0, pos_label="scipy.sparse")
    model.fit(frame["body"], labels).save(path / "api.model")
    return path


def read(path):
    if path.suffix == ".parquet":
        return pl.read_parquet(path)
    return pl.read_csv(path) if path.suffix == ".csv" else pl.read_ndjson(path)


TRAIN = ("--text", "body", "--label", "topic", "--class", "scipy.sparse")


@pytest.mark.parametrize("name", ["train.csv", "train.parquet", "train.jsonl"])
def test_training_is_the_apis(folder, tmp_path, run_command, name):
    ran = run_command("train", folder / name, *TRAIN, "-o", tmp_path / "cli.model")
    assert ran.code == 0, ran.err
    assert (tmp_path / "cli.model").read_bytes() == (folder / "api.model").read_bytes()
    assert 'of every 100 real "scipy.sparse" documents' in ran.out
    assert "of every 100 alarms are right" in ran.out
    assert "imbtext predict" in ran.out


@pytest.mark.parametrize("source", ["train.csv", "train.parquet", "train.jsonl"])
@pytest.mark.parametrize("target", ["out.csv", "out.parquet", "out.jsonl"])
def test_predictions_in_any_format(
    folder, frame, tmp_path, run_command, monkeypatch, source, target
):
    monkeypatch.setattr(_parquet, "_BATCH_ROWS", 50)
    monkeypatch.setattr(_csv, "_BATCH_ROWS", 50)
    monkeypatch.setattr(_jsonl, "_BATCH_ROWS", 50)
    model = RareTextClassifier.load(folder / "api.model")
    ran = run_command(
        "predict", folder / "api.model", folder / source, "--text", "body", "-o", tmp_path / target
    )
    assert ran.code == 0, ran.err
    out = read(tmp_path / target)
    kept = out.select("id", "body", "topic")
    assert_frame_equal(kept.cast({"id": pl.Int64}), frame)
    texts = frame["body"].to_list()
    assert out["decision"].to_list() == model.predict(texts).tolist()
    found = model.predictions(texts)
    np.testing.assert_allclose(out["score"], found.score, atol=1e-6)
    np.testing.assert_allclose(out["probability"], found.probability, atol=1e-6)
    assert f"{(out['decision'] == 'scipy.sparse').sum()} scipy.sparse" in ran.err


@pytest.mark.parametrize("name", ["train.csv", "train.parquet", "train.jsonl"])
@pytest.mark.parametrize(("option", "n"), [("--top", 5), ("--uncertain", 7), ("--top", 10_000)])
def test_the_rows_worth_reading(folder, frame, tmp_path, run_command, name, option, n):
    model = RareTextClassifier.load(folder / "api.model")
    scores = model.predictions(frame["body"].to_list()).margin
    wanted = np.argsort(-scores if option == "--top" else np.abs(scores), kind="stable")[:n]
    target = tmp_path / f"out.{name.split('.')[1]}"
    ran = run_command(
        "predict", folder / "api.model", folder / name, "--text", "body", "-o", target, option, n
    )
    assert ran.code == 0, ran.err
    assert read(target)["id"].cast(pl.Int64).to_list() == wanted.tolist()
    assert f"{len(wanted):,} of {len(frame):,} documents" in ran.err


def test_json_lines_become_parquet_a_batch_at_a_time(folder, tmp_path, run_command):
    rows = [{"body": "a sparse matrix", "n": 1}] * 30_000
    rows += [{"n": 2.5, "late": {"x": ["y"]}, "body": "numbers"}, {"body": "none", "late": None}]
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ("--text", "body", "-o", tmp_path / "out.parquet")
    ran = run_command("predict", folder / "api.model", source, *arguments)
    assert ran.code == 0, ran.err
    out = read(tmp_path / "out.parquet")
    assert out["n"].to_list() == [1.0] * 30_000 + [2.5, None]
    assert out["late"].to_list() == [None] * 30_000 + [{"x": ["y"]}, None]
    assert out["body"].to_list() == [row["body"] for row in rows]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_keys_that_come_late_stay_in_their_columns(
    folder, tmp_path, run_command, monkeypatch, kind
):
    monkeypatch.setattr(_csv, "_BATCH_ROWS", 2)
    monkeypatch.setattr(_jsonl, "_BATCH_ROWS", 2)
    rows = [{"body": f"a sparse matrix {i}"} | ({"late": i} if i > 2 else {}) for i in range(5)]
    source, target = tmp_path / "in.jsonl", tmp_path / f"out.{kind}"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    arguments = ("--text", "body", "--top", 5, "-o", target)
    ran = run_command("predict", folder / "api.model", source, *arguments)
    assert ran.code == 0, ran.err
    out = read(target)
    found = dict(out.select("body", "late").rows())
    assert found == {row["body"]: row.get("late") for row in rows}
    assert out["decision"].dtype == pl.String


def test_the_words_are_added(folder, frame, tmp_path, run_command):
    arguments = ("--text", "body", "--explain", "--top", 3, "-o", tmp_path / "out.jsonl")
    ran = run_command("predict", folder / "api.model", folder / "train.jsonl", *arguments)
    assert ran.code == 0, ran.err
    for line in (tmp_path / "out.jsonl").read_text().splitlines():
        row = json.loads(line)
        assert any("sparse" in word.lower() for word in row["words_for"].split(", "))
        assert all(part in row["body"] for part in row["words_against"].split(", ")[:1])


def test_many_classes_and_several_labels(folder, frame, tmp_path, run_command):
    ran = run_command(
        "train", folder / "train.csv", "--text", "body", "--label", "topic", "--metric", "f1",
        "--class", "all", "-o", tmp_path / "many.model",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert "3 classes" in ran.out
    out = tmp_path / "out.csv"
    run_command(
        "predict", tmp_path / "many.model", folder / "train.csv", "--text", "body", "-o", out
    )
    assert (read(out)["decision"] == frame["topic"]).mean() > 0.9
    several = frame.with_columns(
        pl.when(pl.col("topic") == "numpy")
        .then(pl.lit(""))
        .otherwise("any; " + pl.col("topic"))
        .alias("topic")
    )
    several.write_csv(tmp_path / "several.csv")
    ran = run_command(
        "train", tmp_path / "several.csv", "--text", "body", "--label", "topic",
        "--label-separator", ";", "--class", "all", "-o", tmp_path / "several.model",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    run_command(
        "predict", tmp_path / "several.model", folder / "train.csv", "--text", "body", "-o", out
    )
    decided = set(read(out)["decision"].fill_null("").to_list())
    assert "any; scipy.sparse" in decided


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--class", "scipy.spars"), "did you mean 'scipy.sparse'?"),
        (("--metric", "accuracy"), "metric is 'accuracy'; choose"),
        (("--features", "letters"), "features is 'letters'"),
        (("--language", "klingon"), "language is 'klingon'"),
        (("--text", "title"), "has no column 'title'; its columns are 'id', 'body', 'topic'"),
        (("--class", "numpy", "--class", "scipy.spars"), "there is no class 'scipy.spars'"),
        (("--group", "thread"), "no column 'thread'"),
        (("--label", "id"), "--label is given 2 times"),
    ],
)
def test_mistakes_in_training_are_one_line(folder, tmp_path, run_command, arguments, message):
    given = ("--text", "body", "--label", "topic", *arguments)
    ran = run_command("train", folder / "train.csv", *given, "-o", tmp_path / "x.model")
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.splitlines()) == 1
    assert not (tmp_path / "x.model").exists()


def test_mistakes_in_predicting_are_one_line(folder, tmp_path, run_command):
    out = tmp_path / "out.csv"
    model, table = folder / "api.model", folder / "train.csv"
    (tmp_path / "empty.csv").write_text("id,body\n")
    for given, message in [
        ((folder / "train.csv", table, "--text", "body"), "is not a RareTextClassifier"),
        ((tmp_path / "none", table, "--text", "body"), "none"),
        ((model, table, "--text", "title"), "no column 'title'"),
        ((model, tmp_path / "empty.csv", "--text", "body"), "has no rows"),
        ((model, table, "--text", "body", "--top", 3, "--uncertain", 3), "give one of them"),
    ]:
        ran = run_command("predict", *given, "-o", out)
        assert ran.code == 2
        assert message in ran.err
        assert len(ran.err.splitlines()) == 1
        assert not out.exists()
    assert run_command("predict", model, table, "--text", "body", "-o", out).code == 0
    again = run_command("predict", model, out, "--text", "body", "-o", tmp_path / "b.csv")
    assert again.code == 2
    assert "--prefix" in again.err
    arguments = ("--text", "body", "--prefix", "new-", "-o", tmp_path / "b.csv")
    assert run_command("predict", model, out, *arguments).code == 0
    assert "new-score" in read(tmp_path / "b.csv").columns


@pytest.mark.parametrize(("delimiter", "shown"), [(";", "';'"), ("\t", "tab"), ("tab", "tab")])
def test_the_next_command_reads_files_as_this_one_did(
    run_command, frame, tmp_path, delimiter, shown
):
    frame.write_csv(tmp_path / "train.csv", separator="\t" if shown == "tab" else delimiter)
    columns = ["--text", "body", "--label", "topic", "--class", "numpy"]
    source, out = str(tmp_path / "train.csv"), str(tmp_path / "a.model")
    ran = run_command("train", source, "-o", out, *columns, "--delimiter", delimiter)
    assert ran.out.splitlines()[-1].endswith(f"OUT.csv --delimiter {shown}")


def test_a_model_remembers_its_column(folder, tmp_path, run_command):
    outs = tmp_path / "a.csv", tmp_path / "b.csv"
    for out, named in zip(outs, [("--text", "body"), ()], strict=True):
        ran = run_command("predict", folder / "api.model", folder / "train.csv", *named, "-o", out)
        assert ran.code == 0, ran.err
    assert outs[0].read_bytes() == outs[1].read_bytes()
    (tmp_path / "new.csv").write_text("subject\na sparse matrix\n")
    ran = run_command("predict", folder / "api.model", tmp_path / "new.csv", "-o", outs[0])
    assert "no column 'body'" in ran.err
    model = RareTextClassifier.load(folder / "api.model")
    model.fitted_ = replace(model.fitted_, text_columns=())
    with pytest.raises(ValueError, match="does not know which column"):
        predict_file(model, folder / "train.csv", tmp_path / "c.csv")


def test_several_names_are_one_class(folder, frame, tmp_path, run_command):
    spellings = ["Sparse", " sparse", "SPARSE"]
    topics = [
        spellings[i % 3] if topic == "scipy.sparse" else "n/a" if i % 50 == 0 else topic
        for i, topic in enumerate(frame["topic"])
    ]
    frame.with_columns(topic=pl.Series(topics)).write_csv(tmp_path / "messy.csv")
    arguments = ("--text", "body", "--label", "topic", "-o", tmp_path / "x.model")
    ran = run_command("train", tmp_path / "messy.csv", *arguments, "--class", "Sparse")
    added = "--class ' sparse' --class SPARSE --one-class"
    assert f"to count all of them as Sparse, add {added}" in ran.err
    assert "'n/a' (" in ran.err
    assert "is taken for not Sparse" in ran.err
    names = ["--class", "Sparse", "--class", " sparse", "--class", "SPARSE", "--one-class"]
    ignored = ("--ignore-label", "n/a")
    ran = run_command("train", tmp_path / "messy.csv", *arguments, *names, *ignored)
    assert ran.err == ""
    n_class = sum(topic in spellings for topic in topics)
    n = len(topics) - topics.count("n/a")
    assert f"Learnt from {n} documents, {n_class} of them Sparse." in ran.out


def test_an_id_is_no_label(folder, tmp_path, run_command):
    given = ("--text", "body", "--label", "id", "-o", tmp_path / "x.model")
    ran = run_command("train", folder / "train.csv", *given)
    assert ran.code == 2
    assert "Name the column of the classes, or if these are the classes: pass --many" in ran.err


def test_rows_of_a_group_are_held_out_together(folder, frame, tmp_path, run_command):
    groups = [str(i // 4) for i in range(len(frame))]
    frame.with_columns(thread=pl.Series(groups)).write_csv(tmp_path / "t.csv")
    target = tmp_path / "x.model"
    ran = run_command("train", tmp_path / "t.csv", *TRAIN, "--group", "thread", "-o", target)
    assert ran.code == 0, ran.err
    labels = np.where(frame["topic"] == "scipy.sparse", "scipy.sparse", "not scipy.sparse")
    model = RareTextClassifier(random_state=0, pos_label="scipy.sparse")
    model.fit(frame["body"], labels, groups=groups).save(tmp_path / "api.model")
    assert target.read_bytes() == (tmp_path / "api.model").read_bytes()
    assert target.read_bytes() != (folder / "api.model").read_bytes()


def test_a_test_file_of_training_documents_is_told(frame, tmp_path, run_command):
    frame.write_csv(tmp_path / "a.csv")
    frame[::3].write_csv(tmp_path / "b.csv")
    files = (tmp_path / "a.csv", "--test", tmp_path / "b.csv", "-o", tmp_path / "x.model")
    ran = run_command("train", *files, *TRAIN)
    assert ran.code == 0, ran.err
    n = len(frame[::3])
    assert f"{n} of {n} documents of {tmp_path / 'b.csv'} are training documents too" in ran.err


def test_what_to_expect_by_a_test_file(frame, tmp_path, run_command):
    frame[::2].write_csv(tmp_path / "a.csv")
    test = frame[1::2]
    test.write_csv(tmp_path / "b.csv")
    files = (tmp_path / "a.csv", "--test", tmp_path / "b.csv", "-o", tmp_path / "x.model")
    ran = run_command("train", *files, *TRAIN)
    assert ran.code == 0, ran.err
    model = RareTextClassifier.load(tmp_path / "x.model")
    is_class = (test["topic"] == "scipy.sparse").to_numpy()
    is_alarm = model.predict(test["body"]) == "scipy.sparse"
    (expected,) = model.expectation_
    assert (expected.n_class, expected.n_documents) == (is_class.sum(), len(test))
    assert expected.recall.mean == is_alarm[is_class].mean()
    assert expected.precision.mean == is_class[is_alarm].mean()
    assert expected.alarms_per_thousand == 1000 * is_alarm.mean()
    assert f"Tested on the {len(test)} documents of {tmp_path / 'b.csv'}, " in ran.out
    moved = (tmp_path / "b.csv", "--metric", "f1", "-o", tmp_path / "out.csv")
    ran = run_command("predict", tmp_path / "x.model", *moved)
    assert "at this operating point, measured on training documents:" in ran.err
    columns = ("--text", "body", "--label", "topic", "--class", "all")
    ran = run_command("train", *files, *columns)
    assert "3 classes" in ran.out
    test.with_columns(topic=pl.lit("numbers")).write_csv(tmp_path / "b.csv")
    ran = run_command("train", *files, *columns)
    assert "have labels that the model does not know: 'numbers'" in ran.err


def test_another_kind_of_text_is_said_to_be_unlike(folder, frame, tmp_path, run_command):
    """A model of whole docstrings, on their words in another alphabet and on their first words."""
    model, out = folder / "api.model", tmp_path / "out.csv"
    frame.with_columns(body=pl.col("body").str.replace_all("[aeiou]", "y")).write_csv(out)
    ran = run_command("predict", model, out, "-o", tmp_path / "scored.csv")
    assert ran.code == 0
    assert f"{out} seems to be unlike what the model was trained on" in ran.err
    assert "% of the words of a document are known, where" in ran.err
    sparse = frame.filter(pl.col("topic") == "scipy.sparse")
    pl.concat([sparse.with_columns(body=pl.col("body") + " qqq")] * 3).write_csv(out)
    ran = run_command("predict", model, out, "-o", tmp_path / "scored.csv")
    assert "documents were put into 'scipy.sparse', where" in ran.err
    ran = run_command("predict", model, folder / "train.csv", "-o", tmp_path / "scored.csv")
    assert "unlike" not in ran.err


def test_texts_to_predict_without_words_are_counted(folder, tmp_path, run_command):
    (tmp_path / "new.csv").write_text("body,n\na sparse matrix,1\n,2\n...,3\n")
    ran = run_command("predict", folder / "api.model", tmp_path / "new.csv", "-o", tmp_path / "o")
    assert ran.code == 0
    assert "2 of 3 texts in column 'body'" in ran.err


def test_with_times_the_past_is_tested_on_what_follows(frame, tmp_path, run_command):
    days = [f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(len(frame))]
    frame.with_columns(day=pl.Series(days)).write_csv(tmp_path / "t.csv")
    target = tmp_path / "cli.model"
    ran = run_command("train", tmp_path / "t.csv", *TRAIN, "--time", "day", "-o", target)
    assert ran.code == 0, ran.err
    assert re.search(r"Tested on 5 periods from 2024-\d\d-\d\d to 2024-12-\d\d", ran.out)
    labels = np.where(frame["topic"] == "scipy.sparse", "scipy.sparse", "not scipy.sparse")
    model = RareTextClassifier(random_state=0, pos_label="scipy.sparse")
    model.fit(frame["body"], labels, time=days).save(tmp_path / "api.model")
    assert target.read_bytes() == (tmp_path / "api.model").read_bytes()


@pytest.mark.parametrize(
    ("days", "message"),
    [
        (["2024-01-01", ""], "line 3 of {file} has no time in column 'day'"),
        (["2024-01-01", "soon"], "the column 'day' holds 'soon', which cannot be read as a time"),
        (["2024-01-01"], "have the same time, 2024-01-01, so they cannot"),
    ],
)
def test_mistakes_in_times_are_one_line(frame, tmp_path, run_command, days, message):
    file = tmp_path / "t.csv"
    days = (days * len(frame))[: len(frame)]
    frame.select("topic", body=pl.lit("oil"), day=pl.Series(days)).write_csv(file)
    ran = run_command("train", file, *TRAIN, "--time", "day", "-o", tmp_path / "m", "--quiet")
    assert ran.code == 2
    assert message.format(file=file) in ran.err


@pytest.mark.filterwarnings("ignore:the model seems to know")
def test_the_operating_point_moves(folder, frame, tmp_path, run_command):
    model = RareTextClassifier.load(folder / "api.model")
    arguments = ("predict", folder / "api.model", folder / "train.csv", "-o", tmp_path / "out.csv")
    for options, moved in (
        (("--alarms", 20), model.at(alarms=20, of=frame["body"])),
        (("--cost", "30:1"), model.at(cost=(30, 1))),
        (("--metric", "recall_at_precision(0.9)"), model.at("recall_at_precision(0.9)")),
    ):
        ran = run_command(*arguments, "--text", "body", *options)
        assert ran.code == 0, ran.err
        out = read(tmp_path / "out.csv")
        assert out["decision"].to_list() == moved.predict(frame["body"]).tolist()
        assert moved.expectation_[0].sentences()[0] in ran.err
        if options[0] == "--alarms":
            assert (out["decision"] == "scipy.sparse").sum() == 20
    counts = predict_file(model, folder / "train.csv", tmp_path / "out.csv", text="body", alarms=20)
    assert counts["scipy.sparse"] == 20
    assert counts.expectation == model.at(alarms=20, of=frame["body"]).expectation_


def test_the_operating_point_of_one_of_several_classes_moves(tmp_path, run_command):
    words = {1: "oil crude", 2: "gold metal", 3: "rain sun"}
    kinds = [3] * 30 + [1] * 12 + [2] * 9
    rows = [f"{words[kind]} a{i} b{i % 4},{kind}" for i, kind in enumerate(kinds)]
    source = tmp_path / "train.csv"
    source.write_text("\n".join(["body,topic", *rows]))
    model = tmp_path / "m.model"
    columns = ("--text", "body", "--label", "topic", "--class", "all")
    ran = run_command("train", source, *columns, "-o", model)
    assert ran.code == 0, ran.err
    predict = ("predict", model, source, "-o", tmp_path / "out.csv")
    ran = run_command(*predict, "--class", "2", "--alarms", "5")
    assert ran.code == 0, ran.err
    decisions = pl.read_csv(tmp_path / "out.csv")["decision"]
    assert (decisions == 2).sum() == 5
    assert '51 documents, 5 of "2"' in ran.err
    assert 'of 9 "2" documents' in ran.err
    ran = run_command(*predict, "--metric", "f1")
    assert ran.code == 0, ran.err
    table = ran.err.partition("What to expect at this operating point:")[2]
    assert [line.split()[0] for line in table.splitlines()[2:5]] == ["1", "2", "3"]
    ran = run_command(*predict, "--class", "2", "--class", "3", "--alarms", "5")
    assert ran.code == 0, ran.err
    decisions = pl.read_csv(tmp_path / "out.csv")["decision"]
    assert decisions.is_in([2, 3]).sum() == 10
    table = ran.err.partition("What to expect at this operating point:")[2]
    assert [line.split()[0] for line in table.splitlines()[2:4]] == ["2", "3"]
    for options, message in (
        (("--alarms", "5"), "alarms are those of one class; say which"),
        (("--class", "2"), "give a metric, cost or alarms"),
        (("--class", "4", "--metric", "f1"), "there is no class '4'"),
    ):
        ran = run_command(*predict, *options)
        assert ran.code == 2
        assert message in ran.err


def test_operating_points_that_are_none_are_one_line(folder, tmp_path, run_command):
    arguments = ("predict", folder / "api.model", folder / "train.csv", "-o", tmp_path / "out.csv")
    for options, message in (
        (("--cost", "ten"), "cost is 'ten'; give what a missed document"),
        (("--cost", "10:1", "--alarms", "5"), "each set the operating point"),
        (("--metric", "f"), "metric is 'f'; choose"),
    ):
        ran = run_command(*arguments, "--text", "body", *options)
        assert (ran.code, len(ran.err.splitlines())) == (2, 1)
        assert message in ran.err
        assert not (tmp_path / "out.csv").exists()


def test_a_sample_of_the_others_counts_for_all_of_them(frame, tmp_path, run_command):
    frame.write_csv(tmp_path / "t.csv")
    target = tmp_path / "cli.model"
    ran = run_command("train", tmp_path / "t.csv", *TRAIN, "--negatives", "60", "-o", target)
    assert ran.code == 0, ran.err
    n_class = int((frame["topic"] == "scipy.sparse").sum())
    n_others = len(frame) - n_class
    kept = f"Kept all {n_class} documents of the class and 60 of {n_others} others"
    assert kept in ran.out
    share = 1000 * n_class / len(frame)
    expected = RareTextClassifier.load(target).expectation_[0]
    # Of the sample, more than half would be alarms.
    assert expected.alarms.mean < 2 * share
    # By default as many are kept as fit into memory: here all, and of very little some.
    run_command("train", tmp_path / "t.csv", *TRAIN, "-o", tmp_path / "all.model")
    ran = run_command(
        "train", tmp_path / "t.csv", *TRAIN, "--memory", "0.003", "-o", tmp_path / "some.model"
    )
    assert ran.code == 0, ran.err
    assert f"Kept all {n_class} documents of the class and " in ran.out
    learnt = [RareTextClassifier.load(tmp_path / f"{name}.model") for name in ("all", "some")]
    assert learnt[0].training_record_.n_documents == len(frame)
    assert n_class < learnt[1].training_record_.n_documents < len(frame)
    without = [option for option in TRAIN if option not in ("--class", "scipy.sparse")]
    ran = run_command("train", tmp_path / "t.csv", *without, "--negatives", "60", "-o", target)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "name the class with --class" in ran.err


def test_features_side_by_side(folder, frame, tmp_path, run_command):
    """Repeated or with commas, the same model; predict, show and check read it as any other."""
    pytest.importorskip(
        "wordllama",
        reason="wordllama is not installed (pip install 'imbalanced-text[meaning]')",
    )
    model, listed = tmp_path / "a.model", tmp_path / "b.model"
    table = folder / "train.csv"
    twice = ("--features", "words", "--features", "meaning")
    assert run_command("train", table, *TRAIN, *twice, "-o", model).code == 0
    ran = run_command("train", table, *TRAIN, "--features", "words,meaning", "-o", listed)
    assert ran.code == 0, ran.err
    assert model.read_bytes() == listed.read_bytes()
    scored = tmp_path / "scored.csv"
    assert run_command("predict", model, table, "--text", "body", "-o", scored).code == 0
    api = RareTextClassifier.load(model)
    scores = api.predictions(frame["body"]).score
    np.testing.assert_allclose(pl.read_csv(scored)["score"].to_numpy(), scores, atol=1e-6)
    assert "(meaning): a vector of 256 numbers" in run_command("show", model).out
    checked = run_command("check", model, table, "--text", "body")
    assert "as expected" in checked.out
    wrong = run_command("train", table, *TRAIN, "--features", "auto,meanings", "-o", listed)
    assert wrong.code == 2
    assert "features is 'meanings'" in wrong.err
    assert "did you mean 'meaning'?" in wrong.err


def test_a_model_with_a_callable_is_refused_in_one_line(folder, frame, tmp_path, run_command):
    def embed(texts):
        return np.array([[len(text), 1.0] for text in texts])

    labels = frame["topic"] == "scipy.sparse"
    model = RareTextClassifier(features=["words", embed], random_state=0).fit(frame["body"], labels)
    model.save(tmp_path / "a.model")
    ran = run_command(
        "predict", tmp_path / "a.model", folder / "train.csv", "-o", tmp_path / "out.csv"
    )
    assert ran.code == 2
    assert "trained with the callable 'embed', which returns 2 columns" in ran.err
    assert len(ran.err.strip().splitlines()) == 1


def labelled_table(path, sizes):
    rows = [f"word{label} a{i} b{i % 4},{label}" for label, n in sizes.items() for i in range(n)]
    path.write_text("\n".join(["body,topic", *rows]))
    return "train", path, "--text", "body", "--label", "topic", "-o", path.with_suffix(".model")


def test_without_a_class_it_finds_the_rare_ones_and_says_which(tmp_path, run_command):
    sizes = {"news": 400, "sport": 300, "theft": 14, "fraud": 11}
    command = labelled_table(tmp_path / "t.csv", sizes)
    ran = run_command(*command)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("It finds 'fraud', 'theft': rare, and not named. --class names")
    model = RareTextClassifier.load(tmp_path / "t.model")
    assert [expected.label for expected in model.expectation_] == ["fraud", "theft"]
    run_command("predict", tmp_path / "t.model", tmp_path / "t.csv", "-o", tmp_path / "out.csv")
    decided = pl.read_csv(tmp_path / "out.csv")
    right = decided["topic"].is_in(["theft", "fraud"])
    assert (decided["decision"].filter(right) == decided["topic"].filter(right)).all()
    assert decided["decision"].filter(~right).fill_null("").is_in(["", "fraud", "theft"]).all()
    named = run_command(*command, "--class", "fraud", "--class", "theft")
    assert named.out == ran.out.partition("\n")[2]


def test_a_repeated_class_is_several_classes_unless_they_are_one(tmp_path, run_command):
    command = labelled_table(tmp_path / "t.csv", {"news": 300, "theft": 14, "fraud": 11})
    both = ("--class", "theft", "--class", "fraud")
    assert "of 2 classes" in run_command(*command, *both).out
    assert "325 documents, 25 of them theft" in run_command(*command, *both, "--one-class").out
    assert "--class names; name them" in run_command(*command, "--one-class").err
    mislabelled = ("mislabelled", *command[1:-1], tmp_path / "doubts.csv", *both)
    assert run_command(*mislabelled).code == 0
    assert run_command(*mislabelled, "--one-class").code == 0


def test_each_class_has_its_own_columns(tmp_path, run_command):
    command = labelled_table(tmp_path / "t.csv", {"news": 300, "theft": 14, "fraud": 11})
    both = ("--class", "theft", "--class", "fraud")
    assert run_command(*command, *both).code == 0
    predict = ("predict", tmp_path / "t.model", tmp_path / "t.csv", "-o", tmp_path / "out.csv")
    ran = run_command(*predict, "--each-class")
    assert ran.code == 0, ran.err
    table = pl.read_csv(tmp_path / "out.csv")
    for name in ("theft", "fraud"):
        over = table[f"score_{name}"] > table[f"threshold_{name}"]
        assert ((table[f"decision_{name}"] == "yes") == over).all()
        assert (table[f"decision_{name}"].filter(table["topic"] == name) == "yes").all()
        assert table[f"probability_{name}"].is_between(0, 1).all()
    without = run_command(*predict)
    assert without.code == 0
    columns = pl.read_csv(tmp_path / "out.csv").columns
    assert not [name for name in columns if name.endswith(("_theft", "_fraud"))]


def test_a_decision_has_the_numbers_of_its_class(tmp_path, run_command):
    command = labelled_table(tmp_path / "t.csv", {"news": 300, "theft": 14, "fraud": 11})
    assert run_command(*command, "--class", "all").code == 0
    predict = ("predict", tmp_path / "t.model", tmp_path / "t.csv", "-o", tmp_path / "out.csv")
    assert run_command(*predict, "--each-class").code == 0
    for row in pl.read_csv(tmp_path / "out.csv").rows(named=True):
        for name in ("score", "threshold", "probability"):
            assert row[name] == row[f"{name}_{row['decision']}"]


def test_documents_that_were_trained_on_are_said(folder, frame, tmp_path, run_command):
    predict = ("predict", folder / "api.model")
    ran = run_command(*predict, folder / "train.csv", "-o", tmp_path / "out.csv")
    assert "seems to know the documents of" in ran.err
    assert "and their scores are too good" in ran.err
    new = frame.with_columns(body=pl.col("body") + " unheardofword")
    new.write_csv(tmp_path / "new.csv")
    ran = run_command(*predict, tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    assert "from its training" not in ran.err
    pl.concat([new[: len(new) // 2], frame]).write_csv(tmp_path / "both.csv")
    ran = run_command(*predict, tmp_path / "both.csv", "-o", tmp_path / "out.csv")
    assert "seems to know about 3" in ran.err
    assert "were expected" not in ran.err
