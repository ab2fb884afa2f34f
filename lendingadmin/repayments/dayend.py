"""Day's end: what each person entered in one day, by channel, network and currency.

A repayment belongs to the day on which it was entered here, because that is the day whose till
holds its money; the day of its transaction date can be asked for instead.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, timedelta
from decimal import Decimal
from itertools import groupby
from typing import Any

from django.db.models import Count, F, Q
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode

from lendingadmin import audit, gateway
from lendingadmin.env import LendingApp
from lendingadmin.ui.access import access
from lendingadmin.ui.exports import CsvPage, back_to_list, csv_response
from lendingadmin.ui.requests import PersonRequest

from . import managers
from .forms import DayForm
from .models import Repayment
from .states import RepaymentState

_STATEMENT = "dashboard.repayments.statement"
_EXPORT = "dashboard.export"
_ENDS = (date(1900, 1, 1), date(9998, 12, 31))


@dataclass(frozen=True)
class Figures:
    """Counts of entries by their standing, and sums in one currency.

    `presumed` is the part of `landed` that only balances speak for; `doubtful` ones may or may not
    be at the service.
    """

    entered: int
    landed: int
    landed_sum: Decimal
    presumed: int
    doubtful: int
    doubtful_sum: Decimal
    refused: int
    not_sent: int
    abandoned: int


@dataclass(frozen=True)
class Line:
    """One person's entries by one channel and network, in one currency."""

    person: str
    channel: str
    network: str
    currency: str
    figures: Figures
    query: str


@dataclass(frozen=True)
class Till:
    """All lines of one currency, and their total."""

    currency: str
    lines: Sequence[Line]
    total: Figures
    query: str


def lines(app: LendingApp, day: date, by: str = "") -> list[Line]:
    """The day's entries in groups, by currency first; `by` as in `book.between`."""
    rows = Repayment.objects.filter(managers.between(day, day, by, app.zone), app_id=app.app_id)
    keys = {"by_person": F("created_by__username"), **managers.keys(app)}
    order = ("by_currency", "by_person", "by_channel", "by_network")
    counts = {name: Count("pk", filter=wanted) for name, wanted in managers.STANDINGS.items()}
    found = (
        rows.values(**keys)
        .annotate(
            **counts,
            entered=Count("pk"),
            landed_sum=managers.total(managers.LANDED),
            presumed=Count("pk", filter=Q(state=RepaymentState.PRESUMED)),
            doubtful_sum=managers.total(managers.STANDINGS["doubtful"]),
        )
        .order_by(*order)
    )
    place = {"since": day.isoformat(), "until": day.isoformat(), "by": by}
    return [_line(group, place) for group in found]


def _line(group: Mapping[str, Any], place: dict[str, str]) -> Line:
    names = ("person", "channel", "network", "currency")
    keys = {name: str(group[f"by_{name}"]) for name in names}
    found = {field.name: group[field.name] for field in fields(Figures)}
    sums = {name: managers.amount_of(group[name]) for name in ("landed_sum", "doubtful_sum")}
    return Line(**keys, figures=Figures(**found | sums), query=urlencode(place | keys))


def tills(found: Iterable[Line], day: date, by: str = "") -> list[Till]:
    """The lines by currency, each with its total: sums never mix currencies."""
    place = {"since": day.isoformat(), "until": day.isoformat(), "by": by}
    return [
        Till(code, own, _total(own), urlencode(place | {"currency": code}))
        for code, group in groupby(found, key=lambda line: line.currency)
        if (own := list(group))
    ]


def _total(of: Sequence[Line]) -> Figures:
    names = [field.name for field in fields(Figures)]
    return Figures(**{name: sum(getattr(line.figures, name) for line in of) for name in names})


@access(_STATEMENT)
def day(request: PersonRequest, app_id: str) -> HttpResponse:
    """The day's figures; each leads to the entries of the journal behind it."""
    app, form = gateway.lending_app(app_id), _form(request)
    context: dict[str, object] = {"app": app, "form": form}
    if form.is_valid():
        shown, by = form.cleaned_data["date"], form.cleaned_data["by"]
        today = timezone.localdate()
        context |= {
            "day": shown,
            "by": by,
            "tills": tills(lines(app, shown, by), shown, by),
            "previous": shown - timedelta(days=1) if shown > _ENDS[0] else None,
            "next": shown + timedelta(days=1) if shown < min(today, _ENDS[1]) else None,
            "is_today": shown == today,
            "now": timezone.now(),
        }
    return render(request, "repayments/day.html", context)


def _form(request: PersonRequest) -> DayForm:
    """Bound always: without a date in the address it is today's."""
    given = request.GET.copy()
    given["date"] = given.get("date") or timezone.localdate().isoformat()
    return DayForm(given)


COLUMNS = (
    "day",
    "zone",
    "dayOf",
    "person",
    "channel",
    "network",
    "currencyCode",
    "entered",
    "landed",
    "landedSum",
    "presumed",
    "unknown",
    "unknownSum",
    "refused",
    "notSent",
    "resolvedAsNotRecorded",
)


@access(_STATEMENT, _EXPORT)
def export(request: PersonRequest, app_id: str) -> HttpResponseBase:
    """The day's lines as CSV, without totals: a spreadsheet makes them, by currency."""
    app, form = gateway.lending_app(app_id), _form(request)
    if not form.is_valid():
        return back_to_list(request)
    shown, by = form.cleaned_data["date"], form.cleaned_data["by"]
    audit.record(request, _EXPORT, app_id=app_id, subject="day's end", outcome="started")
    place = (shown.isoformat(), str(app.zone), by or "entry")
    rows = [(*place, *_row(line)) for line in lines(app, shown, by)]
    return csv_response(request, f"{app_id}-day-{shown:%Y-%m-%d}.csv", COLUMNS, [CsvPage(rows)])


def _row(line: Line) -> Iterable[object]:
    figures = (getattr(line.figures, field.name) for field in fields(Figures))
    return (line.person, line.channel, line.network, line.currency, *figures)
