"""Rates and durations, by tables."""

from datetime import timedelta
from decimal import Decimal

import pytest

from lendingadmin.lending.values import Malformed
from lendingadmin.web.display.durations import duration, elapsed, exact_duration
from lendingadmin.web.display.rates import exact_rate, points, rate


@pytest.mark.parametrize(
    ("fraction", "tidy", "exact"),
    [
        (Decimal("0.4263127"), "42.6 %", "42.63127 %"),
        (Decimal("0.03"), "3 %", "3 %"),
        (Decimal("0.0300"), "3 %", "3 %"),
        (Decimal("0.0125"), "1.25 %", "1.25 %"),
        (Decimal("0.01256"), "1.26 %", "1.256 %"),
        (Decimal("0.0996"), "9.96 %", "9.96 %"),
        (Decimal("0.1"), "10 %", "10 %"),
        (Decimal("0.09999"), "10 %", "9.999 %"),
        (Decimal("0.001"), "0.1 %", "0.1 %"),
        (Decimal("0.00001234"), "0.0012 %", "0.001234 %"),
        (Decimal("0"), "0 %", "0 %"),
        (Decimal("-0.5"), "\N{MINUS SIGN}50 %", "\N{MINUS SIGN}50 %"),
        (Decimal("12"), "1,200 %", "1,200 %"),
        (1, "100 %", "100 %"),
        (None, "—", "—"),
        (True, "True", "True"),
        ("0.1", "0.1", "0.1"),
        (Decimal("NaN"), "NaN", "NaN"),
        (Decimal("1E+500"), "1E+500", "1E+500"),
        (Malformed("n/a"), "n/a", "n/a"),
    ],
)
def test_rate(fraction: object, tidy: str, exact: str) -> None:
    assert (rate(fraction), exact_rate(fraction)) == (tidy, exact)


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (Decimal("0.035"), "3.5 points"),
        (Decimal("0.126"), "12.6 points"),
        (Decimal("-0.00004"), "\N{MINUS SIGN}0.004 points"),
        (Decimal("0"), "0 points"),
        (None, "—"),
    ],
)
def test_points(difference: object, text: str) -> None:
    assert points(difference) == text


@pytest.mark.parametrize(
    ("value", "tidy", "exact"),
    [
        ("1 days", "1 day", "1 day"),
        ("1 day", "1 day", "1 day"),
        ("3 days", "3 days", "3 days"),
        ("7 days", "1 week", "7 days"),
        ("14 days", "2 weeks", "14 days"),
        ("30 days", "30 days", "30 days"),
        ("45 days", "45 days", "45 days"),
        ("60 days", "2 months", "60 days"),
        ("90 days", "3 months", "90 days"),
        ("360 days", "12 months", "360 days"),
        ("365 days", "1 year", "365 days"),
        ("730 days", "2 years", "730 days"),
        ("0 days", "0 days", "0 days"),
        (" 90  Days ", "3 months", "90 days"),
        ("90", "90", "90"),
        ("P3M", "P3M", "P3M"),
        ("-3 days", "-3 days", "-3 days"),
        ("٩٠ days", "٩٠ days", "٩٠ days"),
        (Decimal(90), "90", "90"),
        (None, "—", "—"),
        (Malformed(90), "90", "90"),
    ],
)
def test_duration(value: object, tidy: str, exact: str) -> None:
    assert (duration(value), exact_duration(value)) == (tidy, exact)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 s"),
        (23, "23 s"),
        (23.9, "23 s"),
        (60, "1 min"),
        (125, "2 min 5 s"),
        (3600, "1 h"),
        (11400, "3 h 10 min"),
        (86_400, "1 day"),
        (27_628_000, "319 days 18 h"),
        (timedelta(minutes=2, seconds=5), "2 min 5 s"),
        (-5, "0 s"),
        (float("nan"), "0 s"),
        (None, "—"),
        ("soon", "soon"),
    ],
)
def test_elapsed(value: object, text: str) -> None:
    assert elapsed(value) == text
