"""The journal as CSV: every repayment that its filter finds, with the API's names."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http.response import HttpResponseBase
from django.utils import timezone

from lendingadmin import gateway
from lendingadmin.gateway import LendingApp
from lendingadmin.lending.values import timestamp_text
from lendingadmin.people_index.names import list_names
from lendingadmin.repayments.filters import build_conditions, get_order
from lendingadmin.repayments.forms import JournalForm
from lendingadmin.repayments.models import Mistake, Repayment
from lendingadmin.staff.roles import READ_NOTES, SEE_NAMES
from lendingadmin.ui.access import access
from lendingadmin.ui.exports import EXPORT, CsvPage, back_to_list, csv_response, split_into_pages
from lendingadmin.ui.quotas import EXPORTS
from lendingadmin.ui.redact import REDACTED
from lendingadmin.ui.requests import PersonRequest

_AT_ONCE = 500
COLUMNS = (
    "number",
    "accountId",
    "borrowerId",
    "externalId",
    "amount",
    "currencyCode",
    "transactionDate",
    "valueDate",
    "channel",
    "network",
    "notes",
    "state",
    "stateSince",
    "resolvedAs",
    "person",
    "createdAt",
    "sentAt",
    "requestId",
    "receiptNumber",
    "approvedBy",
    "approvedAt",
    "mistakeReports",
    "mistakeReportedBy",
    "mistakeReportedAt",
    "mistakeReviewedAs",
    "mistakeReviewedBy",
    "mistakeReviewedAt",
    "mistakeNote",
    "borrowerName",
)


@access(EXPORT, "lending.loans.get", quota=EXPORTS)
def export(request: PersonRequest, app_id: str) -> HttpResponseBase:
    """The repayments recorded in this dashboard, newest first like the journal."""
    form = JournalForm(request.GET)
    if not form.is_valid():
        return back_to_list(request)
    found = _found(form.cleaned_data, gateway.lending_app(app_id))
    reads_notes, may_see = request.user.has_perm(READ_NOTES), request.user.has_perm(SEE_NAMES)
    name = f"{app_id}-repayments-{timezone.localdate():%Y-%m-%d}.csv"
    pages = (
        CsvPage(_rows(app_id, page, reads_notes, may_see))
        for page in split_into_pages(found.iterator(chunk_size=_AT_ONCE))
    )
    return csv_response(request, name, COLUMNS, pages, subject="repayments", app_id=app_id)


def _rows(
    app_id: str, page: Sequence[Repayment], reads_notes: bool, may_see: bool
) -> Iterator[Iterable[object]]:
    names = list_names(app_id, [repayment.borrower_id for repayment in page], may_see=may_see)
    for repayment, name in zip(page, names, strict=True):
        yield (*_row(repayment, reads_notes), *_mistake(repayment, reads_notes), name)


def _found(wanted: dict[str, Any], app: LendingApp) -> QuerySet[Repayment]:
    rows = Repayment.objects.filter(*build_conditions(wanted, app).values(), app_id=app.app_id)
    rows = rows.on_days(wanted["since"], wanted["until"], wanted["by"], app.zone)
    reports = Mistake.objects.select_related("reported_by", "reviewed_by")
    rows = rows.select_related("created_by", "approved_by").prefetch_related(
        Prefetch("mistakes", reports)
    )
    return rows.order_by(f"-{get_order(wanted)}", "-id")


def _row(repayment: Repayment, reads_notes: bool) -> Iterable[object]:
    return (
        repayment.pk,
        repayment.account_id,
        repayment.borrower_id,
        repayment.external_id,
        repayment.exact_amount,
        repayment.shown_currency,
        _when(repayment.transaction_date),
        _when(repayment.value_date),
        repayment.channel,
        repayment.network,
        repayment.notes if reads_notes or not repayment.notes else REDACTED,
        repayment.state,
        _when(repayment.state_at),
        repayment.resolution,
        repayment.created_by.username,
        _when(repayment.created_at),
        _when(repayment.sent_at),
        repayment.request_id,
        repayment.receipt_number,
        repayment.approved_by.username if repayment.approved_by else None,
        _when(repayment.approved_at),
    )


def _mistake(repayment: Repayment, reads_notes: bool) -> Iterable[object]:
    """How many reports there are, and the latest, which is the open one if one is."""
    reports = list(repayment.mistakes.all())
    if not reports:
        return (0, *[None] * 6)
    latest = reports[-1]
    return (
        len(reports),
        latest.reported_by.username,
        _when(latest.reported_at),
        latest.reviewed_as,
        latest.reviewed_by.username if latest.reviewed_by else None,
        _when(latest.reviewed_at),
        latest.note if reads_notes else REDACTED,
    )


def _when(value: datetime | None) -> str | None:
    return None if value is None else timestamp_text(value)
