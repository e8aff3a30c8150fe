"""Labels from other tools, by their own exports, and tasks for Label Studio."""

import csv
import gzip
import json
import re
import shlex
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from imbtext import RareTextClassifier
from imbtext.files import predict_file
from imbtext.labelling._exports import labels_of_export
from imbtext.parallel import ProcessPool
from imbtext.tables import TableError

EXPORTS = Path(__file__).parent / "exports"
GUIDE = Path(__file__).parents[2] / "docs/guides/labelling.md"
BODY = [
    "The app is slow",
    "My  card was stolen\nin Lyon",
    "Nobody exported this",
    "How do I change my address?",
    "Where is your branch?",
    "Two payments I never made",
]
LABELS = ["no", "fraud", None, "no", None, "fraud"]
ABSTRACTS = [
    "It takes a minute to open.",
    "Somebody paid with it twice.",
    "Nobody exported this, either.",
    "I have moved house.",
    "I cannot find it.",
    "Both are from last night.",
]
FILES = (
    ("label_studio.json", "Label Studio JSON"),
    ("doccano.jsonl", "doccano JSON lines"),
    ("prodigy.jsonl", "Prodigy JSON lines"),
    ("prodigy_choice.jsonl", "Prodigy JSON lines"),
    ("argilla.json", "Argilla records"),
    ("asreview.ris", "RIS"),
    ("asreview.csv", "a table of ASReview"),
)


@pytest.mark.parametrize(("name", "kind"), FILES)
def test_the_export_of_each_tool_labels_the_documents_of_its_texts(name, kind):
    exported = labels_of_export(EXPORTS / name, {"body": BODY}, ["fraud"])
    assert exported.labels == LABELS
    assert exported.format == kind
    assert (exported.n_not_found, exported.n_disputed) == (0, 0)


@pytest.mark.parametrize("name", ["asreview.ris", "asreview.csv"])
def test_titles_and_abstracts_are_compared_together(name):
    columns = {"title": BODY, "abstract": ABSTRACTS}
    assert labels_of_export(EXPORTS / name, columns, ["yes"]).labels == [
        label and label.replace("fraud", "yes") for label in LABELS
    ]
    with pytest.raises(ValueError, match="stands in 'title', 'abstract'; give the table"):
        labels_of_export(EXPORTS / name, {"title": BODY, "abstract": BODY}, ["yes"])


def exported(tmp_path, records, classes=("fraud",), bodies=("one", "two")):
    path = tmp_path / "export.json"
    path.write_text(json.dumps(records))
    return labels_of_export(path, {"body": bodies}, list(classes))


def doccano(text, *labels):
    return {"text": text, "label": list(labels)}


def prodigy(label, answer, text="one"):
    return {"text": text, "label": label, "answer": answer}


def test_contradictions_and_strangers_are_counted_and_stay_unread(tmp_path):
    records = [doccano("one", "fraud"), doccano("one", "other"), doccano("three", "fraud")]
    found = exported(tmp_path, records)
    assert (found.labels, found.n_disputed, found.n_not_found) == ([None, None], 1, 1)
    assert found.sentences(Path("export.json")) == [
        "export.json (doccano JSON lines) has labels of 0 documents of the table.",
        "Labelled texts that are not in the table: 1.",
        "Left unread for labels that disagree: 1 document.",
    ]
    both = exported(tmp_path, [doccano("one", "fraud", "spam")], ["fraud", "spam"])
    assert both.n_disputed == 1
    urgent = exported(tmp_path, [doccano("one", "fraud", "urgent")])
    assert urgent.labels == ["fraud", None]


def test_documents_with_the_same_text_have_the_same_label(tmp_path):
    found = exported(tmp_path, [doccano("one", "fraud")], bodies=("one", "two", "one"))
    assert found.labels == ["fraud", None, "fraud"]


