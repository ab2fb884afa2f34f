"""Job that reads every page of the list of loans for a snapshot, in slices of some seconds.

For any number of loans, only one page and the figures are in memory.
"""

import logging
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core import gateway
from lendingadmin.core.monitoring.metrics import TableGauge
from lendingadmin.core.staff.models import User
from lendingadmin.core.worker.walks import AFTER_A_FAILURE, Walk, find_interval
from lendingadmin.lending.errors import UnfinishedList
from lendingadmin.lending.pages import LED_BACK, ListResource, Page
from lendingadmin.lending.values import Loan, moment
from lendingadmin.web.display.numbers import number
from lendingadmin.web.policies import LOAN, PERFORMANCE, read_words

from . import reading
from .amounts import exactly
from .figures import OTHER_KINDS, Figures
from .models import FIGURES_VERSION, Snapshot, SnapshotLoan

logger = logging.getLogger(__name__)

_AT_ONCE = 500
STOPPED_BY = gettext_noop("Stopped by %(person)s.")

State = Snapshot.State


def begin_snapshot(
    app_id: str, by: User | None, *, restarted: bool = False, now: datetime | None = None
) -> Snapshot | None:
    """Create a snapshot of an app; return None if another snapshot is running.

    No loans are read yet. `now` replaces the present time.
    """
    last = list_complete(app_id).first()
    now = now or timezone.now()
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
    """Return the complete snapshots of an app, the newest first."""
    return Snapshot.objects.filter(app_id=app_id, state=State.DONE).order_by("-id")


def find_with_loans(app_id: str, number: int = 0) -> Snapshot | None:
    """Return the newest complete snapshot, or the complete snapshot with this number.

    Return None if there is no such snapshot, if its loans are not stored, or if its figures have
    another meaning.
    """
    rows = list_complete(app_id)
    row = (rows.filter(pk=number) if number else rows).first()
    return row if row and row.is_readable else None


def read_ages() -> list[tuple[tuple[str, ...], float]]:
    """Return the Unix time when the newest complete snapshot of each app began, for a gauge.

    Apps without a complete snapshot are left out.
    """
    apps = [app.app_id for app in settings.LENDING_APPS]
    found = [(app_id, list_complete(app_id).first()) for app_id in apps]
    return [((app_id,), row.began_at.timestamp()) for app_id, row in found if row]


def find_newest(app_id: str) -> Snapshot | None:
    """Return the snapshot that began last, in any state; None before the first one."""
    return Snapshot.objects.filter(app_id=app_id).order_by("-id").first()


def find_next_due(last: Snapshot) -> datetime | None:
    """Return the time when the next snapshot begins automatically.

    Return None while a snapshot runs, or without SNAPSHOT_EVERY. After a failed snapshot, the next
    one is due within the hour. After a stopped snapshot, the wait is the same as after a complete
    one. If the figures of the last complete snapshot have another meaning, the next snapshot is due
    immediately.
    """
    every = find_interval(settings.SNAPSHOT_EVERY, max(last.loans_read, last.expected or 0))
    if not every or last.state == State.RUNNING:
        return None
    due = last.began_at + (min(every, AFTER_A_FAILURE) if last.state == State.FAILED else every)
    if last.state == State.DONE and last.figures_version != FIGURES_VERSION:
        return min(due, timezone.now().replace(second=0, microsecond=0))
    return due


def stop(app_id: str, by: User) -> Snapshot | None:
    """Stop the running snapshot; return None if no snapshot is running.

    The worker notices the stop after its current page.
    """
    running = Snapshot.objects.filter(app_id=app_id, state=State.RUNNING)
    row, now = running.first(), timezone.now()
    why = _(STOPPED_BY) % {"person": by.username}
    changes = {"state": State.STOPPED, "why": why, "ended_at": now, "page_token": ""}
    # This change is valid for any page that the worker has reached.
    return row if row and running.filter(pk=row.pk).update(**changes) else None


