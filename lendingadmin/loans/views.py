"""Loans: the list with every filter of the spec, and the loan page."""

from decimal import Decimal

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from lendingadmin import gateway
from lendingadmin.display.technical import list_technical
from lendingadmin.finding import opened
from lendingadmin.lending import figures
from lendingadmin.lending.identity import is_named
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.values import Loan
from lendingadmin.repayments import book, watching
from lendingadmin.web import beside, tables
from lendingadmin.web.access import access
from lendingadmin.web.lists import read_page
from lendingadmin.web.requests import PersonRequest

from . import shown
from .columns import KEYS, columns

_RECORDED_HERE = 10


@access("lending.loans.list")
def loans(request: PersonRequest, app_id: str) -> HttpResponse:
    """The loans of an app; filters, order, page size and page are in the address."""
    words = {
        "status": settings.LENDING_LOAN_STATUSES,
        "performanceStatus": settings.LENDING_PERFORMANCE_STATUSES,
    }
    listing = read_page(
        request, OPERATIONS["loans.list"], gateway.app(app_id).loans.only(KEYS).list, words=words
    )
    app = gateway.lending_app(app_id)
    context = {
        "list": listing,
        "table": tables.draw(columns(app, beside.mark(request)), listing.items),
        "app": app,
        "may_create": request.user.has_perm("lending.loans.create"),
    }
    return render(request, "loans/list.html", context)


@access("lending.loans.get")
def loan(request: PersonRequest, app_id: str, account_id: str) -> HttpResponse:
    """One loan: what is owed, the schedule, the contract, and what was recorded here."""
    found, now = gateway.app(app_id).loans.get(account_id), timezone.now()
    unnamed = not is_named(found, account_id)
    here = book.of_loan(app_id, figures.account_of(found) or account_id)
    app = gateway.lending_app(app_id)
    for repayment in here.filter(state__in=book.OPEN):
        watching.look_if_due(repayment, fresh=found)
    context = {
        "loan": found,
        "account_id": account_id,
        "facts": figures.facts(found, now),
        "unreadable_totals": figures.unreadable_totals(found),
        "steps": figures.steps(found, now),
        "technical": list_technical(found, shown.LOAN),
        "here": here[:_RECORDED_HERE],
        "here_count": here.count(),
        "unnamed": unnamed,
        "may_record": not unnamed and request.user.has_perm("lending.loans.makeRepayment"),
        "may_delete": not unnamed and request.user.has_perm("lending.loans.delete"),
        "blocked_by": here.filter(state__in=book.OPEN, set_aside_at=None).first(),
        "read_at": now,
        "app": app,
    }
    context |= _set_against_paid(found, dict(book.landed_sums(here, app)), app.currency)
    page = render(request, "loans/loan.html", context)
    if not unnamed:
        opened.remember(request, app_id, "loan", figures.account_of(found) or account_id)
    return page


def _set_against_paid(loan: Loan, landed: dict[str, Decimal], currency: str) -> dict[str, object]:
    """What the service holds as paid beyond what was recorded here; None where it does not tell.

    Amounts of another currency stand beside it: how the service converted them is not known.
    """
    paid = figures.in_all(loan, "paid")
    unexplained = None if paid is None else paid - landed[currency]
    return {
        "unexplained": unexplained,
        "other_currencies": [pair for pair in landed.items() if pair[0] != currency],
    }
