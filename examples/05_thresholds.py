"""
A threshold instead of new documents
====================================

A classifier gives scores, and a threshold turns them into decisions. Oversampling mostly moves
that threshold; moving it directly is cheaper, and often better. Here both are drawn into one
picture.
"""

import matplotlib.pyplot as plt
from sklearn.metrics import PrecisionRecallDisplay, fbeta_score, precision_score, recall_score
from sklearn.model_selection import train_test_split

from imbtext import ResampledClassifier
from imbtext.datasets import load_docstrings

docstrings = load_docstrings()
is_rare = docstrings.in_class("scipy.integrate")
texts_train, texts_test, y_train, y_test = train_test_split(
    docstrings.texts, is_rare, test_size=0.5, stratify=is_rare, random_state=1
)

figure, axis = plt.subplots(figsize=(6.4, 5), layout="constrained")
for method in ("plain", "threshold(f2)", "class-weight", "emco(0.1)", "emco(1)"):
    model = ResampledClassifier(method, random_state=0).fit(texts_train, y_train)
    scores, decisions = model.decision_function(texts_test), model.predict(texts_test)
    recall, precision = recall_score(y_test, decisions), precision_score(y_test, decisions)
    print(f"{method:14} F2 {fbeta_score(y_test, decisions, beta=2):.3f}")
    if method in ("plain", "emco(1)"):
        PrecisionRecallDisplay.from_predictions(y_test, scores, ax=axis, name=f"curve of {method}")
    axis.plot(recall, precision, "o", markersize=9, label=f"decision of {method}")
axis.legend(loc="lower left", fontsize="small")
axis.set(xlim=(0, 1.02), ylim=(0, 1.05))
plt.show()

# %%
# The curves are the rankings; the dots are the decisions. A threshold moves the dot along its
# curve; class weights and oversampling change the curve a little and the dot a lot.
