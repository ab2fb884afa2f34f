"""Background work: walks through the assessments, in slices of some seconds."""

from django_tasks import task

from lendingadmin.core.worker import walks

from .models import AssessmentIndex
from .walk import AssessmentWalk


@task(priority=-45)
def walk(index_id: int) -> None:
    """Read a slice of the assessments, and enqueue the next slice."""
    walks.do_slice(walk, AssessmentWalk.run_slice, index_id)


@task(priority=-45)
def top_up(index_id: int) -> None:
    """Read the newest assessments between two walks, if the service lists these first."""
    walks.do_slice(top_up, AssessmentWalk.run_top_up, index_id)


def start(app_id: str) -> AssessmentIndex | None:
    """Start a walk of an app; return None if another walk is running."""
    return walks.start(walk, AssessmentWalk, app_id)


def beat() -> None:
    """Enqueue due tasks: a walk by schedule, a top-up, a slice with a lost task."""
    walks.enqueue_due(walk, top_up, AssessmentWalk)
