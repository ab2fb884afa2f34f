"""Borrowers: the list, and the page of one with the loan accounts they hold."""

from collections.abc import Callable
from functools import partial

from django.http import HttpResponse
from django.shortcuts import render

from lendingadmin import gateway
from lendingadmin.lending.errors import LendingError
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.parallel import together
from lendingadmin.web import errors
from lendingadmin.web.access import access
from lendingadmin.web.lists import read_page
from lendingadmin.web.requests import PersonRequest

_LOANS_SHOWN = 100


@access("lending.borrowers.list")
def borrowers(request: PersonRequest, app_id: str) -> HttpResponse:
    """The borrowers of an app; the spec shows no filter for them."""
    listing = read_page(request, OPERATIONS["borrowers.list"], gateway.app(app_id).borrowers.list)
    context = {"list": listing, "app": gateway.lending_app(app_id)}
    return render(request, "borrowers/list.html", context)


@access("lending.borrowers.get")
def borrower(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """One borrower: the person or company, devices, settings and loans."""
    app = gateway.app(app_id)
    by_borrower = partial(
        app.loans.list,
        filters={"borrowerId": borrower_id},
        order="desc",
        page_size=_LOANS_SHOWN,
    )
    reads: list[Callable[[], object]] = [partial(app.borrowers.get, borrower_id)]
    if request.user.has_perm("lending.loans.list"):
        reads.append(by_borrower)
    found, *others = together(gateway.client(), *reads)
    if isinstance(found, LendingError):
        raise found
    loans = others[0] if others else None
    context = {
        "borrower": found,
        "borrower_id": borrower_id,
        "may_see_loans": bool(others),
        "loans": None if isinstance(loans, LendingError) else loans,
        "loans_card": errors.card(loans) if isinstance(loans, LendingError) else None,
        "app": gateway.lending_app(app_id),
    }
    return render(request, "borrowers/borrower.html", context)


@access("lending.borrowers.get")
def name(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """The borrower's name alone, for pages that show a record of theirs."""
    try:
        found = gateway.app(app_id).borrowers.get(borrower_id)
    except LendingError:
        found = None
    context = {"borrower": found, "borrower_id": borrower_id, "app_id": app_id}
    return render(request, "borrowers/_name.html", context)
