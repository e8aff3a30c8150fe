"""The Markov chain of the paper: what is counted, the matrix P, and drawing from it."""

from imbtext.markov._accumulation import CorpusCounts, CountsAccumulator
from imbtext.markov._chain import MarkovChain
from imbtext.markov._counts import ClassCounts, TransitionCounts

__all__ = [
    "ClassCounts",
    "CorpusCounts",
    "CountsAccumulator",
    "MarkovChain",
    "TransitionCounts",
]
