"""Sections 4.1 and 7 of the paper in numbers: vocabularies of Reuters, grown and oversampled."""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import joblib
import numpy as np
import polars as pl
from scipy import sparse

from imbtext.corpus import Corpus
from imbtext.datasets import TextDataset
from imbtext.evaluation.store import UnitKey
from imbtext.methods import get_method
from imbtext.reproduction.protocol import Split, is_oversampled, n_synthetic
from imbtext.reproduction.published import HEAPS, SYNTHETIC_VOCABULARY
from imbtext.reproduction.scoring import unit_seed
from imbtext.tokenization import PaperPreprocessor
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
REPETITIONS: Final = 5
HALVES: Final = 1000
N_CATEGORIES: Final = 10
TRADE_CATEGORY: Final = "trade"
# The paper's four, then ours; names as in its table and as the registry knows them.
EXPANDING: Final = {
    "EMCO(1)": "emco(1)",
    "EMCO(0.1)": "emco(0.1)",
    "EDA": "eda(published=true)",
    "DECOM": "decom",
    "EMCO(heaps)": "emco(heaps)",
}
GROWING: Final = {**EXPANDING, "MCO": "mco", "ROS": "ros"}
RATES: Final = ("recall", "tnr", "balanced_accuracy")


@dataclass(frozen=True, eq=False)
class TradeFigure:
    """Figure 1 for all headlines on "trade", and what many halves give instead of one."""

    curve: GrowthCurve
    halves: FamiliarShare
    n_documents: int


def trade_figure(titles: TextDataset, stopwords: Iterable[str], seed: int) -> TradeFigure:
    """Grow the vocabulary of the headlines on "trade", training and test side together.

    Stems without stopwords, rare ones kept: of the ways to read the paper's caption, the one in
    whose halves its numbers (211 new words, 156 familiar) are ordinary ones.
    """
    corpus = PaperPreprocessor(sorted(stopwords), min_count=1).fit_transform(titles.texts)
    is_trade = titles.is_category(TRADE_CATEGORY)
    return TradeFigure(
        growth_curve(corpus.select(is_trade), shuffles=100, random_state=seed),
        familiar_share(corpus, is_trade, halves=HALVES, random_state=seed),
        int(is_trade.sum()),
    )


def trade_table(figure: TradeFigure) -> pl.DataFrame:
    """Return the new and the familiar words of each half."""
    return pl.DataFrame(
        {
            "half": np.arange(len(figure.halves.new_words)),
            "new_words": figure.halves.new_words,
            "familiar_words": figure.halves.familiar_words,
            "familiar_share": figure.halves.shares,
        }
    )


def minority_categories(split: Split, wanted: Sequence[str] | None = None) -> list[str]:
    """Return the categories that are oversampled at 20 %, all of them or those wanted."""
    unknown = sorted(set(wanted or ()) - set(split.categories))
    if unknown:
        raise ValueError(
            f"Reuters has no category {unknown[0]!r}; its categories are "
            f"{', '.join(split.categories)}"
        )
    return [
        category
        for category in split.categories
        if is_oversampled(split.share(category), RATIO) and (not wanted or category in wanted)
    ]


def _synthetic(
    split: Split, experiment: str, category: str, method: str, repetition: int, seed: int
) -> sparse.csr_array:
    """Return the word counts of the synthetic documents of a category."""
    positive = split.positive(category)
    n_new = n_synthetic(len(positive), int(positive.sum()), RATIO)
    key = UnitKey(experiment, 0, category, RATIO, method, repetition, seed, "")
    resampled = get_method(method).resample(split.data, positive, n_new, unit_seed(key))
    if resampled.counts is None:
        raise ValueError(f"method {method!r} writes no documents, so it has no vocabulary")
    return resampled.counts[len(positive) :]


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
            counts = _synthetic(split, "reuters-titles", category, method, repetition, seed)
            synthetic = np.zeros(corpus.n_words, dtype=bool)
            synthetic[counts.indices] = True
            reports.append((method, expansion_of_words(minority, synthetic, unseen)))
    return reports


