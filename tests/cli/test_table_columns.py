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
    assert scored["score"].to_list() == loaded.predictions(frame).score.round(6).tolist()
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
    assert scores == loaded.predictions(frame).score.round(6).tolist()


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


def test_columns_beside_the_text(frame, tmp_path, run_command):
    rng = np.random.default_rng(1)
    is_class = (frame["topic"] == "oil").to_numpy()
    table = frame.with_columns(
        pl.Series("subject", rng.permutation(frame["subject"].to_numpy())),
        pl.Series("body", rng.permutation(frame["body"].to_numpy())),
        pl.Series("amount", np.where(is_class, 900, 500) + rng.normal(0, 150, 160)),
        pl.Series("country", rng.choice(["de", "fr"], 160)),
    )
    table.write_csv(tmp_path / "train.csv")
    table.write_parquet(tmp_path / "new.parquet")
    model = tmp_path / "also.model"
    given = ("--label", "topic", "--class", "oil", "--also", "amount", "--also", "country")
    ran = run_command("train", tmp_path / "train.csv", *TEXT, *given, "-o", model)
    assert ran.code == 0, ran.err
    loaded = RareTextClassifier.load(model)
    assert loaded.columns_ == ("amount", "country")
    assert f"Columns beside the text: {loaded.report_['columns']}." in ran.out
    out = tmp_path / "out.csv"
    ran = run_command("predict", model, tmp_path / "new.parquet", "-o", out, "--explain")
    assert ran.code == 0, ran.err
    scored = pl.read_csv(out)
    assert scored["score"].to_list() == loaded.predictions(table).score.round(6).tolist()
    assert "amount: " in scored["words_for"][0]
    table.drop("amount").write_csv(tmp_path / "lacks.csv")
    ran = run_command("predict", model, tmp_path / "lacks.csv", "-o", out)
    assert ran.code == 2
    assert "has no column 'amount'" in ran.err
    compared = [
        run_command(
            *("compare", tmp_path / "train.csv", *TEXT, *columns, "--methods", "rare"),
            *("--folds", "2", "--repeats", "1"),
        )
        for columns in (given, given[:4])
    ]
    assert compared[0].code == compared[1].code == 0, compared[0].err
    assert compared[0].out != compared[1].out
