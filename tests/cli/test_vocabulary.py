"""``imbtext vocabulary`` and the charts behind it."""

import re
from functools import partial

import numpy as np
import polars as pl
import pytest

from imbtext.charts import write_chart
from imbtext.documents import Corpus
from imbtext.markov import TransitionCounts
from imbtext.vocabulary import HeapsLaw, class_outlook, growth_chart, growth_curve


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, 801)
    draws = rng.choice(800, size=(200, 25), p=weights / weights.sum())
    texts = [" ".join(f"w{i:03d}" for i in row) for row in draws]
    labels = ["rare"] * 6 + ["other"] * 20 + ["common"] * 174
    path = tmp_path_factory.mktemp("table") / "data.csv"
    pl.DataFrame({"body": texts, "topic": labels, "id": range(200)}).write_csv(path)
    return path


@pytest.fixture
def run(run_command):
    return partial(run_command, "vocabulary")


def test_table_sentence_and_csv(table, tmp_path, run):
    out = tmp_path / "out.csv"
    result = run(table, "--text", "body", "--label", "topic", "--csv", out)
    assert result.code == 0, result.err
    assert "200 documents in 3 classes, 5,000 tokens" in result.out
    assert re.search(
        r"at 20% share, class 'rare' would be expected to use about \d+ more words; "
        r"EMCO\(0.1\) adds \d+ and EMCO\(1\) adds \d+",
        result.out,
    )
    written = pl.read_csv(out)
    assert written["class"].to_list() == ["rare", "other"]
    assert written["synthetic_documents"].to_list() == [42, 25]
    assert (written["gamma_heaps"].is_between(0, 1)).all()
    assert "common" not in result.out.split("More words")[1].split("class 'rare'")[0]


def test_what_emco_adds_is_what_emco_adds(table, tmp_path, run):
    from imbtext import EMCO, minority_share

    out = tmp_path / "out.csv"
    run(table, "--text", "body", "--label", "topic", "--class", "rare", "--csv", out)
    (said,) = pl.read_csv(out)["new_by_emco_1"].to_list()
    frame = pl.read_csv(table)
    known = set(" ".join(frame.filter(topic="rare")["body"]).split())
    added = []
    for seed in range(20):
        emco = EMCO(1.0, sampling_strategy=minority_share(0.2, label="rare"), random_state=seed)
        texts, _ = emco.fit_resample(frame["body"].to_list(), frame["topic"].to_list())
        added.append(len(set(" ".join(texts[200:]).split()) - known))
    assert said == pytest.approx(np.mean(added), rel=0.05)


def test_embedded_corpus_without_a_file(run):
    result = run("--class", "scipy.stats")
    assert result.code == 0, result.err
    assert "class 'scipy.stats' would be expected" in result.out


@pytest.mark.parametrize("kind", ["html", "svg", "png"])
def test_charts_of_every_kind(table, tmp_path, kind, run):
    out = tmp_path / f"chart.{kind}"
    result = run(table, "--text", "body", "--label", "topic", "--chart", out)
    assert result.code == 0, result.err
    content = out.read_bytes()
    if kind == "html":
        assert not re.search(rb"<script[^>]*\ssrc=|<link[^>]*\shref=", content)
        assert b"Heaps' law" in content
    else:
        assert content.startswith({"svg": b"<svg", "png": b"\x89PNG"}[kind])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--text COL --label COL"),
        (("--text", "bodi", "--label", "topic"), "did you mean 'body'"),
        (("--text", "body", "--label", "topic", "--class", "rear"), "no class 'rear'"),
        (("--text", "body", "--label", "topic", "--share", "20"), "--share is 20"),
        (("--text", "body", "--label", "topic", "--share", "0.01"), "larger --share"),
        (("--text", "body", "--label", "topic", "--chart", "chart.pdf"), ".html, .svg, .png"),
        (("--text", "id", "--label", "topic", "--csv", "no/such/folder.csv"), "does not exist"),
    ],
)
def test_mistakes_are_said(table, arguments, message, run):
    result = run(table, *arguments)
    assert result.code == 2
    assert message in result.err


def test_a_file_without_classes_or_words(tmp_path, run):
    path = tmp_path / "data.csv"
    path.write_text("text,label\n!,a\n?,b\n")
    assert "has a word" in run(path, "--text", "text", "--label", "label").err
    path.write_text("text,label\noil up,a\ngold,a\n")
    assert "has the single class 'a'" in run(path, "--text", "text", "--label", "label").err
    path.write_text("text,label\n")
    assert "no rows" in run(path, "--text", "text", "--label", "label").err
    assert "name the file too" in run("--text", "text").err


