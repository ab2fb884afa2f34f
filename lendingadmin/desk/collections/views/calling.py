"""Pages of a call: the amounts owed, the earlier calls and promises, and the result."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.roles import SEE_CONTACT, SEE_NAMES
from lendingadmin.desk.collections import leases, rules, services
from lendingadmin.desk.collections.forms import CallForm
from lendingadmin.desk.collections.models import Call, Lease, Promise
from lendingadmin.desk.collections.permissions import CALL
from lendingadmin.desk.collections.policies import get_rules
from lendingadmin.desk.collections.queues import name_queues, open_queue
from lendingadmin.desk.collections.services import Entered
from lendingadmin.desk.collections.states import OF_A_LOAN, Outcome, StopKind
from lendingadmin.desk.portfolio.open_loans import filter_open
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.lending.errors import (
    InvalidId,
    LendingError,
    NotFound,
    UnidentifiedRecord,
    WrongRecord,
)
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.loan_math import loan_facts
from lendingadmin.lending.parallel import read_in_parallel
from lendingadmin.lending.values import Borrower
from lendingadmin.money.writes import idempotency
from lendingadmin.people.index import cards, live
from lendingadmin.records.borrowers import reads
from lendingadmin.web import errors
from lendingadmin.web.access import access
from lendingadmin.web.masking import write_initials
from lendingadmin.web.quotas import READS
from lendingadmin.web.requests import PersonRequest

from .queues import lead_to_next

PURPOSE = "collections.call"
_MOST_LOANS = 5
_SHOWN = 10
_RIGHTS = (CALL, "lending.borrowers.get", "lending.loans.get")


@access(*_RIGHTS, methods=("GET", "POST"), quota=READS)
def call(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show the borrower with fresh data of the service, and the form; a POST saves the result.

    The POST redirects to the next call of the queue, to the queue, or to the borrower. If the form
    was open for too long, the POST saves nothing and redirects to this page with a warning.
    """
    app, now = gateway.lending_app(app_id), timezone.now()
    lease = leases.find_lease(app_id, borrower_id, now)
    is_own = lease is not None and lease.person_id == request.user.pk
    loan_ids = _list_loans(app_id, borrower_id, lease)
    form = CallForm(
        request.POST or None,
        app=app,
        today=now.astimezone(app.zone).date(),
        loans=loan_ids,
        is_open=rules.is_open(get_rules(app), now),
        initial={"token": idempotency.issue_key(request, PURPOSE)},
    )
    if request.method == "POST" and form.is_valid():
        return _keep(request, app, borrower_id, form, lease if is_own else None)
    context: dict[str, Any] = {"app": app, "borrower_id": borrower_id, "form": form}
    context |= {"lease": lease, "is_own": is_own} | _read_kept(app_id, borrower_id)
    context["queue_name"] = "".join(name_queues(app_id, [lease.queue]).values()) if lease else ""
    may_dial = is_own and form.is_open and not context["is_stopped"]
    context |= _read_live(request, app, borrower_id, loan_ids, now, may_dial=may_dial)
    if not form.is_bound and context["loans"]:
        form.propose_promise(context["loans"][0][1].overdue)
    page = render(request, "collections/call.html", context)
    reads.note_read(request, app_id, borrower_id)
    return page


def _keep(
    request: PersonRequest, app: LendingApp, borrower_id: str, form: CallForm, lease: Lease | None
) -> HttpResponse:
    """Save the call, and redirect to the queue's next call or to the borrower, with a message."""
    given = form.cleaned_data
    try:
        key = idempotency.check_key(request, PURPOSE, given["token"])
    except idempotency.StaleKey:
        messages.warning(
            request, _("Not saved. This form was open for too long. Enter the result again.")
        )
        return redirect("call", app.app_id, borrower_id)
    entered = Entered(
        borrower_id=borrower_id,
        account_id=given["loan"],
        queue=lease.queue if lease else "",
        outcome=Outcome(given["outcome"]),
        note=given["note"],
        is_incoming=given["isIncoming"],
        amount=given["amount"],
        day=given["day"],
        next_day=given["nextDay"],
    )
    kept = services.keep_call(app, entered, key, request.user)
    messages.success(request, _("Saved: %(outcome)s.") % {"outcome": kept.get_outcome_display()})
    queue = open_queue(app, kept.queue, timezone.now(), request.user)
    if queue and "leave" not in request.POST:
        return lead_to_next(request, queue)
    if queue:
        return redirect("queue", app.app_id, kept.queue)
    if kept.queue:
        # The queue was retired, or this person no longer works on it.
        return redirect("collections", app.app_id)
    return redirect("borrower", app.app_id, borrower_id)


