"""Pages of assessments: the list, one assessment with its polled status, and a new one."""

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.lending.diff import parse_moment
from lendingadmin.lending.errors import InvalidId, LendingError
from lendingadmin.lending.identity import is_named
from lendingadmin.lending.ids import account_id
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.values import Assessment, AssessmentType, moment, timestamp_text
from lendingadmin.money.writes import idempotency, services
from lendingadmin.money.writes.models import Write
from lendingadmin.people.search import opened
from lendingadmin.records.assessments import known, running, types
from lendingadmin.records.assessments.forms import AssessmentForm
from lendingadmin.records.assessments.running import is_running
from lendingadmin.web import coalesce, errors, polling
from lendingadmin.web.access import access
from lendingadmin.web.display.technical import list_places, list_technical
from lendingadmin.web.display.text import list_others
from lendingadmin.web.errors import Card
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


class Choice(NamedTuple):
    """One assessment type in the form, with the name for the request."""

    name: str
    kind: AssessmentType
    chosen: bool


@access("lending.assessments.create", methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the form; a POST starts the assessment, once.

    The POST redirects to the page that waits for the result. If assessments of this account are
    already running, the page shows them first. If the service refuses, the page gives the reason.
    If the outcome is unknown, redirect to the write.
    """
    sent = request.method == "POST"
    data, initial = request.POST if sent else None, _initial(request, app_id)
    form = AssessmentForm(data, request=request, initial=initial)
    theirs, card = None, None
    if not sent:
        theirs, card = _read_running(app_id, form.initial["accountId"])
    elif form.is_valid():
        theirs = _unseen(request, app_id, form.cleaned_data["accountId"])
        url, card = ("", None) if theirs else _start(app_id, form)
        if url:
            return redirect(url)
    # If the types can't be read, a person can still type the name of a type.
    choices, types_card, chosen = list[Choice](), None, form["assessmentType"].value()
    try:
        kinds = types.read() if request.user.has_perm(types.PERMISSION) else []
        choices = [
            Choice(types.name_of(kind), kind, types.name_of(kind) == chosen) for kind in kinds
        ]
    except LendingError as error:
        title = _("The assessment types can't be read now")
        types_card = replace(errors.card(error), title=title, saved="", tone="warn")
    context = {
        "form": form,
        "card": card,
        "types_card": types_card,
        "choices": choices,
        "theirs": theirs,
        "seen": " ".join(running.id_of(one) for one in theirs.running) if theirs else "",
        "app": gateway.lending_app(app_id),
    }
    return render(request, "assessments/new.html", context)


def _initial(request: PersonRequest, app_id: str) -> dict[str, Any]:
    """Return the form's initial values: the data of an earlier attempt, if there is one.

    Otherwise return the account and type in the address, and the present time.
    """
    again = services.entered(request, running.CREATE, app_id).sent
    if again:
        then = parse_moment(str(again["timestamp"]))
        return {**again, "timestamp": timezone.localtime(then)}
    account = request.GET.get("accountId", "").strip()
    borrower = (request.GET.get("borrowerId") or request.GET.get("borrower") or "").strip()
    return {
        "accountId": account or (account_id(borrower) if borrower else ""),
        "assessmentType": request.GET.get("assessmentType", ""),
        "timestamp": timezone.localtime().replace(microsecond=0),
    }


def _read_running(
    app_id: str, account_id: str
) -> tuple[running.AccountAssessments | None, Card | None]:
    """Return the account's assessments, or a card with the reason why they can't be read.

    Without an account, both are None.
    """
    if not account_id:
        return None, None
    try:
        return running.list_of_account(app_id, account_id), None
    except LendingError as error:
        card = errors.card(error)
        title = _("The dashboard could not check whether an assessment is already running")
        return None, replace(card, title=title, saved="", tone="warn")


def _unseen(
    request: PersonRequest, app_id: str, account_id: str
) -> running.AccountAssessments | None:
    """Return the account's assessments if the form did not show a running one; else None.

    A form that is sent again leads to its first result, even if another assessment is running.
    """
    try:
        idempotency_key = idempotency.check_key(
            request, running.CREATE, request.POST.get("token", "")
        )
    except idempotency.StaleKey:
        return None
    theirs, _card = _read_running(app_id, account_id)
    shown = set(request.POST.get("seen", "").split())
    # An assessment without an id is ignored, because the form can't report that it was shown.
    running_now = {running.id_of(one) for one in theirs.running} if theirs else set()
    unseen = running_now - shown - {""}
    # This query comes last, because the first POST of a form that was sent twice may just have
    # started the assessment.
    return (
        theirs
        if unseen and not Write.objects.filter(idempotency_key=idempotency_key).exists()
        else None
    )


def _start(app_id: str, form: AssessmentForm) -> services.Outcome:
    """Start the assessment once; return its address, or a card with a link to the list."""
    body = {
        "accountId": form.cleaned_data["accountId"],
        "assessmentType": form.cleaned_data["assessmentType"],
        "timestamp": timestamp_text(form.cleaned_data["timestamp"]),
    }

    def lands_on(made: Assessment) -> str:
        # If the service gave no id, lead to the list.
        key = running.id_of(made)
        listed = reverse("assessments", args=[app_id])
        return reverse("assessment", args=[app_id, key]) if key else listed

    outcome = form.send(
        lambda: known.keep(app_id, gateway.app(app_id).assessments.create(body)),
        lands_on,
        sent=body,
        app_id=app_id,
        subject=body["accountId"],
        again_at=reverse("assessment-new", args=[app_id]),
    )
    if outcome.card:
        links = ((_("Open the assessments"), reverse("assessments", args=[app_id])),)
        return outcome._replace(card=replace(outcome.card, links=links))
    return outcome
