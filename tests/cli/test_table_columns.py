"""Several text columns, from the command line."""

import numpy as np
import polars as pl
import pytest

from imbtext import RareTextClassifier


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    is_class = np.arange(160) % 8 == 0
    words = [f"word{chr(97 + i)}" for i in range(12)]

    def texts(sign, other):
        return [" ".join([sign if c else other, *rng.choice(words, 4)]) for c in is_class]

    return pl.DataFrame(
        {
            "id": np.arange(160),
            "subject": texts("price", "rain"),
            "body": texts("crude", "sun"),
            "topic": np.where(is_class, "oil", "other"),
        }
    )


TEXT = ("--text", "subject", "--text", "body")


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("columns")
    frame.write_csv(path / "train.csv")
    model = RareTextClassifier(text=["subject", "body"], random_state=0, pos_label="oil")
    labels = np.where(frame["topic"] == "oil", "oil", "not oil")
    model.fit(frame, labels).save(path / "api.model")
    return path


def test_training_and_predicting_are_the_apis(folder, frame, tmp_path, run_command):
    model = tmp_path / "cli.model"
    ran = run_command(
        "train", folder / "train.csv", *TEXT, "--label", "topic", "--class", "oil", "-o", model
    )
    assert ran.code == 0, ran.err
    assert model.read_bytes() == (folder / "api.model").read_bytes()
    # Columns are found by name, wherever they stand.
    frame.select("body", "id", "subject").write_csv(tmp_path / "new.csv")
    out = tmp_path / "out.csv"
    ran = run_command("predict", model, tmp_path / "new.csv", "-o", out, "--explain")
    assert ran.code == 0, ran.err
    scored = pl.read_csv(out)
    loaded = RareTextClassifier.load(model)
    assert scored["score"].to_list() == loaded.predictions(frame).scores.round(6).tolist()
    assert "subject: price" in scored["words_for"][0]
    assert "body: crude" in scored["words_for"][0]


def test_columns_of_other_names_are_named_in_their_order(folder, frame, tmp_path, run_command):
    new = frame.select(pl.col("subject").alias("betreff"), pl.col("body").alias("text"))
    new.write_csv(tmp_path / "new.csv")
    arguments = ("predict", folder / "api.model", tmp_path / "new.csv", "-o", tmp_path / "out.csv")
    ran = run_command(*arguments)
    assert ran.code == 2
    assert "has no column 'subject'" in ran.err
    ran = run_command(*arguments, "--text", "betreff")
    assert ran.code == 2
    assert "the model reads 2 text columns ('subject', 'body')" in ran.err
    ran = run_command(*arguments, "--text", "betreff", "--text", "text")
    assert ran.code == 0, ran.err
    loaded = RareTextClassifier.load(folder / "api.model")
    scores = pl.read_csv(tmp_path / "out.csv")["score"].to_list()
    assert scores == loaded.predictions(frame).scores.round(6).tolist()


def test_comparing_reads_several_text_columns(folder, run_command):
    ran = run_command(
        *("compare", folder / "train.csv", *TEXT, "--label", "topic", "--class", "oil"),
        *("--methods", "ros,rare", "--folds", "2", "--repeats", "1"),
    )
    assert ran.code == 0, ran.err
    assert "RareTextClassifier" in ran.out
    alone = run_command(
        *("compare", folder / "train.csv", "--text", "body", "--label", "topic", "--class", "oil"),
        *("--methods", "ros,rare", "--folds", "2", "--repeats", "1"),
    )
    assert alone.out != ran.out
