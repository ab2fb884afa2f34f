"""The contracts of an offer, side by side (Spec: Borrowers, 5)."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.lending.errors import LendingError, UnidentifiedRecord
from lendingadmin.records.offers import asking, comparison, lent, previews
from lendingadmin.records.offers.forms import PreviewForm
from lendingadmin.web import errors
from lendingadmin.web.access import access
from lendingadmin.web.display.amounts import write_for_all
from lendingadmin.web.requests import PersonRequest

from .offers import MAY_ASK, checked


@access("lending.borrowers.getOfferContracts")
def contracts(
    request: PersonRequest, app_id: str, borrower_id: str, request_id: str
) -> HttpResponse:
    """Show a contract for each product of an offer, for the amount and day in the address.

    Raises UnidentifiedRecord for an offer that may belong to another borrower.
    """
    app = gateway.lending_app(app_id)
    row = asking.Place(app_id, checked(borrower_id), checked(request_id)).find()
    context: dict[str, object] = {
        "app": app,
        "row": row,
        "borrower_id": borrower_id,
        "request_id": request_id,
        "may_open": request.user.has_perm(MAY_ASK),
        "address": request.build_absolute_uri(),
    }
    if row and not row.is_named:
        raise UnidentifiedRecord
    offer = row.response if row else None
    if row is None or offer is None:
        return render(request, "offers/contracts.html", context)
    form = previews.form_of(request, offer, app_id)
    code = 200
    if form.is_valid() and (elsewhere := _address_for_all(request, form)):
        return redirect(elsewhere)
    if form.is_valid():
        try:
            preview = previews.read(request, row, form)
        except LendingError as error:
            context["card"], code = errors.card(error), errors.status(error)
        else:
            columns = preview.columns()
            form.name_products(preview.called)
            context |= {
                "previewed": True,
                "columns": columns,
                "lines": comparison.lines(columns),
                "unreadable": len(preview.contracts) - len(columns),
            }
    context |= {
        "form": form,
        "offer": offer,
        "lent": lent.read_lent(row),
        "expired": row.is_expired(timezone.now()),
        "read_at": timezone.now(),
        "query": request.GET.urlencode(),
        "may_create": request.user.has_perm("lending.loans.create"),
    }
    return render(request, "offers/contracts.html", context, status=code)


def _address_for_all(request: PersonRequest, form: PreviewForm) -> str:
    """Return the address with the amount written so that every language can read it.

    Return an empty text if there is no amount, or if the amount is already written in this way.
    """
    query, amount = request.GET.copy(), form.cleaned_data["amount"]
    if amount is None or query["amount"] == (written := write_for_all(f"{amount:f}")):
        return ""
    query["amount"] = written
    return f"{request.path}?{query.urlencode()}"
