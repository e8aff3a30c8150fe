"""Tables in files: CSV, TSV, JSON lines and Parquet, plain or compressed, or through a pipe.

One reader of documents (:func:`read_documents`) serves every command; :class:`DocumentChecks` is
the same for tables that are read batch by batch.

Internal.
"""

from imbtext.tables._conversion import table_writer, typed
from imbtext.tables._documents import (
    DocumentChecks,
    DocumentColumns,
    LabelledDocuments,
    kind_of_label,
    label_name,
    label_named,
    read_documents,
)
from imbtext.tables._errors import TableError, check_column
from imbtext.tables._formats import Layout, input_file, open_output
from imbtext.tables._opening import open_table, open_tables
from imbtext.tables._parquet import ArrowBatch, ParquetWriter
from imbtext.tables._reading import Batch, TableFile
from imbtext.tables._writing import AddedColumns, RowWriter, row_writer, without_formula

__all__ = [
    "AddedColumns",
    "ArrowBatch",
    "Batch",
    "DocumentChecks",
    "DocumentColumns",
    "LabelledDocuments",
    "Layout",
    "ParquetWriter",
    "RowWriter",
    "TableError",
    "TableFile",
    "check_column",
    "input_file",
    "kind_of_label",
    "label_name",
    "label_named",
    "open_output",
    "open_table",
    "open_tables",
    "read_documents",
    "row_writer",
    "table_writer",
    "typed",
    "without_formula",
]
