"""Documents as the rows that a language model reads, and rows as documents again."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from imbtext.documents import Corpus, offsets_of
from imbtext.neural._sequences import padded
from imbtext.neural.generation._language_model import END, N_SPECIAL, UNKNOWN


@dataclass(frozen=True, eq=False)
class Reading:
    """Which words of a vocabulary a model knows (their ids), and where documents are cut.

    Examples
    --------
    >>> corpus = Corpus.from_tokens([["oil", "up"], ["oil", "price", "up"]])
    >>> reading = Reading.of(corpus, np.array([0]), max_words=1, max_length=10)
    >>> reading.rows(corpus).tolist()
    [[2, 3, 0], [2, 1, 3]]
    >>> reading.corpus(np.array([[3, 2, 0]])).texts()
    ['up oil']
    """

    vocabulary: NDArray[np.object_]
    known: NDArray[np.int64]
    length: int

    @classmethod
    def of(
        cls, corpus: Corpus, needed: NDArray[np.integer], max_words: int, max_length: int
    ) -> Self:
        """Choose the words: all those of the documents `needed`, and the most frequent others."""
        keep = corpus.select(needed).word_counts() > 0
        counts = corpus.word_counts()
        # Ties are broken by the words themselves: stable, and the vocabulary is sorted.
        frequent = np.argsort(-counts, kind="stable")[:max_words]
        keep[frequent[counts[frequent] > 0]] = True
        longest = int(corpus.lengths.max(initial=1))
        return cls(corpus.vocabulary, np.flatnonzero(keep), max(1, min(longest, max_length)))

    @property
    def n_words(self) -> int:
        """The number of words the model knows."""
        return len(self.known)

    def rows(self, corpus: Corpus) -> NDArray[np.int64]:
        """Return the documents as rows of word numbers, cut and padded."""
        same = corpus.vocabulary is self.vocabulary
        words = corpus if same else _with_unknown(corpus, self.vocabulary)
        numbers = np.full(words.n_words + 1, UNKNOWN)
        numbers[0] = END
        numbers[1 + self.known] = N_SPECIAL + np.arange(self.n_words)
        return numbers[padded(words, self.length)]

    def corpus(self, rows: NDArray[np.integer]) -> Corpus:
        """Return rows that a model wrote as documents on the whole vocabulary."""
        written = rows != END
        ids = self.known[rows[written] - N_SPECIAL].astype(np.int32)
        return Corpus(ids, offsets_of(written.sum(axis=1)), self.vocabulary)


def _with_unknown(corpus: Corpus, vocabulary: NDArray[np.object_]) -> Corpus:
    """Re-express documents on a vocabulary; words outside it share one more number."""
    position = {word: i for i, word in enumerate(vocabulary)}
    new_ids = np.array([position.get(word, len(vocabulary)) for word in corpus.vocabulary], int)
    return corpus.relabel(new_ids, np.append(vocabulary, np.array([""], dtype=object)))
