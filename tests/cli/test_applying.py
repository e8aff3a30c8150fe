"""The commands that a comparison recommends: quoted, and run as they are printed."""

import shlex

import numpy as np
import polars as pl
import pytest

from imbtext.cli._applying import SourceFile
from imbtext.comparison import Application
from imbtext.comparison._classifiers import get_classifier
from imbtext.tables import DocumentColumns, Layout

SOURCE = SourceFile("train.csv", DocumentColumns("text", "label"), Layout())
HOSTILE = "o'il \"<script>\n=cmd()"


def application(*labels, share=0.4, multilabel=False):
    return Application(labels, multilabel, share, 7, get_classifier("linear-svm"))


def test_the_command_is_quoted_and_read_back_by_the_command_line():
    source = SourceFile("my file.csv", DocumentColumns("bo dy", "la;bel"), Layout(delimiter=";"))
    words = shlex.split(source.command("threshold(emco(0.1), f1)", application(HOSTILE)))
    assert words[:5] == ["imbtext", "oversample", "my file.csv", "-o", "oversampled.csv"]
    assert words[words.index("--class") + 1] == HOSTILE
    assert words[words.index("--gamma") + 1] == "0.1"
    assert words[words.index("--delimiter") + 1] == ";"


@pytest.mark.parametrize("method", ["svm", "class-weight", "threshold(f1)", "smote"])
def test_no_command_where_no_documents_are_written(method):
    assert SOURCE.command(method, application("oil")) == ""


def test_the_command_runs(tmp_path, monkeypatch, run_command):
    monkeypatch.chdir(tmp_path)
    texts = ["oil price up", "oil down", "crude oil"] + ["rain", "sun", "snow and rain"] * 8
    frame = pl.DataFrame({"text": texts, "label": ["oil"] * 3 + ["weather"] * 24})
    frame.write_csv("train.csv")
    words = shlex.split(SOURCE.command("emco(0.1)", application("oil")))
    ran = run_command(*words[1:])
    assert ran.code == 0, ran.err
    written = pl.read_csv("oversampled.csv")
    share = np.mean(written["label"].to_numpy() == "oil")
    assert share == pytest.approx(0.4, abs=0.03)
