"""
A sampler of your own
=====================

Derive from the base class and define how to draw documents. The base class takes care of
containers, counts, provenance, seeds and bad input. ``check_text_sampler`` tells you whether
anything is missing.
"""

import matplotlib.pyplot as plt
import numpy as np

from imbtext import ResampledClassifier
from imbtext.datasets import load_docstrings
from imbtext.methods import register_method
from imbtext.oversampling import New, Sampler
from imbtext.testing import check_text_sampler


class Crossover(Sampler):
    """A new document is the first half of one document and the second half of another."""

    space = "text"
    title = "crossover"

    def __init__(self, *, sampling_strategy="auto", random_state=None):
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state

    def draw(self, request):
        """Join halves of documents of the class."""
        rng = np.random.Generator(np.random.Philox(key=[request.seed, request.stream]))
        first = rng.choice(request.rows, request.n)
        second = rng.choice(request.rows, request.n)
        tokens = request.documents.corpus().select(np.concatenate([first, second])).tokens()
        new = [
            [*a[: (len(a) + 1) // 2], *b[(len(b) + 1) // 2 :]]
            for a, b in zip(tokens[: request.n], tokens[request.n :])
        ]
        if not request.documents.is_tokens:
            new = [" ".join(words) for words in new]
        return New(first, new)


check_text_sampler(Crossover())

# %%
# Under a name it takes part in comparisons, beside the others.
register_method("crossover", Crossover)
docstrings = load_docstrings()
is_rare = docstrings.in_class("scipy.integrate")
half = np.arange(len(is_rare)) % 2 == 0
train = [text for text, kept in zip(docstrings.texts, half) if kept]
test = [text for text, kept in zip(docstrings.texts, half) if not kept]
recall = {}
for method in ("plain", "ros", "crossover", "emco(0.1)"):
    model = ResampledClassifier(method, random_state=0).fit(train, is_rare[half])
    recall[method] = model.predict(test)[is_rare[~half]].mean()

figure, axis = plt.subplots(figsize=(6, 2.8), layout="constrained")
bars = axis.barh(list(recall), list(recall.values()))
axis.bar_label(bars, fmt="%.2f", padding=3)
axis.invert_yaxis()
axis.set(xlim=(0, 1.1), xlabel="share of the rare documents found")
plt.show()
