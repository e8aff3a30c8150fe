"""Folders and patterns of files for ``imbtext oversample``."""

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from imbtext import EMCO, minority_share

BASE = ["--text", "body", "--label", "topic"]


@pytest.fixture
def run(run_command):
    return run_command


@pytest.fixture
def table():
    texts = [f"oil price {'up' if i % 3 else 'falls'} w{i % 7}" for i in range(8)]
    texts += [f"gold w{i % 11} firm w{i % 5} share up" for i in range(42)]
    return pl.DataFrame({"body": texts, "topic": ["oil"] * 8 + ["other"] * 42, "number": range(50)})


def parts(table, folder, kind):
    folder.mkdir()
    for i, rows in enumerate((table[:5], table[5:6], table[6:])):
        if kind == "csv":
            rows.write_csv(folder / f"{i}.csv")
        elif kind == "jsonl":
            rows.write_ndjson(folder / f"{i}.jsonl")
        else:
            rows.write_parquet(folder / f"{i}.parquet", row_group_size=7)
    (folder / "_SUCCESS").touch()
    return folder


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("out", ["out/", "one"])
def test_folders_and_patterns_in(run, table, tmp_path, kind, out):
    folder = parts(table, tmp_path / "in", kind)
    source = folder if out == "out/" else folder / f"*.{kind}"
    target = f"{tmp_path / out}/" if out == "out/" else tmp_path / f"one.{kind}"
    ran = run("oversample", source, "-o", target, *BASE, "--share", "0.4")
    assert ran.code == 0, ran.err
    sampler = EMCO(sampling_strategy=minority_share(0.4), random_state=0)
    expected = sampler.fit_resample(table["body"].to_list(), table["topic"].to_list())
    paths = sorted((tmp_path / "out").glob("[!.]*")) if out == "out/" else [target]
    rows = [row for path in paths for row in read(path)]
    assert ([row["body"] for row in rows], [row["topic"] for row in rows]) == expected
    assert [str(row["number"]) for row in rows[:50]] == [str(i) for i in range(50)]
    if out == "out/":
        assert [path.name for path in paths] == [
            *(f"part-{i:05}.{kind}" for i in range(3)),
            f"synthetic-00000.{kind}",
        ]
        again = run("oversample", source, "-o", target, *BASE, "--share", "0.4")
        assert again.code == 2
        assert "already holds 4 files" in again.err
        assert "--overwrite" in again.err
        assert run("oversample", source, "-o", target, *BASE, "--overwrite").code == 0


def test_a_folder_that_holds_the_input_is_never_replaced(run, table, tmp_path):
    folder = parts(table, tmp_path / "in", "csv")
    ran = run("oversample", folder, "-o", f"{folder}/", *BASE, "--overwrite")
    assert ran.code == 2
    assert "holds the input" in ran.err
    assert len(list(folder.iterdir())) == 4


def test_several_files_go_to_standard_output_as_one_table(run, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = parts(table, tmp_path / "in", "csv")
    expected = run("oversample", folder, "-o", "out.csv", *BASE, "--quiet")
    assert expected.code == 0, expected.err
    for out in ("-", "/dev/stdout") if Path("/dev/stdout").exists() else ("-",):
        ran = subprocess.run(
            [sys.executable, "-m", "imbtext", "oversample", "in", "-o", out, *BASE, "--quiet"],
            check=False,
            capture_output=True,
        )
        assert (ran.returncode, ran.stderr) == (0, b"")
        assert ran.stdout == (tmp_path / "out.csv").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out.csv"]


def test_workers_do_not_write_to_standard_output(run, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = parts(table, tmp_path / "in", "csv")
    ran = run("oversample", folder, "-o", "-", *BASE, "--dask")
    assert (ran.code, ran.out) == (2, "")
    assert "the workers write files to a folder; name one instead of -" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def read(path):
    if path.suffix == ".parquet":
        return pl.read_parquet(path).to_dicts()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    return pl.read_csv(path, infer_schema=False).to_dicts()


def test_large_parquet_is_not_held_in_memory(run, table, tmp_path, monkeypatch):
    """Batches, groups and files are small: what is read is written before more is read."""
    monkeypatch.setattr("imbtext.tables._parquet._BATCH_ROWS", 4)
    monkeypatch.setattr("imbtext.tables._parquet._ROWS_PER_GROUP", 6)
    monkeypatch.setattr("imbtext.files._oversampling._ROWS_PER_FILE", 5)
    monkeypatch.setattr("imbtext.files._synthetic._ROWS_AT_ONCE", 3)
    table.write_parquet(tmp_path / "a.parquet")
    ran = run("oversample", tmp_path / "a.parquet", "-o", f"{tmp_path}/out/", *BASE)
    assert ran.code == 0, ran.err
    made = pl.concat([pl.read_parquet(path) for path in sorted((tmp_path / "out").glob("[!.]*"))])
    sampler = EMCO(random_state=0)
    assert (
        made["body"].to_list()
        == sampler.fit_resample(table["body"].to_list(), table["topic"].to_list())[0]
    )
    assert len(list((tmp_path / "out").iterdir())) > 3


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a.csv", "b.jsonl"], "name files of one format"),
        (["a.csv", "b.csv"], "all files must have the same"),
        ([], "holds no CSV"),
    ],
)
def test_files_that_do_not_go_together(run, tmp_path, names, message):
    (tmp_path / "in").mkdir()
    contents = {"a.csv": "body,topic\nx,a\n", "b.csv": "topic,body\na,x\n"}
    for name in names:
        (tmp_path / "in" / name).write_text(contents.get(name, '{"body": "x", "topic": "a"}\n'))
    ran = run("oversample", tmp_path / "in", "-o", tmp_path / "out.csv", *BASE)
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1
