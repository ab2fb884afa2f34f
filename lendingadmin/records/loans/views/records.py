"""Pages of loans: the list with all filters of the spec, and the page of one loan."""

from decimal import Decimal

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.lending import loan_math
from lendingadmin.lending.identity import is_named
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.values import Loan
from lendingadmin.money.repayments import reconciliation
from lendingadmin.money.repayments.estimate import explain_closed
from lendingadmin.money.repayments.mistakes import list_open
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import OPEN
from lendingadmin.people.index.names import get_names
from lendingadmin.people.search import opened
from lendingadmin.records.loans import shown
from lendingadmin.records.loans.rows import LIST_KEYS, build_rows
from lendingadmin.records.loans.views.writing import is_delete_refused
from lendingadmin.web.access import access
from lendingadmin.web.display.technical import list_technical
from lendingadmin.web.lists import read_page
from lendingadmin.web.masking import is_whole, list_rights
from lendingadmin.web.policies import LOAN, PERFORMANCE, read_words
from lendingadmin.web.requests import PersonRequest

_RECORDED_HERE = 10


@access("lending.loans.list")
def loans(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the loans of an app; filters, order, page size and page are in the address."""
    words = {
        "status": read_words(LOAN),
        "performanceStatus": read_words(PERFORMANCE),
    }
    listing = read_page(
        request,
        OPERATIONS["loans.list"],
        gateway.app(app_id).loans.only(LIST_KEYS).list,
        words,
    )
    app = gateway.lending_app(app_id)
    names = get_names(app_id, [getattr(one, "borrower_id", None) for one in listing.items])
    context = {
        "list": listing,
        "rows": build_rows(listing.items, app, request.user, names),
        "app": app,
        "may_create": request.user.has_perm("lending.loans.create"),
    }
    return render(request, "loans/list.html", context)


@access("lending.loans.get")
def loan(request: PersonRequest, app_id: str, account_id: str) -> HttpResponse:
    """Show a loan: its debt, schedule and contract, and the records of this dashboard.

    If checks of its open repayments are due, they use the loan that was just read.
    """
    found, now = gateway.app(app_id).loans.get(account_id), timezone.now()
    unidentified = not is_named(found, account_id)
    account = loan_math.account_of(found) or account_id
    here = Repayment.objects.of_loan(app_id, account)
    app = gateway.lending_app(app_id)
    for repayment in here.filter(state__in=OPEN):
        reconciliation.check_if_due(repayment, fresh=found)
    context = {
        "loan": found,
        "account_id": account_id,
        "facts": loan_math.loan_facts(found, now),
        "unreadable_totals": loan_math.unreadable_totals(found),
        "steps": loan_math.schedule_rows(found, now),
        "technical": list_technical(found, shown.find_places(found)),
        "here": here.with_mistake()[:_RECORDED_HERE],
        "mistakes": list_open(app_id, account),
        "closed": explain_closed(found),
        "here_count": here.count(),
        "unidentified": unidentified,
        "may_record": not unidentified and request.user.has_perm("lending.loans.makeRepayment"),
        "may_delete": not unidentified
        and not is_delete_refused(found)
        and request.user.has_perm("lending.loans.delete"),
        "blocked_by": here.filter(state__in=OPEN, set_aside_at=None).first(),
        "read_at": now,
        "app": app,
        # The spec does not say which data settings and labels have.
        "sees_whole": is_whole(list_rights(request.user)),
    }
    context |= _set_against_paid(found, dict(here.sum_recorded(app)), app.currency)
    page = render(request, "loans/loan.html", context)
    if not unidentified:
        opened.remember(request, app_id, "loan", account)
    return page


def _set_against_paid(loan: Loan, landed: dict[str, Decimal], currency: str) -> dict[str, object]:
    """Return the part of the context about money that was paid outside this dashboard.

    `unexplained` is the amount paid at the service but not recorded in this dashboard, in the
    app's `currency`; None if unknown. Recorded amounts in other currencies are listed separately,
    because the service's conversion is not known.
    """
    paid = loan_math.total_of(loan, "paid")
    unexplained = None if paid is None else paid - landed[currency]
    return {
        "unexplained": unexplained,
        "other_currencies": [pair for pair in landed.items() if pair[0] != currency],
    }
