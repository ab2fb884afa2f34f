"""Pages to create a loan from a contract in JSON, and to delete one (Spec: Loans)."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import DEVELOPER
from lendingadmin.lending import loan_math
from lendingadmin.lending.errors import InvalidId, LendingError, NotFound
from lendingadmin.lending.identity import check_named, delete_named
from lendingadmin.lending.values import Loan, status_key
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.writes import idempotency, services
from lendingadmin.money.writes.models import Write
from lendingadmin.records.loans.forms import LoanForm, taken_up
from lendingadmin.web.access import access
from lendingadmin.web.errors import Card
from lendingadmin.web.lists import as_id
from lendingadmin.web.policies import LOAN, read_words
from lendingadmin.web.requests import PersonRequest

DELETE = "loans.delete"
# The service refuses to delete a loan in these states (Spec: Rules that hold, 4).
_REFUSED_IN = frozenset({"open", "closed"})


@access("lending.loans.create", methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show how to make a loan from an offer. Developers also get a form for a contract in JSON.

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
    form is too old, delete nothing and redirect to this page.
    """
    app, card = gateway.lending_app(app_id), None
    if request.method == "POST":
        url, card = _delete(request, app_id, account_id)
        if url:
            return redirect(url)
    loan, fault = _read(request, app_id, account_id)
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


def _read(
    request: PersonRequest, app_id: str, account_id: str
) -> tuple[Loan | None, LendingError | None]:
    """Return the loan, or on a POST the error of a failed read.

    On a POST, the page still shows the card of the write. On a GET, and for an invalid id, raise
    LendingError.
    """
    try:
        return check_named(gateway.app(app_id).loans.get(account_id), account_id), None
    except LendingError as error:
        if request.method != "POST" or isinstance(error, InvalidId):
            raise
        return None, error
