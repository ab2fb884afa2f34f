"""Assigning all borrowers of a list to one officer: prepared, confirmed, done in steps, undone.

Each row is a compare-and-swap on what was seen when the list was prepared, so that nothing that
changed meanwhile is lost; undoing asks in the same way whether a row still stands as it was left.
"""

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet
from django.http import QueryDict
from django.utils import timezone

from lendingadmin import audit, gateway
from lendingadmin.portfolio.loan_lists import LoanList, open_list
from lendingadmin.staff.models import User
from lendingadmin.worker.walks import SLICE

from .models import Assignment, Basis, BulkAssignment, BulkRow
from .permissions import CHANGE, list_officers

State, Outcome = BulkAssignment.State, BulkRow.Outcome

#: More borrowers than these are no list that somebody has looked at.
MOST = 50_000
#: So few are done while the person waits, without the worker.
AT_ONCE = 300
UNDO_WITHIN = timedelta(hours=24)
KEEP_UNCONFIRMED = timedelta(days=1)
_STEP = 200
AT_WORK = (State.PREPARING, State.ASSIGNING, State.UNDOING)


def list_borrowers(found: LoanList) -> QuerySet[Any, str]:
    """The ids of the borrowers of a list, each once, in no order."""
    rows = found.rows.exclude(borrower_id="").order_by()
    return rows.values_list("borrower_id", flat=True).distinct()


def create(
    app_id: str, query: str, officer: User, by: User, idempotency_key: str
) -> BulkAssignment:
    """Begin to prepare it, once for each form; gives back the first one."""
    try:
        with transaction.atomic():
            return BulkAssignment.objects.create(
                app_id=app_id,
                query=query,
                officer=officer,
                created_by=by,
                idempotency_key=idempotency_key,
            )
    except IntegrityError:
        return BulkAssignment.objects.get(idempotency_key=idempotency_key)


def run_slice(number: int) -> timedelta | None:
    """Go on for some seconds; how long to wait before the next slice, None at the end."""
    until = time.monotonic() + SLICE
    while True:
        row = BulkAssignment.objects.filter(pk=number, state__in=AT_WORK).first()
        if row is None or not _STEPS[State(row.state)](row):
            return None
        if time.monotonic() > until:
            return timedelta(0)


def confirm(bulk: BulkAssignment, by: User) -> bool:
    """Let it be assigned; False where somebody confirmed it before."""
    with transaction.atomic():
        fields = {"confirmed_by": by, "confirmed_at": timezone.now()}
        if not _move(bulk, State.READY, State.ASSIGNING, **fields):
            return False
        _record(bulk, by, "confirmed")
    return True


def undo(bulk: BulkAssignment, by: User) -> bool:
    """Let it be undone; False where it was before, or is too old."""
    with transaction.atomic():
        if not may_undo(bulk, timezone.now()):
            return False
        fields = {"undone_by": by, "undone_at": timezone.now()}
        if not _move(bulk, State.DONE, State.UNDOING, **fields):
            return False
        _record(bulk, by, "undone")
    return True


def may_undo(bulk: BulkAssignment, now: datetime) -> bool:
    """Whether it can be undone: within a day of when it was confirmed."""
    at = bulk.confirmed_at
    return bulk.state == State.DONE and at is not None and now < at + UNDO_WITHIN


def count_outcomes(bulk: BulkAssignment) -> dict[str, int]:
    """How many rows there are of each outcome."""
    groups = bulk.rows.order_by("outcome").values_list("outcome").annotate(rows=Count("pk"))
    return dict(groups)


def count_before(bulk: BulkAssignment) -> list[tuple[str, int]]:
    """From whom the borrowers come, by user name, nobody's under ""; the most first."""
    groups = bulk.rows.order_by().values_list("before_officer__username")
    counts = groups.annotate(rows=Count("pk"))
    return sorted(((name or "", rows) for name, rows in counts), key=lambda one: -one[1])


def forget_unconfirmed(now: datetime) -> None:
    """Delete what nobody confirmed within a day, a few at a time."""
    before = now - KEEP_UNCONFIRMED
    rows = BulkAssignment.objects.filter(confirmed_at=None, created_at__lt=before)
    for row in rows.order_by("pk")[:5]:
        row.rows.all().delete()
        row.delete()


def _prepare(bulk: BulkAssignment) -> bool:
    """Read the list, with who has whom now: all of it in one step."""
    found = open_list(gateway.lending_app(bulk.app_id), QueryDict(bulk.query).dict())
    ids = sorted(list_borrowers(found)[: MOST + 1]) if found and found.is_valid else []
    with transaction.atomic():
        if len(ids) > MOST:
            _move(bulk, State.PREPARING, State.TOO_LARGE)
        elif _move(bulk, State.PREPARING, State.READY):
            for at in range(0, len(ids), 500):
                _keep_rows(bulk, ids[at : at + 500])
    return False


def _keep_rows(bulk: BulkAssignment, ids: Sequence[str]) -> None:
    rows = Assignment.objects.filter(app_id=bulk.app_id, borrower_id__in=ids)
    known = {row.borrower_id: row for row in rows}
    BulkRow.objects.bulk_create(_make_row(bulk, key, known.get(key)) for key in ids)


def _make_row(bulk: BulkAssignment, borrower_id: str, before: Assignment | None) -> BulkRow:
    row = BulkRow(bulk=bulk, borrower_id=borrower_id)
    if before is not None:
        row.before_officer_id, row.before_basis = before.officer_id, before.basis
        row.before_by_id, row.before_at = before.assigned_by_id, before.assigned_at
        row.before_bulk_id = before.bulk_id
    return row


