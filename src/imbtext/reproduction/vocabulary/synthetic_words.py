"""Section 7 of the paper: the new words that synthetic documents bring, and how many are right."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl
from scipy import sparse

from imbtext.evaluation.store import UnitKey
from imbtext.methods import Request, get_method
from imbtext.reproduction.experiments import chosen_categories, is_oversampled, n_synthetic
from imbtext.reproduction.published_values import SYNTHETIC_VOCABULARY
from imbtext.reproduction.splits import Split
from imbtext.reproduction.units import STREAM, unit_seed
from imbtext.vocabulary import ExpansionReport, expansion_of_words

RATIO: Final = 0.2
# The paper's four, then ours; names as in its table and as the registry knows them.
EXPANDING: Final = {
    "EMCO(1)": "emco(1)",
    "EMCO(0.1)": "emco(0.1)",
    "EDA": "eda(published=true)",
    "DECOM": "decom",
    "EMCO(heaps)": "emco(heaps)",
}
MEASURES: Final = {
    "recall": "Recall",
    "tnr": "True negative rate",
    "balanced_accuracy": "Balanced accuracy",
    "new_words": "New words",
}


def minority_categories(split: Split, wanted: Sequence[str] | None = None) -> list[str]:
    """Return the categories that are oversampled at 20 %, all of them or those wanted."""
    return [
        category
        for category in chosen_categories(wanted, split.categories, "Reuters")
        if is_oversampled(split.share(category), RATIO)
    ]


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
