"""
The paper's LSTM
================

A bidirectional LSTM reads words as vectors, in their order. It takes any vectors: pretrained ones
(GloVe, fastText, word2vec) or, as here, vectors made from the training documents, so that nothing
is fetched. It is a scikit-learn classifier, so EMCO goes before it in a pipeline.

This example needs PyTorch (``pip install '.[neural]'``). Without it, only the linear SVM runs.
"""

import matplotlib.pyplot as plt
import numpy as np
from imblearn.pipeline import make_pipeline
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import PrecisionRecallDisplay
from sklearn.model_selection import train_test_split

from imbtext import EMCO, MethodClassifier, minority_share
from imbtext.datasets import load_docstrings

try:
    from imbtext.neural import LSTMClassifier
except ImportError as error:
    LSTMClassifier = None
    print(error)

docstrings = load_docstrings()
is_rare = docstrings.in_class("scipy.integrate").astype(int)
# A quick run: the beginnings of a third of the other documents.
kept = [i for i, rare in enumerate(is_rare) if rare or i % 3 == 0]
texts = [" ".join(docstrings.texts[i].split()[:15]) for i in kept]
is_rare = is_rare[kept]
texts_train, texts_test, y_train, y_test = train_test_split(
    texts, is_rare, test_size=0.5, stratify=is_rare, random_state=0
)
print(f"{y_train.sum()} of {len(y_train)} training documents are of the class")

# %%
# Words that occur in the same documents get similar vectors.
vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2)
weights = vectorizer.fit_transform(texts_train)
svd = TruncatedSVD(32, random_state=0).fit(weights)
vectors = svd.components_.T * np.sqrt(weights.shape[0])
embedding = dict(zip(vectorizer.get_feature_names_out(), vectors, strict=True))

# %%
# The network on the documents as they are, the network after EMCO has brought the class to a fifth
# of them, and a linear SVM on words.
models = {"linear SVM": MethodClassifier("plain", random_state=0)}
if LSTMClassifier is not None:
    lstm = LSTMClassifier(embedding, epochs=4, random_state=0)
    emco = EMCO(gamma=0.1, sampling_strategy=minority_share(0.2), random_state=0)
    models |= {"LSTM": lstm, "EMCO, LSTM": make_pipeline(emco, lstm)}

figure, axis = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
for name, model in models.items():
    model.fit(texts_train, y_train)
    if hasattr(model, "decision_function"):
        scores = model.decision_function(texts_test)
    else:
        scores = model.predict_proba(texts_test)[:, 1]
    found = int(model.predict(texts_test)[y_test == 1].sum())
    print(f"{name:10} finds {found} of {y_test.sum()} documents of the class")
    PrecisionRecallDisplay.from_predictions(y_test, scores, name=name, ax=axis)
axis.legend(loc="upper right", fontsize="small")
plt.show()

# %%
# A network cannot learn much from so few documents: the linear SVM ranks them far better. With
# synthetic documents the network finds more of the class. :doc:`The results </results/lstm>` show
# how both do on the paper's data.
