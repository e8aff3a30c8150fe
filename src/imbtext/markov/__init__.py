"""The paper's Markov chain: transition counts, the matrix P, and drawing.

Documents become a `TransitionCounts` (or, in batches, a `CorpusCounts` by way of a
`CountsAccumulator`); counts of everything and of one class become a `MarkovChain`; the chain draws
documents. Counts can be added, saved and loaded on the way.
"""

from typing import TYPE_CHECKING

from imbtext._names import no_attribute
from imbtext.markov._accumulation import CorpusCounts, CountsAccumulator
from imbtext.markov._chain import MarkovChain
from imbtext.markov._counts import ClassCounts, TransitionCounts
from imbtext.markov._heaps import (
    GrowthCurve,
    HeapsLaw,
    expected_visits,
    expected_vocabulary,
    gamma_by_heaps,
    growth_curve,
    rarefied_words,
    words_by_heaps,
)
from imbtext.markov._saved import load_counts, save_counts

__all__ = [
    "ClassCounts",
    "CorpusCounts",
    "CountsAccumulator",
    "GrowthCurve",
    "HeapsLaw",
    "MarkovChain",
    "TransitionCounts",
    "expected_visits",
    "expected_vocabulary",
    "gamma_by_heaps",
    "growth_curve",
    "load_counts",
    "rarefied_words",
    "save_counts",
    "words_by_heaps",
]

if not TYPE_CHECKING:  # types know the names that exist
    __getattr__ = no_attribute(__name__)