def test_a_question_about_one_label_says_nothing_about_others(tmp_path):
    records = [prodigy("fraud", "reject"), prodigy("spam", "accept", "two")]
    assert exported(tmp_path, records).labels == ["no", None]
    classes = ["fraud", "spam"]
    assert exported(tmp_path, records, classes).labels == [None, "spam"]
    records.append(prodigy("spam", "reject"))
    assert exported(tmp_path, records, classes).labels == ["no", "spam"]
    records.append(prodigy("fraud", "accept"))
    assert exported(tmp_path, records, classes).n_disputed == 1


def test_cancelled_annotations_do_not_count(tmp_path):
    tasks = json.loads((EXPORTS / "label_studio.json").read_text())
    tasks[0]["annotations"][0]["was_cancelled"] = True
    bodies = (BODY[1], BODY[5])
    assert exported(tmp_path, tasks, bodies=bodies).labels == [None, "fraud"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("body\none\n", "is not an export with labels of documents; expected Label Studio JSON, "),
        ("", "is not an export with labels"),
        ("[1, 2]", "is not an export with labels"),
        ('[{"text": "one", "label": [[0, 3, "ORG"]]}]', "is not an export with labels"),
        ('[{"text": "one"', "is not whole JSON"),
        ("[" * 100_000, "is not whole JSON"),
        ('{"text": "one", "label": []}', "has no labels; label some documents there first"),
        ('{"text": "one", "label": ["a"]}\n{"body": 1}', "record 2 of .* is not doccano"),
        ('{"text": "one", "label": ["fruad"]}', "did you mean 'fruad'"),
        ('{"text": "nine", "label": ["fraud"]}', "none of the 1 labelled texts"),
        ("TY  - JOUR\nTI  - one\nER  - \n", "has no labels"),
    ],
)
def test_what_is_no_export_is_one_line(tmp_path, text, message):
    path = tmp_path / "export"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        labels_of_export(path, {"body": ["one"]}, ["fraud"])
    assert "\n" not in str(caught.value)


def test_labels_of_a_session_are_no_export_and_the_way_is_named(tmp_path):
    path = tmp_path / "old.csv"
    path.write_text("row,body,label,decision,labeller,note,chosen,time\n")
    with pytest.raises(ValueError, match=r"continue that with -o .*old\.csv, or .* --like"):
        labels_of_export(path, {"body": ["one"]}, ["fraud"])


def test_included_is_no_answer_about_several_classes():
    with pytest.raises(ValueError, match="give one --class"):
        labels_of_export(EXPORTS / "asreview.csv", {"title": BODY}, ["fraud", "spam"])


def commands_of_guide():
    section = GUIDE.read_text("utf-8").split("\n## With the tools you use already\n")[1]
    text = section.split("\n## ")[0].replace("\\\n", " ")
    return [shlex.split(line)[1:] for line in re.findall(r"^imbtext .*$", text, re.MULTILINE)]


