"""Background work on what every area shares: other writes are followed, old entries forgotten."""

from datetime import timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone
from django_tasks import task

from lendingadmin.background import duties

from . import following, onetime
from .models import Write

# Following other writes takes all that are due, so it may be rarer than the beat.
FOLLOW_EVERY = timedelta(seconds=15)
TIDY_EVERY = timedelta(hours=1)


@task()
def follow_writes() -> None:
    """Find out what became of writes other than repayments."""
    with duties.discreet("following other writes"):
        following.follow_up()


@task(priority=-10)
def tidy() -> None:
    """Forget what was entered and has no use any more."""
    with duties.discreet("tidying"):
        following.forget()
        onetime.tidy()


def beat() -> None:
    """Enqueue the following of writes where one is due, and tidying once an hour."""
    if _to_follow().exists():
        duties.at_most_every(FOLLOW_EVERY, follow_writes)
    duties.at_most_every(TIDY_EVERY, tidy)


def _to_follow() -> QuerySet[Write]:
    due = Q(state=Write.State.UNKNOWN, next_look_at__lte=timezone.now())
    return Write.objects.filter(Q(state=Write.State.SENT) | due)
