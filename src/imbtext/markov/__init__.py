"""The Markov chain of the paper: what is counted, the matrix P, and drawing from it."""

from imbtext.markov.chain import MarkovChain
from imbtext.markov.counts import ClassCounts, TransitionCounts

__all__ = ["ClassCounts", "MarkovChain", "TransitionCounts"]
