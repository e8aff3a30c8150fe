"""
How vocabularies grow: Heaps' law
=================================

A text of A tokens has about k A^theta distinct words. Classes with few documents have not shown
most of their words yet, and the law says how many are to come.
"""

import matplotlib.pyplot as plt
import numpy as np

from imbtext import EMCO
from imbtext.datasets import load_docstrings
from imbtext.markov import HeapsLaw, growth_curve

docstrings = load_docstrings()
curve = growth_curve(docstrings.texts)
theta, log_k = np.polyfit(np.log(curve.tokens), np.log(curve.words), 1)
law = HeapsLaw(np.exp(log_k), theta)
print(f"k = {law.k:.1f}, theta = {law.theta:.3f}")

# %%
# One class, before and after oversampling: ``gamma="heaps"`` takes the gamma with which its
# vocabulary is expected to grow as the law says.
figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
axis.loglog(curve.tokens[1:], curve.words[1:], label="all docstrings")
sizes = np.geomspace(100, curve.tokens[-1], 50)
axis.loglog(sizes, law.words(sizes), "--", label="Heaps' law")

label, n_new = "scipy.integrate", 300
own = [text for text, c in zip(docstrings.texts, docstrings.labels) if c == label]
for gamma in (0, "heaps", 1):
    emco = EMCO(gamma=gamma, random_state=0).fit(docstrings.texts, docstrings.labels)
    grown = growth_curve(own + emco.sample(n_new, label=label), shuffles=1)
    name = f"{label}, gamma {gamma}"
    if gamma == "heaps":
        name += f" = {emco.gamma_[label]:.3f}"
    axis.loglog(grown.tokens[1:], grown.words[1:], label=name)
axis.set(xlabel="tokens", ylabel="distinct words")
axis.legend(fontsize="small")
axis.grid(alpha=0.3)
plt.show()
