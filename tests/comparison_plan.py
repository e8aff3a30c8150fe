"""Plans of comparisons that were never run, for tests of advice, snippets, reports and commands."""

import numpy as np

from imbtext.comparison import Plan
from imbtext.comparison._settings import get_classifier
from imbtext.documents._labels import Labels
from imbtext.methods import PreparedDocuments


def plan_of(texts, y, to_find, *, tokenizer=None, **values):
    """A plan for these documents, with the choices of a small comparison."""
    labels = Labels.of(y, len(texts), several=True)
    given = {
        "prepared": PreparedDocuments.of(texts, tokenizer),
        "labels": labels,
        "test_labels": None,
        "to_find": tuple(to_find),
        "is_class": {str(label): labels.mask(label) for label in to_find},
        "methods": ("plain",),
        "classifier": "linear-svm",
        "estimator": get_classifier("linear-svm"),
        "feature_source": "words",
        "language": "english",
        "metric": "f1",
        "share": 0.4,
        "folds": 5,
        "repeats": 2,
        "random_state": 7,
        "layout": None,
        "kept_together": None,
        "drawn_together": np.arange(len(texts)),
        "names": [f"row {i}" for i in range(len(texts))],
    }
    return Plan(**given | values)


def comparison_plan(*labels, multilabel=False, estimator=None, **values):
    """A plan to find these classes among a hundred documents."""
    y = [labels[i % len(labels)] for i in range(100)]
    y = [{label} for label in y] if multilabel else np.array(y, dtype=object)
    if estimator is not None:
        values["estimator"] = estimator
    return plan_of([f"word{i}" for i in range(100)], y, labels, **values)
