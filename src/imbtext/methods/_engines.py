"""The engines of ``oversampling/`` as methods use them, and the classifier that is a method itself.

Each class takes what its engine works on from the prepared documents, asks the engine for new
documents, and returns vectors. Nothing passes through strings unless the engine works on text. With
the same seed each draws the same documents as its sampler.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from imbtext._typing import Column
from imbtext.documents import Documents
from imbtext.markov import MarkovChain
from imbtext.methods._method import Request, Resampled
from imbtext.oversampling import (
    Latent,
    MarkovOversampling,
    TopicOversampling,
    augment_texts_as_published,
    random_rows,
    widen,
    with_rows,
)
from imbtext.rare import RareTextClassifier
from imbtext.surface import SurfaceCounts


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
        """Draw documents as word ids and count them; features made of text get text."""
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
    """DRO and its family: repeats documents of the class and gives all documents a latent part."""

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
        """Draw counts; if the engine smooths, draw the class's own documents anew, too."""
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

    Every document of the class yields ``1 + n_new // m`` new ones, where the class has m documents:
    never fewer than asked for, and often more. EDA's cleaning, which joins what an apostrophe
    separates ("don't" becomes "dont"), also changes the class's own documents, but no others. On
    texts with many apostrophes this lowers the scores.
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


@dataclass(frozen=True)
class RareDocuments:
    """Fits a `RareTextClassifier` that finds the class of a request."""

    metric: str
    features: str
    language: str | None

    def __call__(
        self, request: Request, groups: Column | None = None, times: Column | None = None
    ) -> RareTextClassifier:
        model = RareTextClassifier(
            self.metric,
            features=self.features,
            language=self.language,
            pos_label=True,
            random_state=request.seed % 2**32,
        )
        documents = request.data.shared.of_documents(
            "documents", lambda: Documents.of(request.data.texts)
        )
        model.fit(documents, request.is_class, groups=groups, time=times)
        return model
