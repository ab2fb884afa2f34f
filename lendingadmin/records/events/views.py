"""Events: the list with every filter of the spec, and the page of one event."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import REVEAL, SEE_EVENT_CONTENT, SEE_NAMES, describe_roles
from lendingadmin.lending.diff import parse_moment
from lendingadmin.lending.errors import LendingError, NotFound, UnfinishedList
from lendingadmin.lending.ids import resource_id
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.pages import leave_out_repeats
from lendingadmin.lending.values import Event, Malformed, each
from lendingadmin.money.writes import idempotency, services
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.reconciliation import Submitted
from lendingadmin.people.index.names import list_names
from lendingadmin.people.search.open_loans import is_in_arrears
from lendingadmin.records.events import checking, outcomes, reading
from lendingadmin.records.events.drafts import PURPOSE, Draft, load_draft
from lendingadmin.records.events.forms import EventForm, FileForm, PastedForm
from lendingadmin.records.events.kinds import CAPTURED, CATEGORIES, KINDS, contents, find_domain
from lendingadmin.records.events.reported import read_reported
from lendingadmin.records.events.search import build_event_url, build_url, search_event
from lendingadmin.web import errors
from lendingadmin.web.access import access
from lendingadmin.web.display.statuses import processing
from lendingadmin.web.errors import Card
from lendingadmin.web.exports import (
    EXPORT,
    ExportPage,
    back_to_list,
    export_response,
    name_columns,
    write_moment,
    write_status,
)
from lendingadmin.web.lists import DEFAULT_PAGE_SIZE, ListForm, read_page, whole_number
from lendingadmin.web.masking import mask_open
from lendingadmin.web.middleware import fault
from lendingadmin.web.quotas import EXPORTS, REVEALS
from lendingadmin.web.redact import REDACTED
from lendingadmin.web.requests import PersonRequest
from lendingadmin.web.revealing import RevealForm, record_reveal

_LIST = OPERATIONS["events.list"]
#: The title of the card for an event that already exists at the service.
DUPLICATE = gettext_noop("The service already has this event")
# The number of newest events that are read to find the domain of kinds. An event may have 5 MB.
_ASKED_FOR_DOMAIN = 2
_LONGEST_ADDRESS = 1000  # the longest address that the record of a write saves


def _list_words() -> dict[str, dict[str, str]]:
    """Return the words for the values of the list's filters."""
    status = {"0": _("not processed"), "1": _("processed"), "2": _("processed with errors")}
    return {"status": status, "category": {name: name for name in CATEGORIES}}


