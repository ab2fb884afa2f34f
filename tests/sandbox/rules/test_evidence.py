"""What an assessment finds in the data of its window."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from lendingadmin.sandbox.rules.evidence import Facts, Window, build_window, find_facts
from lendingadmin.sandbox.rules.histories import Due, LoanHistory
from lendingadmin.sandbox.rules.instants import to_millis

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)
DAY, MS = timedelta(days=1), timedelta(milliseconds=1)
OVER = build_window(NOW, 90)


def sets(kind: str, *values: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"kind": f"lending.example/{kind}", "values": list(values)}]


def text(ago: timedelta, body: str = "You have received Ksh100", **more: Any) -> dict[str, Any]:
    return {
        "address": "MPESA",
        "direction": "inbound",
        "timestamp": to_millis(NOW - ago),
        "rawBody": body,
    } | more


def at(ago: timedelta, **more: Any) -> dict[str, Any]:
    return {"timestamp": to_millis(NOW - ago), **more}


def contact(address: str) -> dict[str, Any]:
    return {"name": "A", "primaryAddress": {"addressName": address, "addressType": "telephone"}}


def facts(data: list[dict[str, Any]], over: Window = OVER) -> Facts:
    return find_facts(data, [], over)


def test_the_window_reaches_back_from_the_timestamp() -> None:
    assert OVER == (NOW - 90 * DAY, NOW)
    assert OVER.holds(NOW)
    assert not OVER.holds(NOW + MS)
    assert OVER.holds(NOW - 90 * DAY + MS)
    assert not OVER.holds(NOW - 90 * DAY)


def test_nothing_reported_is_nothing_found() -> None:
    assert facts([]) == Facts(weeks=13)


def test_texts_are_summed_by_direction() -> None:
    found = facts(
        sets(
            "sms",
            text(DAY),
            text(2 * DAY, "You have received Ksh250.50"),
            text(3 * DAY, "Ksh40 sent to JANE"),
            text(4 * DAY, "Hello"),
        )
    )
    assert (found.texts_in, found.texts_out) == (2, 1)
    assert (found.money_in, found.money_out) == (Decimal("350.50"), Decimal(40))
    assert found.money_in_a_month == Decimal("350.50") * 30 / 91


@pytest.mark.parametrize(
    ("ago", "counts"),
    [(-MS, 0), (0 * MS, 1), (90 * DAY - MS, 1), (90 * DAY, 0)],
)
def test_texts_outside_the_window_are_not_read(ago: timedelta, counts: int) -> None:
    assert facts(sets("sms", text(ago))).texts_in == counts


@pytest.mark.parametrize(("ago", "counts"), [(182 * DAY - MS, 1), (182 * DAY, 0)])
def test_texts_older_than_six_months_are_never_read(ago: timedelta, counts: int) -> None:
    year = build_window(NOW, 365)
    assert facts(sets("sms", text(ago)), year).texts_in == counts
    assert facts(sets("device/battery", at(ago)), year).battery_days == 1


def test_a_text_that_was_reported_twice_counts_once() -> None:
    data = sets("sms", text(DAY), text(DAY)) + sets("sms", text(DAY))
    assert facts(data).texts_in == 1
    others = [text(DAY + MS), text(DAY, address="KCB"), text(DAY, "You have received Ksh7")]
    assert facts(sets("sms", text(DAY), *others)).texts_in == 4


def test_weeks_with_money_in_count_once_each() -> None:
    moments = (0, 1, 6.9, 7, 8, 80)
    found = facts(sets("sms", *(text(timedelta(days=one)) for one in moments)))
    assert (found.texts_in, found.weeks_with_money_in) == (6, 3)
    spent = sets("sms", text(DAY, "Ksh40 sent to JANE"))
    assert facts(spent).weeks_with_money_in == 0


def test_contacts_count_once_by_their_address() -> None:
    assert facts(sets("contact", *map(contact, "aba"))).contacts == 2


@pytest.mark.parametrize(
    ("kind", "field"), [("device/battery", "battery_days"), ("device/location", "location_days")]
)
def test_readings_count_by_day_inside_the_window(kind: str, field: str) -> None:
    moments = (-0.5, 0, 0.9, 1, 50, 91)
    found = facts(sets(kind, *(at(timedelta(days=one)) for one in moments)))
    assert getattr(found, field) == 3


@pytest.mark.parametrize(
    ("package", "ago", "expected"),
    [
        ("com.safaricom.mpesa.lifestyle", DAY, True),
        ("com.KCB.MobileBank", DAY, True),
        ("com.example.chess", DAY, False),
        ("com.safaricom.mpesa.lifestyle", 91 * DAY, False),
    ],
)
def test_an_app_for_money_is_recognised(package: str, ago: timedelta, expected: bool) -> None:
    assert facts(sets("device/app", at(ago, package=package))).finance_app is expected


def loan(*dues: tuple[int, int | None], settled: int | None = None) -> LoanHistory:
    """A loan of 500; dues and payments are days ago."""
    return LoanHistory(
        tuple(
            Due(NOW - due * DAY, None if paid is None else NOW - paid * DAY) for due, paid in dues
        ),
        Decimal(500),
        None if settled is None else NOW - settled * DAY,
    )


def test_loans_are_counted_by_how_they_were_repaid() -> None:
    found = find_facts([], [loan((60, 61), (30, 25)), loan((10, 10), settled=10)], OVER)
    assert (found.paid_in_time, found.paid_late) == (2, 1)
    assert (found.loans_repaid, found.largest_repaid) == (1, Decimal(500))
    assert found.days_late == 0


def test_what_fell_due_before_the_window_counts_only_while_it_is_unpaid() -> None:
    old = find_facts([], [loan((120, 120), settled=120)], OVER)
    assert old == Facts(weeks=13)
    assert find_facts([], [loan((120, None))], OVER).days_late == 120


def test_the_worst_loan_says_how_late() -> None:
    found = find_facts([], [loan((3, None)), loan((40, None), (12, None)), loan((80, 80))], OVER)
    assert found.days_late == 40


def test_a_loan_of_less_than_nothing_is_no_largest() -> None:
    odd = loan((10, 10), settled=10)._replace(principal=Decimal(-5))
    assert find_facts([], [odd], OVER).largest_repaid == 0
