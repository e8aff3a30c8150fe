"""Training on data larger than memory: a sample is read here, or by workers.

:mod:`imbtext.tables` defines the sample. Workers read the parts of a table twice: files, or the
partitions of a Dask DataFrame. The first pass counts labels, so that every document has its place
among all documents. The second pass sends the documents of the sample to this machine. If a worker
is killed, another one reads its part again, with the same result.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

from imbtext._memory import memory_size
from imbtext.documents._documents import Documents
from imbtext.documents._roles import Roles
from imbtext.parallel import KeepingPool, Pool
from imbtext.progress import progress_bar
from imbtext.randomness import draw_seed
from imbtext.rare._classifier import RareTextClassifier
from imbtext.tables._batches import TableFile
from imbtext.tables._documents import DocumentReader
from imbtext.tables._formats import Layout
from imbtext.tables._opening import name_of_tables, open_tables
from imbtext.tables._rules import DEFAULT_RULES, LabelRules
from imbtext.tables._sampling import (
    LabelCounts,
    Sampling,
    documents_that_fit,
    key_limit,
    read_sample,
)

Result = TypeVar("Result")
# The number of a part of a table, and the part, which a worker sees as a TableFile.
NumberedPart = tuple[int, Any]


def sample_files(
    source: Path,
    roles: Roles,
    classes: Sequence[str],
    n_sampled: int | None,
    layout: Layout,
    seed: int = 0,
    pool: KeepingPool | None = None,
    *,
    rules: LabelRules = DEFAULT_RULES,
    memory: int | None = None,
    quiet: bool = True,
) -> Documents:
    """Read all documents of a class and a sample of the others, here or on the workers of a pool.

    The sample is that of `read_sample`. Every worker must be able to read the files.
    """
    if pool is None:
        return read_sample(source, roles, classes, n_sampled, layout, seed, rules, memory)
    with open_tables(source, layout) as tables, pool.workers() as workers:
        roles = roles.resolved(tables[0].all_columns())
        if n_sampled is None and memory is not None:
            first = next(DocumentReader(roles, rules).read(tables), None)
            n_sampled = documents_that_fit([] if first is None else first.strings(), memory)
        tasks = [part for table in tables for part in table.parts()]
        parts = PartsOfTable(tasks, tasks, roles, rules, name_of_tables(tables))
        counts = parts.count(workers, classes, quiet=quiet)
        return parts.sample(workers, counts, classes, n_sampled, draw_seed(seed), quiet=quiet)


def fit_documents(
    model: RareTextClassifier, documents: Documents, roles: Roles, *, sample: str | None = None
) -> None:
    """Fit a model on labelled documents of a table, and let it remember which columns it reads.

    If they are a `sample`, which it describes in words, the model's report says so.
    """
    if documents.fields:
        beside = "all" if roles.columns == "all" else list(roles.columns) or None
        model.set_params(text=list(roles.text), columns=beside)
    model.fit(documents, documents.y)
    if sample is not None:
        model.report_["sample"] = sample


def memory_bytes(memory: float | None) -> int:
    """Return `memory` in bytes instead of GiB; by default half of what there is."""
    if memory is not None:
        return int(memory * 2**30)
    return memory_size() // 2


@dataclass(frozen=True, eq=False)
class PartsOfTable:
    """The parts of a table that workers read: files, or delayed partitions of a data frame.

    `labels` are the same parts, with only the column of labels if they are partitions.
    """

    documents: Sequence[Any]
    labels: Sequence[Any]
    roles: Roles
    rules: LabelRules
    name: str

    def count(self, pool: Pool, classes: Sequence[str], *, quiet: bool = True) -> list[LabelCounts]:
        """Count the labels of each part."""
        tasks = list(enumerate(self.labels))
        shared = (self.roles, self.rules, classes)
        counts = dict(_results(pool, _count_labels, tasks, shared, "counting labels", quiet=quiet))
        return [counts[i] for i in range(len(tasks))]

    def sample(
        self,
        pool: Pool,
        counts: Sequence[LabelCounts],
        classes: Sequence[str],
        n_sampled: int | None,
        seed: int,
        *,
        quiet: bool = True,
    ) -> Documents:
        """Read the documents of the sample; without `n_sampled`, all documents."""
        n_documents = sum(part.n_documents for part in counts)
        n_class = sum(part.n_class for part in counts)
        limit = float("inf")
        if n_sampled is not None:
            limit = key_limit(seed, n_documents, n_class, n_sampled)
        firsts = list(accumulate((c.n_documents for c in counts), initial=0))
        shared = (self.roles, self.rules, classes, n_sampled, seed, firsts, limit)
        whole, tasks = Sampling(classes, n_sampled, seed), list(enumerate(self.documents))
        for _, part in _results(
            pool, _sample_part, tasks, shared, "reading documents", quiet=quiet
        ):
            whole.merge(part)
        return whole.result(self.roles, self.rules, self.name)

    def first_texts(self, pool: Pool) -> list[str]:
        """Return the texts of the first part that has some."""
        for task in enumerate(self.documents):
            for _, texts in pool.completed(_texts, [task], (self.roles, self.rules)):
                if texts:
                    return texts
        return []


def _results(
    pool: Pool,
    function: Callable[[Any, NumberedPart], Result],
    tasks: Sequence[NumberedPart],
    shared: object,
    title: str,
    *,
    quiet: bool,
) -> Iterator[tuple[int, Result]]:
    """Yield the number of each part with the result of a function, once it is done."""
    with progress_bar(quiet=quiet) as bar:
        shown = bar.add_task(title, total=len(tasks))
        for (i, _), result in pool.completed(function, tasks, shared):
            yield i, result
            bar.advance(shown)


# On the workers


def _count_labels(
    shared: tuple[Roles, LabelRules, Sequence[str]], task: tuple[int, TableFile]
) -> LabelCounts:
    (roles, rules, classes), (_, table) = shared, task
    reader = DocumentReader(roles, rules)
    reader.start(table)
    return LabelCounts.of(reader, table.batches([str(roles.label)]), classes)


def _sample_part(shared: tuple[Any, ...], task: tuple[int, TableFile]) -> Sampling:
    (roles, rules, classes, n_sampled, seed, firsts, limit), (i, table) = shared, task
    reader = DocumentReader(roles, rules)
    sampling = Sampling(classes, n_sampled, seed, firsts[i], limit)
    for documents in reader.read([table]):
        sampling.add(documents)
    sampling.tally = reader.tally
    return sampling


def _texts(shared: tuple[Roles, LabelRules], task: tuple[int, TableFile]) -> list[str]:
    return [text for part in DocumentReader(*shared).read([task[1]]) for text in part.strings()]
