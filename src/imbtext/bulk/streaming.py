"""Synthetic documents from documents that come in batches, in memory that does not grow with them.

Counts add, so the transitions are counted batch by batch on a vocabulary that grows, and put in
the sorted order of its words at the end: the documents drawn are those that
:meth:`imbtext.EMCO.fit_resample` draws from the same rows at once.
"""

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse

from imbtext.corpus import Corpus
from imbtext.markov import MarkovChain, TransitionCounts
from imbtext.oversampling._base import BaseTextOverSampler
from imbtext.randomness import draw_seed
from imbtext.tokenization import encode_texts

# Texts and labels of some rows.
Batches = Callable[[], Iterable[tuple[Sequence[str], Sequence[Hashable]]]]

METHODS = ("emco", "mco", "ros", "eda")
_DRAWN_AT_ONCE = 20_000


@dataclass(frozen=True)
class Request:
    """What to generate: the method and its settings, and how many documents of which class.

    Attributes
    ----------
    present : mapping of labels to int
        All classes and their sizes, in sorted order; the order numbers the random streams.
    targets : mapping of labels to int
        The sizes to reach.
    """

    present: Mapping[Hashable, int]
    targets: Mapping[Hashable, int]
    method: str = "emco"
    gamma: float | str = 1.0
    order: int = 1
    seed: int | None = 0
    n_jobs: int | None = None

    def missing(self) -> dict[Hashable, int]:
        """Return how many documents to generate of each class, where there are any."""
        new = {label: n - self.present[label] for label, n in self.targets.items()}
        return {label: n for label, n in new.items() if n > 0}


def generate(batches: Batches, request: Request) -> Iterator[tuple[Hashable, list[str]]]:
    """Yield synthetic documents, class by class, some at a time.

    Parameters
    ----------
    batches : callable
        Starts a pass over all rows; called once.
    request : Request
        What to generate.
    """
    if request.method in ("emco", "mco"):
        yield from _markov(batches, request)
    elif request.method in ("ros", "eda"):
        yield from _from_class_documents(batches, request)
    else:
        raise ValueError(
            f"the method {request.method!r} is not known; the methods that make documents are "
            f"{', '.join(METHODS)}"
        )


def _markov(batches: Batches, request: Request) -> Iterator[tuple[Hashable, list[str]]]:
    missing = request.missing()
    streams = {label: i for i, label in enumerate(request.present)}
    vocabulary = GrowingVocabulary()
    total = _Sum(vocabulary, request.order)
    own = {label: _Sum(vocabulary, request.order) for label in missing}
    for texts, labels in batches():
        corpus = vocabulary.encode(texts)
        total.add(corpus)
        for label, rows in _rows_by_label(labels, own).items():
            own[label].add(corpus.select(rows))
    words, new_ids = vocabulary.sorted()
    whole = total.result().relabel(new_ids, len(words))
    del total
    seed = draw_seed(request.seed)
    for label, n in missing.items():
        counts = own.pop(label).result().relabel(new_ids, len(words))
        if not len(counts.lengths):
            raise ValueError(
                f"class {label!r} has no document with a word in it, so there is nothing to learn "
                "from; look at its documents"
            )
        chain = MarkovChain.extrapolate(whole, counts, _gamma(request, whole, counts, n))
        for first in range(0, n, _DRAWN_AT_ONCE):
            ids, offsets = chain.draw(
                min(_DRAWN_AT_ONCE, n - first),
                seed,
                streams[label],
                first=first,
                n_jobs=effective_n_jobs(request.n_jobs),
            )
            yield label, Corpus(ids, offsets, words).texts()


def _gamma(request: Request, whole: TransitionCounts, own: TransitionCounts, n: int) -> float:
    if request.method == "mco":
        return 0.0
    if request.gamma == "heaps":
        from imbtext.vocabulary import gamma_by_heaps

        return gamma_by_heaps(whole, own, n)
    return float(request.gamma)


def _rows_by_label(
    labels: Sequence[Hashable], wanted: Mapping[Hashable, Any]
) -> dict[Hashable, list[int]]:
    rows: dict[Hashable, list[int]] = {}
    for i, label in enumerate(labels):
        if label in wanted:
            rows.setdefault(label, []).append(i)
    return rows


