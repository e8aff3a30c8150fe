"""Every compiled function, on the awkward cases, with bounds checking on.

``test_compiled_code.py`` runs this in a process of its own, because numba reads
``NUMBA_BOUNDSCHECK`` when it is imported and takes code from its cache without looking at it. A
case may be refused with a ValueError. It must not read or write outside an array, which is an
IndexError here, and no error at all otherwise. At the end it prints the compiled functions that no
case reached, and those that were compiled once more for arrays with gaps.
"""

import importlib
import itertools
import pkgutil
import sys
import traceback
import warnings

import numpy as np
from numba.core.registry import CPUDispatcher
from scipy import sparse

import imbtext
from imbtext import DECOM, DRO, EDA, EMCO, MCO, Labelling, RareTextClassifier, minority_share
from imbtext._compilation import compiled
from imbtext.documents import Corpus
from imbtext.documents._duplicates import near_duplicate_groups
from imbtext.documents._folds import deal_folds, group_folds
from imbtext.markov import TransitionCounts
from imbtext.markov._chain import MarkovChain
from imbtext.markov._surface import SurfaceCounts
from imbtext.oversampling.eda_operations import Rates, augment
from imbtext.oversampling.synonyms import SynonymTable, synonym_lookup

SYNONYMS = {"oil": ["crude oil", "petroleum"], "up": ["upward"], "gold": ["gold"]}
# Texts and labels: "a" is the rare class of each.
CORPORA = {
    "one document a class": (["oil up"], ["gold down"]),
    "one word": (["oil"], ["oil", "oil"]),
    "one word again and again": (["oil oil oil"], ["oil oil", "oil"]),
    "empty documents": (["", "oil up", ""], ["", "", "gold", "gold up down", ""]),
    "a class without words": (["", ""], ["oil up", "gold", "gold"]),
    "the others without words": (["oil up", "oil"], ["", "", "", ""]),
    "no words at all": (["", "."], ["", "-", ""]),
    "nothing in common": (["oil up oil", "oil up"], ["gold down rain", "rain", "down", "rain"]),
    "a long document": (["oil " * 300 + "up", "up"], ["gold", "rain " * 500, "gold up", "oil"]),
    "many words": (
        [" ".join(f"word{i}" for i in range(j, 700, 3)) for j in range(3)],
        [" ".join(f"word{i}" for i in range(j, 1000, 7)) for j in range(7)],
    ),
}
NEW = ["", "unknown words only", "oil", "oil up gold", "word1 word2 " * 300, "."]


def tried(name, function):
    """Run a case; a ValueError is an answer."""
    try:
        function()
    except ValueError:
        pass
    except Exception:
        traceback.print_exc()
        sys.exit(f"the case {name!r} failed")


def chains(texts, is_rare):
    corpus = Corpus.from_tokens([text.split() for text in texts])
    rare = np.flatnonzero(is_rare)
    for gamma in (0.0, 0.1, 1.0, 2.0**53, 1e308):

        def draw(gamma=gamma):
            total = TransitionCounts.of(corpus)
            minority = TransitionCounts.of(corpus.select(rare))
            chain = MarkovChain.extrapolate(total, minority, gamma)
            for n, length in itertools.product((0, 1, 7), (None, 1, 50)):
                chain.draw(corpus.vocabulary, n, 3, first=5, length=length, n_jobs=2)

        tried(f"chain with gamma {gamma}", draw)


def samplers(texts, labels):
    strategy = minority_share(0.9)
    for sampler in (
        EMCO(0.5, sampling_strategy=strategy, random_state=0),
        EMCO("heaps", sampling_strategy=strategy, random_state=0),
        EMCO(0.5, similarity=2.0, sampling_strategy=strategy, random_state=0),
        EMCO(0.5, surface=True, sampling_strategy=strategy, random_state=0),
        MCO(surface=True, sampling_strategy=strategy, random_state=0),
        EDA(synonyms=SYNONYMS, sampling_strategy=strategy, random_state=0),
        EDA(synonyms={}, p_rd=1.0, sampling_strategy=strategy, random_state=0, n_jobs=3),
    ):
        tried(repr(sampler), lambda sampler=sampler: sampler.fit_resample(texts, labels))


def edits(texts):
    corpus = Corpus.from_tokens([text.split() for text in texts])
    table = SynonymTable.of(corpus.vocabulary, synonym_lookup(SYNONYMS))
    only = [Rates(*row) for row in np.eye(4)]
    for rates, copies, fixed in itertools.product((Rates(), *only), (0, 1, 9), (False, True)):
        tried(
            f"{copies} copies by {rates}",
            lambda rates=rates, copies=copies, fixed=fixed: augment(
                corpus, table, copies, rates, seed=1, n_jobs=2, fixed_insertions=fixed
            ),
        )


