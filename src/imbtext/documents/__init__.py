"""What a user gives: documents in any container, their labels, and folds.

Every other room reads documents through this one.
"""

from typing import TYPE_CHECKING

from imbtext._names import no_attribute
from imbtext.documents._containers import are_texts as are_texts
from imbtext.documents._containers import check_names as check_names
from imbtext.documents._containers import rows_of as rows_of
from imbtext.documents._corpus import UNSPACED as UNSPACED
from imbtext.documents._corpus import Corpus
from imbtext.documents._corpus import numbered as numbered
from imbtext.documents._corpus import offsets_of as offsets_of
from imbtext.documents._documents import Documents as Documents
from imbtext.documents._documents import content_checksum as content_checksum
from imbtext.documents._duplicates import duplicate_notes as duplicate_notes
from imbtext.documents._duplicates import group_codes as group_codes
from imbtext.documents._duplicates import near_copies as near_copies
from imbtext.documents._duplicates import near_duplicate_groups as near_duplicate_groups
from imbtext.documents._folds import Folds as Folds
from imbtext.documents._folds import assign_folds as assign_folds
from imbtext.documents._folds import assign_periods as assign_periods
from imbtext.documents._folds import deal_folds as deal_folds
from imbtext.documents._folds import tuning_folds as tuning_folds
from imbtext.documents._label_names import check_one_kind as check_one_kind
from imbtext.documents._label_names import class_or_not as class_or_not
from imbtext.documents._label_names import is_no_label as is_no_label
from imbtext.documents._label_names import label_name as label_name
from imbtext.documents._label_names import label_named as label_named
from imbtext.documents._label_names import look_alikes as look_alikes
from imbtext.documents._label_names import placeholders as placeholders
from imbtext.documents._labels import Labels as Labels
from imbtext.documents._labels import OneVsRest as OneVsRest
from imbtext.documents._labels import label_array as label_array
from imbtext.documents._labels import read_groups as read_groups
from imbtext.documents._labels import read_weights as read_weights
from imbtext.documents._labels import several_labels as several_labels
from imbtext.documents._languages import STEMMED as STEMMED
from imbtext.documents._languages import WITHOUT_STEMS as WITHOUT_STEMS
from imbtext.documents._languages import count_languages as count_languages
from imbtext.documents._languages import language_of_each as language_of_each
from imbtext.documents._languages import languages_found as languages_found
from imbtext.documents._periods import Periods as Periods
from imbtext.documents._periods import cut_periods as cut_periods
from imbtext.documents._periods import read_times as read_times
from imbtext.documents._roles import Roles as Roles
from imbtext.documents._table_rows import TableDocument as TableDocument
from imbtext.documents._table_rows import is_table_row as is_table_row
from imbtext.documents._table_rows import table_of_cells as table_of_cells
from imbtext.documents._tokenization import DEFAULT_WORDS as DEFAULT_WORDS
from imbtext.documents._tokenization import Tokenizer as Tokenizer
from imbtext.documents._tokenization import (
    encode_texts,
    unicode_words,
    words_and_characters,
)
from imbtext.documents._tokenization import extract_words as extract_words
from imbtext.documents._tokenization import has_words as has_words
from imbtext.documents._tokenization import is_missing as is_missing

__all__ = [
    "Corpus",
    "encode_texts",
    "unicode_words",
    "words_and_characters",
]

if not TYPE_CHECKING:  # types know the names that exist
    __getattr__ = no_attribute(__name__)
