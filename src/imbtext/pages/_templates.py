"""The frame of every HTML page: style, escaping, and a policy for scripts.

The templates hold the words and their form. Jinja2 escapes everything that a template prints, and
invisible characters are shown by their code, so templates are safe by default. A page allows its
own script, by its hash, and nothing else: even if a document got markup past the escaping, the
browser would neither run it nor load anything.

A package keeps its templates in its own folder, which is searched before the one of `pages`.
"""

import base64
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from imbtext._extras import require
from imbtext._messages import visible
from imbtext._typing import Record

if TYPE_CHECKING:
    from jinja2 import Environment

_PACKAGE: Final = "imbtext.pages"


def page_frame(script: str = "") -> Record:
    """Return the variables for the head of a page with this script."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"'sha256-{digest}'" if script else "'none'"
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    style = (files(_PACKAGE) / "page.css").read_text(encoding="utf-8")
    return {"style": style, "script": script, "policy": policy}


def templates(package: str = _PACKAGE) -> "Environment":
    """Return the templates of a package and of this one, with three filters besides Jinja2's own.

    ``bdi`` keeps a text from changing the direction of the text around it. ``lines`` keeps line
    breaks, for code. ``commands`` also marks each word, so that lines break between words.
    """
    jinja2 = require("jinja2")
    folders = dict.fromkeys([package, _PACKAGE])
    environment: Environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(folder) for folder in folders]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    markup = require("markupsafe").Markup
    environment.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "allow_nan": False,
        "separators": (",", ":"),
    }
    environment.filters |= {
        "bdi": lambda text: markup("<bdi>{}</bdi>").format(visible(str(text))),
        "lines": lambda text: markup("\n").join(map(visible, text.split("\n"))),
        "commands": lambda text: markup("\n").join(
            markup(" ").join(
                markup("<span>{}</span>").format(visible(word)) for word in line.split(" ")
            )
            for line in text.split("\n")
        ),
    }
    return environment
