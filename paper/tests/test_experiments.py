import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split

from imbtext.methods import default_classifier
from paper.averages import PUBLISHED_NAMES
from paper.experiments import (
    AS_IN_THE_PAPER,
    EXPERIMENTS,
    PAPER_METHODS,
    ROW_TITLES,
    eda_copies,
    frequency_group,
    is_oversampled,
    method_named,
    n_synthetic,
)
from paper.published import published_cells
from paper.splits import RawSplit, huffpost_rows, not_empty, prepare, preprocess


def test_huffpost_rows_are_those_of_pandas_and_scikit_learn():
    frame = pd.DataFrame({"row": np.arange(1_003)}).sample(frac=1, random_state=42)
    size = round(1_003 / 5)
    found = list(huffpost_rows(1_003, folds=5))
    assert len(found) == 5
    for fold, (train, test) in enumerate(found):
        piece = frame[fold * size : (fold + 1) * size]
        expected_train, expected_test = train_test_split(piece, train_size=0.5, random_state=42)
        assert train.tolist() == expected_train["row"].tolist()
        assert test.tolist() == expected_test["row"].tolist()


def test_folds_are_disjoint_and_the_whole_set_is_one_slice():
    rows = np.concatenate([np.concatenate(sides) for sides in huffpost_rows(997, folds=5)])
    assert len(np.unique(rows)) == len(rows)
    ((train, test),) = huffpost_rows(997, folds=1)
    assert sorted([*train, *test]) == list(range(997))


@pytest.mark.parametrize("ratio", [0.1, 0.2])
@pytest.mark.parametrize("m", [1, 7, 90])
def test_n_synthetic_reaches_the_ratio_and_no_more(ratio, m):
    n = 7_769
    added = n_synthetic(n, m, ratio)
    assert (m + added) / (n + added) <= ratio < (m + added + 1) / (n + added + 1)


def test_the_borders_of_the_groups():
    assert not is_oversampled(0.75 * 0.2, ratio=0.2)
    assert is_oversampled(np.nextafter(0.75 * 0.2, 0), ratio=0.2)
    assert frequency_group(np.nextafter(0.015, 0)) == "very_low"
    assert frequency_group(0.015) == "low"


def test_edas_copies_meet_the_ratio():
    for n, m, ratio in [(7769, 1, 0.1), (7769, 20, 0.2), (1000, 99, 0.1)]:
        c = eda_copies(n, m, ratio)
        assert (m + m * c) / (n + m * c) >= ratio > (m + m * (c - 1)) / (n + m * (c - 1)) or c == 1


def test_the_experiments_are_the_rows_of_the_published_tables():
    published = published_cells("svm")
    assert list(ROW_TITLES) == [(e.dataset, e.text) for e in EXPERIMENTS.values()]
    assert set(ROW_TITLES) == set(published.select("dataset", "text").iter_rows())
    methods = published["method"].unique(maintain_order=True).to_list()
    assert [PUBLISHED_NAMES[method] for method in PAPER_METHODS] == methods
    for method in PAPER_METHODS:
        assert method_named(AS_IN_THE_PAPER.get(method, method))


def test_the_classifier_is_the_papers():
    wanted = {"loss": "hinge", "C": 1.0, "tol": 1e-3, "max_iter": 100_000, "penalty": "l2"}
    assert wanted.items() <= default_classifier().get_params().items()


def test_preprocessing_fits_on_the_training_side_and_keeps_empty_rows():
    documents = RawSplit(
        train_texts=["Oil prices", "oil price oil", "the the", "price"],
        test_texts=["oil gold"],
        train_labels=np.array([[True], [True], [False], [False]]),
        test_labels=np.array([[True]]),
        categories=("oil",),
        shares=np.array([0.5]),
    )
    split = preprocess(documents, ["the"])
    assert split.data.corpus.vocabulary.tolist() == ["oil", "price"]
    assert split.data.corpus.lengths.tolist() == [2, 3, 0, 1]
    assert split.test.toarray().tolist() == [[1.0, 0.0]]
    idf = np.log((4 + 1) / (np.array([2, 3]) + 1)) + 1
    row = np.array([2.0, 1.0]) * idf
    assert split.data.tfidf.toarray()[1] == pytest.approx(row / np.linalg.norm(row))


def test_the_fingerprint_changes_with_words_labels_and_nothing_else():
    def split(words="oil oil oil", label=True):
        return preprocess(
            RawSplit(
                train_texts=[words, "gold gold gold"],
                test_texts=["oil"],
                train_labels=np.array([[label], [False]]),
                test_labels=np.array([[True]]),
                categories=("c",),
                shares=np.array([0.5]),
            ),
            [],
        )

    assert split().fingerprint() == split().fingerprint()
    assert split().fingerprint() != split(words="oil oil oil gold").fingerprint()
    assert split().fingerprint() != split(label=False).fingerprint()


def test_not_empty_looks_before_the_removal_of_rare_words():
    assert not_empty(["once", "the", "x", "", "1987"], ["the"]).tolist() == [
        True,
        False,
        False,
        False,
        False,
    ]


def test_reuters_has_the_papers_categories_and_lengths(data_home):
    (split,), checksum = prepare(EXPERIMENTS["reuters-titles"], data_home)
    groups = [frequency_group(s) for s in split.shares if is_oversampled(s, 0.2)]
    assert (groups.count("very_low"), groups.count("low")) == (76, 12)
    assert split.data.n_documents == 7_769
    assert split.data.corpus.lengths.mean() == pytest.approx(5.9, abs=0.05)
    assert "lt" in split.data.corpus.vocabulary
    assert len(checksum) == 64


@pytest.mark.slow
def test_20_newsgroups_keeps_the_papers_documents(data_home):
    (split,), _ = prepare(EXPERIMENTS["20newsgroups"], data_home)
    assert (split.data.n_documents, split.test.shape[0]) == (10_999, 7_306)
    assert min(split.shares) >= 0.015
