"""Whether new documents are still the text that a model knows."""

import copy

import numpy as np
import pandas as pd
import polars as pl
import pytest

from imbtext import RareTextClassifier
from imbtext._messages import DataWarning
from imbtext.datasets import load_docstrings


@pytest.fixture(scope="module")
def data():
    docstrings = load_docstrings()
    labels = np.array([label == "scipy.stats" for label in docstrings.labels])
    order = np.random.default_rng(0).permutation(len(labels))
    return np.array([docstrings.texts[i][:300] for i in order], dtype=object), labels[order]


@pytest.fixture(scope="module")
def model(data):
    texts, labels = data
    return RareTextClassifier(features="words", random_state=0).fit(texts[:1200], labels[:1200])


def far(check):
    return [finding.what for finding in check.findings if finding.is_far]


def test_the_same_source_is_as_expected(model, data, tmp_path):
    texts, labels = (part[1200:] for part in data)
    found = model.check(texts, labels)
    assert not found.drifted, found
    assert "as expected" in found.sentence
    model.save(tmp_path / "m")
    again = RareTextClassifier.load(tmp_path / "m").check(texts, labels)
    assert again.findings == found.findings  # the file remembers all that is compared


def test_files_of_the_same_source_are_seldom_called_drifted(model, data):
    texts, labels = (part[1200:] for part in data)
    generator = np.random.default_rng(0)
    n_drifted = 0
    for _ in range(60):
        rows = generator.choice(len(texts), 200, replace=False)
        n_drifted += model.check(texts[rows], labels[rows]).drifted
    assert n_drifted <= 3


def test_blank_documents_are_as_long_here_as_in_training(data):
    """Of a source with blank texts, new documents would seem longer if those were left out."""
    texts = [text if row % 10 else " " for row, text in enumerate(data[0])]
    model = RareTextClassifier(features="words", random_state=0).fit(texts[:1200], data[1][:1200])
    assert "words in a document" not in far(model.check(texts[1200:]))


def test_another_language_is_said_to_be_one(model):
    german = [
        "Der Preis für das Öl ist gestern wieder gestiegen und die Bank sagt nichts dazu"
    ] * 50
    found = model.check(german)
    assert any("everyday words" in what for what in far(found))
    assert "known words" in far(found)
    assert "another language" in " ".join(finding.sentence for finding in found.findings)


def test_alarms_length_and_scores_are_compared(model, data):
    texts, labels = data
    only = texts[1200:][labels[1200:]]
    assert 'alarms for "True"' in far(model.check(only))
    short = [text[:40] for text in texts[1200:]]
    assert "words in a document" in far(model.check(short))


def test_words_that_rise_and_fall_are_named(model, data):
    texts = [f"{text} blockchain" for text in data[0][1200:]]
    texts = [text.replace("array", "") for text in texts]
    found = model.check(texts)
    assert found.rose[0].word == "blockchain"
    assert (found.rose[0].before, found.rose[0].here) == (0, 1)
    assert any(change.word.startswith("array") for change in found.fell)


def test_labels_show_what_came_true(model, data):
    texts, labels = (part[1200:] for part in data)
    generator = np.random.default_rng(0)
    found = model.check(texts, generator.permutation(labels))
    assert "documents found" in far(found)
    assert "alarms that are right" in far(found)
    assert found.realised[0].recall.mean < 0.5
    unlabelled = model.check(texts, [None] * len(texts))
    assert unlabelled.realised == ()
    many = np.ones(len(texts), bool)
    assert "documents of the class" in far(model.check(texts, many))
    with pytest.raises(ValueError, match="the labels are 'spam', but the model knows False, True"):
        model.check(texts, ["spam"] * len(texts))


