"""Pruning of snapshots.

All snapshots of the last 24 hours remain, then one for each day for 30 days, then one for each
month for 24 months. The rows of the loans remain for the newest snapshot and for the last
SNAPSHOT_MONTH_ENDS month ends, so the size of their table depends on the portfolio and not on time.
"""

import time
from collections.abc import Iterable
from datetime import datetime, timedelta, tzinfo

from django.conf import settings
from django.utils import timezone

from .models import Snapshot, SnapshotLoan
from .snapshot_job import list_complete

_ALL = timedelta(days=1)
_DAILY = timedelta(days=30)
_MONTHS = 24
_STILL_READ = timedelta(minutes=15)
# A failed or stopped snapshot remains this long, so that pages show the reason. The newest snapshot
# remains until the next one begins.
_REASON_KEPT = timedelta(days=1)
COUNTS_AT_ONCE = 1000
# Seconds.
LONGEST = 10.0


def list_kept(ended: Iterable[tuple[int, datetime]], now: datetime, zone: tzinfo) -> set[int]:
    """Return the ids of the complete snapshots to retain, from pairs (id, end time).

    All snapshots of the last 24 hours remain, the last snapshot of each day in the lender's zone
    for 30 days, and the last snapshot of each month for 24 months. The newest snapshot and its
    predecessor always remain.
    """
    rows = sorted(ended, key=lambda one: (one[1], one[0]), reverse=True)
    found = {number for number, _ in rows[:2]}
    days, months = set(), set()
    here = now.astimezone(zone)
    for number, at in rows:
        there = at.astimezone(zone)
        month = (there.year, there.month)
        old = (here.year - there.year) * 12 + here.month - there.month
        # The newest snapshot comes first, so the first snapshot found for a day or a month is the
        # last of that day or month.
        last_of_day, last_of_month = there.date() not in days, month not in months
        days.add(there.date())
        months.add(month)
        if (
            now - at <= _ALL
            or (last_of_day and now - at <= _DAILY)
            or (last_of_month and old <= _MONTHS)
        ):
            found.add(number)
    return found


def list_with_loans(
    ended: Iterable[tuple[int, datetime]], month_ends: int, now: datetime, zone: tzinfo
) -> set[int]:
    """Return the ids of the complete snapshots whose loans are retained.

    `ended` has the same pairs as in `list_kept`. Loans are retained for three kinds of snapshots:
    the newest snapshot, its predecessor while pages may still read it, and the last snapshot of
    each of the `month_ends` months before the newest, in the lender's time zone.
    """
    rows = sorted(ended, key=lambda one: (one[1], one[0]), reverse=True)
    newest = 2 if rows and now - rows[0][1] <= _STILL_READ else 1
    ends: dict[tuple[int, int], int] = {}
    for number, at in rows:
        there = at.astimezone(zone)
        ends.setdefault((there.year, there.month), number)
    return {number for number, _ in rows[:newest]} | set(list(ends.values())[1 : month_ends + 1])


def prune() -> bool:
    """Delete old snapshots for some seconds; return True if all of them are deleted."""
    until = time.monotonic() + LONGEST
    return _prune_snapshots(until) and _prune_loans(until)


def _prune_snapshots(until: float) -> bool:
    for snapshot in _list_to_delete(timezone.now()):
        # If some loans are missing, the lists do not add up, so no page may show this snapshot.
        Snapshot.objects.filter(pk=snapshot.pk, state=Snapshot.State.DONE).update(
            state=Snapshot.State.STOPPED
        )
        while _delete_some(snapshot):
            if time.monotonic() > until:
                return False
        if _may_be_deleted(snapshot, timezone.now()):
            snapshot.delete()
    return True


def _prune_loans(until: float) -> bool:
    for app_id in _list_apps():
        ended, zone = list_ended(app_id), _find_zone(app_id)
        kept = list_with_loans(ended, settings.SNAPSHOT_MONTH_ENDS, timezone.now(), zone)
        # A snapshot that has just ended is the newest, so it is not among these snapshots.
        surplus = list_complete(app_id).filter(pk__in={number for number, _ in ended} - kept)
        # This is done before the deletion, so that no page shows a list with missing loans.
        surplus.filter(has_loans=True).update(has_loans=False)
        for snapshot in surplus:
            while _delete_some(snapshot):
                if time.monotonic() > until:
                    return False
    return True


def _list_apps() -> list[str]:
    return list(Snapshot.objects.order_by().values_list("app_id", flat=True).distinct())


def _list_to_delete(now: datetime) -> list[Snapshot]:
    """Return the complete snapshots to delete, and all failed or stopped snapshots."""
    surplus = []
    for app_id in _list_apps():
        seen = list_ended(app_id)
        kept = list_kept(seen, now, _find_zone(app_id))
        surplus += list(list_complete(app_id).filter(pk__in={number for number, _ in seen} - kept))
    ended = Snapshot.objects.exclude(state__in=(Snapshot.State.RUNNING, Snapshot.State.DONE))
    return surplus + list(ended)


def list_ended(app_id: str) -> list[tuple[int, datetime]]:
    rows = list_complete(app_id).values_list("pk", "ended_at")
    return [(number, at) for number, at in rows if at is not None]


def _find_zone(app_id: str) -> tzinfo:
    apps = {app.app_id: app.zone for app in settings.LENDING_APPS}
    return apps.get(app_id, timezone.get_default_timezone())


def _delete_some(snapshot: Snapshot) -> bool:
    """Delete some loans of a snapshot; return True if more may be left."""
    some = list(
        SnapshotLoan.objects.filter(snapshot=snapshot).values_list("pk", flat=True)[:COUNTS_AT_ONCE]
    )
    SnapshotLoan.objects.filter(pk__in=some).delete()
    return bool(some)


def _may_be_deleted(snapshot: Snapshot, now: datetime) -> bool:
    if snapshot.state == Snapshot.State.DONE:
        return True
    newer = Snapshot.objects.filter(app_id=snapshot.app_id, pk__gt=snapshot.pk)
    return now - (snapshot.ended_at or now) > _REASON_KEPT and newer.exists()
