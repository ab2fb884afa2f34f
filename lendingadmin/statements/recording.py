"""Recording a batch: each row that was accepted, once, by the ledger's own `sending.record`.

A row's intent has a key of its own, so that a worker that takes the row up again finds what was
entered and sends nothing. What came to nothing is entered again only when a person asks for it.
"""

import time
from collections.abc import Sequence
from datetime import timedelta
from queue import Queue
from threading import Thread

from django.db import connection
from django.utils.translation import gettext as _

from lendingadmin.repayments import sending, services
from lendingadmin.repayments.models import Repayment
from lendingadmin.repayments.states import RepaymentState
from lendingadmin.worker.walks import SLICE

from . import batches
from .checking import build_request, has_changed
from .findings import Decision, Finding
from .models import Allocation, Batch

# Between two looks at whether somebody stopped it: so many rows, or so long.
_AT_ONCE = 200
_STEP = 1.0
_THREADS = 4
# So many faults one after the other are the service's, and no row's.
_MOST_FAULTS = 5
_FAULTY = (RepaymentState.NOT_SENT, RepaymentState.UNKNOWN)

State = Batch.State


def run_slice(batch_id: int) -> timedelta | None:
    """Record rows for some seconds; how long to wait before the next slice, None at the end."""
    rows = Batch.objects.select_related("file", "created_by", "approved_by")
    batch = rows.filter(pk=batch_id, state=State.RECORDING).first()
    until = time.monotonic() + SLICE
    with _Crew() as crew:
        while batch is not None:
            if obstacle := _find_obstacle(batch):
                batches.advance(batch, State.PAUSED, why=obstacle)
                return None
            some = _list_following(batch)
            if not some:
                _end(batch)
                return None
            # Who is not the first to claim these leaves them to the other.
            if not batches.advance(batch, State.RECORDING, tries=batch.tries, why=batch.why):
                return None
            crew.record(batch, some)
            if time.monotonic() > until and batch.tries < _MOST_FAULTS:
                kept = {"tries": batch.tries, "why": batch.why}
                return timedelta(0) if batches.advance(batch, State.RECORDING, **kept) else None
    return None


def record_row(row: Allocation) -> None:
    """Enter one row, and keep what became of it."""
    batch = row.batch
    # Since a second person let it go, the loan may have moved: what has changed is shown again.
    if batch.approved_by is not None and has_changed(row):
        row.decision = Decision.OPEN
        row.save(
            update_fields=["decision", "finding", "account_id", "borrower_id", "basis", "owed"]
        )
        return
    try:
        row.repayment = sending.record(
            build_request(row),
            batch.created_by,
            row.idempotency_key,
            agreed=row.finding == Finding.MAY_DOUBLE,
            approved_by=batch.approved_by,
        )
    except (services.LoanBusy, services.NobodyToApprove):
        row.is_held = True
    except services.DuplicateExternalId:
        row.finding, row.decision = Finding.RECORDED, Decision.OPEN
    except services.MayDouble:
        row.finding, row.decision = Finding.MAY_DOUBLE, Decision.OPEN
    row.save(update_fields=["is_held", "finding", "decision", "repayment"])


class _Crew:
    """Threads that record rows of different loans at once, each with its own connection.

    The rows of one loan follow each other. While the service fails, one thread does all.
    """

    def __init__(self) -> None:
        self._queue: Queue[list[Allocation] | None] = Queue()
        self._batch, self._failed, self._until = Batch(), list[BaseException](), 0.0
        self._threads = [Thread(target=self._work, daemon=True) for _ in range(_THREADS)]

    def __enter__(self) -> "_Crew":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        for _thread in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()

    def record(self, batch: Batch, rows: Sequence[Allocation]) -> None:
        """Record these rows and count the faults in `batch`. Raises what failed beside the service.

        It ends when the last of them is kept, or the step is over and the rows in hand are kept.
        """
        self._batch, self._until = batch, time.monotonic() + _STEP
        of_loan: dict[str, list[Allocation]] = {}
        for row in rows:
            row.batch = batch
            of_loan.setdefault(row.account_id if not batch.tries else "", []).append(row)
        for some in of_loan.values():
            self._queue.put(some)
        self._queue.join()
        if self._failed:
            raise self._failed[0]

    def _work(self) -> None:
        try:
            while (rows := self._queue.get()) is not None:
                try:
                    self._record_all(rows)
                except BaseException as error:
                    self._failed.append(error)
                finally:
                    self._queue.task_done()
        finally:
            connection.close()

    def _record_all(self, rows: Sequence[Allocation]) -> None:
        for row in rows:
            is_over = time.monotonic() > self._until
            if is_over or self._failed or self._batch.tries >= _MOST_FAULTS:
                return
            record_row(row)
            if row.repayment is not None:
                _count_fault(self._batch, row.repayment)


def _count_fault(batch: Batch, repayment: Repayment) -> None:
    """Count faults that follow each other; the batch keeps why with them."""
    is_faulty = repayment.state in _FAULTY
    batch.tries = batch.tries + 1 if is_faulty else 0
    batch.why = repayment.why if is_faulty else ""


def _list_following(batch: Batch) -> Sequence[Allocation]:
    """The next rows, the oldest payment first."""
    order = ("-position", "part") if batch.file.newest_first else ("position", "part")
    rows = batches.list_to_do(batch).filter(is_held=False).select_related("line")
    return list(rows.order_by(*order)[:_AT_ONCE])


def _find_obstacle(batch: Batch) -> str:
    """Why it can't go on, as a sentence; empty where it can."""
    if batch.tries >= _MOST_FAULTS:
        words = _("The service failed %(count)s times in a row. The last time: %(why)s")
        return words % {"count": _MOST_FAULTS, "why": batch.why}
    person, app_id = batch.created_by, batch.file.app_id
    if not person.has_perm("lending.loans.makeRepayment", app_id):
        words = _("%(username)s may not record repayments any more.")
        return words % {"username": person.username}
    return ""


def _end(batch: Batch) -> None:
    """Nothing is left to be entered, but for what waits for another repayment of its loan."""
    held = batches.list_to_do(batch).filter(is_held=True).count()
    if not held:
        batches.advance(batch, State.DONE)
        return
    words = _(
        "%(count)s rows wait: another repayment of their loan is not decided yet, or they need "
        "somebody who may approve them."
    )
    batches.advance(batch, State.PAUSED, why=words % {"count": held})
