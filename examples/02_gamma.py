"""
What gamma does
===============

Gamma is the weight of transitions that were seen in other classes only. With 0 the chain uses only
words of the class; larger values bring words that the class has not used yet.
"""

# %%
# Words gained, against gamma
# ---------------------------
import matplotlib.pyplot as plt
import numpy as np

from imbtext import EMCO
from imbtext.datasets import load_docstrings
from imbtext.documents import encode_texts

docstrings = load_docstrings()
label, n_new = "scipy.integrate", 300
own_words = set(
    encode_texts([t for t, c in zip(docstrings.texts, docstrings.labels) if c == label]).vocabulary
)
gammas = [0, 0.01, 0.03, 0.1, 0.3, 1]
gained, shown = [], {}
for gamma in gammas:
    emco = EMCO(gamma=gamma, random_state=0).fit(docstrings.texts, docstrings.labels)
    documents = emco.sample(n_new, label=label)
    gained.append(len(set(encode_texts(documents).vocabulary) - own_words))
    shown[gamma] = emco.sample(1, label=label, length=18)[0]

figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
axis.plot(np.maximum(gammas, 0.003), gained, marker="o")
axis.set(xscale="log", xlabel="gamma (leftmost: 0)", ylabel=f"new words in {n_new} documents")
axis.set_title(f"{label}: {len(own_words)} words of its own")
axis.grid(alpha=0.3)
plt.show()

# %%
# The same document, word by word
# -------------------------------
# The seed is the same; only the transitions differ. Words in capitals are new to the class.
for gamma, document in shown.items():
    words = [word if word in own_words else word.upper() for word in document.split()]
    print(f"gamma {gamma:<5}", " ".join(words))
