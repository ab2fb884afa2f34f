"""The filter fields of the loans list as conditions that an index serves (Spec: Loans)."""

from collections.abc import Callable, Iterable
from datetime import datetime

from django.db.models import Q

from lendingadmin.sandbox.rules.filters import Clause
from lendingadmin.sandbox.rules.status import LoanStatus, Performance, due_window
from lendingadmin.sandbox.store.loans import FIRST_NUMBER

FIELDS: dict[str, type] = {
    "accountId": str,
    "accountNo": int,
    "loanType": str,
    "borrowerId": str,
    "status": int,
    "appVersionId": str,
    "assessmentId": str,
    "performanceStatus": int,
}
_COLUMNS = {
    "accountId": "account_id",
    "loanType": "loan_type",
    "borrowerId": "borrower_id",
    "appVersionId": "app_version_id",
    "assessmentId": "assessment_id",
}
_NONE = Q(pk__in=())


def conditions(clauses: Iterable[Clause], now: datetime) -> Q:
    """Every clause must hold at `now`."""
    found = Q()
    for field, value in clauses:
        column = _COLUMNS.get(field)
        found &= Q((column, value)) if column else _BY_NUMBER[field](int(value), now)
    return found


def _account_no(value: int, now: datetime) -> Q:
    return Q(pk=value - FIRST_NUMBER)


def _status(value: int, now: datetime) -> Q:
    match value:
        case LoanStatus.PENDING:
            return Q(settlement_date=None, start_date__gt=now)
        case LoanStatus.OPEN:
            return Q(settlement_date=None, start_date__lte=now)
        case LoanStatus.CLOSED:
            return Q(settlement_date__isnull=False)
    return _NONE


def _performance(value: int, now: datetime) -> Q:
    if value not in list(Performance):
        return _NONE
    status = Performance(value)
    window = due_window(status, now.date())
    if status is Performance.PERFORMING:
        return Q(oldest_due=None) | Q(oldest_due__gte=window.since) | Q(start_date__gt=now)
    found = Q(start_date__lte=now, settlement_date=None)
    if window.since is not None:
        found &= Q(oldest_due__gte=window.since)
    return found & Q(oldest_due__lt=window.before)


_BY_NUMBER: dict[str, Callable[[int, datetime], Q]] = {
    "accountNo": _account_no,
    "status": _status,
    "performanceStatus": _performance,
}
