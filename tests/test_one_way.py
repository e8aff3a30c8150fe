"""One way to do each thing: the same data, share and seed give the same documents at every door."""

import csv
import sys
from contextlib import suppress

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics import balanced_accuracy_score, f1_score, make_scorer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline

from imbtext import (
    ADASYN,
    DECOM,
    DRO,
    EMCO,
    MCO,
    ROS,
    SMOTE,
    BorderlineSMOTE,
    MethodClassifier,
    RareTextClassifier,
    minority_share,
)
from imbtext.cli import main
from imbtext.comparison import compare
from imbtext.documents import Corpus
from imbtext.methods import (
    Method,
    PreparedDocuments,
    Request,
    default_classifier,
    fit_method,
    get_method,
)
from imbtext.randomness import draw_seed, keyed_random_state, seed_of_names

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


def sampled(sampler, texts, is_class, random_state):
    """Return what a sampler adds."""
    sampler.set_params(
        sampling_strategy=minority_share(SHARE, label=True), random_state=random_state
    )
    resampled, _ = sampler.fit_resample(list(texts), np.asarray(is_class))
    return resampled[len(texts) :]


@pytest.fixture
def resampled(monkeypatch):
    """Take down what methods are asked for, and what they answer."""
    seen = []
    resample = Method.resample

    def spy(method, request):
        seen.append((method.name, request, resample(method, request)))
        return seen[-1][-1]

    monkeypatch.setattr(Method, "resample", spy)
    return seen


def added(request, answer):
    """Return the word counts of what a method added, and the vocabulary."""
    return answer.counts[request.data.n_documents :].toarray(), request.data.corpus.vocabulary


def counted(texts, vocabulary):
    return CountVectorizer(vocabulary=vocabulary.tolist()).transform(texts).toarray()


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_classifier_adds_the_samplers_documents(name, resampled):
    expected = sampled(SAMPLERS[name], TEXTS, IS_CLASS, SEED)
    MethodClassifier(name, share=SHARE, random_state=SEED).fit(TEXTS, IS_CLASS)
    counts, vocabulary = added(*resampled[0][1:])
    np.testing.assert_array_equal(counts, counted(expected, vocabulary))


def test_the_classifier_and_the_sampler_agree_on_a_class_that_sorts_first(resampled):
    y = np.where(IS_CLASS, "a", "b")
    emco = EMCO(0.1, sampling_strategy=minority_share(SHARE), random_state=SEED)
    expected = emco.fit_resample(TEXTS, y)[0][len(TEXTS) :]
    MethodClassifier("emco(0.1)", share=SHARE, random_state=SEED).fit(TEXTS, y)
    counts, vocabulary = added(*resampled[0][1:])
    np.testing.assert_array_equal(counts, counted(expected, vocabulary))


@pytest.mark.parametrize("name", SAMPLERS)
def test_compare_adds_the_samplers_documents(name, resampled):
    compare(TEXTS, IS_CLASS.tolist(), methods=["plain", name], classes=[True], share=SHARE)
    seen = [(request, answer) for method, request, answer in resampled if method == name]
    assert len(seen) >= 5
    request, answer = seen[0]
    seed = seed_of_names(0, 0, 0, "True")
    expected = sampled(SAMPLERS[name], request.data.texts, request.is_class, seed)
    assert request.n_new == len(expected)
    counts, vocabulary = added(request, answer)
    np.testing.assert_array_equal(counts, counted(expected, vocabulary))


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
def test_one_rule_from_a_share_to_a_number(n, m, share):
    y = np.arange(n) < m
    data = PreparedDocuments(Corpus.from_tokens([["a"] if rare else ["b"] for rare in y]))
    missing = minority_share(share).missing(n, m)
    assert minority_share(share, label=True)(y)[True] - m == missing
    assert Request.of(data, y, minority_share(share).missing).n_new == missing
    # The share is reached as nearly as it can be without exceeding it.
    assert (m + missing) / (n + missing) <= share < (m + missing + 1) / (n + missing + 1)


