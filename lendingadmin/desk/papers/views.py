"""Pages of the papers of a borrower or a loan, and the page that prints one paper."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.policies.lender import read_lender
from lendingadmin.core.staff.roles import MAKE_PAPERS, SEE_NAMES
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.lending import loan_math
from lendingadmin.lending.errors import InvalidId, LendingError
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.ids import check_id
from lendingadmin.money.writes import idempotency
from lendingadmin.records.borrowers.reads import note_read
from lendingadmin.web import errors
from lendingadmin.web.access import access
from lendingadmin.web.display import formats
from lendingadmin.web.keyset import Slice, build_pager, read_slice
from lendingadmin.web.lists import whole_number
from lendingadmin.web.quotas import READS
from lendingadmin.web.requests import PersonRequest

from . import services
from .figures import Unfit
from .forms import KeyFactsForm, PaperForm
from .models import Paper, PaperKind
from .services import Read, Wanted
from .suggestions import Suggestion, lacks_letter, list_settled, list_suggestions, write_purpose

_PAGE = 25
_BORROWER, _LOAN = "lending.borrowers.get", "lending.loans.get"
# For each kind of paper, the right to see its subject.
_RIGHTS: dict[str, str] = {
    PaperKind.STATEMENT: _LOAN,
    PaperKind.NOTICE: _LOAN,
    PaperKind.DISCHARGE: _LOAN,
    PaperKind.KEY_FACTS: "lending.borrowers.getOfferContracts",
    PaperKind.REFUSAL: "lending.assessments.get",
}


@access(
    *(MAKE_PAPERS, SEE_NAMES, _BORROWER, _LOAN, "lending.loans.list"),
    methods=("GET", "POST"),
    quota=READS,
)
def of_borrower(request: PersonRequest, app_id: str, borrower_id: str) -> HttpResponse:
    """Show the papers of a borrower; a POST makes a paper and redirects to its page.

    If the paper can't be made, the page shows the reason, and no number is used.
    """
    of = Wanted(PaperKind.STATEMENT, check_id(borrower_id), "", "")
    kinds = (PaperKind.STATEMENT, PaperKind.NOTICE)
    is_shown = request.method == "GET"
    suggested = list_suggestions(request, app_id, of.borrower_id) if is_shown else ()
    page = show_kinds(request, app_id, of, kinds, suggested=suggested)
    note_read(request, app_id, borrower_id)
    return page


@access(MAKE_PAPERS, SEE_NAMES, _LOAN, _BORROWER, methods=("GET", "POST"), quota=READS)
def of_loan(request: PersonRequest, app_id: str, account_id: str) -> HttpResponse:
    """Show the papers of a loan; a POST makes a paper and redirects to its page.

    The borrower is read from the loan. Raise LendingError if the loan can't be read.
    """
    loan = check_named(gateway.app(app_id).loans.get(account_id), account_id)
    of = Wanted(PaperKind.STATEMENT, loan_math.borrower_of(loan), loan_math.key_of(loan), "")
    read = partial(services.use_loans, loans=[loan])
    page = show_kinds(request, app_id, of, tuple(services.OF_LOANS), read)
    if of.borrower_id:
        note_read(request, app_id, of.borrower_id)
    return page


def show_kinds(
    request: PersonRequest,
    app_id: str,
    of: Wanted,
    kinds: tuple[PaperKind, ...],
    read: Read | None = None,
    suggested: Sequence[Suggestion] = (),
) -> HttpResponse:
    """Show the form for papers of these kinds, and the earlier papers; a POST makes a paper.

    `suggested` are papers about other records; each has a button.
    """
    form = PaperForm(
        request.POST if request.method == "POST" else None,
        today=timezone.localdate(timezone=gateway.lending_app(app_id).zone),
        kinds=kinds,
        initial={"language": read_lender(app_id).language},
    )
    return show_form(request, app_id, of, form, read, suggested)


def show_form(
    request: PersonRequest,
    app_id: str,
    of: Wanted,
    form: PaperForm | KeyFactsForm,
    read: Read | None,
    suggested: Sequence[Suggestion] = (),
) -> HttpResponse:
    """Show a form for papers, and the earlier papers; a POST with a valid form makes a paper."""
    app, refusal, card = gateway.lending_app(app_id), None, None
    purpose = write_purpose(request.path)
    if form.is_bound and form.is_valid():
        try:
            key = idempotency.check_key(request, purpose, request.POST.get("token", ""))
            wanted = replace(of, **form.get_wanted())
            return redirect(services.make_paper(app, wanted, key, request.user, read))
        except idempotency.StaleKey:
            form.add_error(None, idempotency.TOO_LONG)
        except Unfit as error:
            refusal = error
        except InvalidId:
            raise
        except LendingError as error:
            card = errors.card(error)
    behind = whole_number(request.GET.get("before")) or None
    page = read_slice(_list_papers(app_id, of), "made_at", _PAGE, behind=behind)
    context: dict[str, Any] = {
        "app": app,
        "borrower_id": of.borrower_id,
        "account_id": of.account_id,
        "form": form,
        "suggested": suggested,
        "refusal": refusal,
        "card": card,
        "papers": page.rows,
        "pager": build_pager(request, page),
        "token": idempotency.issue_key(request, purpose),
    }
    status = HTTPStatus.OK if card is None else HTTPStatus.BAD_GATEWAY
    return render(request, "papers/papers.html", context, status=status)


def _list_papers(app_id: str, of: Wanted) -> QuerySet[Paper]:
    rows = Paper.objects.filter(app_id=app_id).select_related("made_by")
    if of.account_id:
        return rows.filter(account_id=of.account_id)
    return rows.filter(borrower_id=of.borrower_id)


@access(MAKE_PAPERS, SEE_NAMES, _LOAN, "lending.loans.list")
def without_letter(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the settled loans of the last update that have no discharge letter, newest first."""
    snapshot = find_with_loans(app_id)
    page = Slice([])
    if snapshot:
        settled = list_settled(snapshot)
        behind = whole_number(request.GET.get("before")) or None
        only = lacks_letter(app_id)
        page = read_slice(settled, "settlement_day", _PAGE, behind=behind, only=only)
    context = {
        "app": gateway.lending_app(app_id),
        "snapshot": snapshot,
        "loans": page.rows,
        "pager": build_pager(request, page),
    }
    return render(request, "papers/without_letter.html", context)


