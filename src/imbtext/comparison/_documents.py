"""The documents of a comparison: training and test documents with their labels, encoded once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imbtext.comparison._settings import Label
from imbtext.datasets import content_checksum
from imbtext.documents import Corpus, Documents, Labels, Tokenizer, read_groups
from imbtext.features import Features
from imbtext.methods import Encode, PreparedDocuments


@dataclass(frozen=True, eq=False)
class ComparedDocuments:
    """Training documents and, behind them, those of a separate test set.

    Documents that share a value of `groups` are never in training and test at once.
    """

    corpus: Corpus
    rows: Sequence[Any]
    labels: Labels
    test_labels: Labels | None
    groups: NDArray[Any] | None

    @classmethod
    def of(
        cls,
        texts: Any,
        y: Any,
        test: tuple[Any, Any] | None,
        groups: Any,
        tokenizer: Tokenizer | None,
    ) -> "ComparedDocuments":
        """Read the training documents and, where there is one, the test set."""
        documents = Documents.of(texts, "texts")
        labels = Labels.of(y, len(documents), several=True)
        if test is None:
            codes = None if groups is None else read_groups(groups, len(documents))
            return cls(documents.corpus(tokenizer), documents.rows, labels, None, codes)
        if groups is not None:
            raise ValueError("groups belong to cross-validation; leave them out with a test set")
        test_documents = Documents.of(test[0], "test[0]")
        both = documents.followed_by(test_documents)
        test_labels = Labels.of(test[1], len(test_documents), "test[1]", several=True)
        return cls(both.corpus(tokenizer), both.rows, labels, test_labels, None)

    @property
    def n_train(self) -> int:
        """Number of training documents; those from here on are the test set."""
        return self.labels.n_documents

    @property
    def n_test(self) -> int:
        """Number of documents in the separate test set, 0 where there is none."""
        return self.corpus.n_documents - self.n_train

    @property
    def is_text(self) -> bool:
        """Whether the documents are texts rather than token lists."""
        return not len(self.rows) or isinstance(self.rows[0], str)

    @cached_property
    def label_sets(self) -> tuple[frozenset[Label], ...]:
        """The labels of all documents."""
        tested = () if self.test_labels is None else self.test_labels.sets
        return self.labels.sets + tested

    def members(self, label: Label) -> NDArray[np.bool_]:
        """Return which of all documents belong to a class."""
        members = self.labels.mask(label)
        if self.test_labels is None:
            return members
        tested = self.test_labels.mask(label)
        if not tested.any() or tested.all():
            which = "no documents of" if not tested.any() else "documents of no class but"
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
        texts = [row if isinstance(row, str) else "\0".join(row) for row in self.rows]
        labels = ["\0".join(sorted(map(repr, labels))) for labels in self.label_sets]
        groups = [] if self.groups is None else [str(code) for code in self.groups.tolist()]
        return content_checksum(texts, labels, groups)

    @property
    def notes(self) -> list[str]:
        """What a reader should know of the documents."""
        empty = int((self.corpus.lengths == 0).sum())
        n = self.corpus.n_documents
        return [f"Documents without words: {empty:,} of {n:,}."] if empty else []
