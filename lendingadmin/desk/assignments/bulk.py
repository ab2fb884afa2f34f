"""Assign all borrowers of a list to one officer: count them, save them, assign in steps.

The borrowers are saved with the officers that they have at the count. If another person changes the
officer of a borrower after that, this borrower is not assigned, so that the change is not lost.
"""

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Count as Counting
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils import timezone

from lendingadmin.core import audit
from lendingadmin.core.staff.models import User
from lendingadmin.core.worker.walks import SLICE
from lendingadmin.desk.portfolio.loan_lists import LoanList

from .models import Assignment, Basis, BulkAssignment, BulkRow
from .permissions import CHANGE, list_officers

State, Outcome = BulkAssignment.State, BulkRow.Outcome

#: The most borrowers of one list, because a person can't check more.
MOST = 50_000
#: The most borrowers that are assigned while the person waits. The worker assigns longer lists.
AT_ONCE = 300
ROWS_OF_A_STEP = 200
_SAVED_AT_ONCE = 500


class Borrower(NamedTuple):
    """A borrower of a list, with officer and time of assignment; both None if unassigned."""

    borrower_id: str
    officer_id: int | None
    assigned_at: datetime | None


class Count(NamedTuple):
    """Borrowers of a list, by id, and the officer who will get them.

    `has_more` is True if the list has more than MOST borrowers. Only MOST are counted then.
    """

    officer: User
    borrowers: Sequence[Borrower]
    has_more: bool

    @property
    def given(self) -> int:
        """Number of borrowers who will be assigned to the officer."""
        return len(self.borrowers) - self.already

    @property
    def already(self) -> int:
        """Number of borrowers who already have this officer."""
        return sum(one.officer_id == self.officer.pk for one in self.borrowers)

    @property
    def moved(self) -> int:
        """Number of borrowers who have another officer at present."""
        return sum(one.officer_id not in (None, self.officer.pk) for one in self.borrowers)

    @property
    def fingerprint(self) -> str:
        """A text that changes with the officer, the borrowers, or the officer of one of them."""
        return sha256(repr((self.officer.pk, *map(tuple, self.borrowers))).encode()).hexdigest()


def count_borrowers(found: LoanList, app_id: str, officer: User) -> Count:
    """Return the borrowers of a list, each once, with their present officers, in one query."""
    own = Assignment.objects.filter(app_id=app_id, borrower_id=OuterRef("borrower_id"))
    rows = found.rows.exclude(borrower_id="").order_by().distinct()
    columns = ("borrower_id", Subquery(own.values("officer")), Subquery(own.values("assigned_at")))
    some = sorted(Borrower(*row) for row in rows.values_list(*columns)[: MOST + 1])
    return Count(officer, some[:MOST], has_more=len(some) > MOST)


def find_saved(idempotency_key: str) -> BulkAssignment | None:
    """Return the list that an earlier POST of this form saved; None if there is none."""
    return BulkAssignment.objects.filter(idempotency_key=idempotency_key).first()


def save(app_id: str, query: str, counted: Count, by: User, idempotency_key: str) -> BulkAssignment:
    """Save exactly the borrowers that were counted, with an entry in the audit trail.

    If the same form was sent before, return the list that was saved then.
    """
    try:
        with transaction.atomic():
            bulk = BulkAssignment.objects.create(
                app_id=app_id,
                query=query,
                officer=counted.officer,
                created_by=by,
                idempotency_key=idempotency_key,
            )
            rows = (
                BulkRow(
                    bulk=bulk,
                    borrower_id=one.borrower_id,
                    before_officer_id=one.officer_id,
                    before_at=one.assigned_at,
                )
                for one in counted.borrowers
            )
            BulkRow.objects.bulk_create(rows, batch_size=_SAVED_AT_ONCE)
            detail = f"{bulk.rows.count()} → {bulk.officer.get_username()}"
            audit.record_about(bulk, by, CHANGE, "confirmed", detail=detail)
    except IntegrityError:
        return BulkAssignment.objects.get(idempotency_key=idempotency_key)
    return bulk


def run_slice(number: int) -> timedelta | None:
    """Assign for some seconds. Return the wait before the next slice; None at the end."""
    until = time.monotonic() + SLICE
    while True:
        row = BulkAssignment.objects.filter(pk=number, state=State.ASSIGNING).first()
        if row is None or not _assign_some(row):
            return None
        if time.monotonic() > until:
            return timedelta(0)


def count_outcomes(bulk: BulkAssignment) -> dict[str, int]:
    """Return the number of rows with each outcome."""
    groups = bulk.rows.order_by("outcome").values_list("outcome").annotate(rows=Counting("pk"))
    return dict(groups)


def _assign_some(bulk: BulkAssignment) -> bool:
    """Assign the next rows; return True if some are left."""
    with transaction.atomic():
        if not bulk.step():
            return False
        waiting = bulk.rows.filter(outcome=Outcome.WAITING).order_by("id")
        rows = list(waiting[:ROWS_OF_A_STEP])
        if not rows:
            bulk.step(state=State.DONE)
            return False
        # After the confirmation, the officer or the person who confirmed may have lost the right.
        is_officer = list_officers(bulk.app_id).filter(pk=bulk.officer_id).exists()
        by: User | None = bulk.created_by
        if not is_officer or by is None or not by.has_perm(CHANGE, bulk.app_id):
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
    """Assign the borrowers whose officer has not changed since the count.

    Lock the rows in the order of their ids, so that two runs at the same time can't block each
    other.
    """
    fields: dict[str, Any] = {
        "officer_id": bulk.officer_id,
        "basis": Basis.BULK,
        "assigned_by_id": bulk.created_by_id,
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


def _list_ids(some: QuerySet[Assignment], rows: Sequence[BulkRow]) -> QuerySet[Any, str]:
    ids = [row.borrower_id for row in rows]
    return some.filter(borrower_id__in=ids).values_list("borrower_id", flat=True)


def _set_outcome(bulk: BulkAssignment, rows: Sequence[BulkRow], outcome: BulkRow.Outcome) -> None:
    if rows:
        bulk.rows.filter(pk__in=[row.pk for row in rows]).update(outcome=outcome)
