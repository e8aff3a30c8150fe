"""``python -m paper vocabulary``: how vocabularies grow (section 4.1) and gain words (section 7).

The first half measures, the second runs it all and writes tables and figures beside the published
numbers. A module of its own, like everything that ``reproduce`` can be asked for by name.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import polars as pl
from rich.console import Console
from scipy import sparse

from imbtext.charts import altair, write_chart
from imbtext.datasets import TextDataset, load_reuters, load_stopwords
from imbtext.documents import Corpus
from imbtext.markov import GrowthCurve, growth_curve
from imbtext.methods import Problem, get_method
from imbtext.progress import progress_bar
from imbtext.randomness import keyed_generator
from imbtext.store import UnitKey
from imbtext.writing import write_text
from paper.expansion import ExpansionReport, FamiliarShare, expansion_of_words, familiar_share
from paper.experiments import EXPERIMENTS, n_synthetic
from paper.figures import (
    VOCABULARY_MEASURES,
    expansion_chart,
    heaps_chart,
    trade_chart,
)
from paper.heaps_fit import HeapsFit, fit_heaps
from paper.options import Options, Outcome
from paper.preprocessing import PaperPreprocessor
from paper.published import HEAPS, SYNTHETIC_VOCABULARY, TRADE
from paper.running import STREAM, signature, unit_seed
from paper.splits import Split, prepare
from paper.tables import print_rows, say, write_tables

if TYPE_CHECKING:
    from altair.typing import ChartType

RATIO: Final = 0.2
# The paper's four, then ours; names as in its table and as the registry knows them.
EXPANDING: Final = {
    "EMCO(1)": "emco(1)",
    "EMCO(0.1)": "emco(0.1)",
    "EDA": "eda-published",
    "DECOM": "decom",
    "EMCO(heaps)": "emco(heaps)",
}
GROWING: Final = {**EXPANDING, "MCO": "mco", "ROS": "ros"}
HALVES: Final = 1000
VOCABULARY_REPETITIONS: Final = 5
N_CATEGORIES: Final = 10

Row = TypeVar("Row")


def trade_growth(
    titles: TextDataset, stopwords: Iterable[str], seed: int
) -> tuple[GrowthCurve, FamiliarShare]:
    """Grow the vocabulary of the headlines on "trade" (Figure 1), training and test side together.

    Many halves are drawn where the paper has one. Documents are stems without stopwords, with rare
    words kept: of all ways to read the paper's caption, its numbers are typical in this one only.
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
        problem = Problem(split.data, positive, n_new, unit_seed(key), stream=STREAM)
        resampled = get_method(method).resample(problem)
    if resampled.counts is None:
        raise ValueError(f"method {method!r} writes no documents, so it has no vocabulary")
    return resampled.counts[len(positive) :]


