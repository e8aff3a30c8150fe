"""The documents of a comparison: both sides encoded once, with all that is known of each."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from imbtext.comparison._classes import Labelling, Target
from imbtext.containers import Documents, Labels
from imbtext.corpus import Corpus
from imbtext.datasets._dataset import content_checksum
from imbtext.tokenization import Tokenizer

# Raised when the numbers of a comparison change, so that stored ones are computed anew.
_REVISION: Final = 1


@dataclass(frozen=True, eq=False)
class ComparedDocuments:
    """Documents of both sides, encoded once, and everything known about each of them."""

    corpus: Corpus
    rows: Sequence[Any]
    positives: dict[str, NDArray[np.bool_]]
    groups: NDArray[Any] | None
    digest: str
    notes: list[str]

    @classmethod
    def of(
        cls,
        documents: Documents,
        labelling: Labelling,
        targets: Sequence[Target],
        test: tuple[Any, Any] | None,
        groups: Any,
        tokenizer: Tokenizer | None,
    ) -> "ComparedDocuments":
        """Take in the training documents and, where there is one, the test set."""
        rows: Sequence[Any] = documents.rows
        sets = labelling.sets
        if test is not None:
            if groups is not None:
                raise ValueError(
                    "groups belong to cross-validation; leave them out with a test set"
                )
            held_out = Documents.of(test[0], "the test texts")
            if held_out.is_tokens != documents.is_tokens:
                raise TypeError("training and test documents must both be texts or token lists")
            rows = [*rows, *held_out.rows]
            sets = (*sets, *read_labelling(test[1], len(held_out), "the test labels").sets)
        joint = Documents.of(rows, "texts") if test is not None else documents
        corpus = joint.corpus(tokenizer)
        positives = {
            target.name: np.fromiter((target.label in labels for labels in sets), bool, len(sets))
            for target in targets
        }
        for name, positive in positives.items() if test is not None else ():
            side = positive[len(documents) :]
            if not side.any() or side.all():
                which = "no documents of" if not side.any() else "documents of no class but"
                raise ValueError(
                    f"the test set has {which} the class {name!r}, so nothing can be measured on "
                    "it; use another test set or cross-validation"
                )
        codes = None
        if groups is not None:
            codes = Labels.of(groups, len(documents), "groups").values
        texts = [row if isinstance(row, str) else "\0".join(row) for row in rows]
        labels = ["\0".join(sorted(map(repr, labels))) for labels in sets]
        named = [] if codes is None else [str(code) for code in codes.tolist()]
        notes = []
        empty = int((corpus.lengths == 0).sum())
        if empty:
            notes.append(f"{empty:,} of {len(rows):,} documents have no words.")
        return cls(corpus, rows, positives, codes, content_checksum(texts, labels, named), notes)


def read_labelling(y: Any, n: int, name: str) -> Labelling:
    """Read labels, one a document."""
    labelling = Labelling.of(y)
    if len(labelling.sets) != n:
        raise ValueError(
            f"there are {n} documents and {len(labelling.sets)} labels in {name}; "
            "give one label a document"
        )
    return labelling


def settings_digest(
    data: str,
    folds: int,
    classifier: Any,
    group_duplicates: bool,
    tokenizer: Tokenizer | None,
) -> str:
    """Digest what the results depend on besides class, method, share and seed.

    The number of repeats is left out: more of them add to what is there.
    """
    settings = (
        _REVISION,
        version("imbalanced-text"),
        data,
        folds,
        repr(classifier),
        group_duplicates,
        "" if tokenizer is None else getattr(tokenizer, "__qualname__", repr(tokenizer)),
    )
    return hashlib.blake2b(repr(settings).encode(), digest_size=8).hexdigest()