def _assign_some(bulk: BulkAssignment) -> bool:
    """Assign the next rows; whether some are left."""
    with transaction.atomic():
        if not _move(bulk, State.ASSIGNING, State.ASSIGNING):
            return False
        waiting = bulk.rows.filter(outcome=Outcome.WAITING).order_by("id")
        rows = list(waiting[:_STEP])
        if not rows:
            _move(bulk, State.ASSIGNING, State.DONE)
            return False
        if not _is_allowed(bulk):
            _set_outcome(bulk, rows, Outcome.NOT_ALLOWED)
            return True
        theirs = [row for row in rows if row.before_officer_id == bulk.officer_id]
        others = [row for row in rows if row.before_officer_id != bulk.officer_id]
        own = Assignment.objects.filter(app_id=bulk.app_id, officer_id=bulk.officer_id)
        still = set(_list_ids(own, theirs))
        _write(bulk, others)
        written = set(_list_ids(Assignment.objects.filter(app_id=bulk.app_id, bulk=bulk), others))
        done = {Outcome.ALREADY: still, Outcome.ASSIGNED: written}
        for outcome, ids in done.items():
            _set_outcome(bulk, [row for row in rows if row.borrower_id in ids], outcome)
        rest = [row for row in rows if row.borrower_id not in still | written]
        _set_outcome(bulk, rest, Outcome.CHANGED)
    return True


def _write(bulk: BulkAssignment, rows: Sequence[BulkRow]) -> None:
    """Give them to the officer where they stand as they were seen; in the order of their ids, so
    that two of these at once wait for one another in the same order.
    """
    fields: dict[str, Any] = {
        "officer_id": bulk.officer_id,
        "basis": Basis.BULK,
        "assigned_by_id": bulk.confirmed_by_id,
        "assigned_at": timezone.now(),
        "bulk_id": bulk.pk,
    }
    Assignment.objects.bulk_create(
        (
            Assignment(app_id=bulk.app_id, borrower_id=row.borrower_id, **fields)
            for row in rows
            if row.before_officer_id is None
        ),
        ignore_conflicts=True,
    )
    for row in rows:
        if row.before_officer_id is not None and row.before_at is not None:
            same = Assignment.objects.filter(
                app_id=bulk.app_id,
                borrower_id=row.borrower_id,
                officer_id=row.before_officer_id,
                assigned_at=row.before_at,
            )
            same.update(**fields)


def _undo_some(bulk: BulkAssignment) -> bool:
    """Take the next rows back; whether some are left."""
    with transaction.atomic():
        if not _move(bulk, State.UNDOING, State.UNDOING):
            return False
        rows = list(bulk.rows.filter(outcome=Outcome.ASSIGNED).order_by("id")[:_STEP])
        if not rows:
            _move(bulk, State.UNDOING, State.UNDONE)
            return False
        restored = [row for row in rows if _restore(bulk, row)]
        _set_outcome(bulk, restored, Outcome.RESTORED)
        done = {row.pk for row in restored}
        _set_outcome(bulk, [row for row in rows if row.pk not in done], Outcome.KEPT)
    return True


def _restore(bulk: BulkAssignment, row: BulkRow) -> bool:
    """Put a row back as it was; whether it still stood as it was left."""
    same = Assignment.objects.filter(
        app_id=bulk.app_id, borrower_id=row.borrower_id, bulk_id=bulk.pk
    )
    if row.before_officer_id is None:
        return bool(same.delete()[0])
    return bool(
        same.update(
            officer_id=row.before_officer_id,
            basis=row.before_basis,
            assigned_by_id=row.before_by_id,
            assigned_at=row.before_at,
            bulk_id=row.before_bulk_id,
        )
    )


def _is_allowed(bulk: BulkAssignment) -> bool:
    """Whether the officer may have borrowers still, and who confirmed it may assign them."""
    is_officer = list_officers(bulk.app_id).filter(pk=bulk.officer_id).exists()
    by = bulk.confirmed_by
    return is_officer and by is not None and by.has_perm(CHANGE, bulk.app_id)


def _list_ids(some: QuerySet[Assignment], rows: Sequence[BulkRow]) -> QuerySet[Any, str]:
    ids = [row.borrower_id for row in rows]
    return some.filter(borrower_id__in=ids).values_list("borrower_id", flat=True)


def _set_outcome(bulk: BulkAssignment, rows: Sequence[BulkRow], outcome: BulkRow.Outcome) -> None:
    if rows:
        bulk.rows.filter(pk__in=[row.pk for row in rows]).update(outcome=outcome)


def _move(
    bulk: BulkAssignment, before: BulkAssignment.State, state: BulkAssignment.State, **fields: Any
) -> bool:
    """Claim the next step; False where another has."""
    rows = BulkAssignment.objects.filter(pk=bulk.pk, state=before, version=bulk.version)
    fields |= {"state": state, "version": bulk.version + 1, "heartbeat_at": timezone.now()}
    if not rows.update(**fields):
        return False
    for name, value in fields.items():
        setattr(bulk, name, value)
    return True


def _record(bulk: BulkAssignment, by: User, outcome: str) -> None:
    audit.record(
        by,
        CHANGE,
        app_id=bulk.app_id,
        subject=str(bulk),
        outcome=outcome,
        saved="yes",
        detail=f"{bulk.rows.count()} → {bulk.officer.get_username()}",
        url=bulk.get_absolute_url(),
    )


_STEPS = {
    State.PREPARING: _prepare,
    State.ASSIGNING: _assign_some,
    State.UNDOING: _undo_some,
}
