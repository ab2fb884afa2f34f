"""Papers in bulk: the worker makes one paper for each borrower of a list, and one print has all.

A worker claims a row with a step of the job, and saves the row in the transaction of its paper. A
worker that is killed loses at most one paper, which was not saved yet. The idempotency key of a
paper comes from its row, so two workers with the same row make one paper.
"""

import logging
import time
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core import audit, gateway
from lendingadmin.core.monitoring.metrics import TableGauge
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import MAKE_PAPERS, SEE_NAMES
from lendingadmin.core.worker.walks import SLICE, TRIES, find_pause, read_last_moved
from lendingadmin.lending.errors import (
    BadRequest,
    InvalidId,
    LendingError,
    NotAllowed,
    NotFound,
    UnidentifiedRecord,
    WrongRecord,
)
from lendingadmin.web.exports import EXPORT

from . import services
from .figures import Unfit
from .models import BulkPapers, BulkRow, Paper, PaperKind
from .services import Wanted

logger = logging.getLogger(__name__)

State = BulkPapers.State

#: The rights for papers in bulk: the same as for an export, because both show many people.
RIGHTS = (
    *(MAKE_PAPERS, SEE_NAMES, EXPORT),
    *("lending.borrowers.list", "lending.borrowers.get"),
    *("lending.loans.list", "lending.loans.get"),
)
#: The kinds of papers that are made in bulk.
KINDS = (PaperKind.STATEMENT, PaperKind.NOTICE)
#: The most borrowers of one list, because one print has all their papers.
MOST = 2_000
_SAVED_AT_ONCE = 500
# After these errors the service would give the same answer again, so no paper is made for the row.
_LASTING = (BadRequest, InvalidId, NotAllowed, NotFound, UnidentifiedRecord, WrongRecord)


class Choice(NamedTuple):
    """The kind, language and period of the papers that a person requested."""

    kind: PaperKind
    language: str
    first_day: date | None
    last_day: date | None


class Progress(NamedTuple):
    """Numbers of borrowers: all, those with a paper, and those with a reason."""

    total: int
    made: int
    refused: int

    @property
    def done(self) -> int:
        """Number of borrowers with a paper or a reason."""
        return self.made + self.refused


def list_borrowers(rows: QuerySet[Any, str]) -> list[str]:
    """Return these borrowers, each once, in the order of the rows; at most MOST + 1."""
    borrowers: dict[str, None] = {}
    for borrower_id in rows.exclude(borrower_id="").iterator(chunk_size=_SAVED_AT_ONCE):
        borrowers[borrower_id] = None
        if len(borrowers) > MOST:
            break
    return list(borrowers)


def begin(
    app_id: str,
    query: str,
    borrowers: Sequence[str],
    choice: Choice,
    by: User,
    idempotency_key: str,
) -> BulkPapers:
    """Save the borrowers for the worker, with an entry in the audit trail.

    If the same form was sent before, return the papers that were saved then.
    """
    today = timezone.localdate(timezone=gateway.lending_app(app_id).zone)
    try:
        with transaction.atomic():
            bulk = BulkPapers.objects.create(
                app_id=app_id,
                query=query,
                day=today,
                created_by=by,
                idempotency_key=idempotency_key,
                **choice._asdict(),
            )
            rows = (BulkRow(bulk=bulk, borrower_id=one) for one in borrowers)
            BulkRow.objects.bulk_create(rows, batch_size=_SAVED_AT_ONCE)
            detail = f"{bulk.get_kind_display()}: {len(borrowers)}"
            audit.record_about(
                bulk, by, MAKE_PAPERS, gettext_noop("started in bulk"), detail=detail
            )
    except IntegrityError:
        return BulkPapers.objects.get(idempotency_key=idempotency_key)
    return bulk


