import pytest

from imbtext._demonstration import METHODS, demonstrate
from imbtext.datasets import load_docstrings


@pytest.fixture(scope="module")
def docstrings():
    return load_docstrings()


@pytest.mark.slow
def test_demonstration_counts_what_every_method_finds(docstrings):
    steps = []
    found = demonstrate(
        docstrings, "sklearn.preprocessing", n_splits=1, step=lambda: steps.append(1)
    )
    assert len(steps) == len(METHODS)
    assert tuple(found.finds) == METHODS
    held_out = round(found.n_rare / 2 + 0.1)
    for counts in found.finds.values():
        assert 0 <= counts.found <= counts.n_class == held_out
    assert found.finds["RareTextClassifier"].found > found.finds["plain"].found
    assert found.pages
    assert all(page.words and page.first_line for page in found.pages)
    assert any(is_borrowed for _, is_borrowed in found.example)
    assert found.n_new_words > 100


def test_class_with_too_few_documents_is_refused(docstrings):
    with pytest.raises(ValueError, match="has 1 document; choose one with at least 4"):
        demonstrate(docstrings, "sklearn.kernel_ridge", n_splits=1)


@pytest.mark.slow
def test_demo_tells_a_story_and_ends_with_what_to_do_next(run_command):
    result = run_command("demo", "--quiet")
    assert result.code == 0, result.err
    said = " ".join(result.out.split())
    for part in (
        "Suppose you need the",
        "about preprocessing (making data fit for learning)",
        "a plain linear SVM",
        "with a tuned threshold",
        "words and characters",
        # The best free remedy stands between, and it finds as many.
        "RareTextClassifier finds 14 of the 15 pages (a linear SVM on words and characters: 14, "
        "the plain classifier: 4);",
        "Before it saw the other half, it said that it would find about",
        "so it kept its word in",
        "EMCO",
        "RareTextClassifier",
        "averages over 3 random halves",
    ):
        assert part in said
    story, _, following = result.out.partition("Next, with a file of your own")
    assert "imbtext" not in story
    for command in ("compare FILE", "train FILE", "predict my.model"):
        assert f"  imbtext {command}" in following
