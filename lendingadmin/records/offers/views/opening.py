"""Creation of a loan from a previewed contract.

The contract is sent back exactly as it was shown, to the last key and digit.
"""

from contextlib import suppress

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.core import gateway
from lendingadmin.lending import loan_math
from lendingadmin.lending.diff import parse_moment
from lendingadmin.lending.errors import UnidentifiedRecord
from lendingadmin.lending.values import Loan, number, text
from lendingadmin.money.writes import idempotency, services
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.reconciliation import Submitted
from lendingadmin.records.loans.shown import CONTRACT
from lendingadmin.records.offers import asking, catalogue, drafts, lent
from lendingadmin.records.offers.forms import ContractLoanForm
from lendingadmin.records.offers.models import OfferRequest
from lendingadmin.records.offers.previews import form_of, one_of, read
from lendingadmin.web.access import access
from lendingadmin.web.dates import far_notice
from lendingadmin.web.display.technical import list_technical
from lendingadmin.web.errors import Card
from lendingadmin.web.fields import minted_account_id
from lendingadmin.web.lists import whole_number
from lendingadmin.web.requests import PersonRequest

from .offers import checked

_TOO_LONG = gettext_lazy(
    "This form was open for too long, so the contract was previewed again. Check the "
    "contract and send the form again."
)


@access("lending.loans.create", "lending.borrowers.getOfferContracts", methods=("GET", "POST"))
def loan(
    request: PersonRequest, app_id: str, borrower_id: str, request_id: str, product_id: str
) -> HttpResponse:
    """Show the contract again, with the account id; a POST creates the loan once.

    Redirect to the loan, or to the write if the outcome is unknown. If the form is too old or the
    service refuses, show the page with the reason. Raise UnidentifiedRecord for an offer that may
    belong to another borrower.
    """
    gateway.lending_app(app_id)
    source = drafts.Source(app_id, checked(borrower_id), checked(request_id), product_id)
    row = asking.Place(*source[:3]).find()
    if row and not row.is_named:
        raise UnidentifiedRecord
    sent = request.POST if request.method == "POST" else None
    # The same account id is used again, so that a loan that was created late is not created twice.
    again = services.entered(request, drafts.PURPOSE, app_id).sent
    form = ContractLoanForm(
        sent, initial={"accountId": again.get("accountId", minted_account_id())}
    )
    kept, card = None, None
    if sent is not None:
        with suppress(idempotency.StaleKey):
            kept = drafts.find(request, source, sent.get("token", ""))
        if kept is None:
            form.add_error(None, ValidationError(_TOO_LONG, code="stale"))
    if kept is None:
        kept = _preview(request, source, row)
    elif form.is_valid():
        url, card = _open(request, source, row, kept, form)
        if url:
            return redirect(url)
        # The token is used up, so the contract is saved under a new token.
        kept = drafts.keep(request, source, kept.body)
    amount, before = number(kept.body.get("loanAmount")), lent.read_lent(row) if row else None
    left = before.left if before else None
    starts = parse_moment(str(kept.body.get("startDate") or ""))
    context = source._asdict() | {
        "form": form,
        "card": card,
        "token": kept.token,
        "body": kept.body,
        "contract": kept.contract,
        "technical": list_technical(kept.contract, CONTRACT),
        # Fields sent with the contract, under the service's own names.
        "names": [(key, value) for key, value in kept.body.items() if key != "contract"],
        "account_id": form["accountId"].value(),
        "query": request.GET.urlencode(),
        "app": gateway.lending_app(app_id),
        "read_at": timezone.now(),
        "far_start": starts and far_notice(_("The start of the loan"), starts, timezone.now()),
        "lent": before,
        # This counts only the loans that this dashboard knows.
        "is_over": amount is not None and left is not None and amount > left,
    }
    return render(request, "offers/loan.html", context)


def _preview(
    request: PersonRequest, source: drafts.Source, row: OfferRequest | None
) -> drafts.Kept:
    """Preview the contract and save it for the loan. Raises LendingError or Http404."""
    offer = row.response if row else None
    if row is None or offer is None:
        raise Http404("This dashboard has no offer of this request.")
    form = form_of(request, offer, source.app_id)
    if not form.is_valid():
        raise Http404("The address has no amount and no day.")
    preview = read(request, row, form, borrower=True)
    contract = one_of(preview, source.product_id, whole_number(request.GET.get("place")))
    # Spec: Loan. The loan has the type of its product and the category of its borrower.
    product = catalogue.named(source.product_id, preview.products)
    known = {
        "loanType": text(product.product_type) if product else None,
        "category": text(preview.borrower.category) if preview.borrower else None,
    }
    body = drafts.body_of(
        contract,
        source,
        row.operation,
        start_date=form.starts_at(),
        known=known,
    )
    return drafts.keep(request, source, body)


def _open(
    request: PersonRequest,
    source: drafts.Source,
    row: OfferRequest | None,
    kept: drafts.Kept,
    form: ContractLoanForm,
) -> tuple[str, Card | None]:
    """Create the loan; return the address of the next page, or the card of the error."""
    chosen = {
        key: form.cleaned_data[key] for key in ("accountId", "lenderId") if form.cleaned_data[key]
    }
    body = {**chosen, **kept.body}
    if row:
        key = idempotency.check_key(request, drafts.PURPOSE, kept.token)
        lent.note_intent(row, key, chosen["accountId"], body.get("loanAmount"))

    def lands_on(made: Loan) -> str:
        account = loan_math.account_of(made) or chosen["accountId"]
        return reverse("loan", args=[source.app_id, account])

    outcome = services.write_once(
        request,
        Write(
            operation=drafts.PURPOSE,
            app_id=source.app_id,
            subject=chosen["accountId"],
            borrower_id=source.borrower_id,
            submitted=Submitted(body).encode(),
            again_at=request.get_full_path(),
        ),
        do=lambda: gateway.app(source.app_id).loans.create(body),
        lands_on=lands_on,
    )
    if outcome.saved:
        messages.success(request, _("Loan %(id)s is recorded.") % {"id": chosen["accountId"]})
    return outcome.url, outcome.card
