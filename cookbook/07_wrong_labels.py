"""
Wrong labels
============

**The job.** Several people labelled the documents, in a hurry. Which labels should somebody look at
again?

**The data.** Real documentation pages on ten subjects. We made 40 labels wrong on purpose, so we know
what there is to find.
"""

import matplotlib.pyplot as plt
import numpy as np

from imbtext import mislabelled
from imbtext.datasets import load_docstrings

docstrings = load_docstrings()
labels = np.array(docstrings.labels)
names, sizes = np.unique(labels, return_counts=True)
subjects = names[np.argsort(sizes)[-14:-4]]
chosen = np.flatnonzero(np.isin(labels, subjects))
texts, truth = [docstrings.texts[i] for i in chosen], labels[chosen]

rng = np.random.default_rng(0)
wrong = rng.choice(len(truth), 40, replace=False)
noisy = truth.copy()
for row in wrong:
    noisy[row] = rng.choice(subjects[subjects != truth[row]])
print(f"{len(texts)} documents, {len(wrong)} labels are wrong")

# %%
# The list to read
# ----------------
doubts = mislabelled(texts, noisy, random_state=0)
rows = [doubt.row for doubt in doubts]
is_wrong = np.isin(rows, wrong)
print(f"{len(rows)} labels are in doubt, and {is_wrong.sum()} of them are wrong")
for doubt in list(doubts)[:4]:
    first = texts[doubt.row].strip().splitlines()[0][:50]
    print(f"{doubt.label} -> {doubt.suggested}? {first!r}")

# %%
# How far to read
# ---------------
figure, axis = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
axis.plot(np.arange(1, len(rows) + 1), np.cumsum(is_wrong), label="in the order of the list")
at_random = np.arange(1, len(rows) + 1) * len(wrong) / len(texts)
axis.plot(np.arange(1, len(rows) + 1), at_random, "--", color="grey", label="at random")
axis.set(xlabel="labels looked at", ylabel="wrong labels found")
axis.legend()
plt.show()

# %%
# What was learnt
# ---------------
# Almost all labels at the top of the list are wrong. At its end are hard documents: pages that could
# belong to either subject. Read before you correct, and do not drop the hard ones.
