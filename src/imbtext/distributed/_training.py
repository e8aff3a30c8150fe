"""Training on a Dask DataFrame: its workers read a sample.

It is the sample that `imbtext train` reads of files with the same rows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from sklearn.base import clone

from imbtext._extras import require
from imbtext._typing import Label
from imbtext.distributed._cluster import DaskPool, completed_futures, result_of
from imbtext.distributed._frames import PartitionTable, check_frame
from imbtext.documents._label_names import as_list, label_name, labels_to_find
from imbtext.documents._roles import Roles
from imbtext.files._training import PartsOfTable, fit_documents, memory_bytes
from imbtext.randomness import draw_seed
from imbtext.rare._classifier import RareTextClassifier
from imbtext.tables._errors import check_column
from imbtext.tables._rules import LabelRules
from imbtext.tables._sampling import LabelCounts, documents_that_fit, sample_in_words

if TYPE_CHECKING:
    import pandas
    from dask.dataframe import DataFrame
    from distributed import Client

Task = TypeVar("Task")
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
    parts = PartsOfTable(
        *(frame[roles.names].to_delayed(), frame[[label]].to_delayed()), roles, rules, "the frame"
    )
    fresh: RareTextClassifier = clone(model).set_params(ignore_labels=None)
    with DaskPool(address).workers() as workers:
        pool = _Partitions(workers.client)
        if model.n_jobs is None:
            fresh.set_params(n_jobs=DaskPool())  # which finds this client
        counts = parts.count(pool, names, quiet=quiet)
        if negatives is None and names:
            negatives = _most_that_fit(parts.first_texts(pool), counts, memory_bytes(memory))
        seed = draw_seed(model.random_state)
        sample = parts.sample(pool, counts, names, negatives, seed, quiet=quiet)
        labels: Sequence[Label] = sample.y
        if names:
            if one_class or len(names) == 1:
                fresh.set_params(pos_label=names[0])
            labels = labels_to_find(labels, names, one_class=one_class)
        kept = None if negatives is None else sample_in_words(sample, names)
        fit_documents(fresh, sample.with_labels(labels), given, sample=kept)
    fresh.set_params(n_jobs=model.n_jobs, ignore_labels=model.ignore_labels)
    return fresh


def _most_that_fit(texts: Sequence[str], counts: Sequence[LabelCounts], memory: int) -> int | None:
    """Return how many documents to sample, if not all fit into memory; else None."""
    n_fit = documents_that_fit(texts, memory)
    n_documents = sum(part.n_documents for part in counts)
    return n_fit if n_fit is not None and n_fit < n_documents else None


@dataclass(frozen=True, eq=False)
class _Partitions:
    """A pool whose tasks are numbered, delayed partitions; a worker sees a partition as a table."""

    client: "Client"
    writes_results: ClassVar[bool] = False

    def completed(
        self, function: Callable[[Any, Task], Result], tasks: Iterable[Task], shared: object = None
    ) -> Iterator[tuple[Task, Result]]:
        """Yield each task with ``function(shared, task)``, in the order they are finished."""
        call = require("dask", extra="dask").delayed(_on_partition, pure=False)
        tasks = list(tasks)
        delayed = [call(function, shared, task) for task in tasks]
        futures = dict(zip(self.client.compute(delayed), tasks, strict=True))
        try:
            for future in completed_futures(self.client, futures):
                yield futures.pop(future), result_of(self.client, future)
        finally:
            self.client.cancel(list(futures))


def _on_partition(
    function: Callable[[Any, Any], Result], shared: object, task: "tuple[int, pandas.DataFrame]"
) -> Result:
    i, part = task
    return function(shared, (i, PartitionTable.of(part, f"partition {i}")))
