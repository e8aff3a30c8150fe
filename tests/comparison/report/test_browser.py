"""The report in a real browser: no errors, no requests, and everything works from the keyboard."""

import numpy as np
import pytest

from imbtext.comparison import compare

EVIL = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=2>\"'\u202e\x00!"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    random = np.random.default_rng(0)
    rare = ["crude", "<script>window.hacked=3</script>", "opec", '"onload="window.hacked=4"']
    common = ["rain", "sun", "<img/src=x/onerror=window.hacked=5>", "film", "\u202egnorts", "law"]
    texts = [
        " ".join([*random.choice(pool, 5).tolist(), *random.choice(common[:3], 3).tolist()])
        for pool in [rare] * 12 + [common] * 68
    ]
    found = compare(
        texts,
        [EVIL] * 12 + ["=cmd()"] * 68,
        methods=["ros", "mco", "emco(0.1)", "emco(1)"],
        folds=2,
        repeats=1,
        tokenizer=str.split,
    )
    path = tmp_path_factory.mktemp("report") / "report.html"
    found.report(path)
    return path


@pytest.fixture
def page(open_page, report):
    return open_page(report)


def method_column(page):
    rows = page.locator("table#methods tbody th")
    return rows.evaluate_all("cells => cells.map(cell => cell.dataset.text)")


def values(page, column):
    cells = page.locator(f"table#methods tbody tr td:nth-child({column})")
    return [float(v) for v in cells.evaluate_all("cells => cells.map(c => c.dataset.value)")]


def test_hostile_documents_stay_text(page):
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    shown = page.locator("body").text_content()
    assert "<script>window.hacked=3</script>" in shown
    assert "<U+202E>" in shown
    assert "</script><script>window.hacked=1</script>" in page.title()


def test_the_policy_stops_markup_that_would_get_through(browser, report):
    # Not the escaping but the browser: even an injected handler does not run.
    context = browser.new_context()
    opened = context.new_page()
    opened.set_default_timeout(120_000)
    opened.goto(report.as_uri())
    stopped = opened.evaluate(
        """() => new Promise(done => {
            addEventListener("securitypolicyviolation", event => done(event.violatedDirective));
            const button = document.createElement("button");
            document.body.append(button);
            button.setAttribute("onclick", "window.hacked = 6");
            button.click();
        })"""
    )
    assert stopped == "script-src-attr"
    assert opened.evaluate("window.hacked") is None
    context.close()


def test_sorting_by_mouse_and_keyboard(page):
    assert method_column(page) == ["plain linear-svm", "ros", "mco", "emco(0.1)", "emco(1)"]
    recall = page.get_by_role("button", name="found", exact=True)
    header = recall.locator("xpath=..")
    column = header.evaluate("cell => cell.cellIndex + 1")
    recall.click()
    assert header.get_attribute("aria-sort") == "descending"
    assert values(page, column) == sorted(values(page, column), reverse=True)
    recall.focus()
    page.keyboard.press("Enter")
    assert header.get_attribute("aria-sort") == "ascending"
    assert values(page, column) == sorted(values(page, column))
    assert "lowest first" in page.locator("#status").inner_text()
    method = page.locator("#methods").get_by_role("button", name="method", exact=True)
    method.focus()
    page.keyboard.press("Space")
    assert method_column(page) == sorted(method_column(page))
    assert page.locator("th[aria-sort]").count() == 1


def test_the_slider_shows_one_gamma_at_a_time(page):
    unfold(page, "How far to extrapolate")
    slider = page.get_by_role("slider", name="gamma")
    slider.focus()
    page.keyboard.press("Home")
    seen = []
    for _ in range(3):
        assert page.locator("[data-gamma]:visible").count() == 1
        seen.append(page.locator("[data-gamma]:visible").get_attribute("data-label"))
        assert page.locator("#gamma-value").inner_text() == seen[-1]
        assert slider.get_attribute("aria-valuetext") == seen[-1]
        page.keyboard.press("ArrowRight")
    assert seen == ["gamma 0 (MCO)", "gamma 0.1", "gamma 1"]
    assert page.locator("[data-gamma]:visible mark").count() > 0
    page.keyboard.press("Home")
    assert page.locator("[data-gamma]:visible mark").count() == 0


def unfold(page, title):
    """Open a folded section from the keyboard."""
    page.locator("summary", has_text=title).focus()
    page.keyboard.press("Enter")


def test_everything_can_be_reached_with_the_tab_key(page):
    unfold(page, "How far to extrapolate")
    page.evaluate("document.activeElement.blur()")
    page.locator("a.skip").focus()
    reached = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "document.activeElement.id || document.activeElement.tagName.toLowerCase()"
            )
        )
    assert {"a", "summary", "button", "gamma", "div"} <= reached
