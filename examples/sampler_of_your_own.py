"""A sampler of your own: define `_generate`, and run it through the published checks."""

import numpy as np

from imbtext.oversampling._base import BaseTextOverSampler, Synthetic, rows_of
from imbtext.testing import check_text_sampler


class Shuffle(BaseTextOverSampler):
    """New documents are old ones with their words in another order."""

    def __init__(self, *, sampling_strategy="auto", random_state=None):
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state

    def _generate(self, documents, y, label, n, seed, stream):
        rng = np.random.Generator(np.random.Philox(key=[seed, stream]))
        parents = rng.choice(rows_of(y, label), n)
        corpus = documents.corpus().select(parents)
        shuffled = [list(rng.permutation(words)) for words in corpus.tokens()]
        tokens = [[str(word) for word in words] for words in shuffled]
        new = tokens if documents.is_tokens else [" ".join(words) for words in tokens]
        return Synthetic(new, parents)


def main():
    check_text_sampler(Shuffle())
    texts = ["oil price up", "gold down", "firm up", "bank rate cut"]
    resampled, _ = Shuffle(random_state=1).fit_resample(texts, ["oil", "rest", "rest", "rest"])
    print(resampled[4:])


if __name__ == "__main__":
    main()
