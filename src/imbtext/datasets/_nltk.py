"""NLTK's data: Reuters-21578 as ApteMod, and the English stopwords.

The articles are newswire in 90 classes, several per article; the stopwords are the 179 that the
paper used.
"""

import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from imbtext.datasets._cache import RemoteFile, matches, obtain
from imbtext.datasets._dataset import (
    DamagedDataError,
    TextDataset,
    TextKind,
    check_text_kind,
    refuse_unless_known,
    whole_copy_of,
)
from imbtext.documents._documents import content_checksum

# A fixed commit of nltk/nltk_data: later versions of the English stopwords have more words.
_PACKAGES = (
    "https://raw.githubusercontent.com/nltk/nltk_data/"
    "005569f5d91002697c5dfd5bced624209af0b3bb/packages/corpora/"
)
_REUTERS = RemoteFile(
    path="nltk_data/corpora/reuters.zip",
    url=f"{_PACKAGES}reuters.zip",
    checksum="md5:c2acb24d5cccf8035e0fe8d29f440a68",  # as NLTK's index.xml states it
)
_STOPWORDS = RemoteFile(
    path="nltk_data/corpora/stopwords.zip",
    url=f"{_PACKAGES}stopwords.zip",
    checksum="sha256:15c94179887425ca1bedc265608cab9f27d650211f709bb929e320990a4b01d1",
)
N_TRAIN, N_TEST, N_CLASSES, N_STOPWORDS = 7_769, 3_019, 90, 179
# Content rebuilt from the original SGML distribution in NLTK's layout.
_REUTERS_CONTENT = "dbac00a370b5143b1b6716be73932aa3783b7bb5f4979128690b3caa8c741930"
_STOPWORDS_CONTENT = "762777c1dabb305941bd44b7ec45a7196a0fd258ab094ba1bd4ff30f93e1238d"


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
    source = obtain(_REUTERS, data_home=data_home, quiet=quiet)
    with whole_copy_of("Reuters-21578", source), _opened(source) as (names, read):
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
    sizes = (len(train), len(test), len(classes))
    if sizes != (N_TRAIN, N_TEST, N_CLASSES):
        raise DamagedDataError(
            f"{source} holds {sizes[0]} training and {sizes[1]} test articles in {sizes[2]} "
            f"classes; Reuters-21578 has {N_TRAIN}, {N_TEST} and {N_CLASSES}: the copy is "
            f"not complete, so download it again"
        )
    checksum = content_checksum(
        train + test, articles, [" ".join(sorted(label)) for label in labels]
    )
    if not (source.is_file() and matches(source, _REUTERS.checksum)):
        refuse_unless_known("Reuters-21578", checksum, _REUTERS_CONTENT, source, verify=verify)
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


def load_stopwords(
    *, data_home: str | os.PathLike[str] | None = None, quiet: bool = False
) -> frozenset[str]:
    """Load the 179 English stopwords of the paper's preprocessing.

    Parameters
    ----------
    data_home : path, default=None
        Folder that holds ``nltk_data/corpora/stopwords.zip`` (or it unpacked). By default
        ``IMBTEXT_DATA``, then the cache, filled by a download of 34 kB the first time.
    quiet : bool, default=False
        Show no progress while downloading.

    Examples
    --------
    >>> "the" in load_stopwords()  # doctest: +SKIP
    True
    """
    source = obtain(_STOPWORDS, data_home=data_home, quiet=quiet)
    with whole_copy_of("NLTK's stopwords", source), _opened(source) as (_, read):
        raw = read("english")
    words = raw.decode("utf-8", "replace").split()
    if content_checksum(sorted(words)) != _STOPWORDS_CONTENT:
        raise DamagedDataError(
            f"{source} holds {len(words)} English stopwords, not the {N_STOPWORDS} that the paper "
            f"used (NLTK has since changed its list); move the file away, and leave data_home and "
            f"IMBTEXT_DATA unset to download the right version from {_STOPWORDS.url}"
        )
    return frozenset(words)


@contextmanager
def _opened(source: Path) -> Iterator[tuple[list[str], Callable[[str], bytes]]]:
    """Give the names of a package's files and what reads one, for an archive or a folder."""
    if source.is_dir():
        names = [path.relative_to(source).as_posix() for path in source.rglob("*")]
        yield names, lambda name: (source / name).read_bytes()
    else:
        with zipfile.ZipFile(source) as archive:
            prefix = f"{source.stem}/"
            names = [name.removeprefix(prefix) for name in archive.namelist()]
            yield names, lambda name: archive.read(prefix + name)
