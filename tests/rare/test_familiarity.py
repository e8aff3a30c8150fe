"""Whether new documents are like those a model knows: known words and alarms."""

import re
from functools import cache

import numpy as np
import pytest
from scipy import stats

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings
from imbtext.documents import Documents
from imbtext.features import TextFeatures
from imbtext.rare import AlarmRate, KnownWords
from imbtext.rare._familiarity import NewDocuments


@pytest.fixture(scope="module")
def data():
    docstrings = load_docstrings()
    labels = np.array([label == "scipy.stats" for label in docstrings.labels])
    order = np.random.default_rng(0).permutation(len(labels))
    return [docstrings.texts[i][:300] for i in order], labels[order]


@pytest.fixture(scope="module")
def model(data):
    texts, labels = data
    return RareTextClassifier(features="words", language=None, random_state=0).fit(
        texts[:1200], labels[:1200]
    )


def test_known_words_of_new_documents_are_those_of_the_vocabulary(model, data):
    known = set(model.get_feature_names_out())
    texts = [*data[0][1200:1300], "", "qqqq", "sparse qqqq"]
    shares = model.predictions(texts).known_shares
    for words, share in zip(map(words_of, texts), shares, strict=True):
        assert share == pytest.approx(
            np.mean([word in known for word in words]) if words else np.nan, nan_ok=True
        )


@pytest.mark.parametrize("features", ["words", "words+pairs", "auto"])
def test_held_out_words_are_known_by_the_other_folds(data, features):
    texts, folds = data[0][:60], np.arange(60) % 3
    words = [words_of(text) for text in texts]
    trained = TextFeatures(features, None).learn(Documents.of(texts))
    for row, share in enumerate(trained.known_shares(folds)):
        others = {word for i in range(60) if folds[i] != folds[row] for word in words[i]}
        assert share == pytest.approx(np.mean([word in others for word in words[row]]))
    assert np.isnan(trained.known_shares(np.zeros(60, int))).all()


def words_of(text):
    words = re.findall(r"[^\W\d_]+|\d+", text.lower())
    n_digits = {word: len(word) for word in words if word.isdigit()}
    shapes = {word: "[1 digit]" if n == 1 else f"[{n} digits]" for word, n in n_digits.items()}
    return [shapes.get(word, word) for word in words]


def test_features_without_words_compare_alarms_alone(data):
    texts, labels = data
    model = RareTextClassifier(features="characters", random_state=0).fit(texts[:300], labels[:300])
    assert model.known_words_.n_documents == 0
    assert model.predictions(texts[300:310]).known_shares is None


def test_alarm_rates_are_of_held_out_documents_and_follow_the_metric(model):
    held = model.fitted_.held_out.of_class(0)
    for other in (model, model.at("alarms_per_thousand(5)")):
        (rate,) = other.alarm_rates_
        assert rate.share == (held.scores > other.thresholds_[0]).mean()
        assert rate.n_documents == len(held.scores)
    assert model.at("alarms_per_thousand(5)").alarm_rates_[0].share <= 0.005


def test_the_same_source_is_familiar_and_another_is_not(model, data):
    texts = data[0][1200:]
    assert not doubts(model, texts)
    (words, *_) = doubts(model, [text[::-1] for text in texts])
    assert "of the words of a document are known" in words


def doubts(model, texts):
    new = NewDocuments(model.alarm_rates_, model.known_words_)
    for some in (texts[:100], texts[100:]):
        found = model.predictions(some)
        new.add(len(some), found.n_alarms, found.known_shares)
    return new.doubts()


@pytest.mark.parametrize("n_held_out", [200, 5_000])
@pytest.mark.parametrize("n", [30, 1_000, 50_000])
@pytest.mark.parametrize("share", [0.002, 0.05, 0.4])
def test_false_warnings_are_rare(n_held_out, n, share):
    """Of files whose true rate differs by chance alone, at most 1% are called unfamiliar."""
    generator = np.random.default_rng(0)

    @cache
    def expected(n_alarms):
        return AlarmRate("a", n_alarms / n_held_out, n_alarms, n_held_out).expected_alarms(n)

    n_false = 0
    for _ in range(2_000):
        lower, upper = expected(int(generator.binomial(n_held_out, share)))
        n_false += not lower <= generator.binomial(n, share) <= upper
    assert stats.binom.sf(n_false - 1, 2_000, 0.01) > 0.001


