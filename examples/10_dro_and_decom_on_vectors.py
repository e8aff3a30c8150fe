"""
DRO and DECOM: oversampling vectors
===================================

Some methods work on vectors rather than documents. DECOM draws count vectors from a topic model
of the class. DRO repeats documents and gives each copy a latent part of its own; as test
documents need such a part too, it is a classifier around another one.
"""

import matplotlib.pyplot as plt
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from imbtext import DECOM, DRO, minority_share
from imbtext.datasets import load_docstrings

docstrings = load_docstrings()
is_rare = docstrings.in_class("scipy.integrate").astype(int)
texts_train, texts_test, y_train, y_test = train_test_split(
    docstrings.texts, is_rare, test_size=0.5, stratify=is_rare, random_state=0
)
share = minority_share(0.2)
scores = {}

counter = CountVectorizer(stop_words="english", min_df=2)
counts = counter.fit_transform(texts_train)
plain = make_pipeline(TfidfTransformer(), LinearSVC()).fit(counts, y_train)
scores["plain SVM"] = balanced_accuracy_score(y_test, plain.predict(counter.transform(texts_test)))

# %%
# DECOM takes and gives counts.
X, y = DECOM(sampling_strategy=share, random_state=0).fit_resample(counts, y_train)
model = make_pipeline(TfidfTransformer(), LinearSVC()).fit(X, y)
scores["DECOM"] = balanced_accuracy_score(y_test, model.predict(counter.transform(texts_test)))

# %%
# DRO stands at the end of a pipeline.
dro = make_pipeline(
    TfidfVectorizer(stop_words="english", min_df=2), DRO(sampling_strategy=share, random_state=0)
)
scores["DRO"] = balanced_accuracy_score(y_test, dro.fit(texts_train, y_train).predict(texts_test))

figure, axis = plt.subplots(figsize=(6, 2.6), layout="constrained")
bars = axis.barh(list(scores), list(scores.values()))
axis.bar_label(bars, fmt="%.3f", padding=3)
axis.set(xlim=(0.5, 1.05), xlabel="balanced accuracy")
axis.invert_yaxis()
plt.show()
