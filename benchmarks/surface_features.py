"""What surface forms do to classifiers of words and of characters, cased and uncased.

``python benchmarks/surface_features.py`` cross-validates the plain classifier, random oversampling
and EMCO, plain and with surface forms, on HuffPost headlines, training folds alone resampled.
"""

import numpy as np
from imblearn.pipeline import make_pipeline
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import StratifiedKFold, cross_validate

from imbtext import EMCO, ROS, minority_share
from imbtext.datasets import load_huffpost
from imbtext.methods import default_classifier

N_DOCUMENTS, N_CLASSES, SHARE = 6_000, 2, 0.2


def main():
    data = load_huffpost("titles")
    rows = np.random.default_rng(0).choice(len(data.texts), N_DOCUMENTS, replace=False)
    texts = np.array([data.texts[row] for row in rows], dtype=object)
    classes = {name: np.asarray(data.in_class(name))[rows].astype(int) for name in data.classes}
    rare = [name for name, y in classes.items() if 0.01 < y.mean() < 0.03][:N_CLASSES]
    strategy = minority_share(SHARE, label=1)
    samplers = {
        "plain classifier": None,
        "ROS": ROS(sampling_strategy=strategy, random_state=0),
        "EMCO(0.1)": EMCO(0.1, sampling_strategy=strategy, random_state=0),
        "EMCO(0.1, surface)": EMCO(0.1, surface=True, sampling_strategy=strategy, random_state=0),
    }
    words = {"token_pattern": r"(?u)\b\w\w+\b"}
    characters = {"analyzer": "char_wb", "ngram_range": (2, 4), "min_df": 2}
    print(f"{N_DOCUMENTS} headlines, classes {', '.join(rare)}; mean F1 and average precision")
    for title, options in (("characters", characters), ("words", words)):
        for lowercase in (False, True):
            vectorizer = TfidfVectorizer(lowercase=lowercase, **options)
            for name, sampler in samplers.items():
                steps = [vectorizer, default_classifier().set_params(random_state=0)]
                model = make_pipeline(*steps if sampler is None else [sampler, *steps])
                folds = StratifiedKFold(3, shuffle=True, random_state=0)
                scorings = ["f1", "average_precision"]
                found = [
                    cross_validate(model, texts, classes[c], cv=folds, scoring=scorings)
                    for c in rare
                ]
                f1, precision = (
                    np.mean([scores[f"test_{scoring}"] for scores in found]) for scoring in scorings
                )
                case = "uncased" if lowercase else "cased"
                print(f"{title}, {case:8} {name:20} F1 {f1:.3f}  AP {precision:.3f}", flush=True)


if __name__ == "__main__":
    main()
