"""The one way from counts to what documents are drawn from, for every door to EMCO and MCO."""

from typing import Any

from imbtext.markov import ClassCounts, MarkovChain, SimilarCounts, TransitionCounts


def class_chain(
    total: TransitionCounts,
    own: ClassCounts,
    gamma: float | str,
    n: int = 0,
    label: Any = None,
    similar: SimilarCounts | None = None,
) -> MarkovChain:
    """Return the chain of a class: from the counts of all documents and those of its own.

    `gamma` may be ``"heaps"``, which depends on the number `n` of synthetic documents. `similar`
    is the other documents counted by their similarity to the class, instead of alike. An error
    calls the class `label`.
    """
    if not len(own.word_ids):
        raise ValueError(
            f"{'the class' if label is None else f'class {label!r}'} has no document with a word "
            "in it, so there is nothing to learn a chain from; look at its documents and at the "
            "tokenizer"
        )
    if similar is not None:
        total = similar.total(total, own)
    if gamma == "heaps":
        # scipy's optimisers take a while to import: only where a gamma is to be chosen.
        from imbtext.vocabulary import gamma_by_heaps

        gamma = gamma_by_heaps(total, own.counts, n, word_ids=own.word_ids)
    return MarkovChain.extrapolate(total, own.counts, float(gamma), own.word_ids)
