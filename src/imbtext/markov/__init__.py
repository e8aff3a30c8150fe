"""The Markov chain of the paper: what is counted, the matrix P, and drawing from it."""

from imbtext.markov._accumulation import CorpusCounts, CountsAccumulator
from imbtext.markov._chain import MarkovChain
from imbtext.markov._counts import ClassCounts, TransitionCounts
from imbtext.markov._pruning import Pruned, prune
from imbtext.markov._saved import load_counts, save_counts
from imbtext.markov._similarity import SimilarCounts

__all__ = [
    "ClassCounts",
    "CorpusCounts",
    "CountsAccumulator",
    "MarkovChain",
    "Pruned",
    "SimilarCounts",
    "TransitionCounts",
    "load_counts",
    "prune",
    "save_counts",
]