def test_topics_and_latent_spaces_are_those_of_their_estimators():
    data = PreparedDocuments.from_documents(TEXTS)
    request = Request.of(data, IS_CLASS, minority_share(SHARE).missing, random_state=SEED)
    strategy = minority_share(SHARE, label=True)
    for smooth, name in ((False, "decom"), (True, "decoder")):
        decom = DECOM(smooth=smooth, sampling_strategy=strategy, random_state=SEED)
        counts, _ = decom.fit_resample(data.counts, IS_CLASS)
        resampled = get_method(name).resample(request)
        np.testing.assert_array_equal(counts.toarray(), resampled.counts.toarray())
    dro = DRO(sampling_strategy=strategy, random_state=SEED).fit(data.tfidf, IS_CLASS)
    fitted = fit_method("dro", request)
    np.testing.assert_array_equal(
        dro.decision_function(data.tfidf), fitted.decision_function(data.tfidf)
    )


@pytest.mark.parametrize(
    ("name", "sampler"),
    [("smote", SMOTE()), ("adasyn", ADASYN()), ("borderline-smote", BorderlineSMOTE())],
)
def test_the_classifier_adds_the_vectors_of_the_sampler(name, sampler, resampled):
    for y, label in ((IS_CLASS, True), (np.where(IS_CLASS, "a", "b"), "a")):
        model = MethodClassifier(name, share=SHARE, random_state=SEED).fit(TEXTS, y)
        strategy = minority_share(SHARE, label=label)
        sampler.set_params(sampling_strategy=strategy, random_state=SEED)
        expected, _ = sampler.fit_resample(model.data_.tfidf, y)
        np.testing.assert_array_equal(resampled[-1][2].X.toarray(), expected.toarray())


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
    ("name", "scorer"),
    [("f1", f1_score), ("balanced_accuracy", balanced_accuracy_score)],
)
def test_thresholds_are_scikit_learns_on_the_same_folds(name, scorer):
    svm = default_classifier().set_params(random_state=0)
    pipeline = make_pipeline(TfidfVectorizer(), svm)
    data = PreparedDocuments.from_documents(TEXTS)
    request = Request.of(data, IS_CLASS, 0, random_state=SEED)
    plain = fit_method(f"threshold({name})", request, classifier=svm)
    svm.set_params(random_state=keyed_random_state(request.seed, 2**63 + 1))
    assert plain.threshold == pytest.approx(
        as_scikit_learn_would(make_scorer(scorer), pipeline), abs=1e-9
    )
    for method in ("emco(0.1)", "ros", "dro", "smote"):
        inner = MethodClassifier(method, share=SHARE, pos_label=1, random_state=SEED)
        outer = MethodClassifier(
            f"threshold({method}, {name})", share=SHARE, pos_label=1, random_state=SEED
        )
        outer.fit(TEXTS, IS_CLASS.astype(int))
        expected = as_scikit_learn_would(make_scorer(scorer), inner)
        assert outer.fitted_[0].threshold == pytest.approx(expected, abs=1e-9)


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
        lambda: MethodClassifier().fit(texts, y),
        lambda: RareTextClassifier().fit(texts, y),
        lambda: compare(texts, y),
    ]
    for door in doors:
        with pytest.raises((TypeError, ValueError)) as refusal:
            door()
        assert str(refusal.value).startswith(says)


@pytest.mark.parametrize("door", ["fit", "fit_resample"])
def test_samplers_need_every_label(door):
    # Classifiers leave documents without a label out; a sampler gives every document back.
    with pytest.raises(
        ValueError, match=r"y\[1\] is missing \(None\); every document needs a label"
    ):
        getattr(EMCO(), door)(["oil up", "gold down", "rain"], ["a", None, "b"])
