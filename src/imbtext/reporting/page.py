"""Pages as one HTML file that needs nothing else: no network, no other file, no server.

Jinja2 escapes whatever a template prints, and characters that cannot be seen are shown by their
code, so a template has nothing to remember. A page allows its own script, by its hash, and nothing
else: even if a document got markup past the escaping, the browser would neither run it nor load
anything.
"""

import base64
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from imbtext._extras import require
from imbtext.reporting.escaping import visible

if TYPE_CHECKING:
    from jinja2 import Environment


def environment(package: str) -> "Environment":
    """Return the templates that lie in the folder ``templates`` of a package.

    Besides Jinja2's own there are three filters: ``bdi`` keeps a text from changing the direction
    of what stands around it, ``lines`` keeps line breaks (for code), and ``svg`` lets a picture of
    our own making through.
    """
    jinja2 = require("jinja2")
    made = jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    markup = require("markupsafe").Markup

    def bdi(text: Any) -> Any:
        return markup("<bdi>{}</bdi>").format(visible(str(text)))

    def lines(text: str) -> Any:
        return markup("\n").join(visible(line) for line in text.split("\n"))

    made.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "allow_nan": False,
        "separators": (",", ":"),
    }
    made.filters |= {"bdi": bdi, "lines": lines, "svg": markup}
    return made


def render_page(package: str, template: str, style: str, script: str, **context: Any) -> str:
    """Return a page from a template of `package`, with its style, script and policy inside.

    `style` and `script` name files in the package. The template prints their contents in elements
    of their own, and `policy` as the content of the Content-Security-Policy.
    """
    folder = files(package)
    css = (folder / style).read_text(encoding="utf-8")
    code = (folder / script).read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    markup = require("markupsafe").Markup
    return (
        environment(package)
        .get_template(template)
        .render(style=markup(css), script=markup(code), policy=policy, **context)
    )
