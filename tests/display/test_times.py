"""Days and moments in the lender's zone, by tables."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils.translation import override

from lendingadmin.lending.values import Malformed
from lendingadmin.web.display import times

NAIROBI = ZoneInfo("Africa/Nairobi")
NEW_YORK = ZoneInfo("America/New_York")
NOW = datetime(2026, 11, 20, 11, 2, 11, 250_000, tzinfo=UTC)
DUE = datetime(2026, 10, 31, 23, 59, 59, 999_000, tzinfo=UTC)
START = datetime(2026, 7, 1, tzinfo=UTC)
AS_IT_CAME = [(None, "—"), ("soon", "soon"), (Malformed("31/10"), "31/10"), (Malformed(5), "5")]


@pytest.mark.parametrize(
    ("value", "zone", "day", "contract_day"),
    [
        # The last millisecond of a contract's day is that day in every zone.
        (DUE, NAIROBI, "1 Nov 2026", "31 Oct 2026"),
        (DUE, NEW_YORK, "31 Oct 2026", "31 Oct 2026"),
        (START, NAIROBI, "1 Jul 2026", "1 Jul 2026"),
        (START, NEW_YORK, "30 Jun 2026", "1 Jul 2026"),
        # Any other moment is read in the zone.
        (datetime(2026, 10, 31, 22, tzinfo=UTC), NAIROBI, "1 Nov 2026", "1 Nov 2026"),
        (datetime(2026, 10, 31, 22, tzinfo=UTC), None, "31 Oct 2026", "31 Oct 2026"),
        (date(2026, 10, 31), NAIROBI, "31 Oct 2026", "31 Oct 2026"),
        *[(value, NAIROBI, text, text) for value, text in AS_IT_CAME],
    ],
)
def test_day(value: object, zone: ZoneInfo | None, day: str, contract_day: str) -> None:
    assert (times.day(value, zone), times.contract_day(value, zone)) == (day, contract_day)


def test_short_contract_day() -> None:
    assert times.short_contract_day(DUE, NAIROBI) == "31 Oct"


@pytest.mark.parametrize(
    ("value", "moment", "clock", "utc"),
    [
        (NOW, "20 Nov 2026, 14:02", "14:02:11", "2026-11-20 11:02:11.250 UTC"),
        (
            NOW.replace(microsecond=0),
            "20 Nov 2026, 14:02",
            "14:02:11",
            "2026-11-20 11:02:11 UTC",
        ),
        (
            NOW.replace(microsecond=123_456),
            "20 Nov 2026, 14:02",
            "14:02:11",
            "2026-11-20 11:02:11.123456 UTC",
        ),
        *[(value, text, text, text) for value, text in AS_IT_CAME],
    ],
)
def test_moment(value: object, moment: str, clock: str, utc: str) -> None:
    shown = (times.moment(value, NAIROBI), times.clock(value, NAIROBI), times.utc(value))
    assert shown == (moment, clock, utc)


def test_moments_at_the_edge_of_time_show_as_they_came() -> None:
    edge = datetime.max.replace(tzinfo=UTC)
    naive = NOW.replace(tzinfo=None)
    assert times.moment(edge, NAIROBI) == str(edge)
    assert times.day(naive, NAIROBI) == str(naive)


@pytest.mark.parametrize(
    ("later_by", "text"),
    [
        (timedelta(), "just now"),
        (timedelta(seconds=-59), "just now"),
        (timedelta(minutes=-3), "3 min ago"),
        (timedelta(hours=-2), "2 h ago"),
        (timedelta(days=-1), "1 day ago"),
        (timedelta(days=-20), "20 days ago"),
        (timedelta(seconds=30), "in a moment"),
        (timedelta(minutes=5), "in 5 min"),
        (timedelta(days=10), "in 10 days"),
    ],
)
def test_ago(later_by: timedelta, text: str) -> None:
    assert times.ago(NOW + later_by, NOW) == text


@pytest.mark.parametrize("unit", ["minutes", "hours", "days"])
def test_one_and_two_ago_differ_by_more_than_the_number_in_swahili(unit: str) -> None:
    with override("sw"):
        one, two = (times.ago(NOW - timedelta(**{unit: count}), NOW) for count in (1, 2))
    assert one.replace("1", "2") != two


@pytest.mark.parametrize(("value", "text"), AS_IT_CAME)
def test_ago_of_no_moment(value: object, text: str) -> None:
    assert times.ago(value, NOW) == text
    assert times.in_days(value, NOW, NAIROBI) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (DUE, "20 days ago"),
        (date(2026, 11, 20), "today"),
        (date(2026, 11, 21), "tomorrow"),
        (date(2026, 11, 19), "yesterday"),
        (datetime(2026, 11, 30, 23, 59, 59, 999_000, tzinfo=UTC), "in 10 days"),
    ],
)
def test_in_days(value: object, text: str) -> None:
    assert times.in_days(value, NOW, NAIROBI) == text


def test_days_between() -> None:
    late_evening = datetime(2026, 11, 20, 22, tzinfo=UTC)
    assert times.days_between(date(2026, 11, 20), late_evening, UTC) == 0
    assert times.days_between(date(2026, 11, 20), late_evening, NAIROBI) == 1
    assert times.days_between(None, late_evening) is None


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        (NAIROBI, "Nairobi time"),
        (NEW_YORK, "New York time"),
        (ZoneInfo("UTC"), "UTC"),
        (None, "—"),
    ],
)
def test_zone_name(zone: object, text: str) -> None:
    assert times.zone_name(zone) == text
