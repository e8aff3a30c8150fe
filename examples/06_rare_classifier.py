"""
A classifier for a rare class
=============================

:class:`imbtext.RareTextClassifier` ranks by words, pairs of words and parts of words, and puts its
threshold where your metric is best. It also says what to expect of it.
"""

import matplotlib.pyplot as plt
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import PrecisionRecallDisplay, fbeta_score, precision_score, recall_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings

docstrings = load_docstrings()
is_rare = docstrings.in_class("scipy.integrate")
texts_train, texts_test, y_train, y_test = train_test_split(
    docstrings.texts, is_rare, test_size=0.5, stratify=is_rare, random_state=0
)
model = RareTextClassifier(metric="f2", random_state=0).fit(texts_train, y_train)
print(model.expectation_[0])

# %%
# Beside what you would put together by hand
# ------------------------------------------
by_hand = make_pipeline(
    TfidfVectorizer(), LogisticRegression(class_weight="balanced", max_iter=1000)
).fit(texts_train, y_train)
figure, axis = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
for name, fitted in [("RareTextClassifier", model), ("balanced logistic regression", by_hand)]:
    decisions = fitted.predict(texts_test)
    print(f"{name}: F2 {fbeta_score(y_test, decisions, beta=2):.3f}")
    display = PrecisionRecallDisplay.from_predictions(
        y_test, fitted.decision_function(texts_test), ax=axis, name=name
    )
    axis.plot(
        recall_score(y_test, decisions),
        precision_score(y_test, decisions),
        "o",
        color=display.line_.get_color(),
        markersize=9,
    )
axis.legend(loc="lower left", fontsize="small")
plt.show()

# %%
# Other goals, the same ranking
# -----------------------------
# You can move the operating point without training again: at most five alarms per thousand
# documents, or nine of ten alarms right.
for metric in (
    "f1",
    "f2",
    "balanced_accuracy",
    "recall_at_precision(0.9)",
    "alarms_per_thousand(5)",
):
    decisions = model.at(metric).predict(texts_test)
    recall, alarms = recall_score(y_test, decisions), int(decisions.sum())
    print(f"{metric:26} finds {recall:.0%} of the class with {alarms} alarms")
