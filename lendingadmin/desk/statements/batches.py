"""Commands of a batch. Each command is a compare-and-swap that only certain states allow."""

import hashlib
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from lendingadmin.core import audit
from lendingadmin.core.audit.trail import transition
from lendingadmin.core.gateway import LendingApp, lending_app
from lendingadmin.core.staff.independence import check_independent, list_dependent
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import approvals, policies
from lendingadmin.money.repayments.managers import get_midnight
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.policies import read_limits
from lendingadmin.money.repayments.services import NobodyToApprove, OwnRepayment
from lendingadmin.web.decisions import ToDecide
from lendingadmin.web.navigation import Badge

from .findings import Decision, Finding
from .keeping import READ
from .models import Allocation, Batch, StatementFile

State = Batch.State

RECORD = "dashboard.statements.record"
_UNAPPROVED = {"approval_reasons": "", "approved_by": None, "approved_at": None}
RECORD_REPAYMENTS = "lending.loans.makeRepayment"
TO_APPROVE = ngettext_lazy(
    "%(count)s statement to approve", "%(count)s statements to approve", "number"
)
TO_DECIDE = ngettext_lazy(
    "%(count)s statement with payments to decide or record",
    "%(count)s statements with payments to decide or record",
    "number",
)


def begin(file: StatementFile, by: User) -> Batch | None:
    """Start the check of a statement's payments, for the first time or again.

    Payments that are recorded or being sent do not change. Return None if the batch is being
    checked, is being recorded or waits for approval. Return None too if rows of the statement are
    missing or broken, or if a person must first explain how to read the statement.
    """
    if not file.is_certain or not file.layout:
        return None
    with transaction.atomic():
        batch, is_new = Batch.objects.get_or_create(file=file, defaults={"created_by": by})
        now = timezone.now()
        fields: dict[str, Any] = {"created_by": by, "began_at": now, "checked": 0}
        fields |= _UNAPPROVED
        starts = (State.READY, State.PAUSED, State.DONE)
        if is_new:
            audit.record_about(batch, by, RECORD, "checked")
        elif not move(batch, starts, State.CHECKING, by, "checked", **fields):
            return None
    return batch


def move(
    batch: Batch, starts: Iterable[str], to: str, by: User, outcome: str, **fields: Any
) -> bool:
    """Set the state of a batch for a person, with an audit entry.

    Return False if the state was not in `starts`.
    """
    changes = {"why": "", "tries": 0, "heartbeat_at": timezone.now(), **fields, "state": to}
    is_moved = transition(
        batch,
        Batch.objects.filter(state__in=list(starts)),
        changes | {"version": F("version") + 1},
        by=by,
        action=RECORD,
        outcome=outcome,
    )
    batch.refresh_from_db()
    return is_moved


def advance(batch: Batch, to: str, **fields: Any) -> bool:
    """Set the state of a batch for the worker; return False if the batch was changed first."""
    return batch.step(**{"why": "", "tries": 0, **fields, "state": to})


def submit(batch: Batch, by: User) -> bool:
    """Start recording the accepted rows, or request an approval.

    Return False if the batch is not in the state READY. Raise NobodyToApprove if a second person is
    needed and no other person may approve.
    """
    app = lending_app(batch.file.app_id)
    reasons = find_reasons(batch, app, by)
    if reasons and not approvals.list_approvers(app.app_id, but=by).exists():
        raise NobodyToApprove
    fields = {"created_by": by, "approval_reasons": ",".join(reasons), "began_at": timezone.now()}
    fields |= {"approved_by": None, "approved_at": None, "recording_since": timezone.now()}
    with transaction.atomic():
        to = State.AWAITING if reasons else State.RECORDING
        outcome = "awaiting" if reasons else "started"
        is_moved = move(batch, (State.READY,), to, by, outcome, **fields)
        if is_moved:
            _release(batch)
    return is_moved


