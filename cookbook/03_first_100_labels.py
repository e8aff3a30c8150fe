"""
The first hundred labels, from nothing
======================================

**The job.** You have a pile of reports and no labels. Somebody has an afternoon to read a hundred of
them. Which hundred?

**The data.** The documentation of NumPy, SciPy and scikit-learn, real text; the class is the pages
about clustering, 2 in 100. The labels are known, so that we can play the reader.
"""

import matplotlib.pyplot as plt
import numpy as np

from imbtext import Labelling
from imbtext.datasets import load_docstrings

docstrings = load_docstrings()
texts, is_class = docstrings.texts, docstrings.in_class("sklearn.cluster")
print(f"{is_class.sum()} of {len(texts)} documents are of the class; nobody knows which")

# %%
# Read in the best order
# ----------------------
# A few words are enough to begin. From the first find on, every label improves the next choice.
loop = Labelling(texts, words="grouping similar samples", random_state=0)
found = []
for _ in range(100):
    row = loop.next()[0]
    loop.add(row, is_class[row])
    found.append(is_class[row])
for sentence in loop.progress().sentences():
    print(sentence)

# %%
# Against reading at random
# -------------------------
at_random = np.arange(1, 101) * is_class.mean()
figure, axis = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
axis.plot(np.arange(1, 101), np.cumsum(found), label="in the order of Labelling")
axis.plot(np.arange(1, 101), at_random, "--", color="grey", label="at random, on average")
axis.axhline(is_class.sum(), color="lightgrey", label="all there are")
axis.set(xlabel="documents read", ylabel="documents of the class found")
axis.legend()
plt.show()

# %%
# What was learnt
# ---------------
# A hundred documents in this order bring what many hundreds at random would. The estimate of what is
# left is careful, and says "do not stop" longer than you would like: from so few labels, no rule can
# promise more. ``imbtext label`` runs the same loop in the browser.
