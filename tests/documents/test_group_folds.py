"""Folds of groups are scikit-learn's, found in compiled code."""

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.utils.fixes import parse_version

from imbtext.documents._folds import group_folds
from imbtext.documents._kernels import _pairwise_sum


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"),
    reason="older versions of scikit-learn shuffle groups in another way",
)
@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("seed", range(24))
def test_folds_of_groups_are_those_of_scikit_learn(seed):
    random = np.random.default_rng(seed)
    n, n_folds, n_classes = (int(random.integers(*ends)) for ends in ((60, 300), (2, 8), (2, 12)))
    y = random.integers(0, n_classes, n) if seed % 2 else (random.random(n) < 0.3).astype(int)
    groups = random.integers(0, n if seed % 3 else n // 4, n)
    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    folds = group_folds(y, groups, n_folds, seed)
    for fold, (_, test) in enumerate(splitter.split(y, y, groups)):
        assert np.flatnonzero(folds == fold).tolist() == test.tolist()


@pytest.mark.parametrize("n", [1, 7, 8, 9, 23, 127, 128])
def test_sums_are_added_in_the_order_of_numpy(n):
    values = np.random.default_rng(n).lognormal(0, 3, n)
    assert _pairwise_sum(values) == np.add.reduce(values)
