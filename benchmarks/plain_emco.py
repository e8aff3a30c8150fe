"""EMCO in good plain Python (dictionaries, cumulative weights, bisection), to measure against."""

import random
from bisect import bisect
from collections import defaultdict
from itertools import accumulate, pairwise

STOP = "<stop>"


class PlainEMCO:
    """The chain of one class, from token lists."""

    def __init__(self, minority, majority, gamma):
        rows = defaultdict(lambda: defaultdict(float))
        words = defaultdict(int)
        for document in minority:
            if not document:
                continue
            for word in document:
                words[word] += 1
            rows[STOP][document[0]] += 1
            rows[document[-1]][STOP] += 1
            for word, follower in pairwise(document):
                if word != follower:
                    rows[word][follower] += 1
        if gamma:
            for document in majority:
                for word, follower in pairwise(document):
                    if word != follower and word in words:
                        rows[word][follower] += gamma
        self.lengths = [len(document) for document in minority if document]
        self.rows = {
            word: (list(row), list(accumulate(row.values()))) for word, row in rows.items()
        }
        self.word_row = (list(words), list(accumulate(words.values())))

    def document(self, rng):
        """Draw one synthetic document."""
        length = rng.choice(self.lengths)
        document, current = [], STOP
        while len(document) < length:
            followers, cumulative = self.rows.get(current, self.word_row)
            current = followers[bisect(cumulative, rng.random() * cumulative[-1])]
            if current != STOP:
                document.append(current)
        return document


def plain_oversample(documents, positive, gamma, n_new, seed):
    """Return `n_new` synthetic documents of the class."""
    minority = [
        document for document, is_class in zip(documents, positive, strict=True) if is_class
    ]
    majority = [
        document for document, is_class in zip(documents, positive, strict=True) if not is_class
    ]
    chain = PlainEMCO(minority, majority, gamma)
    rng = random.Random(seed)
    return [chain.document(rng) for _ in range(n_new)]
