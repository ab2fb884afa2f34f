"""Pages of the timelines of a borrower and a loan. The address has the kind, month and page."""

from datetime import UTC, date, datetime
from typing import NamedTuple

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import EXPORT_KEPT, NOTES_WRITE
from lendingadmin.lending import loan_math
from lendingadmin.lending.errors import InvalidId, LendingError, NotFound
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.ids import check_id
from lendingadmin.lending.values import Loan
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.records.borrowers.reads import note_read
from lendingadmin.web.access import access
from lendingadmin.web.quotas import READS
from lendingadmin.web.requests import PersonRequest, address_with
from lendingadmin.web.timeline import Subject, list_sources

from .reading import Month, Timeline, read_timeline

_MICROSECONDS = 1_000_000
# Digits of a time in an address, enough for the next three thousand years.
_LONGEST = 17


class Year(NamedTuple):
    """A year and its months with items: the month, its first day, the number and the address."""

    number: int
    months: list[tuple[Month, date, int, str]]


@access("lending.borrowers.get", quota=READS)
def of_borrower(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show all events of a borrower and their loans, in this dashboard and at the service.

    The record is not read, so saved data are shown even if the borrower no longer exists.
    """
    app = gateway.lending_app(app_id)
    subject = Subject(app, request.user, check_id(borrower_id))
    page = _draw(request, subject, {"back_url": reverse("borrower", args=[app_id, borrower_id])})
    note_read(request, app_id, borrower_id)
    return page


@access("lending.loans.get", quota=READS)
def of_loan(request: PersonRequest, app_id: str, account_id: str) -> HttpResponse:
    """Show all events of one loan, in this dashboard and at the service.

    A loan that could not be read is shown as a gap, with the data of this dashboard. Raises
    LendingError for a loan that does not exist.
    """
    loan: Loan | LendingError
    try:
        loan = check_named(gateway.app(app_id).loans.get(account_id), account_id)
    except (InvalidId, NotFound):
        raise
    except LendingError as error:
        loan, account = error, account_id
        last = Repayment.objects.of_loan(app_id, account_id).first()
        borrower_id = last.borrower_id if last else ""
    else:
        account = loan_math.account_of(loan) or account_id
        borrower_id = loan_math.borrower_of(loan)
    app, now = gateway.lending_app(app_id), timezone.now()
    subject = Subject(app, request.user, borrower_id, account, loan, now)
    page = _draw(request, subject, {"back_url": reverse("loan", args=[app_id, account])})
    if borrower_id:
        note_read(request, app_id, borrower_id)
    return page


def _draw(request: PersonRequest, subject: Subject, context: dict[str, object]) -> HttpResponse:
    every = list_sources(request.user, of_loans=bool(subject.account_id))
    kind, month = request.GET.get("kind", ""), _read_month(request)
    sources = [one for one in every if kind in ("", one.key)]
    if not sources:
        raise Http404("There is no such kind, or this person may not see it.")
    timeline = read_timeline(subject, sources, month, _read_moment(request))
    context |= {
        "subject": subject,
        "timeline": timeline,
        "kinds": [
            (one, address_with(request, {"kind": one.key, "before": "", "month": ""}))
            for one in every
        ],
        "kind": kind,
        "years": _list_years(request, timeline),
        "month_began": timeline.month and date(*timeline.month, 1),
        "older_url": _find_older(request, timeline),
        "first_url": address_with(request, {"before": ""}) if request.GET.get("before") else "",
        "may_write": request.user.has_perm(NOTES_WRITE) and any(x.key == "notes" for x in every),
        "may_export": request.user.has_perm(EXPORT_KEPT) and not subject.account_id,
        "app": subject.app,
    }
    return render(request, "timeline/timeline.html", context)


def _read_month(request: PersonRequest) -> Month | None:
    """Return the month in the address; None for the newest.

    Raise Http404 for text that is not a month.
    """
    text = request.GET.get("month", "")
    month = Month.parse(text) if text else None
    if text and month is None:
        raise Http404("The address has no month.")
    return month


def _read_moment(request: PersonRequest) -> datetime | None:
    """Return the time before which the items of the page happened; None for the newest items.

    The address has the time in microseconds since 1970. Other text counts as None.
    """
    text = request.GET.get("before", "")
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST):
        return None
    second, rest = divmod(int(text), _MICROSECONDS)
    return datetime.fromtimestamp(second, UTC).replace(microsecond=rest)


def _find_older(request: PersonRequest, timeline: Timeline) -> str:
    if timeline.older is None or timeline.month is None:
        return ""
    second = int(timeline.older.replace(microsecond=0).timestamp())
    before = str(second * _MICROSECONDS + timeline.older.microsecond)
    return address_with(request, {"month": str(timeline.month), "before": before})


def _list_years(request: PersonRequest, timeline: Timeline) -> list[Year]:
    """Return the months of each year, the newest first."""
    years: dict[int, Year] = {}
    for month, count in timeline.months:
        url = address_with(request, {"month": str(month), "before": ""})
        row = (month, date(*month, 1), count, url)
        years.setdefault(month.year, Year(month.year, [])).months.append(row)
    return list(years.values())
