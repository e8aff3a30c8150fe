import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("torch", reason="torch is missing: pip install torch==2.13.0")

import torch
from imblearn.pipeline import Pipeline
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from imbtext import EMCO, minority_share
from imbtext.documents import Corpus
from paper import lstm_classifier as _lstm
from paper.embeddings import LowCoverageWarning
from paper.lstm_classifier import EarlyStopping, LSTMClassifier, common_length
from paper.network import LSTMNetwork, NetworkRandomness, NetworkShape, rmsprop_step
from paper.side_by_side import (
    SideBySideNetworks,
    TrainingSet,
    predict_side_by_side,
    train_side_by_side,
)

WORDS = ["oil", "crude", "barrel", "gold", "ounce", "metal", "wheat", "corn", "crop", "price"]
GROUPS = {"energy": WORDS[:3], "gold": WORDS[3:6], "grain": WORDS[6:9]}


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(0)
    return {word: rng.normal(size=8).astype(np.float32) for word in WORDS}


def easy_corpus(n, classes=("energy", "gold"), seed=0):
    """Documents whose class is told by any of its words but one."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(classes, size=n)
    texts = [
        " ".join([*rng.choice(GROUPS[label], size=rng.integers(1, 5)), "price"]) for label in labels
    ]
    return texts, labels


def small(vectors, **parameters):
    settings = {"units": 8, "dense_units": 8, "epochs": 20, "learning_rate": 0.01}
    common = {"random_state": 0, "device": "cpu"}
    return LSTMClassifier(vectors, **{**settings, **common, **parameters})


def test_separates_an_easy_corpus(vectors):
    texts, labels = easy_corpus(120)
    unseen, truth = easy_corpus(60, seed=1)
    classifier = small(vectors).fit(texts, labels)
    assert classifier.classes_.tolist() == ["energy", "gold"]
    assert classifier.score(unseen, truth) == 1.0
    assert classifier.coverage_ == 1.0
    probabilities = classifier.predict_proba(unseen)
    assert probabilities.shape == (60, 2)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert classifier.losses_[-1] < classifier.losses_[0] / 2


def test_three_classes(vectors):
    texts, labels = easy_corpus(150, tuple(GROUPS))
    unseen, truth = easy_corpus(60, tuple(GROUPS), seed=1)
    classifier = small(vectors).fit(texts, labels)
    assert classifier.score(unseen, truth) > 0.95
    probabilities = classifier.predict_proba(unseen)
    assert probabilities.shape == (60, 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


def test_overfits_ten_documents_whose_labels_mean_nothing(vectors):
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.permutation(WORDS)[:4]) for _ in range(10)]
    labels = np.arange(10) % 2
    classifier = small(vectors, units=32, dense_units=32, epochs=60, dropout=0.0)
    assert classifier.fit(texts, labels).score(texts, labels) == 1.0


def test_same_seed_same_weights_and_torch_is_left_alone(vectors):
    texts, labels = easy_corpus(40)
    before = torch.random.get_rng_state()
    first = small(vectors, epochs=2).fit(texts, labels).network_.get_weights()
    torch.manual_seed(12345)
    seeded = torch.random.get_rng_state()
    second = small(vectors, epochs=2).fit(texts, labels).network_.get_weights()
    assert torch.equal(torch.random.get_rng_state(), seeded)
    torch.random.set_rng_state(before)
    other = small(vectors, epochs=2, random_state=1).fit(texts, labels).network_.get_weights()
    for name in first:
        np.testing.assert_array_equal(first[name], second[name])
    assert not np.array_equal(first["kernel"], other["kernel"])


def test_dropout_is_used_in_training_only(vectors):
    texts, labels = easy_corpus(40)
    with_dropout = small(vectors, epochs=2).fit(texts, labels)
    without = small(vectors, epochs=2, dropout=0.0).fit(texts, labels)
    assert with_dropout.losses_ != without.losses_
    np.testing.assert_array_equal(
        with_dropout.predict_proba(texts), with_dropout.predict_proba(texts)
    )


def as_list(texts):
    return texts


def as_tokens(texts):
    return [text.split() for text in texts]


@pytest.mark.parametrize(
    "container",
    [as_list, as_tokens, np.array, pd.Series],
    ids=["list", "tokens", "numpy", "pandas"],
)
def test_any_container(vectors, container):
    texts, labels = easy_corpus(30)
    expected = small(vectors, epochs=1).fit(texts, labels).predict_proba(texts)
    given = small(vectors, epochs=1).fit(container(texts), pd.Series(labels))
    np.testing.assert_array_equal(given.predict_proba(container(texts)), expected)


def test_labels_of_any_kind(vectors):
    texts, labels = easy_corpus(30)
    for y in (labels == "gold", (labels == "gold").astype(int), labels.astype(object)):
        classifier = small(vectors, epochs=1).fit(texts, y)
        assert classifier.predict(texts).dtype == classifier.classes_.dtype
        np.testing.assert_array_equal(classifier.classes_, np.unique(y))


@pytest.mark.filterwarnings("ignore::paper.embeddings.LowCoverageWarning")
def test_odd_documents(vectors):
    odd = ["", "zzz qqq", "oil", "   ", "oil " * 500, "5 % !"]
    labels = [0, 1, 0, 1, 0, 1]
    classifier = small(vectors, epochs=1).fit(odd, labels)
    probabilities = classifier.predict_proba(odd)
    assert np.isfinite(probabilities).all()
    # nothing known is all padding, whatever was written
    np.testing.assert_array_equal(probabilities[0], probabilities[1])
    assert classifier.predict_proba([]).shape == (0, 2)
    assert classifier.predict([]).shape == (0,)


@pytest.mark.filterwarnings("ignore::paper.embeddings.LowCoverageWarning")
def test_no_known_word_at_all(vectors):
    classifier = small(vectors, epochs=1, extra_words=0).fit(["aa", "bb"], [0, 1])
    assert (classifier.length_, classifier.coverage_) == (1, 0.0)
    assert classifier.predict(["cc"]).shape == (1,)


def test_sequences_of_length_one(vectors):
    texts = ["oil", "gold"] * 10
    classifier = small(vectors, epochs=60).fit(texts, texts)
    assert classifier.length_ == 1
    assert classifier.predict(["gold", "oil"]).tolist() == ["gold", "oil"]


def test_length_is_the_quantile_or_the_given_one(vectors):
    texts = ["oil " * n for n in (1, 2, 3, 4, 100)]
    labels = [0, 1, 0, 1, 0]
    assert small(vectors, epochs=1).fit(texts, labels).length_ == 4
    assert small(vectors, epochs=1, length=7).fit(texts, labels).length_ == 7


def test_low_coverage_warns(vectors):
    with pytest.warns(LowCoverageWarning, match="only 33%"):
        small(vectors, epochs=1).fit(["oil zz yy", "zz yy gold"], [0, 1])


def test_words_training_never_saw_are_used(vectors):
    texts, labels = easy_corpus(20)
    train = [text.replace("barrel", "oil") for text in texts]
    kept = small(vectors, epochs=1).fit(train, labels)
    dropped = small(vectors, epochs=1, extra_words=0).fit(train, labels)
    assert "wheat" in kept.embedding_.words
    assert "wheat" not in dropped.embedding_.words
    assert not np.array_equal(kept.predict_proba(["wheat"]), kept.predict_proba([""]))
    np.testing.assert_array_equal(dropped.predict_proba(["wheat"]), dropped.predict_proba([""]))


def test_sample_weight(vectors):
    texts = ["oil", "oil", "gold", "gold"] * 8
    labels = np.array([0, 1, 0, 1] * 8)
    ones = small(vectors, epochs=2).fit(texts, labels, sample_weight=np.ones(32))
    none = small(vectors, epochs=2).fit(texts, labels)
    np.testing.assert_array_equal(ones.predict_proba(texts), none.predict_proba(texts))
    towards = small(vectors).fit(texts, labels, sample_weight=np.where(labels, 1.0, 0.01))
    assert (towards.predict(texts) == 1).all()
    with pytest.raises(ValueError, match=r"sample_weight.shape == \(1,\)"):
        small(vectors).fit(texts, labels, sample_weight=[1.0])
    with pytest.raises(ValueError, match="Negative values"):
        small(vectors).fit(texts, labels, sample_weight=-np.ones(32))


def test_early_stopping_stops_and_keeps_the_best(vectors):
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, 3)) for _ in range(60)]
    labels = rng.integers(2, size=60)
    classifier = small(
        vectors, units=32, early_stopping=True, patience=1, epochs=100, validation_fraction=0.3
    ).fit(texts, labels)
    losses = classifier.validation_losses_
    assert 2 <= len(losses) < 100
    assert losses[-1] >= min(losses[:-1])
    assert len(classifier.losses_) == len(losses)
    assert small(vectors, epochs=2).fit(texts, labels).validation_losses_ == []


def test_early_stopping_remembers_the_best_weights(vectors):
    shape = NetworkShape(n_dimensions=8)
    network = LSTMNetwork(np.zeros((2, 8), np.float32), shape)
    network.set_weights(NetworkRandomness(0).weights(shape))
    stopping = EarlyStopping(torch.utils.data.TensorDataset(torch.zeros(0)), patience=2)
    assert not stopping.stops(network, 1.0)
    best = network.get_weights()
    network.set_weights(NetworkRandomness(1).weights(shape))
    assert not stopping.stops(network, 1.5)
    assert stopping.stops(network, 1.0)
    assert stopping.best is not None
    np.testing.assert_array_equal(stopping.best["kernel"], best["kernel"])


def test_conventions_of_scikit_learn(vectors):
    classifier = small(vectors, epochs=1)
    copy = clone(classifier).set_params(epochs=2)
    assert copy.get_params()["epochs"] == 2
    assert not [name for name in vars(classifier) if name.endswith("_")]
    with pytest.raises(ValueError, match="not fitted"):
        classifier.predict(["oil"])
    texts, labels = easy_corpus(30)
    assert classifier.fit(texts, labels) is classifier
    assert cross_val_score(small(vectors, epochs=20), texts, labels, cv=2).mean() > 0.8


@pytest.mark.parametrize(
    "parameters",
    [{"epochs": 0}, {"dropout": 1.0}, {"units": 0}, {"learning_rate": 0.0}, {"batch_size": -1}],
)
def test_parameters_out_of_range(vectors, parameters):
    with pytest.raises(ValueError, match=next(iter(parameters))):
        small(vectors, **parameters).fit(["oil", "gold"], [0, 1])


@pytest.mark.parametrize(
    ("X", "y", "error", "reason"),
    [
        (["oil", "gold"], [1, 1], ValueError, "y has 1 class; a classifier needs"),
        (["oil", "gold"], [1], ValueError, "inconsistent numbers of samples"),
        (["oil", "gold"], [0.5, 1.5], ValueError, "continuous"),
    ],
)
def test_bad_input(vectors, X, y, error, reason):
    with pytest.raises(error, match=reason):
        small(vectors).fit(X, y)


@pytest.mark.parametrize("device", ["gpu", "meta", "mps", "xpu", "cuda:99", "hip", ""])
def test_devices_that_this_machine_lacks_are_named(vectors, device):
    if device == "mps" and torch.backends.mps.is_available():
        pytest.skip("this machine has it")
    with pytest.raises(ValueError, match=f"device is '{device}', which cannot be used here"):
        small(vectors, device=device).fit(["oil", "gold"], [0, 1])


def test_behind_a_sampler_in_a_pipeline(vectors):
    texts, labels = easy_corpus(100)
    rare = np.flatnonzero(labels == "gold")[:6]
    rows = np.sort(np.concatenate([np.flatnonzero(labels == "energy"), rare]))
    texts, labels = [texts[i] for i in rows], labels[rows]
    pipeline = Pipeline(
        [
            ("emco", EMCO(sampling_strategy=minority_share(0.4), random_state=0)),
            ("lstm", small(vectors)),
        ]
    )
    pipeline.fit(texts, labels)
    unseen, truth = easy_corpus(60, seed=1)
    assert pipeline.score(unseen, truth) > 0.9


# --- the networks side by side, against torch's own layers --------------------------------------


def random_documents(n, length, n_words, seed=0):
    return np.random.default_rng(seed).integers(0, n_words + 1, size=(n, length))


@pytest.mark.parametrize("length", [1, 5])
def test_side_by_side_computes_what_torchs_lstm_computes(length):
    rng = np.random.default_rng(0)
    embedding = rng.normal(size=(11, 4)).astype(np.float32)
    shape = NetworkShape(n_dimensions=4, units=3, dense_units=5)
    weights = [NetworkRandomness(seed=1 + k).weights(shape) for k in range(3)]
    for one in weights:  # zeros would hide a bias in the wrong place
        for name in ("bias", "dense_bias", "output_bias"):
            one[name] = rng.normal(size=one[name].shape).astype(np.float32)
    documents = random_documents(7, length, 10)
    together = SideBySideNetworks(embedding, weights).predict_proba(documents, batch_size=4)
    for k, one in enumerate(weights):
        network = LSTMNetwork(embedding, shape)
        network.set_weights(one)
        with torch.no_grad():
            alone = torch.sigmoid(network(torch.from_numpy(documents)))[:, 0].numpy()
        np.testing.assert_allclose(together[k], alone, atol=1e-6)
        for name, value in network.get_weights().items():
            np.testing.assert_array_equal(value, one[name])


def test_side_by_side_training_is_the_classifiers_training():
    """The same seed gives the same network, trained alone or beside others of other sizes."""
    rng = np.random.default_rng(0)
    words = [f"w{i}" for i in range(20)]
    vectors = {word: rng.normal(size=4).astype(np.float32) for word in words}
    sizes = (45, 64, 70)  # short last batches, and networks that end early
    texts = [" ".join(rng.choice(words, size=4)) for _ in range(max(sizes))]
    labels = rng.integers(2, size=max(sizes)).astype(bool)
    alone = [
        LSTMClassifier(vectors, length=4, random_state=k, device="cpu").fit(texts[:n], labels[:n])
        for k, n in enumerate(sizes)
    ]
    matrix = alone[0].embedding_.matrix()
    place = {word: i + 1 for i, word in enumerate(alone[0].embedding_.words)}
    pool = np.array([[place[word] for word in text.split()] for text in texts])
    trainings = [
        TrainingSet(np.arange(n), labels[:n], seed=_classifier_seed(k)) for k, n in enumerate(sizes)
    ]
    networks = train_side_by_side(pool, matrix, trainings)
    together = networks.predict_proba(pool)
    for k, classifier in enumerate(alone):
        np.testing.assert_allclose(together[k], classifier.predict_proba(texts)[:, 1], atol=2e-5)


def _classifier_seed(random_state):
    return int(np.random.RandomState(random_state).randint(2**31 - 1))


def test_a_network_does_not_depend_on_those_beside_it():
    pool = random_documents(40, 3, 10)
    embedding = np.random.default_rng(1).normal(size=(11, 4)).astype(np.float32)
    embedding[0] = 0
    positive = np.random.default_rng(2).random((40, 3)) < 0.5
    new = [pool[:0], pool[:5], pool[:9]]
    seeds = [5, 6, 7]
    together = predict_side_by_side(pool, positive, new, pool, embedding, seeds)
    for k in range(3):
        alone = predict_side_by_side(pool, positive[:, [k]], [new[k]], pool, embedding, [seeds[k]])
        np.testing.assert_allclose(alone[0], together[k], atol=1e-5)


def test_the_optimiser_is_keras_rmsprop():
    parameter, gradient = torch.tensor([1.0]), torch.tensor([3e-4])
    square = [torch.tensor([4e-8])]
    rmsprop_step([parameter], [gradient], square, rate=0.001)
    memory = 0.9 * 4e-8 + 0.1 * 9e-8
    assert square[0].item() == pytest.approx(memory, rel=1e-5)
    # epsilon stands inside the root: outside, this step would be 40 times as long
    assert parameter.item() == pytest.approx(1 - 0.001 * 3e-4 / (memory + 1e-7) ** 0.5, rel=1e-6)


def test_initial_weights_are_keras_own():
    shape = NetworkShape(n_dimensions=50)
    weights = NetworkRandomness(seed=0).weights(shape)
    limit = np.sqrt(6 / (50 + 128))
    assert np.abs(weights["kernel"]).max() <= limit
    assert weights["kernel"].std() == pytest.approx(limit / np.sqrt(3), rel=0.02)
    for recurrent in weights["recurrent"]:
        np.testing.assert_allclose(recurrent @ recurrent.T, np.eye(32), atol=1e-5)
    assert weights["bias"][:, 32:64].min() == 1.0
    assert weights["bias"].sum() == 64.0


def test_dropout_keeps_the_share_it_should():
    _, kept = NetworkRandomness(seed=0).epoch(2000, n_units=32, dropout=0.4)
    assert kept.mean() == pytest.approx(0.6, abs=0.01)
    order, _ = NetworkRandomness(seed=0).epoch(2000, n_units=32, dropout=0.4)
    assert sorted(order.tolist()) == list(range(2000))


# --- without torch -------------------------------------------------------------------------------


def run_without_torch(code):
    blocked = """
        import sys

        class NoTorch:
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] == "torch":
                    raise ModuleNotFoundError(f"No module named {name!r}", name=name)

        sys.meta_path.insert(0, NoTorch())
    """
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(blocked) + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_torch_the_rest_works_and_the_error_says_what_to_install():
    result = run_without_torch(
        """
        import importlib, pkgutil
        import imbtext
        from imbtext import EMCO
        from paper.options import Options
        from paper.reproduce import reproduce

        texts = ["oil up", "oil price up", "gold down", "gold up", "gold price"]
        EMCO(random_state=0).fit_resample(texts, [1, 1, 0, 0, 0])
        try:
            from imbtext.neural import LanguageModelSampler
        except ImportError as error:
            print(error)
        from pathlib import Path
        try:
            reproduce(["lstm"], Options(Path(".")))
        except ImportError as error:
            print(error)
        """
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("pip install torch (in a clone") == 2


def test_surface_forms_are_the_same_words_to_the_network(vectors):
    texts, labels = easy_corpus(60)
    cased = [text.capitalize().replace(" ", ", ") + "!" for text in texts]
    y = np.where(np.arange(60) < 8, "rare", labels)
    probabilities = []
    for surface in (False, True):
        emco = EMCO(surface=surface, sampling_strategy={"rare": 30}, random_state=0)
        resampled, y_resampled = emco.fit_resample(cased, y)
        model = small(vectors, epochs=2).fit(resampled, y_resampled)
        probabilities.append(model.predict_proba(cased))
    np.testing.assert_array_equal(*probabilities)


def test_a_training_that_diverges_is_refused(vectors):
    texts, labels = easy_corpus(40)
    with pytest.raises(ValueError, match=r"diverged: the loss of epoch .* lower learning_rate"):
        small(vectors, learning_rate=1e30).fit(texts, labels)


def test_early_stopping_says_which_parameter_asks_too_much(vectors):
    with pytest.raises(ValueError, match=r"hold back validation_fraction=0\.1 of each"):
        small(vectors, early_stopping=True).fit(["oil", "gold", "gold"], [0, 1, 1])


def test_held_back_documents_are_scored_in_parts(vectors, monkeypatch):
    texts, labels = easy_corpus(60)
    settings = {"early_stopping": True, "validation_fraction": 0.5, "epochs": 3}
    at_once = small(vectors, **settings).fit(texts, labels)
    monkeypatch.setattr(_lstm, "_PREDICTION_BATCH", 7)
    in_parts = small(vectors, **settings).fit(texts, labels)
    np.testing.assert_allclose(in_parts.validation_losses_, at_once.validation_losses_, rtol=1e-5)


def test_every_network_needs_a_seed_and_its_documents():
    original, vectors = np.array([[1, 0], [2, 0]]), np.eye(3, 2, -1, dtype=np.float32)
    is_class, new = np.eye(2, dtype=bool), [original[:0], original[1:]]
    with pytest.raises(ValueError, match="2 classes, synthetic 2 and seeds 1"):
        predict_side_by_side(original, is_class, new, original, vectors, seeds=[0])


def test_documents_are_cut_at_the_quantile_of_those_with_words():
    corpus = Corpus.from_tokens([list("abcd"), [], ["d"], ["b", "a"]])
    assert common_length(corpus) == 3  # the quantile of 4, 1 and 2
    assert common_length(Corpus.from_tokens([[], []])) == 1
