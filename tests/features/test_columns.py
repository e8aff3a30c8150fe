"""Columns beside the text: what they are does not depend on how a table holds them."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest

from imbtext.documents import Documents, Roles
from imbtext.features._columns import ColumnFeatures

N = 60
TEXTS = ["oil up"] * N
NUMBERS = [str(7 * i % 901) for i in range(N)]
DATES = [datetime(2024, 1, 1) + timedelta(days=i) for i in range(N)]


def learnt(column):
    features = ColumnFeatures()
    matrix = features.fit_transform(rows(column))
    return features, matrix.toarray()


def rows(column):
    table = pl.DataFrame({"body": TEXTS[: len(column)], "beside": column})
    return Documents.of(table, roles=Roles.of("body", ["beside"]))


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(sorted(set(NUMBERS)))])
def test_numbers_in_a_column_of_categories_are_numbers(kind):
    plain, expected = learnt(pl.Series(NUMBERS))
    features, matrix = learnt(pl.Series(NUMBERS, dtype=kind))
    assert [column.reader.kind for column in features.columns] == ["number"]
    assert features.names().tolist() == plain.names().tolist()
    np.testing.assert_array_equal(matrix, expected)


def test_numbers_in_a_column_of_pandas_categories_are_numbers():
    _, expected = learnt(pl.Series(NUMBERS))
    features = ColumnFeatures()
    table = pd.DataFrame({"body": TEXTS, "beside": pd.Categorical(NUMBERS)})
    matrix = features.fit_transform(Documents.of(table, roles=Roles.of("body", ["beside"])))
    np.testing.assert_array_equal(matrix.toarray(), expected)


@pytest.mark.parametrize("cells", [["soon", "later"], ["", None], [1, 2]], ids=str)
def test_cells_that_are_not_dates_are_missing_in_a_column_of_dates(cells):
    features, _ = learnt(pl.Series(DATES))
    matrix = features.transform(rows(pl.Series(cells))).toarray()
    assert not matrix.any()


def test_lengths_of_time_are_their_seconds():
    features, matrix = learnt(pl.Series([timedelta(seconds=i) for i in range(N)]))
    plain, expected = learnt(pl.Series(range(N)))
    assert features.names().tolist() == plain.names().tolist()
    np.testing.assert_array_equal(matrix, expected)


@pytest.mark.parametrize("rare", [[1, 1], [True, True], [3, 250]], ids=str)
def test_a_number_that_few_rows_have_is_told_from_the_one_of_all_others(rare):
    """Two of sixty rows decide no quantile, and they may be those of the class."""
    features, matrix = learnt(pl.Series([type(rare[0])(0)] * (N - 2) + rare))
    limit = int(min(rare))
    names = [f"beside: {name}" for name in ("any value", f"below {limit}", f"{limit} or more")]
    assert features.names().tolist() == names
    assert (matrix[:, 2] > 0).tolist() == [False] * (N - 2) + [True] * 2


def test_a_number_of_one_row_is_no_term():
    features, _ = learnt(pl.Series([0] * (N - 1) + [1]))
    assert features.names().tolist() == ["beside: any value"] * 2


def test_true_and_false_of_another_file_are_read_if_they_are_text():
    features, matrix = learnt(pl.Series([i % 3 == 0 for i in range(N)]))
    again = features.transform(rows(pl.Series(["True", " false", "FALSE"])))
    np.testing.assert_array_equal(again.toarray(), matrix[:3])


def test_times_with_a_zone_are_in_utc_however_they_are_written():
    hours = pl.Series([date + timedelta(hours=22, minutes=30) for date in DATES])
    features, expected = learnt(hours)
    local = hours.dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Helsinki")
    np.testing.assert_array_equal(features.transform(rows(local)).toarray(), expected)
    named, matrix = learnt(local)
    assert named.names().tolist() == features.names().tolist()
    np.testing.assert_array_equal(matrix, expected)
    written, matrix = learnt(local.dt.strftime("%Y-%m-%dT%H:%M:%S%z"))
    assert written.names().tolist() == features.names().tolist()
    np.testing.assert_array_equal(matrix, expected)


def test_dates_of_another_file_are_read_if_they_are_text():
    features, matrix = learnt(pl.Series(DATES))
    again = features.transform(rows(pl.Series([str(date) for date in DATES])))
    np.testing.assert_array_equal(again.toarray(), matrix)
