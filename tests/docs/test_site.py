"""The built site, read as files and in a real browser; skipped where it has not been built."""

import re
import subprocess
import sys
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit
from xml.etree import ElementTree

import pytest

import imbtext

SITE = Path(__file__).resolve().parents[2] / "docs" / "_build" / "html"
if not (SITE / "index.html").exists():
    pytest.skip("the site is not built (make -C docs html)", allow_module_level=True)
# One page of each kind: every one has its own layout.
PAGES = [
    "index.html",
    "how_emco_works.html",
    "start/messy_table.html",
    "start/do_i_need_this.html",
    "guides/thresholds.html",
    "guides/large_data.html",
    "404.html",
    "cookbook/index.html",
    "gallery/index.html",
    "gallery/05_thresholds.html",
    "reference/commands.html",
    "reference/api/generated/imbtext.EMCO.html",
    "reference/api/generated/imbtext.RareTextClassifier.html",
    "results/paper.html",
    "results/tables.html",
    "results/rare.html",
    "results/vocabulary.html",
    "results/generators.html",
]


# Words that end beyond the screen, and not inside something that can be scrolled.
CUT_OFF = """() => {
    const scrolls = (e) => e && e !== document.body && (
        /auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
    const cut = [];
    const walker = document.createTreeWalker(
        document.querySelector(".bd-main"), NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
        const range = document.createRange();
        range.selectNodeContents(node);
        const box = range.getBoundingClientRect();
        const hidden = box.width === 0 || !node.parentElement.checkVisibility();
        if (!hidden && node.data.trim() && box.right > innerWidth + 1
            && box.left < innerWidth && !scrolls(node.parentElement)) cut.push(node.data.trim());
    }
    return cut;
}"""


