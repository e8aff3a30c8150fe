"""One rule for "no label", through six doors: all of them learn from the same documents."""

import json
import warnings

import numpy as np
import pytest

from imbtext import RareTextClassifier, ResampledClassifier, compare, mislabelled
from imbtext.documents import Documents, Roles
from imbtext.files import check_file
from imbtext.labelling import Labelling
from imbtext.tables import LabelRules, read_documents

WORDS = ["oil", "crude", "gas", "barrel"]
OTHERS = ["rain", "sun", "wind", "snow", "fog"]


def texts(n_oil, n_other, n_without):
    oil = [f"{WORDS[i % 4]} price {WORDS[(i + 1) % 4]} up {i}" for i in range(n_oil)]
    other = [f"{OTHERS[i % 5]} today {OTHERS[(i + 2) % 5]} {i}" for i in range(n_other)]
    return oil + other + [f"{OTHERS[i % 5]} and {WORDS[i % 4]}" for i in range(n_without)]


# What the table has for a label: of the class, of the others, where there is none; and a separator.
TABLES = {
    "single": ("oil", "other", ["  ", "", None, float("nan")], None),
    "numbers": (1, 0, [None, float("nan")], None),
    "sets": (["oil", "gas"], [], [None], None),
    "separator": ("oil; gas", "", [], ";"),
}


def given(name):
    of_class, of_others, without, separator = TABLES[name]
    y = [of_class] * 12 + [of_others] * 20 + without * 2
    return texts(12, 20, 2 * len(without)), y, separator


def in_memory(y, separator):
    """Return labels as `fit` takes them: sets instead of lists and of cells with a separator."""
    if separator is not None:
        return [{part.strip() for part in cell.split(separator) if part.strip()} for cell in y]
    return [set(label) if isinstance(label, list) else label for label in y]


@pytest.mark.parametrize("name", TABLES)
def test_every_door_learns_from_the_documents_that_have_a_label(name, tmp_path):
    X, y, separator = given(name)
    labels = in_memory(y, separator)
    path = tmp_path / "t.jsonl"
    cells = [None if label != label else label for label in y]
    rows = [{"body": x, "topic": cell} for x, cell in zip(X, cells, strict=True)]
    path.write_text("\n".join(map(json.dumps, rows)))
    roles = Roles.of("body", label="topic", separator=separator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RareTextClassifier(random_state=0).fit(X, labels)
        n_fit = model.expectation_[0].n_documents
        n_file = len(read_documents(path, roles, rules=LabelRules(several=True)))
        n_check = model.check(X, labels).realised[0].n_documents
        checked = check_file(model, path, text="body", label="topic", separator=separator)
        n_doubts = mislabelled(X, labels, random_state=0).n_documents
        found = compare(X, labels, methods=["ros"], folds=2, repeats=1, share=0.5, metric="f1")
    assert (n_fit, n_file, n_check, n_doubts) == (32, 32, 32, 32)
    assert checked.realised[0].n_documents == 32
    assert found.plan.n_documents == 32
    classes = [1] if name == "numbers" else ["oil"]
    loop = Labelling(X, labels, classes=classes, features="words")
    assert (len(loop.read), len(loop.found())) == (32, 12)


def test_a_row_of_zeros_is_an_answer_at_every_door():
    X = texts(12, 20, 0)
    y = np.zeros((32, 2), int)
    y[:12, 0] = y[:6, 1] = 1
    model = RareTextClassifier(random_state=0).fit(X, y)
    found = compare(X, y, methods=["ros"], folds=2, repeats=1, share=0.5, metric="f1")
    assert len(Documents.of(X, y).labelled()) == 32
    assert model.expectation_[0].n_documents == 32
    assert model.check(X, y).realised[0].n_documents == 32
    assert mislabelled(X, y, random_state=0).n_documents == 32
    assert found.plan.n_documents == 32


@pytest.mark.parametrize("missing", ["", "  ", None, float("nan")])
def test_documents_without_a_label_count_as_outside_the_class_that_is_named(missing):
    X, y = texts(12, 20, 4), ["oil"] * 12 + ["other"] * 20 + [missing] * 4
    model = RareTextClassifier(pos_label="oil", unlabelled="no", random_state=0).fit(X, y)
    assert model.classes_.tolist() == ["not oil", "oil"]
    assert model.expectation_[0].n_documents == 36
    found = compare(
        *(X, y),
        classes=["oil"],
        unlabelled="no",
        methods=["ros"],
        folds=2,
        repeats=1,
        share=0.5,
    )
    assert found.plan.n_documents == 36
    doubts = mislabelled(X, y, pos_label="oil", unlabelled="no", random_state=0)
    assert doubts.n_documents == 36
    assert model.check(X, y).realised[0].n_documents == 36
    with pytest.raises(ValueError, match="name the class to find"):
        RareTextClassifier(unlabelled="no").fit(X, y)
    with pytest.raises(ValueError, match=r"y\[32\] is missing .*; every document needs a label"):
        RareTextClassifier(unlabelled="refuse").fit(X, y)


def test_a_cell_with_a_separator_is_an_empty_set_unless_it_is_to_be_skipped():
    table = np.array([["a", "oil; gas"], ["b", ""], ["c", "gas"]], dtype=object)
    documents = Documents.of(table, roles=Roles.of(0, label=1, separator=";"))
    assert documents.labelled().labels.sets == ({"oil", "gas"}, set(), {"gas"})
    assert documents.labelled(unlabelled="no").labels.sets == ({"oil", "gas"}, set(), {"gas"})
    with pytest.warns(UserWarning, match="1 of 3 documents have no label"):
        assert documents.labelled(unlabelled="skip").rows.tolist() == [0, 2]
    with pytest.raises(ValueError, match="is missing"):
        documents.labelled(unlabelled="refuse")


def test_labels_to_ignore_are_compared_by_name():
    documents = Documents.of(["a", "b", "c"], [1.0, 9.0, 2.0])
    assert documents.labelled(ignored=9).rows.tolist() == [0, 2]
    assert documents.labelled(ignored=["9"]).rows.tolist() == [0, 2]


def test_nothing_is_advised_that_a_door_does_not_have():
    X, y = texts(12, 20, 2), ["oil"] * 12 + ["other"] * 20 + [None] * 2
    with pytest.warns(UserWarning, match="2 of 34 documents have no label") as warned:
        ResampledClassifier("ros", random_state=0).fit(X, y)
    assert not any("unlabelled=" in str(one.message) for one in warned)
