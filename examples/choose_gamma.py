"""Choose gamma by cross-validation, on a rare class of the embedded corpus.

Resampling happens inside each training fold: the pipeline is imbalanced-learn's, so documents that
are scored are never resampled and never lend a word to a synthetic one.
"""

from imblearn.pipeline import Pipeline
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

from imbtext import EMCO, minority_share
from imbtext.datasets import load_docstrings


def main():
    docstrings = load_docstrings()
    is_rare = docstrings.is_category("scipy.integrate")
    model = Pipeline(
        [
            ("emco", EMCO(sampling_strategy=minority_share(0.2, label=True), random_state=0)),
            ("tfidf", TfidfVectorizer(sublinear_tf=True)),
            ("svm", LinearSVC()),
        ]
    )
    search = GridSearchCV(
        model, {"emco__gamma": [0, 0.01, 0.1, 1]}, scoring="balanced_accuracy", cv=3
    )
    search.fit(docstrings.texts, is_rare)
    for parameters, score in zip(
        search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True
    ):
        print(f"gamma {parameters['emco__gamma']:<5} balanced accuracy {score:.3f}")
    print(f"best: gamma {search.best_params_['emco__gamma']}")


if __name__ == "__main__":
    main()
