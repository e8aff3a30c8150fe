"""Tables in files: CSV, TSV, JSON lines and Parquet, plain or compressed, or through a pipe.

One reader of documents (:func:`read_documents`) serves every command; :class:`DocumentChecks` is
the same for tables that are read batch by batch.

Internal.
"""

from imbtext.tabular.columns import check_column
from imbtext.tabular.conversion import FrameWriter, typed
from imbtext.tabular.documents import (
    DocumentChecks,
    DocumentColumns,
    LabelledDocuments,
    document_batches,
    kind_of_label,
    label_name,
    label_named,
    read_documents,
)
from imbtext.tabular.errors import TableError
from imbtext.tabular.formats import FORMATS, input_file, open_output
from imbtext.tabular.frames import Table, open_table, read_frame, read_table, write_frame
from imbtext.tabular.layout import Layout
from imbtext.tabular.parquet import ParquetTable, ParquetWriter, one_schema
from imbtext.tabular.reading import Batch, CsvTable, JsonTable
from imbtext.tabular.sources import open_tables, source_files
from imbtext.tabular.writing import RowWriter, row_writer, without_formula

__all__ = [
    "FORMATS",
    "Batch",
    "CsvTable",
    "DocumentChecks",
    "DocumentColumns",
    "FrameWriter",
    "JsonTable",
    "LabelledDocuments",
    "Layout",
    "ParquetTable",
    "ParquetWriter",
    "RowWriter",
    "Table",
    "TableError",
    "check_column",
    "document_batches",
    "input_file",
    "kind_of_label",
    "label_name",
    "label_named",
    "one_schema",
    "open_output",
    "open_table",
    "open_tables",
    "read_documents",
    "read_frame",
    "read_table",
    "row_writer",
    "source_files",
    "typed",
    "without_formula",
    "write_frame",
]
