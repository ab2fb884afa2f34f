"""Pages of borrowers: the list, and the page of one borrower with its panels."""

import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import (
    MAKE_PAPERS,
    REVEAL,
    SEE_CONTACT,
    SEE_NAMES,
    describe_roles,
)
from lendingadmin.lending.errors import InvalidId, LendingError, NotFound
from lendingadmin.lending.identity import check_named, is_named
from lendingadmin.lending.ids import account_id
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.parallel import read_in_parallel
from lendingadmin.lending.values import Borrower
from lendingadmin.people.index import cards, live
from lendingadmin.people.index.names import (
    PersonName,
    get_names,
    get_page_names,
    to_borrower_id,
)
from lendingadmin.people.index.words import make_dialled
from lendingadmin.people.search import opened
from lendingadmin.people.search.open_loans import OpenLoans, read_open_loans
from lendingadmin.records.borrowers import history, loan_table, panels, reads
from lendingadmin.records.borrowers.panels import Listed, Panel, Recorded, Shown
from lendingadmin.records.borrowers.parts import LOANS, SHOWN, list_parts
from lendingadmin.web.access import access
from lendingadmin.web.display.technical import list_technical
from lendingadmin.web.display.text import borrower_name, borrower_phone
from lendingadmin.web.lists import as_id, read_page
from lendingadmin.web.masking import WHOLE_RECORD, find_masked, list_rights
from lendingadmin.web.quotas import READS, REVEALS
from lendingadmin.web.requests import PersonRequest
from lendingadmin.web.revealing import RevealForm, list_groups, record_reveal

# Seconds that the page of a borrower waits. Later answers of the service load separately.
MOMENT = 0.3
# Actions on the page, and the permission that each needs.
_MAY = {
    "patch": "lending.borrowers.patch",
    "delete": "lending.borrowers.delete",
    "offer": "lending.borrowers.getOffers",
    "assess": "lending.assessments.create",
    "record": "lending.loans.makeRepayment",
    "paper": MAKE_PAPERS,
    "name": SEE_NAMES,
}


