"""Conditions on the repayment table for the filter of the journal."""

from functools import reduce
from operator import and_, or_
from typing import Any

from django.db.models import Q, QuerySet

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.web.keyset import unindexed

from .managers import NOT_GIVEN, STANDINGS, RepaymentQuerySet
from .models import Mistake, normalise_external_id
from .receipts import match_number


def build_conditions(wanted: dict[str, Any], app: LendingApp) -> dict[str, Q]:
    """Return the condition of each filled field of a JournalForm, except the days.

    `wanted` is the form's cleaned data.
    """
    found = {}
    if wanted["state"]:
        found["state"] = STANDINGS.get(wanted["state"], Q(state=wanted["state"]))
    if wanted["mistake"]:
        found["mistake"] = Q(pk__in=_list_reports(wanted["mistake"]).values("repayment"))
    if wanted["person"]:
        found["person"] = Q(created_by__in=_find_people(wanted["person"]))
    if wanted["record"]:
        found["record"] = reduce(or_, _match_record(wanted["record"], app.app_id))
    left_empty = {"channel": NOT_GIVEN, "network": NOT_GIVEN, "currency_code": app.currency}
    for column, default in left_empty.items():
        value = wanted[column.partition("_")[0]]
        if value:
            same = (value, "") if value == default else (value,)
            found[column] = Q(**{f"{column}__in": same})
    return found


def get_order(wanted: dict[str, Any]) -> str:
    """Return the column that orders the journal. The filter of days uses the same column."""
    return "transaction_date" if wanted["by"] else "created_at"


def find_rows(
    rows: RepaymentQuerySet, wanted: dict[str, Any], app: LendingApp
) -> tuple[RepaymentQuerySet, Q | None]:
    """Return rows for `keyset.read_slice`, and the remaining conditions of the form or None.

    Either there are few rows, or an index has the rows in the order of the journal.
    """
    rest = build_conditions(wanted, app)
    rows = rows.on_days(wanted["since"], wanted["until"], wanted["by"], app.zone)
    own = {"app_id": app.app_id}
    if rest.pop("record", None):
        rows = rows.find_few(app.app_id, *_match_record(wanted["record"], app.app_id))
    elif rest.pop("mistake", None):
        reports = _list_reports(wanted["mistake"])
        reports = reports.filter(unindexed(Q(repayment__app_id=app.app_id)))
        rows = rows.filter(pk__in=reports.values("repayment"))
    elif wanted["by"]:
        rows = rows.filter(**own)  # only one index has the order of this date
    elif "state" in rest and wanted["state"] != "landed":  # most rows are recorded
        rows = rows.filter(rest.pop("state"), **own)
    else:
        rows = rows.filter(rest.pop("person", Q()), **own)
    return rows, reduce(and_, rest.values()) if rest else None


def _find_people(name: str) -> list[int]:
    return list(User.objects.filter(username__iexact=name.strip()).values_list("pk", flat=True))


def _list_reports(wanted: str) -> QuerySet[Mistake]:
    return Mistake.objects.order_by().filter(reviewed_at__isnull=wanted == "open")


def _match_record(record: str, app_id: str) -> tuple[Q, ...]:
    """Return the conditions that find a loan, borrower, transaction id or receipt number."""
    record = record.strip()
    same_id = Q(external_id_key=normalise_external_id(record))
    found = (same_id, Q(account_id=record), Q(borrower_id=record))
    of_receipt = match_number(app_id, record)
    return (*found, of_receipt) if of_receipt else found
