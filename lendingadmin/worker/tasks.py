"""The worker's own housekeeping."""

from datetime import timedelta

from django.core.management import call_command
from django.utils import timezone
from django_tasks import task
from django_tasks_db.models import DBTaskResult

from lendingadmin.caching.backends import clear_expired

from . import duties

PRUNE_EVERY = timedelta(hours=1)
_DONE_FOR = timedelta(days=1)


@task(priority=-10)
def prune() -> None:
    """Forget finished tasks, and sessions and kept values that have expired.

    One that failed stays to be looked into, as long as KEEP_ROWS_DAYS says.
    """
    with duties.hide_error_words("pruning"):
        done = DBTaskResult.objects.successful()
        done.filter(finished_at__lt=timezone.now() - _DONE_FOR).delete()
        call_command("clearsessions", verbosity=0)
        clear_expired()


def beat() -> None:
    """Prune once an hour."""
    duties.enqueue_at_most_every(PRUNE_EVERY, prune)
