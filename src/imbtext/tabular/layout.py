"""How a table is written: as told, by the name of its file, or by how it begins."""

from dataclasses import dataclass
from pathlib import Path

from imbtext.tabular.errors import TableError
from imbtext.tabular.formats import (
    SUFFIXES,
    Format,
    check_format,
    format_by_content,
    format_by_name,
    is_compression,
)


@dataclass(frozen=True)
class Layout:
    r"""How a table is written; what is None is found out from the file.

    Attributes
    ----------
    format : {"csv", "tsv", "jsonl", "parquet"} or None
        The format.
    delimiter : str or None
        What separates the cells of CSV and TSV files; ``"tab"`` is a tab.
    quotes : bool
        Whether a cell that begins with a quotation mark ends with one (CSV and TSV).
    encoding : str
        The character encoding (all but Parquet).

    Examples
    --------
    >>> Layout().settled(Path("train.tsv"))
    Layout(format='tsv', delimiter='\t', quotes=True, encoding='utf-8')
    >>> Layout(delimiter="tab").settled(Path("train.csv")).delimiter
    '\t'
    """

    format: str | None = None
    delimiter: str | None = None
    quotes: bool = True
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        if self.format is not None:
            object.__setattr__(self, "format", check_format(self.format))
        if self.delimiter is not None:
            delimiter = {"tab": "\t", "\\t": "\t"}.get(self.delimiter, self.delimiter)
            if len(delimiter) != 1 or delimiter in '"\r\n':
                raise TableError(
                    f"the delimiter {delimiter!r} is not one character; give one, such as ';' or "
                    f"'tab'"
                )
            object.__setattr__(self, "delimiter", delimiter)

    @property
    def separator(self) -> str:
        """What separates cells, once the format is known."""
        return self.delimiter or ("\t" if self.format == "tsv" else ",")

    def settled(self, path: Path, name: Path | None = None) -> "Layout":
        """Return the layout of an existing file, which `name` calls where it is a copy."""
        found = self.format or format_by_name(name or path) or format_by_content(path)
        return self._with(found)

    def for_output(self, path: Path, source: "Layout") -> "Layout":
        """Return the layout of a file to write: as told, by its name, else as the input's.

        The output is always UTF-8.
        """
        found = self.format or format_by_name(path)
        if found is None:
            ending = path.suffix
            if ending and not is_compression(ending):
                raise TableError(
                    f"cannot tell from the ending {ending!r} of {path} which format to write; end "
                    f"the name in {', '.join(SUFFIXES)} (and .gz, .bz2, .xz or .zst to compress), "
                    f"or say the format"
                )
            found = source.format
        if found == source.format:
            return Layout(found, source.delimiter, source.quotes)
        return Layout(found, self.delimiter)._with(found)

    def _with(self, found: "str | Format | None") -> "Layout":
        given = Layout(found, self.delimiter, self.quotes, self.encoding)
        return Layout(found, given.separator, self.quotes, self.encoding)
