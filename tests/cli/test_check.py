"""``imbtext check``: a few lines, a page, and an exit code for a cron job."""

import polars as pl
import pytest

from imbtext import RareTextClassifier
from imbtext._messages import DataWarning
from imbtext.datasets import load_docstrings
from imbtext.files import check_file


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("check")
    data = load_docstrings()
    frame = pl.DataFrame(
        {
            "day": [f"2024-03-{1 + i % 28:02}" for i in range(len(data.texts))],
            "body": [text[:200] for text in data.texts],
            "topic": list(data.labels),
        }
    ).sample(fraction=1, shuffle=True, seed=0)
    frame[1200:].write_csv(path / "new.csv")
    other = frame[1200:1500].with_columns(pl.col("body").str.reverse())
    other.write_csv(path / "other.csv")
    labels = ["scipy.stats" if t == "scipy.stats" else "rest" for t in frame["topic"][:1200]]
    model = RareTextClassifier(features="words", random_state=0, pos_label="scipy.stats")
    model.fit(frame["body"][:1200], labels).save(path / "a.model")
    return path


def test_exit_codes_and_few_lines(folder, tmp_path, run_command):
    ran = run_command("check", folder / "a.model", folder / "new.csv", "--label", "topic")
    assert ran.code == 0, ran
    drift, how_many = ran.out.splitlines()
    assert drift.endswith("documents, as expected")
    assert how_many.startswith("By the scores alone: About ")
    assert "about as frequent as in training" in how_many
    page = tmp_path / "check.html"
    ran = run_command("check", folder / "a.model", folder / "other.csv", "--report", page)
    assert ran.code == 1
    drift, *_, last = ran.out.splitlines()
    assert "drifted: " in drift
    assert last.startswith("The text itself has changed")
    assert "What was compared" in page.read_text("utf-8")


def test_the_command_is_the_function(folder, run_command):
    model = RareTextClassifier.load(folder / "a.model")
    found = check_file(
        model, folder / "new.csv", label="topic", time="day", every="week", classes=["scipy.stats"]
    )
    assert len(found.periods) == 5
    assert found.realised[0].n_class > 20
    ran = run_command(
        *("check", folder / "a.model", folder / "new.csv", "--label", "topic", "--time", "day"),
        *("--class", "scipy.stats"),
    )
    assert found.sentence in ran.out


def test_a_row_without_a_time_is_named_by_its_line(folder, tmp_path, run_command):
    lines = "\n".join(f"body,sparse matrix {i},2024-05-{i:02}" for i in range(1, 20))
    path = tmp_path / "new.csv"
    path.write_text(f"kind,body,day\n{lines}\nbody,dense matrix,\n")
    ran = run_command("check", folder / "a.model", path, "--text", "body", "--time", "day")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1), ran
    assert f"line 21 of {path} has no time in column 'day'" in ran.err


def test_a_misspelt_class_is_told(folder, run_command):
    arguments = ("check", folder / "a.model", folder / "new.csv", "--label", "topic")
    ran = run_command(*arguments, "--class", "scipy.stat")
    assert "has the label 'scipy.stat'; its labels are" in ran.err
    assert "did you mean 'scipy.stats'?" in ran.err
    assert run_command(*arguments, "--class", "scipy.stats").err == ""


def test_labels_that_look_like_the_class_are_named(folder, tmp_path, run_command):
    topic = pl.col("topic")
    frame = pl.read_csv(folder / "new.csv")
    written = pl.when(topic.str.starts_with("scipy.stats") & (pl.col("day") > "2024-03-14"))
    frame.with_columns(topic=written.then(topic + "?").otherwise(topic)).write_csv(
        tmp_path / "new.csv"
    )
    n = frame.filter((topic == "scipy.stats") & (pl.col("day") > "2024-03-14")).height
    options = ("check", folder / "a.model", tmp_path / "new.csv", "--label", "topic")
    ran = run_command(*options)
    assert f"labels that look like the class do not count as it: 'scipy.stats?' ({n})" in ran.err
    assert "--class scipy.stats --class 'scipy.stats?'" in ran.err
    ran = run_command(*options, "--class", "scipy.stats", "--class", "scipy.stats?")
    assert "--one-class counts all labels of --class as that class" in ran.err
    names = ("--class", "scipy.stats", "--class", "scipy.stats?", "--one-class")
    ran = run_command(*options, *names)
    assert ran.err == ""


def test_dates_of_one_file_settle_how_those_of_another_are_written(folder, tmp_path):
    """A folder of daily files: 03/01 alone may be in March or in January."""
    new = pl.read_csv(folder / "new.csv").with_columns(
        day=pl.col("day").str.replace(r"2024-(\d+)-(\d+)", "$1/$2/2024")
    )
    for (day,), part in new.group_by("day"):
        part.write_csv(tmp_path / f"{day.replace('/', '-')}.csv")
    model = RareTextClassifier.load(folder / "a.model")
    asked = {"label": "topic", "time": "day"}
    expected = check_file(model, folder / "new.csv", **asked)
    assert check_file(model, tmp_path, **asked).periods == expected.periods


