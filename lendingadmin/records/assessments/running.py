"""Running assessments of an account, as far as the service shows them.

The spec shows no filter for the list of assessments. The dashboard tries to filter by account, and
leaves out assessments of other accounts, because a service may ignore the filter. Recent
assessments that were started in this dashboard are read by id, because the page of the list may
lack them.
"""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from django.urls import Resolver404, resolve
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.core.staff.models import User
from lendingadmin.lending.errors import BadRequest, InvalidFilter, LendingError
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.pages import MAXIMUM_PAGE_SIZE
from lendingadmin.lending.values import Assessment, each, status_key, text
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteState

from .models import KnownAssessment

CREATE = "assessments.create"
_STARTED_WITHIN = timedelta(minutes=15)
_STARTED_AT_MOST = 5
# The most assessments of one person that are shown.
_LATEST = 10


class AccountAssessments(NamedTuple):
    """Known assessments of one account, newest first.

    `whole` is True if the list was read to its end. If not, there may be more assessments.
    """

    seen: tuple[Assessment, ...]
    whole: bool

    @property
    def running(self) -> tuple[Assessment, ...]:
        """The assessments without a result yet."""
        return tuple(one for one in self.seen if is_running(one))


class StartedAssessment(NamedTuple):
    """An assessment that a person started in this dashboard.

    `status` is empty until the assessment was read.
    """

    write: Write
    assessment_id: str
    account_id: str
    status: str


def list_started_by(person: User, app_id: str, since: datetime) -> list[StartedAssessment]:
    """Return the newest ten assessments that a person started since a time, newest first."""
    rows = Write.objects.filter(
        person=person,
        created_at__gte=since,
        app_id=app_id,
        operation=CREATE,
        state=WriteState.SAVED,
    ).order_by("-created_at")
    keys = [(write, key) for write in rows[:_LATEST] if (key := _read_id(write))]
    known = KnownAssessment.objects.filter(
        index__app_id=app_id, assessment_id__in=[key for _, key in keys]
    )
    statuses = dict(known.values_list("assessment_id", "status")) if keys else {}
    return [
        StartedAssessment(write, key, write.subject, statuses.get(key, "")) for write, key in keys
    ]


def is_running(assessment: Assessment) -> bool:
    """Return True if the assessment has no result yet (Spec: Assessments, Create).

    An assessment that was processed with errors may have no result at all.
    """
    return assessment.result is None and status_key(assessment.status) != "2"


def id_of(assessment: Assessment) -> str:
    """Return the id to read an assessment by: `assessmentId`, or else `uid`; empty if none."""
    return text(assessment.assessment_id) or text(assessment.uid) or ""


def list_of_account(app_id: str, account_id: str) -> AccountAssessments:
    """Return the account's assessments on the first page of the list, newest first.

    Add the newest five that were started in this dashboard within 15 minutes. Raise LendingError if
    the list can't be read.
    """
    app = gateway.app(app_id)
    try:
        filters = {"accountId": account_id}
        page = app.assessments.list(filters=filters, page_size=MAXIMUM_PAGE_SIZE)
    except (BadRequest, InvalidFilter):
        page = app.assessments.list()
    theirs = [one for one in each(page.items) if one.account_id == account_id]
    # Assessments without an id can't be compared, so all of them are in the list.
    nameless = [one for one in theirs if not id_of(one)]
    found = {id_of(one): one for one in theirs if id_of(one)}
    for key in _started_here(app_id, account_id):
        if key not in found:
            with suppress(LendingError):
                found[key] = check_named(app.assessments.get(key), key)
    newest = sorted(
        [*found.values(), *nameless],
        key=lambda one: str(one.created_at or one.timestamp or ""),
        reverse=True,
    )
    return AccountAssessments(tuple(newest), page.next_page_token is None)


def _started_here(app_id: str, account_id: str) -> list[str]:
    """Return ids of assessments that people started in this dashboard for an account.

    These are the newest five assessments of the last 15 minutes.
    """
    rows = Write.objects.filter(
        app_id=app_id,
        operation=CREATE,
        subject=account_id,
        state=WriteState.SAVED,
        created_at__gt=timezone.now() - _STARTED_WITHIN,
    ).order_by("-created_at")
    return [key for row in rows[:_STARTED_AT_MOST] if (key := _read_id(row))]


def _read_id(write: Write) -> str:
    """Return the id of the assessment that a write started; empty if it started none."""
    with suppress(Resolver404):
        return str(resolve(write.url).kwargs.get("assessment_id", ""))
    return ""
