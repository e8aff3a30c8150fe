"""EMCO's own variants by the paper's protocol: weighted documents, and similarity.

Both keep EMCO's words and give back precision: a synthetic document that counts a tenth, or an
extrapolation in which documents near the class count more. Their constants were chosen on training
documents (`benchmarks/similarity.py`), never on the test documents that are scored here.

A module of its own, like everything that ``reproduce`` can be asked for by name.
"""

from typing import Final

import polars as pl
from rich.console import Console

from imbtext.writing import write_text
from paper.averages import comparisons, intervals
from paper.experiments import EXPERIMENTS
from paper.options import Options, Outcome
from paper.running import run_experiments
from paper.tables import against, blocks, markdown_tables, say, write_tables

# Each variant with the method it changes.
VARIANTS: Final = {
    "emco(1, weight=0.1)": "EMCO(1)",
    "emco(0.1, weight=0.1)": "EMCO(0.1)",
    "emco(1, similarity=3)": "EMCO(1)",
    "emco(0.1, similarity=3)": "EMCO(0.1)",
}
# Of HuffPost the five folds, not the whole set once more.
VARIANT_EXPERIMENTS: Final = tuple(name for name in EXPERIMENTS if name != "huffpost-titles")
_MEASURES: Final = ("balanced_accuracy", "f1", "f2", "average_precision")
# Tuning moves the threshold and not the ranking: it has no average precision of its own.
_TUNED: Final = {measure: f"threshold({measure})" for measure in _MEASURES[:3]}
_METHODS: Final = ("svm", *_TUNED.values(), "mco", "emco(1)", "emco(0.1)", *VARIANTS)
_NOTE: Final = (
    "Ours, not published. In brackets: bootstrap 95% interval of the average over categories. "
    r"\* differs from EMCO with the same gamma: Wilcoxon's paired test over categories, "
    "Holm-corrected, p < 0.05. The threshold is plain SVM's, tuned for the measure of the table."
)


def variant_tests(compared: pl.DataFrame) -> pl.DataFrame:
    """Keep the comparisons of each variant with the method it changes."""
    pairs = pl.DataFrame({"method": list(VARIANTS), "reference": list(VARIANTS.values())})
    return compared.join(pairs, on=["method", "reference"], how="semi")


def variants_summary(averages: pl.DataFrame, compared: pl.DataFrame) -> list[str]:
    """Say what each variant gains and loses, over all rows of the tables."""
    lines = []
    for variant, plain in VARIANTS.items():
        phrases = against(averages, compared, variant, plain, _MEASURES)
        if phrases:
            lines.append(f"`{variant}` against {plain}: {'; '.join(phrases)}.")
    return lines


def variants_markdown(averages: pl.DataFrame, compared: pl.DataFrame, signature: str) -> str:
    """Return what was found and the tables, as Markdown."""
    methods = {
        metric: [
            "SVM",
            *([_TUNED[metric]] if metric in _TUNED else []),
            *("MCO", "EMCO(1)", "EMCO(0.1)", *VARIANTS),
        ]
        for metric in _MEASURES
    }
    lines = [f"* {sentence}" for sentence in variants_summary(averages, compared)]
    tables = markdown_tables(blocks(averages, compared, methods))
    return "\n".join([*lines, "", _NOTE, "", *tables, f"`{signature}`", ""])


def reproduce_variants(options: Options, console: Console) -> Outcome:
    """Run the variants beside what they change; write ``variants*.csv`` and ``variants.md``."""
    runs = run_experiments(VARIANT_EXPERIMENTS, options, _METHODS)
    categories = runs.categories()
    if categories.is_empty():
        return runs.outcome
    means = intervals(categories, seed=options.seed)
    compared = variant_tests(comparisons(categories))
    tables = {
        "variants": means,
        "variants_categories": categories.filter(categories["method"].is_in(list(VARIANTS))),
        "variants_comparisons": compared,
    }
    write_tables(options.out, tables)
    text = variants_markdown(means, compared, runs.signature())
    write_text(text, options.out / "variants.md")
    if not options.quiet:
        for sentence in variants_summary(means, compared):
            say(console, sentence)
    return runs.outcome
