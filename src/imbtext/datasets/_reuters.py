"""Reuters-21578 in NLTK's ApteMod form: newswire articles, 90 classes, several per article."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from imbtext.datasets._cache import RemoteFile, matches, obtain
from imbtext.datasets._dataset import (
    DamagedDataError,
    TextDataset,
    TextKind,
    check_text_kind,
    content_checksum,
    refuse_unless_known,
    whole_copy_of,
)

# A fixed commit of nltk/nltk_data; the checksum is the one its index.xml states.
ARCHIVE = RemoteFile(
    path="nltk_data/corpora/reuters.zip",
    url=(
        "https://raw.githubusercontent.com/nltk/nltk_data/"
        "005569f5d91002697c5dfd5bced624209af0b3bb/packages/corpora/reuters.zip"
    ),
    checksum="md5:c2acb24d5cccf8035e0fe8d29f440a68",
)
UNPACKED = "nltk_data/corpora/reuters"

N_TRAIN, N_TEST, N_CLASSES = 7_769, 3_019, 90

# Content rebuilt from the original SGML distribution in NLTK's layout.
CONTENT = "dbac00a370b5143b1b6716be73932aa3783b7bb5f4979128690b3caa8c741930"


def load_reuters(
    text: TextKind = "titles",
    *,
    data_home: str | os.PathLike[str] | None = None,
    verify: bool = True,
    quiet: bool = False,
) -> TextDataset:
    """Load Reuters-21578, ApteMod: 7,769 training and 3,019 test articles, 90 classes.

    Training articles come first, then test articles, each in the order of NLTK's file names.
    Entities stay as they are in the files, so ``&lt;`` is a token ``lt``, as in the paper.

    Parameters
    ----------
    text : {"titles", "full"}, default="titles"
        Headlines (the first line of each article) or whole articles with their headlines.
    data_home : path, default=None
        Folder that holds ``nltk_data/corpora/reuters.zip`` (or it unpacked). ``data_home="~"``
        finds what ``nltk.download("reuters")`` left. By default ``IMBTEXT_DATA``, then the
        cache, which is filled by a download of 6 MB the first time.
    verify : bool, default=True
        Refuse a copy whose content was changed. Counts are checked in any case.
    quiet : bool, default=False
        Show no progress while downloading.

    Examples
    --------
    >>> reuters = load_reuters()  # doctest: +SKIP
    >>> reuters  # doctest: +SKIP
    TextDataset('reuters-titles': 10788 documents, 90 classes, 7769 train and 3019 test)
    """
    check_text_kind(text)
    source = obtain(ARCHIVE, UNPACKED, data_home=data_home, quiet=quiet)
    with whole_copy_of("Reuters-21578", source):
        names, read = _reader(source)
        lines = read("cats.txt").decode("ascii").splitlines()
        cats = {name: frozenset(cats) for name, *cats in map(str.split, filter(None, lines))}
        train, test = (
            sorted(name for name in names if name.startswith(part) and name in cats)
            for part in ("training/", "test/")
        )
        # ISO-8859-2 is how NLTK reads the corpus; one article is not ASCII.
        articles = [read(name).decode("iso-8859-2") for name in train + test]
    labels = [cats[name] for name in train + test]
    classes = tuple(sorted(frozenset().union(*labels)))
    found = (len(train), len(test), len(classes))
    if found != (N_TRAIN, N_TEST, N_CLASSES):
        raise DamagedDataError(
            f"{source} holds {found[0]} training and {found[1]} test articles in {found[2]} "
            f"classes; Reuters-21578 has {N_TRAIN}, {N_TEST} and {N_CLASSES}: the copy is "
            f"not whole, get a fresh one"
        )
    checksum = content_checksum(
        train + test, articles, [" ".join(sorted(label)) for label in labels]
    )
    if not (source.is_file() and matches(source, ARCHIVE.checksum)):
        refuse_unless_known("Reuters-21578", checksum, CONTENT, source, verify=verify)
    if text == "titles":
        articles = [article.partition("\n")[0] for article in articles]
    return TextDataset(
        name=f"reuters-{text}",
        texts=articles,
        labels=labels,
        classes=classes,
        train=np.arange(N_TRAIN),
        test=np.arange(N_TRAIN, N_TRAIN + N_TEST),
        description=(
            "Reuters newswire articles of 1987, ApteMod split: "
            + ("headlines only" if text == "titles" else "headline and body")
        ),
        citation=(
            "David D. Lewis. Reuters-21578 Text Categorization Collection, Distribution 1.0. "
            "UCI Machine Learning Repository, 1997. doi:10.24432/C52G6M"
        ),
        license_note=(
            "Copyright Reuters Ltd.; free to use for research only. Name the collection "
            "'Reuters-21578, Distribution 1.0' in what you publish."
        ),
        checksum=checksum,
    )


def _reader(source: Path) -> tuple[list[str], Callable[[str], bytes]]:
    """Return the corpus' file names and how to read one, for an archive or a folder."""
    if source.is_dir():
        names = [
            f"{part}/{path.name}"
            for part in ("training", "test")
            for path in (source / part).glob("*")
        ]
        return names, lambda name: (source / name).read_bytes()
    archive = zipfile.ZipFile(source)
    prefix = "reuters/"
    names = [name.removeprefix(prefix) for name in archive.namelist() if not name.endswith("/")]
    return names, lambda name: archive.read(prefix + name)
