"""The ledger's background work: what it is and when it is due (see background/duties.py).

There is one calendar, `Repayment.next_look_at`, and tasks are only the way to it. At each beat of a
worker what senders left behind is swept up, and one `look` is enqueued for each repayment whose
look is due. A task carries a number and nothing else; what there is to do it reads from the ledger,
and takes by the ledger's own compare-and-swap. The second attempt of a look that was lost looks
whatever the calendar says, for the first may have moved the calendar on and died before it looked.
"""

import logging
from datetime import timedelta

from django.utils import timezone
from django_tasks import TaskContext, task

from lendingadmin.background import duties

from . import notices, watching
from .models import Repayment

logger = logging.getLogger(__name__)

# Managers get no more than one mail in this time, and a mail server that is gone is not asked more
# often: it could hold up the looks.
TELL_EVERY = timedelta(minutes=5)


@task(takes_context=True)
def look(context: TaskContext, repayment_id: int) -> None:
    """Take the look that is due at one repayment, if it still is."""
    with duties.discreet(f"look at rp-{repayment_id}"):
        repayment = Repayment.objects.filter(pk=repayment_id).first()
        if repayment is None:
            return
        before = repayment.state
        if context.attempt > 1:
            watching.look_now(repayment)
        else:
            watching.look_if_due(repayment)
        if repayment.state != before:
            logger.info("%s was %s, is %s", repayment, before, repayment.state)


# A mail takes seconds at most, a queue of looks at a service that hangs takes long.
@task(priority=10, takes_context=True)
def tell(context: TaskContext) -> None:
    """Write to the managers about what has been unknown for an hour."""
    with duties.discreet("telling the managers"):
        # The same at every attempt, so that the second finds what the first had claimed.
        moment = context.task_result.enqueued_at
        notices.tell(moment or timezone.now())


def beat() -> None:
    """Sweep up, and enqueue the looks that are due and a mail where one is."""
    watching.sweep()
    waiting = duties.waiting(look)
    for repayment in watching.due():
        if repayment.pk not in waiting:
            look.enqueue(repayment.pk)
    if notices.overdue().exists():
        duties.at_most_every(TELL_EVERY, tell)
