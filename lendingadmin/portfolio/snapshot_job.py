"""Takes a snapshot of the portfolio: every page of the loans list, some seconds at a time.

Each page is one transaction that moves the snapshot from one `version` to the next, so that of
several workers only one adds a page. A worker that is killed loses the page in hand; one that finds
the snapshot stopped, or moved on by another, adds nothing. One page and the figures are kept in
memory, for any number of loans.
"""

import logging
import time
from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.http import Http404
from django.utils import timezone

from lendingadmin import gateway
from lendingadmin.display.numbers import number
from lendingadmin.gateway import LendingApp
from lendingadmin.lending.errors import BadRequest, LendingError, RateLimited, UnfinishedList
from lendingadmin.lending.pages import EMPTY_PAGES, LED_BACK, MAXIMUM_PAGE_SIZE, Page
from lendingadmin.lending.values import Loan, moment
from lendingadmin.staff.models import User
from lendingadmin.ui.lists import refuses_token

from . import reading
from .amounts import exactly
from .figures import Figures
from .models import Snapshot, SnapshotLoan

logger = logging.getLogger(__name__)

# Seconds. An urgent task waits no longer than one slice and one page for the worker.
SLICE = 5.0
# After a fault the slice is tried again, this much later; then the snapshot has failed.
PAUSES = tuple(timedelta(seconds=seconds) for seconds in (5, 15, 45, 120))
TRIES = len(PAUSES) + 1
# A snapshot that failed does not wait for the hours of SNAPSHOT_EVERY.
_AFTER_A_FAILURE = timedelta(hours=1)
_AT_ONCE = 500

_EMPTY_PAGES = f"The service's list went on with {EMPTY_PAGES} pages without a new loan."
_NO_APP = "This app is not configured any more."
_BREAKS = "The counting broke off several times at the same place. The worker's log says why."
_RESTARTS = "The service did not know its own place in the list any more; the counting began anew."
_REFUSED_TWICE = "The service refused its own page token, twice."
State = Snapshot.State


def begin_snapshot(app_id: str, by: User | None, *, restarted: bool = False) -> Snapshot | None:
    """Create a snapshot of an app; None where one is running. Nothing is read yet."""
    last = list_complete(app_id).first()
    now = timezone.now()
    try:
        with transaction.atomic():
            return Snapshot.objects.create(
                app_id=app_id,
                asked_by=by,
                restarted=restarted,
                began_at=now,
                heartbeat_at=now,
                previous=last,
                expected=last.loans_read if last else None,
            )
    except IntegrityError:
        return None


def list_complete(app_id: str) -> QuerySet[Snapshot]:
    """The complete snapshots of an app, the newest first."""
    return Snapshot.objects.filter(app_id=app_id, state=State.DONE).order_by("-id")


def find_newest(app_id: str) -> Snapshot | None:
    """The snapshot that began last, in whichever state."""
    return Snapshot.objects.filter(app_id=app_id).order_by("-id").first()


def find_next_due(last: Snapshot) -> datetime | None:
    """When the next snapshot begins by itself; None while this one runs, or without SNAPSHOT_EVERY.

    One that failed is tried again within the hour; one that was stopped waits like a complete one.
    """
    every = settings.SNAPSHOT_EVERY
    if not every or last.state == State.RUNNING:
        return None
    return last.began_at + (min(every, _AFTER_A_FAILURE) if last.state == State.FAILED else every)


def stop(app_id: str, by: User) -> Snapshot | None:
    """Stop the running snapshot; the worker sees it after its page. None where none is running."""
    row = Snapshot.objects.filter(app_id=app_id, state=State.RUNNING).first()
    if row is None or not _end(row, State.STOPPED, f"Stopped by {by.username}."):
        return None
    return row


def count_slice(snapshot_id: int) -> timedelta | None:
    """Read pages for some seconds; how long to wait before the next slice, None at the end."""
    row = Snapshot.objects.filter(pk=snapshot_id, state=State.RUNNING).first()
    if row is None:
        return None
    if row.tries >= TRIES:
        _end(row, State.FAILED, row.why or _BREAKS)
        return None
    mine = Snapshot.objects.filter(
        pk=row.pk, state=State.RUNNING, version=row.version, tries=row.tries
    )
    if not mine.update(tries=F("tries") + 1, heartbeat_at=timezone.now()):
        return None
    row.tries += 1
    try:
        return _read_pages(row, gateway.lending_app(row.app_id), time.monotonic() + SLICE)
    except Http404:
        _end(row, State.FAILED, _NO_APP)
    except BadRequest as error:
        if not (row.page_token and refuses_token(error)):
            return _pause_or_fail(row, error)
        _restart(row)
    except UnfinishedList as error:
        _end(row, State.FAILED, error.message)
    except LendingError as error:
        return _pause_or_fail(row, error)
    return None


