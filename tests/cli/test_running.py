"""How commands end: signals, full disks, terminals that cannot show everything."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from imbtext import RareTextClassifier
from imbtext.cli import main

COLUMNS = ("--text", "body", "--label", "topic")


def in_process_of_its_own(*arguments, before="", **options):
    code = f"import sys; {before}\nfrom imbtext.cli import main\nmain()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


@pytest.fixture
def table(tmp_path):
    rows = [("oil up", "\u6f22")] * 2 + [(f"rain {i} wind", "common") for i in range(14)]
    path = tmp_path / "train.csv"
    pl.DataFrame(rows, schema=["body", "topic"], orient="row").write_csv(path)
    return path


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no signals to send on this system")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_stopped_command_leaves_no_partial_file(table, tmp_path, name):
    wait = (
        "import time, imbtext.files._synthetic as files\n"
        "files.SyntheticRows.pieces = "
        "lambda *_: print('ready', flush=True) or time.sleep(60)"
    )
    running = in_process_of_its_own(
        "oversample", table, "-o", tmp_path / "out.csv", *COLUMNS, before=wait
    )
    with running:
        assert running.stdout.readline() == b"ready\n"
        assert any(path.name.startswith(".partial-") for path in tmp_path.iterdir())
        running.send_signal(getattr(signal, name))
        _, said = running.communicate(timeout=30)
    assert running.returncode == 128 + getattr(signal, name)
    assert b"Traceback" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["train.csv"]


def test_an_ignored_signal_stays_ignored(monkeypatch, run_command):
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        run_command("--version")
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("oversample", "-o", "out.csv", "--share", "0.2"),
        ("compare", "--methods", "ros", "--folds", "2", "--repeats", "1"),
    ],
)
def test_a_terminal_that_cannot_show_a_label_loses_nothing_else(
    table, tmp_path, encoding, arguments, monkeypatch
):
    command, *options = arguments
    terminals = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdout", terminals[0])
    monkeypatch.setattr(sys, "stderr", terminals[1])
    monkeypatch.setattr(sys, "argv", ["imbtext", command, str(table), *COLUMNS, *options])
    with pytest.raises(SystemExit) as stopped:
        main()
    for terminal in terminals:
        terminal.flush()
    said = b"".join(terminal.buffer.getvalue() for terminal in terminals).decode(encoding)
    assert stopped.value.code == 0, said
    assert "\\u6f22" in said
    assert "synthetic: 1 of" in said if command == "oversample" else "16 documents" in said


@pytest.mark.parametrize("arguments", [("oversample", "-o", "x.csv"), ("compare",)])
def test_no_jobs(run_command, table, arguments):
    command, *options = arguments
    ran = run_command(command, table, *COLUMNS, *options, "--jobs", "0")
    said = "--jobs is 0; give a number from 1 up, or -1 for one per core"
    assert ran == (2, "", f"imbtext: error: {said}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("oversample",), "imbtext oversample needs IN; imbtext oversample --help explains it"),
        (("oversample", "-", "-o", "b.csv", "--text", "x"), "oversample needs --label COL;"),
        (("oversampel",), "No such command 'oversampel'"),
        (("compare", __file__, __file__), "compare reads one IN, and more was given; for several"),
        (("compare", "--folds", "many"), "Invalid value for '--folds'"),
        (("demo", "--seed", "-1"), "Invalid value for '--seed'"),
    ],
)
def test_arguments_that_cannot_be_read_are_one_line(run_command, arguments, words):
    ran = run_command(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.startswith("imbtext: error: ")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("label", "train.csv", *COLUMNS, "--simulate", "--chart", "v.pdf"),
            "--chart is v.pdf; end the name in .html, .svg, .png",
        ),
        (("mislabelled", "train.csv", *COLUMNS, "-o", "m.xls"), "the ending '.xls' of m.xls"),
        (
            ("mislabelled", "train.csv", *COLUMNS, "-o", "m", "--output-format", "xls"),
            "the format 'xls' is not known",
        ),
        (("serve", "a.model", "--port", "70000"), "Invalid value for '--port'"),
        (("label", "train.csv", "--text", "body", "-o", "l.csv", "--metric", "f"), "metric is 'f'"),
        (("demo", "--class", "sklearn.clustr"), "did you mean 'sklearn.cluster'?"),
    ],
)
def test_what_would_fail_in_the_end_fails_at_once(
    run_command, table, tmp_path, arguments, words, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("imbtext.tables.read_documents", None)  # nothing is read
    ran = run_command(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert ran.err.count("\n") == 1


def test_no_command_is_help(run_command):
    ran = run_command()
    assert "Usage: imbtext" in ran.out + ran.err
    assert run_command("--help").code == 0
    assert run_command("--version").out.startswith("imbtext ")


def test_errors_and_warnings_show_escape_sequences_instead_of_sending_them(
    run_command, tmp_path, monkeypatch
):
    ran = run_command("demo", "--class", "\x1b[31mred")
    assert ran.code == 2
    assert "\x1b" not in ran.err
    ran = run_command("compare", tmp_path / "\x1b[31m.csv", *COLUMNS)
    assert "<U+001B>[31m.csv: there is no such file" in ran.err


@pytest.mark.parametrize("kind", ["damaged", "full"])
def test_a_store_that_cannot_be_used_is_one_line(run_command, table, tmp_path, kind, monkeypatch):
    if kind == "damaged":
        store = tmp_path / "kept" / "comparison.sqlite"
        store.parent.mkdir()
        store.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    else:

        def full(*_, **__):
            raise OSError("cannot use the store: database or disk is full")

        monkeypatch.setattr("imbtext.store.Store.add", full)
    options = ("--methods", "ros", "--folds", "2", "--repeats", "1", "--resume", tmp_path / "kept")
    ran = run_command("compare", table, *COLUMNS, *options)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("imbtext: error: ")
    assert ran.err.count("\n") == 1


# Where output goes


def test_links_are_followed_and_stay_links(run_command, table, tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("before")
    link.symlink_to("real.csv")
    assert run_command("oversample", table, "-o", link, *COLUMNS).code == 0
    assert link.is_symlink()
    assert real.read_text("utf-8").startswith("body,topic,synthetic\n")
    dangling = tmp_path / "dangling.csv"
    dangling.symlink_to(tmp_path / "made.csv")
    assert run_command("oversample", table, "-o", dangling, *COLUMNS).code == 0
    assert (tmp_path / "made.csv").read_text("utf-8") == real.read_text("utf-8")
    circle = tmp_path / "circle.csv"
    circle.symlink_to(circle)
    ran = run_command("oversample", table, "-o", circle, *COLUMNS)
    assert (ran.code, circle.is_symlink()) == (2, True)


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout on this system")
@pytest.mark.parametrize("name", [pytest.param("/dev/stdout", marks=pytest.mark.slow), "link"])
def test_standard_output_by_any_name_redirected_to_a_file(table, tmp_path, name):
    if name == "link":
        name = tmp_path / "stdout.csv"
        name.symlink_to("/dev/stdout")
    before = os.lstat("/dev/stdout")
    out = tmp_path / "out.txt"
    command = f"{sys.executable} -c 'from imbtext.cli import main; main()' oversample"
    script = f"(echo first; {command} {table} -o {name} {' '.join(COLUMNS)}; echo last) > {out}"
    subprocess.run(["bash", "-c", script], check=True, capture_output=True)
    lines = out.read_text("utf-8").splitlines()
    assert (lines[0], lines[1], lines[-1]) == ("first", "body,topic,synthetic", "last")
    assert len(lines) == 2 + 1 + 28
    assert os.lstat("/dev/stdout").st_ino == before.st_ino


@pytest.mark.parametrize("name", ["out.txt", "out.csv.zip", "out.json"])
def test_an_unknown_ending_is_refused(run_command, table, tmp_path, name):
    ran = run_command("oversample", table, "-o", tmp_path / name, *COLUMNS)
    assert ran.code == 2
    assert "which format to write; end the name in .csv, .tsv" in ran.err
    assert not (tmp_path / name).exists()
    ran = run_command(
        "oversample", table, "-o", tmp_path / name, *COLUMNS, "--output-format", "csv"
    )
    assert ran.code == 0


def test_an_output_without_an_ending_is_like_the_input(run_command, table, tmp_path):
    assert run_command("oversample", table, "-o", tmp_path / "out", *COLUMNS).code == 0
    assert (tmp_path / "out").read_text("utf-8").startswith("body,topic,synthetic\n")


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pl.Series([b"a\xff"] * 16), "holds Binary"),
        (pl.Series([[b"a"]] * 16), "holds List(Binary)"),
        (pl.Series([{"a": b"a"}] * 16), "holds Struct"),
        (pl.Series([float("inf")] * 16), "holds infinite numbers"),
    ],
)
def test_what_json_cannot_hold_is_refused(run_command, table, tmp_path, column, words):
    path = tmp_path / "t.parquet"
    pl.read_csv(table).with_columns(other=column).write_parquet(path)
    ran = run_command("oversample", path, "-o", tmp_path / "out.jsonl", *COLUMNS)
    assert ran.code == 2
    assert f"column 'other' {words}" in ran.err
    assert run_command("oversample", path, "-o", tmp_path / "out.parquet", *COLUMNS).code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no bash to close it on Windows")
def test_a_closed_standard_output_is_one_line(table):
    command = [sys.executable, "-m", "imbtext", "oversample", str(table), "-o", "-", *COLUMNS]
    script = " ".join(f"'{part}'" for part in command) + " >&-"
    ran = subprocess.run(["bash", "-c", script], check=False, capture_output=True, text=True)
    assert ran.returncode == 2
    assert ran.stderr == (
        "imbtext: error: cannot write to standard output: it is closed; name a file\n"
    )


@pytest.mark.parametrize("module", ["typer", "imbtext.cli._terminal", "imbtext.cli.train"])
def test_an_interrupt_while_the_command_line_loads_is_one_line(module):
    code = f"""
