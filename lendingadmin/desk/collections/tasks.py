"""Task that judges promises every few minutes."""

from datetime import timedelta

from django.utils import timezone
from django_tasks import task

from lendingadmin.core.worker import duties

from . import promises, services
from .models import Promise

_EVERY = timedelta(minutes=5)


@task(priority=-30)
def judge() -> None:
    """Judge the promises that no person has decided, and delete old records of paid loans."""
    with duties.hide_error_words("judging promises"):
        promises.judge_all()
        services.forget_paid_loans(timezone.now())


def beat() -> None:
    """Enqueue `judge` if there are promises."""
    if Promise.objects.exists():
        duties.enqueue_at_most_every(_EVERY, judge)
