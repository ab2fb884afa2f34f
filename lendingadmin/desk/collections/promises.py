"""Judge promises by the repayments in the journal, or by the rise of the loan's `paid`.

A repayment that this dashboard recorded counts for one promise. The time of the transaction decides
for which. `paid` does not show the day of a payment, so a reading counts only if it was taken
before the end of the day after the promised day.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from lendingadmin.core import audit
from lendingadmin.core.english import in_english
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.desk.portfolio.models import SnapshotLoan
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.money.repayments.managers import RECORDED, get_midnight
from lendingadmin.money.repayments.models import Repayment

from .models import Promise
from .permissions import DECIDE
from .states import Evidence, PromiseState

# The wait after the promised day, because the next snapshot may come some hours later.
_GRACE = timedelta(days=1)
_JUDGED_FOR = timedelta(days=14)
_AT_ONCE = 200


class Payment(NamedTuple):
    """A repayment recorded in this dashboard, with the times of entry and of payment."""

    entered_at: datetime
    paid_at: datetime
    amount: Decimal


class PaidReading(NamedTuple):
    """The amount paid on a loan at one moment."""

    taken_at: datetime
    paid: Decimal


class Judgement(NamedTuple):
    """The state of a promise, the amount paid towards it, and the evidence."""

    state: PromiseState
    paid: Decimal
    evidence: str


def judge(
    promise: Promise,
    payments: Sequence[Payment],
    reading: PaidReading | None,
    now: datetime,
    zone: ZoneInfo,
    others: Sequence[Promise] = (),
) -> Judgement:
    """Return the state of a promise at `now`; amounts are in the loan's currency.

    The promise is kept when the amount paid since the promise was made reaches the promised amount.
    After the promised day in the lender's time zone, the promise waits for a later reading, but at
    most one day. Then it is partly kept, or broken if nothing was paid.

    `others` are the other promises on the loan. Each payment counts for only one promise: the
    unfulfilled promise with the earliest day.
    """
    ends = _find_end(promise, zone)
    shares = _share_out([promise, *others], payments, zone)
    here = _add_up(shares[id(promise)])
    risen = Decimal(0)
    if reading and _is_in_time(promise, reading, zone):
        seen = [one for one in shares[id(promise)] if one.entered_at < reading.taken_at]
        elsewhere = _measure_elsewhere(promise, shares, payments, reading, others, zone)
        risen = _add_up(seen)
        risen += min(elsewhere, max(promise.amount - risen, Decimal(0)))
    paid = max(here, risen)
    evidence = "" if not paid else Evidence.JOURNAL if here >= risen else Evidence.READING
    if paid >= promise.amount:
        return Judgement(PromiseState.KEPT, paid, evidence)
    has_reading = reading is not None and ends <= reading.taken_at
    if now < ends or not (has_reading or now >= ends + _GRACE):
        return Judgement(PromiseState.OPEN, paid, evidence)
    return Judgement(PromiseState.PARTLY if paid else PromiseState.BROKEN, paid, evidence)


def _find_end(promise: Promise, zone: ZoneInfo) -> datetime:
    return get_midnight(promise.day + timedelta(days=1), zone)


def _share_out(
    promises: Sequence[Promise], payments: Iterable[Payment], zone: ZoneInfo
) -> dict[int, list[Payment]]:
    """Return the payments that count for each promise, by the `id()` of its object.

    The time of a transaction often has no seconds, so times are compared in minutes.
    """
    shares: dict[int, list[Payment]] = {}
    ordered = sorted(promises, key=lambda one: (one.day, one.made_at))
    for promise in ordered:
        shares[id(promise)] = []
    for payment in sorted(payments, key=lambda one: (one.paid_at, one.entered_at)):
        fitting = [
            one
            for one in ordered
            if one.made_at < payment.entered_at
            and one.made_at.replace(second=0, microsecond=0) <= payment.paid_at
            and payment.paid_at < _find_end(one, zone)
        ]
        unmet = [one for one in fitting if _add_up(shares[id(one)]) < one.amount]
        if fitting:
            shares[id((unmet or fitting[-1:])[0])].append(payment)
    return shares


def _measure_elsewhere(
    promise: Promise,
    shares: Mapping[int, Sequence[Payment]],
    payments: Iterable[Payment],
    reading: PaidReading,
    others: Sequence[Promise],
    zone: ZoneInfo,
) -> Decimal:
    """Return the rise of `paid` since the promise that the recorded repayments do not explain.

    Also subtract the amounts that count for other promises: fulfilled promises, promises due
    earlier, and promises that the reading was too late or too early for.
    """

    def measure(one: Promise) -> Decimal:
        """Return the unexplained rise since a promise.

        The rise is 0 if the amount paid before the promise is not known.
        """
        if one.paid_before is None:
            return Decimal(0)
        known = _add_up(x for x in payments if one.made_at < x.entered_at < reading.taken_at)
        return max(reading.paid - one.paid_before - known, Decimal(0))

    free = rise = measure(promise)
    for other in others:
        here = _add_up(shares[id(other)])
        if other.state == PromiseState.KEPT or not _is_in_time(other, reading, zone):
            by_reading = min(other.paid, other.amount)
            taken = {Evidence.READING: by_reading, Evidence.PERSON: other.amount}
            has = taken.get(Evidence(other.evidence), here) if other.evidence else here
        elif (other.day, other.made_at) < (promise.day, promise.made_at):
            has = min(measure(other) + here, other.amount)
        else:
            continue
        # The rise before this promise was made is not part of `rise`.
        earlier = max(measure(other) - rise, Decimal(0))
        free -= max(has - here - earlier, Decimal(0))
    return max(free, Decimal(0))


def _is_in_time(promise: Promise, reading: PaidReading, zone: ZoneInfo) -> bool:
    """Return True if the reading was taken after the promise was made and within the grace time."""
    return promise.made_at < reading.taken_at < _find_end(promise, zone) + _GRACE


def _add_up(payments: Iterable[Payment]) -> Decimal:
    return sum((one.amount for one in payments), Decimal(0))


def judge_promises(app: LendingApp, now: datetime) -> int:
    """Judge the promises of an app that no person has decided; return the number of changed ones.

    Broken and partly kept promises are judged again for two weeks after their day, because a
    payment may be entered late.
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
        of_loans = _read_promises(app.app_id, some)
        payments, readings = _read_payments(app, of_loans), _read_counted(app.app_id, some)
        for one in some:
            own, reading = payments.get(one.account_id, ()), readings.get(one.account_id)
            others = [x for x in of_loans if x.account_id == one.account_id and x.pk != one.pk]
            found = judge(one, own, reading, now, app.zone, others)
            if (found.state, found.paid) == (one.state, one.paid):
                continue
            # These conditions prevent a change of a promise that a person has just decided.
            same = Promise.objects.filter(pk=one.pk, state=one.state, decided_by=None)
            fields: dict[str, object] = {"state": found.state, "paid": found.paid}
            if found.state != one.state:
                fields["state_at"] = timezone.now()
            changed += same.update(**fields, evidence=found.evidence)
    return changed