@access("lending.events.list")
def events(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the events of an app; filters, order, page size and page are in the address."""
    listing = read_page(request, _LIST, gateway.app(app_id).events.list, words=_list_words())
    hints = {"accountId": "borrower:B-17", "timestamp": "2026-10-31T09:00:00.000Z"}
    for name, hint in hints.items():
        listing.form.fields[name].widget.attrs["placeholder"] = hint
    context = {
        "list": listing,
        "may_report": request.user.has_perm("lending.events.create"),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "events/list.html", context)


@access("lending.events.list")
def reported_kinds(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the kinds of data that an account has up to a time, and the missing kinds.

    This is a part of a page. A fault is shown only in this part, because the rest of the page works
    without it.
    """
    account, until = request.GET.get("accountId", ""), parse_moment(request.GET.get("until", ""))
    try:
        found = read_reported(gateway.app(app_id), account, until or timezone.now())
    except (LendingError, ValueError):
        found = None
    context = {"reported": found, "app": gateway.lending_app(app_id)}
    return render(request, "events/_reported.html", context)


@access(EXPORT, "lending.events.list", quota=EXPORTS)
def export(request: PersonRequest, app_id: str) -> HttpResponseBase:
    """Export all events that the filter finds as CSV or XLSX, without their content.

    Redirect to the list if the filter is invalid.
    """
    form = ListForm(request.GET, _LIST, _list_words())
    if not form.is_valid():
        return back_to_list(request)
    found = gateway.app(app_id).events.pages(**form.asked(), page_size=DEFAULT_PAGE_SIZE)
    pages = leave_out_repeats(found)
    may_see = request.user.has_perm(SEE_NAMES)
    rows = (ExportPage(_rows(app_id, page.items, may_see), page.repeated) for page in pages)
    name = f"events-{app_id}"
    return export_response(request, name, _COLUMNS, rows, subject="events", app_id=app_id)


_COLUMNS = name_columns(
    {
        "borrowerName": gettext_lazy("Borrower name"),
        "eventId": "",
        "accountId": gettext_lazy("Account"),
        "eventType": gettext_lazy("Type"),
        "timestamp": (gettext_lazy("Captured"), write_moment),
        "status": (gettext_lazy("Status"), write_status(processing)),
        "category": gettext_lazy("Category"),
        "appVersionId": gettext_lazy("App version"),
        "createdAt": (gettext_lazy("Received"), write_moment),
        "data": gettext_lazy("Contents"),
    }
)
_OWN = [column.name for column in _COLUMNS[1:-1]]


def _rows(app_id: str, items: Sequence[Event | Malformed], may_see: bool) -> Iterator[list[object]]:
    names = list_names(app_id, [getattr(item, "account_id", "") for item in items], may_see=may_see)
    for event, name in zip(items, names, strict=True):
        if isinstance(event, Malformed):
            yield [REDACTED]
        else:
            yield [name, *(mask_open(event.raw.get(key)) for key in _OWN), contents(event)]


@access("lending.events.list")
def event(
    request: PersonRequest, app_id: str, account_id: str, event_type: str, timestamp: str
) -> HttpResponse:
    """Show the data of one event by kind. Without the right to see personal content, it is masked.

    For a borrower in arrears, the content is masked for all people, because contacts and messages
    must not be used to collect a debt.
    """
    key = (account_id, event_type, timestamp)
    return _show(request, app_id, request.GET, key, revealed=_may_see(request, app_id, account_id))


@access(REVEAL, "lending.events.list", methods=("GET", "POST"), quota=REVEALS)
def reveal(
    request: PersonRequest, app_id: str, account_id: str, event_type: str, timestamp: str
) -> HttpResponse:
    """Show the event with its personal content, in answer to a POST that gives a purpose.

    The audit trail records the purpose. Without a valid purpose, the content is still masked. A GET
    of this address, such as from a bookmark, redirects to the masked page.
    """
    key = (account_id, event_type, timestamp)
    if request.method != "POST":
        return redirect("event", app_id, *key)
    form = RevealForm(request.POST)
    return _show(request, app_id, request.POST, key, revealed=form.is_valid(), form=form)


def _may_see(request: PersonRequest, app_id: str, account_id: str) -> bool:
    """Return True if this person may see the content without giving a purpose."""
    if not request.user.has_perm(SEE_EVENT_CONTENT):
        return False
    return not is_in_arrears(app_id, resource_id(account_id) or "")


def _show(
    request: PersonRequest,
    app_id: str,
    asked: Mapping[str, Any],
    key: tuple[str, str, str],
    *,
    revealed: bool = False,
    form: RevealForm | None = None,
) -> HttpResponse:
    """Return the page of the event with these three key values.

    With `revealed` and a `form`, record the purpose in the audit trail. Raise NotFound if the
    complete list has no such event. Return an error page if the list was not read to its end.
    """
    result = search_event(app_id, *key)
    if (found := result.found) is None:
        if result.whole:
            raise NotFound("The service lists no such event.", operation=_LIST.name)
        words = _(
            "Only the first part of the list was read. The event is not in the part that was read."
        )
        return fault(
            request,
            UnfinishedList(words, operation=_LIST.name),
            further=reverse(
                "events", args=[app_id], query={"accountId": key[0], "eventType": key[1]}
            ),
        )
    app = gateway.lending_app(app_id)
    part = whole_number(asked.get("part"))
    data = reading.read_event(found, revealed=revealed, part=part, zone=app.zone)
    if revealed and form:
        # The entry in the audit trail is written before any content is shown.
        at = {"part": data.part + 1, "parts": data.parts}
        what = _("event, part %(part)s of %(parts)s") % at
        record_reveal(request, app_id, f"{key[0]} {key[2]}", what, form)
    context = {
        "event": found,
        "data": data,
        "borrower_id": resource_id(found.account_id),
        "here": build_url(app_id, *key),
        "revealed_url": build_url(app_id, *key, route="event-reveal"),
        "revealed": revealed,
        "reveal_form": form or RevealForm(),
        "may_see": _may_see(request, app_id, key[0]),
        "is_in_arrears": is_in_arrears(app_id, resource_id(key[0]) or ""),
        "may_reveal": request.user.has_perm(REVEAL),
        "who_may": describe_roles(REVEAL),
        "contents": contents(found),
        "read_at": timezone.now(),
        "app": app,
    }
    return render(request, "events/event.html", context)


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
        cause=_(
            "Each account, type and time can have only one event. An event with this account, "
            "type and time already exists."
        ),
        next=_(
            "Open the event and compare. If your data is different, enter the time when your "
            "data was captured."
        ),
        saved="no",
        tone="warn",
        links=((_("Open the existing event"), build_url(app_id, *key)),),
    )


@access("lending.events.create", methods=("GET", "POST"))
def confirm(request: PersonRequest, app_id: str, form: str) -> HttpResponse:
    """Show the counts of the data to send. The POST sends the event once, and redirects to it.

    Redirect to the event also if this form has already reported an event, and to the form if the
    draft is gone. If the service refuses, the page gives the reason. If the outcome is unknown,
    redirect to the write.
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
            request,
            _("Nothing was sent. The values of this form are lost. Enter the values again."),
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
