"""The pages that report an event: form, check and sending (Spec: Events, Create).

The entered data are saved as a draft. So the last step sends exactly the data that it shows, and a
person chooses a file only once.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core import gateway
from lendingadmin.lending.errors import LendingError
from lendingadmin.lending.values import Event, each
from lendingadmin.money.writes import idempotency, services
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.reconciliation import Submitted
from lendingadmin.records.events import checking, outcomes
from lendingadmin.records.events.drafts import PURPOSE, Draft, load_draft
from lendingadmin.records.events.forms import EventForm, FileForm, PastedForm
from lendingadmin.records.events.kinds import CAPTURED, KINDS, find_domain
from lendingadmin.records.events.search import build_event_url, build_url, search_event
from lendingadmin.web import errors
from lendingadmin.web.access import access
from lendingadmin.web.errors import Card
from lendingadmin.web.requests import PersonRequest

#: The title of the card for an event that already exists at the service.
DUPLICATE = gettext_noop("The service already has this event")
# The number of newest events that are read to find the domain of kinds. An event may have 5 MB.
_ASKED_FOR_DOMAIN = 2
_LONGEST_ADDRESS = 1000  # the longest address that the record of a write saves


@access("lending.events.create", methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the form for pasted JSON or a file; a POST saves valid data as a draft.

    The POST redirects to the confirm step. If the data are invalid, the page shows the errors.
    """
    by_file = request.GET.get("by") == "file"
    idempotency_key, draft = _load_under_way(request, app_id)
    form, card = _build_form(request, app_id, by_file, draft), None
    if request.method == "POST" and form.is_valid():
        body, card = _check(app_id, form, idempotency_key)
        if body:
            _build_draft(request, app_id, form, body).save(request, idempotency_key)
            return redirect("event-confirm", app_id, idempotency_key)
    token = idempotency.issue_key(request, PURPOSE, idempotency_key or None)
    if form.file_name:
        draft = _build_draft(request, app_id, form)
        draft.save(request, idempotency.check_key(request, PURPOSE, token))
    context = {
        "form": form,
        "by_file": by_file,
        "kept_file": draft.file if draft and by_file else None,
        "card": card,
        "token": token,
        "account": request.GET.get("accountId", ""),
        "too_large": checking.TOO_LARGE,
        "app": gateway.lending_app(app_id),
    }
    return render(request, "events/new.html", context)


def _load_under_way(request: PersonRequest, app_id: str) -> tuple[str, Draft | None]:
    """Return the form's idempotency key and its draft.

    The key is empty if a GET names no draft, or if the token of a POST is stale.
    """
    if request.method != "POST":
        idempotency_key = request.GET.get("form", "")
        draft = load_draft(request, app_id, idempotency_key)
        return (idempotency_key if draft else ""), draft
    with suppress(idempotency.StaleKey):
        idempotency_key = idempotency.check_key(request, PURPOSE, request.POST.get("token", ""))
        return idempotency_key, load_draft(request, app_id, idempotency_key)
    return "", None


def _build_form(
    request: PersonRequest, app_id: str, by_file: bool, draft: Draft | None
) -> EventForm:
    chosen = {"file": draft.file if draft else None}
    if request.method == "POST":
        if by_file:
            return FileForm(request.POST, request.FILES, initial=chosen)
        return PastedForm(request.POST)
    if draft and by_file == bool(draft.file_name):
        entered = draft.entered
        return FileForm(entered, initial=chosen) if by_file else PastedForm(entered)
    # The domain of this app's newest events, if there is one.
    domain = ""
    with suppress(LendingError):
        page = gateway.app(app_id).events.list(order="desc", page_size=_ASKED_FOR_DOMAIN)
        domain = find_domain(each(page.items[:_ASKED_FOR_DOMAIN]))
    initial = {"accountId": request.GET.get("accountId", ""), "domain": domain}
    return FileForm(initial=initial) if by_file else PastedForm(initial=initial)


def _build_draft(
    request: PersonRequest, app_id: str, form: EventForm, body: Mapping[str, Any] | None = None
) -> Draft:
    """Return a draft of the entered data."""
    return Draft(app_id, request.POST.urlencode(), form.file_name, form.content, body or {})


def _check(
    app_id: str, form: EventForm, idempotency_key: str
) -> tuple[dict[str, object], Card | None]:
    """Check the entered event and return the body to send.

    If the check fails, the body is empty, and the form or the returned card gives the reason.
    """
    if not idempotency_key:
        form.add_error(None, ValidationError(idempotency.TOO_LONG, code="stale"))
        return {}, None
    body = form.body()
    findings = checking.check_event(body, timezone.now())
    for words in findings.errors:
        form.add_error(form.source if words == findings.too_large else None, words)
    if findings.errors:
        return {}, None
    try:
        card = _find_duplicate(app_id, body)
    except LendingError as error:
        card = errors.card(error)
    return ({}, card) if card else (body, None)


