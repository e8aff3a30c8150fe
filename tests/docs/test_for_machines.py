"""llms.txt lists every page, and pages of Markdown lie beside their HTML."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="sphinx is missing: pip install '.[docs]'")
sys.path.append(str(Path(__file__).parents[2] / "docs" / "_ext"))

from for_machines import Listed, as_markdown, as_read, llms_text
from sphinx.application import Sphinx


def test_pages_are_listed_by_folder():
    pages = [
        Listed("index", "Find it", "", True),
        Listed("start/install", "Install", "One command.", True),
        Listed("policy", "What is promised", "", True),
        Listed("guides/serve", "Serving", "A model over HTTP.", True),
        Listed("reference/api/generated/x", "x", "", False),
    ]
    assert llms_text("imbalanced-text", "About.", pages, "https://here/").splitlines() == [
        "# imbalanced-text",
        "",
        "> About.",
        "",
        "## Start",
        "",
        "- [Find it](https://here/index.md)",
        "- [Install](https://here/start/install.md): One command.",
        "",
        "## Guides",
        "",
        "- [Serving](https://here/guides/serve.md): A model over HTTP.",
        "",
        "## Reference",
        "",
        "- [x](https://here/reference/api/generated/x.html)",
        "",
        "## Optional",
        "",
        "- [What is promised](https://here/policy.md)",
    ]


def test_pages_stand_in_the_order_of_the_contents():
    leads_to = {"index": ["start/index", "guides/index"], "start/index": ["start/b", "start/a"]}
    pages = {"index", "start/index", "start/a", "start/b", "guides/index", "nobody_leads_here"}
    assert as_read("index", leads_to, pages) == [
        "index",
        "start/index",
        "start/b",
        "start/a",
        "guides/index",
        "nobody_leads_here",
    ]


@pytest.mark.filterwarnings("default")
def test_a_build_writes_the_list_and_the_markdown(tmp_path):
    source, out = tmp_path / "source", tmp_path / "out"
    (source / "guides").mkdir(parents=True)
    ext = str(Path(__file__).parents[2] / "docs" / "_ext")
    (source / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {ext!r})\nproject = 'toy'\n"
        "extensions = ['myst_parser', 'for_machines']\n"
    )
    page = "# Serving\n\nAt work: a guide.\n\nA model over HTTP.\n\n"
    page += "It answers behind a token, on this machine and on no other.\n"
    (source / "index.md").write_text("# Toy\n\n```{toctree}\nguides/serve\n```\n")
    (source / "guides" / "serve.md").write_text(page)
    Sphinx(source, source, out, out / ".doctrees", "html", status=None, warning=None).build()
    assert (out / "guides" / "serve.md").read_text() == page
    line = "- [Serving](guides/serve.md): A model over HTTP.\n"
    assert line in (out / "llms.txt").read_text()


PAGE = """\
---
html_theme.sidebar_secondary.remove: true
---
# Find {{ n }} documents

{.hero-lead}
See {class}`~imbtext.EMCO` and {func}`imbtext.compare`.

::::{tab-set}
:sync-group: interface

:::{tab-item} Command line
:sync: command

```{terminal}
:exit: 1
$ imbtext check
```
:::
::::

```{toctree}
:hidden:

guides/index
```
```text
a plain block
```
"""


def test_a_copy_has_what_the_build_put_into_the_page():
    copied = as_markdown(
        PAGE, ["```shell\nimbtext check\n```\n\n```text\ndrifted\n```"], {"n": "12"}
    )
    assert (
        copied
        == """\
# Find 12 documents

See `EMCO` and `imbtext.compare`.

**Command line**

```shell
imbtext check
```

```text
drifted
```

```text
a plain block
```
"""
    )
