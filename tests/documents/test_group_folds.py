"""Folds of groups are scikit-learn's, found without a call of NumPy for each fold."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedGroupKFold

from imbtext.documents._folds import _GroupFolds


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("seed", range(24))
def test_folds_of_groups_are_those_of_scikit_learn(seed):
    random = np.random.default_rng(seed)
    n, n_folds, n_classes = (int(random.integers(*ends)) for ends in ((60, 300), (2, 8), (2, 12)))
    y = random.integers(0, n_classes, n) if seed % 2 else (random.random(n) < 0.3).astype(int)
    groups = random.integers(0, n if seed % 3 else n // 4, n)
    given = {"n_splits": n_folds, "shuffle": True, "random_state": seed}
    expected = [test.tolist() for _, test in StratifiedGroupKFold(**given).split(y, y, groups)]
    assert [test.tolist() for _, test in _GroupFolds(**given).split(y, y, groups)] == expected