@access("lending.borrowers.list")
def borrowers(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the borrowers of an app; the spec shows no filter for this list."""
    listing = read_page(request, OPERATIONS["borrowers.list"], gateway.app(app_id).borrowers.list)
    ids = [as_id(getattr(one, "borrower_id", "")) for one in listing.items]
    context = {
        "list": listing,
        "loans": read_open_loans(request.user.has_perm, app_id, [one for one in ids if one]),
        "may_create": request.user.has_perm("lending.borrowers.create"),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "borrowers/list.html", context)


@access("lending.borrowers.get", quota=READS)
def borrower(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show a borrower with all panels that can be read within a moment.

    Slower panels load separately. With `?whole=1` the page waits for all panels, for browsers
    without JavaScript and for printing. Then an unknown or invalid id is an error.
    """
    whole, held = "whole" in request.GET, list_rights(request.user)
    seen = [panel for panel in panels.LISTS if request.user.has_perm(panel.permission)]
    found = panels.read_panels(
        [panels.RECORD, *seen], app_id, borrower_id, seconds=None if whole else MOMENT
    )
    record, *others = (panels.mask_found(one, held) for one in found)
    if isinstance(record, NotFound):
        live.drop_gone(app_id, borrower_id)
    # The page shows the history in this dashboard even without the record.
    if whole and isinstance(record, NotFound | InvalidId):
        raise record
    shown = []
    accounts = found[1] if panels.LOANS in seen else None
    for panel, one in zip(seen, others, strict=True):
        if panel is not panels.LOANS or one is None:
            shown.append(Shown.of(panel, one))
        elif record is None:  # The panel also needs the loans in the record.
            shown.append(Shown(panel))
        else:
            shown.append(Shown.of_loans(one, record, app_id, borrower_id))
    has_loans = panels.LOANS in seen
    context = _of_record(Shown.of(panels.RECORD, record), borrower_id, has_loans=has_loans)
    context |= _describe_masked(request, app_id, borrower_id, found[0])
    context |= {
        "panels": shown,
        "whole": whole,
        "shared": secrets.token_urlsafe(9),
        "names": {}
        if isinstance(record, Recorded)
        else get_page_names(request, app_id).get([borrower_id]),
        "history": history.of_borrower(request.user, app_id, borrower_id),
        "owing": _find_owing(request, app_id, borrower_id, accounts),
    }
    page = _draw(request, "borrowers/borrower.html", app_id, borrower_id, context)
    _remember(request, app_id, borrower_id, found[0])
    return page


@access("lending.borrowers.get", quota=READS)
def record_panel(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show the borrower's own record: title, person, devices, other data.

    The loans of the record are shown in the panel of loans. If that panel is not on the page, the
    loans are shown as Technical.
    """
    app = gateway.app(app_id)
    found: Any
    try:
        key = _find_shared_key(request, app_id)
        found = (
            panels.share_record(app, borrower_id, key) if key else panels.record(app, borrower_id)
        )
    except LendingError as error:
        if isinstance(error, NotFound):
            live.drop_gone(app_id, borrower_id)
        found = error
    masked = panels.mask_found(found, list_rights(request.user))
    template = f"borrowers/{'_record_fragment' if request.htmx else 'record'}.html"
    has_loans = bool(request.htmx) and request.user.has_perm(panels.LOANS.permission)
    context = _of_record(Shown.of(panels.RECORD, masked), borrower_id, has_loans=has_loans)
    context |= _describe_masked(request, app_id, borrower_id, found)
    context["owing"] = _find_owing(request, app_id, borrower_id)
    page = _draw(request, template, app_id, borrower_id, context)
    _remember(request, app_id, borrower_id, found)
    return page


@access(REVEAL, "lending.borrowers.get", methods=("GET", "POST"), quota=REVEALS)
def reveal(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show the record without masks, in response to a POST with a purpose.

    The audit trail records the purpose and the groups of revealed data. A GET, such as from a
    bookmark, redirects to the borrower. May raise LendingError.
    """
    if request.method != "POST":
        return redirect("borrower", app_id, borrower_id)
    form = RevealForm(request.POST)
    found = panels.record(gateway.app(app_id), borrower_id)
    check_named(found.borrower, borrower_id)
    context = _describe_masked(request, app_id, borrower_id, found) | {"reveal_form": form}
    held = list_rights(request.user)
    if form.is_valid():
        # The entry in the audit trail is made before any masked data are shown.
        groups = ", ".join(list_groups(find_masked(found.borrower.raw, held)))
        subject = " ".join((account_id(borrower_id), "record"))
        record_reveal(request, app_id, subject, groups or _("nothing is masked"), form)
        held = WHOLE_RECORD
        context["revealed"] = True
    shown = Shown.of(panels.RECORD, panels.mask_found(found, held))
    context |= _of_record(shown, borrower_id, has_loans=False)
    return _draw(request, "borrowers/record.html", app_id, borrower_id, context)


def _describe_masked(
    request: PersonRequest, app_id: str, borrower_id: str, found: object
) -> dict[str, object]:
    """Return the masked parts of a record in words, and the context of the form to see them.

    Return an empty dict if the record could not be read.
    """
    if not isinstance(found, Recorded):
        return {}
    rights = find_masked(found.borrower.raw, list_rights(request.user))
    return {
        "masked": list_groups(rights),
        "may_reveal": request.user.has_perm(REVEAL),
        "who_may": describe_roles(REVEAL),
        "revealed_url": reverse("borrower-reveal", args=[app_id, borrower_id]),
        "reveal_form": RevealForm(),
    }


@access("lending.loans.list")
def loans_panel(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show a borrower's loans: accounts, and the record's loans for people who may see them.

    If the record's panel is loading on the same page, both share one read of the record. The record
    is requested after the accounts, because by this time the other panel has usually read it.
    """
    app, page_token = gateway.app(app_id), request.GET.get("pageToken") or None
    reads: list[Callable[[], Any]] = [partial(panels.loans, app, borrower_id, page_token)]
    key = _find_shared_key(request, app_id)
    may_see_record = request.user.has_perm(panels.RECORD.permission)
    if may_see_record and not key:
        reads.append(partial(panels.record, app, borrower_id))
    held = list_rights(request.user)
    accounts, *others = read_in_parallel(gateway.client(), *reads)
    recorded: Any = others[0] if others else None
    if may_see_record and key:
        try:
            recorded = panels.share_record(app, borrower_id, key)
        except LendingError as error:
            recorded = error
    accounts, recorded = (panels.mask_found(one, held) for one in (accounts, recorded))
    shown = Shown.of_loans(accounts, recorded, app_id, borrower_id, page_token)
    owing = None if page_token else _find_owing(request, app_id, borrower_id, accounts)
    return _draw_panel(request, shown, app_id, borrower_id, owing=owing)


@access("lending.assessments.list")
def assessments_panel(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show the assessments of a borrower."""
    return _panel(request, panels.ASSESSMENTS, app_id, borrower_id)


@access("lending.events.list")
def events_panel(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show the newest events of a borrower."""
    return _panel(request, panels.EVENTS, app_id, borrower_id)


def _panel(request: PersonRequest, panel: Panel, app_id: str, borrower_id: str) -> HttpResponse:
    """Show one panel, or one page of a panel. An error is shown only in the panel."""
    page_token = request.GET.get("pageToken") or None
    (found,) = panels.read_panels([panel], app_id, borrower_id, page_token)
    result = panels.mask_found(found, list_rights(request.user))
    return _draw_panel(request, Shown.of(panel, result, page_token), app_id, borrower_id)


def _find_owing(
    request: PersonRequest, app_id: str, borrower_id: str, accounts: object = None
) -> OpenLoans | None:
    """Return the debt of the borrower on all open loans; None if it is not known.

    `accounts` is the result of the read of loans. If it is not complete, use the last update of the
    portfolio.
    """
    if isinstance(accounts, Listed) and not accounts.next_page_token:
        return loan_table.add_up(accounts.items, accounts.read_at)
    return read_open_loans(request.user.has_perm, app_id, [borrower_id]).get(borrower_id)


def _draw_panel(
    request: PersonRequest,
    shown: Shown,
    app_id: str,
    borrower_id: str,
    **more: object,
) -> HttpResponse:
    """Draw one panel: a fragment for htmx, else a complete page."""
    template = "borrowers/_panel.html" if request.htmx else "borrowers/panel.html"
    return _draw(request, template, app_id, borrower_id, {"shown": shown, **more})


def _find_shared_key(request: PersonRequest, app_id: str) -> str:
    """Return the key that the panels of one opened page share; empty for a single panel."""
    shared = request.GET.get("shared", "")
    return f"{request.user.pk} {app_id} {shared}" if shared else ""


def _remember(request: PersonRequest, app_id: str, borrower_id: str, found: object) -> None:
    """Record that this person sees the borrower, and update the borrower in the index.

    `found` is the record from the service, without masks. Do nothing if `found` is an error or is
    not this borrower's record.
    """
    if isinstance(found, Recorded) and is_named(found.borrower, borrower_id):
        opened.remember(request, app_id, "borrower", borrower_id)
        reads.note_read(request, app_id, borrower_id)
        live.keep(app_id, found.borrower)


def _of_record(shown: Shown, borrower_id: str, *, has_loans: bool) -> dict[str, object]:
    """Return the context from the record. `has_loans` is True if the page lists loans."""
    found = shown.found.borrower if shown.found else None
    has_loans = has_loans and found is not None and is_named(found, borrower_id)
    shown_places = SHOWN | LOANS if has_loans else SHOWN
    return {
        "record": shown,
        "borrower": found,
        "parts": list_parts(found) if found else [],
        "technical": list_technical(found, shown_places) if found else [],
    }


def _draw(
    request: PersonRequest, template: str, app_id: str, borrower_id: str, context: dict[str, object]
) -> HttpResponse:
    app = gateway.lending_app(app_id)
    record, found = context.get("record"), context.get("borrower")
    # A record that does not have this borrower's id allows no actions.
    is_theirs = isinstance(found, Borrower) and is_named(found, borrower_id)
    refused = isinstance(record, Shown) and record.is_read and not is_theirs
    may = {word: not refused and request.user.has_perm(right) for word, right in _MAY.items()}
    owing = context.get("owing")
    open_count = owing.open_count if isinstance(owing, OpenLoans) else None
    phone = ""
    if isinstance(found, Borrower) and is_theirs and request.user.has_perm(SEE_CONTACT):
        phone = make_dialled(borrower_phone(found))
    if isinstance(found, Borrower) and is_theirs and request.user.has_perm(SEE_NAMES):
        # Title and breadcrumbs have the name of the record, without a query.
        shown = PersonName(borrower_name(found), phone, timezone.now())
        get_page_names(request, app_id).put(borrower_id, shown)
    given = {
        "borrower_id": borrower_id,
        "account_id": account_id(borrower_id),
        "app": app,
        "may": may,
        # The spec does not show when a delete is refused. An open loan needs its borrower.
        "may_delete": may["delete"] and not open_count,
        # A borrower with a debt pays. A borrower without an open loan may want one.
        "offer_is_main": may["offer"] and (open_count == 0 or not may["record"]),
        "dialled": phone,
        "unidentified": refused and bool(found),
    }
    return render(request, template, given | context)


@access("lending.borrowers.get", quota=READS)
def name(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show only the borrower's name, for pages with one of the borrower's records.

    With `?with=phone`, also show the phone; the audit trail records this. If the service does not
    answer, take the name from the index. A person without the right to see names gets the initials.
    A person without the right to see contact data gets no phone.
    """
    context: dict[str, object] = {"borrower_id": borrower_id, "app_id": app_id}
    try:
        found = check_named(gateway.app(app_id).borrowers.get(borrower_id), borrower_id)
    except NotFound:
        live.drop_gone(app_id, borrower_id)
    except LendingError:
        context["names"] = get_names(app_id, [borrower_id])
    else:
        live.keep(app_id, found)
        fields = cards.read_fields(found)
        if fields["name"]:
            shown = PersonName(fields["name"], fields["phone"], timezone.now())
            context["names"] = {to_borrower_id(borrower_id): shown}
        if request.GET.get("with") == "phone" and request.user.has_perm(SEE_CONTACT):
            phone = borrower_phone(found)
            dialled = make_dialled(phone)
            context |= {"phone": phone if dialled else "", "dialled": dialled}
    page = render(request, "borrowers/_name.html", context)
    if context.get("phone"):
        reads.note_read(request, app_id, borrower_id)
    return page
