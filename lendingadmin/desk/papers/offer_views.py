"""The papers before a loan: key facts of an offer's contract, and refusals."""

from functools import cache, partial

from django.http import Http404, HttpResponse
from django.utils.translation import gettext_noop

from lendingadmin.core import gateway
from lendingadmin.core.policies.lender import read_lender
from lendingadmin.core.staff.roles import MAKE_PAPERS, SEE_NAMES
from lendingadmin.lending.errors import UnidentifiedRecord
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.ids import resource_id
from lendingadmin.lending.values import LendingContract, Product
from lendingadmin.money.writes import idempotency
from lendingadmin.records.borrowers.reads import note_read
from lendingadmin.records.offers import asking, catalogue, drafts, previews
from lendingadmin.records.offers.models import OfferRequest
from lendingadmin.records.offers.views.offers import MAY_ASK, checked
from lendingadmin.web.access import access
from lendingadmin.web.quotas import READS
from lendingadmin.web.requests import PersonRequest

from . import key_facts, refusal
from .figures import Unfit
from .forms import KeyFactsForm
from .models import PaperKind
from .services import Material, Wanted
from .suggestions import read_quickly
from .views import show_form, show_kinds

_BORROWER, _PREVIEW = "lending.borrowers.get", "lending.borrowers.getOfferContracts"


@access(MAKE_PAPERS, SEE_NAMES, _BORROWER, _PREVIEW, methods=("GET", "POST"), quota=READS)
def of_contract(
    request: PersonRequest, app_id: str, borrower_id: str, request_id: str
) -> HttpResponse:
    """Show the form for key facts of an offer's contracts; a POST makes the paper.

    A POST from the page of a new loan has the draft of its contract. Any other POST previews the
    contract. The address may have the amount, the day and the first product of the form. Raise
    Http404 if there is no offer, and UnidentifiedRecord if it may belong to another borrower.
    """
    row = _find_request(app_id, borrower_id, request_id)
    offer = row.response
    if offer is None:
        raise Http404("This request has led to no offer.")
    given = {name: value for name, value in request.GET.items() if name in ("amount", "startDate")}
    read_products = cache(partial(_list_products, request))

    def name_product(product_id: object) -> str:
        return catalogue.called(product_id, read_products())

    form = KeyFactsForm(
        request.POST if request.method == "POST" else None,
        offer=offer,
        app=gateway.lending_app(app_id),
        name_product=name_product,
        first=request.GET.get("product", ""),
        initial={"language": read_lender(app_id).language, **given},
    )
    of = Wanted(PaperKind.KEY_FACTS, borrower_id, "", "")

    def read(_wanted: Wanted) -> Material:
        [product_id] = form.cleaned_data["product"]
        if draft := request.POST.get("draft"):
            contract = _find_drafted(request, row, product_id, draft)
            name = name_product(product_id)
        else:
            contract, name = _preview(request, row, form, product_id)
        facts = key_facts.read_facts(contract, form.app.currency)
        lent = key_facts.Lent(
            name,
            ((gettext_noop("Offer"), row.request_id),),
            expires_at=row.expiry_time,
            is_preview=True,
        )
        return Material(row.borrower_id, "", partial(key_facts.write_key_facts, facts, lent))

    page = show_form(request, app_id, of, form, read)
    note_read(request, app_id, borrower_id)
    return page


def _list_products(request: PersonRequest) -> tuple[Product, ...]:
    """Return the products, for their names; empty if they can't be read within a second."""
    may_read = request.user.has_perm("lending.products.list")
    [found] = read_quickly(catalogue.products if may_read else None)
    return found or ()


def _find_drafted(
    request: PersonRequest, row: OfferRequest, product_id: str, draft: str
) -> LendingContract:
    """Return the contract that the page of a new loan shows and sends. Raise StaleKey."""
    source = drafts.Source(row.app_id, row.borrower_id, row.request_id, product_id)
    kept = drafts.find(request, source, draft)
    if kept is None:
        raise idempotency.StaleKey("the contract is not saved any more")
    return kept.contract


def _preview(
    request: PersonRequest, row: OfferRequest, form: KeyFactsForm, product_id: str
) -> tuple[LendingContract, str]:
    """Return the contract that the service previews, and the name of its product.

    Raise Unfit and LendingError.
    """
    preview = previews.read(request, row, form)
    found = [one for one in preview.columns() if one.contract.product_id == product_id]
    if len(found) != 1:
        unread = len(preview.contracts) > len(preview.columns())
        missing = "contract-unreadable" if unread else "no-contract"
        raise Unfit("several-contracts" if found else missing)
    return found[0].contract, found[0].name


@access(MAKE_PAPERS, SEE_NAMES, _BORROWER, MAY_ASK, methods=("GET", "POST"), quota=READS)
def of_refused_offer(
    request: PersonRequest, app_id: str, borrower_id: str, request_id: str
) -> HttpResponse:
    """Show the form for the refusal in a request for offers; a POST makes the paper.

    Raise Http404 for an unknown request, and UnidentifiedRecord if its answer may belong to another
    borrower.
    """
    row = _find_request(app_id, borrower_id, request_id)

    def read(_wanted: Wanted) -> Material:
        write = partial(refusal.write_refusal, refusal.read_offer(row))
        return Material(borrower_id, "", write)

    of = Wanted(PaperKind.REFUSAL, borrower_id, "", "")
    page = show_kinds(request, app_id, of, (PaperKind.REFUSAL,), read)
    note_read(request, app_id, borrower_id)
    return page


@access(
    *(MAKE_PAPERS, SEE_NAMES, _BORROWER, "lending.assessments.get"),
    methods=("GET", "POST"),
    quota=READS,
)
def of_assessment(request: PersonRequest, app_id: str, assessment_id: str) -> HttpResponse:
    """Show the form for the refusal in an assessment; a POST makes the paper.

    Raise LendingError if the assessment can't be read, and Http404 if it has no borrower.
    """
    found = check_named(gateway.app(app_id).assessments.get(assessment_id), assessment_id)
    borrower_id = resource_id(found.account_id)
    if borrower_id is None:
        raise Http404("This assessment is not of a borrower.")

    def read(_wanted: Wanted) -> Material:
        write = partial(refusal.write_refusal, refusal.read_assessment(found))
        return Material(borrower_id, "", write)

    of = Wanted(PaperKind.REFUSAL, checked(borrower_id), "", "")
    page = show_kinds(request, app_id, of, (PaperKind.REFUSAL,), read)
    note_read(request, app_id, borrower_id)
    return page


def _find_request(app_id: str, borrower_id: str, request_id: str) -> OfferRequest:
    row = asking.Place(app_id, checked(borrower_id), checked(request_id)).find()
    if row is None:
        raise Http404("This request was not made in this dashboard.")
    if not row.is_named:
        raise UnidentifiedRecord
    return row
