"""
What helps on my documents?
===========================

``compare`` runs methods on the same folds of your own documents and says which of them is worth it,
or that none is. Here three simple remedies and EMCO stand beside the plain classifier.
"""

import textwrap

import matplotlib.pyplot as plt

from imbtext import compare
from imbtext.datasets import load_docstrings

docstrings = load_docstrings()
comparison = compare(
    docstrings.texts,
    docstrings.labels,
    classes="scipy.integrate",
    methods=["plain", "class-weight", "threshold(f2)", "ros", "emco(0.1)"],
    metric="f2",
    folds=3,
    repeats=1,
)
advice = comparison.recommendation
for sentence in (advice.result, advice.headline, advice.reason, advice.gain):
    print(textwrap.fill(sentence, 90), end="\n\n")

# %%
# Every measure has an interval; with few documents of the class they are wide.
table = comparison.table().reverse()
middle = table["f2"].to_numpy()
reach = [middle - table["f2_lower"].to_numpy(), table["f2_upper"].to_numpy() - middle]

figure, axis = plt.subplots(figsize=(6.4, 3), layout="constrained")
axis.errorbar(middle, table["method"].to_list(), xerr=reach, fmt="o", capsize=4)
axis.set(xlabel="F2 on documents that the model has not seen, with 95% intervals")
plt.show()

# %%
# What it cost, and the line to quote with the numbers. ``comparison.report("report.html")`` writes
# all of it as a page to click through.
print(comparison.table().select("method", "recall", "precision", "seconds", "rows_added"))
print(comparison.signature)
