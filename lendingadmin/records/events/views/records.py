"""Events: the list with every filter of the spec, and the page of one event."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import REVEAL, SEE_EVENT_CONTENT, SEE_NAMES, describe_roles
from lendingadmin.lending.diff import parse_moment
from lendingadmin.lending.errors import LendingError, NotFound, UnfinishedList
from lendingadmin.lending.ids import resource_id
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.pages import leave_out_repeats
from lendingadmin.lending.values import Event, Malformed
from lendingadmin.people.index.names import list_names
from lendingadmin.people.search.open_loans import is_in_arrears
from lendingadmin.records.events import reading
from lendingadmin.records.events.kinds import CATEGORIES, contents
from lendingadmin.records.events.reported import read_reported
from lendingadmin.records.events.search import build_url, search_event
from lendingadmin.web.access import access
from lendingadmin.web.display.statuses import processing
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
        words = _("Only part of the list was read. The event is not in this part.")
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
