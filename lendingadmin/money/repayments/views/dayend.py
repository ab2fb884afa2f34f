"""The end of day: the figures of a day as a page and as CSV."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import date, timedelta
from http import HTTPStatus

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import cash
from lendingadmin.money.repayments.dayend import Figures, Line, group_by_currency, list_lines
from lendingadmin.money.repayments.forms import CashForm, DayForm
from lendingadmin.money.repayments.managers import write_channel
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.web.access import access
from lendingadmin.web.exports import EXPORT, ExportPage, back_to_list, export_response, name_columns
from lendingadmin.web.lists import whole_number
from lendingadmin.web.quotas import EXPORTS
from lendingadmin.web.requests import PersonRequest

_STATEMENT = "dashboard.repayments.statement"
_RECORD = "lending.loans.makeRepayment"
_ENDS = (date(1900, 1, 1), date(9998, 12, 31))


@access(_STATEMENT)
def day(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the figures of a day. Each figure links to its entries in the journal."""
    return _show(request, gateway.lending_app(app_id))


@access(_STATEMENT, _RECORD, methods=("POST",))
def count(request: PersonRequest, app_id: str) -> HttpResponse:
    """Save the amount counted in a till, for the day in the address; redirect to the day.

    If the form is invalid or another person has saved a newer count, show the page with the error.
    """
    app, day_form = gateway.lending_app(app_id), _form(request)
    if not day_form.is_valid():
        return _show(request, app)
    shown = day_form.cleaned_data["date"]
    form = _cash_form(request, app, cash.list_tills(app, shown))
    if not form.is_valid():
        return _show(request, app, form)
    person_id, currency = form.chosen
    person = get_object_or_404(User, pk=person_id)
    amount, version = form.cleaned_data["amount"], whole_number(request.POST.get("version"))
    try:
        cash.save_count(app, shown, person, currency, amount, request.user, version=version)
    except cash.NewerCount as newer:
        return _show(request, app, form, newer.count)
    query = urlencode({"date": shown.isoformat()})
    return redirect(f"{reverse('repayments-day', args=[app_id])}?{query}#cash")


def _cash_form(request: PersonRequest, app: LendingApp, tills: Sequence[cash.Till]) -> CashForm:
    """Return the cash form for the tills of the day and the person's own till.

    The person's own till is included, because it may have cash that was not recorded.
    """
    offered = [(one.person_id, one.person, one.currency) for one in tills]
    own = (request.user.pk, request.user.username, app.currency)
    return CashForm(request.POST or None, offered if own in offered else [*offered, own])


def _show(
    request: PersonRequest,
    app: LendingApp,
    cash_form: CashForm | None = None,
    newer: cash.TillCount | None = None,
) -> HttpResponse:
    """Show the page of the day.

    `newer` is a count that the page of a POST did not show, so the new count was not saved.
    """
    form = _form(request)
    context: dict[str, object] = {"app": app, "form": form}
    if form.is_valid():
        shown, by = form.cleaned_data["date"], form.cleaned_data["by"]
        today = timezone.localdate()
        # Cash belongs to the day of entry, so tills are not shown by the transaction date.
        cash_tills = [] if by else cash.list_tills(app, shown)
        # After an error in the form, the page still has the version that the person saw.
        is_older = request.method == "POST" and not newer
        context |= {
            "cash_tills": cash_tills,
            "cash_form": None if by else cash_form or _cash_form(request, app, cash_tills),
            "version": whole_number(request.POST.get("version"))
            if is_older
            else cash.find_version(cash_tills),
            "newer": newer,
            "may_count": request.user.has_perm(_RECORD),
            "day": shown,
            "by": by,
            "tills": group_by_currency(list_lines(app, shown, by), shown, by),
            "previous": shown - timedelta(days=1) if shown > _ENDS[0] else None,
            "next": shown + timedelta(days=1) if shown < min(today, _ENDS[1]) else None,
            "is_today": shown == today,
            "now": timezone.now(),
            "may_read_statements": request.user.has_perm("dashboard.statements.read"),
        }
    status = HTTPStatus.CONFLICT if newer else HTTPStatus.OK
    return render(request, "repayments/day.html", context, status=status)


def _form(request: PersonRequest) -> DayForm:
    """Return the form, which is always bound. Without a date in the address, the date is today."""
    given, today = request.GET.copy(), timezone.localdate().isoformat()
    given["date"] = given.get("date") or today
    return DayForm(given, initial={"date": today})


COLUMNS = name_columns(
    {
        "day": _("Day"),
        "zone": _("Zone"),
        "dayOf": "",
        "person": _("Person"),
        "channel": (_("Channel"), write_channel),
        "network": _("Network"),
        "currencyCode": _("Currency"),
        "entered": _("Entered"),
        "recorded": _("Recorded"),
        "recordedSum": _("Amount recorded"),
        "probablyRecorded": RepaymentState.PRESUMED.label,
        "needsChecking": RepaymentState.UNKNOWN.label,
        "needsCheckingSum": _("Needs checking: amount"),
        "refused": _("Refused"),
        "notSent": RepaymentState.NOT_SENT.label,
        "awaitingApproval": _("Waiting for approval"),
        "resolvedAsNotRecorded": _("Resolved as not recorded"),
    }
)


@access(_STATEMENT, EXPORT, quota=EXPORTS)
def export(request: PersonRequest, app_id: str) -> HttpResponseBase:
    """Export the lines of the day as CSV.

    Totals are left out, because a spreadsheet can add them up. Redirect to the page of the day if
    the filter is invalid.
    """
    app, form = gateway.lending_app(app_id), _form(request)
    if not form.is_valid():
        return back_to_list(request)
    shown, by = form.cleaned_data["date"], form.cleaned_data["by"]
    place = (shown.isoformat(), str(app.zone), by or "entry")
    rows = [(*place, *_row(line)) for line in list_lines(app, shown, by)]
    name, subject = f"{app_id}-day-{shown:%Y-%m-%d}", gettext_noop("end of day")
    return export_response(
        request, name, COLUMNS, [ExportPage(rows)], subject=subject, app_id=app_id
    )


def _row(line: Line) -> Iterable[object]:
    figures = (getattr(line.figures, field.name) for field in fields(Figures))
    return (line.person, line.channel, line.network, line.currency, *figures)