def _read_pages(row: Snapshot, app: LendingApp, until: float) -> timedelta | None:
    """Add page after page until the time is over, the list is, or the snapshot was ended.

    Raises LendingError: UnfinishedList where the list leads back to itself. Within a slice the
    page iterator notices that; across slices the loans that are known already show it.
    """
    loans = gateway.app(row.app_id).loans.only(reading.KEYS)
    for page in loans.pages(page_size=MAXIMUM_PAGE_SIZE, page_token=row.page_token or None):
        if not _add_page(row, page, app):
            return None
        if page.next_page_token is None:
            logger.info("%s of %s is complete: %s loans", row, row.app_id, row.loans_read)
            return None
        if row.empty_pages >= EMPTY_PAGES:
            raise UnfinishedList(_EMPTY_PAGES)
        if time.monotonic() > until:
            return timedelta(0)
    return None


def _add_page(row: Snapshot, page: Page[Loan], app: LendingApp) -> bool:
    """Add one page in one transaction; False where the snapshot was ended or moved on meanwhile.

    Raises UnfinishedList for a page whose loans are all known already.
    """
    now = timezone.now()
    found, unreadable = reading.read_rows(page.items, app.zone)
    # Pages shift while people write, so that a loan may come twice.
    known = _read_paid(row, [loan.account_id for loan, _ in found])
    fresh = [(loan, read) for loan, read in found if loan.account_id not in known]
    same = Snapshot.objects.filter(pk=row.pk, state=State.RUNNING, version=row.version)
    if found and not fresh and not unreadable:
        if same.exists():
            raise UnfinishedList(LED_BACK)
        return False
    _set_paid_since(row, fresh)
    rows = [loan for loan, _ in fresh]
    day = row.began_at.astimezone(app.zone).date()
    sums = Figures.from_json(row.figures) if row.figures else Figures(day)
    sums.add_all(rows)
    for loan in rows:
        loan.snapshot = row
        reading.set_ranks(loan)
    ends = page.next_page_token is None
    changes = {
        "version": row.version + 1,
        "tries": 0,
        "empty_pages": 0 if rows else row.empty_pages + 1,
        "why": "",
        "heartbeat_at": now,
        "loans_read": row.loans_read + len(rows),
        "unreadable": row.unreadable + unreadable,
        "figures": sums.as_json(),
        "page_token": page.next_page_token or "",
    } | ({"state": State.DONE, "ended_at": now} if ends else {})
    with transaction.atomic():
        if not same.update(**changes):
            return False
        SnapshotLoan.objects.bulk_create(rows, batch_size=_AT_ONCE)
    for name, value in changes.items():
        setattr(row, name, value)
    return True


def _read_paid(snapshot: Snapshot, keys: list[str]) -> dict[str, Decimal | None]:
    """What was paid on these loans, as far as the snapshot has them."""
    rows = SnapshotLoan.objects.filter(snapshot=snapshot)
    found: dict[str, Decimal | None] = {}
    for at in range(0, len(keys), _AT_ONCE):
        some = rows.filter(account_id__in=keys[at : at + _AT_ONCE])
        found.update(some.values_list("account_id", "paid"))
    return found


def _set_paid_since(row: Snapshot, fresh: list[tuple[SnapshotLoan, Loan]]) -> None:
    """Set what was paid on each loan since the last complete snapshot, where that is known.

    A loan that is missing there counts from zero only if it was created since: a page that shifted
    may have left it out.
    """
    last = row.previous
    if last is None:
        return
    before = _read_paid(last, [loan.account_id for loan, _ in fresh])
    with exactly():
        for loan, read in fresh:
            paid = before.get(loan.account_id)
            made = moment(read.created_at)
            if loan.account_id not in before and made and made >= last.began_at:
                paid = Decimal(0)
            if paid is not None and loan.paid is not None:
                loan.paid_since_last = number(loan.paid - paid)


def _pause_or_fail(row: Snapshot, error: LendingError) -> timedelta | None:
    """After a fault of the service: how long to wait; None where the snapshot has failed."""
    tries = max(row.tries, 1)  # none where the slice had read a page before
    if tries >= TRIES:
        _end(row, State.FAILED, error.message)
        return None
    now = timezone.now()
    same = Snapshot.objects.filter(pk=row.pk, state=State.RUNNING, version=row.version)
    if not same.update(why=error.message, tries=tries, heartbeat_at=now):
        return None
    logger.warning("%s waits: %s", row, error)
    pause = PAUSES[tries - 1]
    asked = error.retry_after if isinstance(error, RateLimited) else None
    return max(pause, timedelta(seconds=min(asked or 0, 600)))


def _restart(row: Snapshot) -> None:
    """Start over, once: loans may have moved meanwhile, so nothing of this snapshot is used."""
    from . import tasks

    if row.restarted:
        _end(row, State.FAILED, _REFUSED_TWICE)
        return
    with transaction.atomic():
        if _end(row, State.FAILED, _RESTARTS):
            tasks.start(row.app_id, row.asked_by, restarted=True)


def _end(row: Snapshot, state: str, why: str) -> bool:
    same = Snapshot.objects.filter(pk=row.pk, state=State.RUNNING)
    ended = same.update(state=state, why=why, ended_at=timezone.now(), page_token="")
    if ended:
        logger.info("%s of %s has ended: %s", row, row.app_id, state)
    return bool(ended)
