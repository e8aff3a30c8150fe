"""``imbtext check --budget``: documents to read, their labels, and how much the model finds."""

import polars as pl
import pytest

from imbtext import RareTextClassifier
from imbtext.labelling._decisions import Decision
from imbtext.labelling._labels_file import LabelsFile


@pytest.fixture
def model(tmp_path):
    texts = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain"] * 12
    path = tmp_path / "oil.model"
    RareTextClassifier(random_state=0).fit(texts, ["oil"] * 6 + ["weather"] * 24).save(path)
    return path


@pytest.fixture
def week(tmp_path):
    """Documents 0 to 9 are alarms; 0 to 7 and 20 to 22 are of the class."""
    texts = ["oil price today"] * 10 + ["rain and sun"] * 190
    path = tmp_path / "week.csv"
    pl.DataFrame({"ticket": [f"t{i}" for i in range(200)], "body": texts}).write_csv(path)
    return path


OF_CLASS = {f"t{i}" for i in [*range(8), 20, 21, 22]}
TICKETS = ("--text", "body", "--id", "ticket")


def labelled(path, yes="oil", no="no"):
    table = pl.read_csv(path, infer_schema=False)
    labels = [yes if name in OF_CLASS else no for name in table["id"]]
    table.with_columns(label=pl.Series(labels)).write_csv(path, separator=";")
    return table


def test_it_names_documents_reads_labels_and_goes_on(run_command, model, week, tmp_path):
    out = tmp_path / "read.csv"
    command = ("check", model, week, *TICKETS, "-o", out)
    ran = run_command(*command, "--budget", 20)
    assert ran.code == 0, ran.err
    assert "Read the 20 documents without a label" in ran.out
    table = labelled(out)
    assert table.columns == ["id", "text", "label"]
    assert (table["text"] == "oil price today").sum() == 5
    ran = run_command(*command, "--budget", 20)
    assert ran.out.startswith("20 of 200 documents were read: ")
    assert "Found of 100, guaranteed: " in ran.out
    assert "mostly the model's own word" in ran.out
    ran = run_command(*command, "--budget", 200)
    assert "Read the 180 documents without a label" in ran.out
    more = pl.read_csv(out, infer_schema=False)
    assert more["id"][:20].to_list() == table["id"].to_list()
    assert more["label"].null_count() == 180
    labelled(out)
    ran = run_command(*command, "--budget", 200)
    assert "8 of 10 alarms and 3 of 190 others are oil" in ran.out
    assert "Alarms that are right: 80 (80 to 80) of 100." in ran.out
    assert "Found of 100, guaranteed: 73 (73 to 73)." in ran.out


def test_the_same_seed_names_the_same_documents_in_python(run_command, model, week, tmp_path):
    out = tmp_path / "read.csv"
    assert run_command("check", model, week, *TICKETS, "-o", out, "--budget", 30).code == 0
    audit = RareTextClassifier.load(model).audit(pl.read_csv(week)["body"], budget=30)
    assert pl.read_csv(out)["id"].to_list() == [f"t{row}" for row in audit.rows]


def test_labels_made_on_the_labelling_page_are_read(run_command, model, week, tmp_path):
    out, made = tmp_path / "read.csv", tmp_path / "labels.csv"
    command = ("check", model, week, *TICKETS, "-o", out, "--budget", 20)
    run_command(*command)
    table = pl.read_csv(out)
    ids, texts = table["id"].to_list(), table["text"].to_list()
    with LabelsFile(made, {"id": ids, "text": texts}, ["text"], "id") as file:
        for row, name in enumerate(ids[:19]):
            decision = "oil" if name in OF_CLASS else "no"
            file.add(Decision(row, "unsure", "ben", time="2026-01-01T00:00:00Z"))
            file.add(Decision(row, decision, "ben", time="2026-01-01T00:00:01Z"))
    before = made.read_bytes()
    assert "Read the document without a label" in run_command(*command, "--labels", made).out
    assert pl.read_csv(out)["label"].null_count() == 1
    with LabelsFile(made, {"id": ids, "text": texts}, ["text"], "id") as file:
        file.add(Decision(19, "no", "ben", time="2026-01-01T00:00:00Z"))
    ran = run_command(*command, "--labels", made)
    assert ran.out.startswith("20 of 200 documents were read: ")
    assert ran.out == run_command(*command).out  # -o keeps them
    assert made.read_bytes()[: len(before)] == before
    for labels, message in (
        (week, "it has no columns id and label; name another file with --labels"),
        (out, "is the input itself"),
    ):
        ran = run_command(*command, "--labels", labels)
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert message in ran.err
    ran = run_command("check", model, week, *TICKETS, "--labels", made)
    assert "--labels has the labels of an audit; give --budget" in ran.err


