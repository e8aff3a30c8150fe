"""What a type checker knows of our estimators: methods return what users gave and made."""

from importlib.util import find_spec
from pathlib import Path

import pytest

USE = """
from typing import assert_type
from imbtext import EMCO, RareTextClassifier, ResampledClassifier, ThresholdClassifier
from sklearn.svm import LinearSVC

texts, y = ["oil up", "rain"], [1, 0]
assert_type(EMCO(0.1).fit(texts, y), EMCO)
assert_type(EMCO(0.1).fit_resample(texts, y), tuple[list[str], list[int]])
assert_type(EMCO(0.1).fit_resample((("oil",),), y)[0], tuple[tuple[str]])
assert_type(RareTextClassifier().fit(texts, y), RareTextClassifier)
assert_type(ResampledClassifier("ros").fit(texts, y), ResampledClassifier)
assert_type(ThresholdClassifier(LinearSVC()).fit([[1.0], [0.0]], y), ThresholdClassifier)
"""


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mypy") is None, reason="needs mypy")
def test_fit_returns_the_estimator_and_fit_resample_the_containers_given(tmp_path, monkeypatch):
    from mypy import api

    path = tmp_path / "use.py"
    path.write_text(USE)
    monkeypatch.chdir(Path(__file__).parents[1])  # its settings, and what it knows already
    found, problems, _ = api.run(["--strict", str(path)])
    assert (found.splitlines()[-1], problems) == ("Success: no issues found in 1 source file", "")
