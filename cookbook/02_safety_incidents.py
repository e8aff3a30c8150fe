"""
Pages about one rare subject
============================

**The job.** Among thousands of reports, find those about one kind of incident, and see whether a
model made for it beats what you would put together by hand.

**The data.** Real text that every machine has: the documentation of NumPy, SciPy and scikit-learn.
The "incidents" are the pages about numerical integration, 1 in 100.
"""

import matplotlib.pyplot as plt
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings

docstrings = load_docstrings()
is_incident = docstrings.in_class("scipy.integrate")
texts, new_texts, labels, new_labels = train_test_split(
    docstrings.texts, is_incident, test_size=0.5, stratify=is_incident, random_state=3
)
print(f"{labels.sum()} incidents among {len(labels)} labelled reports")

# %%
# Three models on the same split
# ------------------------------
models = {
    "logistic\nregression": LogisticRegression(max_iter=1000),
    "with balanced\nweights": LogisticRegression(class_weight="balanced", max_iter=1000),
}
models = {name: make_pipeline(TfidfVectorizer(), model) for name, model in models.items()}
models["RareText-\nClassifier"] = RareTextClassifier("f2", pos_label=True, random_state=0)

counts = {}
for name, model in models.items():
    decisions = model.fit(texts, labels).predict(new_texts)
    (_, wrong), (missed, found) = confusion_matrix(new_labels, decisions)
    counts[name] = (found, missed, wrong)
    print(f"{' '.join(name.split()):30} finds {found}, misses {missed}, {wrong} false alarms")

# %%
# Found, missed, false alarms
# ---------------------------
figure, axis = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for i, (what, colour) in enumerate(
    [("found", "tab:blue"), ("missed", "lightgrey"), ("false alarms", "tab:orange")]
):
    left = [j + 0.27 * (i - 1) for j in range(len(counts))]
    axis.bar(left, [c[i] for c in counts.values()], width=0.25, color=colour, label=what)
axis.set_xticks(range(len(counts)), counts)
axis.legend()
plt.show()

# %%
# What was learnt
# ---------------
# Plain logistic regression hardly ever says yes. Balanced weights and a model made for rare classes
# both do, and the picture shows what they pay in false alarms. The numbers come from one split of one
# class. Before you decide, ``imbtext compare`` repeats the test and adds intervals.
