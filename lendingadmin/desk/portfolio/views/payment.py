"""The payment box. A person or loan, an amount and a code lead to the review of a repayment.

Text about a borrower is sent only by POST. The review and the recording are the same as for every
repayment (`money/repayments/views/recording.py`).
"""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.core import gateway
from lendingadmin.desk.portfolio.forms import PaymentBoxForm
from lendingadmin.desk.portfolio.payees import FoundPayees, find_payees
from lendingadmin.lending.errors import LendingError
from lendingadmin.lending.identity import check_named
from lendingadmin.money.repayments.views import recording
from lendingadmin.money.writes import idempotency
from lendingadmin.people.search.counts import count_search
from lendingadmin.web import errors
from lendingadmin.web.access import access
from lendingadmin.web.quotas import OverQuota
from lendingadmin.web.requests import PersonRequest

NOTHING_FITS = gettext_lazy("No person or loan found. Nothing was recorded.")
RECORD = ("lending.loans.makeRepayment", "lending.loans.get")


@access(*RECORD, methods=("GET", "POST"))
def payment(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the payment box on its own page.

    A POST redirects to the review if the input names one loan. If several loans are possible, the
    page offers them, with the typed values. If the loan can't be read, the page shows an error
    card.
    """
    return enter_payment(request, app_id, usual=recording.read_last_used(request, app_id))


def enter_payment(
    request: PersonRequest,
    app_id: str,
    initial: Mapping[str, Any] | None = None,
    *,
    usual: Mapping[str, str] | None = None,
    source: object = None,
) -> HttpResponse:
    """Show the payment box at the present address; a valid POST redirects to the review.

    The form begins with the initial values. `usual` has the same meaning as in RepaymentForm.
    `source` is the page of the payment, such as a statement, if there is one.
    """
    app, found, card = gateway.lending_app(app_id), FoundPayees(), None
    form = PaymentBoxForm(request.POST or None, app=app, initial=initial, usual=usual)
    if request.method == "POST" and form.is_valid():
        try:
            found = _find(request, app_id, form)
            loan_id = request.POST.get("loan") or found.loan_id
            if loan_id:
                loan = check_named(gateway.app(app_id).loans.get(loan_id), loan_id)
                review = recording.lead_to_review(request, form, app_id, loan)
                if review:
                    return review
        except LendingError as error:
            card = errors.card(error)
    token = idempotency.issue_key(request, recording.PURPOSE)
    _focus(form, found)
    context = {"app": app, "box": form, "token": token, "found": found, "card": card}
    context |= {"action": request.path, "source": source}
    return render(request, "portfolio/payment.html", context)


def _find(request: PersonRequest, app_id: str, form: PaymentBoxForm) -> FoundPayees:
    """Return the loans that fit the typed text; add errors to the form."""
    if request.POST.get("loan"):
        return FoundPayees()
    try:
        count_search(request.user, app_id)
    except OverQuota:
        words = _("Too many searches in one hour. Open the page of the loan instead.")
        form.add_error("who", ValidationError(words, code="too_often"))
        return FoundPayees()
    found = find_payees(request.user, app_id, form.cleaned_data["who"])
    if found.is_empty:
        form.add_error("who", NOTHING_FITS)
    return found


def _focus(form: PaymentBoxForm, found: FoundPayees) -> None:
    """Put the cursor into the first wrong field, or else into the first field.

    If loans are found, put the cursor into no field.
    """
    if found.payees:
        return
    wrong = [name for name in form.fields if name in form.errors]
    name = wrong[0] if wrong else "who"
    form.fields[name].widget.attrs["autofocus"] = True
