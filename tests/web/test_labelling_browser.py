"""The labelling page in a real Chromium: keys, touch, small and dark screens, kills, two people."""

import csv
import random
import re
import subprocess
import sys
from collections import Counter

import pytest
from starlette.responses import HTMLResponse
from starlette.routing import Route

from imbtext.web._application import guarded_application
from imbtext.web._server import Server

pytestmark = pytest.mark.slow
TOKEN = "a-token-of-the-tests"
EVIL = (
    "</p><script>window.hacked=1</script><img src=x onerror=window.hacked=2> oil-price (oil) [up] "
    '"onload="window.hacked=3" \u202egnorts\x00 <svg onload=window.hacked=4> javascript:hack()'
)
TEXTS = [EVIL] * 2 + [f"oil-price {word} (up)" for word in ("up", "down", "flat", "new")] * 2
TEXTS += [f"rain {word} today" for word in ("more", "less", "light", "heavy")] * 5


@pytest.fixture
def page(labelling_page):
    session, app = labelling_page({"body": TEXTS}, words="oil")
    with Server(lambda: app) as server:
        yield session, f"{server.url}?token={TOKEN}"


@pytest.fixture
def session(page):
    return page[0]


@pytest.fixture
def address(page):
    return page[1]


@pytest.fixture
def opened(browser):
    contexts, complaints = [], []

    def open_one(address, **options):
        options = {"viewport": {"width": 1200, "height": 800}} | options
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert complaints == []


def row_of(page):
    return page.locator("#document").get_attribute("data-row")


def waited(page, row):
    """Wait until another document is open."""
    page.wait_for_selector(f"#document[aria-busy=false]:not([data-row='{row}'])")


def press(page, key):
    row = row_of(page)
    page.keyboard.press(key)
    waited(page, row)
    return int(row)


def test_the_keyboard_does_everything(opened, address, session):
    page = opened(address)
    first, second = press(page, "y"), press(page, "n")
    third, fourth = press(page, "u"), press(page, "s")
    labels = {one.row: one.decision for one in session.file}
    assert labels == {first: "yes", second: "no", third: "unsure", fourth: "skip"}
    press(page, "z")
    assert row_of(page) == str(fourth)
    page.keyboard.press("e")
    page.keyboard.type("y n, a note")  # letters in a note decide nothing
    page.keyboard.press("Enter")
    press(page, "y")
    assert session.said_about(fourth)[0].note == "y n, a note"
    page.keyboard.press("/")
    page.keyboard.type("rain")
    page.keyboard.press("Enter")
    page.wait_for_selector("#list button")
    row = row_of(page)
    page.locator("#list button").first.focus()
    page.keyboard.press("Enter")
    waited(page, row)
    assert "rain" in page.locator("#text").inner_text()
    page.keyboard.press("Control+y")  # not ours
    assert len(list(session.file)) == 4


@pytest.mark.parametrize(
    ("key", "code", "decision"),
    [
        ("\u043d", "KeyY", "undo"),  # a Russian keyboard
        ("&", "Digit1", "undo"),  # a French one
        ("\u0661", "Digit1", "undo"),  # an Arabic one
        ("f", "KeyY", None),  # Dvorak has a Y elsewhere
        ("!", "Digit1", None),
    ],
)
def test_keys_of_other_keyboards_decide_by_their_place(opened, labelling_page, key, code, decision):
    session, app = labelling_page({"body": TEXTS}, words="oil", classes=["undo"])
    with Server(lambda: app) as server:
        page = opened(f"{server.url}?token={TOKEN}")
        row = row_of(page)
        page.evaluate(
            """([key, code, shiftKey]) => document.body.dispatchEvent(
                new KeyboardEvent("keydown", { key, code, shiftKey, bubbles: true }))""",
            [key, code, key == "!"],
        )
        if decision is None:
            page.keyboard.press("n")
        waited(page, row)
    assert [one.decision for one in session.file] == [decision or "no"]


def test_a_link_on_another_site_opens_the_page(opened, address, browser):
    async def mail(_request):
        return HTMLResponse(f'<body data-ready><a href="{address}">label with me</a>')

    site = guarded_application([Route("/", mail)])
    with Server(lambda: site, "localhost") as server:
        page = opened(server.url)
        page.get_by_role("link").click()
        page.wait_for_selector("#document[data-row]")
        assert TOKEN not in page.url
        press(page, "n")


