"""How each kind of sampler is applied to training data.

Every class here is a `Resampler`: it reads from the training data what its sampler works on, asks
for the rows it was told to make, and hands back tf-idf vectors. Nothing passes through strings
unless the sampler itself works on text.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from imbtext.corpus import Corpus
from imbtext.latent.space import WordColumns
from imbtext.markov import MarkovChain, TransitionCounts
from imbtext.methods._method import Resampled, WorksOn
from imbtext.methods._training import TrainingData, mask_key
from imbtext.oversampling._dro import widen
from imbtext.randomness import keyed_generator, keyed_random_state
from imbtext.topics.model import TopicModel
from imbtext.vocabulary import gamma_by_heaps


@dataclass(frozen=True)
class Unchanged:
    """The documents as they are."""

    def __call__(
        self,
        data: TrainingData,
        positive: NDArray[np.bool_],
        n_new: int,  # noqa: ARG002
        seed: int,  # noqa: ARG002
        stream: int = 0,  # noqa: ARG002
    ) -> Resampled:
        """Return the documents alone."""
        return Resampled(
            data.tfidf, positive, np.arange(data.n_documents, dtype=np.int64), counts=data.counts
        )


@dataclass(frozen=True)
class SamplerMethod:
    """Any sampler with imbalanced-learn's ``fit_resample``.

    The sampler is cloned, given the count and the randomness, and fed what it works on. The
    originals must come back first.
    """

    sampler: Any
    works_on: WorksOn

    def __call__(
        self,
        data: TrainingData,
        positive: NDArray[np.bool_],
        n_new: int,
        seed: int,
        stream: int = 0,
    ) -> Resampled:
        """Run the sampler and vectorise what it added."""
        if n_new == 0:
            return Unchanged()(data, positive, n_new, seed, stream)
        sampler = clone(self.sampler)
        wanted = {"sampling_strategy": {1: int(positive.sum()) + n_new}}
        if "random_state" in sampler.get_params(deep=False):
            wanted["random_state"] = keyed_random_state(seed, stream)  # type: ignore[assignment]
        try:
            sampler.set_params(**wanted)
        except ValueError as error:
            raise TypeError(
                f"{type(sampler).__name__} cannot be told how many documents to make; a method "
                "here must be an estimator with the parameter sampling_strategy"
            ) from error
        n = data.n_documents
        X, y = sampler.fit_resample(self._given(data), positive.astype(np.int64))
        y = np.asarray(y)
        if not (np.array_equal(y[:n], positive) and np.all(y[n:] == 1)):
            raise ValueError(
                f"{type(sampler).__name__} did not return the documents as they were with new ones "
                "of the rare class behind them; a method here must"
            )
        parents = getattr(sampler, "sample_indices_", np.full(len(y), -1))[n:]
        if self.works_on == "tfidf":
            return Resampled.append(data, positive, X_new=X[n:], parents_new=parents)
        counts = X[n:] if self.works_on == "counts" else data.encode(list(X[n:])).counts()
        return Resampled.append(data, positive, counts_new=counts, parents_new=parents)

    def _given(self, data: TrainingData) -> Any:
        if self.works_on == "tfidf":
            return data.tfidf
        if self.works_on == "counts":
            return data.counts
        if self.works_on == "tokens":
            return data.corpus.tokens()
        return data.texts


@dataclass(frozen=True)
class RandomRows:
    """Random oversampling: documents of the class, drawn with replacement."""

    def __call__(
        self,
        data: TrainingData,
        positive: NDArray[np.bool_],
        n_new: int,
        seed: int,
        stream: int = 0,
    ) -> Resampled:
        """Repeat rows of the class."""
        from imblearn.over_sampling import RandomOverSampler

        sampler = RandomOverSampler(
            sampling_strategy={1: int(positive.sum()) + n_new},
            random_state=keyed_random_state(seed, stream),
        )
        # The rows are all that matters, so the sampler is shown a column of row numbers.
        rows = np.arange(data.n_documents).reshape(-1, 1)
        sampler.fit_resample(rows, positive.astype(np.int64))
        parents = sampler.sample_indices_[data.n_documents :]
        return Resampled.append(
            data,
            positive,
            X_new=data.tfidf[parents],
            counts_new=data.counts[parents],
            parents_new=parents,
        )


@dataclass(frozen=True)
class MarkovDocuments:
    """EMCO, and MCO with gamma 0: documents drawn from the class's extrapolated Markov chain."""

    gamma: float | str = 1.0
    order: int = 1

    def __call__(
        self,
        data: TrainingData,
        positive: NDArray[np.bool_],
        n_new: int,
        seed: int,
        stream: int = 0,
    ) -> Resampled:
        """Draw documents as word ids and count them."""
        # Only a gamma that depends on the number of documents makes the chain depend on it.
        n_key = n_new if isinstance(self.gamma, str) else None
        chain = data.remember(
            ("chain", self.gamma, self.order, n_key, mask_key(positive)),
            lambda: self._chain(data, positive, n_new),
        )
        ids, offsets = chain.draw(n_new, seed, stream=stream)
        counts = Corpus(ids, offsets, data.corpus.vocabulary).counts()
        return Resampled.append(data, positive, counts_new=counts)

    def _chain(self, data: TrainingData, positive: NDArray[np.bool_], n_new: int) -> MarkovChain:
        total = data.transitions_of_order(self.order)
        minority = data.remember(
            ("class transitions", self.order, mask_key(positive)),
            lambda: TransitionCounts.of(data.corpus.select(positive), order=self.order),
        )
        gamma = self.gamma
        if isinstance(gamma, str):
            gamma = gamma_by_heaps(total, minority, n_new)
        return MarkovChain.extrapolate(total, minority, gamma)


