"""One way to do each thing: the same data, share and seed give the same documents at every door.

Everything goes through public names. What a method adds is seen by the classifier that it trains.
"""

import csv
import sys
from contextlib import suppress

import numpy as np
import pytest
from imblearn.over_sampling import SMOTE, BorderlineSMOTE
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score, make_scorer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV
from sklearn.svm import LinearSVC

from imbtext import (
    DECOM,
    DRO,
    EMCO,
    MCO,
    ROS,
    RareTextClassifier,
    ResampledClassifier,
    ThresholdClassifier,
    minority_share,
)
from imbtext.cli import main
from imbtext.comparison import compare
from imbtext.documents import encode_texts
from imbtext.randomness import draw_estimator_seed, draw_seed, keyed_random_state, seed_of_names

SHARE, SEED = 0.2, 3
COMMON = ["the", "market", "rose", "firms", "said", "rates", "may", "fall", "shares", "sold"]
RARE = ["oil", "crude", "barrel", "output", "price", "rose", "fall", "opec", "cut", "rates"]


def documents(n=400, m=17, seed=0):
    rng = np.random.default_rng(seed)
    is_class = rng.permutation(n) < m
    # Most of the last words occur once: in a fold they are unknown, as many will be in new texts.
    texts = [
        " ".join([*rng.choice(RARE if rare else COMMON, rng.integers(2, 9)), f"w{rng.integers(n)}"])
        for rare in is_class
    ]
    return texts, is_class


TEXTS, IS_CLASS = documents()
SAMPLERS = {
    "emco(0.1)": EMCO(0.1),
    "emco(heaps)": EMCO("heaps"),
    "emco(1.0, similarity=2)": EMCO(1.0, similarity=2),
    "emco(heaps, similarity=3)": EMCO("heaps", similarity=3),
    "mco": MCO(),
    "ros": ROS(),
}


class Watched(LinearSVC):
    """A classifier that shows the training matrices of all its fits."""

    seen = []

    def fit(self, X, y, sample_weight=None):
        self.seen.append(sparse.csr_array(X))
        return super().fit(X, y, sample_weight)


@pytest.fixture(autouse=True)
def matrices():
    Watched.seen.clear()
    return Watched.seen


def sampled(sampler, texts, is_class, random_state, label=True):
    """Return what a sampler adds."""
    sampler.set_params(
        sampling_strategy=minority_share(SHARE, label=label), random_state=random_state
    )
    resampled, _ = sampler.fit_resample(list(texts), np.asarray(is_class))
    return resampled[len(texts) :]


def trained(name, y=IS_CLASS, **options):
    """Return a classifier trained by a method, and the training matrix that it saw."""
    model = ResampledClassifier(
        name, classifier=Watched(), share=SHARE, random_state=SEED, **options
    )
    model.fit(TEXTS, y)
    return model, Watched.seen[-1]


def assert_added(X, expected):
    """The rows after the originals are the tf-idf vectors of these documents.

    The order of the columns is the method's own, so rows are compared by their products with the
    originals and with each other.
    """
    tfidf = TfidfVectorizer().fit(TEXTS)
    old, new = tfidf.transform(TEXTS), tfidf.transform(expected)
    n = len(TEXTS)
    assert X.shape[0] == n + len(expected)
    np.testing.assert_allclose((X[:n] @ X[:n].T).toarray(), (old @ old.T).toarray(), atol=1e-12)
    np.testing.assert_allclose((X[n:] @ X[:n].T).toarray(), (new @ old.T).toarray(), atol=1e-12)
    np.testing.assert_allclose((X[n:] @ X[n:].T).toarray(), (new @ new.T).toarray(), atol=1e-12)


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_classifier_adds_the_samplers_documents(name):
    assert_added(trained(name)[1], sampled(SAMPLERS[name], TEXTS, IS_CLASS, SEED))


