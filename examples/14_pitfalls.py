"""
Common pitfalls
===============

Three ways to fool yourself with a rare class, each with the honest number beside it.
"""

import matplotlib.pyplot as plt
import numpy as np
from imblearn.pipeline import make_pipeline
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import LinearSVC

from imbtext import EMCO, ROS, minority_share
from imbtext.datasets import load_docstrings

docstrings = load_docstrings()
texts = np.array([text[:1000] for text in docstrings.texts], dtype=object)  # a quick run
y = docstrings.in_class("scipy.integrate").astype(int)
folds = StratifiedKFold(3, shuffle=True, random_state=0)
share = minority_share(0.3, label=1)


def model(*steps):
    return make_pipeline(*steps, TfidfVectorizer(sublinear_tf=True), LinearSVC())


# %%
# Oversampling before the split
# -----------------------------
# Copies of a document land on both sides, so the classifier passes the test from memory.
scores = {}
for name, sampler in [("ROS", ROS), ("EMCO", EMCO)]:
    resampled, y_resampled = sampler(sampling_strategy=share, random_state=0).fit_resample(texts, y)
    wrong = cross_val_predict(model(), resampled, y_resampled, cv=folds)
    right = cross_val_predict(
        model(sampler(sampling_strategy=share, random_state=0)), texts, y, cv=folds
    )
    scores[f"{name} before the split"] = f1_score(y_resampled, wrong)
    scores[f"{name} inside the folds"] = f1_score(y, right)

# %%
# Near-duplicates on both sides
# -----------------------------
# Every document of the class is sent two more times, with a word added.
rare = np.flatnonzero(y)
twice = np.repeat(rare, 2)
copies = np.array([text + " (updated)" for text in texts[twice]], dtype=object)
all_texts, all_y = np.concatenate([texts, copies]), np.concatenate([y, y[twice]])
scores["with duplicates across folds"] = f1_score(
    all_y, cross_val_predict(model(), all_texts, all_y, cv=folds)
)
scores["without them"] = f1_score(y, cross_val_predict(model(), texts, y, cv=folds))

figure, axis = plt.subplots(figsize=(7.5, 3.4), layout="constrained")
colours = ["tab:orange", "tab:blue"] * 3
bars = axis.barh(list(scores), list(scores.values()), color=colours)
axis.bar_label(bars, fmt="%.2f", padding=3)
axis.invert_yaxis()
axis.set(xlim=(0, 1.12), xlabel="F1 (orange: fooled, blue: honest)")
plt.show()

# %%
# Choosing on the test documents
# ------------------------------
# Try twenty random rankings on a class of ten documents: the best of them looks like a discovery.
rng = np.random.default_rng(0)
labels = np.zeros(500, dtype=int)
labels[:10] = 1
tried = [average_precision_score(labels, rng.random(500)) for _ in range(20)]
print(f"average precision of rankings at random: mean {np.mean(tried):.3f}, best {max(tried):.3f}")
