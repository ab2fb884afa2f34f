"""The journal as CSV, with all repayments that the filter finds.

The journal of a year has a million rows. So it is read in slices, as values and not as models. The
names of people and borrowers are read once for an export.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import READ_NOTES, SEE_NAMES
from lendingadmin.lending.values import timestamp_text
from lendingadmin.money.repayments.filters import find_rows, get_order
from lendingadmin.money.repayments.forms import JournalForm
from lendingadmin.money.repayments.managers import write_channel
from lendingadmin.money.repayments.models import (
    Mistake,
    Repayment,
    trim_amount,
    write_receipt_number,
)
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from lendingadmin.people.index.names import list_names
from lendingadmin.web.access import access
from lendingadmin.web.exports import (
    EXPORT,
    ExportPage,
    MomentText,
    back_to_list,
    export_response,
    name_columns,
    write_choice,
    write_moment,
)
from lendingadmin.web.keyset import read_slices, unindexed
from lendingadmin.web.quotas import EXPORTS
from lendingadmin.web.redact import REDACTED
from lendingadmin.web.requests import PersonRequest

ROWS_AT_ONCE = 1_000
# After this many borrowers, the stored names are cleared to limit the memory. A year has some ten
# thousand borrowers.
_NAMES = 50_000
# The fields that are read of each row, with their names in the model.
_FIELDS = (
    *("id", "account_id", "borrower_id", "external_id", "amount", "currency_code"),
    *("channel", "network", "notes", "idempotency_key", "state", "resolution", "created_by_id"),
    *("request_id", "receipt_year", "receipt_sequence", "approved_by_id"),
)
_MOMENTS = {
    "transacted": MomentText("transaction_date"),
    "valued": MomentText("value_date"),
    "changed": MomentText("state_at"),
    "created": MomentText("created_at"),
    "sent": MomentText("sent_at"),
    "approved": MomentText("approved_at"),
}
COLUMNS = name_columns(
    {
        "borrowerName": _("Borrower name"),
        "number": _("Repayment"),
        "accountId": _("Loan"),
        "borrowerId": _("Borrower"),
        "externalId": _("Transaction id"),
        "amount": _("Amount"),
        "currencyCode": _("Currency"),
        "transactionDate": (_("Transaction date"), write_moment),
        "valueDate": (_("Value date"), write_moment),
        "channel": (_("Channel"), write_channel),
        "network": _("Network"),
        "notes": _("Notes"),
        "state": (_("State"), write_choice(RepaymentState)),
        "stateSince": (_("State since"), write_moment),
        "resolvedAs": (_("Resolved as"), write_choice(Resolution)),
        "person": _("Entered by"),
        "createdAt": (_("Entered"), write_moment),
        "sentAt": (_("Sent"), write_moment),
        "requestId": "",
        "receiptNumber": _("Receipt"),
        "approvedBy": _("Approved by"),
        "approvedAt": (_("Approved"), write_moment),
        "mistakeReports": _("Mistake reports"),
        "mistakeReportedBy": _("Mistake reported by"),
        "mistakeReportedAt": (_("Mistake reported"), write_moment),
        "mistakeReviewedAs": (_("Decision on the mistake"), write_choice(Mistake.Review)),
        "mistakeReviewedBy": _("Mistake reviewed by"),
        "mistakeReviewedAt": (_("Mistake reviewed"), write_moment),
        "mistakeNote": _("Note on the mistake"),
    }
)
_NO_MISTAKE = (0, *[None] * 6)
_NOTES: Any = Repayment._meta.get_field("notes")


@access(EXPORT, "lending.loans.get", quota=EXPORTS)
def export(request: PersonRequest, app_id: str) -> HttpResponseBase:
    """Export the filtered repayments of this dashboard, in the order of the journal.

    Redirect to the journal if the filter is invalid.
    """
    form = JournalForm(request.GET)
    if not form.is_valid():
        return back_to_list(request)
    app = gateway.lending_app(app_id)
    writer = _RowWriter(app, request.user)
    name = f"{app_id}-repayments-{timezone.localdate():%Y-%m-%d}"
    slices = read_slices(_find(form.cleaned_data, app), get_order(form.cleaned_data), ROWS_AT_ONCE)
    pages = (ExportPage(writer.write_rows(rows)) for rows in slices)
    return export_response(request, name, COLUMNS, pages, subject="repayments", app_id=app_id)


def _find(wanted: dict[str, Any], app: LendingApp) -> QuerySet[Repayment, Any]:
    """Return the rows in the journal's order from an index, so that slices need no sorting."""
    rows, only = find_rows(Repayment.objects.all(), wanted, app)
    if only is not None:
        rows = rows.filter(unindexed(only))
    return rows.annotate(**_MOMENTS).values_list(*_FIELDS, *_MOMENTS, named=True)


