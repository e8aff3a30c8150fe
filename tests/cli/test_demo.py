import pytest

from imbtext._demonstration import METHODS, demonstrate
from imbtext.datasets import load_docstrings


@pytest.fixture(scope="module")
def docstrings():
    return load_docstrings()


@pytest.mark.slow
def test_demonstration_scores_every_method_and_grows_the_vocabulary(docstrings):
    steps = []
    found = demonstrate(
        docstrings, "sklearn.linear_model", n_splits=1, step=lambda: steps.append(1)
    )
    assert len(steps) == len(METHODS)
    assert tuple(found.scores) == METHODS
    for row in found.scores.values():
        assert 0.5 < row["balanced_accuracy"] <= 1
    assert [growth.gamma for growth in found.growth] == [0, 0.1, 1]
    assert found.growth[0].new_words == 0
    assert found.growth[1].new_words > 100
    assert any(is_foreign for document in found.examples for _, is_foreign in document)


def test_class_with_too_few_documents_is_refused(docstrings):
    with pytest.raises(ValueError, match="at least 4 are needed"):
        demonstrate(docstrings, "sklearn.kernel_ridge", n_splits=1)


@pytest.mark.slow
def test_demo_prints_table_examples_and_growth(run_command):
    result = run_command("demo", "--quiet")
    assert result.code == 0, result.err
    for part in (
        "plain SVM",
        "class weights",
        "threshold for F1",
        "RareTextClassifier",
        "random oversampling",
        "MCO",
        "EMCO, gamma 1",
        "average",
        "new words",
    ):
        assert part in result.out
