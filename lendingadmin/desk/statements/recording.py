"""Recording of a batch: the journal's `sending.record_all` records each accepted row once.

Rows of different loans are entered in groups, and the calls of a group are sent in parallel. Each
row has its own idempotency key, so a worker that takes up a row again finds the repayment and sends
nothing. A row whose recording failed is entered again only if a person starts another check.
"""

import time
from collections.abc import Sequence
from datetime import timedelta

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lendingadmin.core.audit.restores import MayBeRestored, check_for_restore
from lendingadmin.core.worker.walks import SLICE
from lendingadmin.money.repayments import sending, services
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState

from . import batches
from .checking import build_request, list_reopened
from .findings import Decision, Finding
from .models import Allocation, Batch
from .standings import Recorded

# The most rows, and the most seconds, between two checks whether a person stopped the recording.
_AT_ONCE = 200
_STEP = 1.0
# The rows of a group: one for each thread, so that their calls run in parallel. They are committed
# together. If a worker dies, at most this many results are unknown.
_GROUP = 12
# After this many consecutive faults, the service is the cause and not the rows.
_MOST_FAULTS = 5
_FAULTY = (RepaymentState.NOT_SENT, RepaymentState.UNKNOWN)
_SHOWN_AGAIN = ["decision", "finding", "account_id", "borrower_id", "basis", "owed"]

State = Batch.State


def run_slice(batch_id: int) -> timedelta | None:
    """Record rows for some seconds, and return the wait before the next slice.

    Return None if the recording is done or paused, if its approval has expired, or if the batch
    has changed.
    """
    rows = Batch.objects.select_related("file", "created_by", "approved_by")
    batch = rows.filter(pk=batch_id, state=State.RECORDING).first()
    until = time.monotonic() + SLICE
    while batch is not None:
        if why := batches.find_expiry(batch):
            batches.expire(batch, why)
            return None
        if obstacle := _find_obstacle(batch):
            batches.advance(batch, State.PAUSED, why=obstacle)
            return None
        # The oldest payment comes first.
        order = ("-position", "part") if batch.file.newest_first else ("position", "part")
        rows_to_do = batches.list_to_do(batch).filter(is_held=False).select_related("line")
        some = list(rows_to_do.order_by(*order)[:_AT_ONCE])
        if not some:
            _end(batch)
            return None
        # If another worker has claimed the batch first, this worker stops.
        if not batches.advance(batch, State.RECORDING, tries=batch.tries, why=batch.why):
            return None
        _record_step(batch, some)
        if time.monotonic() > until and batch.tries < _MOST_FAULTS:
            kept = {"tries": batch.tries, "why": batch.why}
            return timedelta(0) if batches.advance(batch, State.RECORDING, **kept) else None
    return None


def _record_step(batch: Batch, rows: Sequence[Allocation]) -> None:
    """Record these rows until the time of the step is over, or until too many faults occur.

    Set the number of consecutive faults and the last reason on `batch`, but do not save them. Rows
    of one loan are recorded one after another. While the service fails, one row is sent at a time.
    """
    until, left = time.monotonic() + _STEP, list(rows)
    while left and time.monotonic() < until and batch.tries < _MOST_FAULTS:
        of_loan: dict[str, Allocation] = {}
        for row in left:
            of_loan.setdefault(row.account_id, row)
        group = list(of_loan.values())[: 1 if batch.tries else _GROUP]
        left = [row for row in left if row not in group]
        record_group(batch, group)
        for repayment in (row.repayment for row in group if row.repayment):
            is_faulty = repayment.state in _FAULTY
            batch.tries = batch.tries + 1 if is_faulty else 0
            batch.why = repayment.why if is_faulty else ""


def record_group(batch: Batch, rows: Sequence[Allocation]) -> None:
    """Record rows of different loans in parallel, and save the result of each."""
    for row in rows:
        row.batch = batch
    # Since the decision, another person may have recorded a row or placed its money. Since the
    # approval, loans may have changed. A person must decide such rows again.
    changed = list_reopened(batch, rows)
    for row in changed:
        row.decision = Decision.OPEN
    Allocation.objects.bulk_update(changed, _SHOWN_AGAIN)
    entered = [row for row in rows if row not in changed]
    intents = [
        services.Intent(
            build_request(row),
            row.idempotency_key,
            agreed=row.finding == Finding.MAY_DOUBLE,
            checked=True,
        )
        for row in entered
    ]
    found = sending.record_all(intents, batch.created_by, approval=batches.read_approval(batch))
    for row, result in zip(entered, found, strict=True):
        match result:
            case Repayment():
                row.repayment = result
            case services.LoanBusy() | services.NobodyToApprove():
                row.is_held = True
            case services.DuplicateExternalId(other=other):
                is_recorded = Recorded.of(other).is_recorded
                row.finding = Finding.RECORDED if is_recorded else Finding.WAITING
                row.decision = Decision.OPEN
            case services.MayDouble():
                row.finding, row.decision = Finding.MAY_DOUBLE, Decision.OPEN
    recorded = [row for row in entered if row.repayment]
    Allocation.objects.bulk_update(recorded, ["repayment"])
    refused = [row for row in entered if not row.repayment]
    Allocation.objects.bulk_update(refused, ["is_held", "finding", "decision"])


def _find_obstacle(batch: Batch) -> str:
    """Return the reason why the recording can't continue, as a sentence; empty if it can."""
    if batch.tries >= _MOST_FAULTS:
        words = _("The service failed %(count)s times in a row. Last error: %(why)s")
        return words % {"count": _MOST_FAULTS, "why": batch.why}
    if check_for_restore():
        return MayBeRestored().message
    person, app_id = batch.created_by, batch.file.app_id
    if not person.has_perm("lending.loans.makeRepayment", app_id):
        words = _("%(username)s may no longer record repayments.")
        return words % {"username": person.username}
    return ""


def _end(batch: Batch) -> None:
    """End the batch; pause it if rows still wait for a repayment of their loan or an approval."""
    held = batches.list_to_do(batch).filter(is_held=True).count()
    if not held:
        batches.advance(batch, State.DONE)
        return
    words = ngettext(
        "%(count)s row is waiting. Another repayment of the same loan is not decided yet, or "
        "the row needs approval.",
        "%(count)s rows are waiting. Other repayments of the same loans are not decided yet, "
        "or the rows need approval.",
        held,
    )
    batches.advance(batch, State.PAUSED, why=words % {"count": held})