class Page(HTMLParser):
    """What a page links to, loads, and can be linked to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.append((tag, value))


@cache
def parsed(path):
    return Page(path)


def html_files():
    return sorted(path for path in SITE.rglob("*.html") if "_static" not in path.parts)


def test_every_link_inside_the_site_leads_somewhere():
    broken = []
    for path in html_files():
        for tag, link in parsed(path).links:
            if tag == "base":  # of the page that stands under any address
                continue
            target, anchor = urldefrag(link)
            if urlsplit(target).scheme or target.startswith("//"):
                continue
            to = (path.parent / unquote(urlsplit(target).path)).resolve() if target else path
            if to.is_dir():
                to /= "index.html"
            if not to.is_file():
                broken.append(f"{path.relative_to(SITE)}: {link}")
            elif anchor and to.suffix == ".html" and unquote(anchor) not in parsed(to).ids:
                broken.append(f"{path.relative_to(SITE)}: no {anchor!r} in {target or 'itself'}")
    assert len(html_files()) > len(PAGES)
    assert broken == []


def test_no_page_loads_anything_from_elsewhere():
    loaded = [
        f"{path.relative_to(SITE)}: {link}"
        for path in html_files()
        for tag, link in parsed(path).links
        if tag != "a" and urlsplit(link).netloc
    ]
    assert loaded == []


@pytest.fixture(scope="module")
def address():
    # A process of its own: coverage cannot trace a thread that begins while another does.
    command = (sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1")
    with subprocess.Popen(
        [*command, "--directory", SITE],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        port = re.search(r"port (\d+)", server.stdout.readline()).group(1)
        yield f"http://127.0.0.1:{port}/"
        server.terminate()


@pytest.fixture
def opened(browser, address):
    """Open pages at a width and in a colour scheme; requests and errors are written down."""
    contexts = []

    def go(page, width=1280, scheme="light"):
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        contexts.append(context)
        tab = context.new_page()
        tab.set_default_timeout(120_000)  # a busy machine is no failure
        tab.trouble = []
        tab.on("pageerror", lambda error: tab.trouble.append(str(error)))
        tab.on("console", lambda m: m.type == "error" and tab.trouble.append(m.text))
        tab.on("requestfailed", lambda request: tab.trouble.append(request.url))
        tab.on(
            "request",
            lambda r: r.url.startswith((address, "data:", "blob:")) or tab.trouble.append(r.url),
        )
        tab.goto(address + page)
        return tab

    yield go
    for context in contexts:
        context.close()


@pytest.mark.parametrize("page", PAGES)
def test_a_page_fits_a_phone_and_is_dark_in_the_dark(opened, page):
    tab = opened(page, width=360, scheme="dark")
    assert tab.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    assert tab.evaluate(CUT_OFF) == []
    assert tab.evaluate("document.documentElement.dataset.theme") == "dark"
    colours = tab.evaluate(
        """() => {
            const light = (colour) => {
                const [r, g, b] = colour.match(/[\\d.]+/g).map(Number);
                return (0.299 * r + 0.587 * g + 0.114 * b) / 255;
            };
            const text = document.querySelector("article p, article h1");
            return [getComputedStyle(document.body).backgroundColor,
                    getComputedStyle(text).color].map(light);
        }"""
    )
    assert colours[0] < 0.25
    assert colours[1] > 0.6
    assert tab.trouble == []


@pytest.mark.parametrize("word", ["gamma", "threshold"])
def test_search_finds(opened, word):
    tab = opened(f"search.html?q={word}")
    tab.wait_for_selector("#search-results li a")
    titles = " ".join(tab.locator("#search-results li").all_inner_texts()).lower()
    assert word in titles
    assert tab.trouble == []


def test_an_old_address_leads_to_the_page_and_its_section(opened):
    tab = opened("guides/first_model.html#in-python")
    tab.wait_for_url("**/guides/train_and_predict.html#in-python")
    # The browser may leave before the old page is whole, which is a request that failed.
    assert [url for url in tab.trouble if not url.endswith("/first_model.html")] == []


def test_the_sitemap_has_every_page_and_no_old_address():
    listed = {
        element.text.lstrip("/")
        for element in ElementTree.parse(SITE / "sitemap.xml").iter()
        if element.tag.endswith("loc")
    }
    assert {
        "index.html",
        "guides/train_and_predict.html",
        "cookbook/06_drift_by_year.html",
    } <= listed
    assert "guides/first_model.html" not in listed
    assert all((SITE / page).is_file() for page in listed)


@pytest.mark.parametrize(
    ("page", "command"),
    [
        ("start/messy_table.html", "--top 50"),
        ("guides/thresholds.html", "recall_at_precision(0.9)"),
        ("guides/thresholds.html", "--alarms 200"),
        ("guides/trust_and_watch.html", "imbtext check"),
        ("guides/labelling.html", "imbtext label"),
    ],
)
def test_each_of_five_jobs_is_one_click_from_the_first_page(page, command):
    assert page in {urldefrag(link)[0] for _, link in parsed(SITE / "index.html").links}
    text = unescape(re.sub(r"<[^>]+>", "", (SITE / page).read_text(encoding="utf-8")))
    assert command in text


def test_a_printed_page_has_the_text_and_no_navigation(opened):
    tab = opened("guides/thresholds.html")
    tab.emulate_media(media="print")
    assert tab.locator("article h1").is_visible()
    for part in (".bd-header", ".bd-sidebar-primary", ".bd-sidebar-secondary"):
        assert not tab.locator(part).first.is_visible()


def test_versions_are_offered(opened):
    tab = opened("guides/thresholds.html")
    tab.locator(".version-switcher__button").first.click()
    assert imbtext.__version__ in tab.locator(".version-switcher__menu").first.inner_text()
    assert tab.trouble == []


def test_a_table_is_sorted_from_the_keyboard(opened):
    tab = opened("results/tables.html")
    heading = tab.locator("table.sortable").first.locator("th").last
    column = heading.evaluate("cell => cell.cellIndex")

    def values():
        cells = tab.locator("table.sortable").first.locator(f"tbody td:nth-child({column + 1})")
        shown = cells.evaluate_all("cells => cells.map(c => c.dataset.value)")
        return [float(value) for value in shown if value is not None]

    before = values()
    heading.locator("button").focus()
    tab.keyboard.press("Enter")
    assert values() == sorted(before)
    tab.keyboard.press("Enter")
    assert values() == sorted(before, reverse=True)
    tab.locator(".table-filter input").first.fill("emco(0.1) very low")
    rows = tab.locator("table.sortable").first.locator("tbody tr:visible")
    shown = rows.all_inner_texts()
    assert 0 < len(shown) < len(before)
    assert all("EMCO(0.1)" in row and "very low" in row for row in shown)
    assert tab.trouble == []


def test_the_chain_is_worked_from_the_keyboard(opened):
    tab = opened("how_emco_works.html", width=360)
    words = tab.locator('[data-emco="words"] button')
    words.nth(1).focus()
    tab.keyboard.press("Enter")
    assert words.nth(1).get_attribute("aria-pressed") == "true"
    assert words.nth(1).inner_text() in tab.locator('[data-emco="transitions-title"]').inner_text()

    summary = tab.locator('[data-emco="words-summary"]')
    reached = summary.inner_text()
    tab.locator('[data-emco="gamma"]').focus()
    tab.keyboard.press("Home")
    assert tab.locator('[data-emco="gamma-value"]').inner_text() == "0.00"
    assert summary.inner_text() != reached

    tab.locator('[data-emco="draw"]').focus()
    tab.keyboard.press("Space")
    tab.wait_for_selector('[data-emco="drawn"] li')

    box = tab.locator('[data-emco="minority"]')
    box.fill("")
    assert tab.locator('[data-emco="problem"]').is_visible()
    box.press_sequentially("tin mine")
    assert "tin" in words.all_inner_texts()
    assert tab.trouble == []
