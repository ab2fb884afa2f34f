"""Handling of the repayments that a restored database has lost.

A gap is the time from the backup to the restore. The service has the repayments that were recorded
in the gap, but the journal does not. If a person entered such a repayment again, it would be
recorded twice, without a warning about similar repayments. Until a person has ended the gap, each
person who enters a repayment confirms that the service does not have it yet. Other areas can undo
decisions that depend on the journal when `journal_restored` is sent.
"""

from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import Max, QuerySet
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from lendingadmin.core.audit.models import SuspectedRestore
from lendingadmin.core.audit.restores import ACTION
from lendingadmin.core.audit.trail import transition
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.reconciliation import RESOLVE
from lendingadmin.money.writes.states import WriteState
from lendingadmin.web.navigation import Badge

from . import services
from .managers import RECORDED
from .models import Reading, ReceiptCounter, Repayment, Restoration
from .states import RepaymentState

# At least this many numbers are skipped, and at most twice as many, because lost rows had some of
# these numbers.
_LEAP = 100_000

# Sent with `app_id` and `until`, within the transaction that opens the gap.
journal_restored = Signal()


_WHY = _("The database was restored. We don't know yet whether this repayment was recorded.")


class RestoreSummary(NamedTuple):
    """The changes to a restored database.

    `repayments` and `writes` are the numbers of rows that became unknown. `unapproved` is the
    number of repayments that no longer wait for approval. `next_number` is the number of the next
    repayment.
    """

    repayments: int
    writes: int
    unapproved: int
    next_number: int


class PaidRise(NamedTuple):
    """The rise of a loan's `paid` that no repayment in the journal explains.

    The rise is measured from the last reading before the gap, which was taken at `read_at`.
    """

    amount: Decimal
    read_at: datetime


def begin_gap(app_ids: list[str], since: datetime) -> RestoreSummary:
    """Record that the rows of these apps from after `since` are lost; return the changes.

    A repayment in the state `pending` or `sent` may have been sent and answered after the backup,
    so it becomes unknown. A repayment that waits for approval may have been approved and sent, so
    it is declined with `ended_by_sweep`. New numbers of repayments and receipts are higher than
    those of lost rows. If the function stops early, call it again; it continues with the same gap.
    """
    now = timezone.now()
    with transaction.atomic():
        for app_id in app_ids:
            row, _is_new = Restoration.objects.get_or_create(
                app_id=app_id, ended_at=None, defaults={"since": since, "until": now}
            )
            row.since, row.until = min(row.since, since), now
            row.save(update_fields=["since", "until"])
            journal_restored.send(Restoration, app_id=app_id, until=now)
        writes = Write.objects.filter(state=WriteState.SENT)
        count = writes.update(state=WriteState.UNKNOWN, next_check_at=now)
        number = _move_numbers_on(app_ids, since.year, now.year)
    return RestoreSummary(_mark_unknown(now), count, _end_waiting(), number)


def end_gap(row: Restoration, by: User) -> bool:
    """End the gap after a person has checked it; return False if it has already ended."""
    starts, fields = Restoration.objects.filter(ended_at=None), {"ended_at": timezone.now()}
    outcome = _("checked")
    return transition(row, starts, fields | {"ended_by": by}, by=by, action=ACTION, outcome=outcome)


def list_waiting(app_id: str, person: User) -> QuerySet[Restoration]:
    """Return the open gap of an app; none for people who may not end it."""
    if not person.has_perm(RESOLVE, app_id):
        return Restoration.objects.none()
    return services.list_gaps(app_id)


def list_suspected(app_id: str, person: User) -> QuerySet[SuspectedRestore]:
    """Return the suspected restores that wait for this person's answer.

    A person without the right to resolve gets none.
    """
    if not person.has_perm(RESOLVE, app_id):
        return SuspectedRestore.objects.none()
    return SuspectedRestore.objects.filter(resolved_at=None)


def find_rise(gap: Restoration, account_id: str, paid: Decimal | None) -> PaidRise | None:
    """Return the rise of a loan's `paid` that the journal's repayments do not explain.

    The rise is measured from the last reading before the gap. If the repayments explain the
    complete rise, the result is zero or less. Return None if there is no readable reading before
    the gap.

    The effect of a repayment in another currency is unknown, so its rise counts as unexplained.
    """
    readings = Reading.objects.filter(
        repayment__app_id=gap.app_id,
        repayment__account_id=account_id,
        fault="",
        taken_at__lte=gap.since,
    ).exclude(paid="")
    last = readings.order_by("-taken_at").first()
    if paid is None or last is None or last.paid_amount is None:
        return None
    later = Repayment.objects.filter(
        RECORDED, app_id=gap.app_id, account_id=account_id, sent_at__gt=last.taken_at
    )
    known = sum((one.moves_paid_by or Decimal(0) for one in later), Decimal(0))
    return PaidRise(paid - last.paid_amount - known, last.taken_at)


def _mark_unknown(now: datetime) -> int:
    """Mark repayments as unknown that may have been sent since the backup; return their number.

    A sent repayment is due for a check immediately. A repayment that was not sent yet has no
    reading for comparison, so it waits for a person.
    """
    starts = (RepaymentState.PENDING, RepaymentState.SENT)
    rows = list(Repayment.objects.filter(state__in=starts))
    moves = []
    for one in rows:
        # If the repayment was sent, this happened soon after its entry. Later rises may belong to
        # it.
        sent = {"sent_at": one.sent_at or one.approved_at or one.created_at}
        # If the loan was not read before sending, no check can decide, so a person must decide.
        due = now if one.state == RepaymentState.SENT else None
        fields = {"why": _(_WHY), "next_check_at": due, **sent}
        moves.append(services.Move(one, RepaymentState.UNKNOWN, fields, starts))
    return sum(services.move_all(moves, by=None)) if moves else 0


def _end_waiting() -> int:
    """Decline the repayments that wait for approval, as a sweep does; return their number.

    These repayments may have been approved and sent after the backup.
    """
    waiting = Repayment.objects.filter(state=RepaymentState.AWAITING)
    fields = {"why": _(_WHY), "ended_by_sweep": True}
    moves = [services.Move(one, RepaymentState.DECLINED, fields) for one in waiting]
    return sum(services.move_all(moves, by=None)) if moves else 0


def _move_numbers_on(app_ids: list[str], first_year: int, last_year: int) -> int:
    """Skip the numbers that lost repayments and receipts may have.

    Return the number of the next repayment. An app's first receipt of a year may be lost, so each
    year gets a counter. One year is added on each side, because years are in the lender's time
    zone.
    """
    for app_id in app_ids:
        for year in range(first_year - 1, last_year + 2):
            ReceiptCounter.objects.get_or_create(app_id=app_id, year=year)
    for counter in ReceiptCounter.objects.select_for_update():
        counter.last = _leap(counter.last)
        counter.save(update_fields=["last"])
    last = _leap(Repayment.objects.aggregate(last=Max("pk"))["last"] or 0)
    table = Repayment._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, last])
        else:
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
            cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, last])
    return last + 1


def _leap(number: int) -> int:
    return (number // _LEAP + 2) * _LEAP


BADGE = Badge("needs-checking", list_waiting)