class _RowWriter:
    """Writer of the rows of an export, with the values that this person may see."""

    def __init__(self, app: LendingApp, by: User) -> None:
        self._app = app
        self._reads_notes, self._may_see = by.has_perm(READ_NOTES), by.has_perm(SEE_NAMES)
        self._usernames: dict[int | None, str | None] = {None: None}
        self._names: dict[str, str] = {}

    def write_rows(self, rows: list[Any]) -> Iterator[Iterable[object]]:
        """Yield the cells of these rows."""
        reports = _read_mistakes([row.id for row in rows])
        self._read_usernames(rows)
        self._read_names({row.borrower_id for row in rows})
        for row in rows:
            yield (
                self._names[row.borrower_id],
                *self._write(row),
                *self._write_mistake(reports.get(row.id, ())),
            )

    def _read_usernames(self, rows: list[Any]) -> None:
        ids = {key for row in rows for key in (row.created_by_id, row.approved_by_id)}
        if missing := ids - self._usernames.keys():
            found = User.objects.filter(pk__in=missing).values_list("pk", "username")
            self._usernames.update(found)

    def _read_names(self, borrower_ids: set[str]) -> None:
        if len(self._names) > _NAMES:
            self._names.clear()
        if missing := sorted(borrower_ids - self._names.keys()):
            names = list_names(self._app.app_id, missing, may_see=self._may_see)
            self._names.update(zip(missing, names, strict=True))

    def _write(self, row: Any) -> Iterable[object]:
        notes = row.notes and (_NOTES.decrypt(row.notes, row) if self._reads_notes else REDACTED)
        return (
            row.id,
            row.account_id,
            row.borrower_id,
            row.external_id,
            trim_amount(row.amount),
            row.currency_code or self._app.currency,
            row.transacted,
            row.valued,
            row.channel,
            row.network,
            notes or "",
            row.state,
            row.changed,
            row.resolution,
            self._usernames[row.created_by_id],
            row.created,
            row.sent,
            row.request_id,
            write_receipt_number(self._app.app_id, row.receipt_year, row.receipt_sequence),
            self._usernames[row.approved_by_id],
            row.approved,
        )

    def _write_mistake(self, reports: Sequence[Mistake]) -> Iterable[object]:
        """Return the number of reports, and the columns of the latest report."""
        if not reports:
            return _NO_MISTAKE
        latest = reports[-1]
        return (
            len(reports),
            latest.reported_by.username,
            _when(latest.reported_at),
            latest.reviewed_as,
            latest.reviewed_by.username if latest.reviewed_by else None,
            _when(latest.reviewed_at),
            latest.note if self._reads_notes else REDACTED,
        )


def _read_mistakes(repayments: list[int]) -> dict[int, list[Mistake]]:
    """Return the mistakes reported in these repayments, by repayment, the oldest first."""
    found = defaultdict[int, list[Mistake]](list)
    reports = Mistake.objects.select_related("reported_by", "reviewed_by")
    for report in reports.filter(repayment__in=repayments):
        found[report.repayment_id].append(report)
    return found


def _when(value: datetime | None) -> str | None:
    return None if value is None else timestamp_text(value)
