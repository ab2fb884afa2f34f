"""Findings of an assessment in the data of its window, as counts and sums.

Data that was reported twice counts once, so a repeated report changes nothing.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from lendingadmin.sandbox.rules.amounts import ZERO
from lendingadmin.sandbox.rules.entity_values import (
    APP,
    BATTERY,
    CONTACT,
    LOCATION,
    SMS,
    strip_domain,
)
from lendingadmin.sandbox.rules.histories import LoanHistory, count_days_behind, is_in_time
from lendingadmin.sandbox.rules.instants import to_millis
from lendingadmin.sandbox.rules.messages import read_movement

SMS_DAYS = 182  # six months: older texts are never read, even in a longer window
_DAY = 24 * 60 * 60 * 1000
_FINANCE = ("mpesa", "m_pesa", "momo", "money", "bank", "wallet", "airtel", "pesa")

Value = Mapping[str, Any]


class Window(NamedTuple):
    """Period of the data to read: after `since` and up to `until`."""

    since: datetime
    until: datetime

    def holds(self, moment: datetime) -> bool:
        """Return True if a time is inside the window."""
        return self.since < moment <= self.until


class Facts(NamedTuple):
    """Facts for the score. Sums are in the app's currency. Each day and each week counts once."""

    weeks: int = 1
    texts_in: int = 0
    texts_out: int = 0
    money_in: Decimal = ZERO
    money_out: Decimal = ZERO
    weeks_with_money_in: int = 0
    contacts: int = 0
    battery_days: int = 0
    location_days: int = 0
    finance_app: bool = False
    paid_in_time: int = 0
    paid_late: int = 0
    loans_repaid: int = 0
    largest_repaid: Decimal = ZERO
    days_late: int = 0

    @property
    def money_in_a_month(self) -> Decimal:
        """Incoming money for each 30 days of the window."""
        return self.money_in * 30 / (self.weeks * 7)


def build_window(timestamp: datetime, period_days: int) -> Window:
    """Return the evaluation window of an assessment (Spec: Assessment, timestamp)."""
    return Window(timestamp - timedelta(days=period_days), timestamp)


def find_facts(
    sets: Iterable[Mapping[str, Any]], histories: Iterable[LoanHistory], over: Window
) -> Facts:
    """Return all facts, from the values in the events of the window and from the loans."""
    values: dict[str, list[Value]] = {kind: [] for kind in (SMS, CONTACT, BATTERY, LOCATION, APP)}
    for one in sets:
        values[strip_domain(one["kind"])] += one["values"]
    facts = Facts(
        weeks=max(1, round((over.until - over.since) / timedelta(days=7))),
        contacts=len({value["primaryAddress"]["addressName"] for value in values[CONTACT]}),
        battery_days=_count_days(values[BATTERY], over),
        location_days=_count_days(values[LOCATION], over),
        finance_app=any(
            word in value["package"].lower() for value in _select_inside(values[APP], over)
            for word in _FINANCE
        ),
    )  # fmt: skip
    return _add_loans(_add_texts(facts, values[SMS], over), list(histories), over)


def _add_texts(facts: Facts, texts: Iterable[Value], over: Window) -> Facts:
    recent = over._replace(since=max(over.since, over.until - timedelta(days=SMS_DAYS)))
    once = {(text["address"], text["timestamp"], text["rawBody"]): text for text in texts}
    found = [
        (text["timestamp"], moved)
        for text in _select_inside(once.values(), recent)
        if (moved := read_movement(text["address"], text["direction"], text["rawBody"]))
    ]
    end = to_millis(over.until)
    inward = [moved.amount for _, moved in found if moved.inward]
    outward = [moved.amount for _, moved in found if not moved.inward]
    weeks = {(end - moment) // (7 * _DAY) for moment, moved in found if moved.inward}
    return facts._replace(
        texts_in=len(inward),
        texts_out=len(outward),
        money_in=sum(inward, ZERO),
        money_out=sum(outward, ZERO),
        weeks_with_money_in=len(weeks),
    )


def _add_loans(facts: Facts, histories: list[LoanHistory], over: Window) -> Facts:
    """Return the facts together with facts about the instalments and loans of the window.

    The days late also include older instalments.
    """
    dues = [one for loan in histories for one in loan.dues if over.holds(one.due)]
    paid = [one for one in dues if one.cleared_at is not None]
    repaid = [loan for loan in histories if loan.resolved_at and over.holds(loan.resolved_at)]
    in_time_count = sum(map(is_in_time, paid))
    return facts._replace(
        paid_in_time=in_time_count,
        paid_late=len(paid) - in_time_count,
        loans_repaid=len(repaid),
        largest_repaid=max([ZERO, *(loan.principal for loan in repaid)]),
        days_late=max((count_days_behind(loan, over.until) for loan in histories), default=0),
    )


def _select_inside(values: Iterable[Value], over: Window) -> list[Value]:
    since, until = to_millis(over.since), to_millis(over.until)
    return [value for value in values if since < value["timestamp"] <= until]


def _count_days(values: Iterable[Value], over: Window) -> int:
    end = to_millis(over.until)
    return len({(end - value["timestamp"]) // _DAY for value in _select_inside(values, over)})
