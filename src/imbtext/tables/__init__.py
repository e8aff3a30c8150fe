"""Tables in files: CSV, JSON lines and Parquet, read and written in batches.

:func:`open_tables` opens files as tables, which are read as batches of Arrow columns in bounded
memory. :func:`read_documents` reads the documents of a file and their labels. Every command reads
through it or, batch by batch, through :class:`DocumentReader`. :func:`table_writer` writes rows in
the format of the input or in another.
"""

from typing import TYPE_CHECKING

from imbtext._names import no_attribute
from imbtext.documents._roles import Roles
from imbtext.tables._documents import read_documents
from imbtext.tables._errors import TableError, TableWarning
from imbtext.tables._formats import Layout
from imbtext.tables._opening import open_tables
from imbtext.tables._rules import LabelRules

__all__ = [
    "LabelRules",
    "Layout",
    "Roles",
    "TableError",
    "TableWarning",
    "open_tables",
    "read_documents",
]

if not TYPE_CHECKING:  # types know the names that exist
    __getattr__ = no_attribute(__name__)
