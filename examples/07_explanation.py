"""
Why this document?
==================

The classifier is linear, so it can say word by word what speaks for and against a document, in the
document's own spelling.
"""

import matplotlib.pyplot as plt

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings

docstrings = load_docstrings()
is_rare = docstrings.in_class("scipy.integrate")
model = RareTextClassifier(random_state=0).fit(docstrings.texts, is_rare)

text = "Solve an initial value problem for a system of differential equations on a grid of points."
explanation = model.explain(text)
print(f"score {explanation.score:.2f}, threshold {explanation.threshold:.2f}")


def bars(axis, parts, title):
    names, values = zip(*parts[::-1])
    axis.barh(names, values, color=["tab:blue" if v > 0 else "tab:orange" for v in values])
    axis.set_title(title)


figure, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
bars(axes[0], explanation.parts[:12], "this document, for and against")
bars(axes[1], model.top_features(True, 12), "the class")
plt.show()
