"""How often the advice is wrong, on simulated scores with a known answer.

The whole way, from documents on, is simulated by ``benchmarks/advice.py``.
"""

import numpy as np
import pytest

from imbtext.comparison._choice import Effort, Evidence, choose
from imbtext.comparison._scores import SHOWN_METRICS, ScoreTable

OVERSAMPLERS = [f"emco({0.1 + k / 100:g})" for k in range(10)]
FREE = ["class-weight", "threshold(f1)"]


def advised(methods, gains, seed, *, free=(), noise=0.04):
    """Return what is advised by F1 for scores of 10 folds.

    What a method is better by differs from data set to data set (the same in every fold, a fifth of
    the variance, as training sets overlap) and from fold to fold.
    """
    random = np.random.default_rng(seed)
    names = ["plain", *free, *methods]
    shape = (1, len(names), 10, len(SHOWN_METRICS))
    folds = random.normal(0.6, 0.05, (1, 1, 10, 1))
    own = random.normal(0, noise * np.sqrt(0.2), (1, len(names), 1, 1))
    values = folds + own + random.normal(0, noise * np.sqrt(0.8), shape)
    values += np.array([0.0, *[gains.get(name, 0.0) for name in names[1:]]])[None, :, None, None]
    values[..., SHOWN_METRICS.index("roc_auc")] = 0.9
    table = ScoreTable(("oil",), tuple(names), values.clip(0, 1), None, 0.25)
    tests = table.tests(["plain", *free])
    found = Evidence("oil", table.summary(), tests)
    return choose(found, "f1")


@pytest.mark.slow
@pytest.mark.parametrize("free", [(), FREE])
def test_oversampling_is_advised_for_at_most_one_in_twenty_where_nothing_helps(free):
    n = 80
    wrong = sum(
        Effort.of(advised(OVERSAMPLERS, {}, seed, free=free)).oversamples for seed in range(n)
    )
    assert wrong / n <= 0.05


def test_a_free_remedy_that_helps_is_advised_and_oversampling_is_not():
    gains = {"threshold(f1)": 0.1} | dict.fromkeys(OVERSAMPLERS, 0.1)
    found = [advised(OVERSAMPLERS, gains, seed, free=FREE) for seed in range(10)]
    assert found.count("threshold(f1)") >= 9


def test_oversampling_that_helps_is_advised():
    gains = {OVERSAMPLERS[3]: 0.2}
    found = [advised(OVERSAMPLERS, gains, seed, free=FREE) for seed in range(10)]
    assert found.count(OVERSAMPLERS[3]) >= 9
