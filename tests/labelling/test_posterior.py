"""The posterior of what is unread: against slow sums, and against reviews drawn from its model."""

import math

import numpy as np
import pytest

from imbtext.labelling._stopping import ESTIMATE, STOP, Prior, unread_of_class

SPEEDS = np.linspace(-0.9, 3.0, 79)


def slowly(came, n_unread, prior):
    """Return the probability of each number of unread documents: the formula, one by one."""
    n = len(came)
    n_all, n0 = n + n_unread, prior.since * n
    finds = [place + 1 for place in range(n) if came[place] and place + 1 > n0]
    k = len(finds)
    weights = []
    for m in range(n_unread + 1):
        total = 0.0
        for speed in SPEEDS:
            b = speed if abs(speed) > 1e-9 else 1e-7
            all_of_it = n0**-b - n_all**-b
            survival = (n**-b - n_all**-b) / all_of_it
            log = math.lgamma(m + k + 1) - math.lgamma(m + 1) + m * math.log(survival)
            log += sum(math.log(b * p ** -(1 + b) / all_of_it) for p in finds)
            log -= ((b - prior.mean) / prior.spread) ** 2 / 2
            total += math.exp(log + 200 - k * 5)
        weights.append(total * (m + k + 0.5) ** -prior.power)
    return np.array(weights) / sum(weights)


@pytest.mark.parametrize("prior", [ESTIMATE, STOP, Prior(0.3, 0.4, 0.5, 2.0)])
def test_probabilities_are_those_of_the_slow_sums(prior):
    came = np.random.default_rng(0).random(60) < np.linspace(0.9, 0.05, 60)
    left, expected = unread_of_class(came, 90, prior), slowly(came, 90, prior)
    assert left.probabilities == pytest.approx(expected, abs=1e-7)
    cumulated = np.cumsum(expected)
    assert left.quantile(0.5) == np.searchsorted(cumulated, 0.5)
    assert left.at_most(3) == pytest.approx(cumulated[3])


def test_blocks_of_numbers_count_as_their_members():
    came = np.random.default_rng(1).random(200) < 0.3
    left = unread_of_class(came, 4000, ESTIMATE)
    logs = np.cumsum(slowly(came, 4000, ESTIMATE))
    assert len(left.numbers) < 1300
    assert left.numbers[-1] == 4000
    for level in (0.025, 0.5, 0.975):
        assert left.quantile(level) == pytest.approx(np.searchsorted(logs, level), rel=0.02)


def test_what_the_next_documents_bring_adds_up():
    came = np.random.default_rng(0).random(60) < np.linspace(0.9, 0.05, 60)
    left = unread_of_class(came, 90, ESTIMATE)
    mean = float(left.probabilities @ left.numbers)
    assert left.found_in(90) == pytest.approx(mean)
    assert 0 < left.found_in(10) < left.found_in(30) < mean
    # A constant rate is too little at the start: the class comes early.
    assert left.found_in(30) > mean / 3


def test_reviews_of_the_model_are_covered():
    generator = np.random.default_rng(0)
    held = []
    for _ in range(150):
        b, n_class = generator.normal(0.8, 0.5), int(generator.integers(40, 120))
        n_all, n, n0 = 2000, 500, 250.0
        u = generator.random(n_class)
        places = (n0**-b - u * (n0**-b - n_all**-b)) ** (-1 / b)
        came = np.zeros(n_all, bool)
        came[np.minimum(places.astype(int), n_all - 1)] = True
        left = unread_of_class(came[:n], n_all - n, ESTIMATE)
        held.append(left.quantile(0.025) <= came[n:].sum() <= left.quantile(0.975))
    assert np.mean(held) > 0.9


def test_the_ends():
    assert unread_of_class(np.array([], bool), 50, ESTIMATE).quantile(0.975) > 25
    nothing_left = unread_of_class(np.array([True, False]), 0, STOP)
    assert nothing_left.at_most(0) == pytest.approx(1)
    assert nothing_left.found_in(10) == 0
    long_without = np.array([True] * 10 + [False] * 900)
    assert unread_of_class(long_without, 100, STOP).at_most(0) > 0.99