@pytest.mark.parametrize("name", ["read.xlsx", "read.jsonl", "read.parquet", "read.csv.gz"])
def test_the_table_to_read_may_have_any_format(run_command, model, week, tmp_path, name):
    out = tmp_path / name
    command = ("check", model, week, "--text", "body", "-o", out, "--budget")
    assert "Read the 20 documents without a label" in run_command(*command, 20).out
    written = pl.read_excel if name.endswith("xlsx") else pl.read_ndjson
    if name in ("read.xlsx", "read.jsonl"):
        lines = pl.col("line").cast(pl.Int64)  # as a spreadsheet program writes numbers
        table = written(out, infer_schema_length=None).with_columns(lines, label=pl.lit("no"))
        (table.write_excel if name == "read.xlsx" else table.write_ndjson)(out)
        assert run_command(*command, 20).out.startswith("20 of 200 documents were read: 0 of 5")
        assert "Read the 10 documents" in run_command(*command, 30).out
    else:
        assert "Read the 30 documents" in run_command(*command, 30).out


def test_labels_that_count_as_the_class(run_command, model, week, tmp_path):
    out = tmp_path / "read.csv"
    command = ("check", model, week, *TICKETS, "-o", out, "--budget", 200)
    said = []
    for yes, no, options in (
        ("yes", "no", ()),
        ("petrol", "other", ("--class", "petrol")),
        ("oil", "weather", ()),
        ("YES", "No", ()),
        ("Oil", "NO", ("--class", "oil")),
    ):
        run_command(*command)
        labelled(out, yes, no)
        said.append(run_command(*command, *options).out.splitlines()[0])
        out.unlink()
    assert len(set(said)) == 1, said
    run_command(*command)
    labelled(out, "petrol")  # would count as no, in silence
    ran = run_command(*command)
    assert ran.code == 2
    assert "has the label 'petrol'; write oil or no, or name the labels" in ran.err


def test_recall_in_each_period_and_a_report(run_command, model, week, tmp_path):
    out, report = tmp_path / "read.csv", tmp_path / "audit.html"
    days = ["2024-05-06", "2024-05-14"]  # a Monday, and a Tuesday a week later
    table = pl.read_csv(week)
    table.with_columns(day=pl.Series([days[row % 2] for row in range(200)])).write_csv(week)
    command = ("check", model, week, *TICKETS, "-o", out, "--budget", 200, "--time", "day")
    command += ("--report", report)
    run_command(*command)
    assert not report.exists()
    labelled(out)
    assert run_command(*command).code == 0
    page = report.read_text()
    assert "2024-05-06" in page
    assert "2024-05-13" in page
    # Everything was read: of 0, 2, 4, 6, 20 and 22, the model finds the first four.
    assert "67 (67 to 67)" in page
    assert "80 (80 to 80)" in page  # of 1, 3, 5, 7 and 21
    assert "<svg" in page
    assert "far off" not in page  # nothing was compared


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--budget", "20"), "--budget names documents to read; give their table with -o"),
        (("-o", "read.csv"), "-o is the table of documents to read in an audit; give --budget"),
        (
            ("--budget", "20", "-o", "read.csv", "--label", "body"),
            "--label is the labels of",
        ),
        (("--budget", "20", "-o", "week.csv"), "is the input itself"),
        (("--budget", "20", "-o", "other.csv"), "is not a table of documents to read"),
        (("--budget", "1", "-o", "read.csv"), "Invalid value for '--budget'"),
    ],
)
def test_mistakes_are_one_line(run_command, model, week, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    ran = run_command("check", model, "week.csv", "--text", "body", *options)
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert ran.err.count("\n") == 1
    assert (tmp_path / "other.csv").read_text() == "a,b\n1,2\n"


def test_of_several_classes_one_is_audited(run_command, week, tmp_path):
    texts = [f"{word} price {i}" for i in range(12) for word in ("oil", "gold", "rain")]
    model = tmp_path / "metals.model"
    RareTextClassifier(random_state=0).fit(texts, ["oil", "gold", "rain"] * 12).save(model)
    command = ("check", model, week, *TICKETS, "-o", tmp_path / "read.csv", "--budget", 8)
    ran = run_command(*command)
    assert ran.code == 2
    assert "the model finds 'gold', 'oil', 'rain'; name the class to audit" in ran.err
    ran = run_command(*command, "--class", "gold")
    assert ran.code == 0, ran.err
    assert "write gold or no into the column label" in ran.out


def test_a_smaller_budget_or_another_file_does_not_lose_labels(run_command, model, week, tmp_path):
    out = tmp_path / "read.csv"
    run_command("check", model, week, *TICKETS, "-o", out, "--budget", 40)
    before = out.read_bytes()
    ran = run_command("check", model, week, *TICKETS, "-o", out, "--budget", 20)
    assert ran.code == 2
    assert "give the budget it was made with or a larger one" in ran.err
    assert out.read_bytes() == before


def test_a_table_of_another_file_is_refused_by_its_texts(run_command, model, week, tmp_path):
    out = tmp_path / "read.csv"
    command = ("check", model, week, "--text", "body", "-o", out, "--budget", 20)
    run_command(*command)
    before = out.read_bytes()
    table = pl.read_csv(week)
    # As many documents in the same lines, so the audit names the same ones.
    table.with_columns(pl.col("body").str.replace("sun", "snow")).write_csv(week)
    ran = run_command(*command)
    assert (ran.code, out.read_bytes()) == (2, before)
    assert "has another text for " in ran.err
    assert "audit the file that it was made from" in ran.err
