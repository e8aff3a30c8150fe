"""Times as people write them, and periods that follow one another."""

from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from imbtext.documents import Documents, Roles
from imbtext.documents._periods import cut_periods, read_times

DAYS = ["2024-01-31", "2023-05-01", "2024-02-01"]
DATES = [date.fromisoformat(day) for day in DAYS]


@pytest.mark.parametrize(
    "times",
    [
        DAYS,
        DATES,
        [datetime.fromisoformat(day) for day in DAYS],
        [datetime.fromisoformat(day).replace(tzinfo=UTC) for day in DAYS],
        np.array(DAYS, dtype="datetime64[D]"),
        np.array(DAYS, dtype="datetime64[ns]"),
        pd.Series(pd.to_datetime([f"{day}T01:02:03.123456789" for day in DAYS])),
        pl.Series(DAYS, dtype=pl.Categorical),
        pd.Series(pd.to_datetime(DAYS)),
        pd.Series(pd.to_datetime(DAYS)).dt.tz_localize("UTC"),
        pl.Series(DATES),
        pa.array(DATES),
        ["31.01.2024", "01.05.2023", "1.2.2024"],
        ["01/31/2024", "05/01/2023", "02/01/2024"],
        ["31/01/2024", "1/5/2023", "01/02/2024"],
        ["2024/01/31", "2023/05/01", "2024/02/01"],
        [" 2024-01-31T00:00:00Z", "2023-05-01 00:00", "20240201"],
        ["Wed, 31 Jan 2024 04:06:32 +0100", "1 May 2023 10:00:00 GMT", "01 Feb 2024 09:00 (CET)"],
        ["1/31/2024 5:30 PM", "5/1/2023 12:00 AM", "2/1/2024 9:05 am"],
        ["31-Jan-2024", "01-May-2023", "1-FEB-2024"],
        ["31 January 2024 17:30", "1 May 2023 0:00", "1 February 2024 12:15"],
        ["Jan 31, 2024", "May 1, 2023", "Feb 1, 2024"],
    ],
    ids=str,
)
def test_a_date_is_the_same_day_however_it_is_written(times):
    assert read_times(times, 3).astype("datetime64[D]").astype(str).tolist() == DAYS


@pytest.mark.parametrize("times", [[3, 1.5, 2], ["3", "1.5", "2"], np.array([3, 1.5, 2])], ids=str)
def test_numbers_are_times_too(times):
    assert read_times(times, 3).tolist() == [3.0, 1.5, 2.0]


def test_placeholders_at_the_ends_of_the_calendar_are_times():
    """Programs write 0001-01-01 and 9999-12-31 for dates that they do not know."""
    ends = ["2024-01-31T00:00Z", "9999-12-31T23:59-05:00", "0001-01-01T00:00+05:00"]
    assert np.argsort(read_times(ends, 3)).tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (
            ["01/02/2024", "03/04/2024"],
            "in which the day or the month may come first",
        ),
        (["2024-01-31", "yesterday"], "'yesterday', which cannot be read as a time"),
        (["1 Feb 99999999999 12:00:00 -0000"] * 2, "which cannot be read as a time"),
        (["2024-01-31", None], r"when\[1\] is missing; each document needs a time"),
        ([np.nan, np.nan], r"when\[0\] is missing \(and 1 more\); each document needs a time"),
        ([pd.NaT, pd.Timestamp("2024-01-31")], r"when\[0\] is missing"),
        (np.array(["2024-01-31", "NaT"], dtype="datetime64[ns]"), r"when\[1\] is missing"),
        (["2024-01-31", " "], r"when\[1\] is missing"),
        ([1.0, np.inf], "an infinite number"),
        ([1.0], "X has 2 documents and when has 1 entries"),
    ],
    ids=str,
)
def test_what_is_no_time_is_told_in_words(times, words):
    with pytest.raises(ValueError, match=words):
        read_times(times, 2, "when")