def test_mistakes_are_one_line(folder, run_command):
    for options, message in (
        (("--time", "nothing"), "nothing"),
        (("--every", "hour"), "every is 'hour'"),
        (("--label", "day"), "the labels are '2024-03-01'"),
        (("--text", "title"), "title"),
    ):
        ran = run_command("check", folder / "a.model", folder / "new.csv", *options)
        assert (ran.code, len(ran.err.splitlines())) == (2, 1), ran
        assert message in ran.err


def test_a_folder_and_a_pattern_are_read_as_one_table(folder, tmp_path, run_command):
    new = pl.read_csv(folder / "new.csv")
    for i, part in enumerate(new.iter_slices(400)):
        part.write_csv(tmp_path / f"{i}.csv")
    model = RareTextClassifier.load(folder / "a.model")
    asked = {"label": "topic", "time": "day"}
    expected = check_file(model, folder / "new.csv", **asked)
    for source in (tmp_path, tmp_path / "*.csv"):
        found = check_file(model, source, **asked)
        assert found.sentence == expected.sentence
        assert found.realised == expected.realised
        ran = run_command("check", folder / "a.model", source)
        assert (ran.code, len(ran.out.splitlines())) == (0, 2), ran


@pytest.mark.parametrize("empty", [None, "", "  ", float("nan")])
def test_rows_without_a_label_count_for_nothing(folder, tmp_path, empty):
    """They are rows whose class nobody knows, not rows of another class."""
    new = pl.read_csv(folder / "new.csv")
    blank = new.with_columns(pl.lit(empty).alias("topic"))
    kind = pl.Float64 if isinstance(empty, float) else pl.String
    labels = new["topic"] == "scipy.stats"
    as_labels = labels.cast(pl.Float64) if kind == pl.Float64 else new["topic"]
    known = new.with_columns(as_labels.alias("topic"))
    classes = ["1.0", "1"] if kind == pl.Float64 else ["scipy.stats"]
    pl.concat([known, blank.with_columns(pl.col("topic").cast(kind))]).write_parquet(
        tmp_path / "new.parquet"
    )
    known.write_parquet(tmp_path / "known.parquet")
    model = RareTextClassifier.load(folder / "a.model")
    some, every = (
        check_file(model, tmp_path / name, label="topic", classes=classes)
        for name in ("new.parquet", "known.parquet")
    )
    assert some.realised == every.realised


def test_rows_with_a_label_to_ignore_are_left_out(folder, tmp_path, run_command):
    """As in train: n/a is no class, and its rows say nothing about the model."""
    frame = pl.read_csv(folder / "new.csv").with_row_index()
    is_unknown = pl.col("index") % 3 == 0
    unknown = pl.when(is_unknown).then(pl.lit("n/a")).otherwise("topic")
    frame.with_columns(topic=unknown).write_csv(tmp_path / "new.csv")
    frame.filter(~is_unknown).write_csv(tmp_path / "known.csv")
    model = RareTextClassifier.load(folder / "a.model")
    asked = {"label": "topic", "time": "day"}
    expected = check_file(model, tmp_path / "known.csv", **asked)
    for ignored in ("n/a", ["n/a", "not there"]):
        found = check_file(model, tmp_path / "new.csv", ignore_labels=ignored, **asked)
        assert (found.n_documents, found.realised) == (expected.n_documents, expected.realised)
        assert (found.findings, found.periods) == (expected.findings, expected.periods)
    options = ("check", folder / "a.model", tmp_path / "new.csv", "--label", "topic")
    ran = run_command(*options)
    n = frame.filter(is_unknown).height
    assert f"the label 'n/a' ({n}) counts as another class; if" in ran.err
    assert "leave its rows out: --ignore-label n/a" in ran.err
    ran = run_command(*options, "--ignore-label", "n/a")
    assert (ran.err, f"{expected.n_documents} documents" in ran.out) == ("", True), ran
    ran = run_command(*options[:3], "--ignore-label", "n/a")
    assert (ran.code, "name their column: label (--label)" in ran.err) == (2, True)


def test_an_empty_label_may_mean_that_a_row_is_outside_the_class(folder, tmp_path, run_command):
    new, path = pl.read_csv(folder / "new.csv"), tmp_path / "new.csv"
    is_class = pl.col("topic") == "scipy.stats"
    new.with_columns(topic=pl.when(is_class).then("topic")).write_csv(path)
    model = RareTextClassifier.load(folder / "a.model")
    expected = check_file(model, folder / "new.csv", label="topic", classes=["scipy.stats"])
    found = check_file(model, path, label="topic", unlabelled="no")
    assert found.realised == expected.realised
    with pytest.warns(DataWarning, match="--unlabelled no"):
        assert check_file(model, path, label="topic").realised[0].n_documents < 400
    command = ("check", folder / "a.model", path)
    assert run_command(*command, "--label", "topic", "--unlabelled", "no").code == 0
    refused = run_command(*command, "--label", "topic", "--unlabelled", "refuse").err
    assert f"line 5 of {path} has no label in column 'topic'" in refused
    assert "name their column" in run_command(*command, "--unlabelled", "no").err
