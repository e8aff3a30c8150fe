"""A DuckDB database is read by a query, as a table like any other."""

import json
import pickle

import duckdb
import pytest

from imbtext.tables._errors import TableError
from imbtext.tables._formats import Layout
from imbtext.tables._opening import open_tables


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "tickets.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute("create table tickets (id integer, body varchar, fraud varchar, opened date)")
        made.executemany(
            "insert into tickets values (?, ?, ?, '2024-05-01')",
            [
                (i, f"card stolen {i}", "yes") if i % 5 == 0 else (i, f"opening hours {i}", "no")
                for i in range(60)
            ],
        )
        made.execute("create view empty_bodies as select * from tickets where false")
    return path


def test_the_answer_is_a_table(database):
    layout = Layout(query="select id, body from tickets where fraud = 'yes' order by id")
    with open_tables(database, layout) as (table,):
        assert table.columns == ["id", "body"]
        assert [batch.values("id") for batch in table.batches()] == [list(range(0, 60, 5))]
        assert pickle.loads(pickle.dumps(table)).columns == ["id", "body"]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (None, "--query 'select ...': its tables are .*tickets"),
        ("select nothing from tickets", "cannot answer the query .*nothing"),
        ("drop table tickets", "does nothing else; give one select"),
        ("select 1 as one; select 2 as two", "does nothing else; give one select"),
        ("copy tickets to 'labels.csv'", "does nothing else; give one select"),
        ("", "does nothing else; give one select"),
        ("selct 1", "cannot answer the query .*syntax error"),
    ],
)
def test_what_cannot_be_read_is_one_line(database, query, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labels.csv").write_text("precious")
    with (
        pytest.raises(TableError, match=said) as raised,
        open_tables(database, Layout(query=query)),
    ):
        pass
    assert "\n" not in str(raised.value)
    assert (tmp_path / "labels.csv").read_text() == "precious"


def test_a_query_of_another_file_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("body\noil\n")
    with (
        pytest.raises(TableError, match="not a DuckDB database"),
        open_tables(tmp_path / "a.csv", Layout(query="select 1")),
    ):
        pass


def test_train_and_predict_read_a_database(database, tmp_path, run_command):
    model, out = tmp_path / "fraud.model", tmp_path / "out.csv"
    ran = run_command(
        *("train", database, "--query", "select body, fraud from tickets", "--text", "body"),
        *("--label", "fraud", "--class", "yes", "-o", model),
    )
    assert ran.code == 0, ran.err
    query = "select id, body from tickets where id < 10"
    ran = run_command("predict", model, database, "--query", query, "-o", out)
    assert ran.code == 0, ran.err
    lines = out.read_text().splitlines()
    assert lines[0].startswith("id,body,decision,score")
    assert len(lines) == 11
    ran = run_command("predict", model, database, "-o", tmp_path / "out.jsonl", "--query", query)
    assert ran.code == 0, ran.err
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["id"] == 0
    ran = run_command("predict", model, database, "-o", out)
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
