"""Pages of loans: the list, one loan, a new loan, and deletion."""

from decimal import Decimal

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import DEVELOPER
from lendingadmin.lending import loan_math
from lendingadmin.lending.errors import NotFound
from lendingadmin.lending.identity import delete_named, is_named
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.values import Loan, status_key
from lendingadmin.money.repayments import reconciliation
from lendingadmin.money.repayments.estimate import explain_closed
from lendingadmin.money.repayments.mistakes import list_open
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import OPEN
from lendingadmin.money.writes import idempotency, services
from lendingadmin.money.writes.models import Write
from lendingadmin.people.index.names import get_names
from lendingadmin.people.search import opened
from lendingadmin.records.loans import shown
from lendingadmin.records.loans.forms import LoanForm, taken_up
from lendingadmin.records.loans.rows import LIST_KEYS, build_rows
from lendingadmin.web import errors
from lendingadmin.web.access import access
from lendingadmin.web.display.technical import list_technical
from lendingadmin.web.errors import Card
from lendingadmin.web.lists import as_id, read_page
from lendingadmin.web.masking import is_whole, list_rights
from lendingadmin.web.policies import LOAN, PERFORMANCE, read_words
from lendingadmin.web.requests import PersonRequest

_RECORDED_HERE = 10
DELETE = "loans.delete"
# The service refuses to delete a loan in these states (Spec: Rules that hold, 4).
_REFUSED_IN = frozenset({"open", "closed"})


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


@access("lending.loans.create", methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the way to a loan through an offer; developers also get a form for a JSON contract.

    A POST of a developer creates the loan once and redirects to the loan. If the service refuses,
    the page gives the reason. If the outcome is unknown, redirect to the write.
    """
    app, card = gateway.lending_app(app_id), None
    # For other people the page has no form, and a POST sends nothing.
    is_developer = request.user.has_perm(DEVELOPER)
    borrower_id = as_id(request.GET.get("borrowerId", ""))
    again = taken_up(services.entered(request, LoanForm.operation, app_id).sent)
    started = {"borrowerId": borrower_id, "startDate": timezone.localtime()} | again
    form = LoanForm(request.POST or None, request=request, app=app, initial=started)
    if request.method == "POST" and is_developer and form.is_valid():
        asked, body = form.cleaned_data["accountId"], form.body()

        def lands_on(made: Loan) -> str:
            return reverse("loan", args=[app_id, loan_math.account_of(made) or asked])

        url, card = form.send(
            lambda: gateway.app(app_id).loans.create(body),
            lands_on,
            saved=_("Loan %(id)s is saved.") % {"id": asked},
            sent=body,
            app_id=app_id,
            subject=asked,
            borrower_id=form.cleaned_data["borrowerId"],
            again_at=reverse("loan-new", args=[app_id]),
        )
        if url:
            return redirect(url)
    context = {
        "form": form,
        "card": card,
        "account_id": form["accountId"].value(),
        "borrower_id": borrower_id,
        "is_again": bool(again),
        "is_developer": is_developer,
        "may_request": request.user.has_perm("lending.borrowers.getOffers"),
        "may_register": request.user.has_perm("lending.borrowers.create"),
        "app": app,
    }
    return render(request, "loans/new.html", context)


@access(
    *("lending.loans.delete", "lending.loans.get"),
    methods=("GET", "POST"),
    confirmed=("GET", "POST"),
)
def delete(request: PersonRequest, app_id: str, account_id: str) -> HttpResponse:
    """Ask for confirmation, with a warning that depends on the loan's state.

    A POST deletes the loan, if the service allows this, and redirects to the loans. If the service
    refuses, the page gives the reason. If the outcome is unknown, redirect to the write. If the
    form is too old, nothing is deleted and the POST redirects to this page.
    """
    app, card = gateway.lending_app(app_id), None
    if request.method == "POST":
        url, card = _delete(request, app_id, account_id)
        if url:
            return redirect(url)
    loan, fault = errors.read_for_form(request, gateway.app(app_id).loans.get, account_id)
    word = read_words(LOAN).get(status_key(loan.status), "") if loan else ""
    here = Repayment.objects.of_loan(
        app_id, (loan_math.account_of(loan) if loan else "") or account_id
    )
    context = {
        "loan": loan,
        "account_id": account_id,
        "card": card,
        "gone": isinstance(fault, NotFound),
        "token": idempotency.issue_key(request, DELETE),
        "state": word,
        "will_be_refused": loan is not None and is_delete_refused(loan),
        "here_count": here.count(),
        "app": app,
        "read_at": timezone.now(),
    }
    return render(request, "loans/delete.html", context)


def is_delete_refused(loan: Loan) -> bool:
    """Return True if the service refuses to delete a loan in this state (Spec: Loans)."""
    word = read_words(LOAN).get(status_key(loan.status), "")
    return word.casefold() in _REFUSED_IN


def _delete(request: PersonRequest, app_id: str, account_id: str) -> tuple[str, Card | None]:
    """Delete the loan; return the address of the next page, or a card with the service's words.

    If the form's token is too old, nothing is deleted and the next page is the same form.
    """
    loans = gateway.app(app_id).loans
    try:
        outcome = services.write_once(
            request,
            Write(operation=DELETE, app_id=app_id, subject=account_id),
            do=lambda: delete_named(loans.get, loans.delete, account_id, DELETE),
            lands_on=lambda _deleted: reverse("loans", args=[app_id]),
        )
    except idempotency.StaleKey:
        messages.warning(request, f"{idempotency.TOO_LONG} {_('Nothing was deleted.')}")
        return reverse("loan-delete", args=[app_id, account_id]), None
    if outcome.saved:
        words = _("Loan %(id)s is deleted.") % {"id": account_id}
        messages.success(request, words, extra_tags="loan-deleted")
    return outcome.url, outcome.card
