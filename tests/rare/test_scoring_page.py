"""The model as a page: the same scores as `predict`, in a real Chromium that may send nothing."""

import csv
import io
import json
import random
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import Stemmer

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings

RARE = Path(__file__).resolve().parents[2] / "src" / "imbtext" / "rare"
PIECES = (
    "",
    "5",
    "08712300220",
    "石油价格上涨",
    "Ünïcödé",
    "İSTANBUL",
    "naïve café",
    "\U0001d41b\U0001d428ing",
    "a b c",
)
ENDINGS = """
    s ss us ies ied sses ed eed ing edly eedly ingly anci enci ogi li bli abli alli fulli lessli
    ousli entli aliti biliti iviti tional ational alism ation ization izer ator iveness fulness
    ousness ogist icate ative alize iciti ical ful ness ic ance able ate ive ize iti al ism ion
    er ous ant ent ment ement e l ll y
"""
STARTS = "arsen commun emerg gener past univers succ proc exc even cann inn earr herr out d sk"
MARKS = (
    " ",
    " ",
    " ",
    "\n",
    "\u00a0",
    "\x85",
    "\x1c",
    "-",
    ". ",
    "'s ",
    "_",
    "\u3000",
    "!!",
    "\ufeff",
)


@pytest.fixture(scope="module")
def corpus():
    data = load_docstrings()
    labels = ["sparse" if "sparse" in text[:60].lower() else "other" for text in data.texts]
    assert 20 < labels.count("sparse") < 400
    return data.texts, labels


@pytest.fixture(scope="module")
def documents(corpus):
    """10,000 documents: pieces of real ones, words cut and joined, all kinds of marks."""
    draw = random.Random(0)
    words = sorted({word for text in corpus[0] for word in text.split()})
    made = [""]
    while len(made) < 10_000:
        text = draw.choice(corpus[0])
        start = draw.randrange(len(text))
        parts = [text[start : start + draw.choice((20, 200, 2000))]]
        for _ in range(draw.randrange(8)):
            word = draw.choice((*PIECES, *draw.choices(words, k=6)))
            parts.append(word[: draw.randrange(1, 30)] + draw.choice(("", "s", "ing", "ational")))
        draw.shuffle(parts)
        made.append("".join(part + draw.choice(MARKS) for part in parts))
    return made


@pytest.fixture
def opened(browser, tmp_path):
    """Open a model as a page; whatever it asks of a network, and every error, is a failure."""
    pages, complaints = [], []

    def open_page(model, name="oil.model"):
        path = tmp_path / "model.html"
        path.write_text(model.page(name), "utf-8", newline="")
        page = browser.new_page()
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.on(
            "request",
            lambda asked: asked.url.startswith("http") and complaints.append(asked.url),
        )
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready]", state="attached")
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert complaints == []


def scores_of(page, rows):
    """Return what the page computes of documents, each of which is a list of its text columns."""
    computed = page.evaluate(
        """(rows) => rows.map((pieces) => {
            const one = imbtext.score(pieces);
            return [one.score, one.probability, one.nothing];
        })""",
        rows,
    )
    return [np.array(column) for column in zip(*computed, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{}, {"language": None}, {"features": "words"}, {"features": "characters"}],
    ids=["as it is", "words as written", "words", "characters"],
)
def test_ten_thousand_documents_get_the_scores_of_predict(corpus, documents, opened, options):
    model = RareTextClassifier(random_state=0, **options).fit(*corpus)
    predicted = model.predictions(documents)
    scores, probabilities, nothing = scores_of(opened(model), [[text] for text in documents])
    assert predicted.n_alarms[0] > 100
    np.testing.assert_allclose(scores, predicted.score, rtol=0, atol=1e-9)
    np.testing.assert_allclose(probabilities, predicted.probability, rtol=0, atol=1e-9)
    assert nothing.tolist() == predicted.nothing_known.tolist()
    assert 0 < nothing.sum() < 1000


@pytest.mark.slow
def test_stems_are_snowballs(corpus, opened):
    draw, endings = random.Random(0), ENDINGS.split()
    words = {word for text in corpus[0] for word in re.findall("[a-z]+", text.lower())}
    words |= {start + end for start in STARTS.split() for end in endings}
    words |= {
        "skies",
        "idly",
        "only",
        "news",
        "dying",
        "egging",
        "\U0001d41b\U0001d428ing",
        "\u017ftones",
    }
    for _ in range(20_000):
        start = "".join(draw.choices("aeiouybcdlmnrstvwxg", k=draw.randrange(7)))
        words.add(start + "".join(draw.choices(endings, k=draw.randrange(3))))
    words = sorted(words - {""})
    page = opened(RareTextClassifier(random_state=0).fit(*corpus))
    assert page.evaluate("(words) => words.map(englishStem)", words) == (
        Stemmer.Stemmer("english").stemWords(words)
    )


@pytest.fixture(scope="module")
def tickets():
    """A model of two text columns, whose names need care."""
    table = pl.DataFrame(
        {
            "subject": ["Refund, please", "Parcel link", "Hello"] * 12,
            "body": ["where is my <money>?", "click the link & win", "when do you open"] * 12,
        }
    )
    labels = ["no", 'fraud "A"', "no"] * 12
    return RareTextClassifier(text=["subject", "body"], random_state=0).fit(table, labels)


