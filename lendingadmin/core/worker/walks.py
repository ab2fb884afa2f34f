"""Walks through the lists of the service, in slices of some seconds.

Each page is saved in one transaction, which moves the walk from one `version` to the next. So only
one of several workers adds a page, and a worker that is killed loses only its current page. A
worker adds nothing if the walk has ended, or if another worker was faster. Urgent tasks wait for at
most one slice.
"""

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import transaction
from django.db.models import F, Min, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django_tasks.base import Task

from lendingadmin.core.encryption import bind
from lendingadmin.lending.errors import (
    BadRequest,
    InvalidId,
    LendingError,
    NotAllowed,
    NotFound,
    RateLimited,
    UnfinishedList,
    UnidentifiedRecord,
    WrongRecord,
)
from lendingadmin.lending.pages import (
    EMPTY_PAGES,
    MAXIMUM_PAGE_SIZE,
    ListResource,
    Page,
    refuses_token,
)
from lendingadmin.lending.values import Malformed, moment

from . import duties
from .models import FAILED, IDLE, RUNNING, IndexRow, Job, WalkRow

logger = logging.getLogger(__name__)

# Seconds. An urgent task waits at most for one slice and one page.
SLICE = 5.0
# Pauses before a slice is tried again after a fault. If the last try fails, the walk has failed.
PAUSES = tuple(timedelta(seconds=seconds) for seconds in (5, 15, 45, 120))
TRIES = len(PAUSES) + 1
# Longest time from the start of a failed walk to the next walk.
AFTER_A_FAILURE = timedelta(hours=1)
# Pause between two top-ups, which read new records if the list is newest first.
TOP_UP_EVERY = timedelta(minutes=5)
_LONGEST_ASKED = 600
_CONFIRMED_AT_ONCE = 1_000

# Shortest and longest interval if PEOPLE_EVERY is not set. The interval is longer for a longer
# list, so that walks request a limited number of items in an hour. But each list is read at least
# once a day.
_EVERY, _LONGEST_EVERY = timedelta(hours=6), timedelta(hours=24)
_ITEMS_AN_HOUR = 100_000

Row = TypeVar("Row", bound=WalkRow)
Index = TypeVar("Index", bound=IndexRow)
AnyJob = TypeVar("AnyJob", bound=Job)


def find_pause(tries: int, error: LendingError) -> timedelta | None:
    """Return the pause after a fault of the service; None after too many tries."""
    if tries >= TRIES:
        return None
    asked = error.retry_after if isinstance(error, RateLimited) else None
    return max(PAUSES[max(tries, 1) - 1], timedelta(seconds=min(asked or 0, _LONGEST_ASKED)))


def find_interval(every: timedelta | None, known: int) -> timedelta:
    """Return the time from the start of one walk to the start of the next.

    The time is `every` if it is set. Otherwise it is 6 hours, or longer for more than 600,000
    items, and at most 24 hours. `known` is the number of items in the last complete walk. The
    interval does not depend on the duration of the walk, so that a slow walk does not delay the
    next walk.
    """
    if every is not None:
        return every
    return min(max(_EVERY, timedelta(hours=known / _ITEMS_AN_HOUR)), _LONGEST_EVERY)