@access(*_RIGHTS, methods=("POST",))
def begin(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Take a lease on a borrower who was found outside a queue; redirect to the call.

    If another person has a lease on this borrower, the page of the call shows this person.
    """
    leases.take(app_id, borrower_id, request.user, timezone.now(), account_id="", queue="")
    return redirect("call", app_id, borrower_id)


@access(*_RIGHTS, methods=("POST",))
def leave(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Release the lease without a call, so that another person may call the borrower.

    Redirect to the queue, to all queues if this queue is gone, or to the borrower.
    """
    lease = leases.find_lease(app_id, borrower_id, timezone.now())
    leases.release(app_id, borrower_id, request.user)
    if lease is not None and lease.person_id == request.user.pk and lease.queue:
        app = gateway.lending_app(app_id)
        if open_queue(app, lease.queue, timezone.now(), request.user):
            return redirect("queue", app_id, lease.queue)
        return redirect("collections", app_id)
    return redirect("borrower", app_id, borrower_id)


@access(*_RIGHTS, methods=("POST",))
def stop(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Stop all calls to this borrower, because the borrower asked for this; release the lease.

    Redirect to the page of the call.
    """
    services.add_stop(app_id, borrower_id, "", StopKind.DO_NOT_CALL, request.user)
    leases.release(app_id, borrower_id, request.user)
    messages.success(request, _("Saved. Nobody will call until a manager allows calls again."))
    return redirect("call", app_id, borrower_id)


def _list_loans(app_id: str, borrower_id: str, lease: Lease | None) -> list[str]:
    """Return the borrower's open loans in the newest snapshot, the loan of the queue first."""
    found = [lease.account_id] if lease and lease.account_id else []
    if snapshot := find_with_loans(app_id):
        rows = filter_open(snapshot, [borrower_id]).order_by("-overdue_rank", "id")
        found += rows.values_list("account_id", flat=True)[:_MOST_LOANS]
    return list(dict.fromkeys(found))[:_MOST_LOANS]


def _read_live(
    request: PersonRequest,
    app: LendingApp,
    borrower_id: str,
    loan_ids: list[str],
    now: datetime,
    *,
    may_dial: bool,
) -> dict[str, Any]:
    """Read the borrower and the loans from the service.

    For each record that can't be read, return an error card.

    Raise NotFound or InvalidId if there is no such borrower.
    """
    client = gateway.app(app.app_id)
    calls: list[Callable[[], Any]] = [partial(client.borrowers.get, borrower_id)]
    calls += [partial(client.loans.get, key) for key in loan_ids]
    person, *found = read_in_parallel(gateway.client(), *calls)
    loans, failed = [], []
    for key, one in zip(loan_ids, found, strict=True):
        try:
            loans.append((key, loan_facts(_open(one, key), now)))
        except LendingError as error:
            failed.append((key, errors.card(error)))
    context: dict[str, Any] = {"loans": loans, "failed": failed, "name": "", "phone": ""}
    try:
        borrower = _open(person, borrower_id)
    except (NotFound, InvalidId):
        raise
    except LendingError as error:
        is_other = isinstance(error, WrongRecord | UnidentifiedRecord)
        return context | {"card": errors.card(error), "is_other": is_other}
    if isinstance(borrower, Borrower):
        live.keep(app.app_id, borrower)
        fields = cards.read_fields(borrower)
        sees_name = request.user.has_perm(SEE_NAMES)
        context["name"] = fields["name"] if sees_name else write_initials(fields["name"])
        if may_dial and request.user.has_perm(SEE_CONTACT):
            context["phone"] = fields["phone"]
    return context


def _open(found: Any, key: str) -> Any:
    """Return the record that was read. If there is an error in its place, raise it."""
    if isinstance(found, LendingError):
        raise found
    return check_named(found, key)


def _read_kept(app_id: str, borrower_id: str) -> dict[str, Any]:
    """Return the latest calls and promises, and the stops that are in effect."""
    own = {"app_id": app_id, "borrower_id": borrower_id}
    calls = Call.objects.filter(**own).select_related("called_by").order_by("-called_at")
    promises = Promise.objects.filter(**own).select_related("call").order_by("-id")
    stops = services.list_stops(app_id, borrower_id)
    return {
        "calls": calls[:_SHOWN],
        "promises": promises[:_SHOWN],
        "stops": stops,
        "is_stopped": any(one.kind not in OF_A_LOAN for one in stops),
    }
