"""Looking inside, in a real browser: what moves agrees with Python, on any page, by keyboard."""

import csv
import io
import json
import re
from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, fbeta_score, precision_score, recall_score

from imbtext.comparison import compare

CLASSES = ["<b>oil</b>", "tin"]
METHODS = ["class-weight", "threshold(f1)", "ros", "emco(0.1)"]


@pytest.fixture(scope="module")
def found():
    random = np.random.default_rng(1)
    words = {
        "<b>oil</b>": ["crude", "opec", "barrel", "price", "<i>well</i>"],
        "tin": ["tin", "mine", "price", "metal", "ore"],
        "rest": ["rain", "sun", "film", "law", "price", "mine", "wind", "opec"],
    }
    y = ["<b>oil</b>"] * 18 + ["tin"] * 12 + ["rest"] * 150
    texts = [
        " ".join(
            random.choice(words[label] if random.random() < 0.75 else words["rest"], 6).tolist()
            + random.choice(words["rest"], random.integers(0, 12)).tolist()
        )
        for label in y
    ]
    return compare(
        texts, y, classes=CLASSES, methods=METHODS, folds=3, repeats=2, tokenizer=str.split
    )


@pytest.fixture(scope="module")
def path(found, tmp_path_factory):
    path = tmp_path_factory.mktemp("look") / "report.html"
    found.report(path)
    return path


@pytest.fixture
def page(open_page, path):
    return open_page(path, width=1280)


def out_of_fold(found, name, method, repeat=0):
    """Every document's membership and score in a repeat, by hand from the folds."""
    scores = np.full(found.plan.n_documents, np.nan)
    for fit in found.fits:
        if (fit.class_name, fit.method, fit.repeat) == (name, method, repeat):
            _, tested = found.plan.split(name, repeat, fit.fold)
            assert np.isnan(scores[tested]).all()
            scores[tested] = fit.decisions
    assert not np.isnan(scores).any()
    return found.plan.is_class[name], scores


def number(page, name):
    return page.locator(f"#now-{name}").inner_text()


def slide(page, place):
    page.evaluate(
        """place => { const slider = document.getElementById("threshold");
        slider.value = place; slider.dispatchEvent(new Event("input")); }""",
        place,
    )


def shown_texts(page, kind):
    page.locator(f"input[value={kind}]").check()
    more = page.locator(f"#list-{kind} .more")
    while more.is_visible():
        more.click()
    return page.locator(f"#list-{kind} .text bdi").all_inner_texts()


