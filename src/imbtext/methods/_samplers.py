"""How each kind of sampler is applied to training data.

Every class here is a `Resampler`: it reads from the training data what its sampler works on, asks
for the rows it was told to make, and hands back tf-idf vectors. Nothing passes through strings
unless the sampler itself works on text. Each draws what its sampler draws for the same seed.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from imbtext.documents import Documents
from imbtext.markov import MarkovChain
from imbtext.methods._method import Request, Resampled, WorksOn
from imbtext.methods._training import TrainingData
from imbtext.oversampling import CountedClass
from imbtext.oversampling._base import BaseTextOverSampler
from imbtext.oversampling._decom import drawn_counts, with_rows
from imbtext.oversampling._dro import widen
from imbtext.oversampling._latent_space import Latent, WordColumns, latent_columns
from imbtext.oversampling._ros import random_rows
from imbtext.oversampling._topic_model import TopicModel
from imbtext.oversampling._vectors import NeighbourSampler
from imbtext.randomness import keyed_random_state
from imbtext.surface import SurfaceCounts


@dataclass(frozen=True)
class Unchanged:
    """The documents as they are."""

    def __call__(self, request: Request) -> Resampled:
        data = request.data
        own = np.arange(data.n_documents, dtype=np.int64)
        return Resampled(data.vectors, request.is_class, own, counts=data.word_counts)


@dataclass(frozen=True)
class SamplerMethod:
    """Any sampler with imbalanced-learn's ``fit_resample``.

    The sampler is cloned, given the count and the randomness, and fed what it works on. The
    originals must come back first.
    """

    sampler: Any
    works_on: WorksOn

    def __call__(self, request: Request) -> Resampled:
        if request.n_new == 0:
            return Unchanged()(request)
        of_ours = isinstance(self.sampler, BaseTextOverSampler | NeighbourSampler)
        new, parents = self._synthesized(request) if of_ours else self._resampled(request)
        data = request.data
        if self.works_on == "tfidf":
            return Resampled.append(request, new, parents_new=parents)
        if self.works_on == "counts":
            X_new, counts = data.weigh(new), new
        else:
            X_new, counts = data.rows_of(list(new))
        return Resampled.append(request, X_new, counts_new=counts, parents_new=parents)

    def _synthesized(self, request: Request) -> tuple[Any, Any]:
        given = self._given(request.data)
        if isinstance(self.sampler, BaseTextOverSampler):
            given = Documents.of(given)
        made = clone(self.sampler).synthesize(
            given, request.is_class, request.n_new, request.seed, request.stream
        )
        return made.documents, made.parents

    def _resampled(self, request: Request) -> tuple[Any, Any]:
        sampler = clone(self.sampler)
        wanted: dict[str, Any] = {"sampling_strategy": {1: request.n_class + request.n_new}}
        if "random_state" in sampler.get_params(deep=False):
            wanted["random_state"] = keyed_random_state(request.seed, request.stream)
        try:
            sampler.set_params(**wanted)
        except ValueError as error:
            raise TypeError(
                f"{type(sampler).__name__} cannot be told how many documents to make; a method "
                "here must be an estimator with the parameter sampling_strategy"
            ) from error
        n = request.data.n_documents
        X, y = sampler.fit_resample(self._given(request.data), request.is_class.astype(np.int64))
        y = np.asarray(y)
        if not (np.array_equal(y[:n], request.is_class) and np.all(y[n:] == 1)):
            raise ValueError(
                f"{type(sampler).__name__} did not return the documents as they were with new ones "
                "of the class behind them; a method here must"
            )
        return X[n:], getattr(sampler, "sample_indices_", np.full(len(y), -1))[n:]

    def _given(self, data: TrainingData) -> Any:
        if self.works_on == "tfidf":
            return data.vectors
        if self.works_on == "counts":
            data.refuse_own_features(type(self.sampler).__name__)
            return data.counts
        if self.works_on == "tokens":
            return data.corpus.tokens()
        return data.texts


@dataclass(frozen=True)
class RandomRows:
    """Random oversampling: documents of the class, drawn with replacement."""

    def __call__(self, request: Request) -> Resampled:
        data = request.data
        parents = random_rows(request.rows, request.n_new, request.seed, request.stream)
        return Resampled.append(
            request,
            data.vectors[parents],
            counts_new=None if data.word_counts is None else data.word_counts[parents],
            parents_new=parents,
        )


@dataclass(frozen=True)
class MarkovDocuments:
    """EMCO, and MCO with gamma 0: documents drawn from the class's extrapolated Markov chain."""

    gamma: float | str = 1.0
    order: int = 1
    weight: float = 1.0
    similarity: float | None = None
    surface: bool = True

    def __call__(self, request: Request) -> Resampled:
        """Draw documents as word ids and count them; features of text are given text."""
        drawn = self.chain(request).draw(
            request.data.corpus.vocabulary, request.n_new, request.seed, request.stream
        )
        data = request.data
        if self.surface and data.features is not None and isinstance(data.texts[0], str):
            surface = data.remember(
                "surface", lambda: SurfaceCounts.of(data.texts, data.corpus, data.tokenizer)
            )
            texts = surface.write(drawn, request.seed, request.stream, tokenizer=data.tokenizer)
            X_new, counts = data.vectorize_documents(texts), None
        else:
            X_new, counts = data.rows_of(drawn)
        resampled = Resampled.append(request, X_new, counts_new=counts)
        return replace(resampled, weight=self.weight)

    def chain(self, request: Request) -> MarkovChain:
        """Return the chain that the documents are drawn from."""
        data, settings = request.data, (self.order, self.similarity, request.key)
        counted = data.remember(
            ("counted class", *settings),
            lambda: CountedClass.of(
                data.corpus, request.rows, data.transitions(self.order), self.similarity
            ),
        )
        # Only a gamma that depends on the number of documents makes the chain depend on it.
        n = request.n_new if isinstance(self.gamma, str) else 0
        return data.remember(
            ("chain", self.gamma, n, *settings), lambda: counted.chain(self.gamma, n)
        )


