"""Background work of the repayments: its tasks and their times (core/worker/duties.py).

`Repayment.next_check_at` is the time when a check is due. At each beat, a worker marks repayments
of lost senders as unknown, and enqueues one `check` for each repayment that is due. A task gets
only the number of the repayment, and claims the row with a compare-and-swap. The second attempt of
a lost task ignores `next_check_at`, because the first attempt may have changed that time and died
before it read the loan.
"""

import logging
from datetime import timedelta

from django.utils import timezone
from django_tasks import TaskContext, task

from lendingadmin.core.worker import duties

from . import notifications, reconciliation
from .models import Repayment

logger = logging.getLogger(__name__)

# Managers get at most one mail in this time. A mail server that does not answer could delay the
# checks, so it is not called more often either.
NOTIFY_EVERY = timedelta(minutes=5)


@task(takes_context=True)
def check(context: TaskContext, repayment_id: int) -> None:
    """Check a repayment if its check is still due. A second attempt of the task always checks."""
    with duties.hide_error_words(f"check of rp-{repayment_id}"):
        repayment = Repayment.objects.filter(pk=repayment_id).first()
        if repayment is None:
            return
        before = repayment.state
        if context.attempt > 1:
            reconciliation.check_now(repayment)
        else:
            reconciliation.check_if_due(repayment)
        if repayment.state != before:
            logger.info("%s was %s, is %s", repayment, before, repayment.state)


# A mail takes only seconds, but a queue of checks takes long if the service hangs.
@task(priority=10, takes_context=True)
def notify(context: TaskContext) -> None:
    """Mail the managers about repayments that have needed checking for an hour."""
    with duties.hide_error_words("notifying the managers"):
        # The moment is the same at every attempt, so the second finds the rows of the first.
        moment = context.task_result.enqueued_at
        notifications.notify_managers(moment or timezone.now())


def beat() -> None:
    """Mark repayments of lost senders as unknown, and enqueue due checks and a due mail."""
    reconciliation.conclude_overdue()
    waiting = duties.list_enqueued(check)
    for repayment in reconciliation.list_due():
        if repayment.pk not in waiting:
            check.enqueue(repayment.pk)
    if notifications.list_unnotified().exists():
        duties.enqueue_at_most_every(NOTIFY_EVERY, notify)
