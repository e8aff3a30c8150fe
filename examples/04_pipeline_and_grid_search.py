"""
In a pipeline, with gamma chosen by cross-validation
====================================================

Resampling belongs inside each training fold. imbalanced-learn's pipeline sees to that: it
never resamples documents that are scored, and no synthetic document takes a word from them.
"""

import matplotlib.pyplot as plt
from imblearn.pipeline import Pipeline
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

from imbtext import EMCO, minority_share
from imbtext.datasets import load_docstrings

docstrings = load_docstrings()
is_rare = docstrings.in_class("scipy.integrate")
model = Pipeline(
    [
        ("emco", EMCO(sampling_strategy=minority_share(0.2, label=True), random_state=0)),
        ("tfidf", TfidfVectorizer(sublinear_tf=True)),
        ("svm", LinearSVC()),
    ]
)
search = GridSearchCV(
    model,
    {"emco__gamma": [0, 0.01, 0.1, 1]},
    scoring=["recall", "precision", "balanced_accuracy"],
    refit="balanced_accuracy",
    cv=3,
)
search.fit(docstrings.texts, is_rare)
print(f"best by balanced accuracy: gamma {search.best_params_['emco__gamma']}")

# %%
# More recall costs precision. You choose which of them matters more.
figure, axis = plt.subplots(figsize=(7, 3.6), layout="constrained")
gammas = [str(p["emco__gamma"]) for p in search.cv_results_["params"]]
for score in ("recall", "precision", "balanced_accuracy"):
    axis.plot(
        gammas, search.cv_results_[f"mean_test_{score}"], marker="o", label=score.replace("_", " ")
    )
axis.set(xlabel="gamma", ylim=(0, 1.02))
axis.legend()
axis.grid(alpha=0.3)
plt.show()
