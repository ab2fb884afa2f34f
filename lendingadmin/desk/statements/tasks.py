"""Background work of the desk: check and record batches, in slices.

A task gets only the number of the batch, and reads its work from the batch.
"""

from datetime import timedelta

from django.utils import timezone
from django_tasks import task

from lendingadmin.core.worker import duties, walks

from . import alarms, batches, checking, places, recording
from .models import Batch, StatementFile

State = Batch.State

# A batch without a change for this time is lost. A slow service needs less time for a page of rows,
# and a waiting person accepts this delay.
_LOST = timedelta(seconds=30)


@task(priority=-20)
def check(batch_id: int) -> None:
    """Check payments for some seconds; enqueue the next slice if payments remain."""
    walks.do_slice(check, checking.run_slice, batch_id)


@task(priority=-10)
def record(batch_id: int) -> None:
    """Record payments for some seconds; enqueue the next slice unless recording ends or pauses."""
    walks.do_slice(record, recording.run_slice, batch_id)


_SLICES = {State.CHECKING: check, State.RECORDING: record}


def enqueue(batch: Batch) -> None:
    """Enqueue the task for the state of a batch, if there is one."""
    if one := _SLICES.get(State(batch.state)):
        one.enqueue(batch.pk)


@task(priority=-30)
def compare() -> None:
    """Mark unallocated payments as recorded, and search for repayments that no statement shows."""
    with duties.hide_error_words("comparing statements"):
        places.place_recorded()
        alarms.search_covered_days(timezone.now())


def beat() -> None:
    """Resume batches whose worker was lost, and expire batches that were not approved in time.

    A worker that was only paused finds that its batch has changed. Also enqueue `compare`, at most
    once a minute.
    """
    batches.expire_unapproved()
    if StatementFile.objects.exists():
        duties.enqueue_at_most_every(places.EVERY, compare)
    for state, one in _SLICES.items():
        walks.resume_lost(one, Batch.objects.filter(state=state), after=_LOST)
