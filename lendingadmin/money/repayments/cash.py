"""Cash over the counter: the amounts that each person recorded in a day, and the cash counts.

`managers.IN_CASH` defines cash. A cash repayment belongs to the day of its entry, because its money
is in the till of that day.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q

from lendingadmin.core import audit
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User

from .managers import IN_CASH, RECORDED, get_group_keys, sum_thousandths, to_amount
from .models import CashCount, Repayment

COUNT = "dashboard.repayments.countCash"


class NewerCount(Exception):
    """Error: the till was counted after the page was opened; `count` is the newest count."""

    def __init__(self, count: "TillCount") -> None:
        super().__init__()
        self.count = count


class TillCount(NamedTuple):
    """The newest count of a till: its number, amount, person and time."""

    number: int
    amount: Decimal
    by: str
    at: datetime


class Till(NamedTuple):
    """One person's cash of a day in one currency. `counted` is None without a count."""

    person_id: int
    person: str
    currency: str
    recorded: Decimal
    counted: TillCount | None

    @property
    def difference(self) -> Decimal | None:
        """The counted amount minus the recorded amount; negative if cash is missing."""
        return None if self.counted is None else self.counted.amount - self.recorded


def list_tills(app: LendingApp, day: date) -> list[Till]:
    """Return the tills with recorded or counted cash on a day, by currency and name."""
    recorded, counts = _sum_recorded(app, day), _read_counts(app, day)
    keys = {*recorded, *counts}
    people = User.objects.filter(pk__in={person_id for person_id, _currency in keys})
    names = dict(people.values_list("pk", "username"))
    found = [
        Till(pk, names[pk], code, recorded.get((pk, code), Decimal(0)), counts.get((pk, code)))
        for pk, code in keys
    ]
    return sorted(found, key=lambda one: (one.currency, one.person))


def _sum_recorded(app: LendingApp, day: date) -> Mapping[tuple[int, str], Decimal]:
    rows = Repayment.objects.filter(RECORDED, IN_CASH, app_id=app.app_id)
    grouped = rows.on_days(day, day, "", app.zone).values(
        "created_by_id", code=get_group_keys(app)["by_currency"]
    )
    return {
        (group["created_by_id"], group["code"]): to_amount(group["total"])
        for group in grouped.annotate(total=sum_thousandths(Q())).order_by()
    }


def sum_counted(app: LendingApp, day: date) -> dict[str, Decimal]:
    """Return the sums of the counted cash of a day, by currency."""
    found: dict[str, Decimal] = {}
    for (_person_id, code), one in _read_counts(app, day).items():
        found[code] = found.get(code, Decimal(0)) + one.amount
    return found


def _read_counts(app: LendingApp, day: date) -> dict[tuple[int, str], TillCount]:
    """Return the newest count of each person and currency."""
    rows = CashCount.objects.filter(app_id=app.app_id, day=day).order_by("id")
    columns = ("person_id", "currency", "pk", "amount", "counted_by__username", "counted_at")
    found = rows.values_list(*columns)
    return {(person_id, code): TillCount(*count) for person_id, code, *count in found}


def find_version(tills: Sequence[Till]) -> int:
    """Return the number of the newest cash count of these cashiers; 0 if there is none."""
    return max((one.counted.number for one in tills if one.counted), default=0)


def save_count(
    app: LendingApp,
    day: date,
    person: User,
    currency: str,
    amount: Decimal,
    by: User,
    *,
    version: int,
) -> None:
    """Save the amount that was counted in a person's till, with an audit entry.

    Earlier counts stay in the table. `version` is the result of `find_version` for the tills that
    the page showed. If another count of this till was saved since then, save nothing. Raise
    NewerCount if the other count has another amount.
    """
    with transaction.atomic():
        # Lock the row of the person, because a till that was never counted has no row.
        list(User.objects.select_for_update(no_key=True).filter(pk=person.pk).values_list("pk"))
        newest = _read_counts(app, day).get((person.pk, currency))
        if newest and newest.number > version:
            if newest.amount != amount:
                raise NewerCount(newest)
            return
        counted = CashCount.objects.create(
            app_id=app.app_id,
            day=day,
            person=person,
            currency=currency,
            amount=amount,
            counted_by=by,
        )
        audit.record(
            by,
            COUNT,
            app_id=app.app_id,
            subject=f"{counted} {person.username}",
            outcome="counted",
            saved="yes",
            detail=f"{amount:f} {currency}",
        )