def test_the_classifier_and_the_sampler_agree_on_a_class_that_sorts_first():
    y = np.where(IS_CLASS, "a", "b")
    assert_added(trained("emco(0.1)", y)[1], sampled(EMCO(0.1), TEXTS, y, SEED, label="a"))


@pytest.mark.parametrize("name", SAMPLERS)
def test_compare_adds_the_samplers_documents(name, matrices):
    compare(
        TEXTS,
        IS_CLASS.tolist(),
        methods=["plain", name],
        classes=[True],
        share=SHARE,
        classifier=Watched(),
        test=documents(60, 8, seed=1),
        repeats=1,
    )
    (X,) = [X for X in matrices if X.shape[0] > len(TEXTS)]
    assert_added(X, sampled(SAMPLERS[name], TEXTS, IS_CLASS, seed_of_names(0, 0, 0, "True")))


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("emco(0.1)", ["--method", "emco", "--gamma", "0.1"]),
        ("emco(heaps)", ["--method", "emco", "--gamma", "heaps"]),
        ("mco", ["--method", "mco"]),
        ("ros", ["--method", "ros"]),
    ],
)
def test_the_command_adds_the_samplers_documents(name, flags, tmp_path, monkeypatch):
    y = np.where(IS_CLASS, "rare", "common")
    with (tmp_path / "in.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([["text", "label"], *zip(TEXTS, y, strict=True)])
    command = ["oversample", tmp_path / "in.csv", "-o", tmp_path / "out.csv", *flags]
    command += ["--text", "text", "--label", "label", "--share", SHARE, "--seed", SEED]
    monkeypatch.setattr(sys, "argv", ["imbtext", *map(str, command)])
    with suppress(SystemExit):
        main()
    with (tmp_path / "out.csv").open(newline="") as stream:
        rows = list(csv.reader(stream))[1 + len(TEXTS) :]
    assert [row[0] for row in rows] == sampled(SAMPLERS[name], TEXTS, y == "rare", SEED)


@pytest.mark.parametrize(("n", "m", "share"), [(2967, 39, 0.2), (400, 17, 0.1), (101, 9, 0.3)])
def test_one_rule_from_a_share_to_a_number(n, m, share, matrices):
    y = np.arange(n) < m
    missing = minority_share(share, label=True)(y)[True] - m
    texts = ["oil up" if rare else "rain falls" for rare in y]
    ResampledClassifier("ros", classifier=Watched(), share=share, random_state=0).fit(texts, y)
    assert matrices[-1].shape[0] == n + missing
    # The share is reached as nearly as it can be without exceeding it.
    assert (m + missing) / (n + missing) <= share < (m + missing + 1) / (n + missing + 1)


@pytest.mark.parametrize(("name", "smooth"), [("decom", False), ("decoder", True)])
def test_topics_are_those_of_the_estimator(name, smooth):
    vocabulary = encode_texts(TEXTS).vocabulary.tolist()
    counts = CountVectorizer(vocabulary=vocabulary).transform(TEXTS)
    decom = DECOM(
        smooth=smooth, sampling_strategy=minority_share(SHARE, label=True), random_state=SEED
    )
    resampled, _ = decom.fit_resample(counts, IS_CLASS)
    expected = TfidfTransformer().fit(counts).transform(resampled).toarray()
    np.testing.assert_allclose(trained(name)[1].toarray(), expected, atol=1e-12)


def test_latent_spaces_are_those_of_the_estimator():
    plain = trained("plain")[1]
    dro = DRO(Watched(), sampling_strategy=minority_share(SHARE, label=True), random_state=SEED)
    dro.fit(plain, IS_CLASS)
    expected = Watched.seen[-1]
    _, seen = trained("dro")
    np.testing.assert_array_equal(seen.toarray(), expected.toarray())


@pytest.mark.parametrize(
    ("name", "sampler"), [("smote", SMOTE()), ("borderline-smote", BorderlineSMOTE())]
)
def test_the_classifier_adds_the_vectors_of_imbalanced_learn(name, sampler):
    for y, label in ((IS_CLASS, True), (np.where(IS_CLASS, "a", "b"), "a")):
        plain = trained("plain", y)[1]
        # The stream of a class is its place among the labels.
        state = keyed_random_state(draw_seed(SEED), int(label is True))
        sampler.set_params(
            sampling_strategy={1: minority_share(SHARE, label=label)(y)[label]},
            random_state=draw_estimator_seed(state),
        )
        expected, _ = sampler.fit_resample(plain, IS_CLASS.astype(int))
        np.testing.assert_array_equal(trained(name, y)[1].toarray(), expected.toarray())


def folds(random_state):
    """The folds in which a method tunes its threshold."""
    return StratifiedKFold(5, shuffle=True, random_state=draw_seed(random_state) % 2**32)


def as_scikit_learn_would(scoring, estimator):
    tuned = TunedThresholdClassifierCV(
        estimator, scoring=scoring, cv=folds(SEED), response_method="decision_function"
    )
    return tuned.fit(TEXTS, IS_CLASS.astype(int)).best_threshold_


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "scorer"), [("f1", f1_score), ("balanced_accuracy", balanced_accuracy_score)]
)
@pytest.mark.parametrize("method", ["plain", "emco(0.1)", "ros", "dro", "smote"])
def test_thresholds_are_scikit_learns_on_the_same_folds(method, name, scorer):
    y = IS_CLASS.astype(int)
    inner = ResampledClassifier(method, share=SHARE, pos_label=1, random_state=SEED).fit(TEXTS, y)
    both = f"threshold({name})" if method == "plain" else f"threshold({method}, {name})"
    outer = ResampledClassifier(both, share=SHARE, pos_label=1, random_state=SEED).fit(TEXTS, y)
    # decision_function is the score less the threshold.
    thresholds = inner.decision_function(TEXTS) - outer.decision_function(TEXTS)
    expected = as_scikit_learn_would(make_scorer(scorer), inner)
    np.testing.assert_allclose(thresholds, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("y", "says"),
    [
        (["a"] * 3, "y has only one class, 'a'; at least two"),
        (["a", 1, 2], "y mixes numbers and strings"),
        (["a", "b"], "X has 3 documents and y has 2 labels"),
        (["a", "b\0", "b"], "y[1] is 'b\\x00', which ends in a NUL character"),
        ("abb", "y is a single str"),
    ],
)
def test_labels_are_refused_in_the_same_words(y, says):
    texts = ["oil up", "gold down", "rain"]
    doors = [
        lambda: EMCO().fit(texts, y),
        lambda: EMCO().fit_resample(texts, y),
        lambda: ResampledClassifier().fit(texts, y),
        lambda: RareTextClassifier().fit(texts, y),
        lambda: compare(texts, y),
    ]
    for door in doors:
        with pytest.raises((TypeError, ValueError)) as refusal:
            door()
        assert str(refusal.value).startswith(says)


@pytest.mark.parametrize("missing", [None, float("nan"), "", "  "])
def test_samplers_and_thresholds_need_every_label(missing):
    # Other classifiers leave documents without a label out. A sampler gives every document back,
    # and to scikit-learn NaN among strings and white space are classes.
    texts, y = ["oil up", "gold down", "rain"], ["a", missing, "b"]
    vectors = np.eye(3)
    doors = [
        lambda: EMCO().fit(texts, y),
        lambda: EMCO().partial_fit(texts, y),
        lambda: EMCO().fit_resample(texts, y),
        lambda: ROS().fit_resample(texts, y),
        lambda: DECOM().fit_resample(vectors, y),
        lambda: DRO().fit(vectors, y),
        lambda: ThresholdClassifier(LogisticRegression()).fit(vectors, y),
        lambda: ThresholdClassifier.of_scores([0.1, 0.2, 0.3], y),
    ]
    for door in doors:
        with pytest.raises(ValueError, match=r"y\[1\] is missing \(.*\); every document needs a"):
            door()