def list_rights(request: PersonRequest, app_id: str, year: int, number: int) -> list[str]:
    """Return the right to see the subject of a paper. Raise Http404 if there is no such paper."""
    rows = Paper.objects.filter(app_id=app_id, year=year, number=number)
    return [_RIGHTS[get_object_or_404(rows.only("kind")).kind]]


@access(MAKE_PAPERS, SEE_NAMES, needs=list_rights)
def paper(request: PersonRequest, app_id: str, year: int, number: int) -> HttpResponse:
    """Show a paper as it was made, for printing; the trail records each opening.

    From the second opening on, the page says that the paper is a reprint. If the content was
    erased, redirect to the papers of the loan or borrower.
    """
    found = get_object_or_404(
        Paper.objects.select_related("made_by"), app_id=app_id, year=year, number=number
    )
    content = found.read_content()
    if content is None:
        messages.warning(request, _("The content of %(number)s was erased.") % found.names)
        if found.account_id:
            return redirect("loan-papers", app_id, found.account_id)
        return redirect("borrower-papers", app_id, found.borrower_id)
    opened_at = services.note_printing(found, request.user)
    context = {
        "paper": found,
        "content": content,
        "opened_at": opened_at,
        "app": gateway.lending_app(app_id),
        "clerks_language": translation.get_language(),
    }
    # The paper is in the customer's language and the lender's time zone, whatever the clerk's are.
    with translation.override(found.language), formats.use_zone(lambda: None):
        return HttpResponse(render_to_string("papers/paper.html", context, request))
