"""What a comparison recommends is run as it is printed, on the file that it read."""

import shlex
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from imbtext import RareTextClassifier, compare
from imbtext.cli.compare import commands_for
from imbtext.comparison import default_methods
from imbtext.comparison._snippet import snippet
from imbtext.tables import LabelRules, Layout, Roles, read_documents
from imbtext.tables._rules import DEFAULT_RULES
from tests.comparison_plan import comparison_plan

WORDS = {"oil": ["crude", "opec", "barrel"], "tin": ["ore", "mine", "smelter"]}
COMMON = ["rain", "sun", "film", "law", "vote", "match"]


@pytest.fixture
def wordnet(data_home):
    """The folder of the paper's data, which has a WordNet."""
    return data_home


def table(labels):
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(WORDS.get(name, COMMON), 5)) for name in labels]
    return pl.DataFrame({"body": texts, "topic": labels})


settings = partial(comparison_plan, share=0.2, random_state=3)
COLUMNS = Roles.of("body", label="topic")


def command(
    method,
    settings,
    source="train.csv",
    roles=COLUMNS,
    layout=Layout(),  # noqa: B008
    rules=DEFAULT_RULES,
):
    return commands_for(method, settings, Path(source), roles, rules, layout)


def run_all(run_command, commands):
    for line in commands.splitlines():
        words = shlex.split(line)
        assert words[0] == "imbtext"
        result = run_command(*words[1:], "--quiet")
        assert result.code == 0, result.err
    return [shlex.split(line) for line in commands.splitlines()]


@pytest.mark.parametrize(
    "method",
    [
        *("ros", "mco", "emco", "emco(0.1)", "emco(heaps)"),
        *("threshold(emco(0.1), f2)", "threshold(ros)"),
    ],
)
def test_every_oversampling_command_runs_with_the_settings_compared(
    run_command, tmp_path, monkeypatch, method
):
    monkeypatch.chdir(tmp_path)
    table(["oil"] * 6 + ["rest"] * 44).write_csv("train.csv")
    run_all(run_command, command(method, settings("oil", share=0.3)))
    written = pl.read_csv("oversampled.csv")
    assert written["synthetic"].sum() == int((0.3 * 50 - 6) / 0.7)


def test_the_command_with_synonyms_runs(run_command, tmp_path, monkeypatch, wordnet):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IMBTEXT_DATA", str(wordnet))
    table(["oil"] * 6 + ["rest"] * 44).write_csv("train.csv")
    run_all(run_command, command("eda", settings("oil", share=0.3)))
    assert pl.read_csv("oversampled.csv")["synthetic"].sum() == 12


def test_the_snippet_of_every_default_method_runs(wordnet, monkeypatch):
    monkeypatch.setenv("IMBTEXT_DATA", str(wordnet))
    frame = table(["oil"] * 12 + ["rest"] * 48)
    methods = default_methods("f2")
    assert "eda" in methods
    for method in methods:
        names = {
            "texts": frame["body"].to_list(),
            "y": frame["topic"].to_list(),
            "new_texts": ["crude opec barrel", "rain film law"],
        }
        exec(snippet(method, settings("oil")), names)
        assert len(names["in_class"]) == 2, method


