"""Decisions of people on the rows of a batch in the state READY.

Each decision on a row is one transaction with an audit entry. If the batch is in another state, the
functions raise NotReady.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Max, Q, QuerySet

from lendingadmin.core import audit
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.services import find_gap

from . import checking
from .batches import RECORD
from .findings import NO_LOAN_HELPS, Basis, Decision, Finding, may_accept
from .models import Allocation, Batch

#: Undecided rows that can be recorded, some of them only after a person chooses another loan.
UNDECIDED = Q(decision=Decision.OPEN, repayment=None) & ~Q(finding__in=NO_LOAN_HELPS)
# For these, the list of rows shows why a loan was proposed, so a person may accept all without a
# reason.
_NO_REASON = frozenset({Basis.WORDS, Basis.LINK, Basis.PHONE})
_AT_ONCE = 500
# Fields that a colleague's decision on a row changes.
_DECIDED = [
    *("amount", "account_id", "borrower_id", "basis", "finding", "owed", "decision"),
    *("attempt", "repayment"),
]


class NotReady(Exception):
    """Error: the batch of the row is not in the state READY."""


def accept(row: Allocation, reason: str, by: User) -> bool:
    """Accept a row for recording; return False if it has no loan or a finding in NEVER.

    `reason` may be empty if the finding needs none (`findings.needs_reason`). Raise NotReady.
    """
    with _hold(row):
        is_accepted = may_accept(row.finding, row.account_id)
        if is_accepted:
            _decide(row, Decision.ACCEPTED, reason, by)
    return is_accepted


def accept_all(batch: Batch, finding: str, reason: str, by: User) -> int:
    """Accept all rows of `list_acceptable` with one reason; return the number of accepted rows."""
    rows = list_acceptable(batch, finding).select_related("line").order_by("position", "part")
    return sum(accept(row, reason, by) for row in rows)


def list_acceptable(batch: Batch, finding: str) -> QuerySet[Allocation]:
    """Return the undecided rows with a finding that have a loan and may be accepted together.

    Rows that someone other than the borrower paid must be decided one by one. After a restore of
    the database, rows that may already be recorded must be decided one by one too.
    """
    rows = list_undecided(batch).filter(finding=finding).exclude(account_id="")
    is_gap = finding == Finding.MAY_DOUBLE and find_gap(batch.file.app_id) is not None
    return rows.none() if is_gap or finding == Finding.OTHER_PAYER else rows


def needs_reason(batch: Batch, finding: str) -> bool:
    """Return whether a person who accepts all rows with a finding must give a reason.

    Only the finding PROPOSED may need no reason. It needs one if the loan was found by the payer's
    name alone, or if the row names its loan but other words of the row contradict the loan.
    """
    rows = list_acceptable(batch, finding)
    return finding != Finding.PROPOSED or rows.exclude(basis__in=_NO_REASON).exists()


def leave_out(row: Allocation, reason: str, by: User) -> None:
    """Leave a row out of the batch, so that its payment is not recorded. Raise NotReady."""
    with _hold(row):
        _decide(row, Decision.LEFT_OUT, reason, by)


def choose(row: Allocation, loan_id: str, by: User, *, may_accept: bool = False) -> None:
    """Choose another loan for a row and check it; with `may_accept`, accept it if it is FINE."""
    with _hold(row):
        row.account_id, row.basis = loan_id, Basis.PERSON
        row.decided_by = by
        checking.check_again(row)
        audit.record_about(row, by, RECORD, "chosen")
        if may_accept and row.finding == Finding.FINE:
            _decide(row, Decision.ACCEPTED, "", by)


def split(row: Allocation, amount: Decimal, by: User) -> Allocation | None:
    """Reduce a row to `amount` and return a new row for the rest; None if that is not possible."""
    with _hold(row):
        rest = row.amount - amount
        if amount <= 0 or rest <= 0 or not may_split(row):
            return None
        parts = row.batch.allocations.filter(position=row.position)
        other = row.batch.allocations.create(
            line=row.line,
            position=row.position,
            part=(parts.aggregate(last=Max("part"))["last"] or 1) + 1,
            amount=rest,
            finding=Finding.NO_LOAN,
            decided_by=by,
        )
        row.amount, row.decided_by = amount, by
        checking.check_again(row)
        audit.record_about(row, by, RECORD, "split")
    return other


def may_split(row: Allocation) -> bool:
    """Return True if the row is not entered yet and has no finding that forbids every loan."""
    return row.repayment_id is None and row.finding not in NO_LOAN_HELPS


def reopen_forgotten(*, app_id: str, until: datetime, **_signal: Any) -> None:
    """Reopen accepted rows after a restore of the database, so that people decide again.

    When the backup was made, these rows were not entered. They may have been recorded after the
    backup, and the restored database does not show this.
    """
    rows = Allocation.objects.filter(
        batch__file__app_id=app_id, decision=Decision.ACCEPTED, repayment=None
    ).select_related("line", "batch__file")
    old = [row for row in rows if checking.may_be_forgotten(row, until)]
    for row in old:
        row.decision, row.finding, row.decided_by = Decision.OPEN, Finding.MAY_DOUBLE, None
    fields = ["decision", "finding", "decided_by"]
    Allocation.objects.bulk_update(old, fields, batch_size=_AT_ONCE)


def find_next(row: Allocation) -> Allocation | None:
    """Return the next undecided row of the batch, or else the first.

    Return None if no other row is undecided.
    """
    rows = list_undecided(row.batch).order_by("position", "part")
    return rows.filter(position__gt=row.position).first() or rows.exclude(pk=row.pk).first()


def list_undecided(batch: Batch) -> QuerySet[Allocation]:
    """Return the undecided rows that can be recorded. Some need another loan first."""
    return batch.allocations.filter(UNDECIDED)


def _decide(row: Allocation, decision: Decision, reason: str, by: User) -> None:
    row.decision, row.reason, row.decided_by = decision, reason, by
    row.save(update_fields=["decision", "reason", "decided_by"])
    audit.record_about(row, by, RECORD, decision.value.replace("-", " "))


@contextmanager
def _hold(row: Allocation) -> Iterator[None]:
    """Lock the batch of a row, and read the row again. Raise NotReady."""
    with transaction.atomic():
        held = Batch.objects.select_for_update().filter(pk=row.batch_id, state=Batch.State.READY)
        if not list(held.values_list("pk")):
            raise NotReady
        row.refresh_from_db(fields=_DECIDED)
        yield