class GrowingVocabulary:
    """Words numbered as they come, and renumbered in sorted order at the end."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}

    def encode(self, texts: Sequence[str]) -> Corpus:
        """Encode documents on the vocabulary, which takes in their words."""
        corpus = encode_texts(texts)
        new_ids = np.fromiter(
            (self.ids.setdefault(word, len(self.ids)) for word in corpus.vocabulary),
            np.int64,
            corpus.n_words,
        )
        return Corpus(new_ids[corpus.ids].astype(np.int32), corpus.offsets, self._size_only())

    def _size_only(self) -> NDArray[np.object_]:
        # Counting asks a corpus for the size of its vocabulary, not for the words.
        return np.broadcast_to(np.array(None, dtype=object), len(self.ids))

    def sorted(self) -> tuple[NDArray[np.object_], NDArray[np.int32]]:
        """Return the words in order, and the place of each old id in it."""
        words = np.array(sorted(self.ids), dtype=object)
        new_ids = np.empty(len(words), dtype=np.int32)
        for place, word in enumerate(words):
            new_ids[self.ids[word]] = place
        return words, new_ids


@dataclass
class _Sum:
    """A sum of counts that adds like with like: n batches cost log n passes over the sum."""

    vocabulary: GrowingVocabulary
    order: int
    parts: list[tuple[int, TransitionCounts]] = field(default_factory=list)

    def add(self, corpus: Corpus) -> None:
        self.parts.append((1, TransitionCounts.of(corpus, self.order)))
        while len(self.parts) > 1 and self.parts[-1][0] >= self.parts[-2][0]:
            self._merge_last()

    def result(self) -> TransitionCounts:
        if not self.parts:
            self.add(self.vocabulary.encode([]))
        while len(self.parts) > 1:
            self._merge_last()
        return self._grown(self.parts[0][1])

    def _merge_last(self) -> None:
        (size, last), (other_size, other) = self.parts.pop(), self.parts.pop()
        self.parts.append((size + other_size, self._grown(other) + self._grown(last)))

    def _grown(self, counts: TransitionCounts) -> TransitionCounts:
        """Re-express counts on the vocabulary as it is now; words keep their ids."""
        n_new = len(self.vocabulary.ids) - counts.n_words
        if n_new == 0:
            return counts
        if counts.longer:  # where the id of <stop> moves with the size of the vocabulary
            old_ids = np.arange(counts.n_words, dtype=np.int32)
            return counts.relabel(old_ids, len(self.vocabulary.ids))
        pairs, n_words = counts.pairs, len(self.vocabulary.ids)
        ends = np.append(pairs.indptr, np.full(n_new, pairs.indptr[-1], pairs.indptr.dtype))
        return replace(
            counts,
            pairs=sparse.csr_array((pairs.data, pairs.indices, ends), shape=(n_words, n_words)),
            initial=np.pad(counts.initial, (0, n_new)),
            ending=np.pad(counts.ending, (0, n_new)),
            words=np.pad(counts.words, (0, n_new)),
        )


def _from_class_documents(
    batches: Batches, request: Request
) -> Iterator[tuple[Hashable, list[str]]]:
    """Generate from the documents of the classes to oversample, the only ones kept in memory."""
    missing = request.missing()
    codes = {label: i for i, label in enumerate(request.present)}
    texts: list[str] = []
    y: list[NDArray[np.int32]] = []
    for batch, labels in batches():
        texts += [
            text if label in missing else "" for text, label in zip(batch, labels, strict=True)
        ]
        y.append(np.fromiter((codes[label] for label in labels), np.int32, len(labels)))
    strategy = {codes[label]: request.targets[label] for label in missing}
    sampler = _class_sampler(request, strategy)
    with warnings.catch_warnings():
        # imbalanced-learn wonders at a class that outgrows the majority; it was asked for.
        warnings.filterwarnings("ignore", "After over-sampling", UserWarning)
        resampled, _ = sampler.fit_resample(texts, np.concatenate(y))
    at = len(texts)
    del texts
    for label, n in missing.items():
        for first in range(at, at + n, _DRAWN_AT_ONCE):
            yield label, resampled[first : min(first + _DRAWN_AT_ONCE, at + n)]
        at += n


def _class_sampler(request: Request, strategy: dict[int, int]) -> BaseTextOverSampler:
    if request.method == "ros":
        from imbtext.oversampling._ros import ROS

        return ROS(sampling_strategy=strategy, random_state=request.seed)
    from imbtext.oversampling._eda import EDA

    return EDA(sampling_strategy=strategy, random_state=request.seed, n_jobs=request.n_jobs)
