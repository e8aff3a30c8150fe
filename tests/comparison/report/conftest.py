"""Pages that fail a test if they complain or ask for anything."""

import pytest


@pytest.fixture
def open_page(browser):
    """Open files; at the end, none of them may have logged an error or requested anything."""
    contexts, complaints = [], []

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
