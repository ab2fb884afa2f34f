"""Whether promises are kept: by what the journal holds, or by what the loan's `paid` rose.

What is recorded here counts by the day of its transaction. A reading counts where it was taken by
the end of the day after the promised one: `paid` does not say when it rose.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from lendingadmin import audit
from lendingadmin.gateway import LendingApp
from lendingadmin.portfolio.models import SnapshotLoan
from lendingadmin.portfolio.snapshot_job import find_with_loans
from lendingadmin.repayments.managers import RECORDED, get_midnight
from lendingadmin.repayments.models import Repayment
from lendingadmin.staff.models import User

from .models import Promise
from .permissions import DECIDE
from .states import Evidence, PromiseState

# A count may come some hours after a day's end; until then nothing is called broken.
_GRACE = timedelta(days=1)
_JUDGED_FOR = timedelta(days=14)
_AT_ONCE = 200


class Payment(NamedTuple):
    """A repayment that is recorded here: when it was entered, and its transaction's moment."""

    entered_at: datetime
    paid_at: datetime
    amount: Decimal


class PaidReading(NamedTuple):
    """What stood as paid on a loan at a moment."""

    taken_at: datetime
    paid: Decimal


class Judgement(NamedTuple):
    """How a promise stands, what has been paid towards it, and what shows that."""

    state: PromiseState
    paid: Decimal
    evidence: str


def judge(
    promise: Promise,
    payments: Iterable[Payment],
    reading: PaidReading | None,
    now: datetime,
    zone: ZoneInfo,
) -> Judgement:
    """How a promise stands at a moment; amounts are in the loan's currency.

    It is kept once what was paid since it was made comes to it; partly kept or broken when its day
    is over in the lender's zone and a reading from after that, or a day, has shown no more.
    """
    ends = get_midnight(promise.day + timedelta(days=1), zone)
    recorded = sum(
        (one.amount for one in payments if promise.made_at < one.entered_at and one.paid_at < ends),
        Decimal(0),
    )
    risen = _measure_rise(promise, reading, ends)
    paid = max(recorded, risen, Decimal(0))
    evidence = "" if not paid else Evidence.JOURNAL if recorded >= risen else Evidence.READING
    if paid >= promise.amount:
        return Judgement(PromiseState.KEPT, paid, evidence)
    has_reading = reading is not None and ends <= reading.taken_at
    if now < ends or not (has_reading or now >= ends + _GRACE):
        return Judgement(PromiseState.OPEN, paid, evidence)
    return Judgement(PromiseState.PARTLY if paid else PromiseState.BROKEN, paid, evidence)


def _measure_rise(promise: Promise, reading: PaidReading | None, ends: datetime) -> Decimal:
    """By how much `paid` rose since the promise; nothing where two readings do not tell."""
    if reading is None or promise.paid_before is None:
        return Decimal(0)
    is_in_time = promise.made_at < reading.taken_at < ends + _GRACE
    return reading.paid - promise.paid_before if is_in_time else Decimal(0)


def judge_promises(app: LendingApp, now: datetime) -> int:
    """Judge the promises of an app that nobody decided; returns how many changed.

    Broken ones are judged again for two weeks, because a payment may be entered late.
    """
    earliest = now.astimezone(app.zone).date() - _JUDGED_FOR
    rows = Promise.objects.filter(app_id=app.app_id, decided_by=None).order_by("id")
    rows = rows.filter(
        Q(state=PromiseState.OPEN)
        | Q(state__in=(PromiseState.BROKEN, PromiseState.PARTLY), day__gte=earliest)
    )
    changed, last = 0, 0
    while some := list(rows.filter(id__gt=last)[:_AT_ONCE]):
        last = some[-1].pk
        payments, readings = _read_payments(app, some), _read_counted(app.app_id, some)
        for one in some:
            own, reading = payments.get(one.account_id, ()), readings.get(one.account_id)
            found = judge(one, own, reading, now, app.zone)
            changed += _keep(one, found)
    return changed


def judge_all() -> None:
    """Judge the promises of every app."""
    for app in settings.LENDING_APPS:
        judge_promises(app, timezone.now())


def _keep(promise: Promise, found: Judgement) -> int:
    """Write it down where it says something new and nobody decided meanwhile."""
    if (found.state, found.paid) == (promise.state, promise.paid):
        return 0
    rows = Promise.objects.filter(pk=promise.pk, state=promise.state, decided_by=None)
    fields: dict[str, object] = {"state": found.state, "paid": found.paid}
    if found.state != promise.state:
        fields["state_at"] = timezone.now()
    return rows.update(**fields, evidence=found.evidence)


def _read_payments(app: LendingApp, promises: Sequence[Promise]) -> dict[str, list[Payment]]:
    """What was recorded on their loans since the first of them was made, in the app's currency."""
    rows = Repayment.objects.filter(
        RECORDED,
        app_id=app.app_id,
        account_id__in={one.account_id for one in promises},
        created_at__gt=min(one.made_at for one in promises),
        currency_code__in=("", app.currency),
    )
    found: dict[str, list[Payment]] = {}
    names = ("account_id", "created_at", "transaction_date", "amount")
    for account_id, *values in rows.values_list(*names):
        found.setdefault(account_id, []).append(Payment(*values))
    return found


def _read_counted(app_id: str, promises: Sequence[Promise]) -> dict[str, PaidReading]:
    """What the newest count says is paid on their loans."""
    snapshot = find_with_loans(app_id)
    if snapshot is None:
        return {}
    keys = {one.account_id for one in promises}
    rows = SnapshotLoan.objects.filter(snapshot=snapshot, account_id__in=keys)
    return {
        account_id: PaidReading(snapshot.began_at, paid)
        for account_id, paid in rows.values_list("account_id", "paid")
        if paid is not None
    }


def decide(promise: Promise, state: PromiseState, reason: str, by: User) -> bool:
    """A person decides how a promise stands, with a reason; whether it stood as they saw it."""
    with transaction.atomic():
        row = Promise.objects.select_for_update().get(pk=promise.pk)
        if row.state != promise.state:
            return False
        row.state, row.state_at, row.reason = state, timezone.now(), reason
        row.evidence, row.decided_by = Evidence.PERSON, by
        row.save(update_fields=["state", "state_at", "reason", "evidence", "decided_by"])
        audit.record(
            by,
            DECIDE,
            app_id=row.app_id,
            subject=f"{row.account_id} {row}",
            outcome=str(state.label),
            saved="yes",
            url=row.get_absolute_url(),
        )
    return True


def is_plausible(day: date, today: date) -> bool:
    """Whether a promise may be for this day: today or within a year."""
    return today <= day <= today + timedelta(days=366)
