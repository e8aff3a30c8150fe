"""Writes the API reference before the build: a page per public room, a stub per public name."""

import importlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import imbtext

if TYPE_CHECKING:  # tests of the pages need no Sphinx
    from sphinx.application import Sphinx

PAGES = Path(__file__).parents[1] / "reference" / "api"


@cache
def public_rooms() -> list[str]:
    """Return the modules that users import from: those that ``dir(imbtext)`` shows.

    A room that needs an extra is left out where the site is built without it.
    """
    names = [name for name in dir(imbtext) if find_spec(f"imbtext.{name}") is not None]
    return ["imbtext", *(f"imbtext.{name}" for name in names if _is_importable(f"imbtext.{name}"))]


def public_names(room: str) -> list[str]:
    """Return what is listed under a room: what it exports, and no other room lists."""
    return [name for name in _exported(room) if _listed_in(room, name) == room]


def _exported(room: str) -> list[str]:
    return [name for name in importlib.import_module(room).__all__ if not name.startswith("__")]


def _listed_in(room: str, name: str) -> str:
    # The package itself comes first, then the room where a name is defined.
    value = getattr(importlib.import_module(room), name)
    home = ".".join(getattr(value, "__module__", room).split(".")[:2])
    for other in ("imbtext", home):
        listed = other in public_rooms() and name in _exported(other)
        if listed and getattr(importlib.import_module(other), name) is value:
            return other
    return room


def _is_importable(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def write_pages(*_: object) -> None:
    """Write the pages; a page that has not changed is left alone, so that caches hold."""
    PAGES.mkdir(parents=True, exist_ok=True)
    rooms = public_rooms()
    stubs = {f"{room}.{name}.rst" for room in rooms for name in public_names(room)}
    for old in {*PAGES.glob("generated/*.rst"), *PAGES.glob("*.md")}:
        if old.name not in stubs and old.stem not in (*rooms, "index"):
            old.unlink()
    about = {room: " ".join(_first_paragraph(room).split()) for room in rooms}
    for room in rooms:
        lines = [f"# {room}", "", about[room], "", "```{eval-rst}"]
        lines += [f".. currentmodule:: {room}", ""]
        lines += [".. autosummary::", "   :toctree: generated", ""]
        lines += [f"   {name}" for name in public_names(room)] + ["```", ""]
        elsewhere = {name: _listed_in(room, name) for name in _exported(room)}
        links = [f"{{py:obj}}`{home}.{name}`" for name, home in elsewhere.items() if home != room]
        if links:
            lines += [f"Also exported here: {', '.join(links)}.", ""]
        _write(PAGES / f"{room}.md", "\n".join(lines))
    index = ["# API reference", "", "Every public name, by the module that you import it from.", ""]
    index += [f"* [{room}]({room}.md): {about[room]}" for room in rooms]
    index += ["", "```{toctree}", ":hidden:", "", *rooms, "```", ""]
    _write(PAGES / "index.md", "\n".join(index))


def _first_paragraph(room: str) -> str:
    return (importlib.import_module(room).__doc__ or "").strip().split("\n\n")[0]


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def setup(app: "Sphinx") -> dict[str, bool]:
    """Write the pages before Sphinx looks for them."""
    app.connect("config-inited", write_pages)
    return {"parallel_read_safe": True}
