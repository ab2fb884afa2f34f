"""Pages of the lists of loans in a snapshot, and of saved lists."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.core import audit, gateway
from lendingadmin.core.staff.roles import SEE_NAMES
from lendingadmin.desk.portfolio import saved_lists
from lendingadmin.desk.portfolio.loan_list_form import LoanListForm
from lendingadmin.desk.portfolio.loan_lists import CorrectedLoan, open_list
from lendingadmin.desk.portfolio.models import SavedList, Snapshot
from lendingadmin.desk.portfolio.saved_lists import SHARE, SavedListForm
from lendingadmin.lending.values import timestamp_text
from lendingadmin.people.index.names import list_names
from lendingadmin.web.access import access
from lendingadmin.web.display.templatetags import statuses
from lendingadmin.web.exports import (
    EXPORT,
    ExportPage,
    back_to_list,
    export_response,
    in_currency,
    name_columns,
    split_into_pages,
    write_moment,
    write_performance,
    write_status,
)
from lendingadmin.web.keyset import build_pager
from lendingadmin.web.lists import PAGE_SIZES, as_id
from lendingadmin.web.quotas import EXPORTS
from lendingadmin.web.requests import PersonRequest, address_with

_LIST = "lending.loans.list"
COLUMNS = name_columns(
    {
        "borrowerName": gettext_lazy("Borrower name"),
        "accountId": gettext_lazy("Loan"),
        "borrowerId": gettext_lazy("Borrower"),
        "productId": gettext_lazy("Product"),
        "status": (gettext_lazy("Status"), write_status(statuses.loan_status)),
        "performanceStatus": (
            gettext_lazy("Performance"),
            write_performance,
            ("status", "settlementDate"),
        ),
        "startDate": gettext_lazy("Start"),
        "settlementDate": gettext_lazy("Settled"),
        "loanAmount": in_currency(gettext_lazy("Principal")),
        "schedule.daysLate": gettext_lazy("Days late"),
        "balances.repayment.overdue": in_currency(gettext_lazy("Overdue")),
        "balances.repayment.unpaid": in_currency(gettext_lazy("Outstanding")),
        "schedule.nextInstallment.dueDate": gettext_lazy("Next due"),
        "schedule.nextInstallment.amounts.repayment": in_currency(gettext_lazy("Next instalment")),
        "balances.principal.unpaid": in_currency(gettext_lazy("Outstanding principal")),
        "paidSinceLastCount": in_currency(gettext_lazy("Paid since last update")),
        "countedAt": (gettext_lazy("Updated"), write_moment),
        "recordedSince": in_currency(gettext_lazy("Recorded since the update")),
        "recordedMeanwhile": in_currency(gettext_lazy("Recorded during the update")),
    }
)


@access(_LIST)
def loan_list(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the list that the address describes."""
    return _show(request, app_id, request.GET.dict())


