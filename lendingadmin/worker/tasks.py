"""The worker's own housekeeping."""

from datetime import timedelta

from django.core.management import call_command
from django_tasks import task

from lendingadmin.caching.backends import clear_expired

from . import duties

PRUNE_EVERY = timedelta(hours=1)


@task(priority=-10)
def prune() -> None:
    """Forget tasks that are done, and sessions and kept values that have expired."""
    with duties.hide_error_words("pruning"):
        call_command("prune_db_task_results", min_age_days=1, failed_min_age_days=14, verbosity=0)
        call_command("clearsessions", verbosity=0)
        clear_expired()


def beat() -> None:
    """Prune once an hour."""
    duties.enqueue_at_most_every(PRUNE_EVERY, prune)