def test_the_command_of_the_guide_labels_a_session(run_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Path("tickets.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["body", "topic"], *([text, "other"] for text in BODY)])
    Path("export.json").write_bytes((EXPORTS / "label_studio.json").read_bytes())
    label = commands_of_guide()[0]
    for _ in range(2):  # the second time, the labels are there already
        ran = run_command(*label, "--next", 2)
        assert ran.code == 0, ran.err
        assert "has labels of 4 documents of the table." in ran.out
        assert "4 documents read, 2 found." in ran.out
    with Path("labels.csv").open(newline="", encoding="utf-8") as file:
        lines = {line["body"]: (line["label"], line["chosen"]) for line in csv.DictReader(file)}
    assert lines == {
        text: (label, "given") for text, label in zip(BODY, LABELS, strict=True) if label
    }
    for options in (("--label", "topic"), ("--simulate", "--label", "topic")):
        ran = run_command(*label, *options)
        assert ran.code == 2
        assert "--from" in ran.err
        assert ran.err.count("\n") == 1


@pytest.fixture
def model(tmp_path):
    """Return the file of a model that finds stolen cards."""
    texts = [f"my card was {word}" for word in ("stolen", "taken", "robbed", "lost")] * 2
    texts += [f"how do I {word} it" for word in ("change", "open", "find", "close")] * 6
    labels = ["fraud"] * 8 + ["no"] * 24
    path = tmp_path / "labels.model"
    RareTextClassifier(random_state=0).fit(texts, labels).save(path)
    return path


def test_the_command_of_the_guide_writes_tasks(run_command, tmp_path, monkeypatch, model):
    monkeypatch.chdir(tmp_path)
    with Path("new.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["body", "day"], *([text, "1"] for text in BODY)])
    predict = [*commands_of_guide()[1], "--text", "body"]
    ran = run_command(*predict, "--explain", "--prefix", "our-")
    assert ran.code == 0, ran.err
    tasks = json.loads(Path("tasks.json").read_text("utf-8"))
    assert len(tasks) == len(BODY)
    assert tasks[0]["data"] == {"body": BODY[1], "day": "1"}
    assert set(tasks[0]["meta"]) >= {"line", "score", "threshold", "words_for", "words_against"}
    predictions = [prediction for task in tasks for prediction in task["predictions"]]
    scores = [prediction["score"] for prediction in predictions]
    assert scores == sorted(scores, reverse=True)
    assert predictions[0]["result"] == [
        {
            "from_name": "label",
            "to_name": "text",
            "type": "choices",
            "value": {"choices": ["fraud"]},
        }
    ]
    config = GUIDE.read_text("utf-8").split("<View>")[1].split("</View>")[0]
    assert '<Text name="text" value="$body"/>' in config
    assert '<Choices name="label" toName="text">' in config


def test_tasks_of_parquet_and_of_several_labels(tmp_path):
    one, two = "oil price up", "rain in the port"
    texts = [one] * 8 + [two] * 8 + ["an oil port in the rain"] * 4 + ["hello there"] * 30
    labels = [{"oil"}] * 8 + [{"rain"}] * 8 + [{"oil", "rain"}] * 4 + [set()] * 30
    model = RareTextClassifier(random_state=0).fit(texts, labels)
    path, out = tmp_path / "new.parquet", tmp_path / "tasks.json.gz"
    days = [date(2026, 1, day) for day in (1, 2, 3)]
    amounts = [1.5, float("nan"), None]
    pl.DataFrame(
        {"body": [*texts[16:17], "hello there", one], "day": days, "amount": amounts}
    ).write_parquet(path)
    predict_file(model, path, out, text="body", output_format="label-studio")
    tasks = json.loads(gzip.decompress(out.read_bytes()))
    chosen = [
        sorted(
            choice
            for region in task["predictions"][0]["result"]
            for choice in region["value"]["choices"]
        )
        for task in tasks
    ]
    assert chosen == [["oil", "rain"], [], ["oil"]]
    assert tasks[1]["data"] == {"body": "hello there", "day": "2026-01-02", "amount": None}
    pl.DataFrame({"body": [one], "raw": [b"x"]}).write_parquet(path)
    with pytest.raises(TableError, match="bytes"):
        predict_file(model, path, out, text="body", output_format="label-studio")
    pl.DataFrame({"body": [one], "raw": [[float("inf")]]}).write_parquet(path)
    with pytest.raises(TableError, match="infinite"):
        predict_file(model, path, out, text="body", output_format="label-studio")
    assert len(json.loads(gzip.decompress(out.read_bytes()))) == 3
    with pytest.raises(ValueError, match=r"tasks for Label Studio .--output-format label-studio"):
        predict_file(model, path, tmp_path / "tasks.json", text="body")
    with pytest.raises(ValueError, match=r"leave the pool .* out"):
        predict_file(
            model,
            path,
            tmp_path / "parts",
            text="body",
            output_format="Label-Studio",
            pool=ProcessPool(4),
        )