@access(_LIST)
def saved_list(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    saved = get_object_or_404(saved_lists.list_visible(app_id, request.user), pk=number)
    return _show(request, app_id, saved_lists.read_state(saved, request.GET), saved)


def _show(
    request: PersonRequest, app_id: str, state: Mapping[str, Any], saved: SavedList | None = None
) -> HttpResponse:
    app = gateway.lending_app(app_id)
    found = open_list(app, state)
    if found is None and state.get("count"):
        newest = {"newest_url": address_with(request, {"count": ""})}
        return render(request, "portfolio/gone.html", newest, status=404)
    context: dict[str, Any] = {"app": app, "found": found, "saved": saved}
    if saved is not None:
        context["may_delete"] = saved_lists.may_delete(request.user, saved)
        context["is_pinned"] = saved.pinned_by.filter(pk=request.user.pk).exists()
    if found and found.is_valid:
        page = found.read_page(as_id(request.GET.get("before")))
        context |= {
            "rows": page.rows,
            "pager": build_pager(request, page)
            | {"size": found.wanted["pageSize"], "sizes": PAGE_SIZES},
            "query": saved_lists.write_query(found.wanted),
        }
    return render(request, "portfolio/loan_list.html", context)


@access(_LIST, methods=("GET", "POST"))
def save(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the form that saves the list in the address; a POST saves and shows the list.

    If the name is taken, the form shows an error. Raise Http404 for an invalid list.
    """
    app, listed = gateway.lending_app(app_id), LoanListForm(request.GET.dict(), [])
    if not listed.is_valid():
        raise Http404("The address has no valid list.")
    form = SavedListForm(request.POST or None, app_id=app.app_id, owner=request.user)
    if request.method == "POST" and form.is_valid():
        query = saved_lists.write_query(listed.cleaned_data)
        saved = _create(request, app.app_id, query, form.cleaned_data)
        if saved is not None:
            messages.success(request, _("Saved: %(name)s.") % {"name": saved.name})
            return redirect(saved)
        form.add_error("name", saved_lists.NAME_TAKEN)
    return render(request, "portfolio/save_list.html", {"app": app, "form": form})


def _create(
    request: PersonRequest, app_id: str, query: str, wanted: Mapping[str, Any]
) -> SavedList | None:
    """Create the list; return None if another request took the name first.

    The audit trail records a shared list.
    """
    is_shared = wanted.get("is_shared", False)
    try:
        with transaction.atomic():
            saved = SavedList.objects.create(
                app_id=app_id,
                owner=request.user,
                name=wanted["name"],
                query=query,
                is_shared=is_shared,
            )
            if wanted["is_pinned"]:
                saved.pinned_by.add(request.user)
    except IntegrityError:
        return None
    if is_shared:
        audit.record(request, SHARE, app_id=app_id, subject=str(saved), outcome="shared")
    return saved


@access(_LIST, methods=("POST",))
def pin(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Put a list into the person's sidebar, or remove the list; redirect to the list.

    If the sidebar is full, only show a warning.
    """
    saved = get_object_or_404(saved_lists.list_visible(app_id, request.user), pk=number)
    if request.POST.get("pin") != "on":
        saved.pinned_by.remove(request.user)
    elif saved_lists.has_room(request.user, app_id):
        saved.pinned_by.add(request.user)
    else:
        messages.warning(request, saved_lists.NO_ROOM)
    return redirect(saved)


@access(_LIST, methods=("POST",))
def delete(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Delete a saved list and redirect to all loans; the loans are not changed.

    The audit trail records the deletion of a shared list. Raise Http404 if the person may not
    delete the list.
    """
    saved = get_object_or_404(saved_lists.list_visible(app_id, request.user), pk=number)
    if not saved_lists.may_delete(request.user, saved):
        raise Http404("This list belongs to another person.")
    if saved.is_shared:
        audit.record(request, SHARE, app_id=app_id, subject=str(saved), outcome="deleted")
    saved.delete()
    words = _("The list %(name)s is deleted. Its loans are not changed.")
    messages.success(request, words % {"name": saved.name})
    return redirect("loan-list", app_id)


@access(EXPORT, _LIST, quota=EXPORTS)
def export(request: PersonRequest, app_id: str) -> HttpResponseBase:
    """Export the list in the address as CSV.

    Redirect to the list if the address is invalid, and before the first update.
    """
    return _export(request, app_id, request.GET.dict())


@access(EXPORT, _LIST, quota=EXPORTS)
def export_saved(request: PersonRequest, app_id: str, number: int) -> HttpResponseBase:
    """Export a saved list as CSV.

    Redirect to the list if its filter is invalid, and before the first update.
    """
    saved = get_object_or_404(saved_lists.list_visible(app_id, request.user), pk=number)
    return _export(request, app_id, saved_lists.read_state(saved, request.GET))


def _export(request: PersonRequest, app_id: str, state: Mapping[str, Any]) -> HttpResponseBase:
    found = open_list(gateway.lending_app(app_id), state)
    if found is None or not found.is_valid:
        return back_to_list(request)
    loans = map(found.build_row, found.rows.iterator(chunk_size=500))
    may_see = request.user.has_perm(SEE_NAMES)
    pages = (
        ExportPage(_build_rows(app_id, page, found.snapshot, may_see))
        for page in split_into_pages(loans)
    )
    name = f"{app_id}-loan-list-{timezone.localdate():%Y-%m-%d}"
    return export_response(request, name, COLUMNS, pages, subject="loan lists", app_id=app_id)


def _build_rows(
    app_id: str, rows: list[CorrectedLoan], snapshot: Snapshot, may_see: bool
) -> Iterator[Iterable[object]]:
    """Yield the rows of the CSV, with amounts minus the repayments since the snapshot.

    The last columns show these repayments.
    """
    names = list_names(app_id, [row.loan.borrower_id for row in rows], may_see=may_see)
    counted_at = timestamp_text(snapshot.began_at)
    for row, name in zip(rows, names, strict=True):
        loan, amounts, recorded = row.loan, row.amounts, row.recorded
        yield (
            name,
            *(loan.account_id, loan.borrower_id, loan.product_id, loan.status, loan.performance),
            *(loan.start_day, loan.settlement_day, loan.principal, loan.days_late),
            *(amounts["overdue"], amounts["outstanding"]),
            *(loan.next_due_day, amounts["next_due_amount"], loan.principal_outstanding),
            *(loan.paid_since_last, counted_at),
            *((recorded.amount, recorded.meanwhile) if recorded else (None, None)),
        )
