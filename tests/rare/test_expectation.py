"""What the model says of itself holds: on new documents, over many splits, and for noise."""

import numpy as np

from imbtext.rare._operating_point import ClassScores, choose_threshold, expect, get_goal


def drawn(generator, n_class, n_rest):
    scores = np.concatenate(
        [generator.normal(1.6, 1, size=n_class), generator.normal(0, 1, size=n_rest)]
    )
    return scores, np.arange(len(scores)) < n_class


def test_intervals_cover_what_new_documents_give():
    """Scores as a ranking would give them: the interval must hold the truth of new documents."""
    generator = np.random.default_rng(0)
    goal = get_goal("f2")
    new_scores, new_class = drawn(generator, 20_000, 400_000)
    inside = {"recall": [], "precision": []}
    for split in range(150):
        scores, positive = drawn(generator, 30, 600)
        folds = generator.integers(5, size=len(scores)).astype(np.int8)
        found = expect("x", goal, ClassScores(scores, positive, None, folds), seed=split)
        put = new_scores > choose_threshold(goal, scores, positive)
        right = (put & new_class).sum()
        recall, precision = right / new_class.sum(), right / max(put.sum(), 1)
        inside["recall"].append(found.recall.lower <= recall <= found.recall.upper)
        inside["precision"].append(found.precision.lower <= precision <= found.precision.upper)
    # 150 splits tell 0.95 from 0.90 (two standard errors are 0.036).
    assert np.mean(inside["recall"]) > 0.9
    assert np.mean(inside["precision"]) > 0.9


def test_the_threshold_that_was_chosen_on_the_same_scores_does_not_flatter():
    """Scores that mean nothing: a threshold can be chosen that looks good, and must not."""
    generator = np.random.default_rng(1)
    said = []
    for split in range(60):
        scores = generator.normal(size=400)
        positive = np.arange(400) < 8
        folds = generator.integers(5, size=400).astype(np.int8)
        found = expect("x", get_goal("f1"), ClassScores(scores, positive, None, folds), seed=split)
        said.append(0.0 if np.isnan(found.precision.mean) else found.precision.mean)
    assert np.mean(said) < 0.05  # chance is 0.02


def test_sentences_say_what_was_measured():
    generator = np.random.default_rng(2)
    scores, positive = drawn(generator, 40, 400)
    folds = np.arange(440) % 5
    found = expect(
        "oil", get_goal("f2"), ClassScores(scores, positive, None, folds.astype(np.int8)), seed=0
    )
    first, second, third = found.sentences()
    share = f"{100 * found.recall.mean:.0f}"
    assert first.startswith(f"It finds about {share} (")
    assert "are right" in second
    assert "of 1,000 documents" in third
