"""Synthetic documents for a report: what each gamma would draw.

They are drawn on the training side of the first fold, so that the report shows what the classifier
was given. Only a report needs them, so they are drawn when one is written.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import Record
from imbtext.comparison._plan import Plan
from imbtext.comparison._settings import PLAIN
from imbtext.documents._corpus import Corpus
from imbtext.markov._counts import TransitionCounts
from imbtext.markov._heaps import growth_curve, words_by_heaps
from imbtext.methods._documents import PreparedDocuments
from imbtext.methods._fitting import fit_method
from imbtext.methods._registry import get_method
from imbtext.oversampling._counting import CountingSampler

_N_EXAMPLES: Final = 6
_EXAMPLE_WORDS: Final = 60
_GROWN_DOCUMENTS: Final = 2000
_CURVE_POINTS: Final = 60


def illustrate(plan: Plan, name: str, methods: Sequence[str]) -> Record:
    """Draw synthetic documents of a class with every gamma among `methods`, and describe them.

    The result is empty if no method draws from a Markov chain, if the class already has its share,
    or if it has no words.
    """
    markov = [
        (method, method.sampler)
        for method in map(get_method, methods)
        if isinstance(method.sampler, CountingSampler) and method.scoring is None
    ]
    train, _ = plan.split(name, 0, 0)
    is_class = plan.is_class[name][train]
    data = plan.prepared.select(train).with_features(None)
    class_corpus = data.corpus.select(is_class)
    if not markov or not class_corpus.n_tokens:
        return {}
    problem = plan.problem(data, train, name, plan.seed(name, 0, 0))
    if not problem.n_new:
        return {}
    plain = fit_method(PLAIN, problem, classifier=plan.estimator)
    n_drawn = min(problem.n_new, _GROWN_DOCUMENTS)
    in_class = class_corpus.word_counts() > 0
    gammas, curves = [], {}
    for method, sampler in markov:
        chain = sampler.chain_of(method.request_of(problem))
        synthetic = chain.draw(data.corpus.vocabulary, n_drawn, problem.seed, problem.stream)
        right = plain.predict(data.vectorize(synthetic))
        new = ~in_class[synthetic.ids]
        gammas.append(
            {
                "method": method.name,
                "gamma": chain.gamma,
                "by_heaps": method.parameters.get("gamma") == "heaps",
                "n_new_words": len(np.unique(synthetic.ids[new])),
                "share_new": float(new.mean()) if len(new) else 0.0,
                "found_by_plain": float(right.mean()),
                "examples": [
                    _example(synthetic, i, in_class) | {"right": bool(right[i])}
                    for i in range(min(n_drawn, _N_EXAMPLES))
                ],
            }
        )
        curves[method.name] = _curve(class_corpus.concatenate(synthetic))
    law = _heaps_law(data, class_corpus, n_drawn)
    return {
        "class": name,
        "n_class": int(is_class.sum()),
        "n_class_words": int(in_class.sum()),
        "gammas": _labelled(sorted(gammas, key=lambda entry: (entry["gamma"], entry["method"]))),
        "growth": {"observed": _curve(class_corpus), "law": law, "methods": curves},
    }


def _labelled(gammas: Sequence[Record]) -> list[Record]:
    """Add what an axis calls each gamma, and a sentence; methods that share one go by their names.

    Examples
    --------
    >>> entries = [("mco", 0, False), ("emco(0.1)", 0.1, False), ("emco(heaps)", 0.034, True)]
    >>> entries += [("emco(1)", 1, False), ("emco(1, similarity=3)", 1, False)]
    >>> named = [dict(zip(("method", "gamma", "by_heaps"), e, strict=True)) for e in entries]
    >>> [entry["label"] for entry in _labelled(named)]
    ['0', '0.1', '0.034 (Heaps)', 'emco(1)', 'emco(1, similarity=3)']
    >>> _labelled(named)[0]["title"]
    'gamma 0 (MCO)'
    """
    numbers = [f"{entry['gamma']:.2g}" + " (Heaps)" * entry["by_heaps"] for entry in gammas]
    labelled = []
    for entry, number in zip(gammas, numbers, strict=True):
        label, title = number, f"gamma {number}{' (MCO)' if entry['method'] == 'mco' else ''}"
        if numbers.count(number) > 1:
            label = title = entry["method"]
        labelled.append({**entry, "label": label, "title": title})
    return labelled


def _heaps_law(data: PreparedDocuments, class_corpus: Corpus, n_more: int) -> list[list[float]]:
    """Return how many words the class would have by Heaps' law, with more and more documents."""
    minority = TransitionCounts.of(class_corpus)
    length = class_corpus.n_tokens / minority.n_documents
    steps = np.unique(np.linspace(0, n_more, 25).round().astype(int)).tolist()
    tokens = [class_corpus.n_tokens + step * length for step in steps]
    words = [words_by_heaps(data.transitions(), minority, step) for step in steps]
    return [[float(x), y] for x, y in zip(tokens, words, strict=True)]


def _example(corpus: Corpus, i: int, in_class: NDArray[np.bool_]) -> Record:
    ids = corpus.ids[corpus.offsets[i] : corpus.offsets[i + 1]]
    words = [[str(corpus.vocabulary[i]), bool(in_class[i])] for i in ids[:_EXAMPLE_WORDS]]
    return {"words": words, "n_words": len(ids)}


def _curve(corpus: Corpus) -> list[list[float]]:
    curve = growth_curve(corpus, shuffles=0).thin(_CURVE_POINTS)
    points: list[list[float]] = np.stack([curve.tokens, curve.words], axis=1).tolist()
    return points
