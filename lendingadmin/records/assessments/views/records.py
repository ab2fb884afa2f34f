"""Assessments: the list, and the page of one assessment, which waits for its result."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.lending.errors import InvalidId, LendingError
from lendingadmin.lending.identity import is_named
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.values import Assessment, moment
from lendingadmin.people.search import opened
from lendingadmin.records.assessments import known, types
from lendingadmin.records.assessments.running import is_running
from lendingadmin.web import coalesce, errors, polling
from lendingadmin.web.access import access
from lendingadmin.web.display.technical import list_places, list_technical
from lendingadmin.web.display.text import list_others
from lendingadmin.web.lists import read_page, whole_number
from lendingadmin.web.requests import PersonRequest

# Spec: Limits, Assessment processing.
NORMAL = timedelta(seconds=90)
# The places that templates/assessments/_asked.html and _outcome.html show.
_SHOWN = list_places("", "accountId assessmentId assessmentType timestamp createdAt") | list_places(
    "", "requestId status result"
)


@access("lending.assessments.list")
def assessments(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the assessments of an app; the spec shows no filter for this list."""
    listing = read_page(
        request, OPERATIONS["assessments.list"], gateway.app(app_id).assessments.list
    )
    context = {
        "list": listing,
        "may_create": request.user.has_perm("lending.assessments.create"),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "assessments/list.html", context)


@access("lending.assessments.get")
def assessment(request: PersonRequest, app_id: str, assessment_id: str) -> HttpResponse:
    """Show one assessment: its outcome, or the time since it was requested."""
    found, read_at = _read(app_id, assessment_id)
    context = _status(request, app_id, assessment_id, found, read_at) | {
        "technical": list_technical(found, _SHOWN),
        "kind": types.named(request, found.assessment_type),
    }
    page = render(request, "assessments/assessment.html", context)
    if not context["unidentified"]:
        opened.remember(request, app_id, "assessment", assessment_id)
    return page


@access("lending.assessments.get")
def status(request: PersonRequest, app_id: str, assessment_id: str) -> HttpResponse:
    """Show the polled part of the page. After a failed read, show the error card and poll again."""
    try:
        found, read_at = _read(app_id, assessment_id)
    except InvalidId:
        raise
    except LendingError as error:
        context = _status(request, app_id, assessment_id, None, timezone.now())
        context["card"] = errors.card(error)
    else:
        context = _status(request, app_id, assessment_id, found, read_at)
    return render(request, "assessments/_status.html", context)


def _read(app_id: str, assessment_id: str) -> tuple[Assessment, datetime]:
    """Return the assessment and the time of reading, which is at most two seconds ago.

    Save the assessment in the index if the service returned the requested assessment. Raise
    LendingError.
    """
    call = partial(gateway.app(app_id).assessments.get, assessment_id)
    found, read_at = coalesce.read(f"assessment/{app_id}/{assessment_id}", Assessment, call)
    if is_named(found, assessment_id):
        known.keep(app_id, found)
    return found, read_at


def _status(
    request: PersonRequest,
    app_id: str,
    assessment_id: str,
    found: Assessment | None,
    read_at: datetime,
) -> dict[str, Any]:
    """Return the context of the status part. `poll` has the time of the next request."""
    since = (moment(found.created_at) if found else None) or _since_first_poll(request)
    waiting = found is None or is_running(found)
    unidentified = found is not None and not is_named(found, assessment_id)
    return {
        "assessment": found,
        "unidentified": unidentified,
        "others": list_others(found.result) if found else [],
        "assessment_id": assessment_id,
        "waiting": waiting,
        "poll": polling.poll(request, since, NORMAL, waiting=waiting),
        "read_at": read_at,
        "may_create": not unidentified and request.user.has_perm("lending.assessments.create"),
        "may_report": not unidentified and request.user.has_perm("lending.events.create"),
        "may_request": not unidentified and request.user.has_perm("lending.borrowers.getOffers"),
        "app": gateway.lending_app(app_id),
    }


def _since_first_poll(request: PersonRequest) -> datetime:
    """Return the time of the page's first poll, computed from the number of polls.

    This time is used if the time of creation is not known.
    """
    asked = min(whole_number(request.GET.get("polls")) + 1, 1000) if "polls" in request.GET else 0
    pauses = [polling.DELAYS[min(n, len(polling.DELAYS) - 1)] for n in range(asked)]
    return timezone.now() - timedelta(seconds=sum(pauses))
