"""HuffPost News Category Dataset, version 3, with 42 classes."""

import gzip
import os
import zipfile
from pathlib import Path

import polars as pl

from imbtext._data_folders import DATA_VARIABLE, cache_folder
from imbtext.datasets._cache import find
from imbtext.datasets._dataset import (
    DamagedDataError,
    TextDataset,
    TextKind,
    check_text_kind,
    refuse_unless_known,
    whole_copy_of,
)
from imbtext.documents._documents import content_checksum

STEM = "News_Category_Dataset_v3.json"
CANDIDATES = (
    f"huffpost/{STEM}",
    f"huffpost/{STEM}.gz",
    f"huffpost/{STEM}.zip",
    "huffpost/archive.zip",
    "huffpost/news-category-dataset.zip",
)
PAGE = "https://www.kaggle.com/datasets/rmisra/news-category-dataset"

N_ROWS, N_DOCUMENTS, N_CLASSES = 209_527, 189_509, 42
CONTENT = "6cdb4a0cb89373259938f63ffe5f0b8cd7faa4a4418319518167833da2a6b80e"
FIELDS = ("headline", "short_description", "category")


def load_huffpost(
    text: TextKind = "titles",
    *,
    data_home: str | os.PathLike[str] | None = None,
    verify: bool = True,
) -> TextDataset:
    """Load the HuffPost News Category Dataset v3: 189,509 of its 209,527 rows, 42 classes.

    As in the paper, a row stays if both its headline and its description contain at least one
    letter a-z (in either case); any alphabetic character instead would keep 13 rows more, whose
    description is a shrug. Rows are in the order of the file; there is no official split.

    No program can download this data set, because Kaggle wants a person to sign in. Download it
    once from https://www.kaggle.com/datasets/rmisra/news-category-dataset and leave it as it is:
    ``.json``, ``.json.gz`` and Kaggle's ``.zip`` can all be read.

    Parameters
    ----------
    text : {"titles", "full"}, default="titles"
        Headlines, or headline and description joined with a space.
    data_home : path, default=None
        Folder that holds ``huffpost/News_Category_Dataset_v3.json``, ``.json.gz`` or ``.zip``.
        By default ``IMBTEXT_DATA``, then the cache.
    verify : bool, default=True
        Refuse a copy whose content was changed. Counts are checked in any case.

    Examples
    --------
    >>> huffpost = load_huffpost("full")  # doctest: +SKIP
    >>> huffpost  # doctest: +SKIP
    TextDataset('huffpost-full': 189509 documents, 42 classes, no official split)
    """
    check_text_kind(text)
    source = find(CANDIDATES, data_home)
    if source is None:
        raise FileNotFoundError(
            f"the HuffPost data set is not on this machine, and no program can download it; sign "
            f"in at {PAGE}, download {STEM} (or the whole .zip) and put it into the folder "
            f"{cache_folder() / 'huffpost'}, or into huffpost/ of the folder that {DATA_VARIABLE} "
            f"or data_home names"
        )
    with whole_copy_of(STEM, source, f"download it again from {PAGE}"):
        rows = (
            pl.read_ndjson(_bytes(source), schema_overrides=dict.fromkeys(FIELDS, pl.String))
            .select(FIELDS)
            .fill_null("")
        )
    if rows.height != N_ROWS or rows["category"].n_unique() != N_CLASSES:
        raise DamagedDataError(
            f"{source} holds {rows.height} rows in {rows['category'].n_unique()} classes; "
            f"version 3 has {N_ROWS} in {N_CLASSES}: the copy is incomplete or of another version, "
            f"so download it again from {PAGE}"
        )
    checksum = content_checksum(*(rows[field].to_list() for field in FIELDS))
    refuse_unless_known("HuffPost v3", checksum, CONTENT, source, verify=verify)

    letters = "[a-zA-Z]"
    kept = rows.filter(
        pl.col("headline").str.contains(letters), pl.col("short_description").str.contains(letters)
    )
    texts = (
        kept["headline"]
        if text == "titles"
        else kept.select(pl.concat_str("headline", "short_description", separator=" ")).to_series()
    )
    labels = kept["category"].to_list()
    return TextDataset(
        name=f"huffpost-{text}",
        texts=texts.to_list(),
        labels=labels,
        classes=tuple(sorted(set(labels))),
        description=(
            "News of HuffPost, 2012 to 2022: "
            + ("headlines only" if text == "titles" else "headline and short description")
        ),
        citation=(
            "Rishabh Misra. News Category Dataset. arXiv:2209.11429, 2022; Rishabh Misra and "
            "Jigyasa Grover. Sculpting Data for ML: The first act of Machine Learning. 2021. "
            "ISBN 9798585463570"
        ),
        license_note="Creative Commons Attribution 4.0 (CC BY 4.0), as stated on its Kaggle page.",
        checksum=checksum,
    )


def _bytes(source: Path) -> bytes:
    """Return the JSON lines in a plain, gzipped or zipped file, recognised by their first bytes."""
    with source.open("rb") as stream:
        magic = stream.read(2)
    if magic == b"PK":
        with zipfile.ZipFile(source) as archive:
            inside = [name for name in archive.namelist() if Path(name).name == STEM]
            if not inside:
                raise KeyError(f"no {STEM} in the archive")
            return archive.read(inside[0])
    if magic == b"\x1f\x8b":
        with gzip.open(source) as unzipped:
            return unzipped.read()
    return source.read_bytes()