def vocabulary_table(
    reports: Iterable[tuple[str, ExpansionReport]], names: dict[str, str], n_words: int
) -> pl.DataFrame:
    """Average the reports of all categories; each figure beside its published one.

    Categories weigh equally. A recall without positives counts 0, as in scikit-learn. The text of
    the paper classifies majority-only words; its true negative rates come out if the words of the
    minority vocabulary are counted among the true negatives too. So ``tnr`` is taken over all
    `n_words` words, and ``tnr_majority_only`` is what the text defines.
    """
    published = {row.method: row for row in SYNTHETIC_VOCABULARY}
    by_method: dict[str, list[ExpansionReport]] = {}
    for method, report in reports:
        by_method.setdefault(method, []).append(report)
    rows = []
    for shown, method in names.items():
        mine = by_method.get(method, [])
        if not mine:
            continue
        recall, tnr, tnr_majority_only, new_words = np.mean(
            [_figures(report, n_words) for report in mine], axis=0
        ).tolist()
        row = published.get(shown)
        rows.append(
            {
                "method": shown,
                "recall": recall,
                "recall_published": row.recall if row else None,
                "tnr": tnr,
                "tnr_published": row.tnr if row else None,
                "balanced_accuracy": (recall + tnr) / 2,
                "balanced_accuracy_published": row.balanced_accuracy if row else None,
                "new_words": new_words,
                "new_words_published": row.synthetic_words if row else None,
                "tnr_majority_only": tnr_majority_only,
                "balanced_accuracy_majority_only": (recall + tnr_majority_only) / 2,
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def _figures(report: ExpansionReport, n_words: int) -> tuple[float, float, float, float]:
    recall, tnr = np.nan_to_num((report.recall, report.tnr))
    false_positives = report.new_words - recall * report.n_positive
    return recall, 1 - false_positives / (n_words - report.n_positive), tnr, report.new_words


def heaps_fit(split: Split) -> HeapsFit:
    """Fit the law as the paper did: the training documents as they come, one point a document."""
    return fit_heaps(growth_curve(split.data.corpus, shuffles=0))


def heaps_fits(
    texts: dict[str, Sequence[str]], stopwords: Iterable[str], seed: int
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
    split: Split, category: str, methods: dict[str, str], seed: int
) -> list[dict[str, object]]:
    """Return the vocabulary of a category as its documents, then synthetic ones, are read."""
    corpus = split.data.corpus
    own = corpus.select(split.positive(category))
    rows: list[dict[str, object]] = []
    for shown, method in methods.items():
        counts = _synthetic(split, "reuters-full", category, method, 0, seed)
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


def heaps_table(rows: list[dict[str, object]], fit: HeapsFit) -> pl.DataFrame:
    """Put the law's prediction, of ours and of the published constants, beside the growth."""
    tokens = np.array([row["tokens"] for row in rows], dtype=np.float64)
    return pl.DataFrame(rows).with_columns(
        words_heaps=fit.law.words(tokens),
        words_heaps_published=HEAPS.k * tokens**HEAPS.theta,
    )


def each_category(
    function: str, split: Split, categories: Sequence[str], arguments: tuple[object, ...], jobs: int
) -> Iterator[list[object]]:
    """Call a function of this module for every category, over `jobs` processes, in order."""
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        yield from joblib.Parallel(n_jobs=jobs, return_as="generator")(
            joblib.delayed(_quietly)(function, split, category, arguments)
            for category in categories
        )


def _quietly(
    function: str, split: Split, category: str, arguments: tuple[object, ...]
) -> list[object]:
    with warnings.catch_warnings():
        # Topic models of one document and the like: the paper's own setting, said once in docs.
        warnings.simplefilter("ignore")
        result: list[object] = globals()[function](split, category, *arguments)
    return result
