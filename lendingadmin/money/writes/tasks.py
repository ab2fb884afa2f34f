"""Background work for writes: checks of writes other than repayments, and deletion of sent data."""

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone
from django_tasks import task

from lendingadmin.core.worker import duties

from . import reconciliation
from .models import Write
from .states import WriteState

# One task checks all due writes, so it may run less often than the beat.
CHECK_EVERY = timedelta(seconds=15)
PRUNE_EVERY = timedelta(hours=1)


@task()
def check_writes() -> None:
    """Find out the results of writes other than repayments."""
    with duties.hide_error_words("following other writes"):
        reconciliation.check_due_writes()


@task(priority=-10)
def prune() -> None:
    """Delete sent data that are no longer needed."""
    with duties.hide_error_words("forgetting what was entered"):
        reconciliation.prune_submitted()


def beat() -> None:
    """Enqueue the check of writes if one is due, and the deletion of sent data once an hour."""
    due = Q(state=WriteState.UNKNOWN, next_check_at__lte=timezone.now())
    if Write.objects.filter(Q(state=WriteState.SENT) | due).exists():
        duties.enqueue_at_most_every(CHECK_EVERY, check_writes)
    duties.enqueue_at_most_every(PRUNE_EVERY, prune)