def test_touch_on_a_small_dark_screen(opened, address, session):
    phone = {"width": 360, "height": 640}
    page = opened(address, viewport=phone, has_touch=True, is_mobile=True, color_scheme="dark")
    given = []
    for name in ("Yes", "No", "Unsure", "Skip"):
        row = row_of(page)
        button = page.get_by_role("button", name=name, exact=True)
        assert button.bounding_box()["height"] >= 44
        button.tap()
        waited(page, row)
        given.append((int(row), {"Skip": "skip"}.get(name, name.lower())))
    assert [(one.row, one.decision) for one in session.file] == given
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 24, 28)"
    row = row_of(page)
    page.get_by_role("button", name="Undo").tap()
    waited(page, row)
    assert [(one.row, one.decision) for one in session.file] == given[:-1]


def test_screen_readers_hear_names_and_what_was_saved(opened, address):
    page = opened(address)
    unnamed = page.evaluate(
        """() => Array.from(document.querySelectorAll("button, input, textarea, select, summary"))
            .filter(one => !(one.textContent.trim() || one.getAttribute("aria-label")
                || (one.labels && one.labels.length))).map(one => one.outerHTML)"""
    )
    assert unnamed == []
    assert page.get_by_role("group", name="Your decision").count() == 1
    assert page.get_by_role("heading", level=1).inner_text() == "Is this what you are looking for?"
    press(page, "y")
    assert page.locator("#status[role=status]").inner_text().startswith("Saved: yes. Next: ")
    assert page.evaluate("document.activeElement.id") == "document"
    row = row_of(page)
    page.get_by_role("button", name="No", exact=True).press("Enter")
    waited(page, row)
    assert page.evaluate("document.activeElement.dataset.decision") == "no"  # stays for the next
    page.wait_for_selector("#curve svg[role=img][aria-label]")


def test_hostile_documents_are_text(opened, address, session):
    page = opened(address)
    page.get_by_label("Words to search for").fill("hacked script")
    page.keyboard.press("Enter")
    page.wait_for_selector("#list button")
    row = row_of(page)
    page.locator("#list button").first.click()
    if row_of(page) == row:
        page.wait_for_timeout(500)
    shown = page.locator("#text").inner_text()
    assert "</p><script>window.hacked=1</script>" in shown
    assert "<U+202E>" in shown
    page.get_by_label("Note").fill("<img src=x onerror=window.hacked=5>")
    page.keyboard.press("Escape")
    press(page, "y")
    session.look_up("ben", 0)
    session.decide("ben", 0, "no", "<script>window.hacked=6</script>")
    page.get_by_role("button", name=re.compile("need another look")).click()
    page.wait_for_timeout(500)
    assert page.evaluate("window.hacked") is None
    assert page.locator("#document script, #document img, #list script, #list img").count() == 0


def test_the_page_says_which_row_and_how_to_use_the_model(opened, address, session):
    page = opened(address)
    place = page.locator("#place")
    assert place.inner_text() == f"Row {row_of(page)} of <b>pool.csv, counted from 0"
    assert page.get_by_role("button", name="Train the model").is_hidden()
    assert page.locator("#start-title").inner_text() == "Begin with other words"
    for _ in range(14):
        press(page, "y" if "oil" in page.locator("#text").inner_text() else "n")
    page.get_by_role("button", name="Train the model").click()
    page.wait_for_selector("#trained[data-state=done]")
    assert page.locator("#trained pre").inner_text() == (
        "imbtext predict labels.model NEW.csv -o OUT.csv"
    )


def test_the_page_asks_for_words_until_the_first_find(opened, labelling_page):
    _, app = labelling_page({"body": TEXTS})
    with Server(lambda: app) as server:
        page = opened(f"{server.url}?token={TOKEN}")
        words = page.locator("#start-words")
        assert page.locator("#start-title").inner_text() == "Begin with words or an example"
        assert words.is_visible()
        assert page.get_by_role("heading", name="How far you are").is_hidden()
        press(page, "n")
        assert words.is_visible()
        press(page, "y")
        assert words.is_hidden()
        page.get_by_role("heading", name="How far you are").wait_for()


def test_two_browsers_never_have_the_same_document(opened, address, session):
    anna, ben = opened(address), opened(f"{address}&labeller=ben")
    for _ in range(6):
        assert row_of(anna) != row_of(ben)
        press(anna, "n")
        press(ben, "n")
    assert Counter(one.labeller for one in session.file) == {"anna": 6, "ben": 6}
    assert len({one.row for one in session.file}) == 12
    anna.reload()
    anna.wait_for_selector("body[data-ready]")
    assert row_of(anna) != row_of(ben)


