"""End of day: what is counted, in which day, under whose name, to the last digit."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import dayend, managers
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from tests.repayments.rows import NOON, a_busy_day, row

pytestmark = pytest.mark.django_db
THAT_DAY = date(2026, 3, 10)
KENYA = LendingApp("kenya", "KES", ZoneInfo("Africa/Nairobi"))

ENTRIES: list[tuple[RepaymentState, Resolution | str, str]] = [
    (RepaymentState.PENDING, "", "doubtful"),
    (RepaymentState.SENT, "", "doubtful"),
    (RepaymentState.UNKNOWN, "", "doubtful"),
    (RepaymentState.NOT_FOUND, "", "doubtful"),
    (RepaymentState.RECORDED, "", "landed"),
    (RepaymentState.PRESUMED, "", "landed"),
    (RepaymentState.RESOLVED, Resolution.RECORDED, "landed"),
    (RepaymentState.RESOLVED, Resolution.NOT_RECORDED, "abandoned"),
    (RepaymentState.REFUSED, "", "refused"),
    (RepaymentState.NOT_SENT, "", "not_sent"),
    (RepaymentState.AWAITING, "", "not_sent"),
    (RepaymentState.DECLINED, "", "not_sent"),
]


def test_the_table_of_standings_knows_every_state() -> None:
    assert {state for state, _, _ in ENTRIES} == set(RepaymentState)


@pytest.mark.parametrize(("state", "resolution", "standing"), ENTRIES)
def test_each_entry_has_one_standing(
    support: User, state: RepaymentState, resolution: str, standing: str
) -> None:
    row(support, state, "70.25", resolution=resolution, created_at=NOON)
    (line,) = dayend.list_lines(KENYA, THAT_DAY)
    counted = {name for name in managers.STANDINGS if getattr(line.figures, name)}
    assert counted == {standing}
    assert line.figures.entered == 1
    sums = (line.figures.landed_sum, line.figures.doubtful_sum)
    expected = {"landed": (Decimal("70.25"), 0), "doubtful": (0, Decimal("70.25"))}
    assert sums == expected.get(standing, (0, 0))
    assert line.figures.presumed == (state == RepaymentState.PRESUMED)
    assert line.figures.awaiting == (state == RepaymentState.AWAITING)


@pytest.mark.parametrize(
    "amounts",
    [
        ["0.1"] * 3,
        ["0.001"] * 1001,
        ["123456789012.345", "0.001", "987654321098.765"],
        ["999999999999.999"] * 11,
        ["0.07", "0.57", "1.15", "4.35", "8.195"],
    ],
    ids=["tenths", "thousandths", "long", "longer than a float", "awkward"],
)
def test_sums_are_exact_to_the_last_digit(support: User, amounts: list[str]) -> None:
    for amount in amounts:
        row(support, RepaymentState.RECORDED, amount, created_at=NOON)
        row(support, RepaymentState.UNKNOWN, amount, created_at=NOON)
    (line,) = dayend.list_lines(KENYA, THAT_DAY)
    exact = sum(map(Decimal, amounts))
    assert (line.figures.landed_sum, line.figures.doubtful_sum) == (exact, exact)
    assert Repayment.objects.sum_recorded(KENYA) == [("KES", exact)]
    (till,) = dayend.group_by_currency([line, line], THAT_DAY)
    assert till.total.landed_sum == exact * 2


def test_groups_and_currencies_apart(support: User, manager: User) -> None:
    row(support, created_at=NOON, channel="mobile", network="M-PESA")
    row(support, created_at=NOON, channel="mobile", network="M-PESA", currency_code="KES")
    row(support, created_at=NOON, channel="mobile", network="m-pesa")
    row(support, created_at=NOON, currency_code="USD", amount="7.5")
    row(manager, created_at=NOON)
    row(manager, RepaymentState.REFUSED, created_at=NOON, currency_code="JPY", amount="900")
    row(manager, created_at=NOON, app_id="ghana")
    found = dayend.group_by_currency(dayend.list_lines(KENYA, THAT_DAY), THAT_DAY)
    told = {
        till.currency: {
            (line.person, line.channel, line.network): line.figures.entered for line in till.lines
        }
        for till in found
    }
    assert told == {
        "JPY": {("manager", "—", "—"): 1},
        "KES": {
            ("manager", "—", "—"): 1,
            ("support", "mobile", "M-PESA"): 2,
            ("support", "mobile", "m-pesa"): 1,
        },
        "USD": {("support", "—", "—"): 1},
    }
    assert {till.currency: till.total.landed_sum for till in found} == {
        "JPY": 0,
        "KES": 400,
        "USD": Decimal("7.5"),
    }


DAYS = [
    # Where, the day, its first moment and the next day's first, both in UTC.
    ("Africa/Nairobi", date(2026, 3, 10), "2026-03-09T21:00", "2026-03-10T21:00"),
    ("Europe/Berlin", date(2026, 3, 29), "2026-03-28T23:00", "2026-03-29T22:00"),  # 23 hours
    ("Europe/Berlin", date(2026, 10, 25), "2026-10-24T22:00", "2026-10-25T23:00"),  # 25 hours
    ("America/Havana", date(2025, 11, 2), "2025-11-02T04:00", "2025-11-03T05:00"),  # 0:00 twice
    ("America/Havana", date(2026, 3, 8), "2026-03-08T05:00", "2026-03-09T04:00"),  # no 0:00
    ("America/Sao_Paulo", date(2018, 11, 4), "2018-11-04T03:00", "2018-11-05T02:00"),
]


@pytest.mark.parametrize(("zone", "day", "first", "following"), DAYS)
def test_a_day_begins_and_ends_where_the_lender_is(
    support: User, zone: str, day: date, first: str, following: str
) -> None:
    there = LendingApp("kenya", "KES", ZoneInfo(zone))
    start = datetime.fromisoformat(f"{first}+00:00")
    end = datetime.fromisoformat(f"{following}+00:00")
    tiny = timedelta(microseconds=1)
    for amount, at in zip("1248", (start - tiny, start, end - tiny, end), strict=True):
        row(support, amount=amount, created_at=at)
    (line,) = dayend.list_lines(there, day)
    assert line.figures.landed_sum == 2 + 4
    around = [day - timedelta(days=1), day, day + timedelta(days=1)]
    assert [dayend.list_lines(there, one)[0].figures.landed_sum for one in around] == [1, 6, 8]


def test_a_day_costs_one_query(
    support: User, manager: User, django_assert_num_queries: Any
) -> None:
    a_busy_day(support, manager)
    with django_assert_num_queries(1):
        assert len(dayend.list_lines(KENYA, THAT_DAY)) == 36
