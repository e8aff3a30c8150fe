"""A sentence encoder beside the words: what is learnt, said, kept in a file, and given back."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from imbtext import RareTextClassifier
from imbtext.documents._documents import Documents
from imbtext.features.encoders import Encoder, get_encoder
from imbtext.rare._mixture import MeaningRanking, Mixture

MEANT = {"oil": 0, "crude": 0, "petroleum": 0, "rain": 1, "sun": 1, "snow": 1}
TEXTS = ["oil price up", "crude price", "oil sold"] * 4
TEXTS += ["rain today", "sun and rain", "sun price", "more snow", "share price up"] * 12
Y = ["oil"] * 12 + ["other"] * 60


def encode(texts):
    """Return how often each meaning occurs, and a little of the length."""
    rows = np.full((len(texts), 3), 0.1)
    for row, text in zip(rows, texts, strict=True):
        for word in text.lower().split():
            if word in MEANT:
                row[MEANT[word]] += 1
        row[2] += len(text) / 50
    return rows


@pytest.fixture(scope="module")
def model():
    return RareTextClassifier(encoder=encode, random_state=0).fit(TEXTS, Y)


def test_meaning_is_ranked_by_balanced_logistic_regression():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(80, 4)).astype(np.float32)
    is_class = rng.random(80) < 0.2
    rows = np.arange(10, 80)
    ranking = MeaningRanking.fit(vectors, rows, [np.flatnonzero(is_class)])
    by_hand = LogisticRegression(class_weight="balanced", max_iter=1000)
    by_hand.fit(vectors[rows], is_class[rows])
    np.testing.assert_allclose(
        ranking.scores(vectors)[:, 0], by_hand.decision_function(vectors), atol=1e-3
    )


def test_documents_that_weigh_two_count_as_two_and_those_without_weight_not_at_all():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(40, 3)).astype(np.float32)
    members = [np.arange(8)]
    weights = np.ones(40)
    weights[[3, 20]], weights[[5, 30]] = 2, 0
    kept = np.flatnonzero(weights)
    twice = np.concatenate([kept, [3, 20]])
    weighed = MeaningRanking.fit(vectors, np.arange(40), members, weights)
    repeated = MeaningRanking.fit(vectors[twice], np.arange(40), [np.flatnonzero(twice < 8)])
    np.testing.assert_allclose(weighed.weights, repeated.weights, atol=1e-3)


def test_the_share_is_the_best_one_drawn_towards_the_usual():
    rng = np.random.default_rng(0)
    is_class = np.arange(200) < 30
    words = np.where(is_class, 1.0, 0.0) + rng.normal(size=200)
    meaning = 5 * np.where(is_class, 1.0, 0.0) + 10 * rng.normal(size=200) + 3
    words[7] = np.nan
    mixture = Mixture.of_held_out(words[:, None], meaning[:, None], [np.arange(30)])
    known = ~np.isnan(words)
    z = [(s[known] - s[known].mean()) / s[known].std() for s in (words, meaning)]
    precisions = [
        average_precision_score(is_class[known], (1 - w) * z[0] + w * z[1])
        for w in np.linspace(0, 1, 11)
    ]
    share = (29 * np.argmax(precisions) / 10 + 20 * 0.7) / 49
    assert mixture.shares[0] == pytest.approx(share)
    mixed = mixture.mixed(words[:, None], meaning[:, None])[known, 0]
    np.testing.assert_allclose(mixed, (1 - share) * z[0] + share * z[1])


def length(texts):
    """Return vectors of two numbers that know a little."""
    return [[len(text), 1.0 + text.count("o")] for text in texts]


def test_several_encoders_rank_by_the_mean_of_their_scaled_scores(model, tmp_path):
    other = RareTextClassifier(encoder=length, random_state=0).fit(TEXTS, Y).fitted_.meaning
    both = RareTextClassifier(encoder=[encode, length], random_state=0).fit(TEXTS, Y)
    new = Documents.of(["petroleum sold", "rain", "share price"])
    documents = Documents.of(TEXTS)
    expected = 0
    for one in (model.fitted_.meaning, other):
        centre, scale = one.mixture.centres[1, 0], one.mixture.scales[1, 0]
        expected = expected + (one.scores(new)[:, 0] - centre) / scale / 2
    found = both.fitted_.meaning
    np.testing.assert_allclose(found.scores(new)[:, 0], expected, atol=1e-4)
    assert found.vectors(documents).shape == (len(TEXTS), 5)
    assert "the encoders encode and length: 5 numbers" in both.report_["meaning"]
    both.save(tmp_path / "model")
    again = RareTextClassifier.load(tmp_path / "model", encoder=[encode, length])
    texts = new.to_list()
    np.testing.assert_array_equal(again.decision_function(texts), both.decision_function(texts))
    reason = again.explain("petroleum sold")
    total = reason.constant + reason.meaning + sum(weight for _, weight in reason.parts)
    assert reason.score == pytest.approx(total)
    with pytest.raises(ValueError, match="with 2 encoders"):
        RareTextClassifier.load(tmp_path / "model", encoder=encode)


def test_a_word_that_no_training_document_has_is_understood(model):
    words = RareTextClassifier(random_state=0).fit(TEXTS, Y)
    new = ["petroleum", "snow"]
    assert words.predict(["petroleum"]).tolist() == ["other"]
    assert model.predict(["petroleum"]).tolist() == ["oil"]
    assert model.predictions(new).class_scores[0] > model.predictions(new).class_scores[1]
    assert "the encoder encode" in model.report_["meaning"]


def test_words_and_meaning_sum_to_the_score(model):
    for text in ["oil and rain", "petroleum", "share price"]:
        reason = model.explain(text)
        total = reason.constant + reason.meaning + sum(weight for _, weight in reason.parts)
        assert reason.score == pytest.approx(total)
        assert reason.score == pytest.approx(model.predictions([text]).class_scores[0, 0])
    reason = model.explain("petroleum found")
    assert reason.meaning > 0
    assert reason.near[0] in ("oil", "crude")
    assert "meaning of the text (near " in str(reason)
    assert "meaning of the text (near " in reason._repr_html_()
    assert reason.reasons[0] == (reason.of_meaning, reason.meaning)


def test_several_classes_and_documents_with_columns_have_their_meaning():
    labels = np.array(Y, object)
    labels[12::5] = "rain"
    several = RareTextClassifier(encoder=encode, random_state=0).fit(TEXTS, labels)
    assert several.predict(["petroleum"]).tolist() == ["oil"]
    several.explain("petroleum", "rain")
    tokens = [text.split() for text in TEXTS]
    of_tokens = RareTextClassifier(encoder=encode, random_state=0).fit(tokens, Y)
    assert (
        of_tokens.predictions([["petroleum"]]).score[0] > of_tokens.predictions([["snow"]]).score[0]
    )


def test_periods_are_ranked_by_what_came_before(model):
    in_time = RareTextClassifier(encoder=encode, random_state=0)
    order = np.random.default_rng(0).permutation(len(TEXTS))
    in_time.fit([TEXTS[i] for i in order], [Y[i] for i in order], time=np.arange(len(TEXTS)))
    assert in_time.predict(["petroleum"]).tolist() == ["oil"]


def test_without_an_encoder_nothing_is_mixed():
    plain = RareTextClassifier(random_state=0).fit(TEXTS, Y)
    assert plain.fitted_.meaning is None
    assert "meaning" not in plain.report_
    assert plain.explain("oil").meaning == 0


def test_a_function_is_given_back_to_a_loaded_model(model, tmp_path):
    path = tmp_path / "model"
    model.save(path)
    again = RareTextClassifier.load(path, encoder=encode)
    new = ["petroleum sold", "rain", "share price"]
    np.testing.assert_array_equal(again.decision_function(new), model.decision_function(new))
    assert again.at("f1").thresholds_ == model.at("f1").thresholds_
    alone = RareTextClassifier.load(path)  # to look at its card
    assert "the encoder encode" in alone.card().markdown()
    with pytest.raises(ValueError, match=r"pass it: RareTextClassifier\.load"):
        alone.predict(new)
    with pytest.raises(ValueError, match="returned 2 numbers per text, and 3"):
        RareTextClassifier.load(path, encoder=lambda texts: [[1, 2]] * len(texts)).predict(new)
    plain = tmp_path / "plain"
    RareTextClassifier(random_state=0).fit(TEXTS, Y).save(plain)
    with pytest.raises(ValueError, match="trained without one"):
        RareTextClassifier.load(plain, encoder=encode)


def test_other_weights_are_refused(tmp_path):
    known = Encoder("own", lambda _: encode, "abc", cache=False)
    model = RareTextClassifier(encoder=known, random_state=0).fit(TEXTS, Y)
    model.save(tmp_path / "model")
    other = Encoder("own", lambda _: encode, "def", cache=False)
    with pytest.raises(ValueError, match="other weights give other vectors"):
        RareTextClassifier.load(tmp_path / "model", encoder=other)


def test_a_damaged_mixture_is_no_model(model):
    mixture = model.fitted_.meaning.mixture
    with pytest.raises(ValueError, match="for other classes"):
        Mixture(mixture.shares, mixture.centres[:1], mixture.scales)
    with pytest.raises(ValueError, match="in shares that are none"):
        Mixture(mixture.shares + 2, mixture.centres, mixture.scales)


def test_each_text_is_encoded_once():
    asked = []

    def counted(texts):
        asked.extend(texts)
        return encode(texts)

    encoder = get_encoder(counted)
    model = RareTextClassifier(encoder=encoder, random_state=0).fit(TEXTS, Y)
    documents = Documents.of([*TEXTS, "petroleum"])
    model.predictions(documents)
    model.predict(documents)
    assert sorted(asked) == sorted({*TEXTS, "petroleum"})


def test_a_model_with_an_encoder_can_be_pickled(model):
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        again.decision_function(["petroleum"]), model.decision_function(["petroleum"])
    )
