"""Comparisons of statements with the journal: the days, one day, and the differences."""

from calendar import Calendar
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.desk.statements import contradictions, coverage, proof, rows
from lendingadmin.desk.statements.batches import RECORD_REPAYMENTS
from lendingadmin.desk.statements.coverage import Cover
from lendingadmin.desk.statements.keeping import READ
from lendingadmin.desk.statements.lines import Place, Standing
from lendingadmin.desk.statements.models import Batch, StatementLine
from lendingadmin.money.repayments import cash
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.writes.reconciliation import RESOLVE
from lendingadmin.web import polling
from lendingadmin.web.access import access
from lendingadmin.web.requests import PersonRequest

# The most rows of a part in the list. The journal and the statement show all.
_LISTED = 100
# The page follows the worker for at most this time while a batch of the day is in progress.
_FOLLOWED = timedelta(hours=12)
State = Batch.State
_EARLIEST, _LATEST = date(2000, 1, 1), date(2200, 1, 1)


@access(READ)
def calendar(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show a month for each account of each network, with the days that have a statement."""
    first = _read_day(f"{request.GET.get('month', '')}-01") or timezone.localdate().replace(day=1)
    weeks = Calendar().monthdatescalendar(first.year, first.month)
    since = weeks[0][0] - coverage.ACCOUNTS_OF
    covers = coverage.list_covers(app_id, since, weeks[-1][-1])
    grids = [
        {
            "network": network,
            "account": account,
            "weeks": _build_weeks(weeks, network, account, covers),
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
    app, on, now = gateway.lending_app(app_id), _read_day(day), timezone.now()
    if on is None:
        raise Http404("no day of any statement")
    found = proof.read_day(app, on, now)
    files = [*(one.number for one in found.files), *(file.pk for file, _until in found.so_far)]
    unallocated = found.credits[Place.UNALLOCATED].numbers[:_LISTED]
    lines = StatementLine.objects.filter(pk__in=unallocated).select_related("file", "owner")
    moving = Batch.objects.filter(file_id__in=files, state__in=(State.CHECKING, State.RECORDING))
    context = {
        "day": on,
        "found": found,
        "differences": _compare(found, cash.sum_counted(app, on)),
        "entries": _list_entries(found),
        # Unallocated payments, the oldest first.
        "lines": lines.order_by("moment", "pk"),
        "is_over": on < timezone.localdate(now, timezone=app.zone),
        "poll": polling.poll(
            request, now, _FOLLOWED, waiting=moving.exists(), delays=polling.WATCHED
        ),
        "may_record": request.user.has_perm(RECORD_REPAYMENTS),
        "may_see_day": request.user.has_perm("dashboard.repayments.statement"),
        "app": app,
    }
    return render(request, "statements/day.html", context)


def _read_day(text: str) -> date | None:
    """Return the day in an address; None if it is not a day or no statement can have this day."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if _EARLIEST < found < _LATEST else None


def _build_weeks(
    weeks: list[list[date]], network: str, account: str, covers: list[Cover]
) -> list[list[tuple[date, bool]]]:
    """Return the days of each week, each with True if a file of the account covers the day."""
    own = [one for one in covers if (one.network, one.account) == (network, account)]
    return [
        [(day, any(one.first <= day <= one.last for one in own)) for day in week] for week in weeks
    ]


def _compare(found: proof.Day, counted: Mapping[str, Decimal]) -> list[dict[str, Any]]:
    """Return the amounts in the journal and on statements, one row for each currency.

    `difference` is entered minus confirmed. `cash` is the cash part of the entered amount, and
    `counted` is the counted cash; None without a count. `recorded` is the entered amount without
    cash. `missing` is the amount on statements minus `recorded`.
    """
    confirmed = found.entries[proof.EntryPart.CONFIRMED].sums
    in_cash = found.entries[proof.EntryPart.CASH].sums
    rows = []
    for code in sorted({*found.entered, *found.arrived, *counted}):
        entered, arrived = found.entered.get(code, Decimal(0)), found.arrived.get(code, Decimal(0))
        recorded = entered - in_cash.get(code, 0)
        rows.append(
            {
                "currency": code,
                "entered": entered,
                "confirmed": confirmed.get(code, 0),
                "difference": entered - confirmed.get(code, 0),
                "cash": in_cash.get(code, 0),
                "counted": counted.get(code),
                "arrived": arrived,
                "recorded": recorded,
                "missing": arrived - recorded,
            }
        )
    return rows


def _list_entries(found: proof.Day) -> list[tuple[str, list[Repayment]]]:
    """Return the entries of all parts that are not confirmed, by the label of the part."""
    parts = [found.entries[one] for one in proof.EntryPart if one != proof.EntryPart.CONFIRMED]
    numbers = [number for part in parts for number in part.numbers[:_LISTED]]
    found_rows = Repayment.objects.select_related("created_by").in_bulk(numbers)
    return [(x.label, [found_rows[n] for n in x.numbers[:_LISTED]]) for x in parts if x.numbers]


@access(RESOLVE, READ, methods=("GET", "POST"))
def both_sides(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show both sides of the contradictions that no manager has seen; a POST marks one as seen."""
    if request.method == "POST":
        contradictions.mark_seen(app_id, request.POST.get("key", ""), request.user)
        return redirect("statements-contradictions", app_id)
    found = contradictions.list_contradictions(app_id)
    shown = [
        {
            "key": key,
            "repayments": repayments,
            "lines": rows.describe_lines(
                request.user, [(line, Standing.OTHER_AMOUNT) for line in lines]
            ),
        }
        for key, lines, repayments in found
    ]
    waiting = contradictions.list_waiting(app_id, request.user)
    context = {
        "found": shown,
        "repayments": [row for _key, _lines, repayments in found for row in repayments],
        "is_cut": waiting[: contradictions.AT_MOST + 1].count() > contradictions.AT_MOST,
        "at_most": contradictions.AT_MOST,
        "app": gateway.lending_app(app_id),
    }
    return render(request, "statements/contradictions.html", context)
