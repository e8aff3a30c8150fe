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
from imbtext.methods._documents import PreparedDocuments
from imbtext.methods._method import Request, Resampled, WorksOn
from imbtext.oversampling import (
    BaseTextOverSampler,
    ClassByClass,
    Latent,
    MarkovOversampling,
    TopicOversampling,
    augment_texts_as_published,
    random_rows,
    widen,
    with_rows,
)
from imbtext.randomness import keyed_random_state
from imbtext.surface import SurfaceCounts


@dataclass(frozen=True)
class Unchanged:
    """The documents as they are."""

    def __call__(self, request: Request) -> Resampled:
        data = request.data
        parents = np.arange(data.n_documents, dtype=np.int64)
        return Resampled(data.vectors, request.is_class, parents, counts=data.word_counts)


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
        if isinstance(self.sampler, ClassByClass):
            new, parents = self._synthesized(request)
        else:
            new, parents = self._resampled(request)
        data = request.data
        if self.works_on == "tfidf":
            return Resampled.append(request, new, parents_new=parents)
        if self.works_on == "counts":
            X_new, counts = data.weigh(new), new
        else:
            X_new, counts = data.rows_of(list(new))
        return Resampled.append(request, X_new, counts_new=counts, parents_new=parents)

    def _synthesized(self, request: Request) -> tuple[Any, Any]:
        documents = self._input(request.data)
        if isinstance(self.sampler, BaseTextOverSampler):
            documents = Documents.of(documents)
        synthetic = clone(self.sampler).synthesize(
            documents,
            request.is_class,
            request.n_new,
            request.seed,
            request.stream,
            request.label,
        )
        return synthetic.documents, synthetic.parents

    def _resampled(self, request: Request) -> tuple[Any, Any]:
        sampler = clone(self.sampler)
        parameters: dict[str, Any] = {"sampling_strategy": {1: request.n_class + request.n_new}}
        if "random_state" in sampler.get_params(deep=False):
            parameters["random_state"] = keyed_random_state(request.seed, request.stream)
        try:
            sampler.set_params(**parameters)
        except ValueError as error:
            raise TypeError(
                f"{type(sampler).__name__} cannot be told how many documents to make; a method "
                "here must be an estimator with the parameter sampling_strategy"
            ) from error
        n = request.data.n_documents
        X, y = sampler.fit_resample(self._input(request.data), request.is_class.astype(np.int64))
        y = np.asarray(y)
        if not (np.array_equal(y[:n], request.is_class) and np.all(y[n:] == 1)):
            raise ValueError(
                f"{type(sampler).__name__} did not return the documents as they were with new ones "
                "of the class behind them; a method here must"
            )
        return X[n:], getattr(sampler, "sample_indices_", np.full(len(y), -1))[n:]

    def _input(self, data: PreparedDocuments) -> Any:
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

    engine: MarkovOversampling
    weight: float = 1.0
    surface: bool = True

    def __call__(self, request: Request) -> Resampled:
        """Draw documents as word ids and count them; features of text are given text."""
        data = request.data
        drawn = self.engine.draw(
            data.corpus,
            request.rows,
            request.n_new,
            request.seed,
            request.stream,
            data.shared,
            request.label,
        )
        if self.surface and data.features is not None and isinstance(data.texts[0], str):
            surface = data.shared.of_class(
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
        data = request.data
        return self.engine.chain(
            data.corpus, request.rows, request.n_new, data.shared, request.label
        )


@dataclass(frozen=True)
class DistributionalRows:
    """DRO and its family: documents of the class repeated, all documents given a latent part."""

    latent: Latent = "documents"

    def __call__(self, request: Request) -> Resampled:
        """Widen the space, for the training documents here and for unseen ones later."""
        data = request.data
        data.refuse_own_features("DRO")
        widened = widen(
            data.tfidf,
            request.is_class,
            request.n_new,
            request.seed,
            request.stream,
            self.latent,
            data.shared,
        )
        y = request.is_class[widened.parents]
        return Resampled(widened.X, y, widened.parents, widened.transform)


@dataclass(frozen=True)
class TopicDocuments:
    """DECOM and DECODER: word counts drawn from the class's topic model."""

    engine: TopicOversampling

    def __call__(self, request: Request) -> Resampled:
        """Draw counts, and where the engine smooths, draw the class's own documents anew."""
        data, rows, smooth = request.data, request.rows, self.engine.smooth
        data.refuse_own_features("DECODER" if smooth else "DECOM")
        drawn = self.engine.draw(
            data.counts, rows, request.n_new, request.seed, request.stream, data.shared
        )
        resampled = Resampled.append(request, data.weigh(drawn.new), counts_new=drawn.new)
        if not smooth:
            return resampled
        resampled.parents[rows] = -1
        return replace(
            resampled,
            X=with_rows(resampled.X, rows, data.weigh(drawn.redrawn)),
            counts=with_rows(resampled.counts, rows, drawn.redrawn),
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
