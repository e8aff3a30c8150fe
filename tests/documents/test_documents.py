"""Containers in and out, and what is said of those that cannot be taken."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from imbtext import EMCO, ROS, RareTextClassifier, ResampledClassifier, compare, mislabelled
from imbtext.documents import Documents
from imbtext.documents._labels import Labels, read_groups, read_weights

TEXTS = ["oil up", "gold down", ""]
TOKENS = [["oil", "up"], ["gold"], []]


def objects(rows):
    array = np.empty(len(rows), dtype=object)
    array[:] = rows
    return array


STRING_CONTAINERS = [
    TEXTS,
    tuple(TEXTS),
    np.array(TEXTS),
    objects(TEXTS),
    np.array(TEXTS, dtype=np.dtypes.StringDType()),
    pd.Series(TEXTS, name="t"),
    pd.Series(TEXTS, dtype=object),
    pd.Series(TEXTS, dtype="string"),
    pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string())),
    pl.Series("t", TEXTS),
    pa.array(TEXTS),
    pa.array(TEXTS, pa.large_string()),
    pa.array(TEXTS, pa.string_view()),
    pa.chunked_array([TEXTS[:1], TEXTS[1:]]),
    pd.Index(TEXTS, name="t"),
    # What `.values` of a column is, from pandas 3 on also of one with no dtype of its own.
    pd.Series(TEXTS, dtype="string").values,
    pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string())).array,
    pd.Series(TEXTS, dtype=object).array,
]
TOKEN_CONTAINERS = [
    TOKENS,
    tuple(TOKENS),
    objects(TOKENS),
    pd.Series(TOKENS),
    pd.Series(TOKENS, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
    pl.Series(TOKENS),
    pa.array(TOKENS),
]


def kind(container):
    return getattr(container, "dtype", getattr(container, "type", None))


def rows(container):
    return Documents.of(container).to_list()


@pytest.mark.parametrize("X", STRING_CONTAINERS, ids=lambda X: f"{type(X).__name__}-{kind(X)}")
def test_strings_come_back_in_the_same_kind(X):
    documents = Documents.of(X)
    assert not documents.is_tokens
    assert documents.corpus().tokens() == [["oil", "up"], ["gold", "down"], []]
    longer = documents.like_given(["a longer document"])
    assert type(longer) is type(X)
    assert list(rows(longer)) == [*TEXTS, "a longer document"]
    if not (isinstance(X, np.ndarray) and X.dtype.kind == "U"):
        assert kind(longer) == kind(X)
    assert len(documents.like_given([])) == 3


@pytest.mark.parametrize("X", TOKEN_CONTAINERS, ids=lambda X: f"{type(X).__name__}-{kind(X)}")
def test_token_lists_come_back_in_the_same_kind(X):
    documents = Documents.of(X)
    assert documents.is_tokens
    assert documents.corpus(tokenizer=str.split).tokens() == TOKENS
    longer = documents.like_given([["new", "words"]])
    assert type(longer) is type(X)
    assert kind(longer) == kind(X)
    assert [list(row) for row in rows(longer)] == [*TOKENS, ["new", "words"]]


@pytest.mark.parametrize(
    "X",
    [
        pd.Series(TEXTS, dtype="category"),
        pd.Categorical(TEXTS),
        pl.Series(TEXTS, dtype=pl.Categorical),
        pa.array(TEXTS).dictionary_encode(),
    ],
    ids=["pandas", "pandas array", "polars", "arrow"],
)
def test_encoded_strings_become_plain_since_new_documents_have_no_code(X):
    longer = Documents.of(X).like_given(["new"])
    assert type(longer).__module__.split(".")[0] == type(X).__module__.split(".")[0]
    assert list(rows(longer)) == [*TEXTS, "new"]


@pytest.mark.parametrize(
    "X",
    [
        pl.Series([["a", "b"], ["c", "d"]], dtype=pl.Array(pl.String, 2)),
        pa.array([["a", "b"], ["c", "d"]], pa.list_(pa.string(), 2)),
    ],
    ids=["polars", "arrow"],
)
def test_columns_of_fixed_width_become_lists_since_new_documents_have_other_lengths(X):
    longer = Documents.of(X).like_given([["e"]])
    assert type(longer).__module__ == type(X).__module__
    assert [list(row) for row in rows(longer)] == [["a", "b"], ["c", "d"], ["e"]]


def test_labels_as_strings_of_variable_width():
    y = np.array(["a", "b", "b"], dtype=np.dtypes.StringDType())
    labels = Labels.of(y, 3)
    assert labels.values.dtype == object  # which scikit-learn knows
    assert labels.extend(np.array([0])).dtype == y.dtype


@pytest.mark.parametrize(
    ("X", "error", "says"),
    [
        ("oil", TypeError, "single str.*wrap it in a list"),
        (b"oil", TypeError, "single bytes"),
        (["a", None], ValueError, r"X\[1\] is missing \(None\).*fill them"),
        (["a", float("nan")], ValueError, r"X\[1\] is missing \(nan\)"),
        (pd.Series(["a", pd.NA], dtype="string"), ValueError, r"X\[1\] is missing"),
        (pd.Series(["a", pd.NaT], dtype=object), ValueError, r"X\[1\] is missing"),
        (pl.Series(["a", None]), ValueError, r"X\[1\] is missing"),
        (pa.array(["a", None]), ValueError, r"X\[1\] is missing"),
        (["a", 3], TypeError, r"X\[1\] is 3 \(int\); expected only strings"),
        (np.array([1.5, 2]), TypeError, r"X\[0\] is 1.5 \(float\)"),
        (["a", b"b"], TypeError, r"X\[1\] is bytes.*decode it first"),
        (["a", ["b"]], TypeError, r"X\[1\] is \['b'\] \(list\)"),
        ([["a"], "b"], TypeError, r"X\[1\] is 'b' \(str\); expected only token lists"),
        ([["a"], None], ValueError, r"X\[1\] is missing"),
        ([["a"], ["b", 3]], TypeError, r"X\[1\]\[1\] is 3"),
        ([["a"], ["b", None]], ValueError, r"X\[1\]\[1\] is missing"),
        (["\ud800"], ValueError, "not valid Unicode"),
        ([["\ud800"]], ValueError, "not valid Unicode"),
        (np.array([["a", "b"]]), ValueError, r"shape \(1, 2\)"),
        (pd.DataFrame({"a": ["a"], "b": ["b"]}), TypeError, r"columns 'a', 'b'.*text='body'"),
        (pl.DataFrame({"a": ["a"], "b": ["b"]}), TypeError, r"columns 'a', 'b'.*text='body'"),
        (pa.table({"a": ["a"], "b": ["b"]}), TypeError, r"columns 'a', 'b'.*text='body'"),
        ((text for text in TEXTS), TypeError, "generator"),
        ({"a": 1}, TypeError, "dict"),
        (None, TypeError, "NoneType"),
        (7, TypeError, "int"),
    ],
)
def test_what_is_wrong_with_documents_is_said(X, error, says):
    with pytest.raises(error, match=says):
        Documents.of(X)


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 1],
        ("a", "b, c", "b, c"),
        np.array([True, False, False]),
        np.array(["a", "b", "b"], dtype=object),
        pd.Series([1, 2, 2], dtype="Int64", name="y"),
        pd.Series(["a", "b", "b"], dtype="category"),
        pl.Series("y", ["a", "b", "b"], dtype=pl.Categorical),
        pl.Series([1, 2, 2], dtype=pl.UInt8),
        pa.array([1, 2, 2]),
        pa.chunked_array([["a", "b"], ["b"]]),
        pa.array(["a", "b", "b"]).dictionary_encode(),
        pa.array(["a", "b", "b"], pa.string_view()),
        pd.Index(["a", "b", "b"], name="y"),
        pd.Categorical(["a", "b", "b"]),
        pd.array([1, 2, 2], dtype="Int64"),
        pd.array(["a", "b", "b"], dtype="string"),
    ],
    ids=lambda y: f"{type(y).__name__}-{kind(y)}",
)
def test_labels_come_back_in_the_same_kind(y):
    labels = Labels.of(y, 3)
    longer = labels.extend(np.array([0, 0]))
    assert type(longer) is type(y)
    assert kind(longer) == kind(y)
    assert Labels.of(longer, 5).values.tolist() == labels.values[[0, 1, 2, 0, 0]].tolist()


@pytest.mark.parametrize(
    ("y", "error", "says"),
    [
        ([0, 1], ValueError, "3 documents and y has 2 labels"),
        (None, ValueError, "y is None"),
        ("abc", TypeError, "single str"),
        ([0, None, 1], ValueError, r"y\[1\] is missing"),
        ([0.0, float("nan"), 1.0], ValueError, r"y\[1\] is missing"),
        (np.array([0, np.nan, 1]), ValueError, r"y\[1\] is missing"),
        (["a", float("nan"), "b"], ValueError, r"y\[1\] is missing \(nan\)"),
        (pd.Series(["a", None, "b"]), ValueError, r"y\[1\] is missing"),
        (pd.Series(["a", None, "b"], dtype="category"), ValueError, r"y\[1\] is missing"),
        (["a", 1, 2], TypeError, "mixes"),
        (np.array(["a", 1, 2], dtype=object), TypeError, "mixes"),
        (np.array([[0, 1, 1]]), ValueError, r"shape \(1, 3\)"),
        (np.ma.array([0, 1, 1], mask=[0, 1, 0]), ValueError, r"y\[1\] is missing"),
        (np.array(["2024", "NaT", "2025"], "M8[ns]"), ValueError, r"y\[1\] is missing"),
        ([["a"], ["b"], ["b"]], ValueError, "expected one label per document"),
    ],
)
def test_what_is_wrong_with_labels_is_said(y, error, says):
    with pytest.raises(error, match=says):
        Labels.of(y, 3)


@pytest.mark.parametrize(
    ("y", "error", "says"),
    [
        ([{"a"}, {"b", "c"}, ["d", None]], ValueError, r"y\[2\] is \['d', None\], with a missing"),
        ([{"a", "b"}, [float("nan")], {"c"}], ValueError, r"y\[1\] is \[nan\], with a missing"),
        ([{"a"}, {1}, {"b"}], TypeError, "the set of labels in y mixes numbers and strings"),
        ([{"a"}, None, {"b"}], ValueError, r"y\[1\] is None, and other documents"),
        ([[1, 1], [1, 0], [0, 0]], ValueError, r"such as \[1, 1\]; pass np.array\(y\) if"),
        ([(True, True), (True, False), (False, False)], ValueError, r"pass np.array\(y\) if"),
        (list(np.eye(3)), ValueError, r"pass np.array\(y\) if"),
        ([[1], [0], [0]], ValueError, r"pass \[row\[0\] for row in y\], one label per document"),
    ],
)
def test_what_is_wrong_with_sets_of_labels_is_said(y, error, says):
    with pytest.raises(error, match=says):
        Labels.of(y, 3, several=True)


@pytest.mark.parametrize(
    "y",
    [
        pd.DataFrame({"a": ["x", "y", "x"], "b": 1}),
        pd.DataFrame({"a": pd.array([True, pd.NA, False], dtype="boolean"), "b": 1}),
        pl.DataFrame({"a": [0, 1, None], "b": 1}),
        np.array([[0.0, 1.0], [1.0, 1.0], [np.nan, 1.0]]),
    ],
    ids=["strings", "NA", "null", "nan"],
)
def test_a_table_of_labels_holds_0_and_1_alone(y):
    with pytest.raises(ValueError, match="y has two dimensions and is empty or holds values other"):
        Labels.of(y, 3, several=True)


@pytest.mark.parametrize(
    ("y", "column"),
    [
        (np.array([[0], [1], [1]]), "y.ravel()"),
        (np.array([["a"], ["b"], ["b"]], dtype=object), "y.ravel()"),
        (sparse.csr_array([[0], [1], [1]]), "y.toarray().ravel()"),
        (pd.DataFrame({"topic": [0, 1, 1]}), "y['topic']"),
        (pd.DataFrame([["a"], ["b"], ["b"]]), "y[0]"),
        (pl.DataFrame({"topic": ["a", "b", "b"]}), "y['topic']"),
        (pa.table({"topic": [0, 1, 1]}), "y['topic']"),
    ],
    ids=["array", "objects", "sparse", "pandas", "pandas without names", "polars", "arrow"],
)
@pytest.mark.parametrize("several", [False, True])
def test_a_table_of_one_column_is_not_a_matrix_of_one_class(y, column, several):
    expected = rf"of shape \(3, 1\)\); expected one label per document.*: pass {re.escape(column)}$"
    with pytest.raises(ValueError, match=expected):
        Labels.of(y, 3, several=several)


@pytest.mark.parametrize(
    "door",
    [
        lambda texts, y: EMCO().fit(texts, y),
        lambda texts, y: EMCO().fit_resample(texts, y),
        lambda texts, y: EMCO().partial_fit(texts, y),
        lambda texts, y: RareTextClassifier().fit(texts, y),
        lambda texts, y: ResampledClassifier("plain").fit(texts, y),
        compare,
        mislabelled,
    ],
    ids=["fit", "fit_resample", "partial_fit", "rare", "method", "compare", "mislabelled"],
)
def test_every_door_says_how_to_pass_a_table_of_one_column(door):
    y = np.array([[1], [0], [0]] * 10)
    with pytest.raises(ValueError, match=r"y is a table of one column .* pass y\.ravel\(\)"):
        door(["oil up", "gold down", "rain"] * 10, y)


@pytest.mark.parametrize(
    "y",
    [
        [["a"], ["b"], ["b"]],
        [{0}, {1}, {1}],
        [[0], [1], []],
        [[0, 1], [1, 2], [2, 0]],
        [[0.5], [1], [1]],
    ],
    ids=str,
)
def test_lists_of_labels_are_not_a_matrix(y):
    labels = Labels.of(y, 3, several=True)
    assert labels.sets == tuple(map(frozenset, y))


def test_a_table_of_labels_may_be_of_nullable_pandas():
    y = pd.DataFrame({"a": pd.array([True, False, True], dtype="boolean"), "b": [0, 0, 1]})
    labels = Labels.of(y, 3, several=True)
    assert [rows.tolist() for rows in labels.members] == [[0, 2], [2]]


@pytest.mark.parametrize(
    ("groups", "error", "says"),
    [
        (["a", None, "b"], ValueError, r"groups\[1\] is missing \(None\); .* needs a group"),
        (["a", 1, "b"], TypeError, "groups mixes numbers and strings; use labels of one kind"),
        (np.array([[1], [2], [2]]), ValueError, r"expected a list of labels.*groups\[:, 0\]"),
        (pd.DataFrame({"author": [1, 2, 2]}), TypeError, r"such as groups\['author'\]"),
    ],
)
def test_what_is_wrong_with_groups_is_said(groups, error, says):
    with pytest.raises(error, match=says):
        read_groups(groups, 3)


def test_weights_that_are_not_numbers_are_refused():
    with pytest.raises(ValueError, match="sample_weight must hold numbers, one per document"):
        read_weights(["heavy", "light"], 2)


@pytest.mark.parametrize(
    ("weights", "words"),
    [([1, -2], r"sample_weight\[1\] is -2"), ([0, 0], "sample_weight is zero for all documents")],
)
def test_which_weight_is_wrong_is_said(weights, words):
    with pytest.raises(ValueError, match=words):
        read_weights(weights, 2)


def test_a_masked_weight_is_not_the_number_under_the_mask():
    with pytest.raises(ValueError, match=r"numbers from 0 up, but sample_weight\[1\] is nan"):
        read_weights(np.ma.array([1.0, 2.0], mask=[False, True]), 2)
    for weights in ([1, 2], pl.Series([1, 2]), pd.Series([1, 2]), pa.array([1, 2])):
        assert read_weights(weights, 2).tolist() == [1.0, 2.0]


def test_a_fraction_among_labels_is_shown():
    with pytest.raises(ValueError, match=r"numbers such as 2\.5; give classes"):
        Labels.of([1.0, 2.5, 3.0], 3).check_classes()


def test_nothing_at_all_is_refused():
    with pytest.raises(ValueError, match="empty"):
        Labels.of([], 0)


@pytest.mark.parametrize("kind", [list, tuple, objects, pd.Series, pl.Series])
def test_labels_that_differ_in_a_last_zero_are_never_one_class(kind):
    labels = ["a", "a\0", "a"]
    with pytest.raises(ValueError, match=r"y\[1\] is 'a\\x00', which ends in a NUL character"):
        EMCO(random_state=0).fit_resample(["oil up", "gold", "gold down"], kind(labels))


TABLES = [
    pytest.param(pd.DataFrame, id="pandas"),
    pytest.param(lambda data: pd.DataFrame(data).convert_dtypes(), id="nullable pandas"),
    pytest.param(pl.DataFrame, id="polars"),
    pytest.param(pa.table, id="arrow"),
]


def values(table):
    """The table as lists, missing values as None."""
    if isinstance(table, pd.DataFrame):
        table = table.astype(object).where(table.notna(), None)
    return (
        table.to_pydict()
        if isinstance(table, pa.Table)
        else {name: list(table[name]) for name in table.columns}
    )


@pytest.mark.parametrize("kind", TABLES)
def test_tables_are_lengthened_with_missing_values_elsewhere(kind):
    texts = ["oil up", "oil down", "gold up", "gold down", "rain"]
    data = {"id": [3, 1, 4, 1, 5], "body": texts, "seen": [True, False, True, True, False]}
    table, y = kind(data), [1, 0, 0, 0, 0]
    sampler = EMCO(text="body", random_state=0)
    longer, y_longer = sampler.fit_resample(table, y)
    expected, _ = EMCO(random_state=0).fit_resample(texts, y)
    assert type(longer) is type(table)
    found = values(longer)
    assert list(found) == ["id", "body", "seen"]
    assert found["body"] == expected
    assert found["id"] == [3, 1, 4, 1, 5, None, None, None]
    assert found["seen"] == [*data["seen"], None, None, None]
    assert y_longer == [1, 0, 0, 0, 0, 1, 1, 1]
    alone, _ = EMCO(random_state=0).fit_resample(kind({"body": texts}), y)
    assert values(alone) == {"body": expected}
    assert (
        values(ROS(text="body", random_state=0).fit_resample(table, y)[0])["id"][5:] == [None] * 3
    )
    with pytest.raises(ValueError, match=r"no column 'text'; its columns are 'id', 'body', 'seen'"):
        EMCO(text="text").fit_resample(table, y)


@pytest.mark.parametrize("kind", TABLES)
def test_a_sampler_reads_a_missing_text_as_empty_and_leaves_it_missing(kind):
    texts, y = ["oil up", None, "gold up", None, "rain"], [1, 1, 0, 0, 0]
    table = kind({"id": [3, 1, 4, 1, 5], "body": texts})
    filled = [text or "" for text in texts]
    for sampler in (EMCO(text="body", random_state=0), ROS(text="body", random_state=0)):
        longer, _ = sampler.fit_resample(table, y)
        expected, _ = sampler.fit_resample(filled, y)
        assert values(longer)["body"] == [*texts, *expected[5:]]


@pytest.mark.parametrize("dtype", [object, str])
def test_an_array_of_two_dimensions_is_lengthened_with_missing_values_elsewhere(dtype):
    texts = ["oil up", "oil down", "gold up", "gold down", "rain"]
    array = np.array([["3", "1", "4", "1", "5"], texts], dtype=dtype).T
    longer, _ = EMCO(text=1, random_state=0).fit_resample(array, [1, 0, 0, 0, 0])
    expected, _ = EMCO(random_state=0).fit_resample(texts, [1, 0, 0, 0, 0])
    assert longer[:, 1].tolist() == expected
    assert longer[:, 0].tolist() == ["3", "1", "4", "1", "5", None, None, None]
    same, _ = EMCO(text=1).fit_resample(array[1:3], [1, 0])
    assert same.tolist() == array[1:3].tolist()


@pytest.mark.parametrize(
    "y",
    [np.eye(3), np.ones((3, 2)), pd.DataFrame(np.eye(3)), sparse.csr_array(np.eye(3)), [["a"]] * 3],
)
def test_several_labels_are_refused_with_the_way_out(y):
    with pytest.raises(ValueError, match="one class at a time"):
        EMCO().fit_resample(["a b", "c d", "e f"], y)


def test_infinite_labels_are_refused():
    for label in (float("inf"), -float("inf")):
        with pytest.raises(ValueError, match=r"y\[1\] is -?inf; use finite numbers or strings"):
            Labels.of([0.0, label], 2)


def test_vectors_are_told_from_documents():
    with pytest.raises(TypeError, match=r"csr_array; .*: give documents, as they are before a vec"):
        Documents.of(sparse.csr_array(np.eye(3)))
