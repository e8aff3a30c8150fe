"""The report as a file: whole, offline, and with untrusted text that stays text."""

import base64
import hashlib
import html
import json
import re
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser

import numpy as np
import pytest
from imblearn.over_sampling import RandomOverSampler

from imbtext import EDA, EMCO, mislabelled
from imbtext._messages import visible
from imbtext.comparison import compare
from imbtext.comparison._headline import Finds
from imbtext.comparison.report._charts import growth_chart
from imbtext.comparison.report._page import interactive_data, labels_to_check, report_html
from imbtext.methods import ResampledClassifier, register_method, unregister_method
from imbtext.pages._templates import templates

EVIL = (
    "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2>"
    "\"'\u202e\x00=cmd()"
)


def hostile_documents(n_rare=15, n_common=85):
    random = np.random.default_rng(0)
    rare = ["crude", "<script>window.hacked=3</script>", "opec", '"onmouseover="window.hacked=4"']
    common = [
        "rain",
        "sun",
        "<img/src=x/onerror=window.hacked=5>",
        "film",
        "\u202egnorts",
        "law\x07",
    ]
    pools = [rare] * n_rare + [common] * n_common
    texts = [
        " ".join([*random.choice(pool, 5).tolist(), *random.choice(common, 2).tolist()])
        for pool in pools
    ]
    return texts, [EVIL] * n_rare + ["<b>other</b>"] * n_common


METHODS = ["plain", "class-weight", "threshold(f1)", "ros", "mco", "emco(0.1)", "emco(1)"]


@pytest.fixture(scope="module")
def hostile():
    texts, y = hostile_documents()
    # Words are cut at spaces alone, so that markup reaches the page inside synthetic documents.
    return compare(texts, y, methods=METHODS, folds=3, repeats=2, tokenizer=str.split)


@pytest.fixture(scope="module")
def page(hostile):
    return report_html(hostile)


class Elements(HTMLParser):
    """Every element with its attributes, as a browser's parser would find them."""

    def __init__(self, text):
        super().__init__()
        self.found, self.text = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)


def test_untrusted_text_makes_no_elements_and_no_handlers(page):
    found = Elements(page).found
    scripts = [attrs.get("type", "") for tag, attrs in found if tag == "script"]
    assert scripts == ["application/json", ""]
    assert not [tag for tag, _ in found if tag in ("img", "iframe", "object", "link", "form")]
    handlers = [(tag, name) for tag, attrs in found for name in attrs if name.startswith("on")]
    assert handlers == []
    assert "window.hacked" in page  # it is there, as text
    assert "<script>window" not in page


def test_nothing_is_loaded_from_anywhere(page):
    for tag, attrs in Elements(page).found:
        for name in ("src", "href", "xlink:href", "srcset", "action", "data"):
            assert attrs.get(name, "#").startswith("#"), (tag, attrs)
    assert "url(" not in page
    assert "@import" not in page


def test_the_policy_allows_the_own_script_only(page):
    policy = next(a["content"] for tag, a in Elements(page).found if "http-equiv" in a)
    script = re.search(r"<script>(.*?)</script>", page, flags=re.S)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")


def test_control_characters_and_direction_marks_are_shown_not_sent(page):
    assert "\x00" not in page
    assert "\x07" not in page
    assert "\u202e" not in page
    assert "&lt;U+202E&gt;" in page


def test_all_parts_are_there(page, hostile):
    text = html.unescape("".join(Elements(page).text))
    for title in (
        "Do it",
        "Why",
        "Before you believe this",
        "All methods",
        "More measures",
        "How far to extrapolate",
        "Heaps' law",
        "The classes",
        "How this was measured",
    ):
        assert title in text
    assert visible(hostile.signature) in text
    assert hostile.recommendation.headline in text
    assert visible(hostile.recommendation.result) in text
    assert page.count("<svg") == 3 + 3
    for method in METHODS:
        assert method in text


def test_examples_mark_the_words_that_the_class_never_uses(hostile, page):
    by_method = {entry["method"]: entry for entry in hostile.illustration["gammas"]}
    assert by_method["mco"]["n_new_words"] == 0
    assert all(own for example in by_method["mco"]["examples"] for _, own in example["words"])
    texts, y = hostile_documents()
    words_of_class = {
        word for text, label in zip(texts, y, strict=True) for word in text.split() if label == EVIL
    }
    for example in by_method["emco(1)"]["examples"]:
        assert all(word in words_of_class for word, own in example["words"] if own)
    n_marked = sum(
        not own
        for entry in by_method.values()
        for example in entry["examples"]
        for _, own in example["words"]
    )
    assert page.count("<mark>") == n_marked
    verdicts = [e["right"] for entry in by_method.values() for e in entry["examples"]]
    assert page.count('class="right"') == sum(verdicts)
    assert page.count('class="wrong"') == len(verdicts) - sum(verdicts)