def growth_rows(
    split: Split, category: str, methods: Mapping[str, str], seed: int
) -> list[dict[str, object]]:
    """Return how the vocabulary of a category grows over its own, then over synthetic documents."""
    corpus = split.data.corpus
    documents = corpus.select(split.positive(category))
    rows: list[dict[str, object]] = []
    for title, method in methods.items():
        counts = synthetic_counts(split, "reuters-full", category, method, 0, seed)
        new = Corpus(
            np.repeat(counts.indices, counts.data).astype(np.int32),
            np.append(0, np.cumsum(counts.sum(axis=1))),
            corpus.vocabulary,
        )
        curve = growth_curve(documents.concatenate(new), shuffles=0)
        # The first point is after all original documents, then one every hundred synthetic ones.
        at = np.unique(
            np.append(np.arange(documents.n_documents - 1, len(curve), 100), len(curve) - 1)
        )
        rows += [
            {
                "category": category,
                "method": title,
                "synthetic_documents": int(i) + 1 - documents.n_documents,
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
    for title, method in names.items():
        rates = [_rates(report, n_words) for name, report in reports if name == method]
        if rates:
            recall, tnr, tnr_majority_only, new_words = np.mean(rates, axis=0).tolist()
            rows.append(
                {
                    "method": title,
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
            *(column for name in VOCABULARY_MEASURES for column in (name, f"{name}_published")),
            *("tnr_majority_only", "balanced_accuracy_majority_only"),
        )
    )


def _rates(report: ExpansionReport, n_words: int) -> tuple[float, float, float, float]:
    recall, tnr = np.nan_to_num((report.recall, report.tnr))
    false_positives = report.new_words - recall * report.n_positive
    return recall, 1 - false_positives / (n_words - report.n_positive), tnr, report.new_words


def reproduce_vocabulary(options: Options, console: Console) -> Outcome:
    """Write Figure 1, the table of synthetic vocabularies and the figure on Heaps' law.

    ``options.ratios`` is not used: this part of the paper is at 20%. ``options.methods`` narrows
    the methods, by their names in the registry.
    """
    alt = altair()
    seed, home = options.seed, options.data_home
    stopwords = load_stopwords(data_home=home)
    titles, articles = (load_reuters(text, data_home=home) for text in ("titles", "full"))
    (titles_split,), checksum = prepare(EXPERIMENTS["reuters-titles"], home)
    (full_split,), _ = prepare(EXPERIMENTS["reuters-full"], home)

    curve, halves = trade_growth(titles, stopwords, seed)
    repetitions = options.repetitions or VOCABULARY_REPETITIONS
    expanding = _chosen_methods(EXPANDING, options.methods)
    categories = titles_split.minority_categories(RATIO, options.categories, "Reuters")
    if not categories:
        return Outcome()
    judge = partial(
        expansion_reports,
        methods=list(expanding.values()),
        repetitions=repetitions,
        seed=seed,
    )
    reports = _over_categories(judge, titles_split, categories, options)
    n_words = titles_split.data.corpus.n_words
    vocabulary = vocabulary_table(reports, expanding, n_words, comparable=options.comparable)

    # As the paper fitted it: the training documents as they come, one point per document.
    fit = fit_heaps(growth_curve(full_split.data.corpus, shuffles=0))
    train = len(full_split.train_labels)
    texts = {"titles": titles.texts[:train], "full": articles.texts[:train]}
    chosen = _random_categories(full_split.minority_categories(RATIO, options.categories), seed)
    grow = partial(growth_rows, methods=_chosen_methods(GROWING, options.methods), seed=seed)
    heaps = heaps_table(_over_categories(grow, full_split, chosen, options), fit)

    settings = {
        "seed": seed,
        "ratio": RATIO,
        "repetitions": repetitions,
        "categories": len(categories),
    }
    line = signature(settings, {"reuters": checksum})
    tables = {
        "vocabulary": vocabulary,
        "heaps": heaps,
        "heaps_fits": heaps_fits(texts, stopwords, seed),
        "trade": trade_table(halves),
    }
    write_tables(options.out, tables)
    charts: dict[str, ChartType] = {
        "trade": trade_chart(curve, halves),
        "vocabulary": expansion_chart(vocabulary),
        "heaps": heaps_chart(heaps, fit),
    }
    for name, chart in charts.items():
        for kind in ("svg", "png"):
            write_chart(chart, options.out / f"{name}.{kind}")
    page = alt.vconcat(*charts.values()).resolve_scale(color="independent", shape="independent")
    write_chart(page, options.out / "vocabulary.html")
    write_text(line + "\n", options.out / "signature.txt")
    if not options.quiet:
        _print(console, vocabulary, fit, halves, len(curve))
        say(console, line, style="dim")
    sets = heaps.select("category", "method").n_unique()
    return Outcome(computed=len(reports) + sets)


def _chosen_methods(methods: Mapping[str, str], names: Sequence[str] | None) -> dict[str, str]:
    """Return the named methods, as the table or as the registry calls them; None names all."""
    if names is None:
        return dict(methods)
    lowered = {name.lower() for name in names}
    chosen = {
        title: method
        for title, method in methods.items()
        if method in names or title.lower() in lowered
    }
    if not chosen:
        raise ValueError(
            f"none of {', '.join(names)} writes documents in this experiment; "
            f"choose from {', '.join(methods.values())}"
        )
    return chosen


def _random_categories(categories: Sequence[str], seed: int) -> list[str]:
    """Choose the categories of the figure at random, as the paper did."""
    n = min(N_CATEGORIES, len(categories))
    random = keyed_generator(seed, 0)
    return sorted(random.choice(list(categories), size=n, replace=False).tolist())


def _over_categories(
    function: Callable[[Split, str], list[Row]],
    split: Split,
    categories: Sequence[str],
    options: Options,
) -> list[Row]:
    """Call a function for every category, over the pool; rows come in the order of categories."""
    with progress_bar(quiet=options.quiet) as bar:
        finished = options.pool.completed(function, categories, shared=split)
        rows = dict(bar.track(finished, total=len(categories), description="vocabulary"))
    return [row for category in categories for row in rows[category]]


def _print(
    console: Console,
    vocabulary: pl.DataFrame,
    fit: HeapsFit,
    halves: FamiliarShare,
    n_documents: int,
) -> None:
    new, (published, familiar) = halves.new_words, TRADE.values()
    say(
        console,
        f'"trade": {new.mean():.0f} new words from half to all of {n_documents} headlines '
        f"({new.min()} to {new.max()} over {len(new)} halves), {halves.share:.0%} of them "
        f"familiar; published: {published}, {familiar / published:.0%}",
    )
    rows = [
        [row["method"], *(_value_beside_published(row, name) for name in VOCABULARY_MEASURES)]
        for row in vocabulary.to_dicts()
    ]
    title = "Synthetic vocabularies, Reuters headlines, 20% (in parentheses: published)"
    print_rows(console, title, [name.replace("_", " ") for name in VOCABULARY_MEASURES], rows)
    say(
        console,
        f"Heaps' law on the full training articles: k {fit.k:.1f} (95% interval "
        f"{fit.k_interval[0]:.1f} to {fit.k_interval[1]:.1f}), theta {fit.theta:.3f} "
        f"({fit.theta_interval[0]:.3f} to {fit.theta_interval[1]:.3f}); published: {HEAPS.k:.0f}, "
        f"{HEAPS.theta}",
    )


def _value_beside_published(row: Mapping[str, Any], name: str) -> str:
    published = row[f"{name}_published"]
    value = f"{row[name]:.{1 if name == 'new_words' else 3}f}"
    return value if published is None else f"{value} ({published:g})"
