"""What was in force at an instant is what a person saved for it, in the lender's zone."""

from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp, lending_app
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.core.policies.services import read_values, save_policy
from lendingadmin.core.staff.models import User
from lendingadmin.desk.sheets.policies import LATE_SHEETS, read_days
from tests.personal import find_kept
from tests.repayments.threads import at_once

# In Cairo and Havana clocks change at midnight, so a day there has no 0:00 or has two.
ZONES = ("Africa/Nairobi", "Asia/Kathmandu", "Africa/Cairo", "America/Havana", "Pacific/Apia")
BEGIN = datetime(2026, 4, 20, tzinfo=UTC)
KEY = LATE_SHEETS.key
# Hours from the beginning to the next change, and days from there to its first day; None: from now.
saves = st.lists(st.tuples(st.integers(0, 40), st.none() | st.integers(1, 6)), max_size=6)


class Saved(NamedTuple):
    """What a person saved, when, and from which day on; None: from now."""

    days: int
    at: datetime
    first_day: date | None


def find_expected(saved: list[Saved], at: datetime, zone: ZoneInfo) -> int | None:
    """The last one that was saved of those that had begun, by the lender's calendar and clock."""
    today = at.astimezone(zone).date()
    begun = [
        one.days
        for one in saved
        if (at >= one.at if one.first_day is None else today >= one.first_day)
    ]
    return begun[-1] if begun else None


@pytest.mark.django_db
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    zone=st.sampled_from(ZONES),
    autumn=st.booleans(),
    changes=saves,
    hours=st.lists(st.integers(-5, 400), min_size=1, max_size=8),
)
def test_what_was_in_force_is_what_was_saved(
    manager: User,
    zone: str,
    autumn: bool,
    changes: list[tuple[int, int | None]],
    hours: list[int],
) -> None:
    PolicyVersion.objects.all().delete()
    app = LendingApp("kenya", "KES", ZoneInfo(zone))
    begin = BEGIN + timedelta(days=186 if autumn else 0)
    saved: list[Saved] = []
    now = begin
    for number, (later, ahead) in enumerate(changes):
        now += timedelta(hours=later)
        day = None if ahead is None else now.astimezone(app.zone).date() + timedelta(days=ahead)
        values = {"days": number}
        assert save_policy(
            app, LATE_SHEETS, values, seen=number, by=manager, reason="r", day=day, now=now
        )
        saved.append(Saved(number, now, day))
    moments = [begin + timedelta(hours=hour) for hour in hours]
    days = [one.first_day for one in saved if one.first_day]
    midnights = [datetime(*day.timetuple()[:3], tzinfo=app.zone).astimezone(UTC) for day in days]
    moments += [at + timedelta(seconds=step) for at in midnights for step in (-1, 0, 1)]
    for at in moments:
        found = read_values(LATE_SHEETS, "kenya", at)
        expected = find_expected(saved, at, app.zone)
        assert found["days"] == (2 if expected is None else expected)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_save_at_once_one_is_told(manager: User) -> None:
    app = lending_app("kenya")

    def save(_number: int) -> bool:
        return bool(save_policy(app, LATE_SHEETS, {"days": 5}, seen=0, by=manager, reason="r"))

    assert sorted(at_once(2, save), key=bool) == [False, True]
    assert PolicyVersion.objects.get().number == 1
    assert Entry.objects.filter(action="dashboard.policies.change").count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_change_is_in_force_at_once_for_other_connections(manager: User) -> None:
    app, found = lending_app("kenya"), []
    for days in (7, 1):
        seen = PolicyVersion.objects.count()
        save_policy(app, LATE_SHEETS, {"days": days}, seen=seen, by=manager, reason="r")
        found += at_once(1, lambda _number: read_days("kenya"))
    assert found == [7, 1]
    assert read_days("ghana") == LATE_SHEETS.defaults["days"]


@pytest.mark.django_db
def test_a_version_that_was_not_seen_is_not_replaced(manager: User) -> None:
    app = lending_app("kenya")
    for seen in (1, 0, 0, 7):
        save_policy(app, LATE_SHEETS, {"days": seen}, seen=seen, by=manager, reason="r")
    assert [one.values for one in PolicyVersion.objects.all()] == [{"days": 0}]


@pytest.mark.django_db
def test_the_trail_has_the_words_and_not_the_reason(manager: User) -> None:
    reason = "the visits to Kisumu take longer"
    save_policy(lending_app("kenya"), LATE_SHEETS, {"days": 9}, seen=0, by=manager, reason=reason)
    entry = Entry.objects.get(action="dashboard.policies.change")
    assert entry.url == PolicyVersion.objects.get().get_absolute_url()
    assert "2 → 9" in entry.detail and entry.app_id == "kenya"
    assert PolicyVersion.objects.get().reason == reason
    assert not find_kept([reason])