import sys

class Interrupted:
    def find_spec(self, name, *_):
        if name == "{module}":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
sys.argv[1:] = ["--version"]
import imbtext.__main__
imbtext.__main__.main()
"""
    ran = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (130, "interrupted\n")


def test_an_interrupt_while_a_command_runs_is_one_line(run_command, table, tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("imbtext.tables._documents.read_documents", interrupted)
    ran = run_command("train", table, *COLUMNS, "-o", tmp_path / "x.model")
    assert ran == (130, "", "interrupted\n")


def test_the_command_has_its_name_however_python_was_started(monkeypatch, run_command):
    # Under ``python -m pytest`` the name of the program is another.
    monkeypatch.setattr(sys.modules["__main__"], "__package__", "pytest", raising=False)
    assert "Usage: imbtext" in "".join(map(str, run_command()))
    ran = subprocess.run(
        [sys.executable, "-m", "imbtext", "--help"], check=True, capture_output=True, text=True
    )
    assert "Usage: imbtext" in ran.stdout


def test_the_entry_point_is_light():
    code = (
        "import sys, imbtext.__main__; print([m for m in ('typer', 'numpy') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout.strip() == "[]"


@pytest.fixture
def model(tmp_path):
    texts = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain"] * 12
    labels = ["oil"] * 6 + ["weather"] * 24
    path = tmp_path / "oil.model"
    RareTextClassifier(random_state=0).fit(texts, labels).save(path)
    return path


def test_no_command_writes_over_what_it_reads(run_command, table, model, tmp_path):
    """Whether the input is a model, or a file among those of a folder or a pattern."""
    folder = tmp_path / "in"
    folder.mkdir()
    for i in range(2):
        (folder / f"{i}.csv").write_bytes(table.read_bytes())
    inside, pattern = folder / "1.csv", folder / "*.csv"
    for source in (folder, pattern):
        for arguments in (
            ("train", source, *COLUMNS, "-o", inside),
            ("train", table, *COLUMNS, "--test", source, "-o", inside),
            ("mislabelled", source, *COLUMNS, "-o", inside),
            ("compare", source, *COLUMNS, "-o", inside),
            ("label", source, "--text", "body", "-o", tmp_path / "a.csv", "--model", inside),
            ("check", model, source, "--text", "body", "--report", inside),
        ):
            ran = run_command(*arguments)
            assert (ran.code, ran.out) == (2, ""), arguments
            assert ran.err == (
                f"imbtext: error: {inside} is the input itself; name another file for the output\n"
            )
    ran = run_command("predict", model, table, "--text", "body", "-o", model)
    assert ran.code == 2
    assert "is the input itself" in ran.err
    ran = run_command(
        "predict", model, table, "--text", "body", "-o", tmp_path, "--dask", "--overwrite"
    )
    assert ran.code == 2
    assert f"would replace {tmp_path}, which holds the input {model}; name another" in ran.err
    assert inside.read_bytes() == table.read_bytes()


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes on this system")
@pytest.mark.parametrize("arguments", [("show", "oil.model")])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_of_what_is_printed_may_stop_early(table, model, tmp_path, arguments, unbuffered):
    reading, writing = os.pipe()
    os.close(reading)
    running = subprocess.run(
        [sys.executable, "-m", "imbtext", *arguments],
        check=False, stdout=writing, stderr=subprocess.PIPE, cwd=tmp_path,
        env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
    )  # fmt: skip
    os.close(writing)
    assert (running.returncode, running.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device on this system")
@pytest.mark.parametrize(
    ("arguments", "unbuffered"),
    [
        (("--version",), ""),
        (("show", "oil.model"), "1"),
    ],
)
def test_a_full_disk_behind_what_is_printed_is_one_line(
    table, model, tmp_path, arguments, unbuffered
):
    with Path("/dev/full").open("wb") as full:
        running = subprocess.run(
            [sys.executable, "-m", "imbtext", *arguments],
            check=False, stdout=full, stderr=subprocess.PIPE, cwd=tmp_path,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip
    assert running.returncode == 2
    assert running.stderr.startswith(b"imbtext: error: ")
    assert b"No space left" in running.stderr
    assert running.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "train.csv", *COLUMNS, "-o", "-"),
        ("label", "train.csv", "--text", "body", "-o", "-"),
    ],
)
def test_what_is_no_table_does_not_go_to_standard_output(
    run_command, table, tmp_path, arguments, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    ran = run_command(*arguments)
    said = "this command cannot write to standard output (-); name a file"
    assert ran == (2, "", f"imbtext: error: {said}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["train.csv"]
