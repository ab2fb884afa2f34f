"""The background work of the desk: counting the book, and pruning old snapshots.

What is urgent comes first: both have a low priority, and counting is cut into slices.
"""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django_tasks import task

from lendingadmin.staff.models import User
from lendingadmin.worker import duties

from . import retention, snapshot_job
from .models import Snapshot

PRUNE_EVERY = timedelta(hours=1)


@task(priority=-50)
def count(snapshot_id: int) -> None:
    """Count a slice of the book, and enqueue the next one."""
    with duties.hide_error_words(f"counting count-{snapshot_id}"):
        pause = snapshot_job.count_slice(snapshot_id)
        # Of a slice that was put back there may be two: they become one again.
        if pause is not None and snapshot_id not in duties.list_enqueued(count):
            later = timezone.now() + pause if pause else None
            count.using(run_after=later).enqueue(snapshot_id)


@task(priority=-60)
def prune() -> None:
    """Delete what is not kept of old snapshots, and go on later where that takes long."""
    with duties.hide_error_words("pruning snapshots"):
        if not retention.prune():
            prune.enqueue()


def start(app_id: str, by: User | None, *, restarted: bool = False) -> Snapshot | None:
    """Have an app's book counted; None where that is under way. `by` is None for the clock."""
    with transaction.atomic():
        row = snapshot_job.begin_snapshot(app_id, by, restarted=restarted)
        if row is not None:
            count.enqueue(row.pk)
    return row


def beat() -> None:
    """Enqueue what is due: a counting by the clock, a slice that got lost, pruning."""
    now = timezone.now()
    _take_up_again()
    if settings.SNAPSHOT_EVERY:
        for app in settings.LENDING_APPS:
            last = snapshot_job.newest_snapshot(app.app_id)
            due = snapshot_job.next_due(last) if last else now
            if due and due <= now:
                start(app.app_id, None)
    if Snapshot.objects.exists():
        duties.enqueue_at_most_every(PRUNE_EVERY, prune)


def _take_up_again() -> None:
    """A slice whose task was given up, or lost between two: the tries of a snapshot are counted."""
    stale = Snapshot.objects.filter(
        state=Snapshot.State.COUNTING, heartbeat_at__lte=timezone.now() - duties.LOST
    )
    for row in stale:
        if row.pk not in duties.list_enqueued(count, running=True):
            count.enqueue(row.pk)