def test_a_random_sample_is_read_and_left(opened, address, session):
    page = opened(address)
    assert page.locator("#left").inner_text() == ""  # the line above it says that none is found
    for _ in range(12):
        press(page, "y")
    page.get_by_role("button", name=re.compile("at random")).click()
    page.wait_for_selector("#sample:not([hidden])")
    sampled = press(page, "n")
    assert session.said_about(sampled)[0].chosen == "random"
    assert "Random sample: 1 of " in page.locator("#sample").inner_text()
    page.get_by_role("button", name="Back to the likeliest documents").click()
    page.wait_for_selector("#sample[hidden]", state="attached")
    assert session.said_about(press(page, "y"))[0].chosen == "ranking"
    page.wait_for_selector("#left:has-text('Stopping now would miss')")


def test_several_columns_classes_and_labellers_who_disagree(opened, labelling_page):
    cells = {
        "subject": [text.split()[0] for text in TEXTS],
        "body": TEXTS,
        "day": [f"<i>{i}" for i in range(len(TEXTS))],
        "number": list(range(len(TEXTS))),
    }
    options = {"text": ["subject", "body"], "show": ["day"], "id": "number"}
    options |= {"classes": ["oil", "rain"]}
    session, app = labelling_page(cells, words={"oil": "price", "rain": "rain"}, **options)
    with Server(lambda: app) as server:
        address = f"{server.url}?token={TOKEN}"
        anna, ben = opened(address), opened(f"{address}&labeller=ben")
        assert anna.locator("#text h2").all_inner_texts() == ["subject", "body"]
        assert anna.locator("#columns dd").inner_text().startswith("<i>")
        assert anna.locator("#place").inner_text() == f"number {row_of(anna)}"
        decided = press(anna, "2")
        heard = anna.locator("#status[role=status]").inner_text()
        assert re.match(r"Saved: rain\. Next: subject\. .+\. body\. ", heard, re.DOTALL)
        press(ben, "1")
        session.look_up("ben", decided)
        session.decide("ben", decided, "oil", "I see oil")
        assert session.file.disagreements.exists()
        anna.get_by_role("button", name=re.compile("need another look")).click()
        anna.wait_for_selector("#list .said >> text=I see oil")
        row = row_of(anna)
        anna.locator("#list button").first.click()
        if row != str(decided):
            waited(anna, row)
        assert "disagreements" in anna.locator("#place").inner_text()
        press(anna, "1")
        assert session.loop.labels[decided] == "oil"
        assert not session.file.disagreements.exists()


def start_command(source, labels, port):
    command = [sys.executable, "-m", "imbtext", "label", str(source), "--text", "body", "-o"]
    command += [str(labels), "--words", "oil", "--no-browser", "--port", port, "--token", TOKEN]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    address = re.search(r"http://127.0.0.1:(\d+)/\S*", process.stderr.readline())
    assert address is not None, process.stderr.read()
    return process, address[0], address[1]


def kill(process):
    process.kill()
    process.wait()
    process.stderr.close()


def test_500_documents_with_kills_and_reloads_lose_no_label(opened, tmp_path):
    chance = random.Random(0)
    nouns = ["rain", "film", "law", "bank", "sun", "vote"]
    texts = [
        " ".join([*chance.choices(nouns, k=4), "oil" * (i % 12 == 0), str(i)]) for i in range(900)
    ]
    source, labels = tmp_path / "pool.csv", tmp_path / "labels.csv"
    with source.open("w", newline="") as file:
        csv.writer(file).writerows([["body"], *([text] for text in texts)])
    process, address, port = start_command(source, labels, "0")
    given = {}
    try:
        page = opened(address)
        for i in range(500):
            if i % 125 == 40:  # a kill, before or while a decision is on its way
                if i % 2:
                    row = row_of(page)
                    page.keyboard.press("n")
                    given[int(row)] = "no"
                kill(process)
                process, address, _ = start_command(source, labels, port)
                if i % 2:
                    waited(page, row)
                    continue
            if i % 37 == 20:
                page.reload()
                page.wait_for_selector("body[data-ready]")
            decision, key = "no", "n"
            if "oil" in page.locator("#text").inner_text():
                decision, key = "yes", "y"
            given[press(page, key)] = decision
    finally:
        kill(process)
    with labels.open(newline="") as file:
        saved = {int(line["row"]): line["label"] for line in csv.DictReader(file)}
    assert len(given) == 500
    assert saved == given
    assert {line for line, label in saved.items() if label == "yes"} == {
        row for row in given if row % 12 == 0
    }
