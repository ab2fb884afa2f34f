"""The head of a batch's page: a sentence, one button, and the progress of the worker."""

from datetime import timedelta

from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.desk.portfolio.views.payment import RECORD
from lendingadmin.desk.statements import allocating, progress
from lendingadmin.desk.statements.models import Allocation, Batch
from lendingadmin.web import polling
from lendingadmin.web.requests import PersonRequest

# Twenty thousand payments take some hours; a slow service takes longer.
_LONGEST = timedelta(hours=12)
State = Batch.State


def describe_progress(request: PersonRequest, found: Batch) -> dict[str, object]:
    """Return the context of `_batch_progress.html` for a batch."""
    is_under_way = found.state in (State.CHECKING, State.RECORDING)
    may_record = all(request.user.has_perm(name) for name in RECORD)
    may_decide = may_record and found.state == State.READY
    return {
        "batch": found,
        "file": found.file,
        "app": gateway.lending_app(found.file.app_id),
        "progress": progress.read_progress(found, timezone.now()),
        "poll": polling.poll(
            request,
            found.began_at,
            _LONGEST,
            waiting=is_under_way,
            delays=polling.WATCHED,
        ),
        "may_record": may_record,
        "next": _find_next(found) if may_decide else None,
    }


def _find_next(found: Batch) -> Allocation | None:
    return allocating.list_undecided(found).order_by("position", "part").first()