@pytest.mark.parametrize("n", [1, 4, 10, 50, 1_000])
def test_few_documents_of_the_same_source_have_few_known_words_by_chance(n):
    """A quiet day of the same source is called unfamiliar as seldom as a whole file."""
    generator = np.random.default_rng(0)

    def known_shares(*shape):
        return generator.binomial(10, generator.beta(9, 1, size=shape)) / 10

    held_out = known_shares(20_000)
    expected = KnownWords(held_out.mean(), held_out.std(), len(held_out))
    n_false, level = 0, 0.001
    for shares in known_shares(4_000, n):
        new = NewDocuments([], expected)
        new.add(n, np.zeros(0, np.int64), shares)
        n_false += bool(new.doubts(level))
    assert stats.binom.sf(n_false - 1, 4_000, level) > 0.001


@pytest.mark.parametrize("n", [1, 5, 20, 500])
def test_new_documents_are_seldom_taken_for_training_documents(n):
    """Also if the model knows a tenth more of them than the models that held some out."""
    generator = np.random.default_rng(0)
    expected = KnownWords.of(np.where(generator.random(10_000) < 0.3, 1.0, 0.8))
    n_false = 0
    for _ in range(2_000):
        new = NewDocuments([], expected)
        new.add(n, np.zeros(0, np.int64), np.where(generator.random(n) < 0.35, 1.0, 0.8))
        n_false += new.n_trained_on > 0
    assert stats.binom.sf(n_false - 1, 2_000, 0.005) > 0.001


def test_training_documents_among_new_ones_are_counted():
    generator = np.random.default_rng(0)
    expected = KnownWords.of(np.where(generator.random(10_000) < 0.3, 1.0, 0.8))
    new, more = NewDocuments([], expected), NewDocuments([], expected)
    new.add(600, np.zeros(0, np.int64), np.where(generator.random(600) < 0.3, 1.0, 0.8))
    more.add(400, np.zeros(0, np.int64), np.ones(400))
    new.merge(more)
    assert new.n_trained_on == pytest.approx(400, rel=0.1)
    assert more.n_trained_on == 400


def test_short_texts_without_an_unknown_word_were_not_trained_on():
    """One word in ten is unknown, as in the long texts, and of a text of nine often none is."""
    generator = np.random.default_rng(0)
    expected = KnownWords.of(1 - generator.binomial(77, 0.1, 10_000) / 77)
    new = NewDocuments([], expected)
    new.add(5_000, np.zeros(0, np.int64), 1 - generator.binomial(9, 0.1, 5_000) / 9)
    assert new.n_trained_on == 0


def test_no_more_documents_are_known_than_were_trained_on():
    expected = KnownWords(0.9, 0.1, 1_000, whole=0.4)
    new = NewDocuments([], expected)
    new.add(2_000, np.zeros(0, np.int64), np.r_[np.ones(1_900), np.full(100, 0.8)])
    assert new.n_trained_on == 1_000


def test_nothing_is_said_of_the_training_documents_themselves():
    new = NewDocuments([AlarmRate("a", 0.1, 100, 1_000)], KnownWords(0.9, 0.1, 1_000))
    new.add(1_000, np.array([20]), np.ones(1_000))
    assert new.doubts() == []


def test_many_classes_are_not_all_named():
    rates = [AlarmRate(f"c{i}", 0.1, 100, 1_000) for i in range(6)]
    new = NewDocuments(rates, KnownWords())
    new.add(10_000, np.zeros(6, np.int64), None)
    assert len(new.doubts()) == 4
    assert new.doubts()[3] == "the numbers of 'c3', 'c4', 'c5' are far off, too"


def test_documents_without_a_word_are_refused():
    with pytest.raises(ValueError, match="none of the 20 documents has a word"):
        RareTextClassifier(features="words").fit(["?!", "--"] * 10, [1] + [0] * 19)


def test_both_are_saved(model, tmp_path):
    model.save(tmp_path / "m")
    loaded = RareTextClassifier.load(tmp_path / "m")
    assert loaded.known_words_ == model.known_words_
    assert loaded.alarm_rates_ == model.alarm_rates_
    assert loaded.text_columns_ == ()
