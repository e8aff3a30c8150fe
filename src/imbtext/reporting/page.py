"""A report as one HTML file that needs nothing else: no network, no other file, no server."""

import base64
import hashlib
from importlib.resources import files
from os import PathLike
from pathlib import Path

from imbtext.comparison._result import Comparison
from imbtext.reporting import sections, tables
from imbtext.reporting.escaping import escaped
from imbtext.tabular import output_file


def report_html(comparison: Comparison) -> str:
    """Return the report of a comparison as a page.

    The page allows its own script, by its hash, and nothing else: even if a document got markup
    past the escaping, the browser would neither run it nor load anything.

    Parameters
    ----------
    comparison : Comparison
        What `imbtext.comparison.compare` returned.
    """
    folder = files("imbtext.reporting")
    css = (folder / "report.css").read_text(encoding="utf-8")
    script = (folder / "report.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    classes = comparison.settings.classes
    title = escaped(classes[0]) if len(classes) == 1 else f"{len(classes)} rare classes"
    body = "\n".join(
        [
            sections.facts(comparison),
            sections.advice(comparison),
            sections.warnings(comparison),
            tables.method_table(comparison),
            tables.class_table(comparison),
            sections.recall_precision(comparison),
            sections.gamma(comparison),
            sections.growth(comparison),
            sections.balance(comparison),
            sections.method_of_measurement(comparison),
        ]
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Finding {title}: does oversampling help?</title>
<style>{css}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<main id="main">
<p class="soft">imbalanced-text, a comparison on your own documents</p>
<h1>{sections.heading(comparison)}</h1>
{body}
</main>
<script>{script}</script>
</body>
</html>
"""


def write_report(comparison: Comparison, path: str | PathLike[str]) -> None:
    """Write the report of a comparison, whole or not at all."""
    page = report_html(comparison)
    with output_file(Path(path)) as partial:
        partial.write_text(page, encoding="utf-8")
