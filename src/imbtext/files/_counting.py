"""Counting the documents of files, in this process or on workers.

On workers, each file, or each part of a large Parquet file, is a task. Their counts are added up in
a tree where they are, and only the sum comes to this machine.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from imbtext.documents._label_names import check_one_kind
from imbtext.documents._roles import Roles
from imbtext.files._synthetic import CountedRows
from imbtext.markov._accumulation import CorpusCounts, CountsAccumulator
from imbtext.parallel import KeepingPool, Kept, Workers, check_pool
from imbtext.progress import progress_bar
from imbtext.tables._batches import TableFile
from imbtext.tables._documents import DocumentReader
from imbtext.tables._formats import Layout
from imbtext.tables._opening import name_of_tables, open_tables
from imbtext.tables._rules import LabelRules, RowTally

Part = TypeVar("Part")
# Each sum adds this many counts; a tree over a thousand partitions has four levels.
_FAN_IN: Final = 8


def count_files(
    source: str | os.PathLike[str],
    *,
    text: str,
    label: str,
    surface: bool = False,
    rules: LabelRules | None = None,
    layout: Layout | None = None,
    pool: KeepingPool | None = None,
    quiet: bool = True,
) -> CorpusCounts:
    r"""Count the documents of files. EMCO and MCO learn from the counts alone.

    Use it to learn once and draw often, or to add the counts of files in different places.
    :func:`imbtext.markov.save_counts` saves them, and :meth:`imbtext.EMCO.fit_counts` learns from
    them. Memory grows with the counts, not with the files.

    Parameters
    ----------
    source, text, label, rules, layout, pool, quiet
        As for :func:`oversample_files`. The workers of a pool count, and only the sum of the counts
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
    check_pool(pool, keeps=True)
    roles, rules = Roles.of(text, label=label), rules or LabelRules()
    with open_tables(Path(source), layout or Layout()) as tables:
        if pool is None:
            counted = count_tables(tables, roles, rules, surface=surface, quiet=quiet)
        else:
            counted = _count_in_parts(tables, roles, rules, pool, surface=surface, quiet=quiet)
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


def _count_in_parts(
    tables: Sequence[TableFile],
    roles: Roles,
    rules: LabelRules,
    pool: KeepingPool,
    *,
    surface: bool,
    quiet: bool,
) -> CountedRows:
    parts = [[part] for table in tables for part in table.parts()]
    with pool.workers(quiet=quiet) as workers:
        counts = workers.map(
            "count-documents", count_tables, parts, roles=roles, rules=rules, surface=surface
        )
        counted: CountedRows = workers.result(sum_on_workers(workers, counts, "counting"))
        return counted


def sum_on_workers(workers: Workers, counts: list[Kept], title: str) -> Kept:
    """Add up counts that are being made, and wait for the sum; `counts` is emptied.

    The progress bar calls the making of the counts `title`.
    """

    def add(some: Sequence[Kept]) -> Kept:
        # Sums go before counts that wait, so that few counts lie in memory at a time.
        return workers.call("add-counts", sum_counts, list(some), first=True)

    total = add_up(counts, add)
    workers.wait(title, counts)
    workers.wait("adding up", [total])
    return total


def add_up(counts: Sequence[Part], add: Callable[[Sequence[Part]], Part]) -> Part:
    """Add up counts in a tree; `add` makes a task that adds some of them."""
    level = list(counts)
    while len(level) > 1:
        level = [add(level[start : start + _FAN_IN]) for start in range(0, len(level), _FAN_IN)]
    return level[0]


def sum_counts(parts: list[CountedRows]) -> CountedRows:
    """Return the sum of counts, whose labels must be of one kind."""
    accumulator = CountsAccumulator.of(parts[0].counts)
    for part in parts[1:]:
        accumulator.merge(part.counts)
    counts = accumulator.result()
    check_one_kind(counts.sizes)
    return CountedRows(counts, sum((part.tally for part in parts), RowTally()))
