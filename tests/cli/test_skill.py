"""The commands and the code of SKILL.md run as they are printed."""

import random
import re
import shlex
from pathlib import Path

import polars as pl
import pytest

import imbtext

SKILL = (Path(imbtext.__file__).parent / "SKILL.md").read_text("utf-8")
COMMANDS = re.findall(r"```bash\n\s*(.*?)\n\s*```", SKILL, re.DOTALL)
FRAUD = [
    "charged",
    "card",
    "stolen",
    "account",
    "transfer",
    "unknown",
    "refund",
    "bank",
    "twice",
    "password",
]
OTHER = [
    "printer",
    "paper",
    "delivery",
    "late",
    "screen",
    "broken",
    "update",
    "invoice",
    "thanks",
    "meeting",
    "room",
]


def table(n_fraud, n_other, seed):
    rng = random.Random(seed)
    labels = ["fraud"] * n_fraud + ["other"] * n_other
    rng.shuffle(labels)
    words = {"fraud": FRAUD + OTHER[:3], "other": OTHER + FRAUD[:2]}
    texts = [" ".join(rng.choices(words[label], k=rng.randint(4, 12))) for label in labels]
    return pl.DataFrame({"body": texts, "topic": labels})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    table(40, 360, 0).write_csv(tmp_path / "train.csv")
    table(20, 180, 1).drop("topic").write_csv(tmp_path / "new.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_commands_run_in_their_order(folder, run_command):
    assert len(COMMANDS) == 6
    for command in COMMANDS:
        program, *arguments = shlex.split(command)
        ran = run_command(*arguments)
        assert (program, ran.code) == ("imbtext", 0), ran.err
    made = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    assert {"fraud.model", "queue.csv", "doubts.csv", "report.html"} <= made
    assert pl.read_csv(folder / "queue.csv").height == 50


def test_the_code_runs(folder):
    frame, new = pl.read_csv(folder / "train.csv"), pl.read_csv(folder / "new.csv")
    scope = {"texts": frame["body"], "labels": frame["topic"], "new_texts": new["body"]}
    exec(re.search(r"```python\n(.*?)```", SKILL, re.DOTALL).group(1), scope)
    assert (scope["flagged"] == "fraud").any()


def test_every_command_that_it_names_exists(run_command):
    for command in set(re.findall(r"(?:`|^ *)imbtext ([a-z]+)", SKILL, re.MULTILINE)):
        assert run_command(command, "--help").code == 0