@dataclass(frozen=True)
class DistributionalRows:
    """DRO: documents of the class repeated, all documents given a latent part."""

    def __call__(
        self,
        data: TrainingData,
        positive: NDArray[np.bool_],
        n_new: int,
        seed: int,
        stream: int = 0,
    ) -> Resampled:
        """Widen the space, for the training documents here and for unseen ones later."""
        columns = data.remember("word columns", lambda: WordColumns.of(data.tfidf))
        widened = widen(data.tfidf, positive, n_new, seed, stream, columns)
        return Resampled(widened.X, positive[widened.parents], widened.parents, widened.transform)


@dataclass(frozen=True)
class TopicDocuments:
    """DECOM and, with `smooth`, DECODER: word counts drawn from the class's topic model."""

    smooth: bool = False
    n_topics: int = 30

    def __call__(
        self,
        data: TrainingData,
        positive: NDArray[np.bool_],
        n_new: int,
        seed: int,
        stream: int = 0,
    ) -> Resampled:
        """Draw counts; DECODER draws those of the class's own documents as well."""
        # Fitting takes nearly all the time, so a second ratio with the same seed shares the model.
        model = data.remember(
            ("topics", self.n_topics, seed, stream, mask_key(positive)),
            lambda: TopicModel.fit(
                data.counts[np.flatnonzero(positive)],
                keyed_random_state(seed, stream),
                n_topics=self.n_topics,
            ),
        )
        rng = keyed_generator(seed, stream, block=1)
        drawn = model.draw(n_new, rng)
        if not self.smooth:
            return Resampled.append(data, positive, counts_new=drawn)
        rows = np.flatnonzero(positive)
        redrawn = model.draw(len(rows), rng)
        order = np.arange(data.n_documents)
        order[rows] = data.n_documents + np.arange(len(rows))
        order = np.concatenate([order, data.n_documents + len(rows) + np.arange(n_new)])
        counts = sparse.vstack([data.counts, redrawn, drawn], format="csr")[order]
        X = sparse.vstack([data.tfidf, data.weigh(redrawn), data.weigh(drawn)], format="csr")
        parents = np.where(order < data.n_documents, order, -1)
        y = np.concatenate([positive, np.ones(n_new, dtype=bool)])
        return Resampled(X[order], y, parents, counts=counts)


@dataclass(frozen=True)
class PublishedEDA:
    """EDA as in the paper's experiments: raw text, the same number of children a document.

    Every document of the class yields ``1 + n_new // m`` new ones, for m documents of the class:
    never fewer than asked for, and often more. The class's own documents pass through EDA's
    cleaning too, which joins what an apostrophe separates ("don't" becomes "dont"), while all other
    documents do not; on texts with many apostrophes this lowers the scores.
    """

    def __call__(
        self,
        data: TrainingData,
        positive: NDArray[np.bool_],
        n_new: int,
        seed: int,
        stream: int = 0,
    ) -> Resampled:
        """Augment the class's raw texts and preprocess the new ones like the others."""
        from imbtext.augmentation._published import augment_texts_as_published

        rows = np.flatnonzero(positive)
        copies = 1 + n_new // len(rows)
        texts, parents = augment_texts_as_published(
            [data.texts[row] for row in rows.tolist()], copies, seed=seed, stream=stream
        )
        counts = data.encode(texts).counts()
        # Each document's cleaned self follows its children; it takes the document's own place.
        cleaned = np.arange(len(texts)) % (copies + 1) == copies
        place = np.arange(data.n_documents)
        place[rows] = data.n_documents + np.arange(len(rows))
        originals = sparse.vstack([data.counts, counts[cleaned]], format="csr")[place]
        both = sparse.csr_array(sparse.vstack([originals, counts[~cleaned]], format="csr"))
        return Resampled(
            data.weigh(both),
            np.concatenate([positive, np.ones(int((~cleaned).sum()), dtype=bool)]),
            np.concatenate([np.arange(data.n_documents), rows[parents[~cleaned]]]).astype(np.int64),
            counts=both,
        )
