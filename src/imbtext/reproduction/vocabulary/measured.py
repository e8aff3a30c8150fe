"""What the paper measures of vocabularies: their growth (section 4.1) and new words (section 7)."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl
from scipy import sparse

from imbtext.datasets import TextDataset
from imbtext.documents import Corpus, PaperPreprocessor, offsets_of
from imbtext.methods import Request, get_method
from imbtext.reproduction.experiments import n_synthetic
from imbtext.reproduction.published_values import HEAPS, SYNTHETIC_VOCABULARY
from imbtext.reproduction.splits import Split
from imbtext.reproduction.units import STREAM, unit_seed
from imbtext.store import UnitKey
from imbtext.vocabulary import (
    ExpansionReport,
    FamiliarShare,
    GrowthCurve,
    HeapsFit,
    expansion_of_words,
    familiar_share,
    fit_heaps,
    growth_curve,
)

RATIO: Final = 0.2
# The paper's four, then ours; names as in its table and as the registry knows them.
EXPANDING: Final = {
    "EMCO(1)": "emco(1)",
    "EMCO(0.1)": "emco(0.1)",
    "EDA": "eda(published=true)",
    "DECOM": "decom",
    "EMCO(heaps)": "emco(heaps)",
}
HALVES: Final = 1000
MEASURES: Final = {
    "recall": "Recall",
    "tnr": "True negative rate",
    "balanced_accuracy": "Balanced accuracy",
    "new_words": "New words",
}


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


def synthetic_counts(
    split: Split, experiment: str, category: str, method: str, repetition: int, seed: int
) -> sparse.csr_array:
    """Return the word counts of the synthetic documents of a category."""
    positive = split.positive(category)
    n_new = n_synthetic(len(positive), int(positive.sum()), RATIO)
    key = UnitKey(experiment, 0, category, RATIO, method, repetition, seed, "")
    with warnings.catch_warnings():
        # Topic models of one document and the like: the paper's own setting, said once in docs.
        warnings.simplefilter("ignore")
        request = Request(split.data, positive, n_new, unit_seed(key), stream=STREAM)
        resampled = get_method(method).resample(request)
    if resampled.counts is None:
        raise ValueError(f"method {method!r} writes no documents, so it has no vocabulary")
    return resampled.counts[len(positive) :]


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
            offsets_of(counts.sum(axis=1)),
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


def expansion_reports(
    split: Split, category: str, methods: Sequence[str], repetitions: int, seed: int
) -> list[tuple[str, ExpansionReport]]:
    """Judge the new words that each method brings to one category, repetition by repetition."""
    corpus = split.data.corpus
    minority = corpus.select(split.positive(category)).word_counts() > 0
    test = split.test[np.flatnonzero(split.test_positive(category))]
    unseen = np.zeros(corpus.n_words, dtype=bool)
    unseen[test.indices] = True
    reports = []
    for method in methods:
        for repetition in range(repetitions):
            counts = synthetic_counts(split, "reuters-titles", category, method, repetition, seed)
            synthetic = np.zeros(corpus.n_words, dtype=bool)
            synthetic[counts.indices] = True
            reports.append((method, expansion_of_words(minority, synthetic, unseen)))
    return reports


def vocabulary_table(
    reports: Sequence[tuple[str, ExpansionReport]],
    names: Mapping[str, str],
    n_words: int,
    *,
    comparable: bool = True,
) -> pl.DataFrame:
    """Average the reports of all categories; each value beside its published one.

    Categories weigh equally. A recall without positives counts 0, as in scikit-learn. The text of
    the paper classifies majority-only words; its true negative rates come out if the words of the
    minority vocabulary are counted among the true negatives too. So ``tnr`` is taken over all
    `n_words` words, and ``tnr_majority_only`` is what the text defines. Published values are left
    empty where the reports are not those of all categories and so not `comparable`.
    """
    rows = []
    for shown, method in names.items():
        figures = [_figures(report, n_words) for name, report in reports if name == method]
        if figures:
            recall, tnr, tnr_majority_only, new_words = np.mean(figures, axis=0).tolist()
            rows.append(
                {
                    "method": shown,
                    "recall": recall,
                    "tnr": tnr,
                    "balanced_accuracy": (recall + tnr) / 2,
                    "new_words": new_words,
                    "tnr_majority_only": tnr_majority_only,
                    "balanced_accuracy_majority_only": (recall + tnr_majority_only) / 2,
                }
            )
    published = SYNTHETIC_VOCABULARY if comparable else SYNTHETIC_VOCABULARY.clear()
    return (
        pl.DataFrame(rows)
        .join(published, on="method", how="left", maintain_order="left")
        .select(
            "method",
            *(column for name in MEASURES for column in (name, f"{name}_published")),
            *("tnr_majority_only", "balanced_accuracy_majority_only"),
        )
    )


def _figures(report: ExpansionReport, n_words: int) -> tuple[float, float, float, float]:
    recall, tnr = np.nan_to_num((report.recall, report.tnr))
    false_positives = report.new_words - recall * report.n_positive
    return recall, 1 - false_positives / (n_words - report.n_positive), tnr, report.new_words
