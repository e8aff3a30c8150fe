"""Section 4.1 of the paper: vocabularies grow, of the class "trade" and as Heaps' law says."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl

from imbtext.corpus import Corpus
from imbtext.datasets import TextDataset
from imbtext.reproduction.published_values import HEAPS
from imbtext.reproduction.splits import Split
from imbtext.reproduction.vocabulary.synthetic_words import synthetic_counts
from imbtext.tokenization import PaperPreprocessor
from imbtext.vocabulary import (
    FamiliarShare,
    GrowthCurve,
    HeapsFit,
    familiar_share,
    fit_heaps,
    growth_curve,
)

HALVES: Final = 1000


def trade_growth(
    titles: TextDataset, stopwords: Iterable[str], seed: int
) -> tuple[GrowthCurve, FamiliarShare]:
    """Grow the vocabulary of the headlines on "trade" (Figure 1), training and test side together.

    Many halves are drawn where the paper has one. Stems without stopwords, rare ones kept: of the
    ways to read the paper's caption, the one in whose halves its numbers are ordinary ones.
    """
    corpus = PaperPreprocessor(sorted(stopwords), min_count=1).fit_transform(titles.texts)
    is_trade = titles.in_class("trade")
    return (
        growth_curve(corpus.select(is_trade), shuffles=100, random_state=seed),
        familiar_share(corpus, is_trade, halves=HALVES, random_state=seed),
    )


def trade_table(halves: FamiliarShare) -> pl.DataFrame:
    """Return the new and the familiar words of each half."""
    return pl.DataFrame(
        {
            "half": np.arange(len(halves.new_words)),
            "new_words": halves.new_words,
            "familiar_words": halves.familiar_words,
            "familiar_share": halves.shares,
        }
    )


def heaps_fits(
    texts: Mapping[str, Sequence[str]], stopwords: Iterable[str], seed: int
) -> pl.DataFrame:
    """Fit Heaps' law to every reading of the paper's text, to find the one it fitted."""
    rows = []
    for name, documents in texts.items():
        for removed, words in ((True, sorted(stopwords)), (False, [])):
            for min_count in (3, 1):
                corpus = PaperPreprocessor(words, min_count).fit_transform(documents)
                for order, shuffles in (("given", 0), ("shuffled", 10)):
                    fit = fit_heaps(growth_curve(corpus, shuffles=shuffles, random_state=seed))
                    rows.append(
                        {
                            "text": name,
                            "stopwords_removed": removed,
                            "min_count": min_count,
                            "order": order,
                            "k": fit.k,
                            "k_low": fit.k_interval[0],
                            "k_high": fit.k_interval[1],
                            "theta": fit.theta,
                            "theta_low": fit.theta_interval[0],
                            "theta_high": fit.theta_interval[1],
                            "rmse": fit.rmse,
                            "k_published": HEAPS.k,
                            "theta_published": HEAPS.theta,
                        }
                    )
    return pl.DataFrame(rows)


def growth_rows(
    split: Split, category: str, methods: Mapping[str, str], seed: int
) -> list[dict[str, object]]:
    """Return the vocabulary of a category as its documents, then synthetic ones, are read."""
    corpus = split.data.corpus
    own = corpus.select(split.positive(category))
    rows: list[dict[str, object]] = []
    for shown, method in methods.items():
        counts = synthetic_counts(split, "reuters-full", category, method, 0, seed)
        new = Corpus(
            np.repeat(counts.indices, counts.data).astype(np.int32),
            np.concatenate([[0], np.cumsum(counts.sum(axis=1))]).astype(np.int64),
            corpus.vocabulary,
        )
        curve = growth_curve(own.concatenate(new), shuffles=0)
        # From all original documents on; a point every hundred of the synthetic ones.
        at = np.unique(np.append(np.arange(own.n_documents - 1, len(curve), 100), len(curve) - 1))
        rows += [
            {
                "category": category,
                "method": shown,
                "synthetic_documents": int(i) + 1 - own.n_documents,
                "tokens": int(curve.tokens[i]),
                "words": int(curve.words[i]),
            }
            for i in at
        ]
    return rows


def heaps_table(rows: Sequence[dict[str, object]], fit: HeapsFit) -> pl.DataFrame:
    """Put the law's prediction, of ours and of the published constants, beside the growth."""
    tokens = np.array([row["tokens"] for row in rows], dtype=np.float64)
    return pl.DataFrame(rows).with_columns(
        words_heaps=fit.law.words(tokens),
        words_heaps_published=HEAPS.words(tokens),
    )
