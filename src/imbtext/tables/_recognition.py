"""Recognition of a CSV file's encoding and delimiter from its first bytes.

Excel saves CSV with semicolons and in cp1252 in much of Europe. If such a file was refused, its
reader would have to type the options every time. So both are recognised, a warning says so, and
an option overrules it. The rest of the file must agree with its beginning.
"""

import codecs
import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from imbtext._messages import warn_user
from imbtext.tables._errors import LIKELY_DELIMITERS, TableWarning, typeable
from imbtext.tables._formats import (
    DAMAGE,
    UTF16_STARTS,
    Layout,
    is_binary,
    open_input,
    unmarked_utf16,
    with_mark,
)

_MOST_BYTES: Final = 4 * 1024 * 1024
# A delimiter is looked for in this much of the text, and in these rows of it.
_MOST_CHARACTERS, _MOST_ROWS = 256 * 1024, 100
# In a Western language, this share of the letters outside ASCII stands alone between ASCII.
# Where they stand in words of their own, as in Cyrillic or Chinese, cp1252 would be a wrong guess.
_ALONE: Final = 0.75
# The warnings that were given, one for each folder.
_warned: set[tuple[Path, str]] = set()


def recognised(path: Path, layout: Layout, called: str) -> tuple[Layout, str]:
    """Return the layout of a CSV or TSV file, recognised by its first bytes, and the first lines.

    What the user gave stays. `called` is what messages call the file. If nothing can be read, the
    layout stays as it is, there are no lines, and the reader says what is wrong.
    """
    if layout.encoding is not None and layout.delimiter is not None:
        return layout, ""
    start = b""
    with suppress(*DAMAGE, OSError), open_input(path) as stream:
        start = stream.read(_MOST_BYTES)
    if is_binary(start):
        return layout, ""
    found = layout
    if layout.encoding is None and (encoding := _encoding_of(start)) is not None:
        found = replace(found, encoding=encoding)
    try:
        codec = with_mark(found.codec, start)
        text = codecs.getincrementaldecoder(codec)().decode(start)
    except UnicodeError:
        return layout, ""
    if len(start) == _MOST_BYTES:
        text = text[: text.rfind("\n") + 1]
    if layout.delimiter is None:
        delimiter = _delimiter_of(text[:_MOST_CHARACTERS], found)
        found = replace(found, delimiter=delimiter)
    guessed = []
    if found.delimiter is not None and layout.delimiter is None:
        guessed.append(f"with {typeable(found.separator)!r} between its cells")
    if found.encoding is not None and layout.encoding is None:
        guessed.append(f"as {found.encoding}, for it is not UTF-8")
    if guessed and (key := (path.absolute().parent, str(guessed))) not in _warned:
        _warned.add(key)
        warn_user(f"{called} is read {' and '.join(guessed)}; an option overrules it", TableWarning)
    return found, text


def _encoding_of(start: bytes) -> str | None:
    r"""Return the encoding of a file that begins so; None for UTF-8, or if it is unclear.

    Examples
    --------
    >>> _encoding_of("body\ncafé, déjà vu\n".encode("cp1252"))
    'cp1252'
    >>> _encoding_of("body\n你好\n".encode("gbk")), _encoding_of("body\ncafé".encode())
    (None, None)
    """
    for mark, encoding in UTF16_STARTS.items():
        if start.startswith(mark):
            return encoding
    if (wide := unmarked_utf16(start[:4096])) is not None:
        return wide
    try:  # the last character may be cut
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        with suppress(UnicodeDecodeError):
            text = start.decode("cp1252")
            ascii_around = f" {text} "
            foreign = [i for i, letter in enumerate(text) if not letter.isascii()]
            n_alone = sum(
                ascii_around[i].isascii() and ascii_around[i + 2].isascii() for i in foreign
            )
            if n_alone >= _ALONE * len(foreign):
                return "cp1252"
    return None


def _delimiter_of(text: str, layout: Layout) -> str | None:
    r"""Return what separates the cells, None if it is what the format says, or nothing is clear.

    Examples
    --------
    >>> _delimiter_of("id;body\n1;oil, up\n2;rain\n", Layout("csv"))
    ';'
    >>> _delimiter_of("body\noil; up\n", Layout("csv"))
    """
    if _has_cells(text, layout):
        return None
    others = [d for d in LIKELY_DELIMITERS if d != layout.separator]
    fitting = [d for d in others if _has_cells(text, replace(layout, delimiter=d))]
    return fitting[0] if len(fitting) == 1 else None


def _has_cells(text: str, layout: Layout) -> bool:
    """Return whether a layout cuts all rows into equally many cells, and into more than one."""
    widths = set()
    with suppress(csv.Error):
        for row in _rows(text, layout):
            widths.add(len(row))
    return len(widths) == 1 and widths != {1}


def _rows(text: str, layout: Layout) -> Iterator[list[str]]:
    """Yield the first rows that are whole."""
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=layout.separator,
        quoting=csv.QUOTE_MINIMAL if layout.quotes else csv.QUOTE_NONE,
    )
    rows: list[list[str]] = []
    for row in reader:
        if row and not (row[0].lower().startswith("sep=") and not any(row[1:])):
            rows.append(row)
        if len(rows) > _MOST_ROWS:
            break
    is_cut = len(text) == _MOST_CHARACTERS
    yield from rows[: -1 if is_cut and len(rows) > 1 else None]
