"""The paper's data sets and the embedded docstrings corpus, all in one form.

Reuters-21578, HuffPost and 20 Newsgroups are fetched once into a cache (``IMBTEXT_CACHE``) or read
from a folder that already holds them (``data_home`` or ``IMBTEXT_DATA``); `load_docstrings` needs
neither network nor files.
"""

from imbtext._data_folders import cache_folder
from imbtext.datasets._dataset import DamagedDataError, TextDataset
from imbtext.datasets._docstrings import load_docstrings
from imbtext.datasets._huffpost import load_huffpost
from imbtext.datasets._newsgroups import load_20newsgroups
from imbtext.datasets._nltk import load_reuters, load_stopwords

__all__ = [
    "DamagedDataError",
    "TextDataset",
    "cache_folder",
    "load_20newsgroups",
    "load_docstrings",
    "load_huffpost",
    "load_reuters",
    "load_stopwords",
]
