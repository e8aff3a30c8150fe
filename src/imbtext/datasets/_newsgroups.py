"""20 Newsgroups by date, through scikit-learn's own fetcher."""

import contextlib
import io
import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from imbtext._data_folders import cache_folder
from imbtext.datasets._cache import enter, evicted_if_damaged, find
from imbtext.datasets._dataset import (
    DamagedDataError,
    TextDataset,
    refuse_unless_known,
)
from imbtext.documents._documents import content_checksum

if TYPE_CHECKING:
    from sklearn.utils import Bunch

CACHED = "scikit_learn_data/20news-bydate_py3.pkz"
N_TRAIN, N_TEST, N_CLASSES = 11_314, 7_532, 20
CONTENT = "19fde62c8416a1b72ab27b08fd39506106daee519408d8397c67ab43f56d1628"
PARTS = ("headers", "footers", "quotes")


def load_20newsgroups(
    *,
    remove: Collection[str] = PARTS,
    data_home: str | os.PathLike[str] | None = None,
    verify: bool = True,
) -> TextDataset:
    """Load 20 Newsgroups by date: 11,314 training and 7,532 test messages, 20 classes.

    Messages that `remove` leaves empty stay in, as empty texts.

    Parameters
    ----------
    remove : collection of {"headers", "footers", "quotes"}, default=all three
        What scikit-learn strips from the messages. The paper strips all three.
    data_home : path, default=None
        Folder that holds ``scikit_learn_data/20news-bydate_py3.pkz``. By default
        ``IMBTEXT_DATA``, then scikit-learn's own data folder, then the cache, which
        scikit-learn's fetcher fills by a download of 14 MB the first time.
    verify : bool, default=True
        Refuse a copy whose content was changed. Counts are checked in any case.

    Notes
    -----
    scikit-learn's cache file is a pickle: point `data_home` only at files you trust.

    Examples
    --------
    >>> newsgroups = load_20newsgroups()  # doctest: +SKIP
    >>> newsgroups  # doctest: +SKIP
    TextDataset('20newsgroups': 18846 documents, 20 classes, 11314 train and 7532 test)
    """
    if isinstance(remove, str) or not set(remove) <= set(PARTS):
        raise ValueError(f"remove is {remove!r}; give a subset of {PARTS}")
    source = find((CACHED,), data_home) or _in_scikit_learns_folder()
    if source is None:
        source = enter(cache_folder() / CACHED, _download)
    with evicted_if_damaged(source):
        raw = {part: _fetch(source, part, ()) for part in ("train", "test")}
        train, test = raw["train"], raw["test"]
        classes = tuple(train.target_names)
        sizes = (len(train.data), len(test.data), len(classes))
        if sizes != (N_TRAIN, N_TEST, N_CLASSES):
            raise DamagedDataError(
                f"{source} holds {sizes[0]} training and {sizes[1]} test messages in {sizes[2]} "
                f"classes; 20 Newsgroups by date has {N_TRAIN}, {N_TEST} and {N_CLASSES}: "
                f"remove the file and load again"
            )
        labels = [classes[target] for target in np.concatenate([train.target, test.target])]
        # Sorted: the order within scikit-learn's file may change with its version.
        messages = sorted(zip(train.data + test.data, labels, strict=True))
        checksum = content_checksum(*zip(*messages, strict=True))
        refuse_unless_known("20 Newsgroups", checksum, CONTENT, source, verify=verify)
    texts = train.data + test.data
    if remove:
        stripped = [_fetch(source, part, tuple(remove)).data for part in ("train", "test")]
        texts = stripped[0] + stripped[1]
    return TextDataset(
        name="20newsgroups",
        texts=texts,
        labels=labels,
        classes=tuple(sorted(classes)),
        train=np.arange(N_TRAIN),
        test=np.arange(N_TRAIN, N_TRAIN + N_TEST),
        description=(
            "Messages to 20 Usenet groups, split by date"
            + (f", without {', '.join(sorted(remove))}" if remove else "")
        ),
        citation=(
            "Ken Lang. NewsWeeder: Learning to filter netnews. Proceedings of the 12th "
            "International Conference on Machine Learning, 331-339, 1995"
        ),
        license_note=(
            "Public Usenet messages collected for research (UCI and Jason Rennie's page); no "
            "licence is stated, rights stay with the authors of the messages."
        ),
        checksum=checksum,
    )


def _in_scikit_learns_folder() -> Path | None:
    """Return the file in scikit-learn's data folder, without creating that folder."""
    folder = Path(os.environ.get("SCIKIT_LEARN_DATA", "~/scikit_learn_data")).expanduser()
    path = folder / Path(CACHED).name
    return path if path.is_file() else None


def _download(folder: Path) -> Path:
    """Let scikit-learn download: it writes its file in place, so not into the cache itself."""
    from sklearn.datasets import fetch_20newsgroups

    name = Path(CACHED).name
    try:
        fetch_20newsgroups(data_home=folder, subset="train", n_retries=2)
    except OSError as error:
        raise OSError(
            f"cannot download 20 Newsgroups with scikit-learn's fetcher ({error}); run "
            f"sklearn.datasets.fetch_20newsgroups() where there is a network and put {name} at "
            f"{cache_folder() / CACHED}"
        ) from error
    return folder / name


def _fetch(source: Path, subset: str, remove: tuple[str, ...]) -> "Bunch":
    from sklearn.datasets import fetch_20newsgroups

    # scikit-learn prints why it cannot read its file, then says that there is none.
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            return fetch_20newsgroups(
                data_home=source.parent,
                subset=subset,
                remove=remove,
                shuffle=False,
                download_if_missing=False,
            )
    except OSError as error:
        reason = printed.getvalue().strip().splitlines()[-1:] or [str(error)]
        raise DamagedDataError(
            f"{source} is not a complete copy of 20 Newsgroups as scikit-learn caches it "
            f"({reason[0]}); remove it and load again"
        ) from error
