"""Excel workbooks to write: a sheet with filters and a header that stays."""

from collections.abc import Mapping, Sequence
from typing import IO, Any

from imbtext._extras import require
from imbtext.tables._batches import Batch, TableWriter
from imbtext.tables._errors import TableError
from imbtext.tables._jsonl import as_cell

_MOST_ROWS, _MOST_CHARACTERS = 1_048_576, 32_767


class ExcelWriter(TableWriter):
    """Writes a workbook; `columns` is the header, added columns included.

    Texts are texts: nothing becomes a formula, a link or a date. Excel has room for 32,767
    characters in a cell, so longer texts are cut.
    """

    def __init__(self, stream: IO[bytes], columns: Sequence[str]) -> None:
        super().__init__(stream)
        self.columns = list(columns)
        workbook: Any = require("xlsxwriter", "excel").Workbook
        self._book = workbook(stream, {"strings_to_formulas": False, "strings_to_urls": False})
        self._sheet = self._book.add_worksheet()
        self._n_rows = 0
        self._write([[name] for name in self.columns])

    def originals(self, batch: Batch, added: Mapping[str, Sequence[object]]) -> None:
        """Write rows of the input."""
        names = self.columns[: len(self.columns) - len(added)]
        self._write([*(batch.values(name) for name in names), *added.values()])

    def new(self, cells: Mapping[str, Sequence[object]]) -> None:
        """Write new rows."""
        n = len(next(iter(cells.values())))
        self._write([cells.get(name, [None] * n) for name in self.columns])

    def close(self) -> None:
        """Write the workbook."""
        if self._n_rows > 1:
            self._sheet.autofilter(0, 0, self._n_rows - 1, len(self.columns) - 1)
        self._sheet.freeze_panes(1, 0)
        self._book.close()

    def _write(self, columns: Sequence[Sequence[object]]) -> None:
        for row in zip(*columns, strict=True):
            if self._n_rows >= _MOST_ROWS:
                raise TableError(
                    f"a sheet has room for {_MOST_ROWS:,} rows; write CSV or Parquet instead"
                )
            for place, cell in enumerate(row):
                if isinstance(cell, int | float) and not isinstance(cell, bool) and cell == cell:  # noqa: PLR0124
                    self._sheet.write_number(self._n_rows, place, cell)
                elif text := as_cell(cell):
                    self._sheet.write_string(self._n_rows, place, text[:_MOST_CHARACTERS])
            self._n_rows += 1
