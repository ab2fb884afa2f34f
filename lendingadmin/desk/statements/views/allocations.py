"""Pages of a payment of a batch, with its loan and the decision on it, and of the saved payers."""

from itertools import chain
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import SEE_CONTACT, SEE_NAMES
from lendingadmin.desk.portfolio.models import SnapshotLoan
from lendingadmin.desk.portfolio.payees import FoundPayees, find_payees
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.desk.portfolio.views.payment import RECORD
from lendingadmin.desk.statements import (
    allocating,
    checking,
    findings,
    matching,
    payers,
    rows,
    standings,
)
from lendingadmin.desk.statements.forms import PayeeForm, RowForm, SplitForm
from lendingadmin.desk.statements.keeping import READ
from lendingadmin.desk.statements.models import Allocation, Batch, PayerLink
from lendingadmin.lending.errors import LendingError
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import find_abandoned, find_gap
from lendingadmin.people.search.counts import count_search
from lendingadmin.web import errors
from lendingadmin.web.access import access
from lendingadmin.web.errors import Card
from lendingadmin.web.keyset import build_pager, read_slice
from lendingadmin.web.lists import whole_number
from lendingadmin.web.quotas import OverQuota
from lendingadmin.web.requests import PersonRequest

_PAGE = 50


class Candidate(NamedTuple):
    """Possible loan of a payment, with the reason and the loan's values in the last update.

    `counted` is None if the last update does not have the loan.
    """

    loan_id: str
    why: Any
    counted: SnapshotLoan | None

    @property
    def borrower_id(self) -> str:
        """Id of the loan's borrower; empty if it is not known."""
        return self.counted.borrower_id if self.counted else ""


class _Page:
    """One request for a row: its forms, and the action of each button."""

    def __init__(self, request: PersonRequest, row: Allocation) -> None:
        self.request, self.row, self.app_id = request, row, row.batch.file.app_id
        self.action = request.POST.get("action", "")
        self.payees = FoundPayees()
        self.card: Card | None = None
        needs_reason = findings.needs_reason(row.finding) or self.action == "leave"
        self.decision = RowForm(self._data("accept", "leave"), needs_reason=needs_reason)
        if needs_reason and row.account_id:
            self.decision.fields["reason"].widget.attrs["autofocus"] = True
        self.payee = PayeeForm(self._data("find"))
        if not row.account_id and self.action != "find":
            self.payee.fields["who"].widget.attrs["autofocus"] = True
        currency = row.line.currency or gateway.lending_app(self.app_id).currency
        self.split = SplitForm(self._data("split"), most=row.amount, currency=currency)

    def act(self) -> HttpResponse | None:
        """Perform the action of the button; return the next page, or None for this page again."""
        commands = {"accept": self._decide, "leave": self._decide, "split": self._split}
        commands |= {"find": self._find, "choose": self._choose, "take": self._choose}
        try:
            return commands[self.action]() if self.action in commands else None
        except allocating.NotReady:
            words = _("Nothing changed. The rows of this statement can't be decided now.")
            messages.warning(self.request, words, extra_tags="not-ready")
            return redirect(self.row.batch)
        except LendingError as error:
            self.card = errors.card(error)
            self.row.refresh_from_db()
            return None

    def _data(self, *actions: str) -> Any:
        return self.request.POST if self.action in actions else None

    def _decide(self) -> HttpResponse | None:
        if not self.decision.is_valid():
            return None
        reason = self.decision.cleaned_data["reason"]
        if self.action == "leave":
            allocating.leave_out(self.row, reason, self.request.user)
        elif not allocating.accept(self.row, reason, self.request.user):
            return None
        elif self.decision.cleaned_data["keep"]:
            payers.keep(self.row, self.request.user)
        return self._go_on()

    def _split(self) -> HttpResponse | None:
        if not self.split.is_valid():
            return None
        amount = self.split.cleaned_data["amount"]
        other = allocating.split(self.row, amount, self.request.user)
        return redirect(other or self.row)

    def _find(self) -> HttpResponse | None:
        if not self.payee.is_valid():
            return None
        try:
            count_search(self.request.user, self.app_id)
        except OverQuota:
            words = _("Too many searches in one hour. Open the page of the loan instead.")
            self.payee.add_error("who", words)
            return None
        self.payees = find_payees(self.request.user, self.app_id, self.payee.cleaned_data["who"])
        if self.payees.is_empty:
            self.payee.add_error("who", _("No person or loan found."))
        return None

    def _choose(self) -> HttpResponse | None:
        # The page offers "take" for loans that it shows with their borrowers.
        loan_id, may_accept = self.request.POST.get("loan", ""), self.action == "take"
        allocating.choose(self.row, loan_id, self.request.user, may_accept=may_accept)
        if self.row.decision != findings.Decision.ACCEPTED:
            return redirect(self.row)
        if self.request.POST.get("keep"):
            payers.keep(self.row, self.request.user)
        return self._go_on()

    def _go_on(self) -> HttpResponse:
        return redirect(allocating.find_next(self.row) or self.row.batch)