def test_a_bad_week_is_found_and_named(model, data):
    texts = [*data[0][1200:2000]]
    days = np.datetime64("2024-01-01") + (np.arange(800) // 20).astype("timedelta64[D]")
    bad = (days >= np.datetime64("2024-01-15")) & (days < np.datetime64("2024-01-22"))
    texts = ["qqq www zzz" if is_bad else text for text, is_bad in zip(texts, bad, strict=True)]
    found = model.check(texts, time=days)
    bad_weeks = [finding.what for finding in found.periods if finding.is_far]
    assert any("2024-01-15" in what for what in bad_weeks)
    assert len(bad_weeks) == 1
    page = found.page().html()
    chart = page[page.index("By period: alarms") :]
    assert "<svg" in chart
    assert "far off" in chart[: chart.index("</svg>")]
    daily = model.check(texts, time=days, every="day")
    assert len(daily.periods) == 40


def test_a_chart_has_everything_that_is_known_of_each_period(model, data):
    texts, labels = data[0][1200:2000], data[1][1200:2000]
    days = np.datetime64("2024-01-01") + (np.arange(800) // 20).astype("timedelta64[D]")
    some = [label if row % 2 else None for row, label in enumerate(labels.tolist())]
    found = model.check(texts, some, time=days)
    names = [series.what for series in found.over_time]
    assert names == ["alarms", "known words, %", "of the class", "found of 100, of those labelled"]
    for series in found.over_time:
        assert all(least <= number <= most for _, number, least, most, _ in series.points)
    n_alarms = sum(number for _, number, *_ in found.over_time[0].points)
    assert n_alarms == (model.predict(texts) == True).sum()  # noqa: E712
    assert "of the class" in found.page().html()
    assert len(model.check(texts, time=days).over_time) == 3


def test_how_many_there_are_is_estimated_without_labels(model, data):
    """Also if the class has become more or less frequent, which probabilities do not know."""
    texts, labels = data[0][1200:], data[1][1200:]
    of_class, others = np.flatnonzero(labels), np.flatnonzero(~labels)
    for n_class, moved in ((len(of_class), 0), (8, -1)):
        rows = np.concatenate([of_class[:n_class], others])
        (here,) = model.check(texts[rows]).prevalence
        assert here.n_class.lower <= n_class <= here.n_class.upper
        assert here.moved == moved
        assert 'are "True"' in here.sentences()[0]
    rows = np.concatenate([of_class, others[: len(of_class)]])
    (here,) = model.check(texts[rows]).prevalence
    assert here.moved == 1
    off = [abs(number - len(of_class)) for number in (here.n_class.mean, here.by_probabilities)]
    assert off[0] < off[1]
    assert "the sum of probabilities, which does not know that" in here.sentences()[1]
    found = model.check(texts[rows])
    assert "How many there are" in found.page().text()
    assert found.sentences == [found.sentence, " ".join(here.sentences())]
    labelled = model.check(texts[rows], labels[rows]).sentences
    assert labelled[-1] == f"By the scores alone: {' '.join(here.sentences())}"
    german = model.check(["Der Preis ist gestern wieder gestiegen und die Bank sagt nichts"] * 50)
    assert "Here the text itself has changed" in german.page().html()
    assert german.sentences[-1].startswith("The text itself has changed")
    assert model.check(data[0][:1200]).prevalence == ()  # training documents score too well


def test_an_audit_takes_batches_and_says_what_the_scores_alone_say(model, data):
    texts, labels = data[0][1200:], data[1][1200:]
    whole = model.audit(texts, 60)
    batched = model.audit((texts[first : first + 500] for first in range(0, len(texts), 500)), 60)
    assert batched.rows.tolist() == whole.rows.tolist()
    assert batched.prevalence == whole.prevalence == model.prevalence(texts)
    found = batched.result(labels[batched.rows])
    assert found == whole.result(labels[whole.rows])
    assert found.sentences()[-1].startswith("By the scores alone, if documents still look as in ")


@pytest.mark.parametrize(
    ("every", "when"),
    [
        ("day", "on 2024-01-16, "),
        ("week", "in the week of 2024-01-15, "),
        ("month", "in May 2024, "),
    ],
)
def test_a_period_is_named_as_people_name_it(model, data, every, when):
    step = "timedelta64[D]" if every != "month" else "timedelta64[W]"
    days = np.datetime64("2024-01-01") + (np.arange(800) // 20).astype(step)
    start, end = ("2024-05-01", "2024-06-01") if every == "month" else ("2024-01-15", "2024-01-22")
    bad = (days >= np.datetime64(start)) & (days < np.datetime64(end))
    texts = zip(data[0][1200:2000], bad, strict=True)
    found = model.check(
        ["qqq www zzz" if is_bad else text for text, is_bad in texts], time=days, every=every
    )
    assert any(finding.sentence.startswith(when) for finding in found.periods if finding.is_far)
    if every == "month":
        assert [period.what for period in found.periods][:2] == ["January 2024", "February 2024"]
        assert "month of" not in found.page().text()
    assert "<svg" in found.page().html()


def test_labels_to_ignore_are_those_of_the_call_or_of_the_model(model, data):
    texts, labels = data[0][1200:1800], list(data[1][1200:1800])
    unknown = ["?" if i % 4 == 0 else label for i, label in enumerate(labels)]
    kept = [i for i in range(600) if i % 4]
    expected = model.check([texts[i] for i in kept], [labels[i] for i in kept])
    for given in (unknown, [{label} for label in unknown]):
        found = model.check(texts, given, ignore_labels="?")
        assert (found.findings, found.realised) == (expected.findings, expected.realised)
    own = copy.copy(model).set_params(ignore_labels=["?"])
    assert own.check(texts, unknown).realised == expected.realised
    assert own.check(texts, unknown, ignore_labels=()).n_documents == 600
    with pytest.raises(ValueError, match="no documents to check: the labels of all 2 are ignored"):
        own.check(texts[:2], ["?", "?"])


def test_training_documents_are_not_judged_by_their_alarms(model, data):
    found = model.check(data[0][:1200])
    assert not any("alarms" in what for what in far(found))
    assert "trained on about 1,200 of these documents" in found.sentences[1]
    some = model.check(data[0][600:1500])
    assert not any("alarms" in what for what in far(some))
    assert 500 < some.n_trained_on < 700
    assert some.prevalence == ()
    assert model.check(data[0][1200:]).n_trained_on == 0


def test_another_meaning_is_noticed(model, data):
    def encode(texts):
        return [[1.0, "politics" in text, "zebra" in text, len(text) / 500] for text in texts]

    texts = [f"{text} {'politics' if i % 3 else 'sport'}" for i, text in enumerate(data[0])]
    reading = RareTextClassifier(features="words", encoder=encode, random_state=0)
    reading.fit(texts[:1200], data[1][:1200])
    what = "meaning of the texts"
    assert what not in far(reading.check(texts[1200:1500]))
    found = reading.check([text.replace("sport", "zebra") for text in texts[1200:1500]])
    assert what in far(found)
    assert "about other things" in found.sentence
    assert what not in [one.what for one in model.check(texts[1200:1500]).findings]


def test_a_page_in_every_form(model, data, tmp_path):
    found = model.check([f"{text} <script>" for text in data[0][1200:1500]])
    assert "What was compared" in repr(found)
    assert "imbtext-page" in found._repr_html_()
    found.report(tmp_path / "check.html")
    assert "<script>" not in (tmp_path / "check.html").read_text("utf-8")


def test_what_cannot_be_checked_is_said(model):
    with pytest.raises(ValueError, match="every is 'hour'; choose from day"):
        model.check(["a text"], every="hour")
    with pytest.raises(ValueError, match="no documents to check"):
        model.check([])
    with pytest.raises(ValueError, match="periods need dates"):
        model.check(["a text", "another"], time=[1, 2])


@pytest.mark.parametrize("kind", ["exclusive", "several", "characters"])
def test_models_of_every_kind_can_be_checked(kind):
    texts = ["oil price up", "gold price", "rain and sun", "oil and gold"] * 8
    labels = {
        "exclusive": ["oil", "gold", "rain", "oil"] * 8,
        "several": [{"oil"}, {"gold"}, set(), {"oil", "gold"}] * 8,
        "characters": [True, False, False, True] * 8,
    }[kind]
    features = "characters" if kind == "characters" else "auto"
    model = RareTextClassifier(features=features, random_state=0).fit(texts, labels)
    assert model.check(texts, labels).n_documents == 32


TEXTS = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
IS_OIL = np.arange(33) < 6


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series(np.where(np.arange(33) == 8, np.nan, IS_OIL)),
        pd.Series(IS_OIL.astype(int)).astype("Int64").mask(np.arange(33) == 8),
        pl.Series([None if i == 8 else int(label) for i, label in enumerate(IS_OIL)]),
        pl.Series([None if i == 8 else int(label) for i, label in enumerate(IS_OIL)]).to_arrow(),
        [None if i == 8 else [int(label)] for i, label in enumerate(IS_OIL)],
    ],
    ids=["pandas floats", "nullable pandas", "polars", "arrow", "lists"],
)
def test_labels_that_are_not_known_are_left_out(labels):
    model = RareTextClassifier(random_state=0).fit(TEXTS, IS_OIL.astype(int))
    (realised,) = model.check(TEXTS, labels).realised
    assert (realised.n_class, realised.n_documents) == (6, 32)


@pytest.mark.parametrize(
    ("fitted", "given"),
    [
        (IS_OIL, ["true" if label else "false" for label in IS_OIL]),  # JSON lines
        (IS_OIL, ["True" if label else "False" for label in IS_OIL]),  # a CSV file of pandas
        (["true" if label else "false" for label in IS_OIL], IS_OIL),
        (IS_OIL.astype(int), [str(int(label)) for label in IS_OIL]),
    ],
)
def test_labels_are_compared_by_name_however_they_are_written(fitted, given):
    model = RareTextClassifier(random_state=0).fit(TEXTS, fitted)
    assert model.check(TEXTS, given).realised[-1].n_class == 6


def test_a_document_without_a_label_may_count_as_outside_the_class():
    labels = [True if label else None for label in IS_OIL]
    model = RareTextClassifier(random_state=0).fit(TEXTS, IS_OIL)
    with pytest.warns(DataWarning, match="all 6 documents with a label are of the class"):
        assert model.check(TEXTS, labels).realised[0].n_documents == 6
    assert model.check(TEXTS, labels, unlabelled="no").realised[0].n_documents == 33
    with pytest.raises(ValueError, match=r"y\[6\] is missing"):
        model.check(TEXTS, labels, unlabelled="refuse")
    with pytest.raises(ValueError, match="choose skip, refuse or no"):
        model.check(TEXTS, labels, unlabelled="drop")
    table = ["oil" if label else "" for label in IS_OIL]
    own = RareTextClassifier(pos_label="oil", unlabelled="no", random_state=0).fit(TEXTS, table)
    assert own.check(TEXTS, table).realised[0].n_documents == 33
    assert own.check(TEXTS, table, unlabelled="skip").realised[0].n_documents == 6


def test_an_indicator_of_labels_is_read_by_its_columns():
    indicator = np.stack([IS_OIL, ~IS_OIL], axis=1).astype(int)
    model = RareTextClassifier(random_state=0).fit(TEXTS, indicator)
    realised = model.check(TEXTS, indicator).realised
    assert [expectation.n_class for expectation in realised] == [6, 27]


def test_the_labels_of_the_class_may_have_other_names():
    model = RareTextClassifier(random_state=0).fit(TEXTS, np.where(IS_OIL, "oil", "rest"))
    renamed = np.where(IS_OIL, "petroleum", "rest")
    for classes in ("petroleum", ["petroleum"]):
        (realised,) = model.check(TEXTS, renamed, classes=classes).realised
        assert realised.n_class == 6
    several = RareTextClassifier(random_state=0).fit(TEXTS, ["a"] * 6 + ["b"] * 13 + ["c"] * 14)
    with pytest.raises(ValueError, match="this model finds 3 classes"):
        several.check(TEXTS, renamed, classes=["petroleum"])


@pytest.mark.parametrize("label", [{"topic": "oil"}, [["oil"]]])
def test_a_label_is_no_list_of_lists_and_no_record(model, label):
    with pytest.raises(ValueError, match=r"y\[1\] is .*; a label must be a string, a number"):
        model.check(["a text", "another"], [True, label])


def test_there_are_as_many_labels_as_documents(model):
    with pytest.raises(ValueError, match="X has 3 documents and y has 2 labels"):
        model.check(["a", "b", "c"], [True, False])