class Walk(ABC, Generic[Row]):
    """A slice of a walk. A subclass defines the list, the work on a page, and the end."""

    model: type[Row]

    def __init__(self, row: Row) -> None:
        self.row = row

    @abstractmethod
    def open_list(self) -> ListResource[Any]:
        """Return the list of the service that the walk reads."""

    @abstractmethod
    def add_page(self, page: Page[Any]) -> bool:
        """Save a page in one transaction that begins with `move`; return False if `move` fails."""

    @abstractmethod
    def start_over(self) -> timedelta | None:
        """Begin the walk again, because the service refused its own page token.

        Return the wait before the next slice; None if there is none.
        """

    def find_obstacle(self) -> str:
        """Return a sentence with the reason why the walk cannot continue; empty if it can."""
        is_configured = any(app.app_id == self.row.app_id for app in settings.LENDING_APPS)
        return "" if is_configured else _("This app is no longer in the settings of the dashboard.")

    def end_list(self, until: float) -> timedelta | None:
        """Do the work after the last page.

        Return the wait before the next slice; None if no work is left.
        """
        return None

    @classmethod
    def run_slice(cls, row_id: int) -> timedelta | None:
        """Read pages for some seconds. Return the wait before the next slice; None at the end."""
        row = cls.model._default_manager.filter(pk=row_id, state=RUNNING).first()
        return cls(row)._run_slice() if row else None

    def _run_slice(self) -> timedelta | None:
        row = self.row
        breaks = _(
            "The update stopped several times at the same place. The administrator can find "
            "the reason in the log."
        )
        obstacle = self.find_obstacle() or (row.tries >= TRIES and (row.why or breaks))
        if obstacle:
            self.end(FAILED, obstacle)
            return None
        mine = row.list_same().filter(tries=row.tries)
        if not mine.update(tries=F("tries") + 1, heartbeat_at=timezone.now()):
            return None
        row.tries += 1
        try:
            return self.read(time.monotonic() + SLICE)
        except UnfinishedList as error:
            self.end(FAILED, error.message)
        except LendingError as error:
            if not (isinstance(error, BadRequest) and row.page_token and refuses_token(error)):
                return self._pause_or_fail(error)
            if not row.restarted:
                return self.start_over()
            self.end(FAILED, _("The service twice refused to send the next page of its list."))
        return None

    def read(self, until: float) -> timedelta | None:
        """Add pages until the time `until`, the end of the list, or the end of the walk.

        Return the wait before the next slice; None if there is none. Raise LendingError:
        UnfinishedList if the list repeats itself, or has nothing new for EMPTY_PAGES pages.
        """
        for page in self.list_pages():
            if not self.add_page(page):
                return None
            if page.next_page_token is None:
                return self.end_list(until)
            if self.row.empty_pages >= EMPTY_PAGES:
                words = _(
                    "The service sent %(count)s more pages of its list, but these pages had "
                    "nothing new."
                )
                raise UnfinishedList(words % {"count": EMPTY_PAGES})
            if time.monotonic() > until:
                return timedelta(0)
        return None

    def list_pages(self) -> Iterator[Page[Any]]:
        """Yield the pages after the position of the walk.

        Each page is read only when it is needed.
        """
        token = self.row.page_token or None
        return self.open_list().pages(page_size=MAXIMUM_PAGE_SIZE, page_token=token)

    def move(self, **changes: object) -> bool:
        """Claim the next step; return False if another process ended or moved the walk."""
        return self.row.step(**{"tries": 0, "why": "", **changes})

    def end(self, state: str, why: str) -> bool:
        """End the walk early; return False if another process has already ended or moved it."""
        changes = {"state": state, "why": why, "ended_at": timezone.now(), "page_token": ""}
        is_ended = bool(self.row.list_same().update(**bind(self.row, **changes)))
        if is_ended:
            logger.warning("%s of %s has ended: %s", self.row, self.row.app_id, state)
        return is_ended

    def _pause_or_fail(self, error: LendingError) -> timedelta | None:
        """Handle a fault of the service.

        Return the wait before the next slice; None if the walk has failed, or if another worker has
        moved the walk.
        """
        tries = max(self.row.tries, 1)  # 0 if the slice has already added a page
        pause = find_pause(tries, error)
        if pause is None:
            self.end(FAILED, error.message)
            return None
        changes = {"why": error.message, "tries": tries, "heartbeat_at": timezone.now()}
        if not self.row.list_same().update(**changes):
            return None
        logger.warning("%s waits: %s", self.row, error)
        return pause


