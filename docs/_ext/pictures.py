"""Makes the example report and card of the first page, and pictures of them.

The directive ``example-result`` says what the report says, and ``pictures`` shows the pictures. All
of it is made by commands that a reader would type, from the table that ``tickets.py`` writes, into
``docs/made/example/``. Pictures of pages need Chromium and playwright: without them ``pictures``
links to the pages, and nothing warns.
"""

import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape, unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from for_machines import note
from ran_by_the_build import DOCS, TICKETS, run_command
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

EXAMPLE = DOCS / "made" / "example"
PACKAGE = DOCS.parent / "src" / "imbtext"
READ = "--delimiter ';' --text subject --text body --label fraud"
CLASS = "--class yes --class YES --class ' yes' --one-class"
TRAIN = f"imbtext train tickets.csv {READ} \\\n    {CLASS} -o fraud.model"
PREDICT = (
    "imbtext predict fraud.model june.csv --delimiter ';' \\\n    --alarms 20 --top 20 -o queue.csv"
)
PROMISE = TICKETS.with_name("promise.py")
KEEP = "python promise.py clean.csv"
# Every remedy that costs nothing takes part: the headline names the best of them.
COMPARE = (
    "imbtext compare clean.csv --text subject --text body --label topic --class fraud --id id "
    "--methods 'plain,class-weight,threshold,characters,emco(0.1),RareTextClassifier' --repeats 1 "
    "--report report.html"
)
# What is shown, in this order: name, title, where the picture leads, what it shows.
SHOWN = (
    (
        "report",
        "The report",
        "example/report.html",
        "What helps on your documents, and the documents behind the numbers.",
    ),
    (
        "terminal",
        "The terminal",
        "start/messy_table.html",
        "A model and a queue to read, each in one command.",
    ),
    (
        "labelling",
        "The labelling page",
        "guides/labelling.html",
        "No labels yet? It offers the document most likely to matter.",
    ),
    ("card", "The model's card", "example/card.html", "What is in a model, and what to expect."),
)
# The terminal of rich without the fonts that it would fetch from elsewhere.
TERMINAL = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, monospace;
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}"
height="{terminal_height}"/></clipPath>{lines}</defs>{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g></svg>
"""


class ExampleResult(SphinxDirective):
    """Say what a model promised and what it found, and what the report says."""

    def run(self) -> list[nodes.Node]:
        """Return the promise, the result and where they come from, as HTML."""
        self.env.note_dependency(str(EXAMPLE / "made_from.txt"))
        report = (EXAMPLE / "report.html").read_text(encoding="utf-8")
        sentence = re.search(
            r"Finds (\d+ of the \d+) .+? \((.+?)\); (\d+ of \d+) alarms are right \((.+?)\)\.",
            re.sub(r"</?span[^>]*>", "", report),
        )
        n_documents = re.search(r"of ([\d,]+) documents", report)
        if sentence is None or n_documents is None:
            raise self.error("the sentence with the report's result has changed")
        found, found_beside, right, right_beside = sentence.groups()
        recall, precision, came = (EXAMPLE / "promise.txt").read_text("utf-8").splitlines()
        said = "".join(f"<br>{escape(sentence)}" for sentence in (recall, precision))
        html = f"""\
<p><strong>Before it saw the tickets of May, it said:</strong>{said}</p>
<p><strong>In May</strong> {escape(came)}</p>
<p><strong>Beside what costs nothing</strong>, on {n_documents.group(1)} tickets, each scored by a
model that had not seen it:</p>
<p class="result"><strong>{found.replace("the ", "")}</strong> fraud reports found
({found_beside})</p>
<p class="result"><strong>{right}</strong> alarms right ({right_beside})</p>
<p class="result-source">The tickets are invented, and the plain classifier is a linear SVM. In June
a new trick goes around, and <code>imbtext check</code> says that
<a href="start/messy_table.html#is-it-still-good">the promise no longer holds</a>.</p>
<details class="result-source"><summary>The commands that made these numbers</summary>
<pre>{escape(KEEP)}
{escape(COMPARE)}</pre>
<p>The build of this site ran them: <a href="example/clean.csv">clean.csv</a>,
<a href="example/promise.py">promise.py</a>, <a href="example/report.html">report.html</a>.</p>
</details>"""
        lines = html.replace("<br>", "\n").replace("</p>", "\n")
        note(self, unescape(re.sub(r"<[^>]+>", "", lines)))
        return [nodes.raw("", html, format="html")]


class Pictures(SphinxDirective):
    """Show the pictures beside each other, each a link to what it shows."""

    def run(self) -> list[nodes.Node]:
        """Return the strip as HTML; links alone where there are no pictures."""
        self.env.note_dependency(str(EXAMPLE / "made_from.txt"))
        figures = "".join(_figure(*shown) for shown in SHOWN)
        return [nodes.raw("", f'<div class="picture-strip">{figures}</div>', format="html")]


def _figure(name: str, title: str, leads_to: str, about: str) -> str:
    # The picture leads where the title does: one link for those who listen.
    pictures = "".join(
        f'<img src="example/{name}{look}{end}" alt="" loading="lazy" width="960" height="600" '
        f'class="{only}">'
        for look, only in (("-light", "only-light"), ("-dark", "only-dark"), ("", ""))
        for end in (".webp", ".svg")
        if (EXAMPLE / f"{name}{look}{end}").exists()
    )
    return (
        f'<figure><a href="{leads_to}">{pictures}<strong>{escape(title)}</strong></a>'
        f"<figcaption>{escape(about)}</figcaption></figure>"
    )


def make(app: Sphinx) -> None:
    """Make the example, unless it is there and nothing has changed since."""
    stamp = EXAMPLE / "made_from.txt"
    state = _state()
    if stamp.exists() and stamp.read_text() == state:
        return
    shutil.rmtree(EXAMPLE, ignore_errors=True)
    EXAMPLE.mkdir(parents=True)
    if app.builder.name != "html":
        return
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        _make_files(folder)
        for name in ("report.html", "card.html", "clean.csv", PROMISE.name):
            shutil.copy(folder / name, EXAMPLE)
        try:
            _take_pictures(folder)
        except (ImportError, FileNotFoundError) as error:
            logging.getLogger(__name__).info("no pictures of pages: %s", error)
    stamp.write_text(state)


def _state() -> str:
    files = [TICKETS, PROMISE, Path(__file__), *sorted(PACKAGE.rglob("*.*"))]
    # Pictures are taken later if Chromium is installed later.
    digest = hashlib.sha256(b"pictures" if _chromium() else b"links")
    for path in files:
        if path.suffix in (".py", ".js", ".css", ".html", ".jinja", ".j2"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _make_files(folder: Path) -> None:
    shutil.copy(TICKETS, folder)
    shutil.copy(PROMISE, folder)
    _run("python tickets.py", folder)
    screen = "".join(f"$ {command}\n{_run(command, folder)}" for command in (TRAIN, PREDICT))
    _run("imbtext show fraud.model -o card.html", folder)
    _write_clean(folder)
    (EXAMPLE / "promise.txt").write_text(_run(KEEP, folder), encoding="utf-8")
    _run(COMPARE, folder)
    for look in ("light", "dark"):
        (EXAMPLE / f"terminal-{look}.svg").write_text(_terminal(screen, look), encoding="utf-8")


def _write_clean(folder: Path) -> None:
    # As a person would: labels in one spelling, rows without one left out. For the labelling page
    # only the first are labelled.
    import polars as pl

    label = pl.col("fraud").str.strip_chars().str.to_lowercase()
    table = (
        pl.read_csv(folder / "tickets.csv", separator=";")
        .filter(label != "")
        .with_columns(topic=label.replace({"yes": "fraud", "no": "other"}))
    )
    table.write_csv(folder / "clean.csv")
    is_first = pl.int_range(pl.len()) < 600
    table.with_columns(pl.when(is_first).then("topic").alias("topic")).write_csv(
        folder / "to_label.csv"
    )


def _run(command: str, folder: Path) -> str:
    printed, code = run_command(command, folder)
    if code:
        raise RuntimeError(f"{command} ended with {code} and printed {printed}")
    return printed


def _terminal(screen: str, look: str) -> str:
    from rich.console import Console
    from rich.terminal_theme import DIMMED_MONOKAI, SVG_EXPORT_THEME
    from rich.text import Text

    console = Console(record=True, width=92, file=io.StringIO())
    for line in screen.splitlines():
        console.print(Text(line, style="bold" if line.startswith("$") else ""))
    theme = SVG_EXPORT_THEME if look == "dark" else DIMMED_MONOKAI
    svg = console.export_svg(title="imbtext", theme=theme, code_format=TERMINAL, unique_id=look)
    if look == "light":
        svg = svg.replace("#191919", "#ffffff").replace("#b9bcba", "#1f2328")
    return svg


def _take_pictures(folder: Path) -> None:
    from PIL import Image
    from playwright.sync_api import sync_playwright

    chromium = _chromium()
    if chromium is None:
        raise FileNotFoundError("chromium is not installed")
    with sync_playwright() as driver, _labelling_page(folder) as labelling:
        browser = driver.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"], timeout=120_000
        )
        addresses = {
            "report": (EXAMPLE / "report.html").as_uri(),
            "card": (EXAMPLE / "card.html").as_uri(),
            "labelling": labelling,
        }
        for look in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": 960, "height": 600},
                color_scheme=look,
                bypass_csp=True,  # pages let no script in, not even one that waits
            )
            page = context.new_page()
            page.set_default_timeout(120_000)
            for name, address in addresses.items():
                page.goto(address, wait_until="load")
                # The labelling page fills itself; charts move into place.
                page.wait_for_function("document.body.innerText.length > 300")
                page.wait_for_timeout(1000)
                shot: Any = Image.open(io.BytesIO(page.screenshot()))
                shot.save(EXAMPLE / f"{name}-{look}.webp", quality=70, method=6)
            context.close()
        browser.close()


def _chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def _labelling_page(folder: Path) -> Iterator[str]:
    command = (
        "imbtext label to_label.csv --text subject --text body --label topic --class fraud "
        "-o labels.csv --no-browser --labeller you"
    )
    started = subprocess.Popen(
        [sys.executable, "-m", *command.split()],
        cwd=folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert started.stderr is not None
    try:
        lines = []
        for line in started.stderr:
            lines.append(line)
            if found := re.search(r"http://\S+", line):
                yield found.group()
                break
        else:
            raise RuntimeError(f"the labelling page did not start: {''.join(lines)}")
    finally:
        started.terminate()
        started.communicate(timeout=60)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive; the folder is there before Sphinx asks whether it is."""
    EXAMPLE.mkdir(parents=True, exist_ok=True)
    app.add_directive("example-result", ExampleResult)
    app.add_directive("pictures", Pictures)
    app.connect("builder-inited", make)
    return {"parallel_read_safe": True}
