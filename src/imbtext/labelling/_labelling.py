"""Labelling: the loop. It keeps the labels and delegates the rest.

:mod:`imbtext.labelling._decisions` reads what users write for a class,
:mod:`imbtext.labelling._pool` has the vectors, :mod:`imbtext.labelling._pool_ranking` the ranking,
and :mod:`imbtext.labelling._remaining` the estimate of what is left.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, Final, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from imbtext._messages import check_whole_number, listed
from imbtext._typing import (
    Column,
    ColumnNames,
    Document,
    DocumentsLike,
    FeaturesLike,
    Label,
    LabelsLike,
    MetricLike,
    RandomState,
    Record,
)
from imbtext.documents._documents import Documents
from imbtext.documents._roles import Roles
from imbtext.features._sources import feature_sources, get_features
from imbtext.features._terms import Vectors
from imbtext.features.encoders import EncoderLike, get_encoder
from imbtext.labelling._deciding import PoolDecisions, decide_pool
from imbtext.labelling._decisions import NO, YES, ClassLabels, list_of_labels
from imbtext.labelling._pool import PoolMeaning, PoolTerms
from imbtext.labelling._pool_ranking import PoolRanking
from imbtext.labelling._remaining import Progress
from imbtext.labelling._stopping import TARGET, RandomSample, Reading, check_target
from imbtext.randomness import draw_seed, keyed_generator
from imbtext.rare._classifier import RareTextClassifier
from imbtext.rare._explanation import share_out
from imbtext.statistics import Interval

# A query counts as a document of the class until this many are found.
_ENOUGH_FOUND: Final = 3
# From this many labels on, a ranking is trained again after each per cent of new labels.
_MANY_LABELS: Final = 200
_SAMPLE_STREAM: Final = 0x5A3B1E

QueriesLike = str | Column | Mapping[Any, str | Column] | None
"""What to look for: words, a document, several of them, or a dict of these by class."""

RowsLike = SupportsIndex | Iterable[SupportsIndex]
"""A row of the documents or several, as numbers from 0 up."""


class Labelling:
    """Choose which documents to read, so that a rare class is found by reading few of them.

    Use it when documents have no labels yet, or too few: ask for the next documents, read them,
    add their labels, and ask again. Every label improves the choice of the next document.

    Parameters
    ----------
    texts : list of str, list of token lists, a NumPy, pandas, Polars or Arrow column, or a table
        All documents, read and unread. If it is a table, `text` names its text columns.
    labels : labels, default=None
        Labels that already exist, one per document; None or white space where there is none. If you
        name `classes`, they may be a whole column or sets: any other label means ``"no"``.
    classes : list of labels, default=("yes",)
        The classes to find. A label is one of them or ``"no"``. ``False`` and 0 mean ``"no"``; if
        there is one class, ``True`` and 1 mean that class. Several classes take turns: each chooses
        one document to read.
    words : str, list of str or dict, default=None
        Words to start from, such as ``"refund"`` or ``["stolen card", "chargeback"]``; for several
        classes, a dict from a class to its words.
    examples : document, list of documents or dict, default=None
        Documents like those to find. They need not be among the texts.
    text, columns : str or list of str, default=None
        If `texts` is a table: its text columns, and the columns beside the text that the model of
        `train` may use, as for `RareTextClassifier`.
    encoder : str, path, object or callable, default=None
        A sentence encoder, which says what a text means beside its words, as for
        `RareTextClassifier`: ``"minilm"`` (English) or ``"use"`` (16 languages), from the extra
        ``encoder``. Short texts gain most. It reads all documents now, which takes a minute for
        6,000 short texts on one core. The model of `train` has the same encoder.
    features : {"auto", "words", "words+pairs", "characters"}, default=None
        Which terms of the text the ranking sees, as for `RareTextClassifier`; None is ``"auto"``.
        If given, the model of `train` sees the same.
    language : str or None, default="english"
        The language of the documents, any that PyStemmer knows; None keeps words as they are.
    random_state : int, RandomState instance or None, default=0
        Decides random samples, and which documents come first if nothing is known of the class.

    See Also
    --------
    RareTextClassifier : The model that `train` fits in the end.

    Notes
    -----
    To continue another day, keep `read` and the labels of these rows, and `add` them to a new loop
    over the same texts. Labels that are given as `labels` are used, too, but `progress` cannot know
    in which order they were read, so it is less sure of what is left.

    Examples
    --------
    >>> texts = ["oil price", "crude oil up", "rain", "more rain", "oil falls", "ice"]
    >>> loop = Labelling(texts, words="oil", random_state=0)
    >>> for _ in range(4):
    ...     row = loop.next()[0]
    ...     loop.add(row, "oil" in texts[row])
    >>> [texts[row] for row in loop.found()]
    ['crude oil up', 'oil falls', 'oil price']
    >>> tomorrow = Labelling(texts, words="oil", random_state=0)
    >>> tomorrow.add(loop.read, loop.labels[loop.read])
    >>> tomorrow
    Labelling('yes': 4 of 6 documents read, 3 found)
    """

    def __init__(
        self,
        texts: DocumentsLike,
        labels: LabelsLike | None = None,
        *,
        classes: Sequence[Label] = (YES,),
        words: QueriesLike = None,
        examples: QueriesLike = None,
        text: ColumnNames = None,
        columns: ColumnNames = None,
        encoder: "EncoderLike | None" = None,
        features: "FeaturesLike | None" = None,
        language: str | None = "english",
        random_state: RandomState = 0,
    ) -> None:
        self._documents = Documents.of(texts, roles=Roles.of(text, columns), name="texts")
        self._of_model: Record = {"text": text, "columns": columns}
        if features is not None:
            self._of_model["features"] = features
        # What is read next is ranked by the text columns joined.
        self._joined = documents = self._documents
        if documents.fields:
            self._joined = documents = Documents(documents.texts, container=documents.texts)
        if not len(documents):
            raise ValueError("texts is empty; there is nothing to read")
        self._class_labels = ClassLabels(classes)
        self.classes = self._class_labels.classes
        # Loops over the same `Documents` share their vectors.
        seen = "auto" if features is None else features
        self._pool = documents.of_all(
            ("pool", tuple(feature_sources(seen)), language),
            lambda: PoolTerms(documents, get_features(seen, language)),
        )
        self._meaning: PoolMeaning | None = None
        # Whether an encoder still reads the documents. Until it has, words that no document has
        # choose nothing.
        self._awaits_meaning = False
        self._rankings = {c: PoolRanking(self._pool) for c in self.classes}
        self._trained_on: dict[Label, int] = {}
        self._queries: dict[Label, list[Document]] = {}
        self._query_vectors: dict[Label, Vectors] = {}
        self._shuffled = keyed_generator(draw_seed(random_state), _SAMPLE_STREAM).permutation(
            len(documents)
        )
        self._language = language
        # Labels by row in the order of reading, rows set aside, and what undo takes back.
        self._labels: dict[int, Label] = {}
        self._aside: dict[int, None] = {}
        self._history: list[dict[int, tuple[Label, bool]]] = []
        self._n_changes = 0
        # Rows whose labels existed before the reading.
        self._before: frozenset[int] = frozenset()
        # Rows that were drawn at random, and which rows were unread at the first draw.
        self._drawn: set[int] = set()
        self._unread_at_first_draw: NDArray[np.bool_] | None = None
        if encoder is not None:
            self.use_encoder(encoder)
        if labels is not None:
            self._take_existing(labels)
        if words is not None or examples is not None:
            self.start(words=words, examples=examples)

    def __len__(self) -> int:
        return len(self._pool)

    def __repr__(self) -> str:
        return (
            f"Labelling({listed(self.classes)}: {len(self._labels):,} of {len(self):,} documents "
            f"read, {len(self.found()):,} found)"
        )

    def __copy__(self) -> "Labelling":
        """Return a loop with the labels of now, to train on while new ones come in."""
        copied = object.__new__(type(self))
        copied.__dict__ |= self.__dict__ | {"_labels": dict(self._labels)}
        return copied

    @property
    def labels(self) -> NDArray[np.object_]:
        """The label of each document, None where it has none."""
        labels = np.full(len(self), None, dtype=object)
        for row, label in self._labels.items():
            labels[row] = label
        return labels

    @property
    def read(self) -> list[int]:
        """The rows that have a label, in the order they were read."""
        return list(self._labels)

    def found(self, label: Label = None) -> list[int]:
        """Return the rows of a class in the order they were found; None means all classes."""
        classes = self.classes if label is None else [self._class_labels.check(label)]
        return [row for row, of_row in self._labels.items() if of_row in classes]

    def start(
        self, *, words: QueriesLike = None, examples: QueriesLike = None, label: Label = None
    ) -> None:
        """Say what to look for, by words or by examples, before anything is found.

        This replaces earlier words and examples of the class. After three finds they no longer
        count: documents of the pool say more about the class than a few words do.

        Parameters
        ----------
        words : str, list of str or dict, default=None
            Words; each entry is a query of its own.
        examples : document, list of documents or dict, default=None
            Documents like those to find.
        label : label, default=None
            The class to start, if there are several; a dict names the classes itself.
        """
        new: dict[Label, list[Document]] = {}
        for c in self.classes:
            queries = [
                query
                for start in (words, examples)
                for query in _queries(start, c, label, self._class_labels)
            ]
            if queries:
                new[c] = queries
                if not (self._awaits_meaning or self._means(self._pool.query(queries))):
                    raise ValueError(
                        f"no two documents have a word of {listed(queries, 3)}; try other words"
                    )
        self._queries |= new
        for c in new:
            self._query_vectors.pop(c, None)
            self._trained_on.pop(c, None)

    def use_encoder(self, encoder: "EncoderLike") -> None:
        """See what the texts mean from now on, beside their words; see `encoder` of the class.

        Call it when the reading has begun already, if encoding all documents takes long. The order
        of the unread documents changes then.
        """
        encoder = get_encoder(encoder)
        self._use_meaning(
            self._joined.of_all(("meaning", encoder), lambda: PoolMeaning.of(encoder, self._joined))
        )

    def _use_meaning(self, meaning: PoolMeaning) -> None:
        self._meaning, self._awaits_meaning = meaning, False
        self._of_model["encoder"] = meaning.encoder
        self._rankings = {c: PoolRanking(self._pool, self._meaning) for c in self.classes}
        self._query_vectors.clear()
        self._trained_on.clear()

    def next(self, n: int = 1, *, without: RowsLike = ()) -> list[int]:
        """Return the rows to read next, the likeliest first.

        Parameters
        ----------
        n : int, default=1
            How many rows; fewer come back if fewer are unread.
        without : rows, default=()
            Rows not to return, such as those that somebody else is reading.
        """
        check_whole_number("n", n, least=1)
        unread = self._unread()
        unread[self._rows(without)] = False
        chosen: dict[int, None] = {}
        orders: dict[Label, Iterator[int]] = {}
        turn = len(self._labels)
        for k in range(min(n, int(unread.sum()))):
            c = self.classes[(turn + k) % len(self.classes)]
            if c not in orders:
                orders[c] = iter(self._order(c, n, unread))
            chosen[next(row for row in orders[c] if row not in chosen)] = None
        return list(chosen)

    def sample(self, n: int = 100) -> list[int]:
        """Return unread rows drawn at random, to check what reading by rank may have missed.

        Add their labels as usual. `progress` knows that they were drawn at random, so it can be
        surer of what is left. It does not need such a sample.

        Parameters
        ----------
        n : int, default=100
            How many rows; fewer come back if fewer are unread.
        """
        check_whole_number("n", n, least=1)
        unread = self._unread()
        if self._unread_at_first_draw is None:
            self._unread_at_first_draw = unread
        rows = [int(row) for row in self._shuffled if unread[row] and row not in self._drawn][:n]
        self._drawn.update(rows)
        return rows

    def add(self, rows: RowsLike, labels: Label | LabelsLike) -> None:
        """Add the label of a row, or the labels of several; a row's earlier label is replaced.

        Parameters
        ----------
        rows : int or list of int
            The rows that were read.
        labels : label or list of labels
            A class or ``"no"`` for each of them; a single label counts for all rows.
        """
        places = self._rows(rows)
        if isinstance(labels, Iterable) and not isinstance(labels, str):
            of_rows = list_of_labels(labels)
        else:
            of_rows = [labels] * len(places)
        if len(of_rows) != len(places):
            raise ValueError(
                f"{len(places)} rows but {len(of_rows)} labels; give one label for each row"
            )
        changes: dict[int, Label] = {}
        for row, label in zip(places, map(self._class_labels.read, of_rows), strict=True):
            if changes.setdefault(row, label) != label:
                raise ValueError(
                    f"row {row} has the labels {changes[row]!r} and {label!r}; give it one label"
                )
        self._change(changes)

    def forget(self, rows: RowsLike) -> None:
        """Take back the labels of rows, whenever they were added; the rows are unread again."""
        self._change(dict.fromkeys(self._rows(rows)))
        self._trained_on.clear()

    def skip(self, rows: RowsLike) -> None:
        """Set rows aside: `next` offers them again only when nothing else is unread."""
        before = {row: (self._labels.get(row), row in self._aside) for row in self._rows(rows)}
        self._aside.update(dict.fromkeys(before))
        self._history.append(before)

    def undo(self) -> list[int]:
        """Take back the last `add` or `skip`; return its rows, none if there is nothing."""
        if not self._history:
            return []
        before = self._history.pop()
        for row, (label, was_aside) in before.items():
            if label is None:
                self._labels.pop(row, None)
            else:  # in its old place, if it has one
                self._labels[row] = label
            self._aside.pop(row, None)
            if was_aside:
                self._aside[row] = None
        self._n_changes += 1
        self._trained_on.clear()
        return list(before)

    def progress(
        self, label: Label = None, *, target: float = TARGET, careful: bool = False
    ) -> Progress:
        """Say how far the reading is, what is left, and whether to stop.

        Near-duplicates count as one find.

        Parameters
        ----------
        label : label, default=None
            A class; None means the only one, or all classes together.
        target : float, default=0.95
            The share of the class to find.
        careful : bool, default=False
            Whether to assume less of the ranking before it says to stop, and read more; see
            `safe_to_stop`.
        """
        check_target(target)
        classes = self.classes if label is None else [self._class_labels.check(label)]
        is_class = np.array([of_row in classes for of_row in self._labels.values()], bool)
        name = classes[0] if len(classes) == 1 else "any class"
        reading = self._reading(is_class, classes, careful)
        return Progress(name, len(self), np.cumsum(is_class), target, reading)

    def _reading(
        self, is_class: NDArray[np.bool_], classes: Sequence[Label], careful: bool
    ) -> Reading:
        """Count what was read; labels from before and random samples are no reading by rank."""
        not_by_rank = self._drawn | self._before
        return Reading.of(
            np.array(self.read, np.int64),
            is_class,
            np.array([row not in not_by_rank for row in self._labels], bool),
            self._joined.near_duplicates,
            sample=self._random_sample(classes),
            careful=careful,
        )

    def _random_sample(self, classes: Sequence[Label]) -> RandomSample | None:
        """Return what is known of a random sample of the documents unread at the first draw.

        Rows are drawn from the start of one random order. Those before the first row without a
        label are a random sample, whoever read them.
        """
        unread = self._unread_at_first_draw
        if unread is None:
            return None
        n_sampled = n_found = 0
        gap = None
        for row in self._shuffled[unread[self._shuffled]].tolist():
            if row not in self._labels:
                gap = row if row in self._drawn and row in self._aside else None
                break
            n_sampled += 1
            n_found += self._labels[row] in classes
        since = sum(bool(unread[row]) and label in classes for row, label in self._labels.items())
        return RandomSample(int(unread.sum()), n_sampled, n_found, since, gap)

    def explain(self, row: SupportsIndex, label: Label = None) -> list[tuple[str, float]]:
        """Return the words of a document and what each adds to its score, the weightiest first.

        Words with a positive number speak for the class. The list is empty until something is
        found.
        """
        (row,) = self._rows(row)
        c = self.classes[0] if label is None else self._class_labels.check(label)
        if not self._trained(c):
            return []
        ranking = self._rankings[c]
        return list(share_out(ranking.contributions(row), self._pool.words(row)))

    def search(self, words: Document, n: int = 20) -> list[int]:
        """Return the rows most similar to some words or a document, read or unread."""
        check_whole_number("n", n, least=1)
        similar = self._pool.similarities(self._pool.query([words]))
        order = np.lexsort((np.arange(len(similar)), -similar))[:n]
        return [int(row) for row in order if similar[row] > 0]

    def train(self, metric: MetricLike = "f2", **options: Any) -> RareTextClassifier:
        """Fit a model for new documents: the one that `decide` returns.

        Parameters
        ----------
        metric, **options
            As for `RareTextClassifier`.
        """
        return self.decide(metric, **options).model

    def decide(self, metric: MetricLike = "f2", **options: Any) -> PoolDecisions:
        """Decide on all documents, read or not, and fit a model for new ones.

        The documents that were read are not a fair sample: they were chosen for looking like the
        class. So the model learns from all documents. Those that nobody has read count as ``"no"``,
        but only as far as they are unlikely to be of the class: `progress` says how many of them
        are. Each unread document is decided on by models that have not seen it. The threshold and
        `expectation_` allow for the unread documents of the class, too. If classes are numbers, the
        model calls the others 0.

        Parameters
        ----------
        metric, **options
            As for `RareTextClassifier`.

        Returns
        -------
        PoolDecisions
            A label for each document, and the model.
        """
        if not self.found():
            raise ValueError(
                f"a model needs documents of a class and others, but no document of "
                f"{listed(self.classes)} was found yet; read more first"
            )
        if len(self.found()) == len(self):
            raise ValueError(
                f"a model needs documents of a class and others, but all {len(self):,} documents "
                f"are {listed(self.classes)}; add documents that are {NO!r}"
            )
        options = {"random_state": 0, "language": self._language, **self._of_model, **options}
        if len(self.classes) == 1:
            options.setdefault("pos_label", self.classes[0])
        model = RareTextClassifier(metric, **options)
        no = self._class_labels.no_of_model
        labels = [no if label == NO else label for label in self.labels]
        remaining = {c: self._left_to_find(c) for c in self.classes}
        return decide_pool(model, self._documents, labels, no, remaining)

    def _left_to_find(self, c: Label) -> Interval:
        """Return how many of a class are unread: at most as many as were found.

        The estimate is too high while it is too early to tell.
        """
        left = self.progress(c).remaining
        return replace(left, mean=min(left.mean, float(len(self.found(c)))))

    def _order(self, c: Label, n: int, unread: NDArray[np.bool_]) -> list[int]:
        """Return at least `n` unread rows in the order in which to read them for a class."""
        fresh = unread.copy()
        fresh[list(self._aside)] = False
        aside = [row for row in self._aside if unread[row]]
        if self._trained(c):
            order = self._rankings[c].best(n * len(self.classes), fresh).tolist()
        elif self._has_query(c):
            similar = np.where(fresh, self._similarities(c), -np.inf)
            n_most = min(n * len(self.classes), int(fresh.sum()))
            order = np.lexsort((np.arange(len(similar)), -similar))[:n_most].tolist()
        else:
            order = self._shuffled[fresh[self._shuffled]].tolist()
        return [*order, *aside]

    def _places(self) -> NDArray[np.float64]:
        """Return where each document stands in the order of reading: 1 first, 0 last.

        It counts read documents, too. With several classes, the best place counts.
        """
        best = np.zeros(len(self))
        for c in self.classes:
            if self._trained(c):
                scores = self._rankings[c].scores()
            elif self._has_query(c):
                scores = self._similarities(c)
            else:
                scores = -np.argsort(self._shuffled).astype(float)
            order = np.lexsort((-np.arange(len(self)), scores))
            best[order] = np.maximum(best[order], np.linspace(0.0, 1.0, len(self)))
        return best

    def _query(self, c: Label) -> Vectors:
        """Return the vectors of the words and examples of a class."""
        if c not in self._query_vectors:
            vectors = self._pool.query(self._queries[c])
            if self._meaning is not None:
                vectors = replace(vectors, dense=self._meaning.query(self._queries[c]))
            self._query_vectors[c] = vectors
        return self._query_vectors[c]

    def _has_query(self, c: Label) -> bool:
        """Return whether there are words or examples of a class that say something here."""
        return c in self._queries and self._means(self._query(c))

    def _means(self, query: Vectors) -> bool:
        """Return whether a query says anything: to an encoder always, else if a word is known."""
        return self._meaning is not None or len(query.terms.indices) > 0

    def _similarities(self, c: Label) -> NDArray[np.float64]:
        """Return how similar documents are to the words and examples of a class."""
        query = self._query(c)
        similar = self._pool.similarities(query)
        if self._meaning is not None:
            similar += self._meaning.similarities(query.dense)
        return similar

    def _trained(self, c: Label) -> bool:
        """Train the ranking of a class if labels have changed; return whether there is one."""
        found = self.found(c)
        if not found:
            return False
        due = len(self._labels) // 100 if len(self._labels) >= _MANY_LABELS else 1
        if c in self._trained_on and self._n_changes - self._trained_on[c] < due:
            return True
        others = [row for row, label in self._labels.items() if label != c]
        has_query = len(found) < _ENOUGH_FOUND and self._has_query(c)
        queries = self._query(c) if has_query else None
        self._rankings[c].learn(np.array(found), np.array(others, np.int64), queries)
        self._trained_on[c] = self._n_changes
        return True

    def _unread(self) -> NDArray[np.bool_]:
        unread = np.ones(len(self), bool)
        unread[list(self._labels)] = False
        return unread

    def _change(self, labels: Mapping[int, Label]) -> None:
        self._history.append({row: (self._labels.get(row), row in self._aside) for row in labels})
        for row, label in labels.items():
            if label is None:
                self._labels.pop(row, None)
            else:
                self._labels[row] = label
            self._aside.pop(row, None)
        self._n_changes += len(labels)

    def _take_existing(self, labels: LabelsLike) -> None:
        of_rows = list_of_labels(labels)
        if len(of_rows) != len(self):
            raise ValueError(
                f"{len(self):,} texts but {len(of_rows):,} labels; give one for each text, None "
                "where there is none"
            )
        existing = {
            row: label
            for row, label in enumerate(self._class_labels.of_column(of_rows))
            if label is not None
        }
        self._labels.update(existing)
        self._n_changes += len(existing)
        self._before = frozenset(existing)

    def _rows(self, rows: RowsLike) -> list[int]:
        several = list(rows) if isinstance(rows, Iterable) else [rows]
        for row in several:
            is_number = isinstance(row, Integral) and not isinstance(row, bool)
            if not is_number or not 0 <= int(row) < len(self):
                raise ValueError(f"{row!r} is not a row; rows are 0 to {len(self) - 1:,}")
        return [int(row) for row in several]


def _queries(
    start: QueriesLike, c: Label, label: Label, class_labels: ClassLabels
) -> list[Document]:
    """Return the words or examples that are for a class."""
    if start is None:
        return []
    if isinstance(start, Mapping):
        for name in start:
            class_labels.check(name)
        start = start.get(c, [])
    elif len(class_labels.classes) > 1 and label is None:
        raise ValueError(
            "there are several classes; say which one is meant, such as "
            f"{{{class_labels.classes[0]!r}: {start!r:.40}}}"
        )
    elif label is not None and class_labels.check(label) != c:
        return []
    if not isinstance(start, Iterable):
        raise TypeError(f"{start!r:.40} is neither words nor documents; give strings")
    return [start] if isinstance(start, str) else list(start)
