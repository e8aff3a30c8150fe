"""What gamma does to documents: examples, new words and vocabulary growth, for a reader's eye.

Shown on the training side of the first fold, so that what the report shows is what the classifier
was given.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from imbtext.comparison._experiment import Experiment, fold_seed
from imbtext.documents import Corpus
from imbtext.markov import TransitionCounts
from imbtext.methods import MarkovDocuments, fit_method, get_method
from imbtext.vocabulary import growth_curve, words_by_heaps

N_EXAMPLES: Final = 6
_WORDS_SHOWN: Final = 60
_GROWN_DOCUMENTS: Final = 2000
_CURVE_POINTS: Final = 60


def illustrate(experiment: Experiment, name: str, methods: Sequence[str]) -> dict[str, Any]:
    """Draw synthetic documents of a class with every gamma among `methods`, and look at them.

    Empty where no method draws from a Markov chain, nothing is missing, or the class has no words.
    """
    markov = [
        (method, method.resampler)
        for method in map(get_method, methods)
        if isinstance(method.resampler, MarkovDocuments) and method.scoring is None
    ]
    train, _ = experiment.split(name, 0, 0)
    members = experiment.members[name][train]
    data = experiment.data.select(train).with_features(None)
    class_corpus = data.corpus.select(members)
    if not markov or not class_corpus.n_tokens:
        return {}
    request = experiment.request(data, train, name, fold_seed(experiment.seed, name, 0, 0))
    if not request.n_new:
        return {}
    minority = TransitionCounts.of(class_corpus)
    plain = fit_method("svm", request, classifier=experiment.classifier)
    shown = min(request.n_new, _GROWN_DOCUMENTS)
    own = class_corpus.word_counts() > 0
    gammas, curves = [], {}
    for method, resampler in markov:
        chain = resampler.chain(request)
        synthetic = chain.draw(data.corpus.vocabulary, shown, request.seed, request.stream)
        right = plain.predict(data.vectorize(synthetic))
        new = ~own[synthetic.ids]
        gammas.append(
            {
                "method": method.name,
                "gamma": chain.gamma,
                "by_heaps": method.parameters.get("gamma") == "heaps",
                "n_new_words": len(np.unique(synthetic.ids[new])),
                "share_new": float(new.mean()) if len(new) else 0.0,
                "found_by_plain": float(right.mean()),
                "examples": [
                    _example(synthetic, i, own) | {"right": bool(right[i])}
                    for i in range(min(shown, N_EXAMPLES))
                ],
            }
        )
        curves[method.name] = _curve(class_corpus.concatenate(synthetic))
    steps = np.unique(np.linspace(0, shown, 25).round().astype(int))
    length = class_corpus.n_tokens / minority.n_documents
    law = [
        [
            float(class_corpus.n_tokens + step * length),
            words_by_heaps(data.transitions(), minority, int(step)),
        ]
        for step in steps
    ]
    return {
        "class": name,
        "n_class": int(members.sum()),
        "n_class_words": int(own.sum()),
        "gammas": sorted(gammas, key=lambda entry: (entry["gamma"], entry["method"])),
        "growth": {"observed": _curve(class_corpus), "law": law, "methods": curves},
    }


def _example(corpus: Corpus, row: int, own: NDArray[np.bool_]) -> dict[str, Any]:
    ids = corpus.ids[corpus.offsets[row] : corpus.offsets[row + 1]]
    words = [[str(corpus.vocabulary[i]), bool(own[i])] for i in ids[:_WORDS_SHOWN]]
    return {"words": words, "n_words": len(ids)}


def _curve(corpus: Corpus) -> list[list[float]]:
    curve = growth_curve(corpus, shuffles=0).thin(_CURVE_POINTS)
    return np.stack([curve.tokens, curve.words], axis=1).tolist()