def judge_all() -> None:
    """Judge the promises of every app."""
    for app in settings.LENDING_APPS:
        judge_promises(app, timezone.now())


def _read_promises(app_id: str, promises: Sequence[Promise]) -> list[Promise]:
    """Return the promises on the same loans, because payments are shared between them."""
    rows = Promise.objects.filter(
        app_id=app_id,
        borrower_id__in={one.borrower_id for one in promises},
        account_id__in={one.account_id for one in promises},
    )
    is_over = Q(state=PromiseState.BROKEN, decided_by__isnull=False)
    return list(rows.exclude(is_over | Q(state=PromiseState.WITHDRAWN)))


def _read_payments(app: LendingApp, promises: Sequence[Promise]) -> dict[str, list[Payment]]:
    """Return the repayments on the promises' loans since the earliest promise, by loan.

    Only repayments in the app's currency are included.
    """
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
    """Return the amounts paid on the promises' loans in the newest snapshot, by loan.

    Loans without a known amount are left out.
    """
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


@in_english
def decide(promise: Promise, state: PromiseState, reason: str, by: User) -> bool:
    """Save a person's decision on a promise, and record the decision in the audit trail.

    Return False if the state of the promise has changed since the person saw the promise.
    """
    with transaction.atomic():
        row = Promise.objects.select_for_update().get(pk=promise.pk)
        if row.state != promise.state:
            return False
        row.state, row.state_at, row.reason = state, timezone.now(), reason
        row.evidence, row.decided_by = Evidence.PERSON, by
        row.save(update_fields=["state", "state_at", "reason", "evidence", "decided_by"])
        audit.record_about(row, by, DECIDE, str(state.label))
    return True


def is_plausible(day: date, today: date) -> bool:
    """Return True if a promise may be for this day: from today to one year from today."""
    return today <= day <= today + timedelta(days=366)
