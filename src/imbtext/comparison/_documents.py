"""The documents of a comparison: those to train on, then those to test on."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import (
    Array,
    Column,
    ColumnName,
    ColumnNames,
    Document,
    DocumentsLike,
    Label,
    LabelsLike,
    Record,
)
from imbtext.documents._corpus import Corpus
from imbtext.documents._documents import Documents, content_checksum
from imbtext.documents._labels import Labels, Unlabelled
from imbtext.documents._roles import Roles
from imbtext.documents._table_rows import TableDocument
from imbtext.documents._tokenization import Tokenizer, has_words
from imbtext.features._features import Features
from imbtext.methods._documents import Encode, PreparedDocuments


@dataclass(frozen=True, eq=False)
class ComparedDocuments:
    """Training documents and, behind them, those of a separate test set.

    Documents that share a value of `groups` are never in training and test at once. With a separate
    test set, its bootstrap draws the documents of a group together. `times` are those of the
    training documents, `ids` the names of the tested ones, and `n_left_out` the number of training
    documents that had no label, or one to ignore.
    """

    corpus: Corpus
    rows: Sequence[Document]
    labels: Labels
    test_labels: Labels | None
    groups: Array | None
    times: Array | None = None
    ids: Sequence[str] | None = None
    n_left_out: int = 0

    @classmethod
    def of(
        cls,
        texts: DocumentsLike,
        y: LabelsLike,
        test: tuple[Column, ...] | None,
        groups: Column | None,
        tokenizer: Tokenizer | None,
        text: ColumnNames = None,
        columns: ColumnNames = None,
        time: Column | None = None,
        ids: Column | None = None,
        ignore_labels: Label | Collection[Label] = None,
        unlabelled: Unlabelled | None = None,
        classes: Sequence[Label] = (),
    ) -> "ComparedDocuments":
        """Read the training documents and, if there is one, the test set.

        If they are tables, `text` names the text columns and `columns` those beside the text.
        """
        roles = Roles.of(text, columns)
        given = Documents.of(
            *(texts, y),
            roles=roles,
            groups=groups,
            time=time,
            ids=ids if test is None else None,
            name="texts",
        )
        rule: Record = {
            "ignored": ignore_labels,
            "unlabelled": unlabelled,
            "classes": classes,
            "joined": False,
        }
        documents = given.labelled(**rule)
        n_left_out, times = len(given) - len(documents), documents.times
        if test is None:
            return cls(
                *(documents.corpus(tokenizer), documents.to_list(), documents.labels, None),
                *(documents.groups, times, documents.ids, n_left_out),
            )
        if not isinstance(test, tuple | list) or len(test) not in (2, 3):
            parts = f"has {len(test)} parts" if isinstance(test, tuple | list) else "is not a tuple"
            raise ValueError(
                f"test {parts}; give its documents, their labels and, if some belong together, "
                "their groups, as in test=(texts, y)"
            )
        tested = Documents.of(
            *test[:2],
            roles=roles,
            groups=test[2] if len(test) == 3 else None,
            ids=ids,
            name="test[0]",
            y_name="test[1]",
        ).labelled(**rule, purpose="tested on")
        codes = None
        if documents.groups is not None or tested.groups is not None:
            codes = _groups_of_both(documents, tested)
        both = documents.without_values() + tested.without_values()
        return cls(
            *(both.corpus(tokenizer), both.to_list(), documents.labels, tested.labels),
            *(codes, times, tested.ids, n_left_out),
        )

    @property
    def n_train(self) -> int:
        """Number of training documents; the test set follows them."""
        return self.labels.n_documents

    @property
    def n_test(self) -> int:
        """Number of documents in the separate test set, 0 without one."""
        return self.corpus.n_documents - self.n_train

    @property
    def is_text(self) -> bool:
        """Whether the documents are texts rather than token lists."""
        return not len(self.rows) or isinstance(self.rows[0], str)

    @property
    def text_columns(self) -> tuple[ColumnName, ...]:
        """The text columns, if documents are rows of a table with several."""
        return () if self._first_table_row is None else self._first_table_row.names

    def name(self, row: int) -> str:
        """Return the name of a tested document: its id, or else its row."""
        place = row - self.n_train if self.n_test else row
        return f"row {place}" if self.ids is None else self.ids[place]

    @property
    def columns_beside(self) -> tuple[ColumnName, ...]:
        """The columns beside the text, if documents are rows of a table."""
        return () if self._first_table_row is None else self._first_table_row.beside

    @property
    def _first_table_row(self) -> TableDocument | None:
        """The first document, if documents are rows of a table."""
        first = self.rows[0] if len(self.rows) else None
        return first if isinstance(first, TableDocument) else None

    @cached_property
    def label_sets(self) -> tuple[frozenset[Label], ...]:
        """The labels of all documents."""
        tested = () if self.test_labels is None else self.test_labels.sets
        return self.labels.sets + tested

    def with_one_class(self, joined: Sequence[Any]) -> "ComparedDocuments":
        """Return the same documents; several labels count as one class, named after the first."""

        def with_one_name(labels: Labels) -> Labels:
            names = np.where(np.isin(labels.values, joined), joined[0], labels.values)
            return replace(labels, values=names)

        tested = None if self.test_labels is None else with_one_name(self.test_labels)
        return replace(self, labels=with_one_name(self.labels), test_labels=tested)

    def members(self, label: Label) -> NDArray[np.bool_]:
        """Return which of all documents belong to a class."""
        members = self.labels.mask(label)
        if self.test_labels is None:
            return members
        tested = self.test_labels.mask(label)
        if not tested.any() or tested.all():
            which = "no documents of" if not tested.any() else "only documents of"
            raise ValueError(
                f"the test set has {which} the class {str(label)!r}, so nothing can be measured "
                "on it; use another test set or cross-validation"
            )
        return np.concatenate([members, tested])

    def data(self, tokenizer: Tokenizer | None, features: Features | None) -> PreparedDocuments:
        """Return all documents, with what makes words and vectors of them."""
        rows: Any = np.fromiter(self.rows, dtype=object, count=len(self.rows))
        if features is not None:
            features = features.ask_once(self.rows)
        return PreparedDocuments(self.corpus, rows, Encode(tokenizer), features)

    @cached_property
    def digest(self) -> str:
        """Checksum of all documents, labels and groups."""
        texts = list(map(_digested, self.rows))
        labels = ["\0".join(sorted(map(repr, labels))) for labels in self.label_sets]
        groups = [] if self.groups is None else [str(code) for code in self.groups.tolist()]
        return content_checksum(texts, labels, groups)

    @property
    def caveats(self) -> list[str]:
        """What makes the scores better than they would be on new documents."""
        if self.groups is None or not self.n_test:
            return []
        is_known = np.isin(self.groups[self.n_train :], self.groups[: self.n_train])
        if not is_known.any():
            return []
        return [
            f"{int(is_known.sum()):,} of {self.n_test:,} test documents belong to a group of the "
            "training documents, so scores may be too good for new groups."
        ]

    @property
    def remarks(self) -> list[str]:
        """What else a reader should know about the documents."""
        n = self.corpus.n_documents
        empty = sum(not (has_words(row) if isinstance(row, str) else len(row)) for row in self.rows)
        return [f"Documents without words: {empty:,} of {n:,}."] if empty else []


def _digested(row: Document) -> str:
    """Return a document as text, with everything in its row of a table."""
    if isinstance(row, TableDocument):
        return "\0".join([*row.texts, *map(repr, row.cells)])
    return row if isinstance(row, str) else "\0".join(row)


def _groups_of_both(*parts: Documents) -> NDArray[np.int64]:
    """Return the groups of training and test documents; without groups, each is its own."""
    values: list[Hashable] = []
    for number, documents in enumerate(parts):
        alone = [(number, row) for row in range(len(documents))]
        values += alone if documents.groups is None else documents.groups.tolist()
    codes = {value: code for code, value in enumerate(dict.fromkeys(values))}
    return np.array([codes[value] for value in values], dtype=np.int64)