class CountWalk(Walk[Snapshot]):
    """The walk through the loans for a snapshot.

    If the walk must start over, a new snapshot begins.
    """

    model = Snapshot

    def find_obstacle(self) -> str:
        """Return the reason why the walk cannot continue; empty if there is none."""
        is_older = self.row.figures_version != FIGURES_VERSION
        if is_older:
            return _(
                "The update stopped, because a new version of the dashboard computes the "
                "figures in another way."
            )
        return super().find_obstacle()

    def open_list(self) -> ListResource[Loan]:
        """Return the list of loans, with only the fields that a snapshot needs."""
        return gateway.app(self.row.app_id).loans.only(reading.KEYS)

    def add_page(self, page: Page[Loan]) -> bool:
        """Add the loans of a page; return False if another process ended or moved the walk.

        Raises UnfinishedList if all loans of the page are already known, because the service then
        repeats its pages. Within a slice, the page iterator detects repeated pages. From one slice
        to the next, only the known loans show the repetition.
        """
        row, zone = self.row, gateway.lending_app(self.row.app_id).zone
        day = row.began_at.astimezone(zone).date()
        found, unreadable = reading.read_rows(page.items, zone, day, read_words(LOAN))
        # Writes at the service shift the pages, so a loan may come twice.
        known = _read_paid(row, [loan.account_id for loan, _read in found])
        fresh = [(loan, read) for loan, read in found if loan.account_id not in known]
        if found and not fresh and not unreadable:
            raise UnfinishedList(LED_BACK)
        _set_paid_since(row, fresh)
        rows = [loan for loan, _read in fresh]
        sums = Figures.from_json(row.figures) if row.figures else Figures(day)
        sums.add_all(rows)
        for loan in rows:
            loan.snapshot = row
            reading.set_ranks(loan)
        lacking = row.without_borrower
        if lacking is not None:
            lacking += sum(loan.is_open and not loan.borrower_id for loan in rows)
        ends = {"state": State.DONE, "ended_at": timezone.now()}
        with transaction.atomic():
            if not self.move(
                empty_pages=0 if rows else row.empty_pages + 1,
                loans_read=row.loans_read + len(rows),
                unreadable=row.unreadable + unreadable,
                without_borrower=lacking,
                figures=sums.as_json(),
                page_token=page.next_page_token or "",
                **({} if page.next_page_token else ends),
            ):
                return False
            SnapshotLoan.objects.bulk_create(rows, batch_size=_AT_ONCE)
        return True

    def end_list(self, until: float) -> None:
        """Log the end of the snapshot, and enqueue the totals of its lists."""
        from . import tasks

        logger.info(
            "%s of %s is complete: %s loans", self.row, self.row.app_id, self.row.loans_read
        )
        tasks.prepare_lists.enqueue()

    def start_over(self) -> None:
        """End this snapshot as failed and start a new one.

        Loans may have moved between pages, so this walk can't continue.

        If another process has ended or moved the snapshot, do nothing.
        """
        from . import tasks

        with transaction.atomic():
            why = _(
                "The update could not continue reading the service's list, so the update "
                "started again."
            )
            if self.end(State.FAILED, why):
                tasks.start(self.row.app_id, self.row.asked_by, restarted=True)


def _read_paid(snapshot: Snapshot, keys: list[str]) -> dict[str, Decimal | None]:
    """Return the amount paid on each of these loans that the snapshot has, by loan id."""
    rows = SnapshotLoan.objects.filter(snapshot=snapshot)
    found: dict[str, Decimal | None] = {}
    for at in range(0, len(keys), _AT_ONCE):
        some = rows.filter(account_id__in=keys[at : at + _AT_ONCE])
        found.update(some.values_list("account_id", "paid"))
    return found


def _set_paid_since(row: Snapshot, fresh: list[tuple[SnapshotLoan, Loan]]) -> None:
    """Set the amount paid on each loan since the last complete snapshot, if it is known.

    If a loan is missing in that snapshot, its amount counts from zero only if the loan was created
    after that snapshot. An older loan may be missing only because items moved between pages.
    """
    last = row.previous
    if last is None:
        return
    before = _read_paid(last, [loan.account_id for loan, _read in fresh])
    with exactly():
        for loan, read in fresh:
            paid = before.get(loan.account_id)
            made = moment(read.created_at)
            if loan.account_id not in before and made and made >= last.began_at:
                paid = Decimal(0)
            if paid is not None and loan.paid is not None:
                loan.paid_since_last = number(loan.paid - paid)


AGE = TableGauge(
    "snapshot_seconds",
    "Start of the newest complete update of loans, by app; Unix time.",
    ("app",),
    read_ages,
)


def list_seen() -> Mapping[str, Iterable[str]]:
    """Return the status numbers of loans and of their performance, in all apps."""
    found = [find_newest(app.app_id) for app in settings.LENDING_APPS]
    figures = [Figures.from_json(one.figures) for one in found if one and one.figures]
    return {
        LOAN: {key for one in figures for key in one.statuses},
        PERFORMANCE: {key for one in figures for key in one.performance if key != OTHER_KINDS},
    }