@access(*RECORD, READ, methods=("GET", "POST"))
def allocation(
    request: PersonRequest, app_id: str, number: int, position: int, part: int
) -> HttpResponse:
    """Show the check of a payment and the possible decisions; a POST performs one action.

    After a decision, redirect to the next undecided row, or to the batch if none is left. If the
    rows can't be decided now, redirect to the batch with a warning. Raise Http404 if there is no
    such payment.
    """
    every = Allocation.objects.select_related("batch__file", "line", "repayment", "decided_by")
    wanted = {"batch__file__app_id": app_id, "batch__file": number}
    row = get_object_or_404(every, **wanted, position=position, part=part)
    page = _Page(request, row)
    answer = page.act() if request.method == "POST" else None
    if answer is not None:
        return answer
    (shown,) = rows.describe_allocations(request.user, [row])
    by_key = standings.list_repayments(row.batch.file, [row.line])
    recorded = [one for one in chain.from_iterable(by_key.values()) if one.pk != row.repayment_id]
    is_open = row.batch.state == Batch.State.READY and row.repayment_id is None
    candidates = _list_candidates(request, row) if is_open else []
    parts = list(row.batch.allocations.filter(position=position).order_by("part"))
    alike = _list_alike(row, recorded)
    has_payer = bool(payers.list_keys(app_id, rows.read_about(row.line)))
    is_exact = row.basis in (*findings.EXACT, findings.Basis.LINK, "")
    is_known = is_exact and row.finding != findings.Finding.OTHER_PAYER
    if candidates:
        page.payee.fields["who"].widget.attrs.pop("autofocus", None)
    context = {
        "app": gateway.lending_app(app_id),
        "file": row.batch.file,
        "batch": row.batch,
        "shown": shown,
        "page": page,
        "is_open": is_open,
        "may_accept": is_open and findings.may_accept(row.finding, row.account_id),
        # Offer to save the payer only if the row does not already show that the payer pays this
        # loan.
        "may_keep": has_payer and not is_known,
        "has_payer": has_payer,
        "may_split": is_open and allocating.may_split(row),
        "candidates": candidates,
        "parts": parts,
        "next": allocating.find_next(row),
        # Repayments with the payment's id or the bank's reference, except the row's own repayment.
        "recorded": recorded,
        "alike": alike,
        # The page reads the names of all these borrowers at once.
        "of_people": [*parts, *recorded, *alike, *candidates],
        "gap": find_gap(row.batch.file.app_id),
    }
    return render(request, "statements/allocation.html", context)


def _list_candidates(request: PersonRequest, row: Allocation) -> list[Candidate]:
    """Return the possible loans of a row if its finding is SEVERAL or UNREAD; else none."""
    if row.finding not in (findings.Finding.SEVERAL, findings.Finding.UNREAD):
        return []
    app_id, about = row.batch.file.app_id, rows.read_about(row.line)
    basis, found = matching.propose(app_id, request.user, [about])[0]
    loan_ids = [one for one in found if one != row.account_id][:50]
    snapshot = find_with_loans(app_id) if loan_ids else None
    counted = SnapshotLoan.objects.filter(snapshot=snapshot, account_id__in=loan_ids)
    by_id = {one.account_id: one for one in counted} if snapshot else {}
    return [Candidate(one, findings.Basis(basis).label, by_id.get(one)) for one in loan_ids]


def _list_alike(row: Allocation, same: list[Repayment]) -> list[Repayment]:
    """Return the repayments that make an open row a possible duplicate, except those in `same`."""
    if row.repayment_id is not None or not row.account_id or row.line.moment is None:
        return []
    found = checking.list_alike(row)
    found += find_abandoned(row.batch.file.app_id, None, row.line.receipt)
    return list({one.pk: one for one in found if one not in same}.values())


@access(READ)
def links(request: PersonRequest, app_id: str) -> HttpResponse:
    """List the saved links of an app, the newest first."""
    behind = whole_number(request.GET.get("before")) or None
    every = PayerLink.objects.filter(app_id=app_id).select_related("created_by")
    page = read_slice(every, "created_at", _PAGE, behind=behind)
    may_see = all(request.user.has_perm(one) for one in (SEE_NAMES, SEE_CONTACT))
    context = {
        "rows": page.rows,
        "links": [(one, rows.mask(one.shown, may_see)) for one in page.rows],
        "pager": build_pager(request, page),
        "may_record": all(request.user.has_perm(name) for name in RECORD),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "statements/payers.html", context)


@access(*RECORD, READ, methods=("POST",))
def revoke(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Delete the link between a payer and a loan; redirect to the links."""
    payers.revoke(get_object_or_404(PayerLink, app_id=app_id, pk=number), request.user)
    return redirect("statement-payers", app_id)
