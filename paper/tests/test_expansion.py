"""Heaps' law fitted to curves, familiar words and the expansion of a vocabulary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imbtext.documents import Corpus, encode_texts
from imbtext.markov import GrowthCurve, HeapsLaw, growth_curve
from paper.expansion import expansion_of_words, familiar_share
from paper.heaps_fit import _covariance, fit_heaps
from tests.token_lists import TOKEN_LISTS, heaps_text


@pytest.mark.parametrize(("k", "theta"), [(2.0, 0.7), (8.0, 0.5), (20.0, 0.4)])
def test_fit_recovers_known_parameters_within_its_intervals(k, theta):
    n_texts = 120
    inside = np.zeros(2)
    errors = []
    for seed in range(n_texts):
        corpus = heaps_text(k, theta, 20_000, np.random.default_rng(seed))
        # The law holds from where it asks for fewer words than tokens.
        curve = growth_curve(corpus, shuffles=0)
        late = curve.tokens > 400
        fit = fit_heaps(GrowthCurve(curve.tokens[late], curve.words[late], curve.spread[late], 0))
        inside += (
            fit.k_interval[0] <= k <= fit.k_interval[1],
            fit.theta_interval[0] <= theta <= fit.theta_interval[1],
        )
        errors.append(fit.theta - theta)
    # 95% intervals: at least 90% of the texts, and not so wide that they say nothing.
    assert (inside / n_texts >= 0.9).all()
    assert fit.theta_interval[1] - fit.theta_interval[0] < 8 * np.std(errors)


def test_residuals_and_intervals_of_an_exact_law():
    tokens = np.geomspace(100, 1e6, 50)
    curve = GrowthCurve(tokens, HeapsLaw(63, 0.378).words(tokens), np.zeros(50), 0)
    fit = fit_heaps(curve)
    assert fit.k == pytest.approx(63)
    assert fit.theta == pytest.approx(0.378)
    assert fit.rmse < 1e-9
    wider = fit_heaps(curve, confidence=0.99)
    assert wider.k_interval[0] < fit.k_interval[0] < 63 < fit.k_interval[1] < wider.k_interval[1]


def test_covariance_is_that_of_the_written_out_matrix():
    rng = np.random.default_rng(0)
    weights, mean = rng.normal(size=(2, 9)), np.sort(rng.random(9))
    later = np.maximum.outer(np.arange(9), np.arange(9))
    np.testing.assert_allclose(
        _covariance(weights, mean), weights @ (1 / mean[later]) @ weights.T, rtol=1e-9
    )


def test_one_word_again_and_again_has_theta_zero():
    fit = fit_heaps(growth_curve(["oil oil", "oil", "oil oil oil"]))
    assert (fit.k, fit.theta) == pytest.approx((1.0, 0.0))


def test_one_document_is_refused_with_the_way_out():
    with pytest.raises(ValueError, match="at='tokens'"):
        fit_heaps(growth_curve(["oil price up again"]))
    assert fit_heaps(growth_curve(["oil price up oil price oil"], at="tokens")).theta < 1


def test_refuses_a_confidence_out_of_range():
    with pytest.raises(ValueError, match="confidence is 95"):
        fit_heaps(growth_curve(["oil"]), confidence=95)


@given(TOKEN_LISTS, st.data())
def test_familiar_words_are_those_of_plain_sets(documents, data):
    n = len(documents)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool)
    if mask.sum() < 2 or mask.all():
        return
    result = familiar_share(Corpus.from_tokens(documents), mask, halves=3, random_state=5)
    random = np.random.RandomState(5)
    own = [set(d) for d, m in zip(documents, mask, strict=True) if m]
    rest = [set(d) for d, m in zip(documents, mask, strict=True) if not m]
    for new_words, familiar in zip(result.new_words, result.familiar_words, strict=True):
        half = random.permutation(len(own))[: len(own) // 2]
        rest_half = random.permutation(len(rest))[: len(rest) // 2]
        new = set().union(*own) - set().union(*(own[i] for i in half))
        assert new_words == len(new)
        assert familiar == len(new & set().union(*(rest[i] for i in rest_half)))
    assert result.n_words == len(set().union(*own))


def test_familiar_share_of_classes_too_small_is_refused():
    corpus = encode_texts(["oil up", "gold up", "rain"])
    for mask, message in [
        ([False] * 3, "0 documents"),
        ([True, False, False], "1 document;"),
        ([True] * 3, "no others to find"),
        ([1, 0, 0], "one True or False"),
        ([True, False], "each of the 3 documents"),
    ]:
        with pytest.raises(ValueError, match=message):
            familiar_share(corpus, mask)
    for halves in (0, 2.5):
        with pytest.raises(ValueError, match=f"halves is {halves}"):
            familiar_share(corpus, [True, True, False], halves=halves)


def test_a_class_that_gains_nothing_has_no_share():
    result = familiar_share(encode_texts(["oil", "oil", "gold"]), [True, True, False], halves=2)
    assert np.isnan(result.share)
    assert np.isnan(result.shares).all()


def words(text):
    return np.array([letter in text for letter in "abcdefg"])


def test_expansion_of_hand_made_documents():
    report = expansion_of_words(words("ab"), words("acg"), words("cdb"))
    # majority-only: c d e f g; positive: c d; predicted: c g
    assert report.recall == 0.5
    assert report.tnr == pytest.approx(2 / 3)
    assert report.balanced_accuracy == pytest.approx((0.5 + 2 / 3) / 2)
    assert (report.new_words, report.n_positive, report.n_negative) == (2, 2, 3)


def test_expansion_without_positives_has_no_recall():
    report = expansion_of_words(words("a"), words("a"), words("a"))
    assert np.isnan(report.recall)
    assert report.tnr == 1.0
