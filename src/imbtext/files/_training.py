"""Training on data larger than memory: the workers of a cluster read a sample.

:mod:`imbtext.tables` defines the sample. The workers read the parts of files, or the partitions of
a Dask DataFrame, twice. The first pass counts labels, so that every document has its place among
all documents. The second pass sends the documents of the sample to this machine. If a worker is
killed, another one reads its part again, with the same result.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sklearn.base import clone

from imbtext._extras import require
from imbtext._memory import memory_size
from imbtext._typing import Label
from imbtext.documents._documents import Documents
from imbtext.documents._label_names import as_list, label_name, labels_to_find
from imbtext.documents._roles import Roles
from imbtext.files._cluster import DaskPool, completed_futures, result_of, working
from imbtext.files._frames import batch_of, check_frame
from imbtext.progress import progress_bar
from imbtext.randomness import draw_seed
from imbtext.rare._classifier import RareTextClassifier
from imbtext.tables._batches import Batch, TableFile
from imbtext.tables._documents import DocumentReader
from imbtext.tables._errors import check_column
from imbtext.tables._formats import Layout
from imbtext.tables._opening import name_of_tables, open_tables
from imbtext.tables._rules import DEFAULT_RULES, LabelRules
from imbtext.tables._sampling import (
    LabelCounts,
    Sampling,
    documents_like_these,
    key_limit,
    read_sample,
    sample_in_words,
)

if TYPE_CHECKING:
    import pandas
    from dask.dataframe import DataFrame
    from dask.delayed import Delayed
    from distributed import Client, Future

Result = TypeVar("Result")


def train(
    frame: "DataFrame",
    *,
    text: str | Sequence[str],
    label: str,
    classes: Label | Sequence[Label] = None,
    one_class: bool = False,
    model: RareTextClassifier | None = None,
    negatives: int | None = None,
    memory: float | None = None,
    group: str | None = None,
    time: str | None = None,
    label_separator: str | None = None,
    address: str | None = None,
    quiet: bool = True,
) -> RareTextClassifier:
    """Train a model on a Dask DataFrame: all documents of the class and a sample of the others.

    The model is the one that ``imbtext train`` trains on the same rows in the same order, however
    they are partitioned. As in files, labels are compared by name, and rows without one are left
    out.

    Parameters
    ----------
    frame : dask DataFrame
        The documents. It is read twice: first the labels, then all columns that the model reads.
    text : str or list of str
        The column of the documents, or several.
    label : str
        The column of the classes.
    classes : label or list of labels, optional
        The class to find, or several, of which a document may have some or none. By default the
        rarer of two classes, or every class of more than two.
    one_class : bool, default=False
        Whether several `classes` count as one, named after the first.
    model : RareTextClassifier, optional
        A model with the parameters to use, including `columns`, `ignore_labels` and
        `random_state`; by default ``RareTextClassifier()``. Folds are trained on the cluster,
        unless its `n_jobs` says otherwise.
    negatives : int, optional
        How many documents outside `classes` to keep. Each of them also counts for those that were
        not drawn. By default as many as fit into `memory` if `classes` are given, otherwise all.
    memory : float, optional
        How much memory training may take on this machine, in GiB; by default half of the
        machine's.
    group, time : str, optional
        Columns of groups and times, as for `RareTextClassifier.fit`.
    label_separator : str, optional
        What separates the classes in a cell, if a document may have several or none.
    address : str, optional
        The address of the scheduler; see :func:`connected`.
    quiet : bool, default=True
        Whether to show no progress in the terminal.

    Returns
    -------
    model : RareTextClassifier
        A fitted model on this machine. ``model.report_["sample"]`` says what was kept.

    See Also
    --------
    predict : Scores the rows of a Dask DataFrame.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd
    >>> from imbtext import RareTextClassifier
    >>> from distributed import Client
    >>> texts = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain"] * 60
    >>> table = pd.DataFrame({"body": texts, "topic": ["oil"] * 6 + ["weather"] * 120})
    >>> frame, model = dd.from_pandas(table, 4), RareTextClassifier(random_state=0)
    >>> with Client(processes=False, dashboard_address=":0"):
    ...     model = train(
    ...         frame, text="body", label="topic", classes="oil", negatives=40, model=model
    ...     )
    >>> model.report_["sample"]
    'all 6 documents of the class and 40 of 120 others, each of which counts 3 times'
    """
    check_frame(frame, "RareTextClassifier.fit")
    model = RareTextClassifier() if model is None else model
    if not isinstance(model, RareTextClassifier):
        raise TypeError(f"the model is a {type(model).__name__}; expected a RareTextClassifier")
    names = [label_name(one) for one in as_list(classes)]
    if negatives is not None and not names:
        raise ValueError(
            "negatives draws from the documents outside the class; name the class with classes"
        )
    if negatives is not None and negatives < 1:
        raise ValueError(f"negatives is {negatives}; keep at least one document")
    texts = [text] if isinstance(text, str) else list(text)
    ignored = tuple(label_name(one) for one in as_list(model.ignore_labels))
    given = Roles.of(
        texts, model.columns, label=label, group=group, time=time, separator=label_separator
    )
    rules = LabelRules(ignored=ignored, many_classes=bool(names), several=True)
    roles = given.resolved(list(frame.columns))
    for name in roles.names:
        check_column(name, list(frame.columns), "the frame")
    parts = _Parts(
        *(frame[roles.names].to_delayed(), frame[[label]].to_delayed()), roles, rules, "the frame"
    )
    fresh: RareTextClassifier = clone(model).set_params(ignore_labels=None)
    with working(address, quiet=quiet) as (client, _):
        if model.n_jobs is None:
            fresh.set_params(n_jobs=DaskPool())  # which finds this client
        counts = parts.count(client, names, quiet=quiet)
        if negatives is None and names:
            negatives = _most_that_fit(parts.first_texts(client), counts, memory_bytes(memory))
        seed = draw_seed(model.random_state)
        sample = parts.sample(client, counts, names, negatives, seed, quiet=quiet)
        labels: Sequence[Label] = sample.y
        if names:
            if one_class or len(names) == 1:
                fresh.set_params(pos_label=names[0])
            labels = labels_to_find(labels, names, one_class=one_class)
        kept = None if negatives is None else sample_in_words(sample, names)
        fit_documents(fresh, sample.with_labels(labels), given, sample=kept)
    fresh.set_params(n_jobs=model.n_jobs, ignore_labels=model.ignore_labels)
    return fresh


def sample_files(
    source: Path,
    roles: Roles,
    classes: Sequence[str],
    n_sampled: int,
    layout: Layout,
    seed: int = 0,
    dask: str | None = None,
    *,
    rules: LabelRules = DEFAULT_RULES,
    quiet: bool = True,
) -> Documents:
    """Read all documents of a class and a sample of the others, here or on the workers of Dask.

    The sample is that of `read_sample`. On Dask, every worker must be able to
    read the files.
    """
    if dask is None:
        return read_sample(source, roles, classes, n_sampled, layout, seed, rules)
    with open_tables(source, layout) as tables, working(dask, quiet=quiet) as (client, _):
        roles = roles.resolved(tables[0].all_columns())
        tasks = [part for table in tables for part in table.parts()]
        parts = _Parts(tasks, tasks, roles, rules, name_of_tables(tables))
        counts = parts.count(client, classes, quiet=quiet)
        return parts.sample(client, counts, classes, n_sampled, draw_seed(seed), quiet=quiet)


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
class _Parts:
    """The parts of a table that workers read: files, or delayed partitions of a data frame.

    `labels` are the same parts, with only the column of labels if they are partitions.
    """

    documents: "Sequence[TableFile | Delayed]"
    labels: "Sequence[TableFile | Delayed]"
    roles: Roles
    rules: LabelRules
    name: str

    def count(
        self, client: "Client", classes: Sequence[str], *, quiet: bool = True
    ) -> list[LabelCounts]:
        """Count the labels of each part."""
        arguments = [
            (part, f"partition {i}", self.roles, self.rules, classes)
            for i, part in enumerate(self.labels)
        ]
        counts = dict(_completed(client, _count_labels, arguments, "counting labels", quiet=quiet))
        return [counts[i] for i in range(len(arguments))]

    def sample(
        self,
        client: "Client",
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
        firsts = accumulate((c.n_documents for c in counts), initial=0)
        arguments = [
            (
                part,
                f"partition {i}",
                self.roles,
                self.rules,
                Sampling(classes, n_sampled, seed, first, limit),
            )
            for i, (part, first) in enumerate(zip(self.documents, firsts, strict=False))
        ]
        sampling = Sampling(classes, n_sampled, seed)
        for _, sampled in _completed(
            client, _sample_part, arguments, "reading documents", quiet=quiet
        ):
            sampling.merge(sampled)
        return sampling.result(self.roles, self.rules, self.name)

    def first_texts(self, client: "Client") -> list[str]:
        """Return the texts of the first part that has some."""
        for i, part in enumerate(self.documents):
            (future,) = _submitted(
                client, _texts, [(part, f"partition {i}", self.roles, self.rules)]
            )
            if texts := result_of(client, future):
                return texts
        return []


def _most_that_fit(texts: Sequence[str], counts: Sequence[LabelCounts], memory: int) -> int | None:
    """Return how many documents to sample, if not all fit into memory; else None."""
    n_fit = documents_like_these(texts, memory)
    n_documents = sum(part.n_documents for part in counts)
    return n_fit if n_fit is not None and n_fit < n_documents else None


def _submitted(
    client: "Client", function: Callable[..., Result], arguments: Iterable[tuple[object, ...]]
) -> "list[Future[Result]]":
    """Let workers call a function with each tuple of arguments, of which some may be delayed."""
    delayed = require("dask", extra="dask").delayed(function, pure=False)
    futures: list[Future[Result]] = client.compute([delayed(*values) for values in arguments])
    return futures


def _completed(
    client: "Client",
    function: Callable[..., Result],
    arguments: Iterable[tuple[object, ...]],
    title: str,
    *,
    quiet: bool,
) -> Iterator[tuple[int, Result]]:
    """Call a function on workers; yield the number and the result of each call once it is done."""
    futures = {future: i for i, future in enumerate(_submitted(client, function, arguments))}
    with progress_bar(quiet=quiet) as bar:
        shown = bar.add_task(title, total=len(futures))
        try:
            for future in completed_futures(client, futures):
                yield futures.pop(future), result_of(client, future)
                bar.advance(shown)
        finally:
            client.cancel(list(futures))


# On the workers: a part is a table in a file, or a partition, a pandas DataFrame.


def _count_labels(
    part: "TableFile | pandas.DataFrame",
    name: str,
    roles: Roles,
    rules: LabelRules,
    classes: Sequence[str],
) -> LabelCounts:
    reader, batches = _opened(part, name, roles, rules, [str(roles.label)])
    return LabelCounts.of(reader, batches, classes)


def _sample_part(
    part: "TableFile | pandas.DataFrame",
    name: str,
    roles: Roles,
    rules: LabelRules,
    sampling: Sampling,
) -> Sampling:
    reader, batches = _opened(part, name, roles, rules)
    for batch in batches:
        sampling.add(reader.documents(batch))
    sampling.tally = reader.tally
    return sampling


def _texts(
    part: "TableFile | pandas.DataFrame", name: str, roles: Roles, rules: LabelRules
) -> list[str]:
    reader, batches = _opened(part, name, roles, rules)
    return [text for batch in batches for text in reader.documents(batch).strings()]


def _opened(
    part: "TableFile | pandas.DataFrame",
    name: str,
    roles: Roles,
    rules: LabelRules,
    names: Sequence[str] | None = None,
) -> tuple[DocumentReader, Iterator[Batch]]:
    """Return a reader and some columns of a part, which messages call by the file's name."""
    if isinstance(part, TableFile):
        reader = DocumentReader(roles, rules)
        reader.start(part)
        return reader, part.batches(names or reader.names)
    reader = DocumentReader(roles, rules, name, "row")
    return reader, iter([batch_of(part, names or reader.names, name)])
