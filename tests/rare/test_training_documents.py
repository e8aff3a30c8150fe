"""What is held out together, and what is not learnt from meanwhile."""

import numpy as np
import pytest

from imbtext import RareTextClassifier, mislabelled
from imbtext.documents import Documents
from imbtext.rare._ranking import ALL_DOCUMENTS
from imbtext.rare._training_documents import TrainingDocuments, kept_together

WORDS = [f"{a}{b}{c}" for a in "bdfgklmnpr" for b in "aeiou" for c in "lmnrst"]


def packages(n_packages=60, n=8, seed=0):
    """Changelogs: every package has entries of its own, and one that all packages have."""
    generator = np.random.default_rng(seed)
    texts, y, groups = [], [], []
    for package in range(n_packages):
        for i in range(n):
            words = generator.choice(WORDS, 6).tolist()
            is_class = i == 1 and package % 2 == 0
            texts.append("new upstream release" if i == 0 else " ".join(words + ["cve"] * is_class))
            y.append(is_class)
            groups.append(f"package {package}")
    return texts, np.array(y), np.array(groups)


def read(texts, y, groups=None, time=None):
    return TrainingDocuments.of(
        Documents.of(texts, y, groups=groups, time=time),
        features="words",
        language=None,
        ignore_labels=None,
        random_state=0,
    )


def test_a_text_that_many_groups_share_does_not_chain_them_together():
    texts, y, groups = packages()
    together = kept_together(Documents.of(texts, groups=groups))
    np.testing.assert_array_equal(together, np.repeat(np.arange(60), 8))
    assert kept_together(Documents.of(texts)).max() + 1 == len(set(texts))
    sizes = np.bincount(read(texts, y, groups).training.folds.numbers)
    assert sizes.max() - sizes.min() <= 8


@pytest.mark.parametrize("has_groups", [False, True])
def test_neither_groups_nor_near_duplicates_are_learnt_from_while_one_is_held_out(has_groups):
    texts, y, groups = packages()
    documents = read(texts, y, groups if has_groups else None)
    training, texts = documents.training, np.array(texts)
    for fold in range(5):
        held, learnt = training.folds.numbers == fold, training.is_trained_on(fold)
        assert held.any()
        assert not set(texts[held]) & set(texts[learnt])
        if has_groups:
            assert not set(groups[held]) & set(groups[learnt])
        # Nothing else is lost.
        lost = ~held & ~learnt
        assert set(texts[lost]) <= {"new upstream release"}
    assert training.is_trained_on(ALL_DOCUMENTS).all()


def test_the_past_is_learnt_from_with_its_near_duplicates():
    texts, y, groups = packages()
    documents = read(texts, y, groups, np.arange(len(texts)) % 97)
    training, texts = documents.training, np.array(texts)
    periods = training.folds.numbers
    last = periods == periods.max()
    learnt = training.is_trained_on(int(periods.max()))
    assert "new upstream release" in set(texts[last])
    assert not set(groups[last]) & set(groups[learnt])


def test_what_to_expect_counts_each_group_once_and_not_all_as_one():
    texts, y, groups = packages()
    model = RareTextClassifier(random_state=0).fit(texts, y, groups=groups)
    recall = model.expectation_[0].recall
    assert recall.mean > 0.9
    assert recall.upper - recall.lower < 0.3


def test_labels_are_judged_without_near_duplicates_in_other_groups():
    # Half of the copies of one text are in the class: a model that saw a copy would know it.
    texts, y, groups = packages()
    copies = [i for i, text in enumerate(texts) if text == "new upstream release"]
    texts = [f"{text} quoxox" if i in copies[:4] else text for i, text in enumerate(texts)]
    y[copies[:4]] = True
    doubts = mislabelled(texts, y, groups=groups, random_state=0)
    assert set(copies[:4]) <= {doubt.row for doubt in doubts}
