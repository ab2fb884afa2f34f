"""The task that makes papers in bulk, in slices."""

from datetime import timedelta

from django_tasks import task

from lendingadmin.core.worker import walks

from . import bulk
from .models import BulkPapers

_LOST = timedelta(seconds=60)


@task(priority=-30)
def make_papers(number: int) -> None:
    """Make papers for some seconds; enqueue the next slice if borrowers remain."""
    walks.do_slice(make_papers, bulk.run_slice, number)


def beat() -> None:
    """Resume papers whose worker was lost."""
    running = BulkPapers.objects.filter(state=BulkPapers.State.RUNNING)
    walks.resume_lost(make_papers, running, after=_LOST)