@pytest.fixture(scope="module")
def several():
    texts, _ = hostile_documents()
    y = [f"<i>{i % 3}" if i < 45 else "rest" for i in range(100)]
    classes = ["<i>0", "<i>1", "<i>2"]
    return compare(texts, y, classes=classes, methods=["ros"], folds=2, repeats=1)


def test_several_classes_get_a_table_of_their_own(several):
    page = report_html(several)
    assert "Class by class" in page
    assert "average of 3 classes" in page
    assert "&lt;i&gt;2" in page
    # No chain among the methods: nothing to show of gamma, and the page says nothing of it.
    assert 'id="gamma"' not in page


def test_a_share_of_few_documents_is_a_count_and_no_percentage():
    parts = templates("imbtext.comparison.report").get_template("parts.html").module
    cells = parts.found_cells(Finds.counted("SMOTE", 7, 0, n_class=14))
    assert "7 of 14" in cells
    assert "50%" in cells
    assert "7 of 7" in cells
    assert "100%" not in cells


def test_a_large_report_shows_fewer_documents_then_fewer_classes_and_says_so(several, monkeypatch):
    def size(shown):
        return len(json.dumps(shown["classes"], ensure_ascii=False).encode())

    whole = interactive_data(several)
    assert (len(whole["classes"]), whole["nLeftOut"]) == (3, 0)
    fewer = interactive_data(several, size(whole) - 200)
    assert size(fewer) < size(whole)
    assert len(fewer["classes"]) == 3
    for before, after in zip(whole["classes"], fewer["classes"], strict=True):
        assert 0 < len(after["documents"]) < len(before["documents"])
        assert len(after["methods"][0]["scores"]) == len(after["documents"])
        # The numbers are those of all documents; only the lists are shorter.
        assert after["methods"][0]["found"] == before["methods"][0]["found"]
        assert {tuple(d) for d in after["documents"]} <= {tuple(d) for d in before["documents"]}
    assert len(interactive_data(several, size(whole) // 20)["classes"]) < 3
    cut = partial(interactive_data, most_bytes=10)
    monkeypatch.setattr("imbtext.comparison.report._page.interactive_data", cut)
    page = report_html(several)
    assert "2 of 3 classes" in page
    assert page.count("data-look=") == 1


def test_a_single_fold_has_no_intervals():
    texts, y = hostile_documents()
    found = compare(texts, y, methods=["ros", "emco(1)"], folds=2, repeats=1, time_limit=1e-9)
    text = "".join(Elements(report_html(found).split("<script>")[0]).text)
    assert not re.search(r"\bnan\b", text, flags=re.I)


class OfManyOnly(RandomOverSampler):
    def fit_resample(self, X, y):
        if np.sum(y) < 8:
            raise RuntimeError("too few documents")
        return super().fit_resample(X, y)


@pytest.fixture
def of_many():
    register_method("of-many", OfManyOnly, space="tfidf")
    yield "of-many"
    unregister_method("of-many")


def test_a_method_that_fails_on_one_class_has_dashes_and_the_report_is_whole(of_many):
    texts, _ = hostile_documents()
    y = ["few"] * 10 + ["many"] * 20 + ["rest"] * 70
    found = compare(
        texts, y, classes=["few", "many"], methods=[of_many], share=0.4, folds=2, repeats=1
    )
    assert list(found.inspection["few"].methods) == ["plain"]
    assert list(found.inspection["many"].methods) == ["plain", "of-many"]
    for shown in (report_html(found).split("<script>")[0], found._repr_html_()):
        text = "".join(Elements(shown).text)
        assert not re.search(r"\bnan\b", text, flags=re.I)
        assert "\u2013" in text


def test_a_notebook_shows_advice_table_and_chart(hostile):
    shown = hostile._repr_html_()
    found = Elements(shown)
    text = "".join(found.text)
    assert hostile.recommendation.headline in text
    assert visible(hostile.recommendation.result) in text
    for method in METHODS:
        assert method in text
    assert [tag for tag, _ in found.found].count("svg") == 1
    doubtful = replace(hostile, warnings=("ros failed on <b>all</b> folds",))._repr_html_()
    assert "ros failed on &lt;b&gt;all" in doubtful
    assert not [tag for tag, _ in found.found if tag in ("script", "img", "link")]
    assert hostile.recommendation.snippet.split("\n")[0] in text


def test_estimators_show_themselves_in_a_notebook():
    for estimator in (EMCO(gamma=0.1), EDA(), ResampledClassifier("ros")):
        assert type(estimator).__name__ in estimator._repr_html_()


def test_a_page_says_what_its_documents_are():
    texts, y = hostile_documents()
    half = compare(
        texts, y, methods=["ros"], folds=2, repeats=1, time_limit=1e-9, group_duplicates=False
    )
    page = " ".join(report_html(half).split())
    assert "The time limit allowed for 50 of 100 documents" in page
    assert "documents that the models had not seen: 1 of 2 folds." in page
    tested = compare(texts, y, methods=["ros"], repeats=1, test=(texts, y))
    page = " ".join(report_html(tested).split())
    assert "The slider counts the test documents." in page
    assert "time limit allowed" not in page
    assert "it shows a sample" not in page


def test_written_whole_or_not_at_all(hostile, page, tmp_path, monkeypatch):
    monkeypatch.setattr("imbtext.comparison.report._page.report_html", lambda _: page)
    path = tmp_path / "report.html"
    hostile.report(path)
    assert path.read_text(encoding="utf-8") == page
    assert page.endswith("</html>\n")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        hostile.report(tmp_path / "nowhere" / "report.html")
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_labels_that_are_probably_wrong_are_to_be_checked():
    places = ["Paris", "Rome", "Oslo", "Bern", "Kyiv", "Riga", "Bonn", "Lima", "Cairo", "Delhi"]
    weather = ("heavy rain over", "strong wind over", "bright sun over", "thick fog over")
    texts = [f"{what} {place}" for what in ("crude oil in", *weather) for place in places]
    labels = ["oil"] * 10 + ["weather"] * 40
    labels[14] = "oil"
    found = compare(texts, labels, methods=["class-weight"], share=0.5, folds=3, repeats=1)
    page = report_html(found)
    entries = labels_to_check(found, "oil")
    assert entries[0]["document"].text == "heavy rain over Kyiv"
    assert {"heavy", "rain", "over"} & set(entries[0]["doubt"].words_for)
    # The same engine, so the same doubts.
    is_oil = [label == "oil" for label in labels]
    (doubt,) = mislabelled(texts, is_oil, top=1, random_state=found.plan.random_state)
    assert found.label_doubts["oil"][0] == doubt
    section = page[page.index("Labels to check") :]
    assert "heavy rain over Kyiv" in section[:3_000]


@pytest.mark.parametrize("changes", [{"features": "best"}, {"language": None}])
def test_labels_are_doubted_with_the_features_and_language_that_were_compared(changes, monkeypatch):
    texts, y = hostile_documents()
    found = compare(texts, y, methods=["rare"], folds=2, repeats=1, **changes)
    asked = []
    monkeypatch.setattr(
        "imbtext.comparison._comparison.mislabelled",
        lambda *args, **options: asked.append(options) or mislabelled(*args, **options),
    )
    assert list(found.label_doubts) == [EVIL]
    assert asked[0]["features"] == "auto"
    assert asked[0]["language"] == changes.get("language", "english")


def test_chains_that_share_a_gamma_are_told_apart():
    texts, y = hostile_documents()
    methods = ["mco", "emco(0.1)", "emco(0.1, similarity=3)"]
    found = compare(texts, y, methods=methods, folds=2, repeats=1, group_duplicates=False)
    labels = [entry["label"] for entry in found.illustration["gammas"]]
    assert labels == ["0", "emco(0.1)", "emco(0.1, similarity=3)"]
    growth = growth_chart(found.illustration)
    for title in ("gamma 0 (MCO)", "emco(0.1)", "emco(0.1, similarity=3)"):
        assert title in growth


def test_a_page_says_if_no_command_applies_the_advice(several):
    without = "No imbtext command does this"
    assert without not in report_html(several)
    commands = dict.fromkeys(several.recommendations, "imbtext oversample t.csv")
    assert without not in report_html(several.with_commands(commands))
    assert without in report_html(several.with_commands(dict.fromkeys(commands, "")))


def test_a_plot_has_the_plain_and_the_recommended_method(hostile):
    drawn = json.dumps(hostile.plot().to_dict())
    plain, best = hostile.plan.methods[0], hostile.recommendation.method
    for method in (plain, best):
        assert json.dumps(hostile.title(method)[:39])[1:-1] in drawn
    assert '"precision"' in drawn


def test_a_plot_has_the_best_free_remedy_beside_the_recommended_method(hostile):
    advice = replace(hostile.recommendation, method="threshold(f1)")
    drawn = replace(hostile, recommendations={hostile.overall: advice}).plot().to_dict()
    named = {row["method"] for rows in drawn["datasets"].values() for row in rows}
    assert named == {"plain linear-svm", "class-weight", "threshold(f1)"}