@dataclass(frozen=True)
class DistributionalRows:
    """DRO and its family: documents of the class repeated, all documents given a latent part."""

    latent: Latent = "documents"

    def __call__(self, request: Request) -> Resampled:
        """Widen the space, for the training documents here and for unseen ones later."""
        data = request.data
        data.refuse_own_features("DRO")
        columns = self._columns(data, "documents")
        latent = self._columns(data, self.latent)
        widened = widen(
            data.tfidf,
            request.is_class,
            request.n_new,
            request.seed,
            request.stream,
            columns,
            latent,
        )
        y = request.is_class[widened.parents]
        return Resampled(widened.X, y, widened.parents, widened.transform)

    @staticmethod
    def _columns(data: TrainingData, latent: Latent) -> WordColumns:
        return data.remember(("latent", latent), lambda: latent_columns(data.tfidf, latent))


@dataclass(frozen=True)
class TopicDocuments:
    """DECOM and, with `smooth`, DECODER: word counts drawn from the class's topic model."""

    smooth: bool = False
    n_topics: int = 30

    def __call__(self, request: Request) -> Resampled:
        data, rows, seed, stream = request.data, request.rows, request.seed, request.stream
        data.refuse_own_features("DECODER" if self.smooth else "DECOM")
        # Fitting takes nearly all the time, so a second share with the same seed shares the model.
        model = data.remember(
            ("topics", self.n_topics, seed, stream, request.key),
            lambda: TopicModel.fit(
                data.counts[rows], keyed_random_state(seed, stream), n_topics=self.n_topics
            ),
        )
        n_redrawn = len(rows) if self.smooth else 0
        drawn, redrawn = drawn_counts(model, request.n_new, n_redrawn, seed, stream)
        resampled = Resampled.append(request, data.weigh(drawn), counts_new=drawn)
        if not self.smooth:
            return resampled
        resampled.parents[rows] = -1
        return replace(
            resampled,
            X=with_rows(resampled.X, rows, data.weigh(redrawn)),
            counts=with_rows(resampled.counts, rows, redrawn),
        )


@dataclass(frozen=True)
class PublishedEDA:
    """EDA as in the paper's experiments: raw text, the same number of children of each document.

    Every document of the class yields ``1 + n_new // m`` new ones, for m documents of the class:
    never fewer than asked for, and often more. The class's own documents pass through EDA's
    cleaning too, which joins what an apostrophe separates ("don't" becomes "dont"), while all other
    documents do not; on texts with many apostrophes this lowers the scores.
    """

    def __call__(self, request: Request) -> Resampled:
        from imbtext.oversampling import augment_texts_as_published

        data, rows = request.data, request.rows
        data.refuse_own_features("EDA as published")
        copies = 1 + request.n_new // len(rows)
        texts, parents = augment_texts_as_published(
            [data.texts[row] for row in rows.tolist()],
            copies,
            seed=request.seed,
            stream=request.stream,
        )
        counts = data.encode(texts).counts()
        # Each document's cleaned self follows its children; it takes the document's own place.
        cleaned = np.arange(len(texts)) % (copies + 1) == copies
        originals = with_rows(data.counts, rows, counts[cleaned])
        both = sparse.csr_array(sparse.vstack([originals, counts[~cleaned]], format="csr"))
        return Resampled(
            data.weigh(both),
            np.concatenate([request.is_class, np.ones(int((~cleaned).sum()), dtype=bool)]),
            np.concatenate([np.arange(data.n_documents), rows[parents[~cleaned]]]).astype(np.int64),
            counts=both,
        )
