"""Tables in files: CSV, TSV, JSON lines and Parquet, plain or compressed, or through a pipe."""

from imbtext.tabular.columns import check_column
from imbtext.tabular.formats import FORMATS, input_file, open_output, output_file
from imbtext.tabular.frames import layout_of, read_frame, read_table, write_frame
from imbtext.tabular.reading import Batch, CsvTable, JsonTable, Layout, open_table
from imbtext.tabular.writing import row_writer

__all__ = [
    "FORMATS",
    "Batch",
    "CsvTable",
    "JsonTable",
    "Layout",
    "check_column",
    "input_file",
    "layout_of",
    "open_output",
    "open_table",
    "output_file",
    "read_frame",
    "read_table",
    "row_writer",
    "write_frame",
]
