"""Charts of numbers by period."""

import numpy as np
import pytest

from imbtext.thresholds._plot import PeriodSeries, period_chart


@pytest.mark.parametrize("is_far", [False, True])
def test_an_unknown_number_has_no_point_and_the_legend_names_what_was_compared(is_far):
    days = [f"2024-0{month}-01" for month in (1, 2, 3, 4)]
    numbers = (20.0, np.nan, 40.0, 50.0)
    points = tuple((day, n, 0.0, 100.0, is_far) for day, n in zip(days, numbers, strict=True))
    chart = period_chart([PeriodSeries("found of 100", points)])
    assert chart.count('aria-roledescription="point"') == 3
    assert ("far off" in chart) == is_far