class IndexWalk(Walk[Index]):
    """A walk that updates a table from a list. PEOPLE_EVERY defines how often.

    While people write, pages may repeat or skip items, or change their order. An item that is seen
    twice counts once. If a walk did not see an item, the item is requested by id before its row is
    deleted.
    """

    @classmethod
    def list_rows(cls) -> QuerySet[Index]:
        """Return the rows of the walks, one for each app."""
        return cls.model._default_manager.all()

    @classmethod
    def get_row(cls, app_id: str) -> Index:
        """Return the row of an app; make it if there is none."""
        return cls.model._default_manager.get_or_create(app_id=app_id)[0]

    @abstractmethod
    def put_items(self, items: Iterable[Any], read_at: datetime) -> tuple[int, int]:
        """Save items as seen by this walk; return the number of new items and of unreadable items.

        The caller opens the transaction.
        """

    @abstractmethod
    def list_unseen(self) -> QuerySet[Any]:
        """Return the rows that existed before this walk and were not seen by it."""

    @abstractmethod
    def read_unseen(self, unseen: Any) -> Any:
        """Read the record of a row that the walk did not see.

        Raise LendingError: NotFound if the record was deleted, WrongRecord if the id belongs to
        another record.
        """

    @abstractmethod
    def drop_unseen(self, unseen: Any) -> None:
        """Delete a row that the walk did not see, in a transaction."""

    def tidy(self) -> None:
        """Do the remaining work after a complete walk."""

    @classmethod
    def begin(cls, app_id: str) -> Index | None:
        """Begin a walk of an app; return None if a walk is running.

        Nothing is read yet.
        """
        row, now = cls.get_row(app_id), timezone.now()
        begun = cls.model._default_manager.filter(pk=row.pk).exclude(state=RUNNING)
        clean = dict.fromkeys(("seen", "unreadable", "tries", "empty_pages"), 0)
        is_begun = begun.update(
            **clean,
            why="",
            page_token="",
            ended_at=None,
            is_confirming=False,
            state=RUNNING,
            restarted=False,
            began_at=now,
            heartbeat_at=now,
            walk=F("walk") + 1,
            version=F("version") + 1,
        )
        row.refresh_from_db()
        return row if is_begun else None

    def start_over(self) -> timedelta | None:
        """Read the list again from its start; all records count as not seen.

        Return the wait before the next slice; None if another worker has moved the walk.
        """
        none = dict.fromkeys(("seen", "unreadable", "empty_pages"), 0)
        is_begun = self.move(**none, page_token="", restarted=True, walk=self.row.walk + 1)
        return timedelta(0) if is_begun else None

    def read(self, until: float) -> timedelta | None:
        """Add pages, or request the records that the list left out. May raise LendingError.

        Return the wait before the next slice; None if no work is left.
        """
        return self.end_list(until) if self.row.is_confirming else super().read(until)

    def add_page(self, page: Page[Any]) -> bool:
        """Save a page; return False if another worker has moved the walk.

        After the last page, the walk requests the items that it did not see.
        """
        row, following = self.row, page.next_page_token
        made_at = find_last_made(page.items, row.last_made_at, is_first=not row.page_token)
        changes = {"is_confirming": following is None, "last_made_at": made_at}
        with transaction.atomic():
            if not self.move(page_token=following or "", **changes):
                return False
            new, unreadable = self.put_items(page.items, page.read_at)
            row.seen += new
            row.unreadable += unreadable
            row.empty_pages = 0 if new else row.empty_pages + 1
            row.save(update_fields=["seen", "unreadable", "empty_pages"])
        return True

    def end_list(self, until: float) -> timedelta | None:
        """Request the records that the list left out by id; delete the rows of deleted records.

        A record may be missing only because items moved between pages. After the last record, the
        walk is complete. Return the wait before the next slice; None at the end.
        """
        for unseen in list(self.list_unseen()[:_CONFIRMED_AT_ONCE]):
            read_at, is_gone = timezone.now(), False
            try:
                found = self.read_unseen(unseen)
            except (NotFound, InvalidId, WrongRecord):
                found, is_gone = None, True
            except (BadRequest, NotAllowed, UnidentifiedRecord):
                # Another request would get the same error, which does not show whether the record
                # exists.
                found = None
            with transaction.atomic():
                if not self.move():
                    return None
                if found is not None:
                    self.put_items([found], read_at)
                elif is_gone:
                    self.drop_unseen(unseen)
                else:
                    unseen.walk = self.row.walk
                    unseen.save(update_fields=["walk"])
            if time.monotonic() > until:
                return timedelta(0)
        if self.list_unseen().exists():
            return timedelta(0)
        now, is_newest_first = timezone.now(), self.row.last_made_at is not None
        ends = {"state": IDLE, "known": self.row.seen, "complete_at": now, "ended_at": now}
        if self.row.list_same().update(**ends, is_newest_first=is_newest_first):
            self.tidy()
            logger.info("%s of %s is complete: %s", self.row, self.row.app_id, self.row.seen)
        return None

    @classmethod
    def run_top_up(cls, row_id: int) -> timedelta | None:
        """Read the newest records between walks, until a page has nothing new.

        Each slice takes some seconds. Return the wait before the next slice; None at the end. A
        fault ends the top-up. The next top-up then reads the records.
        """
        rows = cls.model._default_manager.filter(pk=row_id, state=IDLE, is_newest_first=True)
        row, until = rows.first(), time.monotonic() + SLICE
        if row is None:
            return None
        walk = cls(row)
        try:
            for page in walk.list_pages():
                with transaction.atomic():
                    if not walk.move(page_token=page.next_page_token or ""):
                        return None
                    new, _ = walk.put_items(page.items, page.read_at)
                    if not new and row.page_token:
                        walk.move(page_token="")
                if not row.page_token:
                    return None
                if time.monotonic() > until:
                    return timedelta(0)
        except LendingError as error:
            walk.move(page_token="")
            logger.warning("%s of %s could not be topped up: %s", row, row.app_id, error)
        return None