def _find_duplicate(app_id: str, body: Mapping[str, object]) -> Card | None:
    """Return a card with a link to the event with the same key; None if there is no such event.

    Raise LendingError if the events can't be read.
    """
    key = _build_key(body)
    if search_event(app_id, *key).found is None:
        return None
    return Card(
        title=_(DUPLICATE),
        cause=_("Each account, type and time can have only one event. This event already exists."),
        next=_(
            "Open the event and compare. If your data is different, enter the time when it was "
            "captured."
        ),
        saved="no",
        tone="warn",
        links=((_("Open the existing event"), build_url(app_id, *key)),),
    )


@access("lending.events.create", methods=("GET", "POST"))
def confirm(request: PersonRequest, app_id: str, form: str) -> HttpResponse:
    """Show the counts of the data to send. The POST sends the event once, and redirects to it.

    If this form has already reported an event, redirect to that event. If the draft was deleted,
    redirect to the form. If the service refuses, the page gives the reason. If the outcome is
    unknown, redirect to the write.
    """
    if url := _find_result(request, form):
        return redirect(url)
    if request.method == "GET" and "again" not in request.GET:
        own = Write.objects.filter(person=request.user, operation=PURPOSE)
        write = own.filter(idempotency_key=form).first()
        if write and write.is_open:
            return redirect(write)
    services.entered(request, PURPOSE, app_id)
    draft = load_draft(request, app_id, form)
    if draft is None or not draft.body:
        messages.warning(
            request, _("Nothing was sent. The entries of this form are gone. Enter them again.")
        )
        there = reverse("event-new", args=[app_id])
        return redirect(f"{there}?by=file&form={form}" if draft else there)
    if request.method != "POST":
        return _show_confirm(request, draft, form)
    try:
        outcome = _send(request, draft, form)
    except idempotency.StaleKey:
        card = Card(
            title=_("Nothing was sent"),
            cause=str(idempotency.TOO_LONG),
            next=_("Send the event again."),
            saved="no",
        )
        return _show_confirm(request, draft, form, card)
    if outcome.saved:
        idempotency.delete_draft(form)
        messages.success(request, _("The event was reported."))
    if outcome.url:
        return redirect(outcome.url)
    return _show_confirm(request, draft, form, _add_evidence(outcome.card, app_id, draft.body))


def _show_confirm(
    request: PersonRequest, draft: Draft, form: str, card: Card | None = None
) -> HttpResponse:
    body = draft.body
    used = Write.objects.filter(idempotency_key=form).exists()
    findings = checking.check_event(body, timezone.now())
    context = {
        "body": body,
        "parts": [(KINDS[part.kind], part) for part in findings.parts],
        "captured": checking.parse_time(body.get("timestamp")),
        "findings": findings,
        "card": card,
        "form_token": form,
        "by_file": bool(draft.file_name),
        # A failed attempt has used up its token, so the next attempt gets a new token.
        "token": idempotency.issue_key(request, PURPOSE, None if used else form),
        "app": gateway.lending_app(draft.app_id),
    }
    return render(request, "events/confirm.html", context)


def _find_result(request: PersonRequest, form: str) -> str:
    """Return the address of the event that this form has already reported; empty if there is none.

    A person may send a form again after Back, in another tab or by a double click.
    """
    keys = [form]
    with suppress(idempotency.StaleKey):
        keys.append(idempotency.check_key(request, PURPOSE, request.POST.get("token", "")))
    known = [key for key in keys if "\x00" not in key]
    saved = Write.objects.filter(idempotency_key__in=known, person=request.user, operation=PURPOSE)
    return saved.exclude(url="").values_list("url", flat=True).first() or ""


def _send(request: PersonRequest, draft: Draft, form: str) -> services.Outcome:
    app_id, body = draft.app_id, draft.body
    events = gateway.app(app_id).events

    def lands_on(made: Event) -> str:
        there = build_event_url(app_id, made) or build_url(app_id, *_build_key(body))
        return there if 0 < len(there) <= _LONGEST_ADDRESS else reverse("events", args=[app_id])

    return services.write_once(
        request,
        Write(
            operation=PURPOSE,
            app_id=app_id,
            subject=f"{body['accountId']} {body['timestamp']}",
            submitted=Submitted(outcomes.summarize(body)).encode(),
            again_at=reverse("event-confirm", args=[app_id, form]),
        ),
        do=lambda: events.create(body),
        lands_on=lands_on,
    )


def _build_key(body: Mapping[str, object]) -> tuple[str, str, str]:
    return str(body["accountId"]), CAPTURED, str(body["timestamp"])


def _add_evidence(card: Card | None, app_id: str, body: Mapping[str, Any]) -> Card | None:
    """Add a link to the event to the card of a failed sending, if the service has the event."""
    key = _build_key(body)
    with suppress(LendingError):
        if card and search_event(app_id, *key).found:
            link = (_("Open the existing event"), build_url(app_id, *key))
            return replace(card, links=(*card.links, link))
    return card