def compute_fingerprint(batch: Batch) -> str:
    """Return the fingerprint of the rows that would be recorded.

    The fingerprint covers the loan, amount and currency of each row, and the batch's version. It
    shows whether the batch is still the same as when a person confirmed it.
    """
    rows = list_to_do(batch).order_by("position", "part")
    shown = rows.values_list("position", "part", "account_id", "amount", "line__currency")
    digest = hashlib.sha256(str(batch.version).encode())
    for row in shown.iterator():
        digest.update(repr(row).encode())
    return digest.hexdigest()


def approve(batch: Batch, by: User, shown: str) -> bool:
    """Approve a batch, so that the worker records it; return whether it was approved.

    `shown` is the `compute_fingerprint` of the rows that the approver saw. Return False if the rows
    have changed since then, if the batch does not wait for approval, or if it has waited too long
    (`approvals.is_expired`, as for a single repayment). Raise OwnRepayment if the person is a maker
    of the batch, and NotIndependent if the person is not independent of a maker.
    """
    makers = list_makers(batch)
    if by in makers:
        raise OwnRepayment
    for maker in makers:
        check_independent(by, maker)
    now = timezone.now()
    if (
        approvals.is_expired(batch.began_at)
        or batch.state != State.AWAITING
        or shown != compute_fingerprint(batch)
    ):
        return False
    fields = {"approved_by": by, "approved_at": now, "recording_since": now}
    with transaction.atomic():
        # A row can change only after the batch has left this state, and that changes the version.
        is_moved = advance(batch, State.RECORDING, **fields)
        if is_moved:
            audit.record_about(batch, by, RECORD, "approved")
    return is_moved


def list_makers(batch: Batch) -> list[User]:
    """Return the people who requested the recording or accepted one of its rows."""
    deciders = list_to_do(batch).exclude(decided_by=None).values("decided_by")
    return list(User.objects.filter(Q(pk=batch.created_by_id) | Q(pk__in=deciders)).order_by("pk"))


def read_approval(batch: Batch) -> approvals.Approval | None:
    """Return the person who approved the batch and the time; None without an approval."""
    if batch.approved_by is None or batch.approved_at is None:
        return None
    return approvals.Approval(batch.approved_by, batch.approved_at)


def find_expiry(batch: Batch) -> str:
    """Return a sentence if the approval is no longer valid; else empty.

    An approval is not valid if it is too old, or if its approver may no longer approve.
    """
    approval = read_approval(batch)
    if approval is None:
        return ""
    given = {"username": approval.by.username}
    if approvals.is_expired(approval.at):
        return (
            _("%(username)s approved these payments more than a day ago. Press Record again.")
            % given
        )
    if not approval.by.has_perm(approvals.APPROVE, batch.file.app_id):
        words = _("%(username)s approved these payments but may no longer approve repayments.")
        return f"{words % given} {_('Press Record again.')}"
    return ""


def expire(batch: Batch, why: str) -> None:
    """End an approval of a batch, or the wait for an approval.

    A person must press Record again for the rest of the rows. If another process has changed the
    batch, do nothing.
    """
    with transaction.atomic():
        if advance(batch, State.READY, why=why, **_UNAPPROVED):
            audit.record_about(batch, None, RECORD, "expired")


def expire_unapproved() -> None:
    """End the wait of batches that were not approved in time (APPROVE_WITHIN)."""
    since = timezone.now() - approvals.APPROVE_WITHIN
    late = Batch.objects.filter(state=State.AWAITING, began_at__lte=since)
    for batch in late.select_related("file").defer("file__content"):
        expire(batch, _("These payments were not approved within a day. Press Record again."))


def pause(batch: Batch, by: User) -> bool:
    """Pause the recording after the current rows; return False if the batch is not recording."""
    words = _("%(username)s stopped the recording.") % {"username": by.username}
    return move(batch, (State.RECORDING,), State.PAUSED, by, "stopped", why=words)