def find_last_made(
    items: Iterable[Any], before: datetime | None, *, is_first: bool
) -> datetime | None:
    """Return the creation time of the last item of a page, if the list is newest first.

    `before` is this time for the previous page. New items may move items of that page to this page,
    so only the last items of the two pages are compared. Return None if an item has no creation
    time or is newer than the item before it, or if the first page shows no order.
    """
    times = [moment(item.created_at) for item in items if not isinstance(item, Malformed)]
    known = [time for time in times if time is not None]
    if not known or len(known) < len(times) or known != sorted(known, reverse=True):
        return None
    if is_first:
        return known[-1] if known[0] > known[-1] else None
    return known[-1] if before is not None and known[-1] <= before else None


def find_next_due(row: IndexRow | None) -> datetime | None:
    """Return the due time of the next walk; None while a walk runs, or if PEOPLE_EVERY is 0."""
    every = find_interval(settings.PEOPLE_EVERY, row.known if row else 0)
    if not every or (row and row.state == RUNNING):
        return None
    if row is None or row.began_at is None:
        return timezone.now()
    return row.began_at + (min(every, AFTER_A_FAILURE) if row.state == FAILED else every)


# --- the tasks of an area ------------------------------------------------------------------------

SliceTask = Task[[int], None]


def do_slice(task: SliceTask, run_slice: Callable[[int], timedelta | None], row_id: int) -> None:
    """Run a slice; enqueue the next slice for after the wait. Raise Failed for any error."""
    with duties.hide_error_words(f"{task.module_path} of {row_id}"):
        pause = run_slice(row_id)
        # If this slice was enqueued twice, the next slice is still enqueued only once.
        if pause is not None and row_id not in duties.list_enqueued(task):
            later = timezone.now() + pause if pause else None
            task.using(run_after=later).enqueue(row_id)


def start(task: SliceTask, walk: type[IndexWalk[Index]], app_id: str) -> Index | None:
    """Begin a walk of an app and enqueue the first slice; return None if a walk is running."""
    with transaction.atomic():
        row = walk.begin(app_id)
        if row is not None:
            task.enqueue(row.pk)
    return row


def resume_lost(task: SliceTask, jobs: QuerySet[AnyJob], *, after: timedelta = duties.LOST) -> None:
    """Enqueue a slice of each job that has taken no step for the time `after`.

    The tasks of these jobs were lost. If a worker was only paused, two slices run, but only one of
    them can claim a step.
    """
    enqueued = duties.list_enqueued(task)
    for job in jobs.filter(heartbeat_at__lte=timezone.now() - after).order_by("heartbeat_at"):
        if job.pk not in enqueued:
            task.enqueue(job.pk)


def read_last_moved(
    jobs: QuerySet[AnyJob], app_field: str = "app_id"
) -> list[tuple[tuple[str, ...], float]]:
    """Return the time of the last step of each app's slowest job, in seconds since 1970.

    `jobs` are the jobs that the worker processes. The time is 0 for an app without a job.
    """
    found = dict(jobs.order_by().values_list(app_field).annotate(Min("heartbeat_at")))
    apps = [one.app_id for one in settings.LENDING_APPS]
    return [((app,), found[app].timestamp() if app in found else 0.0) for app in apps]


def enqueue_due(task: SliceTask, top_up: SliceTask, walk: type[IndexWalk[Any]]) -> None:
    """Begin due walks, read new records between walks, and resume lost walks."""
    rows = {row.app_id: row for row in walk.list_rows()}
    resume_lost(task, walk.list_rows().filter(state=RUNNING))
    for app in settings.LENDING_APPS:
        row = rows.get(app.app_id)
        due, now = find_next_due(row), timezone.now()
        if due and due <= now:
            start(task, walk, app.app_id)
        elif due and row and row.state == IDLE and row.is_newest_first:
            is_quiet = row.heartbeat_at is None or row.heartbeat_at <= now - TOP_UP_EVERY
            if is_quiet and row.pk not in duties.list_enqueued(top_up, running=True):
                top_up.enqueue(row.pk)
