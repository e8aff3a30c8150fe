"""A real browser, and pages that fail a test if they complain or ask for anything."""

import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as driver:
        # A busy machine is no failure.
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=300_000)
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser):
    """Open files; at the end, none of them may have logged an error or requested anything."""
    contexts, complaints, requests = [], [], []

    def opened(path, width=1000):
        context = browser.new_context(viewport={"width": width, "height": 800})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None if request.url == path.as_uri() else complaints.append(request.url)
            ),
        )
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
    assert [len(asked) for asked in requests] == [1] * len(requests)