def run_slice(number: int) -> timedelta | None:
    """Make papers for some seconds. Return the wait before the next slice; None at the end."""
    rows = BulkPapers.objects.select_related("created_by")
    bulk = rows.filter(pk=number, state=State.RUNNING).first()
    until = time.monotonic() + SLICE
    while bulk is not None:
        row = bulk.rows.filter(paper=None, code="").order_by("id").first()
        if row is None:
            bulk.step(state=State.DONE, why="")
            return None
        if obstacle := _find_obstacle(bulk):
            bulk.step(state=State.PAUSED, why=obstacle)
            return None
        # If another worker has claimed the row first, this worker stops.
        if not bulk.step(tries=bulk.tries + 1):
            return None
        row.bulk = bulk
        try:
            _make_one(row)
        except LendingError as error:
            return _wait(bulk, error)
        if not bulk.step(tries=0, why=""):
            return None
        if time.monotonic() > until:
            return timedelta(0)
    return None


def resume(bulk: BulkPapers) -> bool:
    """Continue paused papers; return False if they are not paused."""
    return bulk.state == State.PAUSED and bulk.step(state=State.RUNNING, tries=0, why="")


def read_progress(bulk: BulkPapers) -> Progress:
    """Return the numbers of borrowers with a paper and with a reason."""
    counts = bulk.rows.aggregate(
        total=Count("pk"), made=Count("paper"), refused=Count("pk", filter=~Q(code=""))
    )
    return Progress(**counts)


def note_printing(bulk: BulkPapers, by: User) -> list[tuple[Paper, datetime | None]]:
    """Record that the papers are opened for printing; return them in the order of the list.

    Each paper comes with the time of its first opening; None if this is the first opening. Papers
    with erased content are left out. The audit trail gets one entry for all papers.
    """
    rows = Paper.objects.filter(bulk_row__bulk=bulk).exclude(content="")
    with transaction.atomic():
        papers = list(rows.select_related("made_by").order_by("bulk_row__id"))
        now = timezone.now()
        new = [one.pk for one in papers if one.opened_at is None]
        for at in range(0, len(new), _SAVED_AT_ONCE):
            some = Paper.objects.filter(pk__in=new[at : at + _SAVED_AT_ONCE], opened_at=None)
            some.update(opened_at=now)
        again = gettext_noop("opened for reprinting")
        outcome = gettext_noop("opened for printing") if new else again
        audit.record_about(bulk, by, MAKE_PAPERS, outcome, detail=str(len(papers)))
    return [(one, one.opened_at) for one in papers]


#: For monitors.
MOVED = TableGauge(
    "bulk_papers_moved_seconds",
    "When the slowest papers in bulk that the worker makes last moved, by app; 0 for none.",
    ("app",),
    lambda: read_last_moved(BulkPapers.objects.filter(state=State.RUNNING)),
)


def _find_obstacle(bulk: BulkPapers) -> str:
    """Return a sentence with the reason why no more papers can be made; empty if there is none."""
    if bulk.tries >= TRIES:
        return bulk.why or _(
            "The papers were stopped, because the work failed several times at the same borrower."
        )
    person: User = bulk.created_by
    if not all(person.has_perm(name, bulk.app_id) for name in RIGHTS):
        words = _("%(username)s may no longer make papers in bulk.")
        return words % {"username": person.username}
    return ""


def _make_one(row: BulkRow) -> None:
    """Make the paper of a row, or save the reason why there is none.

    Raise LendingError if the service may give another answer later.
    """
    bulk = row.bulk
    days = {"first_day": bulk.first_day, "last_day": bulk.last_day}
    wanted = Wanted(PaperKind(bulk.kind), row.borrower_id, "", bulk.language, **days)
    app, key = gateway.lending_app(bulk.app_id), f"bulk-{bulk.pk}-{row.pk}"
    try:
        services.make_paper(app, wanted, key, bulk.created_by, row=row)
    except Unfit as error:
        row.waiting.update(code=error.code, account_id=error.account_id, until=error.until)
    except _LASTING:
        row.waiting.update(code="refused")


def _wait(bulk: BulkPapers, error: LendingError) -> timedelta | None:
    """Return the wait after a fault of the service; after too many tries pause, and return None."""
    pause = find_pause(bulk.tries, error)
    state = State.PAUSED if pause is None else State.RUNNING
    if not bulk.step(state=state, why=error.message):
        return None
    logger.warning("%s waits: %s", bulk, type(error).__name__)
    return pause
