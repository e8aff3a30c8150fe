"""
Synthetic documents with case and punctuation
=============================================

EMCO draws words, in lower case and joined by spaces: that is all a classifier of words needs. With
``surface=True`` each drawn word is written as the documents write it, with its case and what stands
between it and the next word. Classifiers that look at characters or case then see no difference in
spelling between synthetic documents and originals.
"""

import textwrap

import matplotlib.pyplot as plt

from imbtext import EMCO
from imbtext.datasets import load_docstrings

docstrings = load_docstrings()
label = "scipy.integrate"
originals = [t for t, c in zip(docstrings.texts, docstrings.labels, strict=True) if c == label]
written = {"originals": originals}
for surface in (False, True):
    emco = EMCO(gamma=0.1, surface=surface, random_state=0)
    written[f"surface={surface}"] = emco.fit(docstrings.texts, docstrings.labels).sample(
        30, label=label
    )

for name in ("surface=False", "surface=True"):
    print(f"{name}:\n{textwrap.fill(' '.join(written[name][0].split()[:40]), 80)}\n")

# %%
# How much of each text is capital letters, and how much is neither letter, digit nor space.
kinds = {"capitals": str.isupper, "punctuation": lambda c: not c.isalnum() and not c.isspace()}
figure, axes = plt.subplots(1, 2, figsize=(7.5, 2.6), layout="constrained", sharey=True)
for axis, (title, is_kind) in zip(axes, kinds.items(), strict=True):
    shares = [sum(map(is_kind, "".join(texts))) / len("".join(texts)) for texts in written.values()]
    axis.barh(list(written), shares)
    axis.set(title=title, xlabel="share of all characters")
axes[0].invert_yaxis()
plt.show()