def test_a_pasted_text_is_scored_explained_and_marked(tickets, opened):
    page = opened(tickets)
    texts = {"subject": "A PARCEL for you", "body": "click this <b>link</b>, then\nopen it"}
    for name, text in texts.items():
        page.get_by_label(name, exact=True).fill(text)
    document = tickets.document_of(texts)
    reason = tickets.explanations([document])[0]
    said = page.locator("#verdict").inner_text()
    side = "above" if reason.decision else "not above"
    assert f"score {reason.score:.3f}, {side} the threshold {reason.threshold:.3f}" in said
    assert re.search(r"The model knows \d+ of \d+ words\.", said)
    assert page.locator("#marked").inner_text().split() == " ".join(texts.values()).split()
    marked = page.evaluate("(pieces) => imbtext.marked(pieces)", list(texts.values()))
    added = {}
    for words, weight in reason.parts:
        column, _, said = words.partition(": ")
        for word in said.lower().split():
            key = column, word
            added[key] = added.get(key, 0.0) + weight / len(said.split())
    for name, parts in zip(texts, marked, strict=True):
        assert "".join(part for part, _ in parts) == texts[name]
        for part, weight in parts:
            key = name, part.lower()
            if re.fullmatch(r"\w+", part) and key in added:
                assert weight == pytest.approx(added[key], abs=1e-6), part
    assert page.locator("mark.for").count() > 2


def test_the_slider_says_what_to_expect(tickets, opened):
    page = opened(tickets)
    said = page.locator("#expected li").all_inner_texts()
    assert said == tickets.expectation_[0].sentences()
    settings = json.loads(
        page.locator("#settings").inner_text()
        or page.evaluate("document.getElementById('settings').textContent")
    )
    place = len(settings["points"]) - 1
    assert place > 0
    page.locator("#threshold").fill(str(place))
    highest = settings["points"][place]
    assert page.locator("#cut").inner_text() == f"{highest['threshold']:.3f}"
    assert page.locator("#expected li").all_inner_texts() == highest["sentences"]
    page.get_by_role("button", name="Back to").click()
    assert page.locator("#expected li").all_inner_texts() == said


def test_a_dropped_table_is_scored_and_saved(tickets, opened, tmp_path):
    table = pl.DataFrame(
        {
            "id": ["1", "2", "3"],
            "body": ['click "here";\nnow', "when do you open", None],
            "subject": ["link; parcel", "Hello", "Refund"],
        }
    )
    table.write_csv(tmp_path / "june.csv", separator=";")
    page = opened(tickets)
    page.locator("#file").set_input_files(tmp_path / "june.csv")
    page.locator("#rows tr").nth(2).wait_for()
    predicted = tickets.predictions(table)
    assert page.locator("#counted").inner_text() == (
        f"{predicted.n_alarms[0]} of 3 rows are above the threshold."
    )
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the table").click()
    saved = Path(download.value.path()).read_text("utf-8")
    assert download.value.suggested_filename == "june.scored.csv"
    rows = list(csv.DictReader(io.StringIO(saved), delimiter=";"))
    assert [row["body"] for row in rows] == ['click "here";\nnow', "when do you open", ""]
    assert [row["decision"] for row in rows] == predicted.decision.tolist()
    np.testing.assert_allclose([float(row["score"]) for row in rows], predicted.score, atol=1e-9)


def test_a_file_that_is_not_utf8_is_refused_in_words(tickets, opened, tmp_path):
    (tmp_path / "old.csv").write_bytes("subject,body\nfür,mich\n".encode("latin1"))
    page = opened(tickets)
    page.locator("#file").set_input_files(tmp_path / "old.csv")
    # The page allows no eval, which a function to wait for would need.
    page.locator("#problem", has_text="not UTF-8").wait_for()


def test_a_document_is_never_markup(opened, tmp_path):
    evil = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2>"
    texts = [f"oil {evil}", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
    model = RareTextClassifier(random_state=0).fit(texts, [f"oil{evil}"] * 6 + ["rain"] * 27)
    page = opened(model, f"{evil}.model")
    page.locator("textarea").fill(f"crude oil {evil}")
    assert page.evaluate("window.hacked") is None
    assert evil in page.locator("#marked").inner_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"language": "german"}, "german stems"),
        ({"features": [len]}, "Python code"),
        ({"encoder": lambda texts: np.ones((len(texts), 2))}, "encoder"),
    ],
)
def test_another_model_says_why_it_cannot_be_a_page(options, said):
    texts = ["oil price", "crude oil"] * 6 + ["rain today", "sun and rain", "sun"] * 9
    if "features" in options:
        options = {"features": [lambda documents: np.array([[len(one)] for one in documents])]}
    model = RareTextClassifier(random_state=0, **options).fit(texts, ["oil"] * 12 + ["rain"] * 27)
    with pytest.raises(ValueError, match=f"cannot be a page: .*{said}"):
        model.page()


def test_several_classes_cannot_be_a_page():
    model = RareTextClassifier(random_state=0).fit(["oil", "rain", "gold"] * 9, ["a", "b", "c"] * 9)
    with pytest.raises(ValueError, match="between several classes"):
        model.page()