def test_the_input_is_never_overwritten(table, tmp_path, run):
    copy = tmp_path / "data.csv"
    copy.write_bytes(table.read_bytes())
    result = run(copy, "--text", "body", "--label", "topic", "--csv", copy)
    assert result.code == 2
    assert "is the input itself" in result.err
    assert copy.read_bytes() == table.read_bytes()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ('{"body": ["oil"], "topic": "a"}', "line 1 of .* has .*list.*body.*must be strings"),
        ('{"body": 5, "topic": "a"}', r"line 1 of .* has 5 \(int\) .*; texts must be strings"),
        ('{"body": "oil", "topic": ["a"]}', "line 1 of .*topic.*label must be a string"),
        (
            '{"body": "oil", "topic": "a"}\n{"body": "gold"}',
            "line 2 of .* has no label in column 'topic'",
        ),
        (
            '{"body": "oil", "topic": "a"}\n{"body": "gold", "topic": ""}',
            "line 2 of .* has no label in column 'topic'",
        ),
    ],
)
def test_cells_that_are_no_text_or_no_label(tmp_path, rows, message, run):
    path = tmp_path / "data.jsonl"
    path.write_text(rows + "\n")
    result = run(path, "--text", "body", "--label", "topic", "--unlabelled", "refuse")
    assert re.search(message, result.err)


def test_one_column_cannot_be_both(table, run):
    result = run(table, "--text", "body", "--label", "body")
    assert "'body' is named twice" in result.err


def test_small_shares_are_not_rounded_away(table, run):
    result = run(table, "--text", "body", "--label", "topic", "--share", "0.035")
    assert "at 3.5% share, class 'rare'" in result.out


def test_a_vocabulary_of_one_word(tmp_path, run):
    path = tmp_path / "data.csv"
    pl.DataFrame({"body": ["gold"] * 20, "topic": ["a"] * 2 + ["b"] * 18}).write_csv(path)
    result = run(path, "--text", "body", "--label", "topic")
    assert result.code == 0, result.err
    assert re.search(r"tokens \^ -?0\.000 \(95% intervals", result.out)
    assert "nan" not in result.out
    assert "about 0 more words" in result.out


def test_a_class_without_words_gets_a_sentence_and_no_numbers():
    corpus = Corpus.from_tokens([[], ["oil", "up"], ["oil", "down"]])
    total = TransitionCounts.of(corpus)
    outlook = class_outlook(corpus, total, np.array([0]), "empty", 5)
    assert "has no words" in outlook.sentence(0.2)
    assert outlook.new_by_heaps == outlook.gamma == 0
    full = class_outlook(corpus, total, np.array([1, 2]), "oil", 0)
    assert "already makes up 20%" in full.sentence(0.2)


def test_a_chart_holds_the_law_and_the_classes():
    curves = {name: growth_curve(["oil up", "", "gold"], shuffles=0) for name in ("a", "b")}
    specification = growth_chart(curves, HeapsLaw(1, 0.5)).to_dict()
    assert "Heaps' law" in str(specification)
    many = {str(i): curves["a"] for i in range(9)}
    assert "tableau20" in str(growth_chart(many).to_dict())


def test_no_chart_is_left_where_writing_failed(tmp_path):
    with pytest.raises(ValueError, match=r"ends in '\.gif'"):
        write_chart(None, tmp_path / "chart.gif")
    assert not list(tmp_path.iterdir())


def test_a_class_that_a_spreadsheet_would_run_is_defused(tmp_path, run):
    path, out = tmp_path / "data.csv", tmp_path / "out.csv"
    labels = ["=cmd()"] * 2 + ["b"] * 18
    pl.DataFrame({"body": ["gold up", "oil"] * 10, "topic": labels}).write_csv(path)
    assert run(path, "--text", "body", "--label", "topic", "--csv", out).code == 0
    assert pl.read_csv(out)["class"].to_list() == ["'=cmd()"]


def test_labels_are_quoted_so_that_spaces_show(table, tmp_path, run):
    frame = pl.read_csv(table)
    topics = ["rare " if i < 3 else topic for i, topic in enumerate(frame["topic"])]
    frame.with_columns(topic=pl.Series(topics)).write_csv(tmp_path / "t.csv")
    out = run(tmp_path / "t.csv", "--text", "body", "--label", "topic").out
    assert "class 'rare ' would be expected" in out
    assert re.search(r"'rare '\s+.\s+3 ", out)