@pytest.mark.parametrize("name", CLASSES)
def test_the_slider_agrees_with_scikit_learn(page, found, name):
    page.get_by_label("Class", exact=True).select_option(label=name)
    for method in ("plain", "threshold(f1)", "emco(0.1)"):
        chosen = page.locator(
            "#look-method option", has_text=re.compile(rf"^{re.escape(found.title(method))}")
        )
        page.get_by_label("Method", exact=True).select_option(chosen.first.get_attribute("value"))
        both = [out_of_fold(found, name, method, repeat) for repeat in (0, 1)]
        is_class, scores = (np.concatenate(arrays) for arrays in zip(*both, strict=True))
        curve = found.inspection[name].methods[method].curve
        own = curve.thresholds.tolist().index(0.0)
        assert page.locator("#threshold").input_value() == str(own)
        for place in (0, own, len(curve.thresholds) // 2, len(curve.thresholds) - 1):
            slide(page, place)
            flagged = scores > curve.thresholds[place]
            # On average over both repeats, in whole documents.
            (left, wrong), (missed, hits) = confusion_matrix(is_class, flagged)
            found_now, wrong_now = (hits + 1) // 2, (wrong + 1) // 2
            left_now, missed_now = (left + wrong) // 2 - wrong_now, (missed + hits) // 2 - found_now
            shown = [number(page, which) for which in ("left", "wrong", "missed", "found")]
            assert shown == [f"{n:,}" for n in (left_now, wrong_now, missed_now, found_now)]
            shares = {
                "recall": (found_now, found_now + missed_now, recall_score(is_class, flagged)),
                "precision": (
                    found_now,
                    found_now + wrong_now,
                    precision_score(is_class, flagged, zero_division=np.nan),
                ),
            }
            for measure, (part, whole, value) in shares.items():
                text = number(page, measure)
                if not whole:
                    assert text == "\u2013"
                else:
                    # That of the whole documents beside it, and so nearly scikit-learn's. What few
                    # documents give is a count and no percentage.
                    percentage = f"{int(100 * part / whole + 0.5)}%"
                    assert text == (percentage if whole >= 10 else f"{part} of {whole}")
                    assert part / whole == pytest.approx(value, abs=1 / whole)


def test_the_lists_hold_the_documents_that_the_numbers_count(page, found):
    is_class, scores = out_of_fold(found, "tin", "plain")
    texts = np.array([" ".join(text.split()) for text in found.plan.documents])
    page.get_by_label("Class", exact=True).select_option(label="tin")
    page.get_by_label("Method", exact=True).select_option(index=0)
    curve = found.inspection["tin"].methods["plain"].curve
    for place in (0, len(curve.thresholds) // 2):
        slide(page, place)
        flagged = scores > curve.thresholds[place]
        for kind, rows in {
            "found": is_class & flagged,
            "missed": is_class & ~flagged,
            "wrong": ~is_class & flagged,
        }.items():
            assert sorted(shown_texts(page, kind)) == sorted(texts[rows])
            note = page.locator(f"#list-{kind} [data-note]").inner_text()
            n = rows.sum()
            assert not n or f"{n} of {n} in the first of 2 repeats" in note
            # The numbers above are averages over both repeats.
            assert page.locator(f"#count-{kind}").inner_text() == ""


def test_the_advice_and_the_slider_tell_the_same_numbers(page, found):
    for name in CLASSES:
        page.get_by_label("Class", exact=True).select_option(label=name)
        n_found, n_wrong, n_missed = (
            int(number(page, which)) for which in ("found", "wrong", "missed")
        )
        advice = found.recommendations[name]
        n_class, n_alarms = n_found + n_missed, n_found + n_wrong
        assert f"Finds {n_found} of the {n_class} \u201c{name}\u201d documents" in advice.result
        assert f"; {n_found} of {n_alarms} alarm" in advice.result
        row = page.locator("#class-table tbody tr", has_text=name).first.inner_text()
        assert f"{n_found} of {n_class}" in row
        assert f"{n_found} of {n_alarms}" in row
        sentence = page.locator("#look-sentence").inner_text()
        assert f"{n_found} of {n_found + n_missed} found" in sentence


def test_the_words_of_a_document_and_the_constant_add_up_to_its_score(page, found):
    name, method = CLASSES[0], "plain"
    page.get_by_label("Class", exact=True).select_option(label=name)
    page.get_by_label("Method", exact=True).select_option(index=0)
    page.locator("input[value=found]").check()
    sums = page.locator("#list-found .sum").all_inner_texts()
    scores = page.locator("#list-found .score").all_inner_texts()
    assert len(sums) == len(scores) > 0
    shown_constants = set()
    for text, score in zip(sums, scores, strict=True):
        parts = [
            float(part.replace("\u2212", "-")) for part in re.findall(r"[+\u2212]?\d+\.\d\d", text)
        ]
        assert parts[-1] == float(score.replace("\u2212", "-"))
        assert sum(parts[:-1]) == pytest.approx(parts[-1], abs=1e-9)
        shown_constants.add(parts[-2])
    # The constant is the classifier's own, less the threshold: the same in all documents of a fold.
    of_method = found.inspection[name].methods[method]
    constants = [constant for constant in of_method.constants if not np.isnan(constant)]
    assert 0 < len(set(constants)) <= found.plan.folds
    assert all(constants)
    assert shown_constants <= {round(constant, 2) for constant in constants}


def test_each_document_carries_the_words_that_spoke(page, found):
    inspected = found.inspection["tin"]
    page.get_by_label("Class", exact=True).select_option(label="tin")
    page.get_by_label("Method", exact=True).select_option(index=0)
    slide(page, 0)
    page.locator("input[value=found]").check()
    page.get_by_label("Order").select_option("highest")
    first = page.locator("#list-found li").first
    scores = inspected.methods["plain"].scores
    own = [i for i, document in enumerate(inspected.documents) if document.of_class]
    place = max(own, key=lambda i: scores[i])
    chips = first.locator(".chip").all_inner_texts()
    said = inspected.methods["plain"].words[place]
    assert len(said) > 1
    shown = dict(chip.replace("\u2212", "-").rsplit(" ", 1) for chip in chips)
    assert {word: float(value) for word, value in shown.items()} == pytest.approx(
        dict(said), abs=0.0061
    )
    marked = set(first.locator("mark").all_inner_texts())
    assert marked <= {word for word, _ in said}
    assert page.locator("#speak-for tbody th").first.inner_text() in ("tin", "metal", "ore")


def test_hostile_labels_and_words_stay_text(page):
    assert page.locator("#look b b, #look i").count() == 0
    page.get_by_label("Class", exact=True).select_option(label="<b>oil</b>")
    slide(page, 0)
    page.locator("input[value=found]").check()
    assert "<i>well</i>" in page.locator("#list-found").inner_text()


def test_filter_and_presets(page, found):
    page.get_by_label("Class", exact=True).select_option(label="tin")
    page.get_by_label("Method", exact=True).select_option(index=0)
    slide(page, 0)
    page.locator("input[value=wrong]").check()
    page.get_by_label("Only documents that contain").fill("MINE")
    texts = shown_texts(page, "wrong")
    assert texts
    assert all("mine" in text for text in texts)
    page.get_by_label("Only documents that contain").fill("no such word")
    assert page.locator("#list-wrong li").count() == 0
    is_class, scores = out_of_fold(found, "tin", "plain")
    curve = found.inspection["tin"].methods["plain"].curve
    both = [out_of_fold(found, "tin", "plain", repeat) for repeat in (0, 1)]
    is_class, scores = (np.concatenate(arrays) for arrays in zip(*both, strict=True))
    for name, beta in (("Best F1", 1), ("Best F2", 2)):
        page.get_by_role("button", name=name).click()
        place = int(page.locator("#threshold").input_value())
        values = [fbeta_score(is_class, scores > t, beta=beta) for t in curve.thresholds]
        assert values[place] == pytest.approx(max(values))
    page.get_by_role("button", name="As trained").click()
    assert "as trained" in page.locator("#look-sentence").inner_text()


def shown_scores(page, kind):
    shown = page.locator(f"#list-{kind} .score").all_inner_texts()
    return [float(score.replace("\u2212", "-")) for score in shown]


def test_documents_nearest_the_threshold_come_first_unless_asked_otherwise(page):
    page.get_by_label("Class", exact=True).select_option(label="tin")
    for kind in ("missed", "wrong"):
        page.locator(f"input[value={kind}]").check()
        scores = shown_scores(page, kind)
        assert [abs(score) for score in scores] == sorted(abs(score) for score in scores)
    slide(page, 0)
    page.get_by_label("Order").select_option("lowest")
    scores = shown_scores(page, "wrong")
    assert scores == sorted(scores)
    assert len(set(scores)) > 1


def test_documents_have_ids_to_find_them_by_and_filters(page, found):
    page.get_by_label("Class", exact=True).select_option(label="tin")
    slide(page, 0)
    page.locator("input[value=wrong]").check()
    ids = page.locator("#list-wrong .id").all_inner_texts()
    texts = page.locator("#list-wrong .text bdi").all_inner_texts()
    rows = found.plan.documents
    for name, text in zip(ids, texts, strict=True):
        row = int(name.removeprefix("row "))
        assert " ".join(rows[row].split()) == text
    page.get_by_label("Only documents that contain").fill(ids[1])
    assert page.locator("#list-wrong .id").all_inner_texts() == [ids[1]]
    page.get_by_label("Only documents that contain").fill("")
    labels = page.get_by_label("Only with the label")
    if labels.is_visible():
        label = labels.locator("option").all_inner_texts()[1]
        labels.select_option(label=label)
        assert set(page.locator("#list-wrong .head bdi").all_inner_texts()) >= {label}


def test_the_list_can_be_copied_as_csv(page):
    page.get_by_label("Class", exact=True).select_option(label="<b>oil</b>")
    slide(page, 0)
    page.locator("input[value=found]").check()
    texts = shown_texts(page, "found")
    page.evaluate(
        """() => { window.copied = []; document.execCommand = () => {
            window.copied.push(document.activeElement.value); return true; }; }"""
    )
    page.get_by_role("button", name="Copy as CSV").press("Enter")
    (text,) = page.evaluate("window.copied")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert header == ["id", "list", "score", "label", "text"]
    assert [row[4].removeprefix("'") for row in rows] == texts
    assert {row[1] for row in rows} == {"found"}
    assert all(not cell.startswith(("=", "+", "@")) for row in rows for cell in row)
    assert page.locator("#copied").inner_text() == f"{len(rows)} documents copied."
    assert page.evaluate("document.activeElement.id") == "copy-csv"


def test_the_first_screen_has_the_result_the_picture_and_what_to_type(page, found):
    page.set_viewport_size({"width": 1400, "height": 900})
    assert " ".join(page.locator("h1").inner_text().split()) == found.recommendation.result
    for selector in ("h1", ".first svg", ".apply pre"):
        box = page.locator(selector).first.bounding_box()
        assert box["y"] + box["height"] <= 900, selector
    first = page.locator("header.first").inner_text()
    assert "p = " not in first
    assert "p < " not in first


def test_a_narrow_screen_has_the_picture_right_after_the_sentence_that_it_shows(page):
    for width in (360, 800):
        page.set_viewport_size({"width": width, "height": 740})
        picture, command = (
            page.locator(selector).first.bounding_box() for selector in (".first svg", ".apply pre")
        )
        assert picture["y"] + picture["height"] <= min(740, command["y"])


def assert_no_labels_overlap(chart):
    boxes = chart.locator("text").evaluate_all(
        """texts => texts.filter(text => text.textContent.trim()).map(text => {
            const box = text.getBoundingClientRect();
            return [text.textContent, box.left, box.right, box.top, box.bottom]; })"""
    )
    for (one, *a), (other, *b) in combinations(boxes, 2):
        apart = a[1] <= b[0] + 1 or b[1] <= a[0] + 1 or a[3] <= b[2] + 3 or b[3] <= a[2] + 3
        assert apart, (one, other)


def test_labels_of_charts_do_not_overlap_and_pictures_write_as_the_page_does(page):
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    for chart in page.locator("main svg").all():
        if not chart.is_visible():
            continue
        assert_no_labels_overlap(chart)
        fonts = chart.locator("text").evaluate_all(
            "texts => texts.map(text => getComputedStyle(text).fontFamily)"
        )
        assert set(fonts) == {page.evaluate("getComputedStyle(document.body).fontFamily")}


@pytest.mark.parametrize("lowest", [-0.9, -1.1, -12.5, -1234.5])
def test_the_numbers_of_an_axis_leave_its_title_free(open_page, path, tmp_path, lowest):
    content, begins = path.read_text("utf-8"), '<script type="application/json" id="data">'
    before, _, rest = content.partition(begins)
    data, ended, after = rest.partition("</script>")
    look = json.loads(data)
    for of_class in look["classes"]:
        for method in of_class["methods"]:
            for group in method["lengths"]:
                group[4] = group[5] = [lowest, lowest * 0.9, lowest * 0.8]
    moved = tmp_path / "moved.html"
    moved.write_text("".join([before, begins, json.dumps(look), ended, after]), "utf-8")
    page = open_page(moved, width=1280)
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    assert_no_labels_overlap(page.locator("#lengths svg"))


def test_a_phone_shows_the_recommended_method_first_and_folds_the_rest(open_page, path, found):
    page = open_page(path, width=360)
    rows = page.locator("#methods tbody tr")
    assert rows.first.get_attribute("class") == "chosen"
    assert [row.is_visible() for row in rows.all()] == [True] * 2 + [False] * (rows.count() - 2)
    page.get_by_role("button", name="Show all").press("Enter")
    assert all(row.is_visible() for row in rows.all())
    assert page.evaluate("document.activeElement === document.querySelector('#methods').rows[3]")


def test_a_dot_of_the_chart_chooses_its_method(page):
    page.locator("#curve circle.point.plain").dispatch_event("click")
    assert page.get_by_label("Method", exact=True).input_value() == "0"
    assert page.locator("#curve .curve.current").get_attribute("class") == "curve plain current"


def test_a_row_per_class_the_average_among_them_sorted_and_a_way_in(page, found):
    names = page.locator("#class-table tbody th")
    assert names.all_inner_texts() == ["tin", "<b>oil</b>", "average of 2 classes"]
    page.locator("#class-table thead button", has_text="documents").click()
    assert names.all_inner_texts() == ["<b>oil</b>", "average of 2 classes", "tin"]
    assert "Classes, sorted by documents" in page.locator("#status").inner_text()
    page.locator("#class-table tbody button", has_text="tin").press("Enter")
    assert (
        page.get_by_label("Class", exact=True).evaluate("menu => menu.selectedOptions[0].text")
        == "tin"
    )
    assert page.evaluate("document.activeElement.id") == "look-class"
    chosen = found.title(found.recommendations["tin"].method)
    assert page.locator("#class-table tbody tr", has_text="tin").first.inner_text().count(chosen)


def test_what_to_type_is_that_of_the_class_looked_at(page, found):
    for name, advice in found.recommendations.items():
        if name in found.plan.classes:
            page.get_by_label("Class", exact=True).select_option(label=name)
            (shown,) = [part for part in page.locator("#look .apply").all() if part.is_visible()]
            assert shown.locator("h3").inner_text() == f"Do it for {name} alone"
            assert advice.headline in shown.inner_text()
            code = shown.locator("pre").last.text_content()
            assert "".join(code.split()) == "".join(advice.snippet.split())


def test_everything_from_the_keyboard(page):
    slider = page.locator("#threshold")
    slider.focus()
    before = number(page, "found"), number(page, "wrong")
    page.keyboard.press("Home")
    assert slider.input_value() == "0"
    assert number(page, "recall") == "100%"
    assert (number(page, "found"), number(page, "wrong")) != before
    page.keyboard.press("ArrowRight")
    assert slider.input_value() == "1"
    assert f"{number(page, 'found')} of " in slider.get_attribute("aria-valuetext")
    page.locator("input[value=missed]").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#list-wrong").is_visible()
    assert page.locator("#list-missed").is_hidden()
    page.locator("#look-method").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.locator("#look-sentence").inner_text().startswith("as trained")
    reached = set()
    page.locator("a.skip").focus()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {"look-class", "look-method", "threshold", "look-filter", "link"} <= reached
    assert {"look-order", "copy-csv"} <= reached


def test_showing_more_moves_the_focus_to_what_is_new(page):
    slide(page, 0)
    page.locator("input[value=wrong]").check()
    more = page.locator("#list-wrong .more")
    assert page.locator("#list-wrong li").count() == 10
    more.press("Enter")
    assert page.locator("#list-wrong li").count() > 10
    assert page.evaluate(
        "document.activeElement === document.querySelectorAll('#list-wrong li')[10]"
    )


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_lies_beyond_the_edge(page, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    beyond = page.evaluate(
        """width => Array.from(document.querySelectorAll("main *"))
        .filter(part => !part.closest("pre, .hidden, caption"))
        .filter(part => { const box = part.getBoundingClientRect();
            return box.width && (box.right > width + 1 || box.left < -1); })
        .map(part => part.outerHTML.slice(0, 80))""",
        width,
    )
    assert beyond == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast_in_light_and_dark(page, scheme):
    page.emulate_media(color_scheme=scheme)
    style = (
        "part => [getComputedStyle(part).color, getComputedStyle(document.body).backgroundColor]"
    )
    for selector in ("body", ".soft", ".link", ".good", ".bad", ".interval"):
        ink, ground = page.locator(selector).first.evaluate(style)
        assert contrast(ink, ground) >= 4.5, (selector, ink, ground)
    ink, ground = page.locator("body").evaluate(style)
    assert (luminance(ground) > luminance(ink)) == (scheme == "light")
    for kind in ("for", "against"):
        slide(page, 0)
        page.locator("input[value=found]").check()
        chip = page.locator(f"#list-found .chip.{kind}").first
        colours = chip.evaluate(
            "p => [getComputedStyle(p).color, getComputedStyle(p).backgroundColor]"
        )
        assert contrast(*colours) >= 4.5


def test_on_paper_everything_is_open_and_black_on_white(page):
    assert page.locator("details:not([open])").count() > 0
    page.emulate_media(media="print", color_scheme="dark")
    page.wait_for_function("!document.querySelector('details:not([open])')")
    for kind in ("missed", "wrong", "found"):
        assert page.locator(f"#list-{kind}").is_visible()
    for selector in ("#threshold", ".presets", ".choices", "#gamma"):
        assert page.locator(selector).first.is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("pre").first.is_visible()
    assert page.pdf().startswith(b"%PDF")
    page.emulate_media(media="screen")
    page.wait_for_function("document.querySelector('details:not([open])')")


def luminance(colour):
    parts = [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(ink, ground):
    high, low = sorted([luminance(ink), luminance(ground)], reverse=True)
    return (high + 0.05) / (low + 0.05)
