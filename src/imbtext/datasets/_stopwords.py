"""NLTK's English stopwords, in the version of 179 words that the paper used."""

import os
import zipfile

from imbtext.datasets._cache import RemoteFile, obtain
from imbtext.datasets._dataset import DamagedDataError, content_checksum, whole_copy_of

# Fixed to a commit of nltk/nltk_data: later versions of the English list have more words.
ARCHIVE = RemoteFile(
    path="nltk_data/corpora/stopwords.zip",
    url=(
        "https://raw.githubusercontent.com/nltk/nltk_data/"
        "005569f5d91002697c5dfd5bced624209af0b3bb/packages/corpora/stopwords.zip"
    ),
    checksum="sha256:15c94179887425ca1bedc265608cab9f27d650211f709bb929e320990a4b01d1",
)
UNPACKED = "nltk_data/corpora/stopwords"
N_WORDS = 179
CONTENT = "762777c1dabb305941bd44b7ec45a7196a0fd258ab094ba1bd4ff30f93e1238d"


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
    source = obtain(ARCHIVE, UNPACKED, data_home=data_home, quiet=quiet)
    with whole_copy_of("NLTK's stopwords", source):
        if source.is_dir():
            raw = (source / "english").read_bytes()
        else:
            with zipfile.ZipFile(source) as archive:
                raw = archive.read("stopwords/english")
    words = raw.decode("utf-8", "replace").split()
    if content_checksum(sorted(words)) != CONTENT:
        raise DamagedDataError(
            f"{source} holds {len(words)} English stopwords that are not the {N_WORDS} the paper "
            f"used (NLTK has since changed its list); move the file away, and leave data_home "
            f"and IMBTEXT_DATA unset to fetch the right version from {ARCHIVE.url}"
        )
    return frozenset(words)
