"""Whether several text columns share their terms, have their own, or both: on training documents.

Tables with two text columns: Reuters (headline, article), HuffPost (headline, description) and 20
Newsgroups (subject, body). The *training* side is cut into five folds, near-duplicates kept
together, and each arrangement ranks the held-out training documents. Printed is the average
precision, averaged over rare classes. No test document is read. docs/guides/several_columns.md
states what came out.

    python benchmarks/text_columns.py [reuters] [huffpost] [newsgroups]
"""

import sys
from collections import Counter

import numpy as np
from sklearn.metrics import average_precision_score

from huffpost import huffpost_rows
from imbtext.datasets import load_20newsgroups, load_reuters
from imbtext.documents import Documents
from imbtext.documents._folds import DealtFolds, deal_folds
from imbtext.features import TextFeatures
from imbtext.features._terms import GramBlock, Terms, WordBlock
from imbtext.features._text_features import TrainingTerms
from imbtext.rare._ranking import Training

N_CLASSES, LEAST = 12, 8

Fields = list[list[str]]


class Arrangement(TextFeatures):
    """Blocks of terms, each of some columns: `blocks` pairs a kind with the columns it reads."""

    def __init__(self, blocks: list[tuple[str, tuple[int, ...]]]) -> None:
        super().__init__("auto", "english")
        self.columns = [columns for _, columns in blocks]
        self.blocks = [
            GramBlock()
            if kind == "grams"
            else WordBlock("english", with_pairs=kind == "words+pairs")
            for kind, _ in blocks
        ]

    def learn_fields(self, fields: Fields) -> TrainingTerms:
        """Learn from the texts of each column."""
        read = {
            columns: Documents.of(joined([fields[c] for c in columns]))
            for columns in dict.fromkeys(self.columns)
        }
        terms = Terms.of_blocks(
            [block.learn(read[c]) for block, c in zip(self.blocks, self.columns, strict=True)]
        )
        self.weigh(terms.frequencies(), terms.n_documents)
        return TrainingTerms(self, terms)


def joined(fields: Fields) -> list[str]:
    return ["\n".join(texts) for texts in zip(*fields, strict=True)]


def arrangements() -> dict[str, list[tuple[str, tuple[int, ...]]]]:
    both = (0, 1)
    shared = [("words+pairs", both), ("grams", both)]
    own = [(kind, (c,)) for c in both for kind in ("words+pairs", "grams")]
    return {
        "shared": shared,
        "own": own,
        "shared and own": [*shared, *own],
        "shared and own words": [*shared, ("words", (0,)), ("words", (1,))],
        "shared and first column": [*shared, *own[:2]],
        "shared and words of the first": [*shared, ("words", (0,))],
    }


def reuters() -> tuple[Fields, list[set[str]]]:
    full = load_reuters("full")
    titles, bodies, labels = [], [], []
    for row in full.train:
        title, _, body = full.texts[row].partition("\n")
        titles.append(title)
        bodies.append(body)
        labels.append(set(full.labels[row]))
    return [titles, bodies], labels


def huffpost() -> tuple[Fields, list[set[str]]]:
    frame = huffpost_rows()
    # benchmarks/tables.py tests on rows behind these.
    frame = frame.fill_null("")[np.random.default_rng(0).permutation(frame.height)[:20_000]]
    return (
        [frame["headline"].to_list(), frame["short_description"].to_list()],
        [{label} for label in frame["category"]],
    )


def newsgroups() -> tuple[Fields, list[set[str]]]:
    data = load_20newsgroups(remove=())
    rng = np.random.default_rng(0)
    subjects, bodies, labels = [], [], []
    for row in data.train:
        header, _, body = data.texts[row].partition("\n\n")
        # Every other group is made rare: one in ten of its messages stays.
        rare = sorted(data.classes).index(data.labels[row]) % 2 == 0
        if rare and rng.random() > 0.1:
            continue
        lines = [line for line in header.splitlines() if line.lower().startswith("subject:")]
        subjects.append(lines[0][8:].strip() if lines else "")
        bodies.append(body)
        labels.append({data.labels[row]})
    return [subjects, bodies], labels


def rare_classes(labels: list[set[str]]) -> list[np.ndarray]:
    sizes = Counter(label for of_document in labels for label in of_document)
    rare = sorted((n, name) for name, n in sizes.items() if LEAST <= n < 0.03 * len(labels))
    kept = [rare[i] for i in np.unique(np.linspace(0, len(rare) - 1, N_CLASSES).astype(int))]
    return [
        np.array([i for i, of_document in enumerate(labels) if name in of_document])
        for _, name in kept
    ]


def main() -> None:
    sets = {"reuters": reuters, "huffpost": huffpost, "newsgroups": newsgroups}
    for name in sys.argv[1:] or sets:
        fields, labels = sets[name]()
        members = rare_classes(labels)
        documents = Documents.of(joined(fields))
        folds = deal_folds(members, len(documents), documents.near_duplicates, 5, 0)
        sizes = [len(rows) for rows in members]
        print(f"{name}: {len(documents):,} documents, {len(members)} classes of {sizes}")
        for title, blocks in arrangements().items():
            vectors = Arrangement(blocks).learn_fields(fields)
            scores = Training(vectors, members, DealtFolds(folds), None).run(1).scores
            precisions = []
            for c, rows in enumerate(members):
                is_class = np.zeros(len(documents), bool)
                is_class[rows] = True
                kept = ~np.isnan(scores[:, c])
                precisions.append(average_precision_score(is_class[kept], scores[kept, c]))
            each = " ".join(f"{precision:.3f}" for precision in precisions)
            print(f"  {np.mean(precisions):.4f}  {title:32} {each}", flush=True)


if __name__ == "__main__":
    main()