def vectors(texts, is_rare):
    corpus = Corpus.from_tokens([text.split() for text in texts])
    counts = sparse.csr_matrix(corpus.counts())
    decom = DECOM(n_topics=2, max_iter=3, random_state=0)
    tried("DECOM", lambda: decom.fit_resample(counts, is_rare))
    for latent in ("documents", "words", "topics"):

        def learn(latent=latent):
            dro = DRO(latent=latent, random_state=0).fit(counts.astype(float), is_rare)
            for rows in (counts, sparse.csr_matrix(counts.shape), counts[:1], 50 * counts):
                dro.predict(rows.astype(float))

        tried(f"DRO on {latent}", learn)


def surfaces(texts):
    from imbtext.documents import encode_texts

    corpus = encode_texts(texts)
    surface = SurfaceCounts.of(texts, corpus)
    backwards = Corpus.from_tokens(
        [document[::-1] for document in corpus.tokens()], corpus.vocabulary
    )
    for documents in (corpus, backwards, corpus.select([])):
        tried("surface", lambda documents=documents: surface.write(documents, seed=1))
    other = Corpus.from_tokens([["oil", *(f"other{i}" for i in range(5000))]])
    tried("surface of other words", lambda: surface.write(other, seed=1))


def sizes(texts):
    """Return vectors without code of others."""
    return np.array([[len(text), text.count("o"), 1.0] for text in texts]).reshape(-1, 3)


def classifiers(texts, labels):
    several = [{label, f"{label}{i % 17}"} for i, label in enumerate(labels)]
    many = [f"{label}{i % 17}" for i, label in enumerate(labels)]
    for features, y in itertools.product(
        ("words", "words+pairs", "characters", "auto", ["auto", "meaning"], [sizes, "words"]),
        (labels, several, many),
    ):

        def learn(features=features, y=y):
            model = RareTextClassifier(features=features, random_state=0).fit(texts, y)
            model.predict_proba(NEW)
            model.predict_proba([])
            model.predict(texts)
            model.explain(NEW[3])

        tried(f"RareTextClassifier on {features}", learn)


def readings(texts, is_rare):
    def read(encoder):
        loop = Labelling(texts, encoder=encoder, random_state=0)
        while rows := list(loop.next(3)):
            loop.add(rows, is_rare[rows].tolist())
            loop.progress()
        loop.explain(0)

    tried("Labelling", lambda: read(None))
    tried("Labelling by meaning", lambda: read(sizes))


def folds(texts):
    corpus = Corpus.from_tokens([text.split() for text in texts])
    for overlap in (0.01, 0.8, 1.0):
        near_duplicate_groups(corpus, overlap)
    near_duplicate_groups(Corpus.from_tokens([]))
    n = len(texts)
    for n_folds in (1, 2, 7):
        groups = np.arange(n) // 2
        tried("folds", lambda g=groups, k=n_folds: deal_folds([np.arange(n)], n, g, k, 1))
        tried("no class", lambda g=groups, k=n_folds: deal_folds([np.arange(0)], n, g, k, 1))
        for n_strata in (1, 2, 40):  # sums of more than eight numbers are added in another order
            strata = np.arange(n) % n_strata
            tried("strata", lambda s=strata, g=groups, k=n_folds: group_folds(s, g, k, 1))


def kernels():
    """Return our compiled functions by name."""
    found = {}
    for module in pkgutil.walk_packages(imbtext.__path__, "imbtext."):
        if "._" not in module.name or "neural" in module.name:  # no kernels there, and slow
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, CPUDispatcher) and value.py_func.__module__ == module.name:
                found[f"{module.name}.{name}"] = value
    return found


def has_gaps(signature):
    """Say whether an argument is an array whose values do not lie side by side."""
    return any(getattr(argument, "layout", "C") != "C" for argument in signature)


def main():
    warnings.simplefilter("ignore")
    try:
        compiled(lambda values: values[3])(np.zeros(3))
    except IndexError:
        pass
    else:
        sys.exit("bounds are not checked; set NUMBA_BOUNDSCHECK=1")
    for name, (rare, others) in CORPORA.items():
        print(name, flush=True)
        texts, labels = rare + others, ["a"] * len(rare) + ["b"] * len(others)
        is_rare = np.array(labels) == "a"
        chains(texts, is_rare)
        samplers(texts, labels)
        edits(texts)
        vectors(texts, is_rare)
        surfaces(texts)
        classifiers([*texts] * 5, [*labels] * 5)
        readings([*texts] * 5, np.tile(is_rare, 5))
        folds(texts)
    found = kernels()
    if names := [name for name, kernel in found.items() if not kernel.signatures]:
        sys.exit(f"no case reaches {', '.join(names)}")
    # Seconds for whoever calls it first, and slower ever after. What a kernel calls is its affair.
    called = {name: kernel for name, kernel in found.items() if not kernel.__name__.startswith("_")}
    if names := [name for name, kernel in called.items() if any(map(has_gaps, kernel.signatures))]:
        sys.exit(f"pass contiguous arrays to {', '.join(names)}")


if __name__ == "__main__":
    main()
