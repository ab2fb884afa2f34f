"""Background work of the index: walks through the borrowers, in slices of some seconds."""

from django_tasks import task

from lendingadmin.core.worker import walks

from .models import BorrowerIndex
from .walk import BorrowerWalk


@task(priority=-40)
def walk(index_id: int) -> None:
    """Read a slice of the borrowers, and enqueue the next slice."""
    walks.do_slice(walk, BorrowerWalk.run_slice, index_id)


@task(priority=-40)
def top_up(index_id: int) -> None:
    """Read the newest borrowers between two walks, if the service lists these first."""
    walks.do_slice(top_up, BorrowerWalk.run_top_up, index_id)


def start(app_id: str) -> BorrowerIndex | None:
    """Start a walk of an app; return None if another walk is running."""
    return walks.start(walk, BorrowerWalk, app_id)


def beat() -> None:
    """Enqueue due tasks: a walk by schedule or for a new key, a top-up, a lost task."""
    walks.enqueue_due(walk, top_up, BorrowerWalk)
