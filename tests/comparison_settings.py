"""Settings of a comparison that was never run, for tests of advice, snippets and commands."""

from imbtext.comparison import Settings
from imbtext.comparison._settings import get_classifier


def comparison_settings(*labels, share=0.4, multilabel=False, random_state=7, estimator=None):
    """Settings of a comparison of these classes."""
    return Settings(
        n_documents=100,
        classes=tuple(map(str, labels)),
        methods=("plain",),
        classifier="linear-svm",
        features="words",
        metric="f1",
        share=share,
        folds=5,
        repeats=2,
        groups=False,
        n_test=0,
        multilabel=multilabel,
        random_state=random_state,
        data="",
        labels=labels,
        estimator=estimator or get_classifier("linear-svm"),
    )
