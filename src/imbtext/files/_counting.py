"""Counting the documents of files, here or on Dask."""

import os
from collections.abc import Sequence
from pathlib import Path

from imbtext.documents._roles import Roles
from imbtext.files._synthetic import CountedRows
from imbtext.markov._accumulation import CorpusCounts, CountsAccumulator
from imbtext.progress import progress_bar
from imbtext.tables._batches import TableFile
from imbtext.tables._documents import DocumentReader
from imbtext.tables._formats import Layout
from imbtext.tables._opening import name_of_tables, open_tables
from imbtext.tables._rules import LabelRules


def count_files(
    source: str | os.PathLike[str],
    *,
    text: str,
    label: str,
    surface: bool = False,
    rules: LabelRules | None = None,
    layout: Layout | None = None,
    dask: str | None = None,
    quiet: bool = True,
) -> CorpusCounts:
    r"""Count the documents of files. EMCO and MCO learn from the counts alone.

    Use it to learn once and draw often, or to add the counts of files in different places.
    :func:`imbtext.markov.save_counts` saves them, and :meth:`imbtext.EMCO.fit_counts` learns from
    them. Memory grows with the counts, not with the files.

    Parameters
    ----------
    source, text, label, rules, layout, dask, quiet
        As for :func:`oversample_files`. On Dask the workers count, and only the sum of the counts
        comes to this machine.
    surface : bool, default=False
        Whether to count how words are written, too; for samplers with ``surface=True``.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "train.csv"
    >>> _ = path.write_text("body,topic\noil up,oil\noil down,oil\nrain,other\n")
    >>> counts = count_files(path, text="body", label="topic")
    >>> counts.sizes
    {'oil': 2, 'other': 1}
    """
    roles, rules = Roles.of(text, label=label), rules or LabelRules()
    with open_tables(Path(source), layout or Layout()) as tables:
        if dask is None:
            counted = count_tables(tables, roles, rules, surface=surface, quiet=quiet)
        else:
            from imbtext.files._dask import count_tables_on_dask

            counted = count_tables_on_dask(tables, roles, rules, dask, surface=surface, quiet=quiet)
        counted.tally.check(roles, rules, name_of_tables(tables))
        return counted.counts


def count_tables(
    tables: Sequence[TableFile],
    roles: Roles,
    rules: LabelRules,
    *,
    surface: bool = False,
    quiet: bool = True,
) -> CountedRows:
    """Count the documents of tables in this process."""
    reader = DocumentReader(roles, rules)
    accumulator = CountsAccumulator(surface=surface)
    with progress_bar(quiet=quiet) as bar:
        counting = bar.add_task("counting", total=None)
        for documents in reader.read(tables):
            accumulator.add(documents, documents.y)
            bar.advance(counting, len(documents))
    return CountedRows(accumulator.result(), reader.tally)