def resume(batch: Batch, by: User) -> bool:
    """Continue a paused recording; return False if it is not paused. No row is sent twice."""
    with transaction.atomic():
        fields = {"recording_since": timezone.now()}
        is_moved = move(batch, (State.PAUSED,), State.RECORDING, by, "resumed", **fields)
        if is_moved:
            # No other transaction changes these rows, because each change of a row locks its batch
            # first.
            _release(batch)
    return is_moved


def reopen(batch: Batch, by: User) -> bool:
    """Reopen the unrecorded rows for decisions, and end an approval of the batch.

    Return False if the batch is in another state than AWAITING, PAUSED or DONE.
    """
    starts = (State.AWAITING, State.PAUSED, State.DONE)
    return move(batch, starts, State.READY, by, "reopened", **_UNAPPROVED)


def list_to_do(batch: Batch) -> QuerySet[Allocation]:
    """Return the accepted rows that are not entered yet."""
    return batch.allocations.filter(decision=Decision.ACCEPTED, repayment=None)


def find_reasons(batch: Batch, app: LendingApp, by: User) -> list[str]:
    """Return the `policies.REASONS` why this batch needs a second person; empty if none.

    The largest payment is compared with the limit for one repayment, and the sum of all
    payments with the limit for a day.
    """
    own = read_limits(app.app_id)
    if own is None:
        return []
    midnight = get_midnight(timezone.now().astimezone(app.zone).date(), app.zone)
    entered = Repayment.objects.sum_entered(app, by.pk, since=midnight)
    rows = list_to_do(batch)
    amounts = list(rows.exclude(finding=Finding.CURRENCY).values_list("amount", flat=True))
    given: dict[str, Any] = {"entered": entered, "is_converted": False}
    given["is_alike"] = rows.filter(finding=Finding.ALIKE).exists()
    reasons = {*policies.list_reasons(own, max(amounts, default=Decimal(0)), **given)}
    reasons |= {policies.DAY} & {*policies.list_reasons(own, sum(amounts, Decimal(0)), **given)}
    if rows.filter(finding=Finding.CURRENCY).exists():
        reasons.add(policies.CURRENCY)
    return [reason for reason in policies.REASONS if reason in reasons]


def list_waiting(app_id: str, person: User) -> QuerySet[Batch]:
    """Return the batches that this person may approve."""
    if not person.has_perm(approvals.APPROVE, app_id):
        return Batch.objects.none()
    rows = Batch.objects.filter(file__app_id=app_id, state=State.AWAITING)
    accepted = Allocation.objects.filter(
        batch=OuterRef("pk"), decision=Decision.ACCEPTED, repayment=None
    )
    theirs = Q(decided_by=person) | Q(decided_by__in=list_dependent(person))
    rows = rows.exclude(Exists(accepted.filter(theirs)))
    return rows.exclude(created_by=person).exclude(created_by__in=list_dependent(person))


def list_unfinished(app_id: str, person: User) -> QuerySet[Batch]:
    """Return the paused batches, and the ready batches with rows to decide or record.

    Return none if the person may not record repayments.
    """
    if not (person.has_perm(READ, app_id) and person.has_perm(RECORD_REPAYMENTS, app_id)):
        return Batch.objects.none()
    is_left = Q(decision=Decision.OPEN) | Q(decision=Decision.ACCEPTED, repayment=None)
    left = Allocation.objects.filter(is_left, batch=OuterRef("pk"))
    waits = Q(state=State.READY) & Exists(left) | Q(state=State.PAUSED)
    return Batch.objects.filter(waits, file__app_id=app_id)


def _release(batch: Batch) -> None:
    """Release the rows that waited for another repayment of their loan."""
    batch.allocations.filter(is_held=True).update(is_held=False)


BADGE = Badge("statements", list_waiting)
DECISIONS = [
    ToDecide("batch-approve", "statements", TO_APPROVE, list_waiting, "?waits=approval"),
    ToDecide("batch", "statements", TO_DECIDE, list_unfinished, "?waits=payments"),
]
