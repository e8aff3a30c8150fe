"""
First steps
===========

Oversample one rare class of the embedded corpus with EMCO, look at what was added, and see what a
classifier makes of it. The corpus is the docstrings of NumPy, SciPy and scikit-learn, labelled by
the part of the library they describe.
"""

# %%
# A rare class
# ------------
# ``numpy.fft`` is the topic of a handful of documents among a few thousand.
from sklearn.model_selection import train_test_split

from imbtext.datasets import load_docstrings

docstrings = load_docstrings()
is_fft = docstrings.in_class("numpy.fft")
texts_train, texts_test, y_train, y_test = train_test_split(
    docstrings.texts, is_fft, test_size=0.5, stratify=is_fft, random_state=0
)
print(f"{y_train.sum()} of {len(y_train)} training documents are about Fourier transforms")

# %%
# New documents
# -------------
# The originals come first, untouched; the synthetic documents follow. ``minority_share(0.1)``
# makes the class a tenth of all documents.
from imbtext import EMCO, minority_share

emco = EMCO(gamma=0.1, sampling_strategy=minority_share(0.1, label=True), random_state=0)
texts_resampled, y_resampled = emco.fit_resample(texts_train, y_train)
print(f"{emco.n_generated_[True]} documents were generated; one of them begins")
print(texts_resampled[-1][:200], "...")

# %%
# What it changes
# ---------------
# More of the rare documents are found, and more of the others are flagged too.
import matplotlib.pyplot as plt
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for axis, name, texts, y in [
    (axes[0], "as they are", texts_train, y_train),
    (axes[1], "with EMCO", texts_resampled, y_resampled),
]:
    model = make_pipeline(TfidfVectorizer(sublinear_tf=True), LinearSVC()).fit(texts, y)
    ConfusionMatrixDisplay.from_predictions(
        y_test, model.predict(texts_test), ax=axis, colorbar=False, cmap="Blues"
    )
    axis.set_title(name)
plt.show()
