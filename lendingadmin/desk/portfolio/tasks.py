"""Background work of the portfolio: snapshots, the totals of their lists, and pruning.

All these tasks have a low priority and a snapshot runs in slices, so urgent work comes first.
"""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django_tasks import task

from lendingadmin.core import gateway
from lendingadmin.core.staff.models import User
from lendingadmin.core.worker import duties, walks

from . import loan_lists, retention, snapshot_job
from .models import Snapshot

PRUNE_EVERY = timedelta(hours=1)
PREPARE_EVERY = timedelta(hours=1)


@task(priority=-50)
def count(snapshot_id: int) -> None:
    """Read a slice of the list of loans, and enqueue the next slice."""
    walks.do_slice(count, snapshot_job.CountWalk.run_slice, snapshot_id)


@task(priority=-60)
def prune() -> None:
    """Delete old snapshots; enqueue another task if some are left."""
    with duties.hide_error_words("pruning snapshots"):
        if not retention.prune():
            prune.enqueue()


@task(priority=-40)
def prepare_lists() -> None:
    """Add up the lists of each app's newest snapshot.

    The task runs when a snapshot is complete, and every hour, because some lists depend on the day.
    """
    with duties.hide_error_words("adding up the lists of loans"):
        for app in settings.LENDING_APPS:
            loan_lists.prepare_lists(gateway.lending_app(app.app_id))


def start(app_id: str, by: User | None, *, restarted: bool = False) -> Snapshot | None:
    """Begin a snapshot of an app; return None if another snapshot is running.

    `by` is None if the schedule begins the snapshot.
    """
    with transaction.atomic():
        row = snapshot_job.begin_snapshot(app_id, by, restarted=restarted)
        if row is not None:
            count.enqueue(row.pk)
    return row


def beat() -> None:
    """Enqueue the tasks that are due.

    These are a scheduled snapshot, a lost slice, the pruning, and the totals of lists.
    """
    now = timezone.now()
    walks.resume_lost(count, Snapshot.objects.filter(state=Snapshot.State.RUNNING))
    if timedelta(0) != settings.SNAPSHOT_EVERY:
        for app in settings.LENDING_APPS:
            last = snapshot_job.find_newest(app.app_id)
            due = snapshot_job.find_next_due(last) if last else now
            if due and due <= now:
                start(app.app_id, None)
    if Snapshot.objects.exists():
        duties.enqueue_at_most_every(PRUNE_EVERY, prune)
        duties.enqueue_at_most_every(PREPARE_EVERY, prepare_lists)
