"""What a user gives: documents in any container, their labels, and folds.

Every other package reads documents through this one.
"""

from typing import TYPE_CHECKING

from imbtext._names import no_attribute
from imbtext.documents._corpus import Corpus
from imbtext.documents._documents import Documents as Documents
from imbtext.documents._roles import Roles as Roles
from imbtext.documents._tokenization import Tokenizer as Tokenizer
from imbtext.documents._tokenization import (
    encode_texts,
    unicode_words,
    words_and_characters,
)
from imbtext.documents._tokenization import extract_words as extract_words

__all__ = [
    "Corpus",
    "encode_texts",
    "unicode_words",
    "words_and_characters",
]

if not TYPE_CHECKING:  # types know the names that exist
    __getattr__ = no_attribute(__name__)
