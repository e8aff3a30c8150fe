"""The preprocessing of the paper's experiments."""

from collections.abc import Collection, Sequence

import numpy as np
import polars as pl
import Stemmer
from numpy.typing import NDArray

from imbtext.documents import Corpus, extract_words

_LETTERS = "[a-zA-Z]+"


class PaperPreprocessor:
    """The preprocessing of the paper's experiments (its section 5).

    Tokens are runs of English letters, lower-cased and stemmed with Snowball; stems of one letter
    and stems on the stopword list are removed, then stems that occur fewer than `min_count` times
    in all training documents together. Stemming and filtering run on the vocabulary, once per word.

    Parameters
    ----------
    stopwords : collection of str
        Compared with the *stems*, as the authors do. Empty keeps all words.
    min_count : int, default=3
        Occurrences in the training documents that keep a word in the vocabulary.

    Attributes
    ----------
    vocabulary_ : ndarray of object
        The words kept from the training documents.

    Examples
    --------
    >>> paper = PaperPreprocessor(stopwords={"the"}, min_count=2)
    >>> paper.fit_transform(["The oil prices", "oil price, x"]).tokens()
    [['oil', 'price'], ['oil', 'price']]
    >>> paper.transform(["pricing of gold"]).tokens()
    [['price']]
    """

    vocabulary_: NDArray[np.object_]

    def __init__(self, stopwords: Collection[str], min_count: int = 3) -> None:
        self.stopwords = frozenset(stopwords)
        self.min_count = min_count

    def clean(self, texts: Sequence[str] | pl.Series) -> Corpus:
        """Do every step except the removal of rare words, which needs the training documents."""
        raw = extract_words(texts, _LETTERS)
        stems = Stemmer.Stemmer("english").stemWords([word.lower() for word in raw.vocabulary])
        kept = sorted({stem for stem in stems if len(stem) > 1 and stem not in self.stopwords})
        position = {stem: i for i, stem in enumerate(kept)}
        new_ids = np.fromiter((position.get(stem, -1) for stem in stems), np.int64, len(stems))
        return raw.relabel(new_ids, np.array(kept, dtype=object))

    def fit_transform(self, texts: Sequence[str] | pl.Series) -> Corpus:
        """Preprocess the training documents and keep their vocabulary."""
        corpus = self.clean(texts)
        corpus = corpus.keep_words(corpus.word_counts() >= self.min_count)
        self.vocabulary_ = corpus.vocabulary
        return corpus

    def transform(self, texts: Sequence[str] | pl.Series) -> Corpus:
        """Preprocess other documents and map them onto the training vocabulary."""
        if not hasattr(self, "vocabulary_"):
            raise ValueError("this preprocessor has no vocabulary yet; call fit_transform first")
        return self.clean(texts).with_vocabulary(self.vocabulary_)