def test_rows_that_the_comparison_ignored_are_not_oversampled_from(
    run_command, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    table(["oil"] * 8 + ["?"] * 8 + ["rest"] * 34).write_csv("train.csv")
    rules = LabelRules(ignored=("?",))
    (words,) = run_all(run_command, command("emco(0.1)", settings("oil", share=0.3), rules=rules))
    assert words[words.index("--ignore-label") + 1] == "?"
    assert pl.read_csv("oversampled.csv")["synthetic"].sum() == int((0.3 * 42 - 8) / 0.7)


def test_settings_that_the_command_does_not_have_are_not_dropped_in_silence():
    assert command("eda(0.3)", settings("oil")) == ""
    assert "--method eda" in command("eda", settings("oil"))
    assert "'eda(0.3)'" in snippet("eda(0.3)", settings("oil"))


def test_six_classes_at_the_default_share_get_a_file_each(run_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"c{i}" for i in range(6)]
    table([name for name in names for _ in range(4)] + ["rest"] * 60).write_csv("train.csv")
    lines = run_all(run_command, command("emco(0.1)", settings(*names)))
    assert len(lines) == 6
    for number, name in enumerate(names, start=1):
        written = pl.read_csv(f"oversampled-{number}.csv").filter("synthetic")
        assert set(written["topic"]) == {name}


@pytest.mark.parametrize(
    ("name", "layout", "write"),
    [
        ("a.csv", Layout(delimiter=";"), lambda t, p: t.write_csv(p, separator=";")),
        (
            "b.csv",
            Layout(encoding="cp1252"),
            lambda t, p: p.write_bytes(t.write_csv().encode("cp1252")),
        ),
        ("c.data", Layout(format="jsonl"), lambda t, p: t.write_ndjson(p)),
        ("d.parquet", Layout(), lambda t, p: t.write_parquet(p)),
    ],
)
def test_the_file_is_read_as_it_was_read(run_command, tmp_path, monkeypatch, name, layout, write):
    monkeypatch.chdir(tmp_path)
    frame = table(["oil"] * 6 + ["rest"] * 44)
    frame = frame.with_columns(body=pl.col("body") + " caf\xe9")
    write(frame, tmp_path / name)
    run_all(run_command, command("emco(0.1)", settings("oil"), name, layout=layout))
    written = pl.read_csv("oversampled.csv", separator=layout.delimiter or ",")
    assert written.height > 50
    assert "caf\xe9" in written["body"][0]


def test_boolean_labels(run_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = table(["oil"] * 6 + ["rest"] * 44)
    frame = frame.with_columns(topic=pl.col("topic") == "oil")
    frame.write_parquet("train.parquet")
    labels = read_documents(tmp_path / "train.parquet", COLUMNS, Layout()).y
    label = next(label for label in labels if str(label).lower() == "true")
    run_all(run_command, command("emco(0.1)", settings(label), "train.parquet"))
    assert pl.read_csv("oversampled.csv").height > 50
    names = {"texts": frame["body"].to_list(), "y": labels, "new_texts": ["crude opec barrel"]}
    exec(snippet("emco(0.1)", settings(label)), names)
    assert names["in_class"].tolist() == [True]


def test_several_labels_per_document_have_a_snippet_and_no_command():
    many = settings("oil", "tin", multilabel=True, share=0.4)
    separated = Roles.of("body", label="topic", separator=";")
    assert command("emco(0.1)", many, roles=separated) == ""
    frame = table(["oil"] * 8 + ["tin"] * 8 + ["rest"] * 34)
    y = [{name, "seen"} for name in frame["topic"]]
    names = {"texts": frame["body"].to_list(), "y": y, "new_texts": ["crude opec barrel"]}
    exec(snippet("emco(0.1)", many), names)
    assert {name: found.tolist() for name, found in names["in_class"].items()} == {
        "oil": [True],
        "tin": [False],
    }


def test_the_rare_classifier_is_trained_and_predicts(run_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = table(["oil"] * 12 + ["tin"] * 12 + ["rest"] * 60)
    frame.write_csv("train.csv", separator=";")
    frame.drop("topic").write_csv("new.csv", separator=";")
    commands = command("rare(f1)", settings("oil", "tin"), layout=Layout(delimiter=";"))
    lines = run_all(run_command, commands)
    assert [line[1] for line in lines] == ["train", "predict"] * 2
    for line in lines[1::2]:
        assert line[line.index("--delimiter") + 1] == ";"
        assert (tmp_path / line[line.index("-o") + 1]).exists()
    names = {
        "texts": frame["body"].to_list(),
        "y": frame["topic"].to_list(),
        "new_texts": ["crude opec barrel", "rain sun"],
    }
    exec(snippet("rare(f1)", settings("oil")), names)
    assert names["in_class"].tolist() == [True, False]


def test_one_class_of_several_keeps_its_number_so_that_no_model_replaces_another():
    of_both = settings("oil", "tin")
    alone = commands_for(
        "rare(f1)", of_both, Path("t.csv"), COLUMNS, DEFAULT_RULES, Layout(), ["tin"]
    )
    assert alone.splitlines() == command("rare(f1)", of_both, "t.csv").splitlines()[2:]
    assert "-o rare-2.model" in alone


def test_the_rare_classifier_keeps_together_and_leaves_out_what_the_comparison_did(
    run_command, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    labels = ["oil"] * 12 + ["unknown"] * 6 + ["rest"] * 60
    frame = table(labels).with_columns(sender=pl.Series([f"s{i // 2}" for i in range(78)]))
    frame.write_csv("train.csv")
    frame.select("body").write_csv("new.csv")
    rules = LabelRules(ignored=("unknown",))
    roles = Roles.of("body", label="topic", group="sender")
    words, _ = run_all(run_command, command("rare(f1)", settings("oil"), roles=roles, rules=rules))
    assert words[words.index("--group") + 1] == "sender"
    assert words[words.index("--ignore-label") + 1] == "unknown"
    assert RareTextClassifier.load("rare.model").expectation_[0].n_documents == 72
    own_groups = replace(settings("oil"), given_groups=np.arange(100))
    names = {
        "texts": frame["body"].to_list(),
        "y": frame["topic"].to_list(),
        "groups": frame["sender"].to_list(),
        "new_texts": ["crude opec barrel", "rain sun"],
    }
    assert "groups=groups)" in snippet("rare(f1)", own_groups)
    exec(snippet("rare(f1)", own_groups), names)
    assert names["in_class"].tolist() == [True, False]


def test_the_python_says_which_documents_the_comparison_left_out():
    texts = ["crude opec"] * 8 + ["rain sun"] * 60 + ["fog"] * 4
    y = ["oil"] * 8 + ["rest"] * 60 + ["unknown"] * 3 + [None]
    with pytest.warns(UserWarning, match="1 of 72 documents have no label"):
        comparison = compare(
            texts, y, classes="oil", methods=["plain"], ignore_labels="unknown", random_state=0
        )
    assert "without the 4 that had no label or one to ignore" in comparison.recommendation.snippet
    assert "left" not in snippet("plain", settings("oil"))


def test_the_rare_classifier_reads_several_labels_per_document(run_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = table(["oil"] * 12 + ["rest"] * 60)
    frame.with_columns(topic=pl.format("{} | seen", "topic")).write_csv("train.csv")
    frame.drop("topic").write_csv("new.csv")
    separated = Roles.of("body", label="topic", separator="|")
    commands = command("rare(f1)", settings("oil", multilabel=True), roles=separated)
    run_all(run_command, commands)
    assert pl.read_csv("scored.csv")["decision"][0] == "oil"


def test_joined_labels_are_one_class_for_train_and_no_oversampling_command(
    run_command, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    frame = table(["oil"] * 12 + ["rest"] * 60)
    topics = ["oil", "OIL "] * 6 + ["rest"] * 60
    frame.with_columns(topic=pl.Series(topics)).write_csv("train.csv")
    frame.drop("topic").write_csv("new.csv")
    joined = replace(settings("oil"), joined=("oil", "OIL "))
    words, _ = run_all(run_command, command("rare(f1)", joined))
    assert [words[i + 1] for i, word in enumerate(words) if word == "--class"] == ["oil", "OIL "]
    assert pl.read_csv("scored.csv")["decision"][1] == "oil"
    assert command("emco(0.1)", settings("oil"))
    assert command("emco(0.1)", joined) == ""


def test_what_compare_prints_is_run(run_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("imbtext.comparison._advice.choose", lambda *_: "emco(0.1)")
    table(["oil"] * 10 + ["rest"] * 60).write_csv("train.csv", separator=";")
    result = run_command(
        *("compare", "train.csv", "--text", "body", "--label", "topic", "--delimiter", ";"),
        *("--methods", "emco(0.1)", "--folds", "2", "--repeats", "1", "--quiet"),
        columns="40",
    )
    assert result.code == 0, result.err
    commands = result.out.split("# On the command line:\n")[1].split("\n\n")[0]
    run_all(run_command, commands)
    assert pl.read_csv("oversampled.csv", separator=";").height > 70


HOSTILE = "o'il \"<script>\n=cmd()"


def test_the_command_is_quoted_and_read_back_by_the_command_line():
    columns, layout = Roles.of("bo dy", label="la;bel"), Layout(delimiter=";")
    method = "threshold(emco(0.1), f1)"
    words = shlex.split(command(method, settings(HOSTILE), "my file.csv", columns, layout))
    assert words[:5] == ["imbtext", "oversample", "my file.csv", "-o", "oversampled.csv"]
    assert words[words.index("--class") + 1] == HOSTILE
    assert words[words.index("--gamma") + 1] == "0.1"
    assert words[words.index("--delimiter") + 1] == ";"


@pytest.mark.parametrize("method", ["plain", "class-weight", "threshold(f1)", "smote"])
def test_no_command_where_no_documents_are_written(method):
    assert command(method, settings("oil")) == ""
