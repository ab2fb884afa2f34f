"""When and how often a borrower may be called: tables, and what holds for every moment."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.desk.collections import rules
from lendingadmin.desk.collections.rules import ContactAttempts

NAIROBI = ZoneInfo("Africa/Nairobi")
RULES = rules.build_rules(NAIROBI, {**rules.DEFAULTS, "closed": [["2026-11-26", "staff day"]]})


def here(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=NAIROBI)


@pytest.mark.parametrize(
    ("moment", "is_open"),
    [
        ("2026-11-25 08:00", True),
        ("2026-11-25 07:59:59", False),
        ("2026-11-25 18:59:59", True),
        ("2026-11-25 19:00", False),
        ("2026-11-28 10:00", True),  # a Saturday
        ("2026-11-29 10:00", False),  # a Sunday
        ("2026-11-26 10:00", False),  # closed by the lender
        ("2026-12-12 10:00", False),  # Jamhuri Day, a Saturday
    ],
)
def test_hours_weekdays_and_holidays(moment: str, is_open: bool) -> None:
    assert rules.is_open(RULES, here(moment)) is is_open
    assert rules.is_open(RULES, here(moment).astimezone(UTC)) is is_open


def test_hours_until_24_last_to_the_end_of_the_day() -> None:
    values = {**rules.DEFAULTS, "hours": [["08:00", "00:00"]] * 7}
    late = rules.build_rules(NAIROBI, values)._replace(closed=RULES.closed)
    assert rules.is_open(late, here("2026-11-25 23:59:59"))
    assert not rules.is_open(late, here("2026-11-25 07:59:59"))
    assert rules.find_opening(late, here("2026-11-26 00:00")) == here("2026-11-27 08:00")


def test_holidays_can_be_switched_off_and_are_the_zone_s_own() -> None:
    day = here("2026-12-12 10:00")
    assert rules.is_open(RULES._replace(has_holidays=False), day)
    # Farmers' Day of Ghana is no holiday of Kenya.
    farmers = datetime(2026, 12, 4, 10, tzinfo=UTC)
    ghana = RULES._replace(zone=ZoneInfo("Africa/Accra"), closed={})
    assert not rules.is_open(ghana, farmers) and rules.is_open(RULES, farmers)
    nowhere = RULES._replace(zone=ZoneInfo("UTC"))
    assert rules.find_closure(nowhere, date(2026, 12, 25)) == ""


@pytest.mark.parametrize(
    ("now", "opens"),
    [
        ("2026-11-25 09:30", "2026-11-25 09:30"),
        ("2026-11-25 05:00", "2026-11-25 08:00"),
        ("2026-11-25 20:00", "2026-11-27 08:00"),
        ("2026-11-28 19:00", "2026-11-30 08:00"),
        ("2026-12-24 19:00", "2026-12-28 08:00"),  # Christmas, Boxing Day, a Sunday
    ],
)
def test_the_next_opening(now: str, opens: str) -> None:
    assert rules.find_opening(RULES, here(now)) == here(opens)


def test_who_never_calls_has_no_opening() -> None:
    never = RULES._replace(hours=(None,) * 7)
    assert rules.find_opening(never, here("2026-11-25 09:30")) is None


@pytest.mark.parametrize(
    ("calls", "next_at"),
    [
        ([], "2026-11-25 12:00"),
        (["2026-11-25 09:00"], "2026-11-25 12:00"),
        (["2026-11-25 00:00", "2026-11-25 09:00"], "2026-11-26 00:00"),
        (["2026-11-24 23:59", "2026-11-25 09:00"], "2026-11-25 12:00"),
        # Five within seven days: the oldest of them must be seven days old.
        ([f"2026-11-{day} 10:00" for day in (20, 21, 22, 23, 24)], "2026-11-27 10:00"),
        ([f"2026-11-{day} 10:00" for day in (17, 18, 22, 23, 24)], "2026-11-25 12:00"),
        # Six, by somebody whose limit was higher then: two must grow old.
        ([f"2026-11-{day} 10:00" for day in (19, 20, 21, 22, 23, 24)], "2026-11-27 10:00"),
    ],
)
def test_when_somebody_may_be_called_again(calls: list[str], next_at: str) -> None:
    found = rules.find_next_attempt(RULES, list(map(here, calls)), here("2026-11-25 12:00"))
    assert found == here(next_at)


@given(
    st.lists(st.integers(0, 14 * 24 * 60), max_size=30),
    st.integers(1, 3),
    st.integers(0, 4),
)
def test_no_day_and_no_week_has_more_calls_than_allowed(
    minutes: list[int], a_day: int, more: int
) -> None:
    """Calls that are made as soon as they are wanted and allowed never break a limit."""
    allowed = RULES._replace(attempts=ContactAttempts(a_day, a_day + more))
    made: list[datetime] = []
    for minute in sorted(minutes):
        now = here("2026-11-02 00:00") + timedelta(minutes=minute)
        recent = [call for call in made if call > now - rules.WEEK]
        if rules.find_next_attempt(allowed, recent, now) <= now:
            made.append(now)
    for call in made:
        same_day = [one for one in made if one.date() == call.date()]
        within = [one for one in made if call - rules.WEEK < one <= call]
        assert len(same_day) <= a_day and len(within) <= a_day + more
