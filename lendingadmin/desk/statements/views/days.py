"""Comparisons of statements with the journal: the days, one day, and the differences."""

from calendar import Calendar
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.desk.statements import contradictions, coverage, proof, rows
from lendingadmin.desk.statements.batches import RECORD_REPAYMENTS
from lendingadmin.desk.statements.coverage import Cover
from lendingadmin.desk.statements.keeping import READ
from lendingadmin.desk.statements.lines import Standing
from lendingadmin.desk.statements.models import Batch, StatementLine
from lendingadmin.money.repayments import cash
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.writes.reconciliation import RESOLVE
from lendingadmin.web import polling
from lendingadmin.web.access import access
from lendingadmin.web.requests import PersonRequest

# The most rows of a part in the list; the journal and the statement have the rest.
_LISTED = 100
# The page follows the worker for at most this time while a batch of the day is in progress.
_FOLLOWED = timedelta(hours=12)
State = Batch.State
_EARLIEST, _LATEST = date(2000, 1, 1), date(2200, 1, 1)


class ShownDay(NamedTuple):
    """A day of the calendar. `cover` is None if no file covers the day."""

    day: date
    is_of_month: bool
    cover: Cover | None


@access(READ)
def calendar(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show a month for each account of each network, with the days that have a statement."""
    first = _read_month(request.GET.get("month", ""))
    weeks = Calendar().monthdatescalendar(first.year, first.month)
    since = weeks[0][0] - coverage.ACCOUNTS_OF
    covers = coverage.list_covers(app_id, since, weeks[-1][-1])
    grids = [
        {
            "network": network,
            "account": account,
            "weeks": _build_weeks(weeks, first, network, account, covers),
        }
        for network, accounts in coverage.list_accounts(app_id, covers, since).items()
        for account in accounts
    ]
    context = {
        "grids": grids,
        "first": first,
        "before": (first - timedelta(days=1)).strftime("%Y-%m"),
        "after": (first + timedelta(days=31)).strftime("%Y-%m"),
        "weekdays": weeks[0],
        "app": gateway.lending_app(app_id),
    }
    return render(request, "statements/covered.html", context)


@access(READ)
def day(request: PersonRequest, app_id: str, day: str) -> HttpResponse:
    """Show a day's entries in the journal and its payments on statements, by part."""
    app, on = gateway.lending_app(app_id), _read_day(day)
    now = timezone.now()
    found = proof.read_day(app, on, now)
    files = [*(one.number for one in found.files), *(one.number for one in found.so_far)]
    moving = Batch.objects.filter(file_id__in=files, state__in=(State.CHECKING, State.RECORDING))
    context = {
        "day": on,
        "found": found,
        "differences": _compare(found, cash.sum_counted(app, on)),
        "entries": _list_entries(found),
        "lines": _list_lines(found),
        "is_over": on < timezone.localdate(now, timezone=app.zone),
        "poll": polling.poll(
            request, now, _FOLLOWED, waiting=moving.exists(), delays=polling.WATCHED
        ),
        "may_record": request.user.has_perm(RECORD_REPAYMENTS),
        "may_see_day": request.user.has_perm("dashboard.repayments.statement"),
        "app": app,
    }
    return render(request, "statements/day.html", context)


def _read_day(text: str) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise Http404("no day of the calendar") from None
    if not _EARLIEST <= found <= _LATEST:
        raise Http404("no day of any statement")
    return found


def _read_month(text: str) -> date:
    """Return the first day of the month in the address, or else of this month."""
    try:
        found = date.fromisoformat(f"{text}-01")
    except ValueError:
        found = timezone.localdate().replace(day=1)
    return found if _EARLIEST < found < _LATEST else timezone.localdate().replace(day=1)


def _build_weeks(
    weeks: list[list[date]], first: date, network: str, account: str, covers: list[Cover]
) -> list[list[ShownDay]]:
    own = [one for one in covers if (one.network, one.account) == (network, account)]

    def show(day: date) -> ShownDay:
        cover = next((one for one in own if one.first <= day <= one.last), None)
        return ShownDay(day, day.month == first.month, cover)

    return [[show(day) for day in week] for week in weeks]


def _compare(found: proof.Day, counted: Mapping[str, Decimal]) -> list[dict[str, Any]]:
    """Return the amounts in the journal and on statements, one row for each currency.

    `difference` is the amount that was entered but not confirmed. `cash` is the part that was
    entered as cash, and `counted` is the counted cash; None without a count. `recorded` is the
    amount that was entered without cash. `missing` is the amount that arrived minus `recorded`.
    """
    confirmed = found.entries[proof.EntryPart.CONFIRMED].sums
    in_cash = found.entries[proof.EntryPart.CASH].sums
    codes = sorted({*found.entered, *found.arrived, *counted})
    return [
        {
            "currency": code,
            "entered": found.entered.get(code, 0),
            "confirmed": confirmed.get(code, 0),
            "difference": found.entered.get(code, 0) - confirmed.get(code, 0),
            "cash": in_cash.get(code, 0),
            "counted": counted.get(code),
            "arrived": found.arrived.get(code, 0),
            "recorded": found.entered.get(code, 0) - in_cash.get(code, 0),
            "missing": found.arrived.get(code, 0)
            - found.entered.get(code, 0)
            + in_cash.get(code, 0),
        }
        for code in codes
    ]


def _list_entries(found: proof.Day) -> list[tuple[str, list[Repayment]]]:
    """Return the entries of all parts that are not confirmed, by the label of the part."""
    parts = [found.entries[one] for one in proof.EntryPart if one != proof.EntryPart.CONFIRMED]
    numbers = [number for part in parts for number in part.numbers[:_LISTED]]
    found_rows = Repayment.objects.select_related("created_by").in_bulk(numbers)
    return [(x.label, [found_rows[n] for n in x.numbers[:_LISTED]]) for x in parts if x.numbers]


def _list_lines(found: proof.Day) -> list[StatementLine]:
    """Return at most _LISTED unallocated payments of the day, the oldest first."""
    numbers = found.credits["unallocated"].numbers[:_LISTED]
    lines = StatementLine.objects.filter(pk__in=numbers).select_related("file", "owner")
    return list(lines.order_by("moment", "pk"))


@access(RESOLVE, READ, methods=("GET", "POST"))
def both_sides(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show both sides of the contradictions that no manager has seen.

    A POST marks one contradiction as seen and redirects to this page.
    """
    if request.method == "POST":
        contradictions.mark_seen(app_id, request.POST.get("key", ""), request.user)
        return redirect("statements-contradictions", app_id)
    visible = rows.read_visibility(request.user)
    found = contradictions.list_contradictions(app_id)
    shown = [
        {
            "key": one.key,
            "repayments": one.repayments,
            "lines": [
                rows.describe_line(line, Standing.OTHER_AMOUNT, {}, **visible) for line in one.lines
            ],
        }
        for one in found
    ]
    waiting = contradictions.list_waiting(app_id, request.user)
    context = {
        "found": shown,
        "repayments": [row for one in found for row in one.repayments],
        "is_cut": waiting[: contradictions.AT_MOST + 1].count() > contradictions.AT_MOST,
        "at_most": contradictions.AT_MOST,
        "app": gateway.lending_app(app_id),
    }
    return render(request, "statements/contradictions.html", context)
