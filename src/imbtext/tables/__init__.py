"""Tables in files: CSV, JSON lines and Parquet, read and written in batches.

:func:`open_tables` opens files as tables, which are read as batches of Arrow columns in bounded
memory. :func:`read_documents` reads the documents of a file and their labels. Every command reads
through it or, batch by batch, through :class:`DocumentReader`. :func:`table_writer` writes rows in
the format of the input or in another.
"""

from imbtext.documents import Roles
from imbtext.documents import check_one_kind as check_one_kind
from imbtext.documents import class_or_not as class_or_not
from imbtext.documents import label_name as label_name
from imbtext.documents import label_named as label_named
from imbtext.documents import look_alikes as look_alikes
from imbtext.documents import placeholders as placeholders
from imbtext.tables._batches import AddedColumns as AddedColumns
from imbtext.tables._batches import Batch as Batch
from imbtext.tables._batches import TableFile as TableFile
from imbtext.tables._batches import TableWriter as TableWriter
from imbtext.tables._conversion import new_table_writer as new_table_writer
from imbtext.tables._conversion import table_writer as table_writer
from imbtext.tables._conversion import typed as typed
from imbtext.tables._csv import without_formula as without_formula
from imbtext.tables._documents import DocumentReader as DocumentReader
from imbtext.tables._documents import read_documents
from imbtext.tables._errors import TableError, TableWarning
from imbtext.tables._errors import check_column as check_column
from imbtext.tables._errors import typeable as typeable
from imbtext.tables._formats import Layout
from imbtext.tables._formats import input_file as input_file
from imbtext.tables._formats import open_output as open_output
from imbtext.tables._opening import name_of_tables as name_of_tables
from imbtext.tables._opening import open_table as open_table
from imbtext.tables._opening import open_tables
from imbtext.tables._opening import source_files as source_files
from imbtext.tables._row_tally import RowTally as RowTally
from imbtext.tables._rules import LabelRules
from imbtext.tables._sampling import LabelCounts as LabelCounts
from imbtext.tables._sampling import Sampling as Sampling
from imbtext.tables._sampling import documents_like_these as documents_like_these
from imbtext.tables._sampling import documents_that_fit as documents_that_fit
from imbtext.tables._sampling import key_limit as key_limit
from imbtext.tables._sampling import read_sample as read_sample
from imbtext.tables._sampling import sample_in_words as sample_in_words

__all__ = [
    "LabelRules",
    "Layout",
    "Roles",
    "TableError",
    "TableWarning",
    "open_tables",
    "read_documents",
]