def test_times_of_several_kinds_are_refused():
    with pytest.raises(TypeError, match="when holds int, str, such as 3"):
        read_times([3, "2024-01-31"], 2, "when")
    with pytest.raises(TypeError, match="when holds bool"):
        read_times([True, False], 2, "when")


def test_periods_follow_one_another_and_learn_from_the_past_alone():
    generator = np.random.default_rng(0)
    times = generator.integers(0, 400, 3000)
    periods = cut_periods(times, [generator.choice(3000, 60, replace=False)], 5)
    assert np.bincount(periods.numbers).tolist() == pytest.approx([1000, *[400] * 5], rel=0.2)
    for period in range(1, 6):
        past, tested = periods.trained_on(period), periods.numbers == period
        assert times[past].max() < times[tested].min()
        # Everything that came before is learnt from.
        assert past.sum() == (times < times[tested].min()).sum()


def test_each_period_has_its_part_of_a_class_that_becomes_rarer():
    times = np.arange(3000)
    rows = np.concatenate([np.arange(0, 1000, 20), np.arange(1000, 3000, 100)])
    alone = cut_periods(times, [rows], 5).numbers
    assert np.bincount(alone[rows], minlength=6).min() >= 5


def test_documents_of_one_time_stay_together():
    periods = cut_periods(np.repeat([1, 2, 3], [80, 10, 10]), [np.arange(0, 100, 10)], 5)
    assert periods.numbers.tolist() == [0] * 80 + [1] * 10 + [2] * 10
    assert periods.n_tested == 2
    assert (
        periods.in_words() == "2 periods from 2 to 3, each tested with a model of what came before"
    )


def test_one_time_with_nearly_all_documents_leaves_one_period_to_test():
    periods = cut_periods(np.repeat([1, 2], [3, 97]), [np.arange(0, 100, 10)], 5)
    assert periods.numbers.tolist() == [0] * 3 + [1] * 97
    assert "1 period from 2 to 2, which was tested" in periods.in_words()


def test_many_periods_follow_one_another():
    periods = cut_periods(np.arange(3000), [np.arange(0, 3000, 5)], 200)
    assert periods.n_tested == periods.numbers.max() == 200
    assert (np.diff(periods.numbers) >= 0).all()


def test_a_single_time_is_refused():
    with pytest.raises(ValueError, match="all 5 documents have the same time, 7, so they cannot"):
        cut_periods(np.full(5, 7.0), [np.array([1])], 5)


def test_what_shares_a_group_with_tested_documents_is_not_learnt_from():
    groups = np.array(["a", "b", "c", "a", "d", "e"] * 10)
    periods = cut_periods(np.arange(60), [np.arange(0, 60, 6)], 3, groups)
    for period in (1, 2, 3):
        learnt, tested = periods.trained_on(period), periods.numbers == period
        assert not set(groups[learnt]) & set(groups[tested])


def test_clocks_with_a_point_are_read():
    times = read_times(["24-02-2015 11.35"], 1)
    assert times.astype(str).tolist() == ["2015-02-24T11:35:00.000000"]


def test_a_form_settles_what_comes_first():
    with pytest.raises(ValueError, match="the day or the month may come first"):
        read_times(["01/02/2024"], 1)
    times = read_times(["01/02/2024"], 1, form="%m/%d/%Y")
    assert times.astype("M8[D]").astype(str).tolist() == ["2024-01-02"]
    with pytest.raises(ValueError, match="holds 'x', which is not written as '%Y'"):
        read_times(["2024", "x"], 2, form="%Y")
    with pytest.raises(ValueError, match=r"write 2024-05-31, .* with 17:30.*--time-format"):
        read_times(["soon"], 1)


def test_a_role_has_a_form():
    table = pl.DataFrame({"body": ["a", "b"], "day": ["2024 5", "2024 6"]})
    roles = Roles.of("body", time="day", time_format="%Y %m")
    part = Documents.of(table, roles=roles).select(np.array([1]))
    assert part.times.astype("M8[M]").astype(str).tolist() == ["2024-06"]
